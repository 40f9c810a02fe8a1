// A model tells so many positions apart, by its table or by the range that its rotations were made for. Tokens behind them have no position
// of their own.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"shapes/sequence-exceeds-positions", "shapes", Severity::Warning, "0.1",
                         "sequences longer than the positions that the model can tell apart"};

void check(const Plan& plan, Sink& sink) {
  if (plan.max_positions.stated && !plan.max_positions) return;  // no limit
  const auto values = counts(plan.seq_length, plan.max_positions);
  if (!values) return sink.missing(kInfo, plan.seq_length, plan.max_positions);
  const auto [length, positions] = *values;
  if (length <= positions) return;
  sink.report(kInfo, "sequences of {}, and the model has {}", plural(length, "token"), plural(positions, "position"))
      .effect("the last {}", length - positions == 1 ? "token has no position of its own"
                                                     : plural(length - positions, "token") + " have no position of their own")
      .blame(plan.seq_length, plan.max_positions)
      .rather_change(plan.seq_length, plan.max_positions)
      .try_first({positions});
}

}  // namespace

extern constinit const Rule sequence_exceeds_positions{&kInfo, check};

}  // namespace shardlint::rules
