#include "checker/cxx/frontend.h"

#include <algorithm>
#include <ctime>

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/PrecompiledPreamble.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroArgs.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/xxhash.h>

#include "checker/cxx/interpreter.h"
#include "checker/cxx/stubs.h"

namespace shardlint::cxx {

using namespace clang;
namespace json = llvm::json;

namespace {

// As whoever asked can open it: flags and what they lead to start in the folder of the compile command.
std::string from_folder(const std::string& directory, StringRef name) {
  llvm::SmallString<256> path(name);
  if (!directory.empty()) llvm::sys::fs::make_absolute(directory, path);
  return path.str().str();
}

// ---- answers

class Writer {
 public:
  Writer(ASTContext& context, const Survey& survey, const std::string& directory, std::string& out)
      : context_(context), sources_(context.getSourceManager()), survey_(survey), directory_(directory), out_(out) {}

  void write(const FoundPlan& plan) {
    json::Object line{{"plan", plan.name}, {"role", plan.role}, {"at", plan.path}};
    if (auto at = place(plan.place)) line["place"] = std::move(*at);
    json::Array facts;
    for (const Reading& reading : plan.readings) {
      fact(reading, facts);
      if (!reading.value.narrowed.empty()) narrowed(reading);
    }
    line["facts"] = std::move(facts);
    if (plan.text.kind == Val::Kind::Str) {
      line["text"] = plan.text.text;
      if (auto at = place(plan.text.origin.spelled)) line["literal"] = std::move(*at);
    }
    add(json::Value(std::move(line)));
  }
  void narrowed(const Reading& reading) {
    json::Object line{{"narrowed", reading.name + " is given " + reading.value.narrowed}};
    if (auto at = place(reading.value.origin.spelled)) line["spelled"] = std::move(*at);
    add(json::Value(std::move(line)));
  }
  void mistake(const std::string& message, const std::string& at, const std::string& nearest) {
    add(json::Object{{"mistake", message}, {"at", at}, {"nearest", nearest}});
  }
  void skipped(const std::string& text) { add(json::Object{{"skipped", text}}); }
  void included(const std::set<std::string>& files) { add(json::Object{{"included", json::Array(files)}}); }

 private:
  void add(json::Value line) {
    llvm::raw_string_ostream stream(out_);
    stream << line << "\n";
  }

  struct File {
    std::string path;
    unsigned begin = 0, end = 0;
  };
  // The range in one file; nothing where a macro's body holds it.
  std::optional<File> file(SourceRange range) const {
    if (range.isInvalid()) return std::nullopt;
    const CharSourceRange whole = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range), sources_, context_.getLangOpts());
    if (whole.isInvalid()) return std::nullopt;
    return in_file(whole.getBegin(), whole.getEnd());
  }
  std::optional<File> in_file(SourceLocation begin, SourceLocation end) const {
    const auto [id, offset] = sources_.getDecomposedLoc(begin);
    const auto [end_id, end_offset] = sources_.getDecomposedLoc(end);
    const auto entry = sources_.getFileEntryRefForID(id);
    if (!entry || id != end_id || end_offset < offset) return std::nullopt;
    return File{from_folder(directory_, entry->getName()), offset, end_offset};
  }
  static json::Object at(const File& file) { return json::Object{{"file", file.path}, {"begin", file.begin}, {"end", file.end}}; }

  // Where a person finds it: in a file, or where the macro is used.
  std::optional<File> visible(SourceRange range) const {
    if (range.isInvalid()) return std::nullopt;
    if (auto found = file(range)) return found;
    const CharSourceRange expansion = sources_.getExpansionRange(range);
    const CharSourceRange whole = Lexer::getAsCharRange(expansion, sources_, context_.getLangOpts());
    return in_file(whole.getBegin(), whole.getEnd());
  }
  std::optional<json::Object> place(SourceRange range) const {
    const auto found = visible(range);
    return found ? std::optional(at(*found)) : std::nullopt;
  }

