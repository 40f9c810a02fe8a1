// A step is a whole number of rounds, and in each round every replica takes one micro-batch. A global batch that is not a multiple of
// micro_batch * dp leaves replicas without work in the last round.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"batch/global-batch-not-divisible", "batch", Severity::Error, "0.1",
                         "global_batch is not a multiple of micro_batch * dp"};

void check(const Plan& plan, Sink& sink) {
  if (plan.batch_unit.value_or("sequences") != "sequences") return;  // what else is counted need not come in whole sequences
  const auto values = counts(plan.global_batch, plan.micro_batch, plan.dp);
  if (!values) return sink.missing(kInfo, plan.global_batch, plan.micro_batch, plan.dp);
  const auto [global, micro, dp] = *values;
  const auto round = product({micro, dp});
  if (!round || global % *round == 0) return;
  const i64 rest = global % *round;
  sink.report(kInfo, "{} cannot be shared by {} of {} each", plural(global, "sequence"), plural(dp, "replica"), plural(micro, "sequence"))
      .effect("micro-batch {} would have {} of the {} sequences that it needs", global / *round + 1, rest, *round)
      .blame(plan.global_batch, plan.micro_batch, plan.dp)
      .rather_change(plan.global_batch, plan.micro_batch)
      .try_first({global - rest, global - rest + *round});
}

}  // namespace

extern constinit const Rule global_batch_not_divisible{&kInfo, check};

}  // namespace shardlint::rules
