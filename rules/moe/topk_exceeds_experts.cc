// The router picks topk different experts for each token.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"moe/topk-exceeds-experts", "moe", Severity::Error, "0.1", "tokens that visit more experts than there are"};

void check(const Plan& plan, Sink& sink) {
  if (plan.experts.stated && !plan.experts) return;
  const auto values = counts(plan.topk, plan.experts);
  if (!values) return sink.missing(kInfo, plan.topk, plan.experts);
  const auto [topk, experts] = *values;
  if (topk <= experts) return;
  sink.report(kInfo, "every token is to visit {}, and there {} {}", plural(topk, "expert"), experts == 1 ? "is" : "are", experts)
      .effect("the router cannot pick {} different ones", topk)
      .blame(plan.topk, plan.experts)
      .rather_change(plan.topk, plan.experts)
      .try_first({experts});
}

}  // namespace

extern constinit const Rule topk_exceeds_experts{&kInfo, check};

}  // namespace shardlint::rules
