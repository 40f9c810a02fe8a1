#include "checker/cxx/value.h"

#include <algorithm>

namespace shardlint::cxx {

bool same(const Val& a, const Val& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Val::Kind::Unknown: return false;
    case Val::Kind::Unset: return true;
    case Val::Kind::Int:
    case Val::Kind::Bool: return a.integer == b.integer;
    case Val::Kind::Enum: return a.integer == b.integer && a.enumerator == b.enumerator;
    case Val::Kind::Real: return a.real == b.real;
    case Val::Kind::Str: return a.text == b.text;
    case Val::Kind::Pointer: return a.target == b.target;
    case Val::Kind::Lambda: return a.lambda == b.lambda;
    case Val::Kind::List: return a.items.size() == b.items.size() && std::equal(a.items.begin(), a.items.end(), b.items.begin(), same);
    case Val::Kind::Object: {
      const auto equal = [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); };
      return !a.open && !b.open && a.members.size() == b.members.size() && a.canonical.size() == b.canonical.size() &&
             std::equal(a.members.begin(), a.members.end(), b.members.begin(), equal) &&
             std::equal(a.canonical.begin(), a.canonical.end(), b.canonical.begin(), equal);
    }
  }
  return false;
}

namespace {

Val differs(const Val& a) {
  Val out = unknown("it differs between branches");
  out.record = a.record, out.origin = a.origin;
  return out;
}

}  // namespace

Val join(const Val& a, const Val& b) {
  if (!a.known()) return a;
  if (!b.known()) return b;
  if (a.kind == Val::Kind::Object && b.kind == Val::Kind::Object && a.record == b.record && a.keyed == b.keyed) {
    Val out = a;
    out.open = a.open || b.open || (a.keyed && a.members.size() != b.members.size());
    for (const bool canonical : {false, true}) {
      auto& members = canonical ? out.canonical : out.members;
      const auto& others = canonical ? b.canonical : b.members;
      for (auto& [name, value] : members) {
        const auto other = others.find(name);
        value = other == others.end() ? differs(value) : join(value, other->second);
      }
      for (const auto& [name, value] : others)
        if (!members.contains(name)) members[name] = differs(value);
    }
    return out;
  }
  if (a.kind == Val::Kind::List && b.kind == Val::Kind::List && a.items.size() == b.items.size()) {
    Val out = a;
    for (std::size_t i = 0; i < out.items.size(); ++i) out.items[i] = join(a.items[i], b.items[i]);
    return out;
  }
  if (!same(a, b)) return differs(a);
  Val out = a;
  if (a.origin.spelled != b.origin.spelled) out.origin.several = true, out.origin.literal = false;
  return a.origin.from == b.origin.from && a.origin.word == b.origin.word ? out : rests_on(std::move(out), b);
}

bool by_flag(const Val& value) { return value.origin.from >= From::FlagKept; }

Val rests_on(Val out, const Val& a, const Val& b) {
  for (const Val* one : {&a, &b})
    if (by_flag(*one) && (one->origin.from > out.origin.from || !by_flag(out))) {
      out.origin.from = one->origin.from, out.origin.word = one->origin.word, out.origin.negated = one->origin.negated;
      out.origin.direct = false, out.origin.literal = false;
    }
  return out;
}

const Val* State::find(const Where& where) const {
  const auto cell = cells.find(where.cell);
  if (cell == cells.end()) return nullptr;
  const Val* at = &cell->second;
  for (const std::string& member : where.path) {
    const auto inner = at->members.find(member);
    if (inner == at->members.end()) return nullptr;
    at = &inner->second;
  }
  return at;
}

Val* State::find(const Where& where) { return const_cast<Val*>(std::as_const(*this).find(where)); }

State join(State a, State b) {
  if (!a.live) return b;
  if (!b.live) return a;
  State out = std::move(a);
  for (auto& [cell, value] : out.cells)
    if (const auto other = b.cells.find(cell); other != b.cells.end()) value = join(value, other->second);
  for (auto& [cell, value] : b.cells) out.cells.try_emplace(cell, std::move(value));
  for (Where& where : b.escaped)
    if (std::find(out.escaped.begin(), out.escaped.end(), where) == out.escaped.end()) out.escaped.push_back(std::move(where));
  return out;
}

}  // namespace shardlint::cxx
