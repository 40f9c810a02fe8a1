// Stages are equal unless somebody says otherwise: by first and last counts, by a layout, by counting the embedding and the output layer,
// or because the framework deals unevenly by itself. Otherwise the layers are a multiple of pp, and of pp * vpp with virtual stages.
#include "checker/plan/rule.h"
#include "checker/plan/stages.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"stages/layers-not-divisible-by-stages", "stages", Severity::Error, "0.1",
                         "layers that cannot be dealt evenly to the stages, with no uneven split stated"};

bool says_otherwise(const Plan& plan) {
  return on(plan.splits_unevenly) || plan.pipeline_layout.value_or("") != "" || plan.first_stage_layers || plan.last_stage_layers;
}

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.layers, plan.pp);
  if (plan.pp.value_or(0) == 1 || says_otherwise(plan)) return;
  if (!values) return sink.missing(kInfo, plan.layers, plan.pp);
  const auto [layers, pp] = *values;
  const i64 extra = count_or(plan.stage_embedding_layers, 0) + count_or(plan.stage_output_layers, 0), units = layers + extra;
  // What does not divide by the stages does not divide by their parts, however many there are.
  if (units % pp == 0 && !is_count(plan.vpp)) return sink.missing(kInfo, plan.vpp);
  const i64 vpp = count_or(plan.vpp, 1);
  const auto stages = product({pp, vpp});
  if (!stages || units < *stages || units % *stages == 0) return;
  // An uneven split on purpose: lighter ends, or the embedding and the output layer counted as layers.
  const auto propose = [&](auto report) {
    const std::optional<Ends> ends = extra ? std::nullopt : best_ends(layers, pp, vpp, output_in_layers(plan).value_or(1));
    if (ends) report.propose({{Field::first_stage_layers, ends->first}, {Field::last_stage_layers, ends->last}});
    if (!extra && (layers + 2) % *stages == 0)
      report.propose({{Field::stage_embedding_layers, i64{1}}, {Field::stage_output_layers, i64{1}}});
    if (!extra && (layers + 1) % *stages == 0) report.propose({{Field::stage_output_layers, i64{1}}});
  };
  const std::string counted = extra ? fmt::format(" and {} for embedding and output layer", extra) : "";
  if (units % pp == 0) {
    propose(
        sink.report(kInfo, "{} a stage cannot be cut into {}", plural(units / pp, "layer"), plural(vpp, "equal virtual stage"))
            .effect("{}{} over PP {} x {} leave {}", plural(layers, "layer"), counted, pp, plural(vpp, "virtual stage"), units % *stages)
            .blame(plan.vpp, plan.pp, plan.layers)
            .rather_change(plan.vpp, plan.pp));
  } else {
    propose(sink.report(kInfo, "{}{} cannot be dealt evenly to {}", plural(layers, "layer"), counted, plural(pp, "stage"))
                .effect("{} left over, and no uneven split is stated", units % pp)
                .blame(plan.pp, plan.layers)
                .rather_change(plan.pp, plan.layers));
  }
}

}  // namespace

extern constinit const Rule layers_not_divisible_by_stages{&kInfo, check};

}  // namespace shardlint::rules
