// Hybrid sharding arranges the data-parallel ranks as replicas times shards. The two multiply to all of them, with the context-parallel ranks
// where they share the weights too.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"sharding/shard-groups-do-not-fill-data-parallel", "sharding", Severity::Error, "0.1",
                         "dp_replicate * dp_shard is not the number of data-parallel ranks"};

void check(const Plan& plan, Sink& sink) {
  if (!plan.dp_replicate || !plan.dp_shard) return;
  const auto values = counts(plan.dp_replicate, plan.dp_shard, plan.dp, plan.cp);
  if (!values) return sink.missing(kInfo, plan.dp, plan.cp);
  const auto [replicate, shard, dp, cp] = *values;
  const auto ranks = product({replicate, shard}), with_cp = product({dp, cp});
  if (!ranks || !with_cp || *ranks == dp || *ranks == *with_cp) return;
  // Frameworks that take other axes out of the data-parallel ranks still shard over all that TP and PP leave.
  if (const auto grid = counts(plan.world_size, plan.tp, plan.pp)) {
    const auto [world, tp, pp] = *grid;
    const auto group = product({tp, pp});
    if (!group || world % *group != 0 || world / *group == *ranks || product({*ranks, cp}) == world / *group) return;
  }
  sink.report(kInfo, "{} replicas of {} shards make {} ranks, and DP is {}", replicate, shard, *ranks, dp)
      .effect("the mesh of replicas and shards does not fit the data-parallel ranks")
      .blame(plan.dp_shard, plan.dp_replicate, plan.dp)
      .rather_change(plan.dp_shard, plan.dp_replicate);
}

}  // namespace

extern constinit const Rule shard_groups_do_not_fill_data_parallel{&kInfo, check};

}  // namespace shardlint::rules
