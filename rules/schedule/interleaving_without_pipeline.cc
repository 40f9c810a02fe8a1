// Virtual stages are slices of a pipeline rank's layers that take turns. With one stage there is nobody to take turns with.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"schedule/interleaving-without-pipeline", "schedule", Severity::Warning, "0.1",
                         "virtual stages without a pipeline"};

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.vpp, plan.pp);
  if (!values) return sink.missing(kInfo, plan.vpp, plan.pp);
  const auto [vpp, pp] = *values;
  if (vpp == 1 || pp > 1) return;
  sink.report(kInfo, "{} on a pipeline of one stage", plural(vpp, "virtual stage"))
      .effect("there is nothing to interleave")
      .blame(plan.vpp, plan.pp)
      .rather_change(plan.vpp, plan.pp);
}

}  // namespace

extern constinit const Rule interleaving_without_pipeline{&kInfo, check};

}  // namespace shardlint::rules