  void fact(const Reading& reading, json::Array& facts) const {
    const Target& target = *reading.target;
    if (target.is.empty()) return;
    if (target.is == "device_lists") return devices(reading, facts);
    json::Object out{{"field", target.is}, {"name", reading.name}};
    describe(reading.value, out);
    state(reading.value, target, out);
    facts.push_back(std::move(out));
  }

  void state(const Val& value, const Target& target, json::Object& out) const {
    const auto lost = [&](llvm::StringRef why) { out["state"] = "unknown", out["because"] = why; };
    const bool sentinel = value.kind == Val::Kind::Int &&
                          std::find(target.sentinels.begin(), target.sentinels.end(), value.integer) != target.sentinels.end();
    if (value.kind == Val::Kind::Unset || sentinel) {
      out["state"] = "unset";
      if (const auto* number = std::get_if<std::int64_t>(&target.unset)) out["unset"] = *number;
      if (const auto* truth = std::get_if<bool>(&target.unset)) out["unset"] = *truth;
      if (const auto* real = std::get_if<double>(&target.unset)) out["unset"] = *real;
      if (const auto* text = std::get_if<std::string>(&target.unset)) out["unset"] = *text;
      return;
    }
    if (!value.known()) return lost(value.text);
    json::Value known(nullptr);
    const auto word = [&](const std::string& name) {
      for (const auto& [key, canonical] : target.values)
        if (key == name || llvm::StringRef(name).ends_with("::" + key)) return canonical;
      return std::string();
    };
    if (target.has_values) {
      const std::string name = value.kind == Val::Kind::Enum  ? qualified(*value.enumerator)
                               : value.kind == Val::Kind::Str ? value.text
                               : value.kind == Val::Kind::Int ? std::to_string(value.integer)
                                                              : "";
      const std::string canonical = word(name);
      if (canonical.empty()) return lost("the binding says nothing of this value");
      known = canonical;
      json::Object words;
      for (const auto& [key, other] : target.values) {
        const std::size_t colon = key.rfind("::");
        words[other] = value.kind == Val::Kind::Enum && colon != std::string::npos ? key.substr(colon + 2) : key;
      }
      out["words"] = std::move(words);
    } else {
      switch (value.kind) {
        case Val::Kind::Int: known = value.integer; break;
        case Val::Kind::Bool: known = value.integer != 0; break;
        case Val::Kind::Real: known = value.real; break;
        case Val::Kind::Str: known = value.text; break;
        default: return lost("its value is not worked out");
      }
    }
    if (target.invert) {
      if (value.kind != Val::Kind::Bool && value.kind != Val::Kind::Int) return lost("its value is not worked out");
      known = value.integer == 0;
      out["inverted"] = true;
    }
    out["state"] = "known", out["value"] = std::move(known);
  }

