// What runs beside the matrix products are the gathers and scatters of sequence parallelism, piece by piece. Without it a layer ends in one
// sum that needs the whole product first.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"overlap/tp-comm-without-sequence-parallel", "overlap", Severity::Warning, "0.1",
                         "overlapped tensor-parallel communication without sequence parallelism"};

void check(const Plan& plan, Sink& sink) {
  if (!on(plan.overlap_tp_comm) || plan.tp.value_or(0) == 1) return;  // one rank has nothing to send
  if (!plan.sp.stated || !plan.tp) return sink.missing(kInfo, plan.sp, plan.tp);
  if (!off(plan.sp)) return;
  sink.report(kInfo, "tensor-parallel communication is to overlap with compute, but sequence parallelism is off")
      .effect("there are no gathers and scatters to overlap")
      .blame(plan.overlap_tp_comm, plan.sp, plan.tp)
      .rather_change(plan.sp, plan.overlap_tp_comm);
}

}  // namespace

extern constinit const Rule tp_comm_without_sequence_parallel{&kInfo, check};

}  // namespace shardlint::rules
