// A launcher waits until as many servers have come as it was told of, and turns away those that are too many.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"launch/launcher-counts-other-servers", "launch", Severity::Error, "0.1",
                         "the launcher is told of another number of servers than the job gets"};

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.launched_nodes, plan.allocated_nodes);
  if (!values) return;
  const auto [told, there] = *values;
  if (told == there) return;
  auto report = sink.report(kInfo, "the launcher is told of {}, and the job gets {}", plural(told, "server"), there);
  if (told > there)
    report.effect("it waits for {}", plural(told - there, "server that never comes", "servers that never come"));
  else
    report.effect("{} until they give up",
                  plural(there - told, "server never joins, and its processes wait", "servers never join, and wait"));
  report.blame(plan.launched_nodes, plan.allocated_nodes).rather_change(plan.launched_nodes, plan.allocated_nodes).try_first({there});
}

}  // namespace

extern constinit const Rule launcher_counts_other_servers{&kInfo, check};

}  // namespace shardlint::rules
