// Global batch, micro-batch, replicas and accumulated micro-batches are one equation. Where all four are stated and it does not hold, one of
// them is not what will be trained.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"batch/accumulation-contradicts-global-batch", "batch", Severity::Warning, "0.1",
                         "a stated accumulation that is not global_batch / (micro_batch * dp)"};

void check(const Plan& plan, Sink& sink) {
  if (plan.batch_unit.value_or("sequences") != "sequences" || !plan.grad_accum) return;
  const auto values = counts(plan.global_batch, plan.micro_batch, plan.dp, plan.grad_accum);
  if (!values) return sink.missing(kInfo, plan.global_batch, plan.micro_batch, plan.dp);
  const auto [global, micro, dp, accum] = *values;
  // Some frameworks count the micro-batches of a pipeline apart from those that are accumulated.
  if (plan.num_microbatches.value_or(accum) != accum) return;
  const auto step = product({micro, dp, accum}), round = product({micro, dp});
  if (!step || *step == global || global % *round != 0) return;
  // Ranks that TP, PP and CP leave may be replicas of the batch though not of the weights.
  if (const auto grid = counts(plan.world_size, plan.tp, plan.pp, plan.cp)) {
    const auto [world, tp, pp, cp] = *grid;
    const auto group = product({tp, pp, cp});
    if (!group || world % *group != 0 || product({micro, accum, world / *group}) == global) return;
  }
  sink.report(kInfo, "{} a global batch of {}, not {}", plural(accum, "accumulated micro-batch makes", "accumulated micro-batches make"),
              *step, global)
      .effect("{} of {} reach {} in {}", plural(dp, "replica"), plural(micro, "sequence"), global, plural(global / *round, "micro-batch"))
      .blame(plan.grad_accum, plan.global_batch, plan.micro_batch, plan.dp)
      .rather_change(plan.grad_accum, plan.global_batch)
      .try_first({global / *round});
}

}  // namespace

extern constinit const Rule accumulation_contradicts_global_batch{&kInfo, check};

}  // namespace shardlint::rules
