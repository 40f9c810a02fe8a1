// Tensor parallelism alone leaves the norms, dropouts and residuals around its products whole on every rank: 10 of 34 bytes a token and
// hidden unit. Sequence parallelism splits them too, for the same bytes on the wire.
#include "checker/plan/memory.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"memory/sequence-parallel-off", "memory", Severity::Info, "0.1",
                         "tensor parallelism without sequence parallelism"};

void check(const Plan& plan, Sink& sink) {
  if (plan.tp.value_or(0) <= 1 || !off(plan.sp)) return;
  const auto sizes = counts(plan.tp, plan.seq_length, plan.cp);
  if (!sizes) return;
  const auto [tp, sequence, cp] = *sizes;
  if (sequence % cp != 0 || (sequence / cp) % tp != 0) return;  // it would not come out
  const auto found = memory(plan);
  Plan with = plan;
  with.sp.value = true;
  const auto then = memory(with);
  auto report = sink.report(kInfo, "TP {} without sequence parallelism keeps norms and residuals {} times over", tp, tp);
  if (found && then) {
    const double saved = found->stages[found->fullest].activations.expected - then->stages[found->fullest].activations.expected;
    report.effect("sequence parallelism saves {:.1f} GB of {:.1f} GB of activations and sends the same bytes", saved / 1e9,
                  found->stages[found->fullest].activations.expected / 1e9);
  } else {
    report.effect("sequence parallelism saves activation memory and sends the same bytes");
  }
  report.blame(plan.sp, plan.tp).rather_change(plan.sp);
}

}  // namespace

extern constinit const Rule sequence_parallel_off{&kInfo, check};

}  // namespace shardlint::rules
