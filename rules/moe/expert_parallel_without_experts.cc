// Expert parallelism spreads experts. A dense model has none; the ranks that it is given do something else than was meant, or the run
// refuses to start. Said only where the plan describes the model, because a model that is loaded by name may well have experts.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"moe/expert-parallel-without-experts", "moe", Severity::Warning, "0.1",
                         "expert parallelism in a model without experts"};

void check(const Plan& plan, Sink& sink) {
  if (plan.ep.value_or(0) <= 1 || plan.experts) return;
  if (!plan.experts.stated || !plan.layers || !plan.hidden) return sink.missing(kInfo, plan.experts, plan.layers, plan.hidden);
  sink.report(kInfo, "EP is {}, but the model has no experts", *plan.ep)
      .effect("there is nothing to spread over {} ranks", *plan.ep)
      .blame(plan.ep, plan.experts)
      .rather_change(plan.ep);
}

}  // namespace

extern constinit const Rule expert_parallel_without_experts{&kInfo, check};

}  // namespace shardlint::rules