  // Where a value came from, and whether its text may be replaced.
  void describe(const Val& value, json::Object& out) const {
    const Origin& origin = value.origin;
    static constexpr const char* kFrom[] = {"code", "default-member", "default-argument", "flag-kept", "command-line", "flag-default"};
    out["from"] = kFrom[static_cast<int>(origin.from)];
    if (origin.from == From::CommandLine) {
      out["word"] = origin.word, out["direct"] = origin.direct;
      if (origin.negated) out["negated"] = true;
    }
    if (auto used = place(origin.used)) out["used"] = std::move(*used);
    auto spelled = visible(origin.spelled);
    if (!spelled) return;
    out["spelled"] = at(*spelled);
    const bool in_macro = !file(origin.spelled).has_value();
    const bool own = sources_.isInMainFile(sources_.getExpansionLoc(origin.spelled.getBegin()));
    if (origin.constant) out["constant"] = origin.constant->getNameAsString();
    std::string fixed;
    if (origin.from == From::CommandLine) {
      fixed = "the command line gives it";
    } else if (in_macro) {
      out["macro"] = Lexer::getImmediateMacroName(origin.spelled.getBegin(), sources_, context_.getLangOpts());
      const SourceLocation definition = sources_.getSpellingLoc(origin.spelled.getBegin());
      if (const auto defined = in_file(definition, Lexer::getLocForEndOfToken(definition, 0, sources_, context_.getLangOpts())))
        out["defined"] = at(*defined);
      fixed = "a macro holds it";
    } else if (origin.several) {
      fixed = "several places give it";
    } else if (!own) {
      fixed = "another file holds it";
    } else if (!origin.literal) {
      fixed = "it is worked out";
    }
    if (origin.constant && fixed.empty()) {
      const auto uses = survey_.uses.find(origin.constant->getCanonicalDecl());
      const int count = uses == survey_.uses.end() ? 0 : uses->second;
      if (count > 1 ||
          (origin.constant->isFileVarDecl() && origin.constant->isExternallyVisible() && !origin.constant->getType().isConstQualified()))
        fixed = origin.constant->getNameAsString() + " is used in " + std::to_string(count) + " places";
    }
    if (origin.left_out && origin.from == From::DefaultMember)
      if (const auto beside = file(origin.beside)) {
        const unsigned at_byte = origin.before ? beside->begin : beside->end;
        out["insert"] = at(File{beside->path, at_byte, at_byte});
        const std::string name = "." + origin.left_out->getNameAsString() + " = ";
        out["before"] = origin.before ? name : ", " + name, out["after"] = origin.before ? ", " : "";
        fixed = "the class's own initialiser holds";  // which is everybody's
      }
    out["edit"] = fixed.empty();
    if (!fixed.empty()) out["fixed"] = fixed;
  }

  // A list of servers, each a list of its devices.
  void devices(const Reading& reading, json::Array& facts) const {
    const Val& list = reading.value;
    std::int64_t sum = 0, inner = -1;
    bool nested = list.kind == Val::Kind::List && !list.items.empty(), equal = true;
    for (const Val& item : list.items) {
      nested &= item.kind == Val::Kind::List;
      const auto size = static_cast<std::int64_t>(item.items.size());
      sum += size;
      equal &= inner < 0 || inner == size;
      inner = size;
    }
    const auto add = [&](const char* field, bool known, std::int64_t number) {
      json::Object out{{"field", field}, {"name", reading.name}};
      describe(list, out);
      out["edit"] = false, out["fixed"] = "it is the length of a list";
      if (known)
        out["state"] = "known", out["value"] = number;
      else
        out["state"] = "unknown", out["because"] = list.known() ? "the servers differ" : list.text;
      facts.push_back(std::move(out));
    };
    const bool flat =
        list.kind == Val::Kind::List && !nested && !list.items.empty() && list.items[0].kind != Val::Kind::List && list.items[0].known();
    add("nodes", nested, static_cast<std::int64_t>(list.items.size()));
    add("gpus_per_node", nested && equal, inner);
    add("world_size", nested || flat, nested ? sum : static_cast<std::int64_t>(list.items.size()));
  }

  ASTContext& context_;
  const SourceManager& sources_;
  const Survey& survey_;
  const std::string& directory_;
  std::string& out_;
};

// ---- running Clang

struct Included {
  std::vector<std::string> files, missing;
};

class Includes : public PPCallbacks {
 public:
  Includes(const Request& request, Included& found) : directory_(request.directory), found_(found) {}
  void InclusionDirective(SourceLocation, const Token&, StringRef, bool, CharSourceRange, OptionalFileEntryRef file, StringRef, StringRef,
                          const Module*, bool, SrcMgr::CharacteristicKind kind) override {
    if (file && !SrcMgr::isSystem(kind)) found_.files.push_back(from_folder(directory_, file->getName()));
  }
  // What is not there is passed over: a fatal error would end the reading.
  bool FileNotFound(StringRef name) override {
    found_.missing.push_back(name.str());
    return true;
  }

 private:
  const std::string directory_;
  Included& found_;
};

