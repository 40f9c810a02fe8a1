// The mutants of a clause: its expressions with one comparison, connective or integer changed, in a copy of the schema where the law ends
// before the clause. A run is judged once, and then the clause and all its mutants are asked about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/schema/precedent.h"

namespace shardlint::test {

struct Mutant {
  ExprId when = kNoExpr, require = kNoExpr, to = kNoExpr;
  std::string told;  // "require: divides(tp, heads) or tp >= 2"
};

struct Saying {
  std::string_view verdict;  // fires, silent, open
  std::string becomes;       // of a rewrite that fires

  // Whether an example with the verdict `said` holds here: "becomes 8" asks for the value too.
  bool is(std::string_view said) const {
    return said.starts_with("becomes ") ? verdict == "fires" && becomes == said.substr(8) : said == verdict;
  }
};

class MutatedClause {
 public:
  MutatedClause(const Schema& schema, const Clause& clause);
  MutatedClause(const MutatedClause&) = delete;
  MutatedClause& operator=(const MutatedClause&) = delete;

  const std::vector<Mutant>& mutants() const { return mutants_; }
  // Those that no run can tell from the clause (law_equal.h); they are not among the others.
  const std::vector<Mutant>& idle() const { return idle_; }

  // A run as it stands before the clause; `job` must outlive it.
  Judgement before(Job& job) const {
    job.schema = &schema_;
    return judge(job);
  }
  // What the clause, or one of its mutants, says then.
  Saying original(Judgement& before) const { return say(before, {clause_.when, clause_.require, clause_.to, {}}); }
  Saying mutant(Judgement& before, std::size_t index) const { return say(before, mutants_[index]); }
  // The first idle mutant that this run does tell from the clause: a fault of law_equal.cc. Empty: there is none.
  std::string told_apart(Judgement& before) const;
  // How each of the clause's own parts comes out: T, F, or ? for unknown.
  std::string trace(Judgement& before) const;

 private:
  Saying say(Judgement& before, const Mutant& mutant) const;
  void mutate(ExprId Mutant::*part, ExprId root, ExprId node, ExprId parent);
  ExprId copy(ExprId root, ExprId node, const ExprNode& instead);

  const Clause& clause_;
  Schema schema_;
  std::vector<ExprNode> nodes_;
  std::vector<Const> constants_;
  std::vector<RuleOverride> no_rules_;
  std::vector<Mutant> mutants_, idle_;
};

// An expression as it is written, near enough.
std::string written(const Schema& schema, ExprId id);

}  // namespace shardlint::test
