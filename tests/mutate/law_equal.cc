#include "tests/mutate/law_equal.h"

#include <algorithm>

namespace shardlint::test {

namespace {

// What is known of a value where the comparison's sides are as supposed: itself, or which truths are possible. Unknown may come with both.
struct Guess {
  std::optional<Value> value;
  bool same = false;  // a number, the same wherever this is said
  bool yes = true, no = true, unknown = true;
};

Guess exactly(Value value, bool unknown = false) {
  const bool yes = value.boolean() && *value.boolean();
  const bool no = value.is_null() || (value.boolean() && !*value.boolean());
  return {std::move(value), false, yes, no, unknown};
}
Guess truth(bool yes, bool no, bool unknown) {
  if (yes != no) return exactly(yes, unknown);
  return {std::nullopt, false, yes, no, unknown};
}
const Guess kAny;
Guess nothing() { return truth(false, false, true); }

bool is_nothing(const Guess& guess) { return !guess.value && !guess.same && !guess.yes && !guess.no; }
bool is_null(const Guess& guess) { return guess.value && guess.value->is_null(); }
const i64* integer(const Guess& guess) { return guess.value ? guess.value->integer() : nullptr; }
bool is(const Guess& guess, i64 wanted) { return integer(guess) && *integer(guess) == wanted; }

// Whether a well-typed run gives it integers only, if it gives it a number at all.
bool integral(const Schema& schema, ExprId id, int depth = 0) {
  const ExprNode& node = schema.nodes[id];
  if (depth > 8) return false;
  if (node.op == Op::Const) return schema.constants[node.a].kind != Value::Kind::Real;
  if (node.op == Op::Read) {
    if (node.slot < kFieldCount) return !(fields()[node.slot].types & type::Real);
    if (const std::size_t let = node.slot - kFieldCount; let < schema.lets.size())
      return integral(schema, schema.lets[let].expr, depth + 1);
    return !(schema.key_of(node.slot)->types & type::Real);
  }
  std::vector<ExprId> children;
  for (ExprId child = node.a; child != kNoExpr; child = schema.nodes[child].next) children.push_back(child);
  const auto all = [&](std::size_t from) {
    return std::all_of(children.begin() + static_cast<std::ptrdiff_t>(from), children.end(),
                       [&](ExprId child) { return integral(schema, child, depth + 1); });
  };
  switch (node.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::Neg: return all(0);
    case Op::Call: break;
    default: return false;
  }
  switch (node.function) {
    case Function::Len:
    case Function::Count:
    case Function::Exact:
    case Function::CeilDiv:
    case Function::Round:
    case Function::Floor:
    case Function::ToInt: return true;
    case Function::If: return all(1);
    case Function::Min:
    case Function::Max:
    case Function::Default:
    case Function::Abs: return all(0);
    default: return false;
  }
}

class Supposing {
 public:
  // Where `first` and `second` are equal; with a value, both are that, or unknown where they may be `open`.
  Supposing(const Schema& schema, ExprId first, ExprId second, std::optional<Value> value, bool open)
      : schema_(schema), first_(first), second_(second), value_(std::move(value)), open_(open) {}

  bool may_fire(const Parts& parts) const {
    if (parts.when != kNoExpr && !guess(parts.when).yes) return false;
    if (parts.require != kNoExpr) return guess(parts.require).no;
    const Guess to = guess(parts.to);
    if (is_nothing(to)) return false;
    // It has that value already.
    return !((is_set(parts, first_) || is_set(parts, second_)) && (value_ ? to.value && *to.value == *value_ : to.same));
  }

  // Whether what differs between two expressions comes to the same.
  bool same(ExprId before, ExprId after) const {
    if (before == after || equal(before, after)) return true;
    const Guess one = guess(before), other = guess(after);
    if (one.value && other.value && !one.unknown && !other.unknown && one.value->kind() == other.value->kind() &&
        *one.value == *other.value)
      return true;
    const ExprNode &x = schema_.nodes[before], &y = schema_.nodes[after];
    if (x.op != y.op || x.function != y.function || x.op == Op::Const || x.op == Op::Read) return false;
    ExprId left = x.a, right = y.a;
    for (; left != kNoExpr && right != kNoExpr; left = schema_.nodes[left].next, right = schema_.nodes[right].next)
      if (!same(left, right)) return false;
    return left == right;
  }

