// Calls: what a binding says of them, what the standard library does, what a body in sight does; of all others only what they may write.
#include <clang/AST/APValue.h>

#include "checker/cxx/interpreter.h"

namespace shardlint::cxx {

using namespace clang;

namespace {

llvm::StringRef standard_class(const CXXRecordDecl* record) {
  return record && record->isInStdNamespace() && record->getIdentifier() ? record->getName() : llvm::StringRef();
}

bool writable(QualType type) {
  if (type->isReferenceType()) return !type.getNonReferenceType().isConstQualified();
  return type->isPointerType() && !type->getPointeeType().isConstQualified() && !type->getPointeeType()->isFunctionType();
}

// How many parameters, from the first, have the names that a row gives; nothing if one differs. Declarations may name them differently.
std::optional<std::size_t> agreement(const std::vector<std::string>& wanted, const FunctionDecl& callee) {
  std::optional<std::size_t> best;
  for (const FunctionDecl* declaration : callee.redecls()) {
    std::size_t same = 0;
    const std::size_t count = std::min<std::size_t>(wanted.size(), declaration->getNumParams());
    while (same < count) {
      const std::string name = declaration->getParamDecl(static_cast<unsigned>(same))->getNameAsString();
      if (name != wanted[same] && wanted[same] != "#" + std::to_string(same)) break;
      ++same;
    }
    if (same == count && (!best || same > *best)) best = same;
  }
  return best;
}

}  // namespace

const CallRow* Interpreter::matching(const std::vector<CallRow>& rows, const FunctionDecl& callee, bool by_name) const {
  const CallRow* best = nullptr;
  std::size_t most = 0;
  for (const CallRow& row : rows) {
    if (by_name && row.name != qualified(callee) && row.name != callee.getNameAsString()) continue;
    const auto same = row.params.empty() ? std::optional<std::size_t>(0) : agreement(row.params, callee);
    // A list that names nothing at all of what is there says nothing about it.
    if (!same || (*same == 0 && callee.getNumParams() > 0 && !row.params.empty())) continue;
    if (!best || *same > most) best = &row, most = *same;
  }
  return best;
}

std::vector<Reading> Interpreter::readings_of(const CallRow& row, const FunctionDecl& callee, const std::vector<Argument>& given) {
  std::vector<Reading> out;
  for (unsigned i = 0; i < given.size(); ++i) {
    std::vector<std::string> names{"#" + std::to_string(i)};
    for (const FunctionDecl* declaration : callee.redecls())
      if (i < declaration->getNumParams()) names.push_back(declaration->getParamDecl(i)->getNameAsString());
    for (const std::string& name : names) {
      const auto target = row.map.find(name);
      if (target == row.map.end() || target->second.is.empty()) continue;
      Val value = given[i].reference ? load(given[i].where) : given[i].value;
      const bool omitted = given[i].expression && isa<CXXDefaultArgExpr>(given[i].expression);
      if (const auto meant = row.unset.find(name); meant != row.unset.end() && (omitted || value.kind == Val::Kind::Unset)) {
        const Origin origin = value.origin;
        if (const auto* number = std::get_if<std::int64_t>(&meant->second))
          value = integer(*number);
        else if (const auto* truth = std::get_if<bool>(&meant->second))
          value = boolean(*truth);
        else if (const auto* word = std::get_if<std::string>(&meant->second); word && *word != "unknown")
          value = string(*word);
        else
          value = unknown("the program works it out when it runs");
        value.origin = origin;
        value.origin.literal = false;
      }
      if (names.size() > 1 &&
          out.end() == std::find_if(out.begin(), out.end(), [&](const Reading& r) { return r.target == &target->second; }))
        out.push_back({names.back().empty() ? name : names[1], &target->second, std::move(value)});
      break;
    }
  }
  return out;
}

// The row of the object that a builder keeps its plan in.
const TypeRow* Interpreter::through(const TypeRow& row, const CXXRecordDecl* record) const {
  if (row.fields_through.empty() || !record || !record->getDefinition()) return nullptr;
  for (const FieldDecl* field : record->getDefinition()->fields())
    if (field->getNameAsString() == row.fields_through) return row_of(field->getType()->getAsCXXRecordDecl());
  return nullptr;
}

// Sets what a canonical name stands for in an object: the member that keeps it, or beside the members.
void Interpreter::write(const Where& object, const TypeRow& row, const Target& target, Val value) {
  const Val* now = state_.find(object);
  const CXXRecordDecl* record = now ? now->record : nullptr;
  const auto member_of = [&](const TypeRow& owner) -> const std::string* {
    for (const auto& [member, field] : owner.fields)
      if (field.is == target.is) return &member;
    return nullptr;
  };
  const TypeRow* inner = through(row, record);
  const std::string* member = member_of(inner ? *inner : row);
  if (member && row.accessors != Accessors::Message) {
    Where where = inner ? object.in(row.fields_through) : object;
    llvm::SmallVector<llvm::StringRef, 4> parts;
    llvm::StringRef(*member).split(parts, '.');
    for (llvm::StringRef part : parts) where = where.in(part.str());
    // Members that a class without a body in sight keeps to itself are not there to be set.
    store(where, std::move(value));
    return;
  }
  if (Val* at = state_.find(object); at && at->kind == Val::Kind::Object) at->canonical[target.is] = std::move(value);
}

Val Interpreter::read(const Val& object, const TypeRow& row, const Target& target, const std::string& member) const {
  if (const auto set = object.canonical.find(target.is); set != object.canonical.end()) return set->second;
  std::string path = member;
  if (path.empty())
    for (const auto& [name, field] : row.fields)
      if (field.is == target.is) path = name;
  if (object.kind != Val::Kind::Object) return unknown(object.kind == Val::Kind::Unknown ? object.text : "its value is not worked out");
  if (path.empty()) return unknown("nobody has set it here");
  const Val* at = &object;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(path).split(parts, '.');
  for (llvm::StringRef part : parts) {
    if (at->kind == Val::Kind::Pointer)
      if (const Val* pointed = state_.find(at->target)) at = pointed;
    const auto inner = at->members.find(part.str());
    if (inner == at->members.end()) return unknown(at->text.empty() ? "nobody has set it here" : at->text);
    at = &inner->second;
  }
  return *at;
}

// ---- bodies

const FunctionDecl* Interpreter::body_of(const FunctionDecl& callee) const {
  const FunctionDecl* definition = nullptr;
  if (!callee.hasBody(definition) || !definition || definition->hasSkippedBody() || definition->isInvalidDecl() || !definition->getBody())
    return nullptr;
  if (definition->isVariadic() || definition->isDependentContext() || sources_.isInSystemHeader(definition->getLocation())) return nullptr;
  if (jumps(definition->getBody())) return nullptr;
  return definition;
}

std::vector<Interpreter::Argument> Interpreter::arguments(const FunctionDecl& callee, llvm::ArrayRef<const Expr*> expressions) {
  std::vector<Argument> out;
  for (unsigned i = 0; i < expressions.size(); ++i) {
    Argument one;
    one.expression = expressions[i];
    const bool named = i < callee.getNumParams();
    one.reference = named && callee.getParamDecl(i)->getType()->isReferenceType();
    if (one.reference)
      one.where = isa<CXXDefaultArgExpr>(one.expression) ? temporary(value(one.expression)) : place(one.expression);
    else
      one.value = used_at(named ? fitted(value(one.expression), callee.getParamDecl(i)->getType()) : value(one.expression), one.expression);
    // A temporary bound to a reference knows where it was written.
    if (one.reference && state_.cells.contains(one.where.cell) && one.where.path.empty() && one.expression->IgnoreImplicit()->isPRValue())
      state_.cells[one.where.cell] = used_at(std::move(state_.cells[one.where.cell]), one.expression);
    out.push_back(std::move(one));
  }
  return out;
}

Val Interpreter::invoke(const FunctionDecl& callee, const Where& self, std::vector<Argument> given, std::shared_ptr<Frame> outer,
                        const Stmt* body) {
  Frame frame;
  frame.function = &callee, frame.self = self, frame.outer = std::move(outer);
  if (frame.outer && !frame.self.known()) frame.self = frame.outer->self;
  frame.by_reference = callee.getReturnType()->isReferenceType();
  for (unsigned i = 0; i < callee.getNumParams(); ++i) {
    const ParmVarDecl* parameter = callee.getParamDecl(i);
    if (i >= given.size())
      frame.variables[parameter] = temporary(open_object(parameter->getType(), "it is not given here"));
    else
      frame.variables[parameter] = given[i].reference ? given[i].where : temporary(std::move(given[i].value));
  }
  Frame* caller = std::exchange(frame_, &frame);
  auto breaks = std::exchange(breaks_, {});
  auto continues = std::exchange(continues_, {});
  ++calls_deep_;
  run(body ? body : callee.getBody());
  --calls_deep_;
  breaks_ = std::move(breaks), continues_ = std::move(continues);
  frame_ = caller;
  Val out = unset();
  State after = state_.live ? state_ : State{};
  after.live = state_.live;
  bool first = true;
  if (after.live && !callee.getReturnType()->isVoidType()) out = unknown("it may return without a value"), first = false;
  for (auto& [returned, state] : frame.returns) {
    out = first ? std::move(returned) : join(out, returned);
    after = join(std::move(after), std::move(state));
    first = false;
  }
  state_ = std::move(after);
  return out;
}

void Interpreter::run_constructor(const CXXConstructorDecl& constructor, const Where& self, std::vector<Argument> given) {
  Frame frame;
  frame.function = &constructor, frame.self = self;
  for (unsigned i = 0; i < constructor.getNumParams() && i < given.size(); ++i)
    frame.variables[constructor.getParamDecl(i)] = given[i].reference ? given[i].where : temporary(std::move(given[i].value));
  Frame* caller = std::exchange(frame_, &frame);
  auto breaks = std::exchange(breaks_, {});
  auto continues = std::exchange(continues_, {});
  ++calls_deep_;
  // A constructor is as deep in loops as its object is new.
  const int loops = std::exchange(loop_depth_, cell_depth_[self.cell]);
  bool delegated = false;
  for (const CXXCtorInitializer* init : constructor.inits()) {
    if (init->isAnyMemberInitializer() && init->getMember() && init->getMember()->getIdentifier()) {
      const FieldDecl& field = *init->getMember();
      Val inner = isa<CXXDefaultInitExpr>(init->getInit())      ? default_member(field)
                  : isa<ImplicitValueInitExpr>(init->getInit()) ? fresh(field.getType(), true)
                  : field.getType()->isReferenceType()          ? pointer(place(init->getInit()))
                                                                : used_at(fitted(value(init->getInit()), field), init->getInit());
      store(self.in(field.getNameAsString()), std::move(inner));
    } else if (init->isBaseInitializer() || init->isDelegatingInitializer()) {
      delegated |= init->isDelegatingInitializer();
      Val inner = value(init->getInit());
      Val& object = state_.cells[self.cell];
      if (inner.kind == Val::Kind::Object && !inner.open) {
        for (auto& [name, member] : inner.members) object.members[name] = std::move(member);
        for (auto& [name, member] : inner.canonical) object.canonical[name] = std::move(member);
      } else {
        object.open = true;
      }
    }
  }
  if (!delegated)
    for (const FieldDecl* field : constructor.getParent()->fields())
      if (field->getIdentifier() && !state_.cells[self.cell].members.contains(field->getNameAsString()))
        store(self.in(field->getNameAsString()), field->hasInClassInitializer() ? default_member(*field) : fresh(field->getType(), false));
  run(constructor.getBody());
  loop_depth_ = loops;
  --calls_deep_;
  breaks_ = std::move(breaks), continues_ = std::move(continues);
  frame_ = caller;
  for (auto& [returned, state] : frame.returns) state_ = join(std::move(state_), std::move(state));
  if (!state_.live) state_.live = true, havoc(self, "its constructor does not end");
}

// Nobody sees inside: whatever it can reach may be another value afterwards, and again whenever something like it is called.
Val Interpreter::opaque(const FunctionDecl* callee, const Where* self, std::vector<Argument>& given, QualType result) {
  const bool system = callee && sources_.isInSystemHeader(callee->getLocation());
  const std::string name = callee ? callee->getNameAsString() : "a function";
  const std::string why = name + " may write it";
  for (unsigned i = 0; i < given.size(); ++i) {
    const Argument& one = given[i];
    const bool named = callee && i < callee->getNumParams();
    const QualType type = named ? callee->getParamDecl(i)->getType() : one.expression ? one.expression->getType() : QualType();
    const Val held = one.reference ? load(one.where) : one.value;
    if (one.reference && writable(type)) {
      if (type->isRValueReferenceType())
        for (Made& made : made_)
          if (made.where == one.where && !made.moved) made.moved = held;
      havoc(one.where, why);
      if (!system || name == "ref" || name == "async" || name == "bind") escape(one.where);
    }
    // What it leads to is in reach too; a pointer to something constant is only looked through.
    const bool pointer = held.kind == Val::Kind::Pointer;
    if (pointer && !one.reference && !type.isNull() && type->isPointerType() && !writable(type)) continue;
    if (pointer && system && !one.reference) {
      havoc(held.target, why);
      continue;
    }
    reach(held, why);
  }
  if (self) {
    reach(load(*self), why);
    const auto* method = dyn_cast_or_null<CXXMethodDecl>(callee);
    if (!method || !method->isConst()) {
      havoc(*self, why);
      if (!system) escape(*self);
    }
  }
  if (!system) outside();
  if (result->isReferenceType() || result->isPointerType()) {
    Val target = open_object(result->isReferenceType() ? result.getNonReferenceType() : result->getPointeeType(), "it lives elsewhere");
    if (target.kind != Val::Kind::Object)
      return result->isReferenceType() ? pointer(temporary(std::move(target))) : unknown("it lives elsewhere");
    target.shared = true;
    const Where where = temporary(std::move(target));
    escape(where);
    return pointer(where);
  }
  return open_object(result, result->isVoidType() ? "" : name + " gives it when the program runs");
}

// ---- the standard library

std::optional<Val> Interpreter::standard(const CallExpr& e, const FunctionDecl& callee) {
  if (!callee.isInStdNamespace() || !callee.getIdentifier()) return std::nullopt;
  const llvm::StringRef name = callee.getName();
  const unsigned count = e.getNumArgs();
  if ((name == "move" || name == "forward" || name == "as_const") && count == 1) return pointer(place(e.getArg(0)));
  if (name == "addressof" && count == 1) return pointer(place(e.getArg(0)));
  if (name == "make_optional" && count == 1) return value(e.getArg(0));
  if (name == "make_pair" && count == 2) {
    Val out;
    out.kind = Val::Kind::Object, out.record = e.getType()->getAsCXXRecordDecl();
    out.members["first"] = value(e.getArg(0)), out.members["second"] = value(e.getArg(1));
    return out;
  }
  if (name == "make_unique" || name == "make_shared") {
    const CXXRecordDecl* holder = e.getType()->getAsCXXRecordDecl();
    const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(holder);
    if (!special || special->getTemplateArgs().size() == 0 || special->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
      return std::nullopt;
    const QualType made = special->getTemplateArgs()[0].getAsType();
    const CXXRecordDecl* record = made->getAsCXXRecordDecl();
    if (count == 0 && record && !record->hasUserProvidedDefaultConstructor()) return pointer(temporary(fresh(made, true)));
    if (count == 1 && record && e.getArg(0)->getType()->getAsCXXRecordDecl() == record) {
      Val copy = value(e.getArg(0));
      return pointer(temporary(std::move(copy)));
    }
    for (const Expr* argument : e.arguments()) value(argument);
    return pointer(temporary(open_object(made, "its constructor is not followed")));
  }
  if ((name == "max" || name == "min") && count == 2) {
    const Val a = value(e.getArg(0)), b = value(e.getArg(1));
    if (a.is_number() && b.is_number()) return pointer(temporary(rests_on((a.integer < b.integer) == (name == "min") ? a : b, a, b)));
  }
  if (name == "ref" && count == 1) {
    const Where where = place(e.getArg(0));
    havoc(where, "others hold a reference to it"), escape(where);
    return unknown("others hold a reference to it");
  }
  return std::nullopt;
}

std::optional<Val> Interpreter::standard_method(const CallExpr& e, const CXXMethodDecl& method, const Where& self, llvm::StringRef type,
                                                llvm::ArrayRef<const Expr*> arguments) {
  const bool reference = method.getReturnType()->isReferenceType();
  const std::string name = method.getNameAsString();
  const Val now = load(self);
  if (type == "optional") {
    if (name == "emplace" && arguments.size() == 1) {
      store(self, used_at(value(arguments[0]), arguments[0]));
      return pointer(self);
    }
    if (name == "reset") {
      store(self, placed(unset(), &e, false));
      return unset();
    }
    if (name == "operator=" && arguments.size() == 1) {
      store(self, used_at(value(arguments[0]), arguments[0]));
      return pointer(self);
    }
    if (name == "value" || name == "operator*" || name == "operator->") {
      if (now.kind == Val::Kind::Unset) return unknown("it is empty");
      return reference || name == "operator->" ? pointer(self) : now;
    }
    if (name == "value_or" && arguments.size() == 1) {
      const Val otherwise = value(arguments[0]);
      return now.kind == Val::Kind::Unset ? otherwise : now;
    }
    if (name == "has_value" || isa<CXXConversionDecl>(method)) return now.known() ? boolean(now.kind != Val::Kind::Unset) : now;
    return std::nullopt;
  }
  if (type == "unique_ptr" || type == "shared_ptr") {
    if (name == "get" || name == "operator->") return now;
    if (name == "operator*" && now.kind == Val::Kind::Pointer) return now;
    return std::nullopt;
  }
  if (type == "initializer_list" || type == "vector" || type == "array") {
    if (name == "push_back" && arguments.size() == 1 && now.kind == Val::Kind::List) {
      Val longer = now;
      longer.items.push_back(used_at(value(arguments[0]), arguments[0]));
      store(self, std::move(longer));
      return unset();
    }
    if ((name == "size" || name == "empty") && now.kind == Val::Kind::List)
      return name == "size" ? integer(static_cast<std::int64_t>(now.items.size())) : boolean(now.items.empty());
    if ((name == "operator[]" || name == "at") && arguments.size() == 1 && now.kind == Val::Kind::List && method.isConst()) {
      const Val index = value(arguments[0]);
      if (decides(index) && index.integer >= 0 && index.integer < static_cast<std::int64_t>(now.items.size()))
        return pointer(temporary(now.items[static_cast<std::size_t>(index.integer)]));
    }
    return std::nullopt;
  }
  if (type == "map" || type == "unordered_map") {
    if (now.kind != Val::Kind::Object || !now.keyed) return std::nullopt;
    const auto pair = [&](const Val& one) -> std::pair<std::string, Val> {
      const auto first = one.members.find("first"), second = one.members.find("second");
      if (first == one.members.end() || second == one.members.end()) return {};
      return {key_of(first->second), second->second};
    };
    if ((name == "operator[]" || name == "at") && arguments.size() == 1) {
      const std::string key = key_of(value(arguments[0]));
      if (key.empty()) {
        if (method.isConst()) return pointer(temporary(unknown("which entry is meant is decided when the program runs")));
        havoc(self, "an entry that is not certain may be written");
        return pointer(temporary(unknown("which entry is meant is decided when the program runs")));
      }
      if (!now.members.contains(key) && !now.open && name == "operator[]")
        store(self.in(key), fresh(method.getReturnType().getNonReferenceType(), true));
      return pointer(self.in(key));
    }
    if (name == "insert_or_assign" && arguments.size() == 2) {
      const std::string key = key_of(value(arguments[0]));
      Val to = used_at(value(arguments[1]), arguments[1]);
      if (key.empty())
        havoc(self, "an entry that is not certain is written");
      else
        store(self.in(key), std::move(to));
      return unknown("an iterator");
    }
    if ((name == "insert" && arguments.size() == 1) || ((name == "emplace" || name == "try_emplace") && arguments.size() == 2)) {
      auto [key, to] = name == "insert" ? pair(value(arguments[0])) : std::pair(key_of(value(arguments[0])), value(arguments[1]));
      if (key.empty() || now.open)
        havoc(self, "an entry that is not certain is written");
      else if (!now.members.contains(key))
        store(self.in(key), std::move(to));
      return unknown("an iterator");
    }
    if (name == "size" || name == "contains" || name == "count" || name == "find" || name == "empty")
      return unknown("it is not worked out");
    return std::nullopt;
  }
  return std::nullopt;
}

// ---- calls

Val Interpreter::call(const CallExpr& e) {
  if (!steps_left() || calls_deep_ > 24) {
    exhausted_ = true;
    return unknown("the program is too large to follow");
  }
  if (const auto* method = dyn_cast<CXXMemberCallExpr>(&e)) return call_method(*method);
  if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(&e)) return call_operator(*operation);
  const FunctionDecl* callee = e.getDirectCallee();
  std::vector<const Expr*> expressions(e.arg_begin(), e.arg_end());
  if (!callee) {
    std::vector<Argument> given;
    const Val target = value(e.getCallee());
    (void)target;
    for (const Expr* argument : expressions) {
      Argument one;
      one.expression = argument;
      one.reference = argument->isGLValue();
      if (one.reference)
        one.where = place(argument), havoc(one.where, "an unknown function may write it"), escape(one.where);
      else
        one.value = value(argument);
      given.push_back(std::move(one));
    }
    return opaque(nullptr, nullptr, given, e.getCallReturnType(context_));
  }
  if (std::optional<Val> known = standard(e, *callee)) return *known;
  if (std::optional<Val> read = flag_read(*callee, e)) return *read;
  std::vector<Argument> given = arguments(*callee, expressions);
  note_call(*callee, given, e);
  const CXXRecordDecl* made = callee->getReturnType().getNonReferenceType()->getAsCXXRecordDecl();
  if (const TypeRow* row = made ? row_of(made) : nullptr; row && !callee->getReturnType()->isReferenceType())
    if (const CallRow* factory = matching(row->factories, *callee, true)) {
      Val object = open_object(callee->getReturnType(), callee->getNameAsString() + " gives it when the program runs");
      const Where where = temporary(placed(std::move(object), &e, false));
      std::vector<Reading> readings = readings_of(*factory, *callee, given);
      std::vector<Argument> after = given;
      opaque(callee, nullptr, after, context_.VoidTy);
      for (Reading& reading : readings) state_.cells[where.cell].canonical[reading.target->is] = std::move(reading.value);
      for (const auto& [name, word] : factory->always) {
        Val fixed = unknown("the program works it out when it runs");
        if (const auto* number = std::get_if<std::int64_t>(&word)) fixed = integer(*number);
        fixed.origin = placed(Val(), &e, false).origin, fixed.origin.literal = false;
        state_.cells[where.cell].canonical[name] = std::move(fixed);
      }
      return state_.cells[where.cell];
    }
  if (const FunctionDecl* body = body_of(*callee)) return invoke(*body, {}, std::move(given));
  return opaque(callee, nullptr, given, callee->getReturnType());
}

Val Interpreter::call_method(const CXXMemberCallExpr& e) {
  const CXXMethodDecl* method = e.getMethodDecl();
  const Expr* object = e.getImplicitObjectArgument();
  std::vector<const Expr*> expressions(e.arg_begin(), e.arg_end());
  if (!method || !object) {
    for (const Expr* argument : expressions) value(argument);
    outside();
    return unknown("a member pointer decides what is called");
  }
  Where self;
  if (object->getType()->isPointerType()) {
    const Val target = value(object);
    if (target.kind == Val::Kind::Pointer) self = target.target;
  } else {
    self = place(object);
  }
  const CXXRecordDecl* record = method->getParent();
  if (const llvm::StringRef type = standard_class(record); !type.empty()) {
    if (std::optional<Val> known = standard_method(e, *method, self, type, expressions)) return *known;
    std::vector<Argument> given = arguments(*method, expressions);
    return opaque(method, &self, given, method->getReturnType());
  }
  const Val* now = state_.find(self);
  const CXXRecordDecl* exact = now && now->record ? now->record : record;
  const TypeRow* row = row_of(exact);
  if (!row) row = row_of(record);
  const std::string name = method->getNameAsString();
  const auto result = [&](const Where& where) -> Val {
    const QualType type = method->getReturnType();
    if (type->isReferenceType() || type->isPointerType()) return pointer(where);
    if (type->isVoidType()) return unset();
    return load(where);
  };
  if (row)
    for (const TypeRow& one : bindings_.types) {
      // Rows are written behind the type that they follow, builder or plan.
      if (&one != row) continue;
      for (const MethodRow& bound : one.methods) {
        if (bound.name != name || expressions.size() <= bound.arg) continue;
        std::vector<Argument> given = arguments(*method, expressions);
        const Argument& argument = given[bound.arg];
        Val to = used_at(argument.reference ? load(argument.where) : argument.value, expressions[bound.arg]);
        const bool copies = method->isConst() || (!method->getReturnType()->isReferenceType() &&
                                                  !method->getReturnType()->isPointerType() && !method->getReturnType()->isVoidType());
        const Where target = copies ? temporary(load(self)) : self;
        write(target, one, bound.target, std::move(to));
        return result(target);
      }
    }
  // Messages, as message compilers write them, and whatever is reached through one.
  const bool message = (row && row->accessors == Accessors::Message) ||
                       (now && now->keyed && !now->members.contains("first") && !standard_class(record).empty());
  const bool nested_message = !row && self.known() && [&] {
    for (std::size_t i = 0; i <= self.path.size(); ++i) {
      const Val* holder = state_.find({self.cell, {self.path.begin(), self.path.begin() + static_cast<std::ptrdiff_t>(i)}});
      const TypeRow* owner = holder ? row_of(holder->record) : nullptr;
      if (owner && owner->accessors == Accessors::Message) return true;
    }
    return false;
  }();
  if (message || nested_message) {
    const llvm::StringRef word = name;
    if (word.starts_with("set_") && expressions.size() == 1) {
      store(self.in(word.drop_front(4).str()), used_at(value(expressions[0]), expressions[0]));
      return unset();
    }
    if (word.starts_with("mutable_") && expressions.empty()) {
      const Where inner = self.in(word.drop_front(8).str());
      if (!state_.find(inner)) store(inner, open_object(method->getReturnType()->getPointeeType(), "nobody has set it here"));
      return pointer(inner);
    }
    if (word.starts_with("add_")) {
      for (const Expr* argument : expressions) value(argument);
      havoc(self.in(word.drop_front(4).str()), "it is a list");
      return method->getReturnType()->isVoidType() ? unset() : unknown("one of several items");
    }
    if (word.starts_with("clear_") && expressions.empty()) {
      havoc(self.in(word.drop_front(6).str()), "it is cleared");
      return unset();
    }
    if (method->isConst() && expressions.empty()) {
      const Where inner = self.in(name);
      return method->getReturnType()->isReferenceType() ? pointer(inner) : load(inner);
    }
  }
  const FunctionDecl* body = body_of(*method);
  const bool dispatched =
      method->isVirtual() && !method->hasAttr<FinalAttr>() && !(now && now->record && !now->shared && now->kind == Val::Kind::Object);
  if (row && row->role == Role::Builder && name == row->finish && (!body || dispatched)) {
    Val finished = load(self);
    Val out = row->fields_through.empty() ? unknown("its builder is not in sight") : read(finished, *row, Target{}, row->fields_through);
    if (out.kind != Val::Kind::Object) out = open_object(method->getReturnType(), out.text);
    out.canonical.insert(finished.canonical.begin(), finished.canonical.end());
    return placed(std::move(out), &e, false);
  }
  if (row && row->accessors == Accessors::SameName && (!body || dispatched)) {
    for (const auto& [member, target] : row->fields) {
      if (member != name && member != name + "_" && member != "m_" + name) continue;
      if (expressions.size() == 1) {
        store(self.in(member), used_at(value(expressions[0]), expressions[0]));
        return result(self);
      }
      if (expressions.empty()) return method->getReturnType()->isReferenceType() ? pointer(self.in(member)) : load(self.in(member));
    }
  }
  std::vector<Argument> given = arguments(*method, expressions);
  note_call(*method, given, e);
  // A named constructor called through an object.
  if (body && !dispatched) {
    Val finished = load(self);
    Val out = invoke(*body, self, std::move(given));
    if (row && row->role == Role::Builder && name == row->finish && out.kind == Val::Kind::Object)
      out.canonical.insert(finished.canonical.begin(), finished.canonical.end());
    return out;
  }
  return opaque(method, &self, given, method->getReturnType());
}

Val Interpreter::call_operator(const CXXOperatorCallExpr& e) {
  const FunctionDecl* callee = e.getDirectCallee();
  std::vector<const Expr*> expressions(e.arg_begin(), e.arg_end());
  if (!callee) {
    for (const Expr* argument : expressions)
      argument->isGLValue() ? havoc(place(argument), "an unknown operator may write it") : void(value(argument));
    return unknown("it is not followed");
  }
  const auto* method = dyn_cast<CXXMethodDecl>(callee);
  if (method && !expressions.empty() && !method->isStatic()) {
    const Where self = place(expressions[0]);
    const llvm::ArrayRef<const Expr*> rest = llvm::ArrayRef(expressions).drop_front();
    if (const llvm::StringRef type = standard_class(method->getParent()); !type.empty()) {
      if (e.getOperator() == OO_Equal && type != "optional" && rest.size() == 1) {
        Val to = value(rest[0]);
        if (to.kind == Val::Kind::List && (type == "map" || type == "unordered_map")) to = keyed(to);
        store(self, used_at(std::move(to), rest[0]));
        return pointer(self);
      }
      if (std::optional<Val> known = standard_method(e, *method, self, type, rest)) return *known;
      std::vector<Argument> given = arguments(*method, rest);
      return opaque(method, &self, given, method->getReturnType());
    }
    if (e.getOperator() == OO_Call) {
      const Val function = load(self);
      if (function.kind == Val::Kind::Lambda) {
        const CXXMethodDecl* body = function.lambda->getCallOperator();
        if (method->isTemplateInstantiation() || body->getDescribedFunctionTemplate()) body = method;
        if (!jumps(function.lambda->getBody()) && body->getBody())
          return invoke(*body, {}, arguments(*body, rest), function.captured, body->getBody());
      }
    }
    const bool assigns = method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator();
    if (assigns && !method->isUserProvided() && rest.size() == 1) {
      Val to = value(rest[0]);
      to.shared = false;
      store(self, std::move(to));
      return pointer(self);
    }
    std::vector<Argument> given = arguments(*method, rest);
    if (const FunctionDecl* body = body_of(*method); body && !method->isVirtual()) return invoke(*body, self, std::move(given));
    return opaque(method, &self, given, method->getReturnType());
  }
  // Equality of optionals and texts tells nothing that is needed here, and writes nothing.
  std::vector<Argument> given = arguments(*callee, expressions);
  if (const FunctionDecl* body = body_of(*callee)) return invoke(*body, {}, std::move(given));
  return opaque(callee, nullptr, given, callee->getReturnType());
}

// A call that a binding names: its arguments are a plan, or hold one.
void Interpreter::note_call(const FunctionDecl& callee, const std::vector<Argument>& given, const CallExpr& e) {
  if (quiet_ || !frame_ || !frame_->top || !in_main_file(e.getBeginLoc())) return;
  const std::string name = qualified(callee);
  for (const CallRow& row : bindings_.functions)
    if (row.name == name) {
      if (matching({row}, callee, true) == nullptr) continue;
      FoundPlan part;
      part.role = "function", part.path = row.path, part.place = e.getSourceRange();
      part.name = row.plan;
      part.readings = readings_of(row, callee, given);
      for (const auto& [canonical, word] : row.always) {
        static std::map<std::string, Target> targets;
        Target& target = targets[canonical];
        target.is = canonical, target.path = row.path;
        Val fixed = unknown("the program works it out when it runs");
        if (const auto* number = std::get_if<std::int64_t>(&word)) fixed = integer(*number);
        part.readings.push_back({canonical, &target, std::move(fixed)});
      }
      parts_.push_back(std::move(part));
    }
  const auto argument = [&](unsigned i) -> Val {
    if (i >= given.size()) return unknown("");
    return given[i].reference ? load(given[i].where) : given[i].value;
  };
  for (const TextRow& row : bindings_.texts) {
    if (row.sink != name || row.arg >= given.size()) continue;
    FoundPlan plan;
    plan.role = "text", plan.path = row.path, plan.place = e.getSourceRange(), plan.text = argument(row.arg);
    if (plan.text.kind != Val::Kind::Str || !plan.text.origin.literal) continue;
    plan.name = plan.text.origin.constant ? qualified(*plan.text.origin.constant)
                : frame_->function        ? frame_->function->getNameAsString()
                                          : "";
    plans.push_back(std::move(plan));
  }
  for (const StringMapRow& row : bindings_.string_maps) {
    if (row.sinks.empty() || row.sinks[0] != name || row.arg >= given.size()) continue;
    // What another bound function returns is a plan of that function.
    const Expr* from = given[row.arg].expression ? given[row.arg].expression->IgnoreImplicit() : nullptr;
    if (const auto* inner = dyn_cast_or_null<CallExpr>(from))
      if (const FunctionDecl* source = inner->getDirectCallee())
        if (std::find(row.sinks.begin() + 1, row.sinks.end(), qualified(*source)) != row.sinks.end()) continue;
    FoundPlan plan;
    plan.role = "map", plan.path = row.path, plan.place = e.getSourceRange();
    plan.name = frame_->function ? frame_->function->getNameAsString() : "";
    const Val map = argument(row.arg);
    for (const auto& [key, target] : row.keys) {
      const auto entry = map.members.find(key);
      plan.readings.push_back(
          {key, &target, entry == map.members.end() ? unknown(map.known() ? "the map does not have it" : map.text) : entry->second});
    }
    plans.push_back(std::move(plan));
  }
}

}  // namespace shardlint::cxx
