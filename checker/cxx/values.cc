// Expressions: what they are worth, and which place they name.
#include <clang/AST/APValue.h>
#include <clang/AST/RecordLayout.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include "checker/cxx/interpreter.h"

namespace shardlint::cxx {

using namespace clang;

namespace {

constexpr std::size_t kMaxItems = 4096;

const CXXRecordDecl* record_of(QualType type) {
  const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record ? record->getCanonicalDecl() : nullptr;
}

// "optional" for std::optional<T>; empty for what is not of the standard library.
llvm::StringRef standard_name(const CXXRecordDecl* record) {
  return record && record->isInStdNamespace() && record->getIdentifier() ? record->getName() : llvm::StringRef();
}

bool is_map(llvm::StringRef name) { return name == "map" || name == "unordered_map" || name == "multimap"; }
bool is_list(llvm::StringRef name) { return name == "vector" || name == "array" || name == "initializer_list" || name == "deque"; }
bool is_text(llvm::StringRef name) { return name == "basic_string" || name == "basic_string_view"; }
bool is_pointer_class(llvm::StringRef name) { return name == "unique_ptr" || name == "shared_ptr"; }

const Expr* bare(const Expr* e) {
  while (true) {
    const Expr* inner = e->IgnoreParens();
    if (const auto* cleanups = dyn_cast<ExprWithCleanups>(inner))
      inner = cleanups->getSubExpr();
    else if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (const auto* substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(inner))
      inner = substituted->getReplacement();
    if (inner == e) return e;
    e = inner;
  }
}

}  // namespace

std::string qualified(const NamedDecl& declaration) {
  std::string out = declaration.getNameAsString();
  for (const DeclContext* context = declaration.getDeclContext(); context; context = context->getParent()) {
    if (const auto* space = dyn_cast<NamespaceDecl>(context)) {
      if (!space->isAnonymousNamespace() && !space->isInline()) out = space->getNameAsString() + "::" + out;
    } else if (const auto* record = dyn_cast<TagDecl>(context)) {
      const auto* enumeration = dyn_cast<EnumDecl>(record);
      if (!enumeration || enumeration->isScoped()) out = record->getNameAsString() + "::" + out;
    }
  }
  return out;
}

// ---- memory

int Interpreter::cell(Val value) {
  const int id = next_cell_++;
  cell_depth_[id] = loop_depth_;
  state_.cells[id] = std::move(value);
  return id;
}

Where Interpreter::temporary(Val value) { return {cell(std::move(value)), {}}; }

Val Interpreter::load(const Where& where) const {
  if (where.cell <= -2) {
    const Val* at = &fixed_[static_cast<std::size_t>(-2 - where.cell)];
    for (const std::string& member : where.path) {
      const auto inner = at->members.find(member);
      if (inner == at->members.end()) return unknown(at->known() ? "nobody says" : at->text);
      at = &inner->second;
    }
    return *at;
  }
  if (!where.known()) return unknown("what it refers to is not certain");
  if (const Val* found = state_.find(where)) return *found;
  // A member of something that is not known, or that nobody has written.
  Where outer = where;
  while (!outer.path.empty()) {
    outer.path.pop_back();
    if (const Val* found = state_.find(outer)) return unknown(found->known() ? "nobody has set it here" : found->text);
  }
  return unknown("it is not known here");
}

void Interpreter::store(const Where& where, Val value) {
  if (where.cell <= -2) return;
  if (!where.known()) {
    for (const Where& one : std::vector<Where>(state_.escaped)) havoc(one, "something unknown is written through a pointer");
    for (const Where& one : std::vector<Where>(taken_)) havoc(one, "something unknown is written through a pointer");
    reach(value, "others hold a reference to it");
    return;
  }
  if (const Val* root = state_.find({where.cell, {}}); root && root->shared) reach(value, "others hold a reference to it");
  if (loop_depth_ > cell_depth_[where.cell]) {
    Val lost = unknown("it is assigned in a loop");
    lost.record = value.record, lost.origin = value.origin;
    value = std::move(lost);
  }
  Val* at = &state_.cells[where.cell];
  for (const std::string& member : where.path) {
    if (at->kind != Val::Kind::Object) {
      const std::string why = at->text;
      const CXXRecordDecl* record = at->record;
      Val object;
      object.kind = Val::Kind::Object, object.record = record, object.open = true, object.text = why;
      *at = std::move(object);
    }
    const auto [inner, fresh] = at->members.try_emplace(member);
    if (fresh) inner->second = unknown(at->text.empty() ? "nobody has set it here" : at->text);
    at = &inner->second;
  }
  *at = std::move(value);
}

void Interpreter::havoc(const Where& where, const std::string& why) {
  if (!where.known()) return;
  const Val* now = state_.find(where);
  Val lost = unknown(why);
  if (now) lost.record = now->record;
  const int depth = std::exchange(loop_depth_, 0);
  store(where, std::move(lost));
  loop_depth_ = depth;
}

void Interpreter::escape(const Where& where) {
  if (where.known() && std::find(state_.escaped.begin(), state_.escaped.end(), where) == state_.escaped.end())
    state_.escaped.push_back(where);
}

void Interpreter::reach(const Val& value, const std::string& why, int depth) {
  if (depth > 8) return;
  if (value.kind == Val::Kind::Pointer) {
    const Val target = load(value.target);
    havoc(value.target, why), escape(value.target);
    reach(target, why, depth + 1);
  }
  if (value.kind == Val::Kind::Lambda && value.captured)
    for (const auto& [captured, where] : std::map(value.captured->variables)) havoc(where, why), escape(where);
  for (const auto& [name, member] : value.members) reach(member, why, depth + 1);
  for (const Val& item : value.items) reach(item, why, depth + 1);
}

void Interpreter::outside() {
  for (const Where& where : std::vector<Where>(state_.escaped)) havoc(where, "others hold a reference to it");
}

const Where* Interpreter::variable(const ValueDecl* declaration) const {
  for (const Frame* frame = frame_; frame; frame = frame->outer.get())
    if (const auto found = frame->variables.find(declaration); found != frame->variables.end()) return &found->second;
  return nullptr;
}

Val Interpreter::pointer(Where where) const {
  Val out;
  out.kind = Val::Kind::Pointer, out.target = std::move(where);
  return out;
}

Val Interpreter::open_object(QualType type, std::string why) const {
  Val out = unknown(std::move(why));
  if (type.isNull()) return out;
  out.record = record_of(type);
  if (!out.record || !standard_name(out.record).empty()) return out;
  out.kind = Val::Kind::Object, out.open = true;
  return out;
}

Val Interpreter::placed(Val value, const Expr* e, bool literal) {
  value.origin.spelled = value.origin.used = e->getSourceRange();
  value.origin.literal = literal;
  return value;
}

Val Interpreter::used_at(Val value, const Expr* e) const {
  const Expr* inner = e->IgnoreParenImpCasts();
  if (const auto* explicitly = dyn_cast<ExplicitCastExpr>(inner)) inner = explicitly->getSubExpr()->IgnoreParenImpCasts();
  const auto* reference = dyn_cast<DeclRefExpr>(inner);
  if (reference && isa<ParmVarDecl>(reference->getDecl())) return value;  // where the caller gave it
  if (e->getBeginLoc().isValid() && in_main_file(e->getBeginLoc()) && value.origin.from == From::Code)
    value.origin.used = e->getSourceRange();
  return value;
}

// ---- constants

Val Interpreter::number(std::int64_t value, QualType type) const {
  type = type.getNonReferenceType().getCanonicalType();
  if (type->isBooleanType()) return boolean(value != 0);
  Val out = integer(value);
  if (const auto* enumeration = type->getAs<EnumType>()) {
    for (const EnumConstantDecl* one : enumeration->getDecl()->enumerators())
      if (one->getInitVal().isRepresentableByInt64() && one->getInitVal().getExtValue() == value && !out.enumerator) out.enumerator = one;
    if (out.enumerator) out.kind = Val::Kind::Enum;
  }
  return out;
}

Val Interpreter::from(const APValue& value, QualType type) const {
  switch (value.getKind()) {
    case APValue::Int:
      return value.getInt().isRepresentableByInt64() ? number(value.getInt().getExtValue(), type) : unknown("the number is too large");
    case APValue::Float: {
      Val out;
      out.kind = Val::Kind::Real, out.real = value.getFloat().convertToDouble();
      return out;
    }
    case APValue::Struct: {
      const CXXRecordDecl* record = record_of(type);
      if (!record || !record->getDefinition()) break;
      record = record->getDefinition();
      if (!standard_name(record).empty()) break;
      Val out;
      out.kind = Val::Kind::Object, out.record = record->getCanonicalDecl();
      for (unsigned i = 0; i < value.getStructNumBases(); ++i) {
        const auto base = std::next(record->bases_begin(), i);
        const Val inner = from(value.getStructBase(i), base->getType());
        out.members.insert(inner.members.begin(), inner.members.end());
        out.open |= inner.open || inner.kind != Val::Kind::Object;
      }
      for (const FieldDecl* field : record->fields())
        if (!field->isUnnamedBitField() && field->getFieldIndex() < value.getStructNumFields())
          out.members[field->getNameAsString()] = from(value.getStructField(field->getFieldIndex()), field->getType());
      return out;
    }
    case APValue::LValue:
      if (const auto base = value.getLValueBase(); base && value.getLValueOffset().isZero())
        if (const auto* e = base.dyn_cast<const Expr*>())
          if (const auto* literal = dyn_cast<StringLiteral>(e); literal && literal->getCharByteWidth() == 1)
            return string(literal->getString().str());
      break;
    default: break;
  }
  Val out = unknown("its value is not worked out");
  out.record = record_of(type);
  return out;
}

Val Interpreter::constant(const Expr* e) const {
  if (e->isValueDependent() || e->isTypeDependent() || e->containsErrors()) return unknown("it depends on what is not known here");
  if (!e->isPRValue() || !(e->getType()->isArithmeticType() || e->getType()->isEnumeralType()))
    return unknown("its value is not worked out");
  Expr::EvalResult result;
  if (!e->EvaluateAsRValue(result, context_) || result.HasSideEffects || result.HasUndefinedBehavior)
    return unknown("it is decided when the program runs");
  return placed(from(result.Val, e->getType()), e, false);
}

// What does not fit is not what was written.
Val Interpreter::fitted(Val value, QualType type, unsigned bits) const {
  const std::string written_type = type.getNonReferenceType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
  type = type.getNonReferenceType().getCanonicalType();
  if (!value.is_number() && value.kind != Val::Kind::Real) return value;
  const Origin origin = value.origin;
  if (type->isBooleanType()) {
    Val out = boolean(value.kind == Val::Kind::Real ? value.real != 0 : value.integer != 0);
    out.origin = origin;
    return out;
  }
  if (type->isIntegralOrEnumerationType()) {
    const unsigned whole = static_cast<unsigned>(context_.getIntWidth(type));
    const bool in_bits = bits != 0 && bits < whole;
    bits = std::min<unsigned>(64, in_bits ? bits : whole);
    const bool is_signed = type->isSignedIntegerOrEnumerationType();
    const auto lose = [&](const std::string& what, const std::string& becomes) {
      Val out = unknown("the number does not fit its type");
      out.origin = origin;
      const llvm::APSInt low = llvm::APSInt::getMinValue(bits, !is_signed), high = llvm::APSInt::getMaxValue(bits, !is_signed);
      const bool cut = what.find('.') != std::string::npos;
      out.narrowed = what + ", which does not fit " + written_type + (in_bits ? " of " + std::to_string(bits) + " bits" : "") + " (" +
                     (cut ? "whole numbers" : llvm::toString(low, 10) + " to " + llvm::toString(high, 10)) + "): it becomes " + becomes;
      return out;
    };
    if (value.kind == Val::Kind::Real) {
      if (!(value.real <= 9e15 && value.real >= -9e15)) return unknown("the number does not fit its type");
      const auto cut = static_cast<std::int64_t>(value.real);
      if (value.real != static_cast<double>(cut)) return lose(llvm::formatv("{0:F1}", value.real).str(), std::to_string(cut));
      value.integer = cut;
    }
    const std::int64_t low = !is_signed ? 0 : bits == 64 ? INT64_MIN : -(std::int64_t{1} << (bits - 1));
    const std::int64_t high = bits == 64 ? INT64_MAX : (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    if (value.integer < low || value.integer > high) {
      llvm::APSInt held(llvm::APInt(64, static_cast<std::uint64_t>(value.integer), true).sextOrTrunc(bits), !is_signed);
      Val out = lose(std::to_string(value.integer), llvm::toString(held, 10));
      // All bits set is how programs write "none" in an unsigned number.
      if (value.integer == -1) out.narrowed.clear();
      return out;
    }
    if (value.kind == Val::Kind::Enum && type->isEnumeralType()) return value;
    Val out = number(value.integer, type);
    out.origin = origin;
    return out;
  }
  if (type->isRealFloatingType()) {
    Val out;
    out.kind = Val::Kind::Real, out.real = value.kind == Val::Kind::Real ? value.real : static_cast<double>(value.integer);
    out.origin = origin;
    return out;
  }
  return value;
}

Val Interpreter::fitted(Val value, const FieldDecl& field) const {
  return fitted(std::move(value), field.getType(), field.isBitField() ? field.getBitWidthValue(context_) : 0);
}

// A variable outside every function: constants alone keep what they were given.
Val Interpreter::global(const VarDecl* variable) {
  variable = variable->getDefinition() ? variable->getDefinition() : variable;
  QualType type = variable->getType().getNonReferenceType();
  if (type.isVolatileQualified()) return unknown("it is volatile");
  if (variable->isInvalidDecl()) return unknown("its declaration has errors");
  const bool own = !variable->isExternallyVisible() && in_main_file(variable->getLocation()) && !survey_.written.contains(variable);
  if (!(type.isConstQualified() || variable->isConstexpr() || own)) {
    Val out = flag(variable);
    out.record = record_of(type);
    return out;
  }
  if (const auto known = globals_.find(variable); known != globals_.end()) return load(known->second);
  if (!in_progress_.insert(variable).second) return unknown("it is defined by itself");
  Val out = unknown("it is defined elsewhere");
  out.record = record_of(type);
  const VarDecl* holder = nullptr;
  if (const Expr* init = variable->getAnyInitializer(holder); init && !init->containsErrors() && !init->isValueDependent()) {
    State saved = std::exchange(state_, {});
    Frame* frame = std::exchange(frame_, nullptr);
    const int loops = std::exchange(loop_depth_, 0);
    out = fitted(value(init), type);
    state_ = std::move(saved), frame_ = frame, loop_depth_ = loops;
    if (out.kind == Val::Kind::Pointer && out.target.cell >= 0) out = unknown("it points to what is not followed");
    const bool scalar = type->isArithmeticType() || type->isEnumeralType();
    if ((!out.known() || out.open) && variable->isConstexpr())
      if (const APValue* result = variable->evaluateValue()) {
        Val worked_out = from(*result, type);
        if (worked_out.known()) out = placed(std::move(worked_out), init, false);
      }
    if (scalar || out.kind == Val::Kind::Str) out.origin.constant = variable;
  }
  in_progress_.erase(variable);
  fixed_.push_back(out);
  globals_[variable] = {-1 - static_cast<int>(fixed_.size()), {}};
  return out;
}

// ---- expressions

bool Interpreter::steps_left() {
  if (++steps_ > 400'000) exhausted_ = true;
  return !exhausted_;
}

Val Interpreter::value(const Expr* e) {
  if (!steps_left()) return unknown("the program is too large to follow");
  return evaluate(e);
}

Val Interpreter::evaluate(const Expr* e) {
  e = bare(e);
  if (e->containsErrors()) spoil(e);
  if (e->containsErrors() || e->isTypeDependent()) return unknown("it depends on what is not known here");
  if (standard_name(record_of(e->getType())) == "nullopt_t") return placed(unset(), e, false);
  switch (e->getStmtClass()) {
    case Stmt::IntegerLiteralClass:
    case Stmt::CXXBoolLiteralExprClass:
    case Stmt::FloatingLiteralClass:
    case Stmt::CharacterLiteralClass: return placed(constant(e), e, true);
    case Stmt::StringLiteralClass: {
      const auto& literal = *cast<StringLiteral>(e);
      return literal.getCharByteWidth() == 1 ? placed(string(literal.getString().str()), e, literal.getNumConcatenated() == 1)
                                             : unknown("wide text is not read");
    }
    case Stmt::ConstantExprClass: {
      const auto& wrapped = *cast<ConstantExpr>(e);
      if (wrapped.hasAPValueResult()) {
        Val out = from(wrapped.getAPValueResult(), e->getType());
        if (out.known()) return placed(std::move(out), wrapped.getSubExpr(), false);
      }
      return value(wrapped.getSubExpr());
    }
    case Stmt::MaterializeTemporaryExprClass: return value(cast<MaterializeTemporaryExpr>(e)->getSubExpr());
    case Stmt::CXXStdInitializerListExprClass: return value(cast<CXXStdInitializerListExpr>(e)->getSubExpr());
    case Stmt::CXXDefaultInitExprClass: return default_member(*cast<CXXDefaultInitExpr>(e)->getField());
    case Stmt::CXXDefaultArgExprClass: {
      const Expr* written = cast<CXXDefaultArgExpr>(e)->getExpr();
      Val out = value(written);
      out.origin.spelled = out.origin.used = written->getSourceRange();
      out.origin.literal = false, out.origin.constant = nullptr;
      if (!by_flag(out)) out.origin.from = From::DefaultArgument;
      return out;
    }
    case Stmt::ImplicitValueInitExprClass:
    case Stmt::CXXScalarValueInitExprClass: return placed(fresh(e->getType(), true), e, false);
    case Stmt::InitListExprClass: return list(*cast<InitListExpr>(e));
    case Stmt::CXXParenListInitExprClass: return open_object(e->getType(), "this way of initialising is not followed");
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass: return construct(*cast<CXXConstructExpr>(e));
    case Stmt::CXXInheritedCtorInitExprClass: return open_object(e->getType(), "an inherited constructor is not followed");
    case Stmt::CXXThisExprClass: return frame_ ? pointer(frame_->self) : unknown("there is no object here");
    case Stmt::LambdaExprClass: {
      Val out;
      out.kind = Val::Kind::Lambda, out.lambda = cast<LambdaExpr>(e);
      auto frame = std::make_shared<Frame>();
      if (frame_) {
        frame->self = frame_->self;
        for (const LambdaCapture& capture : out.lambda->captures()) {
          if (!capture.capturesVariable()) continue;
          const ValueDecl* captured = capture.getCapturedVar();
          if (const auto* own = dyn_cast<VarDecl>(captured); own && own->isInitCapture()) {
            frame->variables[captured] = own->getType()->isReferenceType() ? place(own->getInit()) : temporary(value(own->getInit()));
          } else if (const Where* where = variable(captured)) {
            frame->variables[captured] = capture.getCaptureKind() == LCK_ByRef ? *where : temporary(load(*where));
          }
        }
      }
      out.captured = std::move(frame);
      return out;
    }
    case Stmt::CXXNewExprClass: {
      const auto& made = *cast<CXXNewExpr>(e);
      if (made.isArray()) return unknown("an array on the heap is not followed");
      const QualType type = made.getAllocatedType();
      return pointer(temporary(made.getInitializer() ? value(made.getInitializer()) : fresh(type, false)));
    }
    case Stmt::UnaryOperatorClass: return unary(*cast<UnaryOperator>(e));
    case Stmt::BinaryOperatorClass:
    case Stmt::CompoundAssignOperatorClass: return binary(*cast<BinaryOperator>(e));
    case Stmt::CXXRewrittenBinaryOperatorClass: return value(cast<CXXRewrittenBinaryOperator>(e)->getSemanticForm());
    case Stmt::ConditionalOperatorClass: {
      const auto& choice = *cast<ConditionalOperator>(e);
      const Val condition = value(choice.getCond());
      if (decides(condition)) return rests_on(value(condition.integer ? choice.getTrueExpr() : choice.getFalseExpr()), condition);
      State before = state_;
      Val yes = value(choice.getTrueExpr());
      State after = std::exchange(state_, std::move(before));
      Val no = value(choice.getFalseExpr());
      state_ = join(std::move(after), std::move(state_));
      return join(yes, no);
    }
    case Stmt::CallExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
    case Stmt::UserDefinedLiteralClass: {
      if (e->isPRValue()) {
        if (const Val worked_out = constant(e); worked_out.known()) return worked_out;
        return call(*cast<CallExpr>(e));
      }
      break;
    }
    default:
      if (const auto* converted = dyn_cast<CastExpr>(e); converted && e->isPRValue()) return cast_of(*converted);
      break;
  }
  if (e->isGLValue()) {
    if (const auto* reference = dyn_cast<DeclRefExpr>(e))
      if (const auto* own = dyn_cast<VarDecl>(reference->getDecl()); own && !variable(own)) return global(own);
    if (const auto* read = dyn_cast<CallExpr>(e)) {
      const auto* method = dyn_cast_or_null<CXXMethodDecl>(read->getDirectCallee());
      const auto* member = dyn_cast<CXXMemberCallExpr>(read);
      const llvm::StringRef type = method ? standard_name(method->getParent()) : llvm::StringRef();
      const bool item =
          (type == "vector" || type == "array") &&
          (member ? method->getNameAsString() == "at" && read->getNumArgs() == 1
                  : isa<CXXOperatorCallExpr>(read) && method->getOverloadedOperator() == OO_Subscript && read->getNumArgs() == 2);
      const Expr* holder = !item ? nullptr : member ? member->getImplicitObjectArgument() : read->getArg(0);
      if (holder && holder->isGLValue()) {
        const Val list = value(holder), index = value(read->getArg(member ? 0 : 1));
        const bool inside = list.kind == Val::Kind::List && decides(index) && index.integer >= 0 &&
                            index.integer < static_cast<std::int64_t>(list.items.size());
        return inside ? list.items[static_cast<std::size_t>(index.integer)] : unknown("one of several items");
      }
    }
    // An item that is only read: nothing can be written through it.
    if (const auto* item = dyn_cast<ArraySubscriptExpr>(e); item && item->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) {
      const Expr* base = item->getBase()->IgnoreParenImpCasts();
      const Val array = base->isGLValue() ? value(base) : Val(), index = value(item->getIdx());
      const bool inside = array.kind == Val::Kind::List && decides(index) && index.integer >= 0 &&
                          index.integer < static_cast<std::int64_t>(array.items.size());
      return inside ? array.items[static_cast<std::size_t>(index.integer)] : unknown("one of several items");
    }
    return load(place(e));
  }
  if (const auto* reference = dyn_cast<DeclRefExpr>(e)) {
    if (const auto* enumerator = dyn_cast<EnumConstantDecl>(reference->getDecl())) {
      Val out = number(enumerator->getInitVal().getExtValue(), e->getType());
      out.kind = Val::Kind::Enum, out.enumerator = enumerator;
      return placed(std::move(out), e, true);
    }
  }
  return constant(e);
}

Val Interpreter::cast_of(const CastExpr& e) {
  const Expr* inner = e.getSubExpr();
  switch (e.getCastKind()) {
    case CK_LValueToRValue: {
      if (inner->getType().isVolatileQualified()) return unknown("it is volatile");
      Val out = value(inner);
      const auto* reference = dyn_cast<DeclRefExpr>(inner->IgnoreParens());
      const auto* constant_variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
      if (!out.known() && e.getType()->isArithmeticType())
        if (const Val worked_out = constant(&e); worked_out.known()) out = worked_out;
      if (constant_variable && !isa<ParmVarDecl>(constant_variable) && out.known() &&
          (constant_variable->getType().isConstQualified() || constant_variable->isConstexpr()))
        out.origin.constant = constant_variable;
      return out;
    }
    case CK_NoOp:
    case CK_ArrayToPointerDecay:
    case CK_UserDefinedConversion:
    case CK_ConstructorConversion:
    case CK_FunctionToPointerDecay:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase: return value(inner);
    case CK_BaseToDerived:
    case CK_BitCast: {
      Val out = value(inner);
      if (out.kind != Val::Kind::Pointer) return unknown("a cast hides it");
      if (!e.getType()->isVoidPointerType()) havoc(out.target, "it is written through a cast"), escape(out.target);
      return out;
    }
    case CK_NullToPointer: return placed(unset(), &e, false);
    case CK_IntegralToBoolean:
    case CK_IntegralCast:
    case CK_FloatingToIntegral:
    case CK_FloatingToBoolean:
    case CK_IntegralToFloating:
    case CK_FloatingCast:
    case CK_BooleanToSignedIntegral: {
      Val out = fitted(value(inner), e.getType());
      // Who cuts a number on purpose knows it.
      if (const auto* implicit = dyn_cast<ImplicitCastExpr>(&e); !implicit || implicit->isPartOfExplicitCast()) out.narrowed.clear();
      return out.known() ? out : [&] {
        Val worked_out = constant(&e);
        return worked_out.known() && out.text != "the number does not fit its type" ? worked_out : out;
      }();
    }
    case CK_ToVoid: value(inner); return unset();
    default: value(inner); return constant(&e);
  }
}

Val Interpreter::unary(const UnaryOperator& e) {
  switch (e.getOpcode()) {
    case UO_AddrOf: {
      const Where where = place(e.getSubExpr());
      if (where.known() && !e.getSubExpr()->getType().isConstQualified()) taken_.push_back(where);
      return pointer(where);
    }
    case UO_Plus: return placed(value(e.getSubExpr()), &e, true);
    case UO_Minus:
    case UO_LNot:
    case UO_Not: {
      Val inner = value(e.getSubExpr());
      if (!inner.is_number() && inner.kind != Val::Kind::Real) return inner.known() ? unknown("its value is not worked out") : inner;
      const bool literal = inner.origin.literal && e.getOpcode() == UO_Minus;
      Val out;
      if (inner.kind == Val::Kind::Real && e.getOpcode() == UO_Minus) {
        out = inner;
        out.real = -out.real;
      } else if (e.getOpcode() == UO_LNot)
        out = boolean(inner.kind == Val::Kind::Real ? inner.real == 0 : inner.integer == 0);
      else if (inner.integer == INT64_MIN)
        return unknown("the number is too large");
      else
        out = fitted(integer(e.getOpcode() == UO_Minus ? -inner.integer : ~inner.integer), e.getType());
      return rests_on(placed(std::move(out), &e, literal), inner);
    }
    case UO_PreInc:
    case UO_PreDec:
    case UO_PostInc:
    case UO_PostDec: {
      const Where where = place(e.getSubExpr());
      const Val before = load(where);
      const bool up = e.getOpcode() == UO_PreInc || e.getOpcode() == UO_PostInc;
      Val after = before.kind == Val::Kind::Int ? arithmetic(up ? BO_Add : BO_Sub, before, integer(1), e.getSubExpr()->getType())
                                                : unknown("its value is not worked out");
      after = rests_on(placed(std::move(after), &e, false), before);
      store(where, after);
      return e.isPostfix() ? before : after;
    }
    default: break;
  }
  return e.isGLValue() ? load(place(&e)) : constant(&e);
}

Val Interpreter::arithmetic(BinaryOperatorKind op, const Val& a, const Val& b, QualType type) const {
  const Val lost = unknown("its value is not worked out");
  for (const Val* one : {&a, &b})
    if (!one->known()) {
      Val out = *one;
      out.narrowed.clear();  // of an operand: it is not the value
      return out;
    }
  if (a.kind == Val::Kind::Real || b.kind == Val::Kind::Real) {
    if (!(a.is_number() || a.kind == Val::Kind::Real) || !(b.is_number() || b.kind == Val::Kind::Real)) return lost;
    const double x = a.kind == Val::Kind::Real ? a.real : static_cast<double>(a.integer);
    const double y = b.kind == Val::Kind::Real ? b.real : static_cast<double>(b.integer);
    Val out;
    out.kind = Val::Kind::Real;
    switch (op) {
      case BO_Add: out.real = x + y; return out;
      case BO_Sub: out.real = x - y; return out;
      case BO_Mul: out.real = x * y; return out;
      case BO_Div: return y == 0 ? lost : (out.real = x / y, out);
      case BO_LT: return boolean(x < y);
      case BO_GT: return boolean(x > y);
      case BO_LE: return boolean(x <= y);
      case BO_GE: return boolean(x >= y);
      case BO_EQ: return boolean(x == y);
      case BO_NE: return boolean(x != y);
      default: return lost;
    }
  }
  if (a.kind == Val::Kind::Str && b.kind == Val::Kind::Str) {
    if (op == BO_EQ || op == BO_NE) return boolean((a.text == b.text) == (op == BO_EQ));
    return lost;
  }
  if (!a.is_number() || !b.is_number()) return lost;
  const std::int64_t x = a.integer, y = b.integer;
  std::int64_t out = 0;
  bool overflow = false;
  switch (op) {
    case BO_Add: overflow = __builtin_add_overflow(x, y, &out); break;
    case BO_Sub: overflow = __builtin_sub_overflow(x, y, &out); break;
    case BO_Mul: overflow = __builtin_mul_overflow(x, y, &out); break;
    case BO_Div:
    case BO_Rem:
      if (y == 0 || (x == INT64_MIN && y == -1)) return unknown("it divides by zero");
      out = op == BO_Div ? x / y : x % y;
      break;
    case BO_Shl: overflow = y < 0 || y > 62 || x < 0 || __builtin_mul_overflow(x, std::int64_t{1} << y, &out); break;
    case BO_Shr:
      overflow = y < 0 || y > 62 || x < 0;
      out = overflow ? 0 : x >> y;
      break;
    case BO_And: out = x & y; break;
    case BO_Or: out = x | y; break;
    case BO_Xor: out = x ^ y; break;
    case BO_LT: return boolean(x < y);
    case BO_GT: return boolean(x > y);
    case BO_LE: return boolean(x <= y);
    case BO_GE: return boolean(x >= y);
    case BO_EQ: return boolean(x == y);
    case BO_NE: return boolean(x != y);
    default: return lost;
  }
  return overflow ? unknown("the number is too large") : fitted(integer(out), type);
}

Val Interpreter::binary(const BinaryOperator& e) {
  if (e.isAssignmentOp()) {
    return load(place(&e));
  }
  if (e.getOpcode() == BO_Comma) {
    value(e.getLHS());
    return value(e.getRHS());
  }
  if (e.isLogicalOp()) {
    const Val left = value(e.getLHS());
    const bool settles = e.getOpcode() == BO_LOr;
    if (decides(left) && (left.integer != 0) == settles) return rests_on(placed(boolean(settles), &e, false), left);
    State before = state_;
    const Val right = value(e.getRHS());
    if (!decides(left)) state_ = join(std::move(before), std::move(state_));
    if (right.is_number() && (right.integer != 0) == settles) return rests_on(placed(boolean(settles), &e, false), right);
    if (left.is_number() && (left.integer != 0) == settles) return rests_on(placed(boolean(settles), &e, false), left);
    if (left.is_number() && right.is_number()) return rests_on(placed(boolean(!settles), &e, false), left, right);
    return unknown("it is decided when the program runs");
  }
  const Val left = value(e.getLHS()), right = value(e.getRHS());
  if (e.isAdditiveOp())
    for (const Val* side : {&left, &right}) reach(side->kind == Val::Kind::Pointer ? *side : Val(), "a pointer into it is moved");
  Val out = arithmetic(e.getOpcode(), left, right, e.getType());
  if (!out.known())
    if (const Val worked_out = constant(&e); worked_out.known()) return worked_out;
  if (!out.known()) return out;
  return rests_on(placed(std::move(out), &e, false), left, right);
}

// An expression with errors says nothing of itself, and what it assigns or hands on whole is lost.
void Interpreter::spoil(const Stmt* s) {
  static constexpr const char* kWhy = "the statement that sets it has errors";
  if (!s || isa<LambdaExpr>(s)) return;
  const auto lose = [&](const Expr* e) {
    e = e->IgnoreParenImpCasts();
    std::vector<std::string> path;
    while (const auto* member = dyn_cast<MemberExpr>(e)) {
      if (member->getMemberDecl()->getIdentifier()) path.insert(path.begin(), member->getMemberDecl()->getNameAsString());
      e = member->getBase()->IgnoreParenImpCasts();
    }
    const auto* reference = dyn_cast<DeclRefExpr>(e);
    const Where* where = reference ? variable(reference->getDecl()) : nullptr;
    if (!where) return;
    Where at = *where;
    if (const Val held = load(at); held.kind == Val::Kind::Pointer) at = held.target;
    for (std::string& member : path) at = at.in(std::move(member));
    havoc(at, kWhy);
  };
  if (const auto* operation = dyn_cast<BinaryOperator>(s); operation && operation->isAssignmentOp()) lose(operation->getLHS());
  if (const auto* operation = dyn_cast<UnaryOperator>(s);
      operation && (operation->isIncrementDecrementOp() || operation->getOpcode() == UO_AddrOf))
    lose(operation->getSubExpr());
  if (const auto* reference = dyn_cast<DeclRefExpr>(s))
    if (const auto* record = reference->getType().getNonReferenceType()->getAsCXXRecordDecl(); record && row_of(record)) lose(reference);
  // A member that is only read names its object, and leaves it as it is.
  if (isa<MemberExpr>(s)) return;
  for (const Stmt* child : s->children()) spoil(child);
}

Where Interpreter::place(const Expr* e) {
  if (!steps_left()) return {};
  e = bare(e);
  if (e->containsErrors()) spoil(e);
  if (e->containsErrors() || e->isTypeDependent()) return {};
  if (const auto* materialized = dyn_cast<MaterializeTemporaryExpr>(e)) return temporary(value(materialized->getSubExpr()));
  if (e->isPRValue()) return temporary(value(e));
  if (const auto* reference = dyn_cast<DeclRefExpr>(e)) {
    if (const Where* where = variable(reference->getDecl())) return *where;
    if (const auto* bound = dyn_cast<BindingDecl>(reference->getDecl())) return bound->getBinding() ? place(bound->getBinding()) : Where{};
    if (const auto* own = dyn_cast<VarDecl>(reference->getDecl())) {
      const Val found = global(own);
      if (const auto fixed = globals_.find(own->getDefinition() ? own->getDefinition() : own); fixed != globals_.end())
        return fixed->second;
      return temporary(found);
    }
    return {};
  }
  if (const auto* member = dyn_cast<MemberExpr>(e)) {
    if (const auto* shared = dyn_cast<VarDecl>(member->getMemberDecl())) return temporary(global(shared));
    const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (!field) return {};
    Where where;
    if (member->isArrow()) {
      const Val base = value(member->getBase());
      if (base.kind == Val::Kind::Pointer) where = base.target;
    } else {
      where = place(member->getBase());
    }
    if (!where.known() && where.cell > -2) return {};
    if (field->getParent()->isUnion()) {
      havoc(where, "a union holds it");
      return {};
    }
    if (field->getType().isVolatileQualified()) return {};
    if (field->getType()->isReferenceType()) {
      const Val target = load(where.in(field->getNameAsString()));
      return target.kind == Val::Kind::Pointer ? target.target : Where{};
    }
    return field->getIdentifier() ? where.in(field->getNameAsString()) : where;
  }
  if (const auto* operation = dyn_cast<UnaryOperator>(e)) {
    if (operation->getOpcode() == UO_Deref) {
      const Val target = value(operation->getSubExpr());
      return target.kind == Val::Kind::Pointer ? target.target : Where{};
    }
    if (operation->isIncrementDecrementOp()) {
      unary(*operation);
      return place(operation->getSubExpr());
    }
    return {};
  }
  if (const auto* operation = dyn_cast<BinaryOperator>(e)) {
    if (operation->getOpcode() == BO_Comma) {
      value(operation->getLHS());
      return place(operation->getRHS());
    }
    if (operation->isPtrMemOp()) {  // which member is not certain
      const Val object = operation->getOpcode() == BO_PtrMemI ? value(operation->getLHS()) : pointer(place(operation->getLHS()));
      if (object.kind == Val::Kind::Pointer) havoc(object.target, "one of its members may be written");
      return {};
    }
    if (operation->getOpcode() == BO_Assign) {
      Val right = value(operation->getRHS());
      const Where left = place(operation->getLHS());
      const FieldDecl* bits = operation->getLHS()->getSourceBitField();
      store(left, used_at(bits ? fitted(std::move(right), *bits) : fitted(std::move(right), operation->getLHS()->getType()),
                          operation->getRHS()));
      return left;
    }
    if (const auto* compound = dyn_cast<CompoundAssignOperator>(operation)) {
      const Val right = value(compound->getRHS());
      const Where left = place(compound->getLHS());
      const Val before = load(left);
      Val after =
          arithmetic(BinaryOperator::getOpForCompoundAssignment(compound->getOpcode()), before, right, compound->getLHS()->getType());
      after = placed(std::move(after), compound, false);
      after = rests_on(std::move(after), before, right);
      if (const FieldDecl* bits = compound->getLHS()->getSourceBitField()) after = fitted(std::move(after), *bits);
      store(left, std::move(after));
      return left;
    }
    return {};
  }
  if (const auto* choice = dyn_cast<ConditionalOperator>(e)) {
    const Val condition = value(choice->getCond());
    if (decides(condition)) return place(condition.integer ? choice->getTrueExpr() : choice->getFalseExpr());
    // Either may be written behind this expression.
    const Where yes = place(choice->getTrueExpr()), no = place(choice->getFalseExpr());
    const Val both = join(load(yes), load(no));
    if (!e->getType().isConstQualified())
      for (const Where& where : {yes, no}) havoc(where, "it is one of two that is meant"), escape(where);
    return temporary(both);
  }
  if (const auto* converted = dyn_cast<CastExpr>(e)) {
    if (converted->getCastKind() == CK_LValueBitCast) {
      const Where where = place(converted->getSubExpr());
      havoc(where, "it is written through a cast"), escape(where);
      return {};
    }
    return place(converted->getSubExpr());
  }
  if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(e)) {
    const Expr* base = subscript->getBase()->IgnoreParenImpCasts();
    const Val index = value(subscript->getIdx());
    const Where where = base->isGLValue() ? place(base) : Where{};
    const Val array = load(where);
    if (array.kind == Val::Kind::Pointer) {
      if (decides(index) && index.integer == 0) return array.target;
      reach(array, "a pointer into it is moved");
      return {};
    }
    if (!e->getType().isConstQualified() && where.known()) {
      havoc(where, "one of its items may be written");
      return temporary(unknown("one of several items"));
    }
    if (array.kind == Val::Kind::List && decides(index) && index.integer >= 0 &&
        index.integer < static_cast<std::int64_t>(array.items.size()))
      return temporary(array.items[static_cast<std::size_t>(index.integer)]);
    return temporary(unknown("one of several items"));
  }
  if (const auto* call_expression = dyn_cast<CallExpr>(e)) {
    const Val target = call(*call_expression);
    return target.kind == Val::Kind::Pointer ? target.target : Where{};
  }
  if (isa<StringLiteral>(e) || isa<InitListExpr>(e) || isa<LambdaExpr>(e) || isa<CXXDefaultArgExpr>(e) || isa<CXXDefaultInitExpr>(e))
    return temporary(value(e));
  return {};
}

// ---- objects

Val Interpreter::default_member(const FieldDecl& field) {
  const Expr* init = field.getInClassInitializer();
  if (!init || init->containsErrors()) return unknown("nothing gives it a value");
  Frame frame;
  Frame* outer = std::exchange(frame_, &frame);
  Val out = used_at(fitted(value(init), field), init);
  frame_ = outer;
  if (out.kind != Val::Kind::Object && out.kind != Val::Kind::List) {
    out.origin.literal = out.origin.literal && out.origin.spelled == init->IgnoreImplicit()->getSourceRange();
    if (!out.origin.literal) out.origin.spelled = init->getSourceRange();
    out.origin.used = out.origin.spelled, out.origin.constant = nullptr;
    if (out.origin.spelled.isInvalid()) out.origin.spelled = out.origin.used = field.getSourceRange();
    if (!by_flag(out)) out.origin.from = From::DefaultMember;
  }
  return out;
}

Val Interpreter::fresh(QualType type, bool zero, int depth) {
  type = type.getCanonicalType();
  if (const CXXRecordDecl* record = type->getAsCXXRecordDecl()) return fresh(record, zero, depth);
  if (type->isArrayType()) return unknown("nothing gives it a value");
  if (!zero) return unknown("nothing gives it a value");
  if (type->isBooleanType()) return boolean(false);
  if (type->isRealFloatingType()) return fitted(integer(0), type);
  if (type->isIntegralOrEnumerationType()) return number(0, type);
  if (type->isAnyPointerType()) return unset();
  return unknown("nothing gives it a value");
}

// An object as its class alone makes it: no constructor of the user's own has run.
Val Interpreter::fresh(const CXXRecordDecl* record, bool zero, int depth) {
  Val out;
  out.kind = Val::Kind::Object, out.record = record->getCanonicalDecl();
  const llvm::StringRef name = standard_name(record);
  if (name == "optional") return unset();
  if (is_text(name)) return string("");
  if (is_pointer_class(name)) return unset();
  if (is_map(name)) return out.keyed = true, out;
  if (is_list(name) && name != "array") {
    out.kind = Val::Kind::List;
    return out;
  }
  const CXXRecordDecl* definition = record->getDefinition();
  if (!name.empty() || !definition || definition->isInvalidDecl() || definition->isUnion() || definition->isDependentContext() ||
      depth > 16) {
    out.kind = Val::Kind::Unknown, out.text = "its class is not in sight";
    return out;
  }
  for (const CXXBaseSpecifier& base : definition->bases()) {
    Val inner = fresh(base.getType(), zero, depth + 1);
    if (inner.kind == Val::Kind::Object)
      out.members.insert(inner.members.begin(), inner.members.end()), out.open |= inner.open;
    else
      out.open = true;
  }
  for (const FieldDecl* field : definition->fields()) {
    if (!field->getIdentifier()) {
      out.open |= !field->isUnnamedBitField();
      continue;
    }
    if (field->hasInClassInitializer())
      out.members[field->getNameAsString()] = default_member(*field);
    else if (const CXXRecordDecl* inner = field->getType()->getAsCXXRecordDecl())
      out.members[field->getNameAsString()] = inner->hasUserProvidedDefaultConstructor() && standard_name(inner).empty()
                                                  ? open_object(field->getType(), "its constructor is not followed")
                                                  : fresh(inner, zero, depth + 1);
    else
      out.members[field->getNameAsString()] = fresh(field->getType(), zero, depth + 1);
  }
  return out;
}

// Where a designated initialiser for this member would stand: they keep the order of the members.
void Interpreter::left_out(Val& value, const InitListExpr& list, const FieldDecl& field) const {
  const InitListExpr* syntax = list.isSyntacticForm() ? &list : list.getSyntacticForm();
  if (!syntax || !in_main_file(syntax->getBeginLoc()) || syntax->getBeginLoc().isMacroID()) return;
  const DesignatedInitExpr* before = nullptr;
  const DesignatedInitExpr* first = nullptr;
  for (const Expr* one : syntax->inits()) {
    const auto* designated = dyn_cast<DesignatedInitExpr>(one);
    if (!designated || designated->size() != 1 || !designated->getDesignator(0)->isFieldDesignator()) return;
    const FieldDecl* named = designated->getDesignator(0)->getFieldDecl();
    if (!named || named->getParent() != field.getParent() || one->getBeginLoc().isMacroID() || one->getEndLoc().isMacroID()) return;
    if (!first) first = designated;
    if (named->getFieldIndex() < field.getFieldIndex()) before = designated;
  }
  if (!first) return;
  value.origin.left_out = &field;
  value.origin.before = before == nullptr;
  value.origin.beside = (before ? before : first)->getSourceRange();
}

Val Interpreter::list(const InitListExpr& written) {
  const InitListExpr& e = written.isSemanticForm() || !written.getSemanticForm() ? written : *written.getSemanticForm();
  const QualType type = e.getType().getCanonicalType();
  if (const CXXRecordDecl* record = type->getAsCXXRecordDecl()) {
    const CXXRecordDecl* definition = record->getDefinition();
    if (!definition || definition->isUnion() || definition->isInvalidDecl()) return open_object(type, "a union holds it");
    if (e.isTransparent() && e.getNumInits() == 1) return value(e.getInit(0));
    Val out;
    out.kind = Val::Kind::Object, out.record = record->getCanonicalDecl();
    out = placed(std::move(out), &written, false);
    unsigned at = 0;
    for (const CXXBaseSpecifier& base : definition->bases()) {
      Val inner = at < e.getNumInits() ? value(e.getInit(at)) : fresh(base.getType(), true);
      ++at;
      if (inner.kind == Val::Kind::Object)
        out.members.insert(inner.members.begin(), inner.members.end()), out.open |= inner.open;
      else
        out.open = true;
    }
    for (const FieldDecl* field : definition->fields()) {
      if (field->isUnnamedBitField()) continue;
      const Expr* init = at < e.getNumInits() ? e.getInit(at) : nullptr;
      ++at;
      if (!field->getIdentifier()) {
        out.open = true;
        continue;
      }
      Val inner;
      if (!init || isa<NoInitExpr>(init))
        inner = field->hasInClassInitializer() ? default_member(*field) : fresh(field->getType(), true);
      else if (isa<ImplicitValueInitExpr>(init))
        inner = fresh(field->getType(), true), inner.origin.spelled = inner.origin.used = written.getSourceRange();
      else if (isa<CXXDefaultInitExpr>(init))
        inner = value(init), left_out(inner, written, *field);
      else if (field->getType()->isReferenceType())
        inner = pointer(place(init));
      else
        inner = used_at(fitted(value(init), *field), init);
      out.members[field->getNameAsString()] = std::move(inner);
    }
    // The one member of std::array is its items.
    if (standard_name(record) == "array" && out.members.size() == 1) return placed(std::move(out.members.begin()->second), &written, false);
    return out;
  }
  if (type->isArrayType()) {
    Val out;
    out.kind = Val::Kind::List;
    std::size_t size = e.getNumInits();
    if (const auto* array = context_.getAsConstantArrayType(type))
      size = std::max<std::size_t>(size, array->getSize().getLimitedValue(kMaxItems));
    for (std::size_t i = 0; i < std::min(size, kMaxItems); ++i) {
      const Expr* item = i < e.getNumInits() ? e.getInit(static_cast<unsigned>(i)) : e.getArrayFiller();
      out.items.push_back(item ? used_at(value(item), item) : fresh(context_.getAsArrayType(type)->getElementType(), true));
    }
    return placed(std::move(out), &written, false);
  }
  if (e.getNumInits() == 1) return value(e.getInit(0));
  if (e.getNumInits() == 0) return placed(fresh(type, true), &written, false);
  return constant(&e);
}

std::string Interpreter::key_of(const Val& value) {
  if (value.origin.from == From::FlagDefault) return "";
  switch (value.kind) {
    case Val::Kind::Str: return value.text;
    case Val::Kind::Int: return std::to_string(value.integer);
    case Val::Kind::Enum: return value.enumerator->getNameAsString();
    default: return "";
  }
}

Val Interpreter::keyed(const Val& pairs) {
  Val out;
  out.kind = Val::Kind::Object, out.keyed = true;
  for (const Val& pair : pairs.items) {
    const auto first = pair.members.find("first"), second = pair.members.find("second");
    const std::string key = first == pair.members.end() ? "" : key_of(first->second);
    if (key.empty() || second == pair.members.end())
      out.open = true;
    else
      out.members.try_emplace(key, second->second);  // the first of two equal keys stays
  }
  return out;
}

Val Interpreter::constructed_standard(const CXXConstructExpr& e, llvm::StringRef name) {
  const unsigned count = e.getNumArgs();
  const auto given = [&](unsigned i) { return i < count && !isa<CXXDefaultArgExpr>(e.getArg(i)); };
  if (!given(0)) return placed(fresh(e.getType(), true), &e, false);
  if (name == "optional") {
    const CXXRecordDecl* argument = record_of(e.getArg(0)->getType());
    if (standard_name(argument) == "nullopt_t") return placed(unset(), &e, false);
    if (standard_name(argument) == "in_place_t") {
      if (count == 2) return value(e.getArg(1));
      return unknown("what it holds is not followed");
    }
    return value(e.getArg(0));
  }
  if (name == "pair") {
    if (!given(1)) return value(e.getArg(0));
    Val out;
    out.kind = Val::Kind::Object, out.record = record_of(e.getType());
    for (unsigned i = 0; i < 2; ++i) {
      Val item = used_at(value(e.getArg(i)), e.getArg(i));
      if (item.kind == Val::Kind::Unset && !item.origin.spelled.isValid()) item.origin = placed(unset(), e.getArg(i), false).origin;
      out.members[i == 0 ? "first" : "second"] = std::move(item);
    }
    return out;
  }
  if (is_text(name)) {
    Val out = value(e.getArg(0));
    return out.kind == Val::Kind::Str && !given(1) ? out : unknown("its text is not worked out");
  }
  if (is_map(name)) {
    Val out = value(e.getArg(0));
    if (out.kind == Val::Kind::List) {
      out = placed(keyed(out), &e, false);
      out.record = record_of(e.getType());
    }
    return out.kind == Val::Kind::Object ? out : unknown("what it holds is not worked out");
  }
  if (is_list(name)) {
    const Val first = value(e.getArg(0));
    if (first.kind == Val::Kind::List) return first;
    if (first.is_number() && given(1)) {  // n copies
      const Val item = value(e.getArg(1));
      Val out;
      out.kind = Val::Kind::List;
      if (first.integer < 0 || first.integer > static_cast<std::int64_t>(kMaxItems) || name == "initializer_list")
        return unknown("its size is not worked out");
      out.items.assign(static_cast<std::size_t>(first.integer), item);
      return placed(std::move(out), &e, false);
    }
    return unknown("what it holds is not worked out");
  }
  if (is_pointer_class(name)) {
    const Val out = value(e.getArg(0));
    return out.kind == Val::Kind::Pointer || out.kind == Val::Kind::Unset ? out : unknown("what it points to is not certain");
  }
  // A container, a function, a thread: what is handed to it may be written from there.
  for (unsigned i = 0; i < count; ++i) reach(value(e.getArg(i)), "others hold a reference to it");
  return open_object(e.getType(), "it is not followed");
}

Val Interpreter::construct(const CXXConstructExpr& e) {
  const CXXConstructorDecl& constructor = *e.getConstructor();
  const CXXRecordDecl* record = constructor.getParent()->getCanonicalDecl();
  const CXXRecordDecl* definition = record->getDefinition();
  if (e.getType()->isArrayType()) return unknown("nothing gives it a value");
  if (constructor.isCopyOrMoveConstructor() && e.getNumArgs() >= 1 && (!constructor.isUserProvided() || record->isInStdNamespace())) {
    const Where source = e.getArg(0)->isGLValue() ? place(e.getArg(0)) : Where{};
    Val out = e.getArg(0)->isGLValue() && (source.known() || source.cell <= -2) ? load(source) : value(e.getArg(0));
    if (constructor.isMoveConstructor() && source.known() && !isa<MaterializeTemporaryExpr>(bare(e.getArg(0))))
      for (Made& made : made_)
        if (made.where == source && !made.moved) made.moved = out;
    out.shared = false;
    return out;
  }
  if (const llvm::StringRef name = standard_name(record); !name.empty()) return constructed_standard(e, name);
  const TypeRow* row = row_of(record);
  std::vector<const Expr*> expressions(e.arg_begin(), e.arg_end());
  const bool plain = constructor.isDefaultConstructor() && !constructor.isUserProvided();
  if (plain) return placed(fresh(record, e.requiresZeroInitialization()), &e, false);
  std::vector<Argument> given = arguments(constructor, expressions);
  const Where self = temporary([&] {
    Val out;
    out.kind = Val::Kind::Object, out.record = record;
    out.open = !definition, out.text = "its constructor is not in sight";
    return placed(std::move(out), &e, false);
  }());
  const auto* body = body_of(constructor) ? dyn_cast<CXXConstructorDecl>(body_of(constructor)) : nullptr;
  if (body && calls_deep_ < 24)
    run_constructor(*body, self, given);
  else
    opaque(&constructor, nullptr, given, context_.VoidTy), state_.cells[self.cell].open = true;
  if (const CallRow* bound = row ? matching(row->constructors, constructor, false) : nullptr) {
    for (Reading& reading : readings_of(*bound, constructor, given)) {
      // What the constructor's own body makes of it counts, where that is in sight.
      if (body && read(state_.cells[self.cell], *row, *reading.target, "").known()) continue;
      write(self, *row, *reading.target, std::move(reading.value));
    }
  }
  // What it holds on to is written once more when it goes, and nobody looks there.
  if (const CXXDestructorDecl* last = definition ? definition->getDestructor() : nullptr; last && last->isUserProvided())
    reach(Val(state_.cells[self.cell]), "an object that holds it writes it at its end");
  return state_.cells[self.cell];
}

}  // namespace shardlint::cxx
