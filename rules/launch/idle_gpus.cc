// GPUs that are allocated and that no rank drives cost as much as those that work.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"launch/idle-gpus", "launch", Severity::Warning, "0.1", "fewer ranks are started than GPUs are allocated"};

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.world_size, plan.allocated_nodes, plan.allocated_gpus_per_node);
  if (!values) return;
  const auto [world, nodes, each] = *values;
  const auto all = product({nodes, each});
  if (!all || world >= *all || (is_count(plan.visible_gpus) && *plan.visible_gpus < each)) return;
  sink.report(kInfo, "{} on {} that the job asks for: {} servers x {}", plural(world, "rank"), plural(*all, "GPU"), nodes, each)
      .effect("{} will stand idle", plural(*all - world, "GPU"))
      .blame(plan.world_size, plan.allocated_nodes, plan.allocated_gpus_per_node)
      .rather_change(plan.world_size);
}

}  // namespace

extern constinit const Rule idle_gpus{&kInfo, check};

}  // namespace shardlint::rules
