// Whether the fullest stage fits its GPU. Certain is only what no reading of the plan can do without: weights and what the named optimizer
// keeps. If that alone exceeds the card, the run cannot start; if what is expected does, it most likely does not.
#include "rules/memory/fullest.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"memory/does-not-fit", "memory", Severity::Error, "0.1", "a stage that needs more than its GPU has"};

void check(const Plan& plan, Sink& sink) {
  const auto card = card_bytes(plan);
  if (!card || !plan.zero_stage) return sink.missing(kInfo, plan.gpu_memory_gib, plan.zero_stage);
  if (offloads_unknown(plan)) return;
  std::vector<Field> unknown;
  const auto found = memory(plan, &unknown);
  if (!found) {
    NotEvaluated entry{kInfo.name, {}};
    for (Field field : unknown) entry.because.push_back(slot(field));
    if (!unknown.empty()) sink.not_evaluated.push_back(std::move(entry));
    return;
  }
  const StageMemory& stage = found->stages[found->fullest];
  const Estimate total = stage.total();
  // Which layers a stage holds is not certain where the framework deals them its own way.
  const bool certain = stage.least_state + stage.working.low > *card && (found->stages.size() == 1 || !on(plan.splits_unevenly));
  // What activations take depends on kernels that no plan names: with their least it is likely, with the usual it is advice.
  const double likely = stage.state.total() + stage.activations.low + stage.working.expected;
  if (!certain && total.expected <= *card) return;
  const std::string has = fmt::format("the {} has", plan.gpu.value_or("GPU"));
  auto report = sink.report(kInfo, "{} needs {} {:.0f} GiB, and {} {:.0f}", where(*found), certain ? "at least" : "about",
                            (certain ? stage.least_state + stage.working.low : total.expected) / kGiB, has, *card / kGiB);
  report.as(certain          ? Severity::Error
            : likely > *card ? Severity::Warning
                             : Severity::Info)
      .certain_by(plan.gpu ? slot(plan.gpu.field) : slot(plan.gpu_memory_gib.field));
  std::string parts =
      fmt::format("weights {:.1f}, gradients {:.1f}, optimizer {:.1f}, activations {:.1f}, the rest {:.1f} GiB", stage.state.weights / kGiB,
                  stage.state.gradients / kGiB, (stage.state.master + stage.state.moments) / kGiB, stage.activations.expected / kGiB,
                  stage.working.expected / kGiB);
  report.effect("{}: {} out of memory", parts, certain ? "the first step runs" : "a step is expected to run");
  point_at(report, plan, stage);
}

}  // namespace

extern constinit const Rule does_not_fit{&kInfo, check};

}  // namespace shardlint::rules
