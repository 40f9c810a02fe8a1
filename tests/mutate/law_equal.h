// Mutants that no run can tell from their clause, by a law of arithmetic: `tp > 0` guards a division by tp, so `tp >= 0` fires no sooner;
// what is divided by 1 leaves no rest, so `tp > 1` fires no later.
#pragma once

#include "checker/schema/schema.h"

namespace shardlint::test {

// A clause's expressions; `schema` has their nodes.
struct Parts {
  ExprId when = kNoExpr, require = kNoExpr, to = kNoExpr;
  Slot set = kNoSlot;
};

// Whether the comparison at `node` of `before`, with `op` in the place of its operator or the integer beside it one more, cannot be noticed:
// where the two comparisons differ, neither the clause nor its mutant can fire.
struct Change {
  ExprId comparison = kNoExpr;      // before
  Op op = Op::Const;                // after
  std::optional<ExprId> increased;  // its operand that is one more
};
bool cannot_be_noticed(const Schema& schema, const Parts& before, const Parts& after, const Change& change);

}  // namespace shardlint::test
