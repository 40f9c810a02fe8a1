// A plan that is expected to fit but may not: recompute would make sure, for some arithmetic.
#include "checker/plan/memory.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"recompute/nothing-recomputed", "recompute", Severity::Info, "0.1",
                         "a plan that may not fit, with nothing recomputed"};

void check(const Plan& plan, Sink& sink) {
  const std::string granularity = plan.recompute_granularity.value_or("");
  if (!plan.recompute_granularity.stated || (granularity != "" && granularity != "none") || on(plan.offload)) return;
  const auto card = card_bytes(plan);
  if (!card || !plan.zero_stage) return;
  Plan with = plan;
  with.recompute_granularity.value = "full";
  const auto found = memory(plan), then = memory(with);
  if (!found || !then) return;
  const Estimate now = found->stages[found->fullest].total(), after = then->stages[then->fullest].total();
  if (now.expected > *card || now.high <= *card || after.high > *card) return;
  sink.report(kInfo, "nothing is recomputed, and {:.0f} to {:.0f} GiB are needed of {:.0f}", now.expected / kGiB, now.high / kGiB,
              *card / kGiB)
      .effect("full recompute would need {:.0f} to {:.0f} GiB, for a third more arithmetic", after.expected / kGiB, after.high / kGiB)
      .blame(plan.recompute_granularity, plan.micro_batch, plan.seq_length)
      .rather_change(plan.recompute_granularity);
}

}  // namespace

extern constinit const Rule nothing_recomputed{&kInfo, check};

}  // namespace shardlint::rules
