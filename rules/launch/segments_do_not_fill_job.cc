// Slurm cuts a job into segments that each lie in one NVLink domain, and refuses one that they do not fill.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"launch/segments-do-not-fill-job", "launch", Severity::Error, "0.1",
                         "a segment that does not divide the number of servers"};

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.segment, plan.allocated_nodes);
  if (!values) return;
  const auto [segment, nodes] = *values;
  if (nodes % segment == 0) return;
  sink.report(kInfo, "{} cannot be cut into segments of {}", plural(nodes, "server"), segment)
      .effect("Slurm refuses the job")
      .blame(plan.segment, plan.allocated_nodes)
      .rather_change(plan.segment);
}

}  // namespace

extern constinit const Rule segments_do_not_fill_job{&kInfo, check};

}  // namespace shardlint::rules
