#include "checker/plan/plan.h"

#include <utility>

#include <fmt/format.h>

namespace shardlint {

namespace {

template <class T>
std::optional<T> as(const Value& value) {
  if constexpr (std::is_same_v<T, i64>) return value.integer() ? std::optional(*value.integer()) : std::nullopt;
  if constexpr (std::is_same_v<T, double>) return value.integer() || value.real() ? std::optional(value.number()) : std::nullopt;
  if constexpr (std::is_same_v<T, bool>) return value.boolean() ? std::optional(*value.boolean()) : std::nullopt;
  if constexpr (std::is_same_v<T, std::string>) return value.text() ? std::optional(*value.text()) : std::nullopt;
  if constexpr (std::is_same_v<T, Value>) return value.is_null() ? std::nullopt : std::optional(value);
}

template <class T>
void fill(PlanField<T>& out, Field field, Evaluation& evaluation) {
  const SlotState& state = evaluation.at(field);
  out.field = field;
  out.stated = state.known();
  if (state.known())
    out.value = as<T>(state.value);
  else
    out.open = evaluation.written_but_unknown(slot(field));
}

}  // namespace

Plan make_plan(Evaluation& evaluation) {
  Plan plan;
#define FIELD(member, name, type, derivation, doc) fill(plan.member, Field::member, evaluation), plan.open |= plan.member.open;
#include "checker/plan/fields.def"
#undef FIELD
  return plan;
}

std::vector<Slot> guessed(const Plan& plan) {
  std::vector<Slot> out;
  if (!plan.open) return out;
  const auto look = [&](const auto& field) {
    if (std::exchange(field.looked, false) && field.open) out.push_back(slot(field.field));
  };
#define FIELD(member, name, type, derivation, doc) look(plan.member);
#include "checker/plan/fields.def"
#undef FIELD
  return out;
}

std::string dump(Evaluation& evaluation) {
  std::string out;
  for (Slot slot = 0; slot < kFieldCount; ++slot) {
    const SlotState& state = evaluation.at(slot);
    if (state.known() && !state.value.is_null())
      out += fmt::format("{}{}={}", out.empty() ? "" : " ", fields()[slot].name, to_string(state.value));
  }
  return out;
}

}  // namespace shardlint
