// Weights are gathered after a step because each rank has updated only its shard of them. Where every rank updates all, there is nothing to
// gather and nothing to overlap.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"overlap/param-gather-without-distributed-optimizer", "overlap", Severity::Warning, "0.1",
                         "a weight gather to overlap, and no sharded state that needs one"};

void check(const Plan& plan, Sink& sink) {
  if (!on(plan.overlap_param_gather)) return;
  if (on(plan.distributed_optimizer) || on(plan.fsdp) || plan.zero_stage.value_or(0) > 0) return;
  sink.report(kInfo, "the gather of weights is to be overlapped, but no optimizer state is sharded")
      .effect("there is nothing to gather")
      .blame(plan.overlap_param_gather, plan.distributed_optimizer)
      .rather_change(plan.distributed_optimizer, plan.overlap_param_gather);
}

}  // namespace

extern constinit const Rule param_gather_without_distributed_optimizer{&kInfo, check};

}  // namespace shardlint::rules
