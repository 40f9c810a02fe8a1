#include "checker/engine/cxx.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "checker/fix/writer.h"
#include "checker/launch/program.h"

namespace shardlint {

namespace {

namespace json = llvm::json;

// What one unit may cost: far above any that is real, and bounded.
constexpr int kMilliseconds = 120'000;
constexpr const char* kCpuSeconds = "100";
constexpr const char* kMemoryMib = "6144";
constexpr std::size_t kMostOutput = 256u << 20;
constexpr std::size_t kRemembered = 8;  // files of a process

bool is_cxx_header(const std::string& path) {
  for (const char* ending : {".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc", ".inl", ".ipp"})
    if (path.ends_with(ending)) return true;
  return false;
}

// Whether a text has `word` as one of its words, outside comments.
bool names_word(std::string_view text, std::string_view word) {
  const auto part = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos && !word.empty(); at = text.find(word, at + 1)) {
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::size_t first = text.find_first_not_of(" \t", line);
    const bool comment = first != std::string_view::npos && text[first] == '#';
    if (!comment && (at == 0 || !part(text[at - 1])) && (at + word.size() == text.size() || !part(text[at + word.size()]))) return true;
  }
  return false;
}

class Answer {
 public:
  Answer(const Files& files, const DocumentPtr& document, const std::vector<BindingPtr>& bindings, const launch::Training* start)
      : files_(files), document_(document), bindings_(bindings), start_(start) {
    sources_[join(files.working_folder(), document->source->path())] = document->source;
  }

  CxxUnit out;
  bool done = false;

  void line(llvm::StringRef text) {
    llvm::Expected<json::Value> parsed = json::parse(text);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      return;
    }
    const json::Object* object = parsed->getAsObject();
    if (!object) return;
    if (object->getString("plan")) plan(*object);
    if (const auto message = object->getString("mistake"))
      mistake(message->str(), object->getString("at").value_or("").str(), object->getString("nearest").value_or("").str());
    if (const auto message = object->getString("narrowed")) out.narrowed.push_back({message->str(), place(object->getObject("spelled"))});
    if (const auto skipped = object->getString("skipped")) out.skipped.push_back(skipped->str());
    // Read also where no value stands in them: whoever remembers what was read checks again when they change.
    if (const json::Array* included = object->getArray("included"))
      for (const json::Value& file : *included)
        if (const auto path = file.getAsString(); path && Inside(files_, ".")(path->str())) source(path->str());
    if (const auto whole = object->getBoolean("done")) done = *whole;
  }

