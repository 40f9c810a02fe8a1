// Key/value heads are shared by the tensor-parallel ranks. Where there are fewer heads than ranks, some frameworks copy each head to several
// ranks, which works if the ranks are a multiple of the heads; others refuse. Where neither divides the other, nobody can.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"shapes/kv-heads-not-divisible-by-tp", "shapes", Severity::Error, "0.1",
                         "kv_groups is not a multiple of tp where it has to be"};

void check(const Plan& plan, Sink& sink) {
  if (plan.tp.value_or(0) == 1) return;
  const auto values = counts(plan.kv_groups, plan.tp);
  if (!values) return sink.missing(kInfo, plan.kv_groups, plan.tp);
  const auto [kv, tp] = *values;
  if (kv % tp == 0 || plan.kv_groups.value == plan.heads.value) return;  // as many as heads: the rule of the heads says it
  if (count_or(plan.heads, tp) % tp != 0) return;                        // nor do the heads fit: that is said, and mended by the same
  if (tp % kv == 0) {
    if (!plan.kv_heads_replicated.stated) return sink.missing(kInfo, plan.kv_heads_replicated);
    if (on(plan.kv_heads_replicated)) return;
  }
  auto report = sink.report(kInfo, "{} cannot be shared by {}", plural(kv, "key/value head"), plural(tp, "tensor-parallel rank"));
  report.effect("{}", tp % kv == 0 ? "they are not copied here, and some ranks would have none" : "neither number divides the other");
  report.blame(plan.tp, plan.kv_groups).rather_change(plan.tp, plan.kv_groups);
}

}  // namespace

extern constinit const Rule kv_heads_not_divisible_by_tp{&kInfo, check};

}  // namespace shardlint::rules
