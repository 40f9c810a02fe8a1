// Where each rule begins and ends to speak, and what it then says: edges.txt (tests/literate.h). Behind the last bar stand the fixes that are
// offered.
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/engine/check.h"
#include "tests/literate.h"
#include "tests/where.h"

namespace shardlint {
namespace {

std::string field_at(const Place& place) {
  if (!place) return "nothing";
  std::string_view text = place.source->text();
  text.remove_prefix(text.rfind('\n', place.range.begin) + 1);
  return std::string(text.substr(0, text.find(' ')));
}

// "tp = ?": somebody sets it, and nobody here knows to what.
Fact unknown(std::string_view field) {
  Fact fact;
  fact.path = fact.spelled = field;
  fact.way = Way::Setting;
  fact.open = "a variable of the job decides";
  return fact;
}

std::string said(const std::string& rule, const std::string& plan) {
  CheckOptions options;
  std::string known;
  std::istringstream lines(plan);
  for (std::string line; std::getline(lines, line);)
    if (line.ends_with(" = ?"))
      options.command_line.facts.push_back(unknown(std::string_view(line).substr(0, line.size() - 4)));
    else
      known += line + "\n";
  Overlay files;
  files.put("plan.toml", known);
  options.paths = {"plan.toml"};
  options.isolated = options.advice = true;
  options.command_line.framework = "plan";
  options.command_line.rules.preview = true;
  std::string out;
  const CheckResult result = check(files, options);
  for (const Finding& finding : result.findings) {
    EXPECT_NE(finding.rule, "hygiene/unknown-key") << plan;
    EXPECT_NE(finding.rule, "hygiene/syntax-error") << plan;
    if (finding.rule != rule) continue;
    out += fmt::format("{} at {}: {} | {} |", name(finding.severity), field_at(finding.place), with_commas(finding.message),
                       with_commas(finding.effect));
    for (const Fix& fix : finding.fixes) out += fmt::format("{} {}", &fix == &finding.fixes[0] ? "" : ";", fix.title);
    out += "\n";
  }
  if (!out.empty()) return out;
  for (const NotEvaluatedReport& entry : result.not_evaluated)
    if (entry.rule == rule) return fmt::format("silent, without {}\n", fmt::join(entry.because, ", "));
  return "silent\n";
}

class Edges : public testing::TestWithParam<test::Section> {};
TEST_P(Edges, AreWhereTheyAreSaidToBe) { test::expect_section(GetParam(), said); }
INSTANTIATE_TEST_SUITE_P(Rules, Edges, testing::ValuesIn(test::sections_of(SHARDLINT_ROOT "/tests/rules/edges.txt")), test::name_of);

}  // namespace
}  // namespace shardlint
