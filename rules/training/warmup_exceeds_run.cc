// The learning rate grows for so many steps. A run that ends before has never trained at the rate that was asked for. Where its whole course
// is made for more steps than the run has, the run is the beginning of a longer one, and means it.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"training/warmup-exceeds-run", "training", Severity::Warning, "0.1", "a warm-up that is longer than the run"};

void check(const Plan& plan, Sink& sink) {
  if (!plan.warmup) return;
  const auto values = counts(plan.warmup, plan.train_iters);
  if (!values) return sink.missing(kInfo, plan.train_iters);
  const auto [warmup, steps] = *values;
  if (warmup <= steps || plan.lr_decay.value_or(steps) > steps) return;
  sink.report(kInfo, "{} of warm-up in a run of {}", plural(warmup, "step"), steps)
      .effect("the learning rate ends at {:.0f} % of its peak", 100 * static_cast<double>(steps) / static_cast<double>(warmup))
      .blame(plan.warmup, plan.train_iters)
      .rather_change(plan.warmup, plan.train_iters);
}

}  // namespace

extern constinit const Rule warmup_exceeds_run{&kInfo, check};

}  // namespace shardlint::rules
