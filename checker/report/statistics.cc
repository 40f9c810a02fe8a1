#include "checker/report/statistics.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace shardlint {

std::vector<RuleCount> rule_counts(const std::vector<Finding>& findings) {
  std::map<std::pair<std::string, Severity>, RuleCount> counts;
  for (const Finding& finding : findings) {
    RuleCount& rule = counts[{finding.rule, finding.severity}];
    rule.rule = finding.rule, rule.severity = finding.severity;
    ++rule.count, rule.fixable += !finding.fixes.empty();
  }
  std::vector<RuleCount> out;
  for (auto& [key, rule] : counts) out.push_back(std::move(rule));
  std::stable_sort(out.begin(), out.end(), [](const RuleCount& a, const RuleCount& b) { return a.count > b.count; });
  return out;
}

std::string count_line(const RuleCount& rule, const Paint& paint) {
  const std::string_view colour = rule.severity == Severity::Error ? "1;31" : rule.severity == Severity::Warning ? "1;33" : "1;36";
  return fmt::format("{:>7}  {} {}", with_commas(grouped(static_cast<std::int64_t>(rule.count))),
                     paint.in(colour, padded(name(rule.severity), 8)), rule.rule);
}

}  // namespace shardlint
