// Experts re-use the ranks of a pipeline stage: within it they are dealt out in groups of etp * ep, which need not be a multiple of
// tp * cp. So etp * ep * pp divides the world.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"topology/expert-grid-does-not-divide-world", "topology", Severity::Error, "0.1",
                         "world_size is not a multiple of etp * ep * pp"};

void check(const Plan& plan, Sink& sink) {
  if (plan.ep.value_or(0) == 1) return;  // the plain grid has said it
  const auto values = counts(plan.world_size, plan.ep, plan.etp, plan.pp);
  if (!values) return sink.missing(kInfo, plan.world_size, plan.ep, plan.etp, plan.pp);
  const auto [world, ep, etp, pp] = *values;
  if (world % pp != 0) return;  // so has it where the stages do not fit in the first place
  const auto grid = product({etp, ep, pp});
  if (!grid || world % *grid == 0) return;
  auto report = sink.report(kInfo, "{} cannot be split into expert grids of {}: expert TP {} x EP {} x PP {}", plural(world, "GPU"), *grid,
                            etp, ep, pp);
  if (world < *grid)
    report.effect("one copy of all experts needs {}; the run refuses to start", plural(*grid, "GPU"));
  else
    report.effect("{} would hold no expert; the run refuses to start", plural(world % *grid, "GPU"));
  report.blame(plan.world_size, plan.ep, plan.pp, plan.etp).rather_change(plan.ep, plan.pp, plan.etp);
}

}  // namespace

extern constinit const Rule expert_grid_does_not_divide_world{&kInfo, check};

}  // namespace shardlint::rules
