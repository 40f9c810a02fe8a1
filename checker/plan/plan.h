// The plan: what one run will do, in the field's words, whichever framework spells it. Immutable once made; rules read nothing else.
//
// Every field is known, or it is not (unset without a default, or unknown): `known(plan.tp, plan.pp)` gives the values where all are
// there. Where a value came from stays behind in the evaluation that the plan was made from, addressed by the field's identity.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "checker/plan/evaluation.h"

namespace shardlint {

template <class T>
struct PlanField {
  Field field{};
  std::optional<T> value;
  bool stated = false;  // null counts as stated: "no experts" is an answer
  bool open = false;    // something is written, but nobody knows its value
  mutable bool looked = false;

  explicit operator bool() const { return looked = true, value.has_value(); }
  const T& operator*() const { return *value; }
  T value_or(T otherwise) const { return looked = true, value.value_or(std::move(otherwise)); }
};

struct Plan {
  using Int = i64;
  using Real = double;
  using Bool = bool;
  using Str = std::string;
  using Any = Value;
#define FIELD(member, name, type, derivation, doc) PlanField<type> member;
#include "checker/plan/fields.def"
#undef FIELD
  bool open = false;  // one of the fields is
};

// Reads every field of the evaluation.
Plan make_plan(Evaluation& evaluation);

// The open fields that were looked at since the last call: whoever took one of them for absent was guessing.
std::vector<Slot> guessed(const Plan& plan);

// One line: the known fields in the order of fields.def, e.g. "world_size=5120 tp=8 ...".
std::string dump(Evaluation& evaluation);

// The values, where all fields have one.
template <class... T>
std::optional<std::tuple<T...>> known(const PlanField<T>&... fields) {
  if ((fields.value.has_value() && ...)) return std::tuple<T...>(*fields.value...);
  return std::nullopt;
}

}  // namespace shardlint