 private:
  SourcePtr source(const std::string& path) {
    const std::string whole = join(files_.working_folder(), path);
    const auto [entry, fresh] = sources_.try_emplace(whole);
    if (fresh) {
      const Files::Read read = files_.read(whole);
      if (read.text) entry->second = std::make_shared<const Source>(shardlint::shown(whole, files_.working_folder()), *read.text);
    }
    return entry->second;
  }
  Place place(const json::Object* at) {
    if (!at || !at->getString("file")) return {};
    const SourcePtr file = source(at->getString("file")->str());
    if (!file) return {};
    const auto clamped = [&](std::optional<std::int64_t> offset) {
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>(offset.value_or(0), 0, static_cast<std::int64_t>(file->text().size())));
    };
    const std::uint32_t begin = clamped(at->getInteger("begin"));
    return {file, {begin, std::max(begin, clamped(at->getInteger("end")))}};
  }

  // "@1.type[0].fields.x" -> the second binding and the path in it.
  std::pair<BindingPtr, std::string> row(const std::string& at) const {
    const std::size_t dot = at.find('.');
    if (!at.starts_with('@') || dot == std::string::npos) return {nullptr, ""};
    const std::size_t number = static_cast<std::size_t>(std::strtoul(at.c_str() + 1, nullptr, 10));
    return number < bindings_.size() ? std::pair(bindings_[number], at.substr(dot + 1)) : std::pair<BindingPtr, std::string>{nullptr, ""};
  }

  void mistake(std::string message, const std::string& at, std::string near) {
    const auto [binding, path] = row(at);
    // What comes with shardlint covers several versions of a class; the one here need not have all their names.
    if (!binding || binding->source()->path().starts_with('<')) return;
    out.mistakes.push_back({std::move(message), std::move(near), binding->place(path)});
  }

  static Value value_of(const json::Value* value) {
    if (!value) return Null{};
    if (const auto boolean = value->getAsBoolean()) return *boolean;
    if (const auto integer = value->getAsInteger()) return static_cast<i64>(*integer);
    if (const auto real = value->getAsNumber()) return *real;
    if (const auto text = value->getAsString()) return text->str();
    return Null{};
  }

  // As a field of a plan holds it; null if it is no such thing.
  static Value converted(const Value& value, TypeSet types) {
    if (types & type::of(value.kind())) {
      if (!value.boolean() || types & type::Bool) return value;
    }
    if (types & type::Bool && value.integer()) return *value.integer() != 0;
    if (types & type::Int && value.boolean()) return static_cast<i64>(*value.boolean());
    if (types & type::Int && value.real() && std::floor(*value.real()) == *value.real() && std::fabs(*value.real()) < 1e15)
      return static_cast<i64>(*value.real());
    if (types & type::Real && value.integer()) return value;
    return Null{};
  }

  void plan(const json::Object& object) {
    const auto [binding, path] = row(object.getString("at").value_or("").str());
    if (!binding) return;
    CxxPlan plan;
    plan.binding = binding;
    plan.name = object.getString("plan")->str(), plan.role = object.getString("role").value_or("plan").str();
    plan.framework = binding->framework(path);
    plan.place = place(object.getObject("place"));
    if (!plan.framework) return;
    if (plan.role == "text") {
      text_plan(object, *binding, path, plan);
    } else if (const json::Array* facts = object.getArray("facts")) {
      for (const json::Value& one : *facts)
        if (const json::Object* fact = one.getAsObject()) take(*fact, plan);
      refer(plan);
    }
    out.plans.push_back(std::move(plan));
  }

  void take(const json::Object& object, CxxPlan& plan) {
    const std::string named = object.getString("field").value_or("").str();
    const std::string_view field = canonical_field(named);
    if (field.empty()) return;
    if (field != named) plan.aliases.emplace_back(named, field);
    Fact fact;
    fact.path = std::string(field);
    fact.spelled = object.getString("name").value_or("").str();
    const std::string from = object.getString("from").value_or("code").str();
    fact.way = from == "flag-default" ? Way::FlagDefault : Way::Code;
    Place spelled = place(object.getObject("spelled")), used = place(object.getObject("used"));
    const bool own = spelled.source == document_->source;
    // The user's own file is blamed; a header's constant is told of where it is used here.
    const bool at_use = used.source == document_->source && !own;
    fact.place = at_use ? used : spelled ? spelled : used ? used : plan.place;
    fact.key_place = fact.place;
    fact.inherited = fact.place.source != document_->source;
    fact.document = document_;
    bool edit = object.getBoolean("edit").value_or(false) && own;
    CodeSpelling code;
    code.literal = fact.place;
    code.inverted = object.getBoolean("inverted").value_or(false);
    if (const json::Object* words = object.getObject("words"))
      for (const auto& [word, spelling] : *words)
        if (const auto text = spelling.getAsString()) code.words[word.str()] = text->str();

    // The command that starts the program gives it: there is where people know it, and change it.
    const bool by_word = from == "command-line" && start_;
    if (by_word) {
      const launch::FlagWord word{static_cast<std::size_t>(std::max<std::int64_t>(object.getInteger("word").value_or(0), 0)),
                                  object.getBoolean("direct").value_or(false), object.getBoolean("negated").value_or(false), code.inverted,
                                  code.words};
      launch::locate(fact, *start_, word);
      fact.document = nullptr, fact.inherited = false, edit = false;
    }

    std::vector<Step> chain;
    if (by_word && fact.chain) chain = *fact.chain;
    if (by_word && used && !(used.range == spelled.range)) chain.push_back({"the program takes it here", used});
    if (from == "flag-kept") chain.push_back({"the command line leaves the flag at its default", spelled});
    const std::string constant = object.getString("constant").value_or("").str(), macro = object.getString("macro").value_or("").str();
    if (from == "default-member") chain.push_back({"nobody sets it: the class's own initialiser holds", spelled});
    if (from == "default-argument") chain.push_back({"the argument is left out: the default of the declaration holds", spelled});
    if (at_use && spelled && !by_word)
      chain.push_back({constant.empty() ? "the value is written here" : fmt::format("{} is defined here", constant), spelled});
    if (!at_use && used && used.source == document_->source && !constant.empty() && !(used.range == spelled.range))
      chain.push_back({fmt::format("{} is used here", constant), used});
    if (!macro.empty()) chain.push_back({fmt::format("the macro {} holds the value", macro), place(object.getObject("defined"))});
    if (const auto fixed = object.getString("fixed"); fixed && fixed->contains(" is used in "))
      chain.push_back({fmt::format("{}, so no edit is offered", fixed->str()), spelled ? spelled : fact.place});
    if (!chain.empty()) fact.chain = std::make_shared<const std::vector<Step>>(std::move(chain));

    const std::string state = object.getString("state").value_or("unknown").str();
    const TypeSet types = fields()[slot(*field_named(field))].types;
    if (state == "known") {
      fact.value = converted(value_of(object.get("value")), types);
      if (fact.value.is_null()) fact.open = "its value is of another kind";
    } else if (state == "unset") {
      const Value meant = value_of(object.get("unset"));
      edit = false;
      if (meant.text() && *meant.text() != "unknown" && !canonical_field(*meant.text()).empty())
        fact.open = "=" + std::string(canonical_field(*meant.text()));  // resolved when all are there
      else if (meant.is_null() || (meant.text() && *meant.text() == "unknown"))
        fact.open = "the program leaves it empty";
      else if (fact.value = converted(meant, types); fact.value.is_null())
        fact.open = "the program leaves it empty";
    } else {
      edit = false;
      fact.open = object.getString("because").value_or("").str();
      if (fact.open.empty()) fact.open = "it is not known here";
    }
    const Place insert = place(object.getObject("insert"));
    if (by_word) {
      if (!fact.open.empty()) fact.spot = nullptr;
    } else if (!edit && insert && insert.source == document_->source) {
      code.insert = insert;
      code.before = object.getString("before").value_or("").str(), code.after = object.getString("after").value_or("").str();
    }
    if (!by_word && (edit || code.insert)) fact.spot = code_spot(std::move(code));
    plan.facts.push_back(std::move(fact));
  }

  // "Empty" can mean "as much as another field".
  static void refer(CxxPlan& plan) {
    for (Fact& fact : plan.facts) {
      if (!fact.open.starts_with('=')) continue;
      const std::string other = fact.open.substr(1);
      fact.open = "the program leaves it empty";
      for (const Fact& source : plan.facts)
        if (source.path == other && source.open.empty()) fact.value = source.value, fact.open.clear();
    }
  }

  // A literal that a parser reads: the same bytes with all else blank, so that every place is the program's own.
  void text_plan(const json::Object& object, const BindingFile& binding, const std::string& path, CxxPlan& plan) {
    const Place literal = place(object.getObject("literal"));
    if (!literal || literal.source != document_->source) return;
    const std::string_view whole = literal.source->text(literal.range);
    std::size_t open = whole.find('"'), close = whole.rfind('"');
    if (open == std::string_view::npos || close <= open) return;
    std::string inside(whole.substr(open + 1, close - open - 1));
    if (open > 0 && whole[open - 1] == 'R') {
      const std::size_t bracket = inside.find('('), end = inside.rfind(')');
      if (bracket == std::string::npos || end == std::string::npos || end < bracket) return;
      inside = std::string(bracket + 1, ' ') + inside.substr(bracket + 1, end - bracket - 1);
    } else {
      // A quote that closes comes first, so that the blank of its escape stands outside.
      bool quoted = false;
      for (std::size_t i = 0; i + 1 < inside.size(); ++i) {
        if (inside[i] != '\\') continue;
        const bool quote = inside[i + 1] == '"';
        inside[i] = quote && quoted ? '"' : ' ';
        inside[i + 1] = quote && !quoted ? '"' : ' ';
        quoted ^= quote;
        ++i;
      }
    }
    std::string blank(literal.source->text());
    for (char& c : blank)
      if (c != '\n') c = ' ';
    blank.replace(literal.range.begin + open + 1, inside.size(), inside);
    const auto source = std::make_shared<const Source>(literal.source->path(), std::move(blank));
    const DocumentPtr read = read_document(source, Format::Json);
    if (read->roots.empty() || !read->problems.empty()) return;
    for (const Fact& fact : facts_of(read, *read->roots[0], Dialect::Json)) {
      const std::string field = binding.text_field(path, fact.path);
      const std::string_view canonical = canonical_field(field);
      if (canonical.empty()) continue;
      Fact own;
      own.path = std::string(canonical), own.spelled = fact.spelled, own.way = Way::Code;
      own.value = converted(fact.value, fields()[slot(*field_named(canonical))].types);
      if (own.value.is_null()) own.open = "its value is of another kind";
      own.place = {document_->source, fact.place.range}, own.key_place = {document_->source, fact.key_place.range};
      own.document = document_;
      if (own.value.integer() || own.value.boolean()) own.spot = code_spot({own.place, false, {}, "", "", {}});
      plan.facts.push_back(std::move(own));
    }
  }

  const Files& files_;
  const DocumentPtr& document_;
  const std::vector<BindingPtr>& bindings_;
  const launch::Training* start_;
  std::map<std::string, SourcePtr> sources_;
};

