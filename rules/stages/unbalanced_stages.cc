// A pipeline runs at the pace of its slowest stage. The last stage multiplies with the whole vocabulary on top of its layers; where layers
// are few and the vocabulary is large, that is worth several layers. Counted in multiplications per token; experts are left out, because
// how many a stage works through is not known from the plan alone.
#include <algorithm>

#include "checker/plan/rule.h"
#include "checker/plan/stages.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"stages/unbalanced-stages", "stages", Severity::Info, "0.1", "a stage that is much heavier than the others"};
constexpr double kHeavy = 1.25, kVeryHeavy = 1.6;  // times the others' mean
constexpr double kBetter = 0.95;                   // of the slowest stage's work

void check(const Plan& plan, Sink& sink) {
  if (plan.pp.value_or(0) <= 1 || plan.experts || on(plan.splits_unevenly)) return;
  std::vector<Field> unknown;
  const auto model = model_weights(plan, &unknown);
  if (!model) {
    if (!unknown.empty())
      sink.missing(kInfo, plan.layers, plan.pp, plan.hidden, plan.ffn_hidden, plan.padded_vocab, plan.heads, plan.kv_groups, plan.head_dim);
    return;
  }
  if (!model->vocabulary) return sink.missing(kInfo, plan.padded_vocab);
  const auto held = stages(plan, model->layers());
  if (!held || held->size() < 2) return;
  const double layer = model->dense.active(0);
  std::vector<double> work;  // in layers
  for (const Stage& stage : *held) work.push_back(stage_weights(plan, *model, stage).flops / layer);
  const std::size_t slowest = static_cast<std::size_t>(std::max_element(work.begin(), work.end()) - work.begin());
  double others = 0;
  for (double one : work) others += one;
  others = (others - work[slowest]) / static_cast<double>(work.size() - 1);
  const double heavy = work[slowest];
  if (others <= 0 || heavy < kHeavy * others) return;

  const i64 pp = *plan.pp, layers = static_cast<i64>(model->layers());
  // Where it cannot be dealt better there is nothing to say.
  const double output = model->logits / layer;
  const auto ends = best_ends(layers, pp, count_or(plan.vpp, 1), output);
  if (!ends || ends->slowest > kBetter * heavy) return;

  const bool last = slowest + 1 == work.size();
  auto report =
      last ? sink.report(kInfo, "the last of {} stages does the work of {:.1f} layers, the others that of {:.1f}", pp, heavy, others)
           : sink.report(kInfo, "stage {} of {} does the work of {:.1f} layers, the others that of {:.1f}", static_cast<i64>(slowest) + 1,
                         pp, heavy, others);
  const std::string worth = (*held)[slowest].output ? fmt::format("the output layer is worth {:.1f} layers; ", output) : "";
  report.effect(
      "{}all stages wait for it, {:.0f} % longer than they work; with {} on the first stage and {} on the last the slowest does {:.1f}",
      worth, 100 * (heavy / others - 1), plural(ends->first, "layer"), ends->last, ends->slowest);
  report.as(heavy >= kVeryHeavy * others ? Severity::Warning : Severity::Info)
      .blame(plan.pp, plan.pipeline_layout, plan.last_stage_layers, plan.layers, plan.padded_vocab)
      .rather_change(plan.last_stage_layers, plan.pp);
  if (plan.pipeline_layout.value_or("").empty())
    report.propose({{Field::first_stage_layers, ends->first}, {Field::last_stage_layers, ends->last}});
}

}  // namespace

extern constinit const Rule unbalanced_stages{&kInfo, check};

}  // namespace shardlint::rules
