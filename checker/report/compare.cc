#include "checker/report/compare.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "checker/plan/memory.h"
#include "checker/plan/network.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/time.h"

namespace shardlint {

namespace {

bool follows(const FieldReport& field) {
  return field.origin.starts_with("from ") || field.origin == "by definition" || field.origin.starts_with("known shape");
}

// Null is an answer too ("no experts"), if somebody gives it.
bool is_known(const FieldReport& field) {
  return field.value || !(field.origin.empty() || field.origin == "not stated" || field.origin.starts_with("needs "));
}

bool equal(const Account& a, const Account& b) {
  return std::fabs(a.value - b.value) <= 1e-9 * std::max(std::fabs(a.value), std::fabs(b.value));
}

PlanDifference compare(const PlanReport& before, const PlanReport& after) {
  PlanDifference out{&before, &after, {}, {}, {}, {}};
  for (const FieldReport& field : before.fields) {
    const auto other = std::find_if(after.fields.begin(), after.fields.end(), [&](const FieldReport& f) { return f.name == field.name; });
    if (other == after.fields.end()) continue;
    if (is_known(field) && is_known(*other)) {
      const Value a = field.value.value_or(Null{}), b = other->value.value_or(Null{});
      if (!(a == b)) out.fields.push_back({&field, &*other, follows(field) && follows(*other)});
    } else if (field.value && !is_known(*other)) {
      out.only_before.push_back(&field);
    } else if (other->value && !is_known(field)) {
      out.only_after.push_back(&*other);
    }
  }
  if (!before.plan || !after.plan) return out;
  const std::vector<Account> left = accounts(*before.plan), right = accounts(*after.plan);
  for (const Account& account : left) {
    const auto other = std::find_if(right.begin(), right.end(), [&](const Account& a) { return a.title == account.title; });
    if (other != right.end() && !equal(account, *other)) out.accounts.push_back({account, *other});
  }
  return out;
}

}  // namespace

std::vector<Account> accounts(const Plan& plan) {
  using Unit = Account::Unit;
  std::vector<Account> out;
  if (const auto found = memory(plan)) {
    const std::string stage = fmt::format("memory.stages[{}].", found->fullest);
    const StageMemory& fullest = found->stages[found->fullest];
    out.push_back({"memory.parameters", "parameters", Unit::Count, found->parameters});
    out.push_back({stage + "total.expected", "memory, fullest stage", Unit::Bytes, fullest.total().expected});
    out.push_back({stage + "weights_bytes", "  weights", Unit::Bytes, fullest.state.weights});
    out.push_back({stage + "gradients_bytes", "  gradients", Unit::Bytes, fullest.state.gradients});
    out.push_back({stage + "optimizer_bytes", "  optimizer", Unit::Bytes, fullest.state.master + fullest.state.moments});
    out.push_back({stage + "activation_bytes", "  activations", Unit::Bytes, fullest.activations.expected});
    out.push_back({"memory.checkpoint_bytes", "checkpoint", Unit::Bytes, found->checkpoint});
  }
  if (const auto share = bubble_share(plan)) out.push_back({"pipeline.bubble_share", "bubble", Unit::Share, *share});
  if (const auto wires = traffic(plan))
    for (const char* axis : {"TP", "CP", "PP", "EP", "DP", "FSDP"}) {
      // An axis that does not talk sends nothing.
      const auto wire = std::find_if(wires->begin(), wires->end(), [&](const Traffic& traffic) { return traffic.axis == axis; });
      out.push_back({wire == wires->end() ? "" : fmt::format("network[{}].bytes", wire - wires->begin()), fmt::format("{} bytes", axis),
                     Unit::Bytes, wire == wires->end() ? 0 : wire->bytes});
    }
  if (const auto time = step_time(plan)) {
    out.push_back({"time.step_seconds.expected", "step, expected", Unit::Seconds, time->seconds.expected});
    out.push_back({"time.step_seconds.high", "step, nothing hidden", Unit::Seconds, time->seconds.high});
    out.push_back({"time.tokens_per_second", "tokens a second", Unit::Count, time->tokens_per_second});
    if (time->days) out.push_back({"time.days", "whole run", Unit::Days, *time->days});
  }
  return out;
}

std::vector<PlanDifference> compare(const CheckResult& before, const CheckResult& after) {
  if (before.plans.size() == 1 && after.plans.size() == 1) return {compare(before.plans[0], after.plans[0])};
  const auto named = [](const CheckResult& result, const std::string& name) {
    const auto found = std::find_if(result.plans.begin(), result.plans.end(), [&](const PlanReport& plan) { return plan.name == name; });
    return found == result.plans.end() ? nullptr : &*found;
  };
  std::vector<PlanDifference> out;
  for (const PlanReport& plan : before.plans)
    if (const PlanReport* other = named(after, plan.name))
      out.push_back(compare(plan, *other));
    else
      out.push_back({&plan, nullptr, {}, {}, {}, {}});
  for (const PlanReport& plan : after.plans)
    if (!named(before, plan.name)) out.push_back({nullptr, &plan, {}, {}, {}, {}});
  return out;
}

}  // namespace shardlint
