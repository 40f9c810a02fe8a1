// Findings as the tools of continuous integration read them. Every report ends in a newline, names files relative to the working folder
// (absolute only outside it), and counts lines and columns from 1, columns in characters.
//
// What stands in no file (an option on the command line, a default) is reported on the first line of the run's first file.
#pragma once

#include <functional>
#include <string>

#include "checker/report/result.h"

namespace shardlint {

struct RuleText {
  Severity severity = Severity::Error;  // before anybody's settings
  std::string family, summary, page;    // one line; Markdown
};

struct CiReport {
  std::string working_folder;
  std::function<RuleText(const std::string& rule)> describe;
  std::function<bool(const Finding&)> fails;  // whether it counts for the exit code
};

// SARIF 2.1.0 (OASIS): code scanning of GitHub, Azure DevOps and others.
std::string sarif_report(const CheckResult& result, const CiReport& how);
// Workflow commands: annotations in the diff of a pull request.
std::string github_report(const CheckResult& result, const CiReport& how);
// GitLab's Code Quality artifact, a subset of Code Climate's format.
std::string gitlab_report(const CheckResult& result, const CiReport& how);
// JUnit's XML: a suite for each file; a finding that fails the check is a failure, another one a passed case with its text.
std::string junit_report(const CheckResult& result, const CiReport& how);
// Checkstyle's XML: Jenkins and reviewdog.
std::string checkstyle_report(const CheckResult& result, const CiReport& how);

}  // namespace shardlint
