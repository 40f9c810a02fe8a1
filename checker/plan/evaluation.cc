#include "checker/plan/evaluation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "checker/plan/layout.h"
#include "checker/schema/models.h"

namespace shardlint {

namespace {

constexpr std::size_t kMostArguments = 8;   // of a function
constexpr std::size_t kMaxItems = 200'000;  // of a list: more than a file can have

Result unknown(Missing why) { return {Null{}, why}; }

// ---- arithmetic as Python does it, with unknown for what it cannot hold

i64 floor_div(i64 a, i64 b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

Result integer_arithmetic(Op op, i64 a, i64 b) {
  i64 out = 0;
  bool overflow = false;
  switch (op) {
    case Op::Add: overflow = __builtin_add_overflow(a, b, &out); break;
    case Op::Sub: overflow = __builtin_sub_overflow(a, b, &out); break;
    case Op::Mul: overflow = __builtin_mul_overflow(a, b, &out); break;
    case Op::FloorDiv:
    case Op::Mod:
      if (b == 0 || (a == INT64_MIN && b == -1)) return unknown(Missing::Absent);
      out = op == Op::FloorDiv ? floor_div(a, b) : a - floor_div(a, b) * b;
      break;
    case Op::Div:
      if (b == 0) return unknown(Missing::Absent);
      return {static_cast<double>(a) / static_cast<double>(b)};
    default: return unknown(Missing::Absent);
  }
  return overflow ? unknown(Missing::Absent) : Result{out};
}

std::optional<i64> whole(const Value& value) {
  if (value.integer()) return *value.integer();
  if (value.boolean()) return *value.boolean() ? 1 : 0;
  return std::nullopt;
}

Result arithmetic(Op op, const Value& a, const Value& b) {
  if (op == Op::Add && a.text() && b.text()) return {*a.text() + *b.text()};
  if (!a.is_number() || !b.is_number()) return unknown(Missing::Absent);
  const auto x = whole(a), y = whole(b);
  if (x && y) return integer_arithmetic(op, *x, *y);
  const double p = a.number(), q = b.number();
  double out = 0;
  switch (op) {
    case Op::Add: out = p + q; break;
    case Op::Sub: out = p - q; break;
    case Op::Mul: out = p * q; break;
    case Op::Div:
    case Op::FloorDiv:
    case Op::Mod:
      if (q == 0) return unknown(Missing::Absent);
      out = op == Op::Div ? p / q : op == Op::FloorDiv ? std::floor(p / q) : p - std::floor(p / q) * q;
      break;
    default: break;
  }
  return std::isfinite(out) ? Result{out} : unknown(Missing::Absent);
}

Result compare(Op op, const Value& a, const Value& b) {
  if (op == Op::Eq) return {a == b};
  if (op == Op::Ne) return {!(a == b)};
  int order = 0;
  if (a.text() && b.text())
    order = a.text()->compare(*b.text());
  else if (a.integer() && b.integer())
    order = *a.integer() < *b.integer() ? -1 : *a.integer() > *b.integer();
  else if (a.is_number() && b.is_number()) {
    if (std::isnan(a.number()) || std::isnan(b.number())) return {false};
    order = a.number() < b.number() ? -1 : a.number() > b.number();
  } else
    return unknown(Missing::Absent);
  switch (op) {
    case Op::Lt: return {order < 0};
    case Op::Le: return {order <= 0};
    case Op::Gt: return {order > 0};
    default: return {order >= 0};
  }
}

Result contains(const Value& item, const Value& in) {
  if (const ValueList* list = in.list()) return {std::find(list->begin(), list->end(), item) != list->end()};
  if (in.text() && item.text()) return {in.text()->find(*item.text()) != std::string::npos};
  return unknown(Missing::Absent);
}

std::string cased(std::string text, bool upper) {
  for (char& c : text)
    if (upper ? (c >= 'a' && c <= 'z') : (c >= 'A' && c <= 'Z')) c = static_cast<char>(c ^ 0x20);
  return text;
}

std::string_view stripped(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

Value parse_integer(std::string_view text) {
  text = stripped(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  i64 out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? Value(out) : Value();
}

Value parse_cell(std::string_view cell) {
  if (cell.empty()) return Null{};
  if (cell == "true" || cell == "false") return cell == "true";
  if (Value integer = parse_integer(cell); integer.integer()) return integer;
  double real = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), real);
  return error == std::errc() && end == cell.data() + cell.size() ? Value(real) : Value(cell);
}

// A list written as Python would evaluate it: lists of integers, + joins, * repeats, parentheses group.
class ItemsReader {
 public:
  explicit ItemsReader(std::string_view text) : text_(text) {}

  Value read() {
    ValueList out;
    return sum(out, 0) && peek() == '\0' ? Value(std::move(out)) : Value();
  }

 private:
  static constexpr std::size_t kLimit = 100000;

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::optional<i64> number() {
    peek();
    i64 out = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    return out;
  }
  bool sum(ValueList& out, int depth) {
    do {
      ValueList part;
      if (!product(part, depth) || out.size() + part.size() > kLimit) return false;
      out.insert(out.end(), part.begin(), part.end());
    } while (take('+'));
    return true;
  }
  bool product(ValueList& out, int depth) {
    if (take('(')) {
      if (depth > 50 || !sum(out, depth + 1) || !take(')')) return false;
    } else if (take('[')) {
      while (!take(']')) {
        const auto item = number();
        if (!item) return false;
        out.push_back(*item);
        if (!take(',') && peek() != ']') return false;
      }
    } else
      return false;
    while (take('*')) {
      const auto times = number();
      if (!times || *times > static_cast<i64>(kLimit)) return false;
      const ValueList unit = out;
      out.clear();
      for (i64 i = 0; i < *times && out.size() <= kLimit; ++i) out.insert(out.end(), unit.begin(), unit.end());
      if (out.size() > kLimit) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// "0:64 1B:128": from where on how much, separated by blanks or commas; K, M, B and T count thousands. By start, earliest first.
std::optional<std::vector<std::pair<i64, i64>>> steps(std::string_view text) {
  std::vector<std::pair<i64, i64>> out;
  const auto amount = [](std::string_view word) -> std::optional<i64> {
    i64 scale = 1;
    static constexpr std::pair<char, i64> kScales[] = {{'K', 1'000}, {'M', 1'000'000}, {'B', 1'000'000'000}, {'T', 1'000'000'000'000}};
    for (const auto& [letter, by] : kScales)
      if (!word.empty() && (word.back() == letter || word.back() == (letter | 0x20))) {
        word.remove_suffix(1);
        scale = by;
        break;
      }
    double number = 0;  // 1.5B is fine
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || error != std::errc() || end != word.data() + word.size() ||
        !(std::fabs(number * static_cast<double>(scale)) < 9e18))
      return std::nullopt;
    return static_cast<i64>(number * static_cast<double>(scale));
  };
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" ,");
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (word.empty()) continue;
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto start = amount(word.substr(0, colon)), size = amount(word.substr(colon + 1));
    if (!start || !size) return std::nullopt;
    out.push_back({*start, *size});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (out.empty()) return std::nullopt;
  return out;
}

}  // namespace

Evaluation::Evaluation(const Schema& schema, std::shared_ptr<const std::vector<Binding>> bindings, const Facts& facts,
                       bool environment_known, std::vector<std::string_view> variants, std::string_view form, bool partial,
                       std::string_view partial_below, std::size_t plan, const FolderModels* models)
    : schema_(&schema),
      bindings_(std::move(bindings)),
      first_(schema.slot_count()),
      next_(bindings_->size() + 1),
      facts_(&facts),
      environment_known_(environment_known),
      partial_(partial),
      plan_(plan),
      models_(models),
      variants_(std::move(variants)),
      form_(form),
      partial_below_(partial_below),
      states_(schema.slot_count()),
      visited_(schema.slot_count()) {
  for (std::size_t i = bindings_->size(); i > 0; --i) {
    std::uint32_t& first = first_[(*bindings_)[i - 1].slot];
    next_[i] = std::exchange(first, static_cast<std::uint32_t>(i));
  }
}

// ---- slots

SlotState& Evaluation::state_of(Slot slot) {
  SlotState*& state = states_[slot];
  if (state) return *state;
  if (made_ % kBlock == 0) blocks_.push_back(std::make_unique<SlotState[]>(kBlock));
  return *(state = &blocks_.back()[made_++ % kBlock]);
}

const SlotState& Evaluation::computed(Slot slot) {
  compute(slot);
  return state_of(slot);
}

void Evaluation::compute(Slot slot) {
  SlotState& state = state_of(slot);
  state.busy = true;
  if (first_[slot] != 0) {
    from_bindings(slot, state);
  } else if (slot < kFieldCount) {
    const Slot same = alias(slot);
    if (same != kNoSlot) {
      const SlotState& source = at(same);
      state.value = source.value, state.missing = source.missing, state.origin = source.origin, state.by = source.by,
      state.before = source.before;
      state.deps = {same};
    } else if (schema_->mapping(slot, plan_) != kNoExpr) {
      from_expression(schema_->mapping(slot, plan_), state);
    }
    const bool unset = state.origin == SlotState::Origin::Nothing || (state.known() && state.value.is_null());
    // What a layer that is not seen may say is no default; that the parts make the whole holds all the same.
    const bool elsewhere = partial_ && !state.known() && (same != kNoSlot || schema_->mapping(slot, plan_) != kNoExpr);
    const ExprId derivation = schema_->field_derivation[slot];
    if (unset && derivation != kNoExpr && (!elsewhere || is_identity(derivation))) {
      const std::vector<Slot> tried = std::exchange(state.deps, {});
      from_expression(derivation, state);
      state.deps.insert(state.deps.end(), tried.begin(), tried.end());
    } else if (unset && same == kNoSlot && schema_->mapping(slot, plan_) != kNoExpr) {
      state.missing = Missing::NotStated;  // a mapping that comes to nothing, and no derivation: nobody says
    }
    // A real where the field wants an integer (or text where it wants a number) came from a loose loader: nothing can be said of it.
    if (state.known() && !(fields()[slot].types & type::of(state.value.kind()))) {
      const bool integral = state.value.real() && (fields()[slot].types & type::Int) &&
                            std::floor(*state.value.real()) == *state.value.real() && std::fabs(*state.value.real()) < 1e15;
      if (integral)
        state.value = static_cast<i64>(*state.value.real());
      else if (!(state.value.is_number() && (fields()[slot].types & type::Real)))
        state.missing = Missing::Absent, state.value = Null{};
    }
  } else if (slot < kFieldCount + schema_->lets.size()) {
    from_expression(schema_->lets[slot - kFieldCount].expr, state);
  } else {
    from_default(slot, state);
  }
  state.busy = false;
  state.ready = true;
}

// A quotient or a product of fields: world_size = nodes * gpus_per_node.
bool Evaluation::is_identity(ExprId id) const {
  const ExprNode& node = schema_->nodes[id];
  if (node.op == Op::Call) return node.function == Function::Exact;
  if (node.op != Op::Mul) return false;
  for (ExprId child = node.a; child != kNoExpr; child = schema_->nodes[child].next)
    if (schema_->nodes[child].op != Op::Read && !is_identity(child)) return false;
  return true;
}

void Evaluation::from_bindings(Slot slot, SlotState& state) {
  const KeySpec* key = schema_->key_of(slot);
  state.missing = Missing::No;
  std::uint32_t last = 0;
  for (std::uint32_t i = first_[slot]; i != 0; last = i, i = next_[i]) state.facts.push_back((*bindings_)[i - 1].fact);
  const bool setting = (*facts_)[state.facts.back()].way == Way::Setting;
  state.origin = setting ? SlotState::Origin::Setting : SlotState::Origin::Written;
  if (!key || !key->per_item()) {
    state.value = (*bindings_)[last - 1].value;
    if ((*bindings_)[last - 1].open) state.missing = Missing::NotStated;
    return;
  }
  ValueList items;
  for (std::uint32_t i = first_[slot]; i != 0; i = next_[i]) {
    const Binding& binding = (*bindings_)[i - 1];
    const auto index = static_cast<std::size_t>(std::max(0, binding.item));
    if (index > kMaxItems) continue;  // an override may name any
    if (index >= items.size()) items.resize(index + 1);
    items[index] = binding.value;
  }
  state.value = std::move(items);
}

void Evaluation::from_default(Slot slot, SlotState& state) {
  const KeySpec& key = *schema_->key_of(slot);
  state.origin = SlotState::Origin::Default;
  const auto nobody_says = [&] {
    state.origin = SlotState::Origin::Nothing;
    state.missing = Missing::NotStated;
  };
  const bool elsewhere = partial_ && (partial_below_.empty() || key.path == partial_below_ ||
                                      (key.path.starts_with(partial_below_) && key.path[partial_below_.size()] == '.'));
  if (elsewhere || (is_variable(key.path) && !environment_known_)) return nobody_says();
  state.missing = Missing::No;
  if (key.per_item()) {
    state.value = ValueList{};
    return;
  }
  // Below an optional section that is null nothing has its default.
  if (key.section >= 0) {
    const Slot section = schema_->key_slot(static_cast<std::size_t>(key.section));
    const SlotState& parent = at(section);
    if (parent.missing == Missing::NotStated && !parent.facts.empty() && !parent.busy) {  // written, and decided elsewhere
      state.deps = {section};
      return nobody_says();
    }
    if (parent.missing == Missing::Spoiled) {
      state.missing = Missing::Spoiled;
      state.deps = {section};
      return;
    }
    // Null because it may be, or because what holds it is.
    const bool optional = (schema_->keys[static_cast<std::size_t>(key.section)].types & type::Null) || !parent.deps.empty();
    if (optional && parent.known() && parent.value.is_null() && !parent.busy) {
      state.value = Null{};
      state.deps = {section};
      return;
    }
  }
  if (!key.has_default || key.defaults.empty()) return;
  std::size_t member = 0;
  for (std::size_t u = 0; u < schema_->unions.size() && !key.members.empty(); ++u) {
    const std::string_view at = schema_->unions[u].at;
    if (variants_.size() <= u || variants_[u].empty() || !key.path.starts_with(at) || key.path.size() == at.size() ||
        key.path[at.size()] != '.')
      continue;
    member = static_cast<std::size_t>(std::find(key.members.begin(), key.members.end(), variants_[u]) - key.members.begin());
    if (member == key.members.size()) return;  // the class that was read has no such key
  }
  const ExprId standard = key.defaults[std::min(member, key.defaults.size() - 1)];
  // The default of one key may be the value of another.
  if (const Op op = schema_->nodes[standard].op; op == Op::Read || op == Op::Call) return from_expression(standard, state);
  state.value = run(standard).value;
}

void Evaluation::from_expression(ExprId expr, SlotState& state) {
  std::vector<Slot> reads;
  if (!spare_.empty()) reads = std::move(spare_.back()), spare_.pop_back();
  const bool within = !shape_.model.empty();  // another expression, which has asked for a shape
  auto outer = within ? std::exchange(shape_, {}) : decltype(shape_)();
  Result result = evaluate(expr, &reads);
  if (!shape_.model.empty() && result.known() && result.value == shape_.value) state.model = shape_.model, state.says = shape_.says;
  if (within || !shape_.model.empty()) shape_ = std::move(outer);
  state.value = std::move(result.value);
  state.missing = result.missing;
  state.origin = SlotState::Origin::Derived;
  state.deps.assign(reads.begin(), reads.end());
  reads.clear();
  spare_.push_back(std::move(reads));
}

const SlotState& Evaluation::read_whole(Slot slot) {
  if (reads_ && std::find(reads_->begin(), reads_->end(), slot) == reads_->end()) reads_->push_back(slot);
  const SlotState& state = at(slot);
  // A name of the schema's own hands on whose shape it is.
  if (!state.model.empty() && slot >= kFieldCount && state.known() && !state.busy) shape_ = {state.model, state.value, state.says};
  return state;
}

Result Evaluation::read(Slot slot) {
  const SlotState& state = read_whole(slot);
  if (state.busy) return unknown(Missing::NotStated);  // a circle that nothing feeds
  if (!state.known()) return unknown(state.missing);
  const KeySpec* key = schema_->key_of(slot);
  if (item_ < 0 || !key || !key->per_item()) return {state.value};
  const ValueList* items = state.value.list();
  const auto index = static_cast<std::size_t>(item_);
  if (items && index < items->size() && !(*items)[index].is_null()) return {(*items)[index]};
  return key->has_default && !key->defaults.empty() ? run(key->defaults[0]) : Result{Null{}};
}

void Evaluation::stale_after(Slot changed) {
  const std::size_t computed = kFieldCount + schema_->lets.size();
  std::vector<bool> stale(states_.size());
  stale[changed] = true;
  // What rests on a stale slot is stale, until nothing more is. What a rewrite or a finding has settled stays.
  for (bool more = true; more;) {
    more = false;
    for (Slot slot = 0; slot < computed; ++slot) {
      if (!states_[slot]) continue;
      const SlotState& state = *states_[slot];
      // A field that is the same as a rewritten key only repeats it.
      const bool rewritten = state.origin == SlotState::Origin::Rewritten && state.by && state.by->set == slot;
      const bool settled = state.missing == Missing::Spoiled || rewritten;
      if (!state.ready || stale[slot] || settled) continue;
      if (std::none_of(state.deps.begin(), state.deps.end(), [&](Slot dep) { return stale[dep]; })) continue;
      stale[slot] = more = true;
    }
  }
  for (Slot slot = 0; slot < computed; ++slot)
    if (stale[slot] && slot != changed && states_[slot]) *states_[slot] = {};
}

void Evaluation::rewrite(Slot slot, Value value, const Clause& by, std::vector<Slot> deps) {
  at(slot);
  stale_after(slot);
  SlotState& state = state_of(slot);
  if (state.origin != SlotState::Origin::Rewritten) state.before = state.value;
  state.value = std::move(value);
  state.missing = Missing::No;
  state.origin = SlotState::Origin::Rewritten;
  state.by = &by;
  state.ready = true;
  // The slot's own past and a dependency on itself would make circles.
  std::erase(deps, slot);
  state.deps.insert(state.deps.end(), deps.begin(), deps.end());
}

void Evaluation::spoil(Slot slot, const Clause* by) {
  at(slot);
  stale_after(slot);
  SlotState& state = state_of(slot);
  state.missing = Missing::Spoiled;
  state.value = Null{};
  state.by = by;
}

// ---- provenance

std::vector<std::uint32_t> Evaluation::root_facts(Slot slot) {
  std::vector<std::uint32_t> out;
  ++walk_;
  const auto visit = [&](auto& self, Slot at_slot) -> void {
    if (!visit_once(at_slot)) return;
    const SlotState& state = at(at_slot);
    for (auto fact = state.facts.rbegin(); fact != state.facts.rend(); ++fact)
      if (std::find(out.begin(), out.end(), *fact) == out.end()) out.push_back(*fact);
    for (Slot dep : state.deps) self(self, dep);
  };
  visit(visit, slot);
  return out;
}

std::vector<Slot> Evaluation::missing_roots(Slot slot) {
  std::vector<Slot> out;
  ++walk_;
  const auto visit = [&](auto& self, Slot at_slot) -> void {
    if (!visit_once(at_slot)) return;
    const SlotState& state = at(at_slot);
    if (state.known() || state.missing == Missing::Spoiled || state.missing == Missing::Inexact) return;
    std::vector<Slot> open;
    for (Slot dep : state.deps)
      if (!at(dep).known()) open.push_back(dep);
    const std::size_t before = out.size();
    for (Slot dep : open) self(self, dep);
    if (out.size() == before && state.missing == Missing::NotStated) out.push_back(at_slot);
  };
  visit(visit, slot);
  return out;
}

std::vector<Slot> Evaluation::inputs(Slot slot) {
  std::vector<Slot> out;
  ++walk_;
  const auto visit = [&](auto& self, Slot at_slot) -> void {
    for (Slot dep : at(at_slot).deps) {
      if (!visit_once(dep)) continue;
      if (dep < kFieldCount || schema_->key_of(dep))
        out.push_back(dep);
      else
        self(self, dep);
    }
  };
  visit(visit, slot);
  return out;
}

std::vector<Slot> Evaluation::unwritten_keys(Slot slot) {
  std::vector<Slot> out;
  ++walk_;
  const auto visit = [&](auto& self, Slot at_slot) -> void {
    if (!visit_once(at_slot)) return;
    const SlotState& state = at(at_slot);
    const KeySpec* key = schema_->key_of(at_slot);
    if (key && state.facts.empty() && !key->per_item() && !(key->types & type::Map)) out.push_back(at_slot);
    for (Slot dep : state.deps) self(self, dep);
  };
  visit(visit, slot);
  return out;
}

bool Evaluation::user_wrote(Slot slot) {
  for (std::uint32_t fact : root_facts(slot))
    if (by_user(fact) && !(*facts_)[fact].inherited) return true;
  return false;
}

bool Evaluation::written_but_unknown(Slot slot) {
  ++walk_;
  const auto visit = [&](auto& self, Slot at_slot) -> bool {
    const SlotState& state = at(at_slot);
    if (state.known() || !visit_once(at_slot)) return false;
    if (state.missing == Missing::Spoiled || !state.facts.empty()) return true;
    return std::any_of(state.deps.begin(), state.deps.end(), [&](Slot dep) { return self(self, dep); });
  };
  return visit(visit, slot);
}

// ---- expressions

template <class Answer>
Answer Evaluation::outermost(Answer (Evaluation::*compute)(ExprId), ExprId expr, std::vector<Slot>* reads) {
  std::vector<Slot>* const outer = std::exchange(reads_, reads);
  const std::int32_t outer_item = std::exchange(item_, -1);
  Answer answer = (this->*compute)(expr);
  reads_ = outer;
  item_ = outer_item;
  return answer;
}

Result Evaluation::evaluate(ExprId expr, std::vector<Slot>* reads) { return outermost(&Evaluation::run, expr, reads); }
Truth Evaluation::holds(ExprId condition, std::vector<Slot>* reads) { return outermost(&Evaluation::decide, condition, reads); }

// The value of an expression where it lies: a slot's own, or what is computed into `room`. Null if it is unknown; `room` says why.
const Value* Evaluation::look(ExprId expr, Result& room) {
  const ExprNode& node = schema_->nodes[expr];
  if (node.op == Op::Read && item_ < 0) {
    const SlotState& state = read_whole(node.slot);
    if (state.known() && !state.busy) return &state.value;
    room.missing = state.busy ? Missing::NotStated : state.missing;
    return nullptr;
  }
  room = run(expr);
  return room.known() ? &room.value : nullptr;
}

Result Evaluation::run(ExprId expr) {
  const ExprNode& node = schema_->nodes[expr];
  switch (node.op) {
    case Op::Const: return {schema_->constants[node.a].value()};
    case Op::Read: return read(node.slot);
    case Op::MakeList: {
      ValueList items;
      for (ExprId id = node.a; id != kNoExpr; id = schema_->nodes[id].next) {
        Result item = run(id);
        if (!item.known()) return item;
        items.push_back(std::move(item.value));
      }
      return {std::move(items)};
    }
    case Op::Neg: {
      Result room;
      const Value* value = look(node.a, room);
      return value ? arithmetic(Op::Sub, 0, *value) : room;
    }
    case Op::Call:
      if (node.function == Function::Written || node.function == Function::Known || node.function == Function::Set) break;
      return call(node);
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::FloorDiv:
    case Op::Mod: {
      Result left_room, right_room;
      const Value* left = look(node.a, left_room);
      const Value* right = look(schema_->nodes[node.a].next, right_room);
      if (!left) return unknown(left_room.missing);
      if (!right) return unknown(right_room.missing);
      return arithmetic(node.op, *left, *right);
    }
    default: break;
  }
  const Truth truth = decide(expr);
  return truth.known() ? Result{truth.is == Truth::Yes} : unknown(truth.missing);
}

// Conditions, which are most of the law.
Truth Evaluation::decide(ExprId expr) {
  const ExprNode& node = schema_->nodes[expr];
  const auto said = [](bool yes) { return Truth{yes ? Truth::Yes : Truth::No}; };
  const auto open = [](Missing why) { return Truth{Truth::Other, why}; };
  const auto truth_of = [&](const Value& value) {
    if (value.is_null()) return Truth{Truth::Null};
    return value.boolean() ? said(*value.boolean()) : Truth{Truth::Other};
  };
  switch (node.op) {
    case Op::Read: {
      if (item_ >= 0) break;
      const SlotState& state = read_whole(node.slot);
      return state.known() && !state.busy ? truth_of(state.value) : open(state.busy ? Missing::NotStated : state.missing);
    }
    case Op::Not: {
      const Truth inner = decide(node.a);
      return !inner.known() ? inner : inner.is == Truth::Other ? open(Missing::Absent) : said(inner.is != Truth::Yes);
    }
    case Op::And:
    case Op::Or:
    case Op::Implies: {
      // Kleene: a decided side decides; otherwise the first unknown is the answer. Null counts as false.
      const bool decisive = node.op != Op::And;
      Truth answer = said(!decisive);
      bool first = true;
      for (ExprId id = node.a; id != kNoExpr; id = schema_->nodes[id].next) {
        Truth inner = decide(id);
        if (inner.known() && inner.is == Truth::Other) inner = open(Missing::Absent);
        const bool negate = node.op == Op::Implies && first;
        first = false;
        if (inner.known() && ((inner.is == Truth::Yes) != negate) == decisive) return said(decisive);
        if (!inner.known() && answer.known()) answer = inner;
      }
      return answer;
    }
    case Op::Eq:
    case Op::Ne: {
      const ExprId right = schema_->nodes[node.a].next;
      Result left_room, right_room;
      const Value* a = look(node.a, left_room);
      if (schema_->nodes[right].op == Op::Const)  // compared where it lies: most are words
        return a ? said((schema_->constants[schema_->nodes[right].a].is(*a)) == (node.op == Op::Eq)) : open(left_room.missing);
      const Value* b = look(right, right_room);
      if (!a) return open(left_room.missing);
      if (!b) return open(right_room.missing);
      return said((*a == *b) == (node.op == Op::Eq));
    }
    case Op::In:
    case Op::NotIn: {
      const ExprNode& list = schema_->nodes[schema_->nodes[node.a].next];
      Result left_room, right_room;
      const Value* item = look(node.a, left_room);
      bool constant = list.op == Op::MakeList;
      for (ExprId id = list.a; constant && id != kNoExpr; id = schema_->nodes[id].next) constant = schema_->nodes[id].op == Op::Const;
      if (constant) {
        if (!item) return open(left_room.missing);
        bool found = false;
        for (ExprId id = list.a; !found && id != kNoExpr; id = schema_->nodes[id].next)
          found = schema_->constants[schema_->nodes[id].a].is(*item);
        return said(found == (node.op == Op::In));
      }
      const Value* in = look(schema_->nodes[node.a].next, right_room);
      if (!item) return open(left_room.missing);
      if (!in) return open(right_room.missing);
      const Result found = contains(*item, *in);
      return found.known() ? said(*found.value.boolean() == (node.op == Op::In)) : open(found.missing);
    }
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: {
      Result left_room, right_room;
      const Value* left = look(node.a, left_room);
      const Value* right = look(schema_->nodes[node.a].next, right_room);
      if (!left) return open(left_room.missing);
      if (!right) return open(right_room.missing);
      const Result answer = compare(node.op, *left, *right);
      return answer.known() ? said(*answer.value.boolean()) : open(answer.missing);
    }
    case Op::Call:
      switch (node.function) {
        case Function::Written: return said(is_written(schema_->nodes[node.a].slot));
        case Function::Known: {
          Result room;
          return said(look(node.a, room) != nullptr);
        }
        case Function::Set: {
          Result room;
          const Value* value = look(node.a, room);
          return value ? said(!value->is_null()) : open(room.missing);
        }
        case Function::If: {
          const Truth condition = decide(node.a);
          if (!condition.known()) return condition;
          const ExprId yes = schema_->nodes[node.a].next;
          return decide(condition.is == Truth::Yes ? yes : schema_->nodes[yes].next);
        }
        default: break;
      }
      break;
    default: break;
  }
  Result room;
  const Value* value = look(expr, room);
  return value ? truth_of(*value) : open(room.missing);
}

// What is not written has no part in what was found: its default is no reason.
bool Evaluation::is_written(Slot slot) {
  for (std::uint32_t fact : at(slot).facts)
    if (by_user(fact)) return read_whole(slot), true;
  // A field is written where the key that it is the same as is.
  if (slot < kFieldCount && alias(slot) != kNoSlot)
    for (std::uint32_t fact : at(alias(slot)).facts)
      if (by_user(fact)) return true;
  return false;
}

Result Evaluation::call(const ExprNode& node) {
  std::array<ExprId, kMostArguments> ids;
  std::size_t given = 0;
  for (ExprId id = node.a; id != kNoExpr && given < kMostArguments; id = schema_->nodes[id].next) ids[given++] = id;
  const std::span<const ExprId> children(ids.data(), given);
  const auto slot_of = [&](std::size_t i) { return schema_->nodes[children[i]].slot; };

  // These look at how a value stands, not at the value.
  switch (node.function) {
    case Function::If: {
      const Truth condition = decide(children[0]);
      if (!condition.known()) return unknown(condition.missing);
      return run(condition.is == Truth::Yes ? children[1] : children[2]);
    }
    case Function::Overridden: {
      for (std::uint32_t fact : at(slot_of(0)).facts)
        if ((*facts_)[fact].way == Way::Override) return read(slot_of(0)), Result{true};
      return {false};
    }
    case Function::Started:
      return {
          std::any_of(facts_->begin(), facts_->end(), [](const Fact& fact) { return fact.way == Way::Setting && fact.path == kStarted; })};
    case Function::Default: {
      Result room;
      const Value* value = look(children[0], room);
      return !value ? room : value->is_null() ? run(children[1]) : Result{*value};
    }
    case Function::Variant: {
      const KeySpec* key = schema_->key_of(slot_of(0));
      read(slot_of(0));
      for (std::size_t u = 0; key && u < schema_->unions.size(); ++u)
        if (schema_->unions[u].at == key->path && u < variants_.size() && !variants_[u].empty()) return {Value(variants_[u])};
      return {Null{}};
    }
    case Function::Form: {
      const Result name = run(children[0]);
      return {Value(name.value.text() && *name.value.text() == form_)};
    }
    case Function::Plural: {
      // Part of a message: a number that is not known leaves its noun standing.
      const Result number = run(children[0]), noun = run(children[1]), many = children.size() > 2 ? run(children[2]) : Result{Null{}};
      if (!noun.value.text()) return unknown(Missing::Absent);
      const std::string more = many.value.text() ? *many.value.text() : many_of(*noun.value.text());
      if (!number.known()) return {Value("? " + more)};
      if (const auto count = whole(number.value)) return {Value(plural(*count, *noun.value.text(), more))};
      return {Value((number.value.is_null() ? "no" : to_string(number.value)) + " " + more)};
    }
    case Function::Each: {
      std::size_t count = 0;
      const auto visit = [&](auto& self, ExprId id) -> void {
        const ExprNode& inner = schema_->nodes[id];
        if (inner.op == Op::Read) {
          const KeySpec* key = schema_->key_of(inner.slot);
          if (!key || !key->per_item()) return;
          if (const ValueList* items = at(inner.slot).value.list()) count = std::max(count, items->size());
          if (key->section >= 0)
            if (const ValueList* items = at(schema_->key_slot(static_cast<std::size_t>(key->section))).value.list())
              count = std::max(count, items->size());
        } else if (inner.op != Op::Const) {
          for (ExprId next = inner.a; next != kNoExpr; next = schema_->nodes[next].next) self(self, next);
        }
      };
      visit(visit, children[0]);
      const std::int32_t outer = item_;
      Result open{true};
      for (std::size_t i = 0; i < count; ++i) {
        item_ = static_cast<std::int32_t>(i);
        const Result value = run(children[0]);
        if (value.is(false)) {
          item_ = outer;
          return {false};
        }
        if (!value.known() && open.known()) open = value;
      }
      item_ = outer;
      if (count == 0) run(children[0]);  // its slots still count as read
      return open;
    }
    default: break;
  }

  std::array<Result, 3> few;
  std::vector<Result> many(children.size() > few.size() ? children.size() : 0);
  std::array<const Value*, kMostArguments> values;
  for (std::size_t i = 0; i < children.size(); ++i) {
    Result& room = many.empty() ? few[i] : many[i];
    values[i] = look(children[i], room);
    if (!values[i]) return unknown(room.missing);
  }
  const std::span<const Value* const> arguments(values.data(), children.size());
  const auto arg = [&](std::size_t i) -> const Value& { return *values[i]; };
  const Result none = unknown(Missing::Absent);
  switch (node.function) {
    case Function::Divides: {
      const Result rest = arithmetic(Op::Mod, arg(1), arg(0));
      return rest.known() ? Result{rest.value.number() == 0} : rest;
    }
    case Function::Exact: {
      const auto a = whole(arg(0)), b = whole(arg(1));
      if (!a || !b) return none;
      const Result rest = integer_arithmetic(Op::Mod, *a, *b);
      return rest.known() && *rest.value.integer() != 0 ? unknown(Missing::Inexact) : integer_arithmetic(Op::FloorDiv, *a, *b);
    }
    case Function::CeilDiv: {
      const auto a = whole(arg(0)), b = whole(arg(1));
      if (!a || !b || *b == 0 || *a == INT64_MIN) return none;
      return {-floor_div(-*a, *b)};
    }
    case Function::Min:
    case Function::Max: {
      const ValueList* list = arguments.size() == 1 ? arg(0).list() : nullptr;
      std::vector<Value> all;
      if (list)
        all = *list;
      else
        for (const Value* value : arguments) all.push_back(*value);
      std::optional<Value> best;
      for (const Value& value : all) {
        if (value.is_null()) continue;
        if (!best) {
          best = value;
          continue;
        }
        const Result less = compare(Op::Lt, value, *best);
        if (!less.known()) return none;
        if (less.is(node.function == Function::Min) && !(value == *best)) best = value;
      }
      return best ? Result{*best} : none;
    }
    case Function::Abs: return arg(0).is_number() && arg(0).number() < 0 ? arithmetic(Op::Sub, 0, arg(0)) : Result{arg(0)};
    case Function::Round:
    case Function::Floor: {
      if (const auto integer = whole(arg(0))) return {*integer};
      if (!arg(0).real() || !(std::fabs(*arg(0).real()) < 9e18)) return none;
      return {static_cast<i64>(node.function == Function::Round ? std::nearbyint(arg(0).number()) : std::floor(arg(0).number()))};
    }
    case Function::Len:
      if (arg(0).list()) return {static_cast<i64>(arg(0).list()->size())};
      if (arg(0).text()) return {static_cast<i64>(arg(0).text()->size())};
      return arg(0).map() ? Result{static_cast<i64>(arg(0).map()->size)} : none;
    case Function::Sum: {
      if (!arg(0).list()) return none;
      Result total{i64{0}};
      for (const Value& item : *arg(0).list())
        if (total.known()) total = arithmetic(Op::Add, total.value, item);
      return total;
    }
    case Function::Unique: {
      if (!arg(0).list()) return none;
      const ValueList& list = *arg(0).list();
      for (std::size_t i = 0; i < list.size(); ++i)
        if (!list[i].is_null() && std::find(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end(), list[i]) != list.end())
          return {false};
      return {true};
    }
    case Function::Count: {
      if (const ValueList* list = arg(0).list()) return {static_cast<i64>(std::count(list->begin(), list->end(), arg(1)))};
      if (!arg(0).text() || !arg(1).text() || arg(1).text()->empty()) return none;
      i64 count = 0;
      for (std::size_t i = arg(0).text()->find(*arg(1).text()); i != std::string::npos;
           i = arg(0).text()->find(*arg(1).text(), i + arg(1).text()->size()))
        ++count;
      return {count};
    }
    case Function::At: {
      const auto index = whole(arg(1));
      if (!index) return none;
      const auto size = static_cast<i64>(arg(0).list() ? arg(0).list()->size() : arg(0).text() ? arg(0).text()->size() : 0);
      const i64 i = *index < 0 ? *index + size : *index;
      if (i < 0 || i >= size) return {Null{}};
      return arg(0).list() ? Result{(*arg(0).list())[static_cast<std::size_t>(i)]}
                           : Result{arg(0).text()->substr(static_cast<std::size_t>(i), 1)};
    }
    case Function::Lower:
    case Function::Upper: return arg(0).text() ? Result{cased(*arg(0).text(), node.function == Function::Upper)} : Result{arg(0)};
    case Function::Strip: return arg(0).text() ? Result{Value(stripped(*arg(0).text()))} : Result{arg(0)};
    case Function::StartsWith:
    case Function::EndsWith:
      if (!arg(0).text() || !arg(1).text()) return none;
      return {node.function == Function::StartsWith ? arg(0).text()->starts_with(*arg(1).text())
                                                    : arg(0).text()->ends_with(*arg(1).text())};
    case Function::Contains: return contains(arg(1), arg(0));
    case Function::Split: {
      if (!arg(0).text() || !arg(1).text() || arg(1).text()->empty()) return none;
      ValueList parts;
      for (std::size_t begin = 0;;) {
        const std::size_t end = arg(0).text()->find(*arg(1).text(), begin);
        parts.push_back(arg(0).text()->substr(begin, end == std::string::npos ? end : end - begin));
        if (end == std::string::npos) return {std::move(parts)};
        begin = end + arg(1).text()->size();
      }
    }
    case Function::ToInt: {
      if (arg(0).text()) return {parse_integer(*arg(0).text())};
      if (const auto integer = whole(arg(0))) return {*integer};
      return arg(0).real() && std::fabs(*arg(0).real()) < 9e18 ? Result{static_cast<i64>(*arg(0).real())} : Result{Null{}};
    }
    case Function::ToReal: {
      if (!arg(0).text()) return {arg(0).is_number() ? Value(arg(0).number()) : Value()};
      const std::string& text = *arg(0).text();
      double real = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
      return {error == std::errc() && end == text.data() + text.size() && !text.empty() ? Value(real) : Value()};
    }
    case Function::Digits:
      if (!arg(0).text()) return none;
      return {!arg(0).text()->empty() && arg(0).text()->find_first_not_of("0123456789") == std::string::npos};
    case Function::Str: return {to_string(arg(0))};
    case Function::Lookup: return lookup(arguments);
    case Function::Shape: return shape(arg(0), arg(1));
    case Function::Join: {
      if (!arg(0).list() || !arg(1).text()) return none;
      std::string out;
      for (const Value& item : *arg(0).list())
        out += (out.empty() && &item == arg(0).list()->data() ? "" : *arg(1).text()) + to_string(item);
      return {std::move(out)};
    }
    case Function::Except: {
      if (!arg(0).list() || !arg(1).list()) return none;
      ValueList rest;
      for (const Value& item : *arg(0).list())
        if (std::find(arg(1).list()->begin(), arg(1).list()->end(), item) == arg(1).list()->end()) rest.push_back(item);
      return {std::move(rest)};
    }
    case Function::Where: {
      if (!arg(0).list() || !arg(1).text()) return none;
      ValueList places;
      for (std::size_t i = 0; i < arg(0).list()->size(); ++i)
        if (contains(arg(1), (*arg(0).list())[i]).is(true)) places.push_back(static_cast<i64>(i));
      return {std::move(places)};
    }
    case Function::Only:
      if (!arg(0).text() || !arg(1).text()) return none;
      return {arg(0).text()->find_first_not_of(*arg(1).text()) == std::string::npos};
    case Function::Items: return arg(0).text() ? Result{ItemsReader(*arg(0).text()).read()} : Result{Null{}};
    case Function::StepStarts:
    case Function::StepSizes: {
      const auto all = arg(0).text() ? steps(*arg(0).text()) : std::nullopt;
      if (!all) return {Null{}};
      const auto unit = arguments.size() > 1 ? whole(arg(1)) : std::nullopt;
      if (node.function == Function::StepStarts && (!unit || *unit <= 0)) return none;
      ValueList out;
      for (const auto& [start, size] : *all) out.push_back(node.function == Function::StepStarts ? floor_div(start, *unit) : size);
      return {std::move(out)};
    }
    case Function::Layout: {
      const auto chunks = arg(0).text() ? pipeline_layout(*arg(0).text()) : std::nullopt;
      return chunks ? Result{ValueList(chunks->begin(), chunks->end())} : Result{Null{}};
    }
    default: return none;
  }
}

Result Evaluation::lookup(std::span<const Value* const> arguments) const {
  // A team may have cards of its own, or know better than the table: [gpus] of shardlint.toml.
  if (*arguments[0]->text() == "gpus" && arguments[2]->text()) {
    const std::string own = fmt::format("gpus.{}.{}", *arguments[2]->text(), *arguments[1]->text());
    for (auto fact = facts_->rbegin(); fact != facts_->rend(); ++fact)
      if (fact->way == Way::Setting && fact->path == own) return {fact->value};
  }
  for (const TableSpec& table : schema_->tables) {
    if (table.name != *arguments[0]->text()) continue;
    const std::size_t width = table.columns.size();
    const auto column =
        static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), *arguments[1]->text()) - table.columns.begin());
    for (std::size_t row = 0; row + width <= table.cells.size(); row += width) {
      bool fits = true;
      for (std::size_t k = 2; k < arguments.size(); ++k) fits &= arguments[k]->text() && table.cells[row + k - 2] == *arguments[k]->text();
      if (fits) return {parse_cell(table.cells[row + column])};
    }
  }
  return {Null{}};
}

