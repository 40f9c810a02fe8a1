// Gathering updated weights during the forward pass rests on the buckets and hooks that reducing gradients during the backward pass sets up.
// Full sharding gathers by itself and is left out.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"overlap/param-gather-without-grad-reduce", "overlap", Severity::Warning, "0.1",
                         "weights are gathered under compute while gradients are reduced after it"};

void check(const Plan& plan, Sink& sink) {
  if (!on(plan.overlap_param_gather) || on(plan.fsdp) || plan.zero_stage.value_or(0) >= 3) return;
  if (!plan.overlap_grad_reduce.stated) return sink.missing(kInfo, plan.overlap_grad_reduce);
  if (on(plan.overlap_grad_reduce)) return;
  sink.report(kInfo, "weights are gathered during the forward pass, but gradients are not reduced during the backward pass")
      .effect("the gather has no buckets to run on; frameworks refuse it or drop it")
      .blame(plan.overlap_param_gather, plan.overlap_grad_reduce)
      .rather_change(plan.overlap_grad_reduce, plan.overlap_param_gather);
}

}  // namespace

extern constinit const Rule param_gather_without_grad_reduce{&kInfo, check};

}  // namespace shardlint::rules
