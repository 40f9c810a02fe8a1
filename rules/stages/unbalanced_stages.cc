// A pipeline runs at the pace of its slowest stage. The last stage multiplies with the whole vocabulary on top of its layers; where layers
// are few and the vocabulary is large, that is worth several layers. Counted in multiplications per token; experts are left out, because
// how many a stage works through is not known from the plan alone.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"stages/unbalanced-stages", "stages", Severity::Info, "0.1", "a last stage that is much heavier than the others"};

void check(const Plan& plan, Sink& sink) {
  if (plan.pp.value_or(0) <= 1 || plan.vpp.value_or(1) > 1 || plan.experts || plan.pipeline_layout.value_or("") != "" ||
      on(plan.splits_unevenly))
    return;
  const auto sizes =
      counts(plan.layers, plan.pp, plan.hidden, plan.ffn_hidden, plan.padded_vocab, plan.heads, plan.kv_groups, plan.head_dim);
  if (!sizes)
    return sink.missing(kInfo, plan.layers, plan.pp, plan.hidden, plan.ffn_hidden, plan.padded_vocab, plan.heads, plan.kv_groups,
                        plan.head_dim);
  const auto [layers, pp, hidden, ffn, vocab, heads, kv_groups, head_dim] = *sizes;
  const double h = static_cast<double>(hidden);
  const double attention = 2 * h * static_cast<double>(heads + kv_groups) * static_cast<double>(head_dim);
  const double layer = attention + (on(plan.gated_mlp) ? 3 : 2) * h * static_cast<double>(ffn);
  const double output = h * static_cast<double>(vocab) / layer;  // in layers

  const double even = static_cast<double>(layers) / static_cast<double>(pp);
  const double first = static_cast<double>(count_or(plan.first_stage_layers, 0)),
               last = static_cast<double>(count_or(plan.last_stage_layers, 0));
  const double between = static_cast<double>(pp) - (first > 0) - (last > 0);
  const double share = between > 0 ? (static_cast<double>(layers) - first - last) / between : even;
  // The framework may be told to count the output layer as so many layers when it deals.
  const double counted = static_cast<double>(count_or(plan.stage_output_layers, 0));
  const double heavy = (last > 0 ? last : share - counted) + output;
  if (share <= 0 || heavy < 1.25 * share) return;
  sink.report(kInfo, "the last of {} stages does the work of {:.1f} layers, the others that of {:.1f}", pp, heavy, share)
      .effect("the output layer is worth {:.1f} layers; all stages wait for the last one, {:.0f} % longer than they work", output,
              100 * (heavy / share - 1))
      .blame(plan.pp, plan.last_stage_layers, plan.layers, plan.padded_vocab)
      .rather_change(plan.last_stage_layers, plan.stage_output_layers);
}

}  // namespace

extern constinit const Rule unbalanced_stages{&kInfo, check};

}  // namespace shardlint::rules
