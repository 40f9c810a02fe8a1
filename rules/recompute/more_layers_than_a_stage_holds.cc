// The number of layers to recompute counts within one stage, or one virtual stage. More than it holds cannot be recomputed.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"recompute/more-layers-than-a-stage-holds", "recompute", Severity::Info, "0.1",
                         "more layers to recompute than a stage holds"};

void check(const Plan& plan, Sink& sink) {
  if (!plan.recompute_num_layers || on(plan.splits_unevenly) || plan.pipeline_layout.value_or("") != "") return;
  if (plan.first_stage_layers || plan.last_stage_layers) return;
  const auto values = counts(plan.recompute_num_layers, plan.layers, plan.pp);
  if (!values) return sink.missing(kInfo, plan.layers, plan.pp);
  const auto [recomputed, layers, pp] = *values;
  const i64 held = (layers + pp - 1) / pp;  // frameworks differ in whether a virtual stage counts for itself: the whole rank is certain
  if (recomputed <= held) return;
  sink.report(kInfo, "{} layers are to be recomputed, and a stage holds {}", recomputed, held)
      .effect("{} layers over {} {}", layers, pp, pp == 1 ? "stage" : "stages")
      .blame(plan.recompute_num_layers, plan.layers, plan.pp)
      .rather_change(plan.recompute_num_layers)
      .try_first({held});
}

}  // namespace

extern constinit const Rule more_layers_than_a_stage_holds{&kInfo, check};

}  // namespace shardlint::rules
