// Do the examples of the law see a change? One comparison, connective or constant of one clause is changed at a time, in the compiled
// tables, and the clause's own examples are judged again: one that fires must be silent then, or the other way round. A mutant that both
// examples bear is alive: nothing says on which side of the limit the law stands.
//
// law_survivors.tsv counts, for each framework, mutants and those alive; a clause that adds to them fails. UPDATE_FIXTURES=1 writes the counts
// anew, and SHARDLINT_SURVIVORS=FILE lists who is alive, for whoever writes the example that kills it.
#include <cstdlib>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/plan/law.h"
#include "tests/schema/example.h"
#include "tests/where.h"

namespace shardlint::test {
namespace {

struct Mutant {
  ExprId node = kNoExpr;
  std::optional<Op> op;           // in the place of the node's
  std::optional<Const> constant;  // in the place of the node's
  std::string told;
};

std::string_view spelled(Op op) {
  switch (op) {
    case Op::Lt: return "<";
    case Op::Le: return "<=";
    case Op::Gt: return ">";
    case Op::Ge: return ">=";
    case Op::Eq: return "==";
    case Op::Ne: return "!=";
    case Op::In: return "in";
    case Op::NotIn: return "not in";
    case Op::And: return "and";
    case Op::Or: return "or";
    case Op::Add: return "+";
    case Op::Sub: return "-";
    case Op::Mul: return "*";
    case Op::FloorDiv: return "//";
    default: return "?";
  }
}

std::vector<Op> instead_of(Op op) {
  switch (op) {
    case Op::Lt: return {Op::Le, Op::Gt};
    case Op::Le: return {Op::Lt, Op::Ge};
    case Op::Gt: return {Op::Ge, Op::Lt};
    case Op::Ge: return {Op::Gt, Op::Le};
    case Op::Eq: return {Op::Ne};
    case Op::Ne: return {Op::Eq};
    case Op::In: return {Op::NotIn};
    case Op::NotIn: return {Op::In};
    case Op::And: return {Op::Or};
    case Op::Or: return {Op::And};
    case Op::Add: return {Op::Sub};
    case Op::Sub: return {Op::Add};
    case Op::Mul: return {Op::Add};
    case Op::FloorDiv: return {Op::Mul};
    default: return {};
  }
}

void collect(const Schema& schema, ExprId id, std::vector<Mutant>& out) {
  if (id == kNoExpr) return;
  const ExprNode& node = schema.nodes[id];
  if (node.op == Op::Const) {
    Const constant = schema.constants[node.a];
    if (constant.kind != Value::Kind::Int) return;
    const i64 before = constant.integer++;
    out.push_back({id, std::nullopt, constant, fmt::format("{} -> {}", before, constant.integer)});
    return;
  }
  for (const Op op : instead_of(node.op)) out.push_back({id, op, std::nullopt, fmt::format("{} -> {}", spelled(node.op), spelled(op))});
  if (node.op == Op::Read) return;
  for (ExprId child = node.a; child != kNoExpr; child = schema.nodes[child].next) collect(schema, child, out);
}

// Whether the clause speaks, says nothing, or cannot be evaluated.
enum class Answer { Fires, Quiet, Open };

Answer answer(const Job& job, const Clause& clause) {
  Judgement judgement = judge(job);
  for (const Violation& violation : judgement.violations)
    if (violation.clause == &clause) return Answer::Fires;
  for (const NotEvaluated& entry : judgement.not_evaluated)
    if (entry.rule == clause.name) return Answer::Open;
  if (clause.rewrite) {
    const SlotState& state = judgement.evaluation->at(clause.set);
    if (state.origin == SlotState::Origin::Rewritten && state.by == &clause) return Answer::Fires;
  }
  return Answer::Quiet;
}

TEST(Mutants, OfTheLawAreKilledByItsExamples) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the law is the same under the sanitizers, and this takes long there";
#endif
  const std::string file = SHARDLINT_ROOT "/tests/mutate/law_survivors.tsv";
  std::map<std::string, std::size_t> allowed;
  std::ifstream in(file);
  std::string name;
  for (std::size_t all = 0, alive = 0; in >> name >> all >> alive;) allowed[name] = alive;
  std::ofstream list;
  if (const char* wanted = std::getenv("SHARDLINT_SURVIVORS")) list.open(wanted);
  std::string counts;
  for (const Schema* schema : schemas()) {
    std::size_t all = 0, alive = 0;
    std::string last;
    for (const Clause& clause : schema->law) {
      if (clause.inherited) continue;
      std::vector<Mutant> mutants;
      for (ExprId id : {clause.when, clause.require, clause.to}) collect(*schema, id, mutants);
      const std::string version(!clause.until.empty() && !clause.since.empty() ? clause.since : std::string_view());
      std::vector<Job> jobs;
      std::vector<Answer> before;
      for (const auto lines : {clause.fires, clause.quiet}) {
        jobs.push_back(job_of(*schema, make_example(*schema, lines), version));
        before.push_back(answer(jobs.back(), clause));
      }
      for (const Mutant& mutant : mutants) {
        Schema changed = *schema;
        std::vector<ExprNode> nodes(schema->nodes.begin(), schema->nodes.end());
        std::vector<Const> constants(schema->constants.begin(), schema->constants.end());
        if (mutant.op) nodes[mutant.node].op = *mutant.op;
        if (mutant.constant) {
          nodes[mutant.node].a = static_cast<std::uint32_t>(constants.size());
          constants.push_back(*mutant.constant);
        }
        changed.nodes = nodes, changed.constants = constants;
        bool killed = false;
        for (std::size_t i = 0; i < jobs.size() && !killed; ++i) {
          jobs[i].schema = &changed;
          killed = answer(jobs[i], clause) != before[i];
          jobs[i].schema = schema;
        }
        ++all;
        if (killed) continue;
        ++alive;
        last = fmt::format("{}: {}", clause.name, mutant.told);
        if (list) list << last << "\n";
      }
    }
    counts += fmt::format("{}\t{}\t{}\n", schema->name, all, alive);
    if (!std::getenv("UPDATE_FIXTURES")) {
      EXPECT_LE(alive, allowed[std::string(schema->name)])
          << schema->name << ": more changes of the law go unseen than before, such as " << last << "; an example is missing";
    }
  }
  if (std::getenv("UPDATE_FIXTURES")) std::ofstream(file) << counts;
}

}  // namespace
}  // namespace shardlint::test