 private:
  // Whether an expression is what a rewrite sets.
  bool is_set(const Parts& parts, ExprId id) const {
    const ExprNode& node = schema_.nodes[id];
    return node.op == Op::Read && (node.slot == parts.set || (node.slot < kFieldCount && schema_.alias(node.slot) == parts.set) ||
                                   (parts.set < kFieldCount && schema_.alias(parts.set) == node.slot));
  }

  bool equal(ExprId a, ExprId b) const {
    const ExprNode &x = schema_.nodes[a], &y = schema_.nodes[b];
    if (x.op != y.op || x.function != y.function) return false;
    if (x.op == Op::Const) {
      const Value one = schema_.constants[x.a].value(), other = schema_.constants[y.a].value();
      return one.kind() == other.kind() && one == other;
    }
    if (x.op == Op::Read) return x.slot == y.slot;
    ExprId left = x.a, right = y.a;
    for (; left != kNoExpr && right != kNoExpr; left = schema_.nodes[left].next, right = schema_.nodes[right].next)
      if (!equal(left, right)) return false;
    return left == right;
  }

  bool is_list(ExprId id) const {
    const ExprNode& node = schema_.nodes[id];
    if (node.op == Op::Call && node.function == Function::Default)
      return is_list(node.a) && schema_.nodes[schema_.nodes[node.a].next].op == Op::MakeList;
    const KeySpec* key = node.op == Op::Read ? schema_.key_of(node.slot) : nullptr;
    return key && (key->types & type::List) && !(key->types & (type::Str | type::Map));
  }

  Guess guess(ExprId id) const {
    const ExprNode& node = schema_.nodes[id];
    if (node.op == Op::Const) return exactly(schema_.constants[node.a].value());
    if (equal(id, first_) || equal(id, second_)) {
      if (value_) return exactly(*value_, open_);
      Guess same = kAny;
      same.same = true, same.unknown = false;
      return same;
    }
    // len(x) == 0 says what x is.
    if (const ExprNode& first = schema_.nodes[first_];
        value_ && *value_ == Value(0) && first.op == Op::Call && first.function == Function::Len && equal(id, first.a) && is_list(first.a))
      return exactly(ValueList{});
    if (node.op == Op::Read) return kAny;
    if (node.op == Op::Call) return call(node);
    std::vector<Guess> parts;
    for (ExprId child = node.a; child != kNoExpr; child = schema_.nodes[child].next) parts.push_back(guess(child));
    switch (node.op) {
      case Op::MakeList: {
        ValueList items;
        for (const Guess& part : parts) {
          if (!part.value || part.unknown) return kAny;
          items.push_back(*part.value);
        }
        return exactly(std::move(items));
      }
      case Op::Not: return truth(parts[0].no, parts[0].yes, parts[0].unknown);
      case Op::And:
      case Op::Or:
      case Op::Implies: {
        bool all = true, any = false, open = false, decided = false;  // of `or`, whose parts are those of `and` denied
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const bool deny = node.op == Op::And || (node.op == Op::Implies && i == 0);
          const bool yes = deny ? parts[i].no : parts[i].yes, no = deny ? parts[i].yes : parts[i].no;
          decided |= yes && !no && !parts[i].unknown;
          any |= yes, open |= parts[i].unknown || (!yes && !no), all &= no;
        }
        if (decided) all = open = false;
        return node.op == Op::And ? truth(all, any, open) : truth(any, all, open);
      }
      case Op::Neg: return integer(parts[0]) ? exactly(-*integer(parts[0]), parts[0].unknown) : kAny;
      case Op::Mod:
        if (is(parts[1], 1) && integral(schema_, node.a)) return exactly(0, true);
        [[fallthrough]];
      default: return binary(node.op, parts[0], parts[1]);
    }
  }