// A script that starts the program gives its flags on a command line, and the defaults are not what runs.
void started_by_scripts(const Files& files, const std::string& unit, std::vector<CxxPlan>& plans) {
  const std::string folder = folder_of(unit);
  for (CxxPlan& plan : plans) {
    if (plan.binding->programs().empty() ||
        std::none_of(plan.facts.begin(), plan.facts.end(), [](const Fact& f) { return f.way == Way::FlagDefault; }))
      continue;
    for (const std::string& name : files.list(folder.empty() ? "." : folder)) {
      if (!name.ends_with(".sh") && !name.ends_with(".sbatch") && !name.ends_with(".slurm") && !name.ends_with(".bash")) continue;
      const Files::Read read = files.read(join(folder, name));
      if (!read.text || std::none_of(plan.binding->programs().begin(), plan.binding->programs().end(),
                                     [&](const std::string& program) { return names_word(*read.text, program); }))
        continue;
      for (Fact& fact : plan.facts)
        if (fact.way == Way::FlagDefault) fact.open = fmt::format("{} gives the command line", name), fact.value = Null{};
      break;
    }
  }
}

// A literal that several plans read is not one plan's to change, unless they are copies of each other.
void share(std::vector<CxxPlan>& plans) {
  const auto key = [](const Fact& fact) {
    const Place at = fact.spot->written();
    return std::tuple(at.source.get(), at.range.begin, fact.path);
  };
  const auto alike = [](const CxxPlan& a, const CxxPlan& b) {
    return a.framework == b.framework && a.facts.size() == b.facts.size() &&
           std::equal(a.facts.begin(), a.facts.end(), b.facts.begin(), [](const Fact& x, const Fact& y) {
             return x.path == y.path && x.value == y.value && x.open.empty() == y.open.empty();
           });
  };
  std::map<std::tuple<const Source*, std::uint32_t, std::string>, std::vector<std::size_t>> by_place;
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (const Fact& fact : plans[i].facts)
      if (fact.spot) by_place[key(fact)].push_back(i);
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (Fact& fact : plans[i].facts) {
      if (!fact.spot) continue;
      const std::vector<std::size_t>& users = by_place[key(fact)];
      if (!std::all_of(users.begin(), users.end(), [&](std::size_t other) { return other == i || alike(plans[i], plans[other]); }))
        fact.spot = nullptr;
    }
}

