// Stages are equal unless somebody says otherwise: by first and last counts, by a layout, by counting the embedding and the output layer,
// or because the framework deals unevenly by itself. Otherwise the layers are a multiple of pp, and of pp * vpp with virtual stages.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"stages/layers-not-divisible-by-stages", "stages", Severity::Error, "0.1",
                         "layers that cannot be dealt evenly to the stages, with no uneven split stated"};

bool says_otherwise(const Plan& plan) {
  return on(plan.splits_unevenly) || plan.pipeline_layout.value_or("") != "" || plan.first_stage_layers || plan.last_stage_layers;
}

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.layers, plan.pp, plan.vpp);
  if (plan.pp.value_or(0) == 1 || says_otherwise(plan)) return;
  if (!values) return sink.missing(kInfo, plan.layers, plan.pp, plan.vpp);
  const auto [layers, pp, vpp] = *values;
  const i64 extra = count_or(plan.stage_embedding_layers, 0) + count_or(plan.stage_output_layers, 0), units = layers + extra;
  const auto stages = product({pp, vpp});
  if (!stages || units < *stages || units % *stages == 0) return;
  const std::string counted = extra ? fmt::format(" and {} for embedding and output layer", extra) : "";
  if (units % pp == 0) {
    sink.report(kInfo, "{} layers a stage cannot be cut into {} equal virtual stages", units / pp, vpp)
        .effect("{} layers{} over PP {} x {} virtual stages leave {}", layers, counted, pp, vpp, units % *stages)
        .blame(plan.vpp, plan.pp, plan.layers)
        .rather_change(plan.vpp, plan.pp);
  } else {
    sink.report(kInfo, "{} layers{} cannot be dealt evenly to {} stages", layers, counted, pp)
        .effect("{} left over, and no uneven split is stated", units % pp)
        .blame(plan.pp, plan.layers)
        .rather_change(plan.pp, plan.layers);
  }
}

}  // namespace

extern constinit const Rule layers_not_divisible_by_stages{&kInfo, check};

}  // namespace shardlint::rules
