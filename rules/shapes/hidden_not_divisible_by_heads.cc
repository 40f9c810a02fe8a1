// A head is hidden / heads wide unless its width is stated.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"shapes/hidden-not-divisible-by-heads", "shapes", Severity::Error, "0.1",
                         "hidden is not a multiple of heads, and no head_dim is stated"};

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.hidden, plan.heads);
  if (!values) return sink.missing(kInfo, plan.hidden, plan.heads);
  const auto [hidden, heads] = *values;
  if (hidden % heads == 0 || plan.head_dim) return;
  sink.report(kInfo, "a hidden size of {} cannot be cut into {}", hidden, plural(heads, "head"))
      .effect("a head would be {:.2f} wide, and no head width is stated", static_cast<double>(hidden) / static_cast<double>(heads))
      .blame(plan.heads, plan.hidden)
      .rather_change(plan.heads, plan.hidden);
}

}  // namespace

extern constinit const Rule hidden_not_divisible_by_heads{&kInfo, check};

}  // namespace shardlint::rules