  static Guess binary(Op op, const Guess& a, const Guess& b) {
    if (is_nothing(a) || is_nothing(b)) return nothing();
    const bool unknown = a.unknown || b.unknown;
    const bool both = a.value && b.value, same = a.same && b.same;
    switch (op) {
      case Op::Eq: return both ? exactly(*a.value == *b.value, unknown) : same ? exactly(true) : truth(true, true, unknown);
      case Op::Ne: return both ? exactly(!(*a.value == *b.value), unknown) : same ? exactly(false) : truth(true, true, unknown);
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge: {
        if (is_null(a) || is_null(b)) return nothing();
        if (!same && !(integer(a) && integer(b))) return truth(true, true, true);
        const i64 x = same ? 0 : *integer(a), y = same ? 0 : *integer(b);
        return exactly(op == Op::Lt ? x < y : op == Op::Le ? x <= y : op == Op::Gt ? x > y : x >= y, unknown);
      }
      case Op::In:
      case Op::NotIn: {
        const ValueList* list = b.value ? b.value->list() : nullptr;
        if (list && list->empty()) return exactly(op == Op::NotIn, unknown);
        if (!list || !a.value) return truth(true, true, true);
        return exactly((std::find(list->begin(), list->end(), *a.value) != list->end()) == (op == Op::In), unknown);
      }
      case Op::Add:
      case Op::Sub:
      case Op::Mul: {
        if (is_null(a) || is_null(b)) return nothing();
        if (op == Op::Mul && (is(a, 0) || is(b, 0))) return exactly(0, true);
        if (op == Op::Sub && same) return exactly(0);
        i64 out = 0;
        if (!integer(a) || !integer(b)) return kAny;
        const bool over = op == Op::Add   ? __builtin_add_overflow(*integer(a), *integer(b), &out)
                          : op == Op::Sub ? __builtin_sub_overflow(*integer(a), *integer(b), &out)
                                          : __builtin_mul_overflow(*integer(a), *integer(b), &out);
        return over ? nothing() : exactly(out, unknown);
      }
      case Op::Div:
      case Op::FloorDiv:
      case Op::Mod: return is_null(a) || is_null(b) || is(b, 0) ? nothing() : is(a, 0) || (op == Op::Mod && same) ? exactly(0, true) : kAny;
      default: return kAny;
    }
  }

  Guess call(const ExprNode& node) const {
    switch (node.function) {  // these look at how a value stands, or see another value for every item
      case Function::Written:
      case Function::Overridden:
      case Function::Started:
      case Function::Variant:
      case Function::Form:
      case Function::Each: return truth(true, true, true);
      default: break;
    }
    std::vector<Guess> arguments;
    for (ExprId child = node.a; child != kNoExpr; child = schema_.nodes[child].next) arguments.push_back(guess(child));
    const Guess& a = arguments[0];
    const auto b = [&]() -> const Guess& { return arguments[1]; };
    switch (node.function) {  // what has no value has none afterwards, and null has neither length nor letters
      case Function::If:
      case Function::Known:
      case Function::Set:
      case Function::Default: break;
      case Function::Len:
      case Function::Sum:
      case Function::Unique:
      case Function::StartsWith:
      case Function::EndsWith:
      case Function::Split:
      case Function::Contains:
      case Function::Only:
      case Function::Digits:
        if (is_null(a)) return nothing();
        [[fallthrough]];
      default:
        if (std::any_of(arguments.begin(), arguments.end(), is_nothing)) return nothing();
    }
    switch (node.function) {
      case Function::If: {
        std::vector<Guess> possible;
        if (a.yes) possible.push_back(arguments[1]);
        if (a.no || (!a.yes && a.value)) possible.push_back(arguments[2]);
        Guess out = possible.empty() ? nothing() : possible[0];
        if (possible.size() == 2) {
          const bool same = possible[0].value && possible[1].value && *possible[0].value == *possible[1].value;
          out.yes |= possible[1].yes, out.no |= possible[1].no, out.unknown |= possible[1].unknown;
          out.same &= possible[1].same;
          if (!same) out.value.reset(), out.yes = out.no = true;  // one or the other
        }
        out.unknown |= a.unknown;
        return out;
      }
      case Function::Divides: {  // a divides b
        if (is_null(a) || is_null(b()) || is(a, 0)) return nothing();
        if (is(b(), 0)) return exactly(true, true);
        if ((is(a, 1) && integral(schema_, schema_.nodes[node.a].next)) || (a.same && b().same)) return exactly(true, true);
        if (integer(a) && integer(b()) && *integer(a) > 0) return exactly(*integer(b()) % *integer(a) == 0, a.unknown || b().unknown);
        return truth(true, true, true);
      }
      case Function::Exact:
      case Function::CeilDiv: return is_null(a) || is_null(b()) || is(b(), 0) ? nothing() : is(a, 0) ? exactly(0, true) : kAny;
      case Function::Round:
      case Function::Floor: return integer(a) ? a : kAny;
      case Function::Set: return a.value ? exactly(!a.value->is_null(), a.unknown) : a.same ? exactly(true) : truth(true, true, a.unknown);
      case Function::Known: return truth(a.value || a.same || a.yes || a.no, a.unknown, false);
      case Function::Default: return is_null(a) && !a.unknown ? b() : a.value && !a.value->is_null() ? a : a.same ? a : kAny;
      case Function::At: {
        const ValueList* list = a.value ? a.value->list() : nullptr;
        return is_null(a) || (list && list->empty()) ? exactly(Null{}, a.unknown || b().unknown) : kAny;
      }
      case Function::Len: return a.value && a.value->list() ? exactly(static_cast<i64>(a.value->list()->size()), a.unknown) : kAny;
      case Function::Min:
      case Function::Max: {
        if (a.value && a.value->list() && a.value->list()->empty()) return nothing();
        return kAny;
      }
      case Function::Only:
      case Function::StartsWith:
      case Function::EndsWith:
      case Function::Contains:
      case Function::Digits:
      case Function::Unique: return truth(true, true, true);
      default: return kAny;
    }
  }

