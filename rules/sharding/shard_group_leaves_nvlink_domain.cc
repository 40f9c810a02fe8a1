// Hybrid sharding gathers weights inside a group, to keep that traffic on the fast links, and sums gradients between groups. A group that
// straddles domains without filling them, or spans several, gathers over the network all the same.
#include "checker/plan/ranks.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"sharding/shard-group-leaves-nvlink-domain", "sharding", Severity::Warning, "0.1",
                         "a hybrid-sharding group that is not inside one NVLink domain"};

void check(const Plan& plan, Sink& sink) {
  if (!on(plan.hybrid_shard) || plan.dp_replicate.value_or(0) <= 1) return;
  const auto values = counts(plan.dp_shard, plan.nvlink_domain, plan.world_size);
  if (!values) return sink.missing(kInfo, plan.dp_shard, plan.nvlink_domain, plan.world_size);
  const auto [shard, domain, world] = *values;
  const auto replicas = reach(plan, "DP");
  if (shard <= 1 || !replicas || domain >= world) return;
  const auto span = product({shard, replicas->stride});
  if (!span || *span > world) return;
  const bool straddles = *span <= domain ? domain % *span != 0 : *span % domain != 0;
  if (*span <= domain && !straddles) return;
  const std::string spread = replicas->stride > 1 ? fmt::format(", {} apart", replicas->stride) : "";
  auto report = straddles ? sink.report(kInfo, "shard groups of {}{} do not fit the NVLink domains of {}, so some straddle two",
                                        plural(shard, "GPU"), spread, domain)
                          : sink.report(kInfo, "shard groups of {}{} span {} of {} each", plural(shard, "GPU"), spread,
                                        plural(*span / domain, "NVLink domain"), domain);
  // Several whole domains may be what the memory asks for.
  report.as(straddles ? Severity::Warning : Severity::Info);
  if (plan.nvlink_gb_s && plan.network_gb_s)
    report.effect("weights are gathered over the network: {} instead of {} GB/s", *plan.network_gb_s, *plan.nvlink_gb_s);
  else
    report.effect("weights are gathered over the network");
  report.blame(plan.dp_shard, plan.dp_replicate, plan.tp, plan.nvlink_domain).rather_change(plan.dp_shard, plan.dp_replicate);
}

}  // namespace

extern constinit const Rule shard_group_leaves_nvlink_domain{&kInfo, check};

}  // namespace shardlint::rules
