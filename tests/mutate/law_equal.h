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

struct Change {
  ExprId node = kNoExpr;    // before: a comparison, or an integer that becomes one more
  ExprId parent = kNoExpr;  // of the integer
  Op op = Op::Const;        // after, of a comparison
};
// Where the two differ, neither the clause nor its mutant can fire, or both come to the same.
bool cannot_be_noticed(const Schema& schema, const Parts& before, const Parts& after, const Change& change);

}  // namespace shardlint::test