// Where the compiler found errors in the unit itself.
class Errors : public DiagnosticConsumer {
 public:
  std::set<unsigned> lines;
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& info) override {
    if (level < DiagnosticsEngine::Error || !info.hasSourceManager() || info.getLocation().isInvalid()) return;
    const SourceManager& sources = info.getSourceManager();
    const SourceLocation at = sources.getExpansionLoc(info.getLocation());
    if (sources.isInMainFile(at)) lines.insert(sources.getExpansionLineNumber(at));
  }
};

// Bodies in headers take half of the time, and few of them make plans: those beside the unit, and those that handle a bound class.
class Skips {
 public:
  explicit Skips(const Request& request) : folder_(llvm::sys::path::parent_path(request.file).str()) {
    for (const TypeRow& row : request.bindings.types) bound_.insert(row.name);
  }
  bool body(const Decl& declaration) const {
    const SourceManager& sources = declaration.getASTContext().getSourceManager();
    const SourceLocation at = sources.getExpansionLoc(declaration.getLocation());
    if (sources.isInMainFile(at)) return false;
    if (!sources.isInSystemHeader(at) && !folder_.empty() && sources.getFilename(at).starts_with(folder_)) return false;
    const auto* f = dyn_cast<FunctionDecl>(&declaration);
    if (!f) return true;
    if (const auto* method = dyn_cast<CXXMethodDecl>(f); method && bound_.contains(qualified(*method->getParent()))) return false;
    if (f->getReturnType().isNull() || handles(f->getReturnType())) return false;
    for (const ParmVarDecl* parameter : f->parameters())
      if (handles(parameter->getType())) return false;
    return true;
  }

 private:
  bool handles(QualType type) const {
    const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    if (!record && type->isPointerType()) record = type->getPointeeCXXRecordDecl();
    return record && bound_.contains(qualified(*record));
  }

  std::string folder_;
  std::set<std::string> bound_;
};

// Flags that a macro of the team's own makes.
class FlagMacros : public PPCallbacks {
 public:
  FlagMacros(const Bindings& bindings, std::vector<FlagMacro>& out) : out_(out) {
    for (const FlagsRow& row : bindings.flags)
      if (!row.macro.empty()) names_.insert(row.macro);
  }
  void MacroExpands(const Token& name, const MacroDefinition&, SourceRange range, const MacroArgs* arguments) override {
    if (!arguments || !name.getLocation().isFileID() || !name.getIdentifierInfo() ||
        !names_.contains(name.getIdentifierInfo()->getName().str()) || arguments->getNumMacroArguments() < 3)
      return;
    const Token* flag = arguments->getUnexpArgument(1);
    const Token* otherwise = arguments->getUnexpArgument(2);
    if (flag->isNot(tok::identifier) || !flag->getIdentifierInfo() || otherwise->is(tok::eof)) return;
    const Token* last = otherwise;
    while ((last + 1)->isNot(tok::eof)) ++last;
    out_.push_back(
        {flag->getIdentifierInfo()->getName().str(), range.getBegin(), {otherwise->getLocation(), last->getLocation()}, nullptr});
  }

 private:
  std::set<std::string> names_;
  std::vector<FlagMacro>& out_;
};

class Reader : public ASTConsumer {
 public:
  Reader(const Request& request, std::string& out, Included& included, const std::vector<FlagMacro>& made, const Errors& errors)
      : request_(request), out_(out), included_(included), made_(made), errors_(errors), skips_(request) {}

  bool shouldSkipFunctionBody(Decl* declaration) override { return skips_.body(*declaration); }

