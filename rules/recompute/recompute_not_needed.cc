// Full recompute runs the forward pass a second time: a third more arithmetic. It buys memory; where the plan fits without it, even at the
// high end of the estimate, it buys nothing.
#include "checker/plan/memory.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"recompute/recompute-not-needed", "recompute", Severity::Info, "0.1",
                         "full recompute in a plan that fits without it"};
constexpr double kFull = 0.9;  // of the card

void check(const Plan& plan, Sink& sink) {
  if (plan.recompute_granularity.value_or("") != "full" || on(plan.offload)) return;
  const auto card = card_bytes(plan);
  if (!card || !plan.zero_stage) return;
  Plan without = plan;
  without.recompute_granularity.value = "selective";  // the kernels that never make the score matrix
  const auto then = memory(without);
  if (!then) return;
  const Estimate total = then->stages[then->fullest].total();
  if (total.high > kFull * *card) return;
  sink.report(kInfo, "everything is recomputed, and it would fit without")
      .effect(
          "{:.0f} of {:.0f} GiB are expected to be used with nothing recomputed, {:.0f} at most; the second forward pass is a third more "
          "arithmetic",
          total.expected / kGiB, *card / kGiB, total.high / kGiB)
      .blame(plan.recompute_granularity, plan.recompute_method, plan.gpu)
      .rather_change(plan.recompute_granularity);
}

}  // namespace

extern constinit const Rule recompute_not_needed{&kInfo, check};

}  // namespace shardlint::rules
