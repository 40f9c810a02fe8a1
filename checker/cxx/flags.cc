// Flags: what a program's command line may set, what it is set to by the command that is known, and the default where there is none.
#include <algorithm>

#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/StringExtras.h>

#include "checker/cxx/interpreter.h"

namespace shardlint::cxx {

using namespace clang;

namespace {

constexpr llvm::StringLiteral kPrefix = "FLAGS_";

bool is_text(QualType type) {
  if (type->isPointerType()) return type->getPointeeType()->isAnyCharacterType();
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record && record->isInStdNamespace() && record->getIdentifier() &&
         (record->getName() == "basic_string" || record->getName() == "basic_string_view");
}

}  // namespace

QualType flag_type(const VarDecl& variable) {
  const QualType type = variable.getType().getNonReferenceType().getCanonicalType();
  const auto* wrapped = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (wrapped && !wrapped->isInStdNamespace() && wrapped->getTemplateArgs().size() == 1 &&
      wrapped->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
    return wrapped->getTemplateArgs()[0].getAsType().getCanonicalType();
  return type;
}

// ---- the command line

CommandLine::CommandLine(const std::vector<Request::CommandWord>& words,
                         const std::function<std::optional<bool>(const std::string&)>& is_switch) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int at = static_cast<int>(i);
    // Any number of words, which may set whatever was set before, and more.
    const auto anything = [&] { given_.clear(), open_ = true; };
    if (!words[i].text) {
      anything();
      continue;
    }
    llvm::StringRef word = *words[i].text;
    if (word == "--") break;
    if (!word.consume_front("-") || word.empty()) continue;
    word.consume_front("-");
    auto [written, value] = word.split('=');
    std::string name = written.str();
    if (!is_switch(name)) std::replace(name.begin(), name.end(), '-', '_');
    if (name == "flagfile" || name == "fromenv" || name == "tryfromenv") {
      anything();
      if (written.size() == word.size()) ++i;
      continue;
    }
    const std::optional<bool> known = is_switch(name);
    if (written.size() < word.size()) {
      given_[name] = {words[i].open ? std::nullopt : std::optional(value.str()), at, false};
    } else if (known == true) {
      given_[name] = {"true", at, false};
    } else if (llvm::StringRef(name).starts_with("no") && is_switch(name.substr(2)) == true) {
      given_[name.substr(2)] = {"false", at, true};
    } else if (i + 1 < words.size() && (known == false || !words[i + 1].text || !llvm::StringRef(*words[i + 1].text).starts_with("-"))) {
      given_[name] = {words[i + 1].open ? std::nullopt : words[i + 1].text, at + 1, false};
      ++i;
    }
  }
}

const CommandLine::Given* CommandLine::find(const std::string& name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &found->second;
}

// ---- reading

const FieldDecl* Interpreter::flag_keeper(llvm::StringRef name) const {
  const auto found = context_.Idents.find(("AbslFlagDefaultGenFor" + name).str());
  if (found == context_.Idents.end()) return nullptr;
  for (const NamedDecl* one : context_.getTranslationUnitDecl()->lookup(found->second))
    if (const auto* record = dyn_cast<CXXRecordDecl>(one); record && record->getDefinition())
      for (const FieldDecl* field : record->getDefinition()->fields())
        if (field->getName() == "value" && field->hasInClassInitializer() && field->getInClassInitializer()) return field;
  return nullptr;
}

std::optional<Val> Interpreter::flag_read(const FunctionDecl& callee, const CallExpr& e) {
  if (e.getNumArgs() != 1) return std::nullopt;
  for (const FlagsRow& row : bindings_.flags) {
    if (qualified(callee) != row.get && !(row.style == "absl" && qualified(callee) == "absl::GetFlag")) continue;
    const Expr* from = e.getArg(0)->IgnoreParenImpCasts();
    if (const auto* address = dyn_cast<UnaryOperator>(from); address && address->getOpcode() == UO_AddrOf)
      from = address->getSubExpr()->IgnoreParenImpCasts();
    const auto* reference = dyn_cast<DeclRefExpr>(from);
    const auto* object = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    return object ? flag(object) : unknown("a flag decides");
  }
  return std::nullopt;
}

