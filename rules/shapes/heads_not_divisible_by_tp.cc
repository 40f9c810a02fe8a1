// Tensor parallelism gives every rank whole attention heads, as many as every other rank.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"shapes/heads-not-divisible-by-tp", "shapes", Severity::Error, "0.1", "heads is not a multiple of tp"};

void check(const Plan& plan, Sink& sink) {
  if (plan.tp.value_or(0) == 1) return;
  const auto values = counts(plan.heads, plan.tp);
  if (!values) return sink.missing(kInfo, plan.heads, plan.tp);
  const auto [heads, tp] = *values;
  if (heads % tp == 0) return;
  sink.report(kInfo, "{} cannot be shared by {}", plural(heads, "attention head"), plural(tp, "tensor-parallel rank"))
      .effect("every rank takes whole heads, as many as every other")
      .blame(plan.tp, plan.heads)
      .rather_change(plan.tp, plan.heads);
}

}  // namespace

extern constinit const Rule heads_not_divisible_by_tp{&kInfo, check};

}  // namespace shardlint::rules
