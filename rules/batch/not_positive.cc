// A step takes at least one sequence of at least one token. Where a framework takes 0 or -1 for "work it out", that is read so before a plan
// is made.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"batch/not-positive", "batch", Severity::Error, "0.1",
                         "a batch size, an accumulation or a sequence length below 1"};

void check(const Plan& plan, Sink& sink) {
  const auto look = [&](const PlanField<i64>& field, std::string_view name, std::string_view without) {
    if (!field || *field > 0) return;
    sink.report(kInfo, "{} is {}", name, *field).effect("no step has {}", without).blame(field).rather_change(field).try_first({1});
  };
  look(plan.micro_batch, "the micro-batch size", "anything to compute");
  // Worked out from one that is said already, it is only its consequence.
  const auto bad = [](const PlanField<i64>& field) { return field && *field <= 0; };
  if (!bad(plan.micro_batch) && !bad(plan.grad_accum) && !bad(plan.dp))
    look(plan.global_batch, "the global batch size", "anything to compute");
  look(plan.grad_accum, "the number of accumulated micro-batches", "anything to compute");
  look(plan.seq_length, "the sequence length", "a token");
}

}  // namespace

extern constinit const Rule not_positive{&kInfo, check};

}  // namespace shardlint::rules
