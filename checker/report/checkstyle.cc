#include <algorithm>

#include <fmt/format.h>

#include "checker/report/ci.h"
#include "checker/report/ci_parts.h"

namespace shardlint {

std::string checkstyle_report(const CheckResult& result, const CiReport& how) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"8.0\">\n";
  std::vector<std::string> files;
  for (const Finding& finding : result.findings)
    if (const std::string file = region_of(finding, how.working_folder).file; std::find(files.begin(), files.end(), file) == files.end())
      files.push_back(file);
  for (const std::string& file : files) {
    out += fmt::format("  <file name=\"{}\">\n", xml(file));
    for (const Finding& finding : result.findings) {
      const Region region = region_of(finding, how.working_folder);
      if (region.file != file) continue;
      out += fmt::format("    <error line=\"{}\" column=\"{}\" severity=\"{}\" message=\"{}\" source=\"shardlint.{}\"/>\n", region.line,
                         region.column, name(finding.severity), xml(one_line(finding)), xml(finding.rule));
    }
    out += "  </file>\n";
  }
  return out + "</checkstyle>\n";
}

}  // namespace shardlint
