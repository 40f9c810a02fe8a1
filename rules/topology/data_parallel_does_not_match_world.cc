// What TP, PP and CP leave of the world is DP. Where DP is stated as well, it is the same number, or ranks are missing or left over. A
// world that TP, PP and CP do not divide at all has a rule of its own.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"topology/data-parallel-does-not-match-world", "topology", Severity::Error, "0.1",
                         "a stated dp that is not world_size / (tp * pp * cp)"};

void check(const Plan& plan, Sink& sink) {
  if (!plan.dp) return;  // not stated, and nothing to contradict
  const auto values = counts(plan.dp, plan.world_size, plan.tp, plan.pp, plan.cp);
  if (!values) return sink.missing(kInfo, plan.world_size, plan.tp, plan.pp, plan.cp);
  const auto [dp, world, tp, pp, cp] = *values;
  const auto group = product({tp, pp, cp}), wanted = product({dp, tp, pp, cp});
  if (!group || !wanted || world % *group != 0 || *wanted == world) return;
  const i64 room = world / *group;
  auto report = sink.report(kInfo, "DP {} at TP {} x PP {} x CP {} takes {}, and there {} {}", dp, tp, pp, cp, plural(*wanted, "GPU"),
                            world == 1 ? "is" : "are", world);
  if (dp < room)
    report.effect("{} would belong to no replica", plural(world - *wanted, "GPU"));
  else
    report.effect("{} missing; the ranks that exist wait for them or refuse to start", plural(*wanted - world, "GPU is", "GPUs are"));
  report.blame(plan.world_size, plan.dp, plan.pp, plan.tp, plan.cp).rather_change(plan.dp, plan.pp, plan.tp).try_first({room});
}

}  // namespace

extern constinit const Rule data_parallel_does_not_match_world{&kInfo, check};

}  // namespace shardlint::rules
