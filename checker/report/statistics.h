// Findings counted by rule.
#pragma once

#include <string>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/report/paint.h"

namespace shardlint {

struct RuleCount {
  std::string rule;
  Severity severity = Severity::Error;
  std::size_t count = 0, fixable = 0;  // with a fix of whatever safety
};

// The most frequent first.
std::vector<RuleCount> rule_counts(const std::vector<Finding>& findings);

// "     12  error    hygiene/wrong-type"
std::string count_line(const RuleCount& rule, const Paint& paint = Paint(false));

}  // namespace shardlint
