// State is sharded over the data-parallel ranks, context-parallel ones included. With one such rank the whole state stays where it is.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"sharding/nothing-to-shard-over", "sharding", Severity::Info, "0.1",
                         "sharded state with a single data-parallel rank"};

void check(const Plan& plan, Sink& sink) {
  if (!on(plan.fsdp) && !on(plan.distributed_optimizer) && plan.zero_stage.value_or(0) <= 0) return;
  const auto values = counts(plan.dp, plan.cp, plan.ep);
  if (!values) return sink.missing(kInfo, plan.dp, plan.cp, plan.ep);
  const auto [dp, cp, ep] = *values;
  if (dp > 1 || cp > 1 || ep > 1) return;
  sink.report(kInfo, "state is sharded over one data-parallel rank")
      .effect("every GPU keeps the whole state of its part of the model")
      .blame(plan.fsdp, plan.zero_stage, plan.distributed_optimizer, plan.dp);
}

}  // namespace

extern constinit const Rule nothing_to_shard_over{&kInfo, check};

}  // namespace shardlint::rules
