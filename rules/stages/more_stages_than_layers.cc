// Every stage, and with interleaving every virtual stage, needs something to do. Where the framework counts the embedding and the output
// layer as layers of the deal, they can fill one. Frameworks that deal layers unevenly have their own limits.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"stages/more-stages-than-layers", "stages", Severity::Error, "0.1",
                         "more pipeline stages than layers to fill them"};

void check(const Plan& plan, Sink& sink) {
  if (plan.pp.value_or(0) == 1 || on(plan.splits_unevenly) || plan.pipeline_layout.value_or("") != "") return;
  const auto values = counts(plan.layers, plan.pp, plan.vpp);
  if (!values) return sink.missing(kInfo, plan.layers, plan.pp, plan.vpp);
  const auto [layers, pp, vpp] = *values;
  const i64 units = layers + count_or(plan.stage_embedding_layers, 0) + count_or(plan.stage_output_layers, 0);
  const auto stages = product({pp, vpp});
  if (!stages || *stages <= units) return;
  auto report = vpp > 1 ? sink.report(kInfo, "{} layers cannot fill {} virtual stages: PP {} x {}", layers, *stages, pp, vpp)
                        : sink.report(kInfo, "{} layers cannot fill {} stages", layers, pp);
  report.effect("{} {} would hold nothing", *stages - units, *stages - units == 1 ? "stage" : "stages")
      .blame(plan.pp, plan.vpp, plan.layers)
      .rather_change(plan.pp, plan.vpp, plan.layers);
}

}  // namespace

extern constinit const Rule more_stages_than_layers{&kInfo, check};

}  // namespace shardlint::rules