  // What stands in the unit itself; what a preamble brings is found by name.
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl* declaration : group) {
      const SourceManager& sources = declaration->getASTContext().getSourceManager();
      if (sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation()))) own_.push_back(declaration);
    }
    return true;
  }
  void HandleInterestingDecl(DeclGroupRef) override {}

  void HandleTranslationUnit(ASTContext& context) override {
    Survey read = survey(context, own_, request_.bindings, made_);
    read.errors = errors_.lines;
    Interpreter interpreter(context, request_, read);
    interpreter.unit(own_);
    Writer writer(context, read, request_.directory, out_);
    for (const FoundPlan& plan : interpreter.plans) writer.write(plan);
    find_mistakes(context, own_, request_.bindings, [&](const std::string& message, const std::string& at, const std::string& nearest) {
      writer.mistake(message, at, nearest);
    });
    std::set<std::string> told;
    for (const std::string& file : included_.missing)
      if (told.insert(file).second) writer.skipped(file + " is not there");
    writer.included({included_.files.begin(), included_.files.end()});
  }

 private:
  const Request& request_;
  std::string& out_;
  Included& included_;
  const std::vector<FlagMacro>& made_;
  const Errors& errors_;
  const Skips skips_;
  std::vector<Decl*> own_;
};

class Action : public ASTFrontendAction {
 public:
  Action(const Request& request, std::string& out, Included& included, const Errors& errors)
      : request_(request), out_(out), included_(included), errors_(errors) {}
  bool BeginSourceFileAction(CompilerInstance& compiler) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Includes>(request_, included_));
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<FlagMacros>(request_.bindings, made_));
    return true;
  }
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance&, StringRef) override {
    return std::make_unique<Reader>(request_, out_, included_, made_, errors_);
  }

 private:
  const Request& request_;
  std::string& out_;
  Included& included_;
  std::vector<FlagMacro> made_;
  const Errors& errors_;
};

class PreambleReader : public PreambleCallbacks {
 public:
  PreambleReader(const Request& request, Included& included) : request_(request), skips_(request), included_(included) {}
  std::unique_ptr<PPCallbacks> createPPCallbacks() override { return std::make_unique<Includes>(request_, included_); }
  bool shouldSkipFunctionBody(Decl* declaration) override { return skips_.body(*declaration); }

 private:
  const Request& request_;
  const Skips skips_;
  Included& included_;
};

// A request as Clang takes it.
struct Job {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files;
  std::shared_ptr<CompilerInvocation> invocation;  // null: the flags cannot be read
  std::unique_ptr<llvm::MemoryBuffer> text;

  explicit Job(const Request& request) {
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const auto& [name, stub] : kStubs)
      memory->addFile(std::string(kStubFolder) + "/" + std::string(name), 0, llvm::MemoryBuffer::getMemBufferCopy(stub));
    memory->addFile(std::string(kStubFolder) + "/shardlint_cuda_prelude.h", 0, llvm::MemoryBuffer::getMemBufferCopy(kCudaPrelude));
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::createPhysicalFileSystem());
    if (!request.directory.empty()) overlay->setCurrentWorkingDirectory(request.directory);
    // Another text of the same length is told by its time.
    for (const auto& [path, held] : request.texts)
      memory->addFile(path, static_cast<std::time_t>(llvm::xxh3_64bits(held) >> 33), llvm::MemoryBuffer::getMemBufferCopy(held));
    overlay->pushOverlay(memory);
    files = overlay;

    std::vector<std::string> words{"clang++", "-fsyntax-only", "-w", "-resource-dir=" SHARDLINT_CLANG_RESOURCES};
    if (llvm::StringRef(request.file).ends_with(".cu"))
      for (const char* word :
           {"-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-host-only", "-include", "/shardlint-stubs/shardlint_cuda_prelude.h"})
        words.emplace_back(word);
    words.insert(words.end(), request.flags.begin(), request.flags.end());
    words.insert(words.end(), {"-idirafter", std::string(kStubFolder), "-Wno-everything", request.file});
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    IgnoringDiagConsumer quiet;
    CreateInvocationOptions how;
    how.Diags = CompilerInstance::createDiagnostics(new DiagnosticOptions, &quiet, false);
    how.VFS = files, how.RecoverOnError = true;
    invocation = createInvocation(arguments, how);
    if (!invocation) return;
    invocation->getFrontendOpts().SkipFunctionBodies = true;
    invocation->getFrontendOpts().DisableFree = false;
    invocation->getDiagnosticOpts().ErrorLimit = 0;
    invocation->getDiagnosticOpts().DiagnosticSerializationFile.clear();
    invocation->getDependencyOutputOpts() = DependencyOutputOptions();
    invocation->getPreprocessorOpts().RetainRemappedFileBuffers = true;
    invocation->getLangOpts().SpellChecking = false;
    text = llvm::MemoryBuffer::getMemBufferCopy(request.text, request.file);
  }
  PreambleBounds bounds() const { return ComputePreambleBounds(invocation->getLangOpts(), *text, 0); }
};

