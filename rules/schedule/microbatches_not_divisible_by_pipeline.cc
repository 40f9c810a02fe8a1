// Under interleaving a virtual stage runs a group of micro-batches, as many as there are stages unless stated otherwise, before the next one
// takes over. The last group may be shorter than the others, but not shorter than the pipeline: a stage would wait for a micro-batch that
// never comes.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"schedule/microbatches-not-divisible-by-pipeline", "schedule", Severity::Error, "0.1",
                         "interleaving with micro-batches that do not come in whole rounds of pp"};

void check(const Plan& plan, Sink& sink) {
  if (plan.vpp.value_or(0) == 1 || plan.pp.value_or(0) == 1) return;
  const std::string schedule = plan.schedule.value_or("interleaved");
  if (schedule != "interleaved" && schedule != "1f1b") return;  // other schedules have other rounds
  const auto values = counts(plan.num_microbatches, plan.pp, plan.vpp, plan.microbatch_group);
  if (!values) return sink.missing(kInfo, plan.num_microbatches, plan.pp, plan.vpp, plan.microbatch_group);
  const auto [m, pp, vpp, group] = *values;
  const i64 rest = m % group;
  if (rest == 0 || rest >= pp) return;
  auto report = group == pp
                    ? sink.report(kInfo, "{} no whole rounds of {}", plural(m, "micro-batch is", "micro-batches are"), plural(pp, "stage"))
                    : sink.report(kInfo, "{} in groups of {} leave {}, fewer than the {}", plural(m, "micro-batch"), group, rest,
                                  plural(pp, "stage"));
  report.effect("the last round of the interleaved schedule is {} short", pp - rest)
      .blame(plan.num_microbatches, plan.pp, plan.microbatch_group, plan.vpp)
      .rather_change(plan.num_microbatches, plan.pp, plan.vpp);
}

}  // namespace

extern constinit const Rule microbatches_not_divisible_by_pipeline{&kInfo, check};

}  // namespace shardlint::rules
