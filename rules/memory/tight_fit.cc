// A plan that is expected to fill its card to the last twentieth. The allocator loses some to fragmentation, and a longer batch or another
// version of a library takes the rest.
#include "rules/memory/fullest.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"memory/tight-fit", "memory", Severity::Warning, "0.1", "a stage that is expected to fill its GPU"};
constexpr double kFull = 0.95;  // of the card

void check(const Plan& plan, Sink& sink) {
  const auto card = card_bytes(plan);
  if (!card || !plan.zero_stage || offloads_unknown(plan)) return;
  const auto found = memory(plan);
  if (!found) return;
  const StageMemory& stage = found->stages[found->fullest];
  const Estimate total = stage.total();
  if (total.expected > *card || total.expected <= kFull * *card) return;
  const double likely = stage.state.total() + stage.activations.low + stage.working.expected;
  auto report = sink.report(kInfo, "{} is expected to use {:.1f} of {:.0f} GiB", where(*found), total.expected / kGiB, *card / kGiB);
  report.as(likely > kFull * *card ? Severity::Warning : Severity::Info);
  report.effect("{:.1f} GiB are left for fragmentation and whatever the estimate leaves out; its high end is {:.0f} GiB",
                (*card - total.expected) / kGiB, total.high / kGiB);
  point_at(report, plan, stage);
}

}  // namespace

extern constinit const Rule tight_fit{&kInfo, check};

}  // namespace shardlint::rules
