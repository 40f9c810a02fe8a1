#include <fmt/format.h>

#include "checker/report/ci.h"
#include "checker/report/ci_parts.h"
#include "checker/text/files.h"

namespace shardlint {

namespace {

struct Suite {
  std::string file, cases;
  std::size_t tests = 0, failures = 0;
};

std::string suite_xml(const Suite& suite, std::size_t errors) {
  return fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}  </testsuite>\n", xml(suite.file),
                     suite.tests, suite.failures, errors, suite.cases);
}

}  // namespace

std::string junit_report(const CheckResult& result, const CiReport& how) {
  std::vector<Suite> suites;
  const auto suite_of = [&](const std::string& file) -> Suite& {
    for (Suite& suite : suites)
      if (suite.file == file) return suite;
    return suites.emplace_back(Suite{file, "", 0, 0});
  };
  for (const PlanReport& plan : result.plans) suite_of(shown(plan.file, how.working_folder));
  for (const Finding& finding : result.findings) {
    const Region region = region_of(finding, how.working_folder);
    Suite& suite = suite_of(region.file);
    const bool fails = how.fails(finding);
    const std::string text = xml(all_lines(finding, how.working_folder));
    suite.cases += fmt::format("    <testcase classname=\"{}\" name=\"{} at line {}\" file=\"{}\" line=\"{}\">\n", xml(region.file),
                               xml(finding.rule), region.line, xml(region.file), region.line);
    if (fails)
      suite.cases +=
          fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", name(finding.severity), xml(one_line(finding)), text);
    else
      suite.cases += fmt::format("      <system-out>{}: {}</system-out>\n", name(finding.severity), text);
    suite.cases += "    </testcase>\n";
    ++suite.tests, suite.failures += fails;
  }
  std::size_t tests = 0, failures = 0;
  std::string body;
  for (Suite& suite : suites) {
    if (suite.tests == 0) {
      suite.cases = fmt::format("    <testcase classname=\"{0}\" name=\"nothing found\" file=\"{0}\"/>\n", xml(suite.file));
      suite.tests = 1;
    }
    tests += suite.tests, failures += suite.failures;
    body += suite_xml(suite, 0);
  }
  if (!result.errors.empty()) {
    Suite own{"shardlint", "", 0, 0};
    for (const std::string& error : result.errors) {
      own.cases += fmt::format(
          "    <testcase classname=\"shardlint\" name=\"settings and files {}\">\n      <error message=\"{}\"/>\n    </testcase>\n",
          ++own.tests, xml(error));
    }
    tests += own.tests;
    body += suite_xml(own, own.tests);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"shardlint\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}"
      "</testsuites>\n",
      tests, failures, result.errors.size(), body);
}

}  // namespace shardlint
