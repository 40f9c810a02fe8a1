// While a boundary is on its way, a rank needs other work: another virtual stage. Plain 1F1B has none; its next micro-batch is the one that
// it waits for.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"overlap/p2p-without-interleaving", "overlap", Severity::Warning, "0.1",
                         "overlapped stage boundaries without virtual stages"};

void check(const Plan& plan, Sink& sink) {
  if (!on(plan.overlap_p2p)) return;
  const auto values = counts(plan.pp, plan.vpp);
  if (!values) return sink.missing(kInfo, plan.pp, plan.vpp);
  const auto [pp, vpp] = *values;
  const std::string schedule = plan.schedule.value_or("1f1b");
  if (pp == 1 || vpp > 1 || (schedule != "1f1b" && schedule != "gpipe")) return;
  sink.report(kInfo, "stage boundaries are to overlap with compute, but the {} stages are not interleaved", pp)
      .effect("a rank has nothing to do while a boundary is on its way")
      .blame(plan.overlap_p2p, plan.vpp, plan.pp)
      .rather_change(plan.overlap_p2p, plan.vpp);
}

}  // namespace

extern constinit const Rule p2p_without_interleaving{&kInfo, check};

}  // namespace shardlint::rules