  const Schema& schema_;
  ExprId first_, second_;
  std::optional<Value> value_;
  bool open_;
};

bool counts(const ExprNode& node) { return node.op == Op::Call && (node.function == Function::Len || node.function == Function::Count); }

}  // namespace

bool cannot_be_noticed(const Schema& schema, const Parts& before, const Parts& after, const Change& change) {
  const ExprNode& changed = schema.nodes[change.node];
  if (changed.op == Op::Const && change.parent == kNoExpr) return false;
  const ExprNode& comparison = changed.op == Op::Const ? schema.nodes[change.parent] : changed;
  const auto told_apart = [&](ExprId first, ExprId second, std::optional<Value> value, bool open = false) {
    const Supposing there(schema, first, second, std::move(value), open);
    return (there.may_fire(before) || there.may_fire(after)) &&
           !(there.same(before.when, after.when) && there.same(before.require, after.require) && there.same(before.to, after.to));
  };
  const ExprId left = comparison.a, right = left == kNoExpr ? kNoExpr : schema.nodes[left].next;
  // `and` and `or` differ only where one of their parts is not true.
  if (changed.op == Op::And || changed.op == Op::Or) {
    for (ExprId part = changed.a; part != kNoExpr; part = schema.nodes[part].next) {
      const ExprNode& node = schema.nodes[part];
      const bool set = node.op == Op::Call && node.function == Function::Set;
      if (set ? told_apart(node.a, node.a, Value(), true) : told_apart(part, part, Value(false), true)) return false;
    }
    return true;
  }
  // What stands for null matters only where there is none.
  if (changed.op == Op::Const && comparison.op == Op::Call && comparison.function == Function::Default && change.node == right)
    return !told_apart(left, left, Value());
  const bool ordered = comparison.op == Op::Lt || comparison.op == Op::Le || comparison.op == Op::Gt || comparison.op == Op::Ge;
  if (!ordered && comparison.op != Op::Eq && comparison.op != Op::Ne) return false;
  const auto constant = [&](ExprId id) -> std::optional<i64> {
    const ExprNode& node = schema.nodes[id];
    if (node.op != Op::Const || schema.constants[node.a].kind != Value::Kind::Int) return std::nullopt;
    return schema.constants[node.a].integer;
  };

  // Where the two comparisons differ.
  ExprId side = left;  // what is compared with the constant
  std::vector<i64> values;
  if (changed.op != Op::Const) {
    const bool looser = (comparison.op == Op::Lt && change.op == Op::Le) || (comparison.op == Op::Le && change.op == Op::Lt) ||
                        (comparison.op == Op::Gt && change.op == Op::Ge) || (comparison.op == Op::Ge && change.op == Op::Gt);
    if (!looser) return false;  // they differ nearly everywhere
    if (!constant(left) && !constant(right)) return !told_apart(left, right, std::nullopt);
    if (constant(left)) side = right;
    values = {constant(left) ? *constant(left) : *constant(right)};
  } else {
    side = change.node == left ? right : left;
    const i64 c = *constant(change.node);
    if (ordered && !integral(schema, side)) return false;
    const bool up = (comparison.op == Op::Lt || comparison.op == Op::Ge) == (side == left);  // x < c and x < c + 1 differ at c
    if (ordered)
      values = {up ? c : c + 1};
    else
      values = {c, c + 1};
  }
  return std::all_of(values.begin(), values.end(),
                     [&](i64 value) { return (value < 0 && counts(schema.nodes[side])) || !told_apart(side, side, Value(value)); });
}

}  // namespace shardlint::test
