// An elastic launcher goes on with any number of servers in its range. Each of them must be one that the plan can run on.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"launch/elastic-range-breaks-plan", "launch", Severity::Warning, "0.1",
                         "an elastic range with numbers of servers that the plan cannot run on"};
constexpr i64 kMost = 4096;  // servers that are tried

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.elastic_min_nodes, plan.elastic_max_nodes, plan.processes_per_node, plan.tp, plan.pp, plan.cp);
  if (!values) return;
  const auto [least, most, each, tp, pp, cp] = *values;
  const auto group = product({tp, pp, cp});
  if (least > most) {
    sink.report(kInfo, "the launcher is to go on with at least {}, and with at most {}", plural(least, "server"), most)
        .effect("no number of servers is both, and the launcher refuses to start")
        .as(Severity::Error)
        .blame(plan.elastic_max_nodes, plan.elastic_min_nodes)
        .try_first({least});
    return;
  }
  if (!group || most > kMost) return;
  i64 broken = 0, first = 0;
  std::string why;
  const auto try_all = [&](auto breaks) {
    for (i64 servers = least; servers <= most; ++servers) {
      const auto ranks = product({servers, each});
      std::string now = ranks ? breaks(*ranks) : "";
      if (!now.empty() && ++broken == 1) first = servers, why = std::move(now);
    }
  };
  try_all([&](i64 ranks) {
    return ranks % *group == 0 ? std::string() : fmt::format("{} cannot be split into groups of {}", plural(ranks, "rank"), *group);
  });
  // Only a batch that is stated by itself stays what it is when servers come and go.
  if (broken == 0 && plan.batch_unit.value_or("sequences") == "sequences")
    if (const auto batch = counts(plan.global_batch, plan.micro_batch))
      try_all([&](i64 ranks) {
        const auto [global, micro] = *batch;
        const i64 replicas = ranks / *group;
        const auto round = product({micro, replicas});
        return !round || global % *round == 0
                   ? std::string()
                   : fmt::format("{} cannot be shared by {} of {} each", plural(global, "sequence"), plural(replicas, "replica"), micro);
      });
  if (broken == 0) return;
  const bool all = broken == most - least + 1;
  sink.report(kInfo, "the launcher goes on with {} to {}, and {} run this plan", least, plural(most, "server"),
              all           ? "none of those numbers can"
              : broken == 1 ? fmt::format("one of those numbers ({}) cannot", first)
                            : fmt::format("{} of those numbers ({} is the first) cannot", broken, first))
      .effect("with {}: {}", plural(first, "server"), why)
      .as(all ? Severity::Error : Severity::Warning)
      .blame(plan.elastic_max_nodes, plan.processes_per_node, plan.tp, plan.pp, plan.cp);
}

}  // namespace

extern constinit const Rule elastic_range_breaks_plan{&kInfo, check};

}  // namespace shardlint::rules
