// An elastic launcher goes on with any number of servers in its range. Each of them must be one that the plan can run on.
#include <algorithm>
#include <numeric>

#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"launch/elastic-range-breaks-plan", "launch", Severity::Warning, "0.1",
                         "an elastic range with numbers of servers that the plan cannot run on"};
constexpr i64 kEach = 1'000;           // numbers of servers that are tried one by one
constexpr i64 kMost = 10'000'000'000;  // micro-batches of a step whose divisors are looked for: no run has them

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
  if (!group || !product({most, each})) return;
  const auto replicas = [&](i64 servers) { return servers * each / *group; };
  // Servers come whole: a replica fits where their number is a multiple of this.
  const i64 unit = *group / std::gcd(each, *group);
  const i64 all = most - least + 1;
  i64 broken = all - (most / unit - (least - 1) / unit), first = least % unit != 0 ? least : least + 1;
  std::string why;
  if (broken > 0) {
    why = fmt::format("{} cannot be split into groups of {}", plural(first * each, "rank"), *group);
  } else if (plan.batch_unit.value_or("sequences") == "sequences") {
    // Only a batch that is stated by itself stays what it is when servers come and go.
    const auto batch = counts(plan.global_batch, plan.micro_batch);
    if (!batch) return;
    const auto [global, micro] = *batch;
    const i64 shares = global % micro == 0 ? global / micro : 0;
    const auto fits = [&](i64 servers) { return shares > 0 && shares % replicas(servers) == 0; };
    first = least;
    while (first < most && fits(first)) ++first;
    broken = all;
    if (all <= kEach) {
      for (i64 servers = least; servers <= most; ++servers) broken -= fits(servers);
    } else if (shares > kMost) {
      return;
    } else {
      // Of a range of several numbers each server holds the same whole number of replicas: what divides the shares, they can be.
      const i64 held = replicas(1);
      const auto in_range = [&](i64 divisor) { return divisor % held == 0 && divisor / held >= least && divisor / held <= most; };
      for (i64 divisor = 1; divisor <= shares / divisor; ++divisor)
        if (shares % divisor == 0) broken -= in_range(divisor) + (shares / divisor != divisor && in_range(shares / divisor));
    }
    why = fmt::format("{} cannot be shared by {} of {} each", plural(global, "sequence"), plural(replicas(first), "replica"), micro);
  }
  if (broken == 0) return;
  const std::string says =
      all == 1        ? fmt::format("exactly {}, which cannot", plural(most, "server"))
      : broken == all ? fmt::format("{} to {}, and none of those numbers can", grouped(least), plural(most, "server"))
      : broken == 1 ? fmt::format("{} to {}, and one of those numbers ({}) cannot", grouped(least), plural(most, "server"), grouped(first))
                    : fmt::format("{} to {}, and {} of those numbers ({} is the first) cannot", grouped(least), plural(most, "server"),
                                  grouped(broken), grouped(first));
  sink.report(kInfo, "the launcher goes on with {} run this plan", says)
      .effect("with {}: {}", plural(first, "server"), why)
      .as(broken == all ? Severity::Error : Severity::Warning)
      .blame(plan.elastic_max_nodes, plan.processes_per_node, plan.tp, plan.pp, plan.cp);
}

}  // namespace

extern constinit const Rule elastic_range_breaks_plan{&kInfo, check};

}  // namespace shardlint::rules
