// Expert parallelism gives every rank whole experts, as many as every other rank.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"moe/experts-not-divisible-by-ep", "moe", Severity::Error, "0.1", "experts is not a multiple of ep"};

void check(const Plan& plan, Sink& sink) {
  if (plan.ep.value_or(0) == 1 || (plan.experts.stated && !plan.experts)) return;
  const auto values = counts(plan.experts, plan.ep);
  if (!values) return sink.missing(kInfo, plan.experts, plan.ep);
  const auto [experts, ep] = *values;
  if (experts % ep == 0) return;
  sink.report(kInfo, "{} cannot be shared by {}", plural(experts, "expert"), plural(ep, "expert-parallel rank"))
      .effect("every rank takes whole experts, as many as every other")
      .blame(plan.ep, plan.experts)
      .rather_change(plan.ep, plan.experts);
}

}  // namespace

extern constinit const Rule experts_not_divisible_by_ep{&kInfo, check};

}  // namespace shardlint::rules