Val Interpreter::flag(const VarDecl* variable) {
  std::string name;
  if (const auto made = std::find_if(survey_.flags.begin(), survey_.flags.end(),
                                     [&](const auto& one) { return one.second->getCanonicalDecl() == variable->getCanonicalDecl(); });
      made != survey_.flags.end())
    name = made->first;
  else if (variable->getIdentifier() && variable->getName().starts_with(kPrefix))
    name = variable->getName().drop_front(kPrefix.size()).str();
  if (name.empty() || survey_.written.contains(variable)) return unknown("others may write it");
  bool bound = false, parsed = !survey_.arguments_unread;
  for (const FlagsRow& row : bindings_.flags) {
    bound |= row.map.contains(name);
    if (row.parse && row.parse->empty()) parsed = false;
  }
  if (!bound && !started_) return unknown("a flag decides");
  if (started_ && parsed) {
    if (const CommandLine::Given* given = command_line_.find(name)) {
      Val out = flag_given(*given, flag_type(*variable));
      out.origin.spelled = out.origin.used = variable->getSourceRange();
      out.origin.from = From::CommandLine, out.origin.word = given->word, out.origin.direct = true, out.origin.negated = given->negated;
      return out;
    }
    if (command_line_.open()) return unknown("words of its command line are not known");
  }
  const VarDecl* definition = variable->getDefinition();
  if (!definition || !definition->getInit() || !in_progress_.insert(definition).second) return unknown("a flag decides");
  Val out = flag_default(name, *definition);
  in_progress_.erase(definition);
  if (parsed) out.origin.from = started_ ? From::FlagKept : From::FlagDefault;
  return out;
}

Val Interpreter::flag_default(const std::string& name, const VarDecl& definition) {
  State saved = std::exchange(state_, {});
  Frame* frame = std::exchange(frame_, nullptr);
  const Expr* init = definition.getInit();
  // Abseil keeps the default in a class of its own, behind a function that hands it on; a macro of the team's own says itself what it is.
  if (const FieldDecl* keeper = flag_keeper(name)) init = keeper->getInClassInitializer();
  for (const FlagMacro& made : survey_.made)
    if (made.name == name && made.value) init = made.value;
  const QualType type = init->getType();
  Val out = fitted(value(init), type);
  if (!out.known())
    if (const auto* handed = dyn_cast<CallExpr>(init->IgnoreParenImpCasts()->IgnoreImplicit()); handed && handed->getNumArgs() == 1)
      out = fitted(value(handed->getArg(0)), type);
  if (out.kind == Val::Kind::Object && out.members.size() == 1) out = Val(out.members.begin()->second);
  state_ = std::move(saved), frame_ = frame;
  if (const QualType wanted = flag_type(definition); out.known() && wanted->isArithmeticType()) out = fitted(std::move(out), wanted);
  out.origin.used = out.origin.spelled;
  return out;
}

Val Interpreter::flag_given(const CommandLine::Given& given, QualType type) const {
  if (!given.text) return unknown("the words of its command line are not known");
  const llvm::StringRef text = *given.text;
  if (type->isBooleanType()) {
    const std::string word = text.lower();
    for (const char* yes : {"true", "1", "t", "y", "yes"})
      if (word == yes) return boolean(true);
    for (const char* no : {"false", "0", "f", "n", "no"})
      if (word == no) return boolean(false);
    return unknown("its command line gives no truth value");
  }
  if (type->isIntegralOrUnscopedEnumerationType()) {
    std::int64_t number = 0;
    if (text.getAsInteger(text.starts_with("0x") || text.starts_with("-0x") ? 16 : 10, number) && text.getAsInteger(0, number))
      return unknown("its command line gives no number");
    return fitted(integer(number), type);
  }
  if (type->isRealFloatingType()) {
    Val out;
    out.kind = Val::Kind::Real;
    return text.getAsDouble(out.real) ? unknown("its command line gives no number") : out;
  }
  return is_text(type) ? string(text.str()) : unknown("its command line gives a value of a type that is not read");
}

}  // namespace shardlint::cxx
