// Context parallelism gives every rank an equal share of each sequence. To balance causal attention, a rank takes two pieces, one from the
// front and one from the back; then the sequence is a multiple of 2 * cp. Which of the two it is, the framework decides (cp_chunks).
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"context/sequence-not-divisible-by-cp", "context", Severity::Error, "0.1",
                         "a sequence that the context-parallel ranks cannot share"};

void check(const Plan& plan, Sink& sink) {
  if (plan.cp.value_or(0) == 1) return;
  const auto values = counts(plan.seq_length, plan.cp);
  if (!values) return sink.missing(kInfo, plan.seq_length, plan.cp);
  const auto [length, cp] = *values;
  const i64 chunks = count_or(plan.cp_chunks, 1);
  const auto pieces = product({cp, chunks});
  if (!pieces || length % *pieces == 0) return;
  const i64 rest = length % *pieces;
  auto report = chunks > 1 ? sink.report(kInfo, "{} tokens cannot be cut into {} pieces, {} for each of {} context-parallel ranks", length,
                                         *pieces, chunks, cp)
                           : sink.report(kInfo, "{} tokens cannot be shared by {} context-parallel ranks", length, cp);
  report.effect("{} {} left over", rest, rest == 1 ? "token is" : "tokens are");
  report.blame(plan.seq_length, plan.cp).rather_change(plan.seq_length, plan.cp).try_first({length - rest, length - rest + *pieces});
}

}  // namespace

extern constinit const Rule sequence_not_divisible_by_cp{&kInfo, check};

}  // namespace shardlint::rules
