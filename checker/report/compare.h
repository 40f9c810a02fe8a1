// What is different between two plans, in meaning: fields as the plan has them, whichever framework spells them, and what follows from them.
//
// Only what both plans know can differ; what one of them knows alone is listed beside it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/report/result.h"

namespace shardlint {

struct FieldDifference {
  const FieldReport *before = nullptr, *after = nullptr;  // of the same field
  bool follows = false;                                   // from other fields, in both plans
};

// A number that is worked out from the plan.
struct Account {
  enum class Unit { Bytes, Share, Seconds, Count, Days };
  std::string path;   // where `plan --format json` has it, below its plan; empty: an axis that sends nothing
  std::string title;  // "memory of the fullest stage"
  Unit unit = Unit::Count;
  double value = 0;
};
std::vector<Account> accounts(const Plan& plan);

struct AccountDifference {
  Account before, after;
};

struct PlanDifference {
  const PlanReport *before = nullptr, *after = nullptr;  // null: only the other run has a plan of this name
  std::vector<FieldDifference> fields;
  std::vector<AccountDifference> accounts;
  std::vector<const FieldReport*> only_before, only_after;  // values that the other plan does not know
  bool same() const { return before && after && fields.empty() && accounts.empty(); }
};

// By the plans' names; where each run has one plan, those two.
// The differences point into both.
std::vector<PlanDifference> compare(const CheckResult& before, const CheckResult& after);

}  // namespace shardlint
