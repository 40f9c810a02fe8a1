// Judging one job: bind its facts, run the framework's rewrites and constraints in the framework's order, make the plan, run the rules.
//
// A pure function of the job; everything that looks for a fix re-runs it on changed facts.
#pragma once

#include <memory>
#include <vector>

#include "checker/plan/bind.h"
#include "checker/plan/plan.h"
#include "checker/plan/violation.h"

namespace shardlint {

struct Judgement {
  std::unique_ptr<Evaluation> evaluation;           // of the first plan
  std::vector<std::unique_ptr<Evaluation>> others;  // of the schema's further plans; null where the run does not have one
  std::vector<Violation> violations;                // the most severe first, then in the order of the law; nothing folded yet
  std::vector<NotEvaluated> not_evaluated;
  std::size_t more = 0;    // violations that are only counted
  std::size_t checks = 0;  // clauses and rules that gave an answer

  Evaluation* plan(std::size_t index) { return index == 0 ? evaluation.get() : others[index - 1].get(); }
  Evaluation& of(const Violation& violation) { return *plan(violation.plan); }
};

Judgement judge(const Job& job);

// The written facts (no settings) that a violation rests on.
std::vector<std::uint32_t> written_roots(const Job& job, Evaluation& evaluation, const Violation& violation);

// Which violations stand for themselves, and under which of them the others hang: entry i is i itself, or the index of its cause.
// Two violations that rest on the same written facts are one mistake. Nothing hangs under one that is not `visible`: it would be lost there.
std::vector<std::size_t> fold(const Job& job, Judgement& judgement, const std::vector<bool>& visible);

}  // namespace shardlint