constexpr std::size_t kPreambles = 8;  // that are kept; tens of megabytes each

}  // namespace

struct Frontend::Kept {
  struct Preamble {
    PrecompiledPreamble compiled;
    Included included;
    std::vector<std::string> flags;
    std::size_t used = 0;
  };
  std::map<std::string, Preamble> preambles;
  std::size_t requests = 0;

  // The file's preamble; null if there is none that fits.
  Preamble* find(const Request& request, const Job& job) {
    const auto found = preambles.find(request.file);
    if (found == preambles.end()) return nullptr;
    if (found->second.flags == request.flags && found->second.compiled.CanReuse(*job.invocation, *job.text, job.bounds(), *job.files)) {
      found->second.used = ++requests;
      return &found->second;
    }
    preambles.erase(found);
    return nullptr;
  }
};

Frontend::Frontend() : kept_(std::make_unique<Kept>()) {}
Frontend::~Frontend() = default;

void Frontend::prepare(const Request& request) {
  const Job job(request);
  if (!job.invocation || kept_->find(request, job)) return;
  Included included;
  PreambleReader callbacks(request, included);
  IgnoringDiagConsumer quiet;
  const auto diagnostics = CompilerInstance::createDiagnostics(new DiagnosticOptions, &quiet, false);
  diagnostics->setFatalsAsError(true);
  auto built =
      PrecompiledPreamble::Build(*job.invocation, job.text.get(), job.bounds(), *diagnostics, job.files,
                                 std::make_shared<PCHContainerOperations>(), /*StoreInMemory=*/true, /*StoragePath=*/"", callbacks);
  if (!built) return;
  if (kept_->preambles.size() >= kPreambles)
    kept_->preambles.erase(std::min_element(kept_->preambles.begin(), kept_->preambles.end(),
                                            [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  kept_->preambles.emplace(request.file, Kept::Preamble{std::move(*built), std::move(included), request.flags, ++kept_->requests});
}

std::string Frontend::answer(const Request& request) {
  std::string out;
  Included included;
  const Job job(request);
  if (!job.invocation) {
    llvm::raw_string_ostream(out) << json::Value(json::Object{{"skipped", "the compile flags cannot be read"}}) << "\n";
    return out;
  }
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = job.files;
  if (Kept::Preamble* kept = kept_->find(request, job)) {
    included = kept->included;
    kept->compiled.AddImplicitPreamble(*job.invocation, files, job.text.get());
  }

  CompilerInstance compiler;
  compiler.setInvocation(job.invocation);
  Errors errors;
  compiler.createDiagnostics(&errors, false);
  compiler.getDiagnostics().setFatalsAsError(true);
  compiler.createFileManager(files);
  if (compiler.getPreprocessorOpts().RemappedFileBuffers.empty())
    compiler.getPreprocessorOpts().addRemappedFile(request.file, job.text.get());
  compiler.createSourceManager(compiler.getFileManager());
  if (!compiler.createTarget()) return out;
  Action action(request, out, included, errors);
  compiler.ExecuteAction(action);
  // The caller's buffer is not the compiler's to free.
  compiler.getPreprocessorOpts().RemappedFileBuffers.clear();
  return out;
}

}  // namespace shardlint::cxx
