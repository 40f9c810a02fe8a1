// Ranks are dealt out in groups of tp * pp * cp. A world that is not a whole number of groups leaves ranks without a place, and start-up
// fails after the nodes are allocated.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"topology/model-parallel-does-not-divide-world", "topology", Severity::Error, "0.1",
                         "world_size is not a multiple of tp * pp * cp"};

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.world_size, plan.tp, plan.pp, plan.cp);
  if (!values) return sink.missing(kInfo, plan.world_size, plan.tp, plan.pp, plan.cp);
  const auto [world, tp, pp, cp] = *values;
  const auto group = product({tp, pp, cp});
  if (!group || world % *group == 0) return;
  auto report = sink.report(kInfo, "{} cannot be split into groups of {}: TP {} x PP {} x CP {}", plural(world, "GPU"), *group, tp, pp, cp);
  if (world < *group)
    report.effect("one replica of the model needs {}; the run refuses to start", plural(*group, "GPU"));
  else
    report.effect("{} would have no place; the run refuses to start", plural(world % *group, "GPU"));
  report.blame(plan.world_size, plan.pp, plan.tp, plan.cp).rather_change(plan.pp, plan.tp, plan.cp);
}

}  // namespace

extern constinit const Rule model_parallel_does_not_divide_world{&kInfo, check};

}  // namespace shardlint::rules
