// Sequence parallelism keeps 1/tp of the sequence, after context parallelism has taken its share, on every rank between the matrix products.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"shapes/sequence-not-divisible", "shapes", Severity::Error, "0.1",
                         "sequence parallelism with a sequence that tp does not divide"};

void check(const Plan& plan, Sink& sink) {
  if (off(plan.sp) || plan.tp.value_or(0) == 1) return;
  const auto values = counts(plan.seq_length, plan.tp, plan.cp);
  if (!values || !plan.sp.stated) return sink.missing(kInfo, plan.seq_length, plan.tp, plan.cp, plan.sp);
  const auto [length, tp, cp] = *values;
  if (length % cp != 0 || length / cp % tp == 0) return;  // a sequence that CP cannot split has its own rule
  const i64 share = length / cp;
  auto report = cp > 1 ? sink.report(kInfo, "the {} that CP {} leaves of {} cannot be split over {}", plural(share, "token"), cp, length,
                                     plural(tp, "tensor-parallel rank"))
                       : sink.report(kInfo, "{} cannot be split over {}", plural(length, "token"), plural(tp, "tensor-parallel rank"));
  report.effect("sequence parallelism would leave {} over", plural(share % tp, "token"));
  report.blame(plan.seq_length, plan.tp, plan.sp, plan.cp).rather_change(plan.seq_length, plan.tp).try_first({length - share % tp * cp});
}

}  // namespace

extern constinit const Rule sequence_not_divisible{&kInfo, check};

}  // namespace shardlint::rules