// Whether all lines of an answer are there.
bool answered(std::string_view output) {
  if (!output.ends_with('\n')) return false;
  const std::size_t before = output.size() < 2 ? std::string_view::npos : output.rfind('\n', output.size() - 2);
  return output.substr(before == std::string_view::npos ? 0 : before + 1).starts_with("{\"done\":");
}

bool is_whole(const Ran& ran) { return ran.how == Ran::How::Answered && ran.output.rfind("{\"done\":true") != std::string::npos; }

std::string request_for(const CxxReaders& readers, const Files& files, const DocumentPtr& document, const std::vector<BindingPtr>& bindings,
                        const CompileCommand& command, const launch::Training* start) {
  // Byte for byte: places are offsets.
  const auto utf8 = [](std::string_view text) {
    std::string out(text);
    if (!json::isUTF8(out))
      for (char& c : out)
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    return out;
  };
  std::string out = "{\"bindings\":[";
  for (std::size_t i = 0; i < bindings.size(); ++i) out += (i ? "," : "") + bindings[i]->json();
  out += "],";
  json::Array flags;
  for (const std::string& flag : command.flags) flags.push_back(utf8(flag));
  json::Object rest{{"file", utf8(join(files.working_folder(), document->source->path()))},
                    {"text", utf8(document->source->text())},
                    {"directory", utf8(command.folder)},
                    {"flags", std::move(flags)}};
  if (readers.keep()) rest["keep"] = true;
  json::Object texts;
  for (const auto& [path, text] : files.held())
    if (is_cxx_header(path)) texts[utf8(join(files.working_folder(), path))] = utf8(text);
  if (!texts.empty()) rest["texts"] = std::move(texts);
  if (start) {
    json::Array words;
    for (const launch::ProgramWord& word : launch::program_words(*start)) {
      if (!word.text)
        words.push_back(nullptr);
      else if (word.open)
        words.push_back(json::Object{{"begins", utf8(*word.text)}});
      else
        words.push_back(utf8(*word.text));
    }
    rest["words"] = std::move(words);
  }
  std::string tail;
  llvm::raw_string_ostream(tail) << json::Value(std::move(rest));
  return out + tail.substr(1) + "\n";
}

}  // namespace

