// ::error file=...,line=...,title=...::MESSAGE, as a runner of GitHub Actions reads it from a step's output.
#include <fmt/format.h>

#include "checker/report/ci.h"
#include "checker/report/ci_parts.h"
#include "checker/report/excerpt.h"

namespace shardlint {

namespace {

// What the runner takes apart, a line and its fields, is escaped as its own toolkit does.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (char c : text) {
    const bool special = c == '%' || c == '\n' || c == '\r' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out;
}

// Line by line, because control characters end where the runner's log begins.
std::string shown_lines(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += (begin ? "\n" : "") + printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string github_report(const CheckResult& result, const CiReport& how) {
  std::string out;
  for (const Finding& finding : result.findings) {
    const Region region = region_of(finding, how.working_folder);
    const std::string_view command = finding.severity == Severity::Error     ? "error"
                                     : finding.severity == Severity::Warning ? "warning"
                                                                             : "notice";
    std::string place;
    if (!region.file.empty()) {
      place = fmt::format("file={},line={},", escaped(printable(region.file), true), region.line);
      // Columns say something only inside one line.
      if (finding.place && region.end_line == region.line)
        place += fmt::format("endLine={},col={},endColumn={},", region.end_line, region.column, region.end_column);
    }
    out += fmt::format("::{} {}title={}::{}\n", command, place, escaped(finding.rule, true),
                       escaped(shown_lines(all_lines(finding, how.working_folder)), false));
  }
  for (const std::string& error : result.errors) out += fmt::format("::error title=shardlint::{}\n", escaped(shown_lines(error), false));
  return out;
}

}  // namespace shardlint
