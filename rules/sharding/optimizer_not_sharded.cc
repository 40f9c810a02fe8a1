// Every replica updates the same weights. Sharing master and moments among them saves 12 bytes a parameter less a D-th, for the bytes that
// the all-reduce sends anyway: it becomes a reduce-scatter and an all-gather.
#include "checker/plan/memory.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"sharding/optimizer-not-sharded", "sharding", Severity::Info, "0.1",
                         "optimizer state that every data-parallel replica keeps whole"};

void check(const Plan& plan, Sink& sink) {
  if (on(plan.fsdp) || on(plan.distributed_optimizer) || on(plan.frozen) || plan.dp.value_or(0) == 1) return;
  const auto values = counts(plan.dp, plan.cp);
  if (!values || !plan.zero_stage) return;
  const auto [dp, cp] = *values;
  if (*plan.zero_stage > 0) return;
  // Only where it can be said what it would save, and that is worth a word.
  const auto found = memory(plan);
  if (!found) return;
  const StageMemory& stage = found->stages[found->fullest];
  const double ranks = static_cast<double>(dp) * static_cast<double>(cp), state = stage.state.master + stage.state.moments;
  if (state < 1e9) return;
  auto report = sink.report(kInfo, "{} each keep the whole optimizer state", plural(dp, "replica"));
  report.effect("shared among them it would take {:.1f} instead of {:.1f} GB on a GPU, for the same bytes on the wire", state / ranks / 1e9,
                state / 1e9);
  report.blame(plan.distributed_optimizer, plan.zero_stage, plan.dp).rather_change(plan.distributed_optimizer, plan.zero_stage);
}

}  // namespace

extern constinit const Rule optimizer_not_sharded{&kInfo, check};

}  // namespace shardlint::rules