Result Evaluation::shape(const Value& name, const Value& column) {
  const ModelShape* model = nullptr;
  const FolderModel::Says* says = nullptr;
  const std::size_t wanted = *shape_column(*column.text());
  if (models_ && name.text())
    if (const auto own = models_->find(*name.text()); own != models_->end())
      model = &own->second.shape, says = own->second.says[wanted].place ? &own->second.says[wanted] : nullptr;
  if (!model && name.text()) model = model_named(*name.text());
  if (!model || model->cells[wanted] == ModelShape::kUnknown) return unknown(Missing::NotStated);
  shape_ = {*model_names_.insert(*name.text()).first, model->at(wanted), says};
  return {shape_.value};
}

std::string Evaluation::format(std::span<const Segment> message) {
  std::string out;
  for (const Segment& segment : message) {
    out += segment.text;
    if (segment.expr == kNoExpr) continue;
    const Result result = evaluate(segment.expr);
    if (!result.known())
      out += '?';
    else if (result.value.integer())
      out += grouped(*result.value.integer());
    else if (schema_->nodes[segment.expr].op == Op::Read && result.value.text() && result.value.text()->empty())
      out += "''";  // a value, not a word of the message
    else
      out += to_string(result.value);
  }
  return out;
}

}  // namespace shardlint