CxxReaders::Reader CxxReaders::take(const std::string& file) {
  const std::lock_guard lock(mutex_);
  const auto knows = [&](const Reader& reader) { return std::find(reader.files.begin(), reader.files.end(), file) != reader.files.end(); };
  auto found = std::find_if(idle_.begin(), idle_.end(), knows);
  if (found == idle_.end() && !idle_.empty()) found = idle_.end() - 1;
  if (found == idle_.end()) return {};
  Reader out = std::move(*found);
  idle_.erase(found);
  return out;
}

Ran CxxReaders::ask(const std::string& file, const std::string& request) {
  static const std::string program = program_beside("shardlint-cxx");
  if (program.empty()) return {};
  Reader reader = take(file);
  if (!reader.process)
    reader.process =
        std::make_unique<Process>(std::vector<std::string>{program, "--serve", "--cpu-seconds", kCpuSeconds, "--memory-mib", kMemoryMib});
  const bool fresh = !reader.process->running();
  Ran out = reader.process->ask(request, answered, kMilliseconds, kMostOutput);
  // One that was used before may have gone behind its last answer, or carry what an earlier file left.
  if (!fresh && !is_whole(out) && out.how != Ran::How::TimedOut) {
    reader.process->stop();
    out = reader.process->ask(request, answered, kMilliseconds, kMostOutput);
  }
  std::erase(reader.files, file);
  reader.files.push_back(file);
  if (reader.files.size() > kRemembered) reader.files.erase(reader.files.begin());
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
  return out;
}

CxxUnit read_cxx(CxxReaders& readers, const Files& files, const DocumentPtr& document, const std::vector<BindingPtr>& bindings,
                 const CompileCommand& command, const launch::Training* start) {
  Answer answer(files, document, bindings, start);
  const Ran ran =
      readers.ask(join(files.working_folder(), document->source->path()), request_for(readers, files, document, bindings, command, start));
  for (llvm::StringRef left = ran.output; !left.empty();) {
    const auto [line, more] = left.split('\n');
    if (!line.empty()) answer.line(line);
    left = more;
  }
  if (ran.how == Ran::How::NotThere)
    answer.out.failure = kNoCxxReader;
  else if (ran.how == Ran::How::TimedOut)
    answer.out.failure = "reading this file took too long, and was stopped";
  else if (!answer.done)
    answer.out.failure = "the C++ reader stopped on this file";
  // Half an answer says nothing of the whole.
  if (!answer.out.failure.empty()) answer.out.plans.clear(), answer.out.mistakes.clear(), answer.out.narrowed.clear();
  share(answer.out.plans);
  if (!start) started_by_scripts(files, document->source->path(), answer.out.plans);
  return std::move(answer.out);
}

}  // namespace shardlint
