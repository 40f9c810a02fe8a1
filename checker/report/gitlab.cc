#include "checker/report/ci.h"
#include "checker/report/ci_parts.h"
#include "checker/report/json_parts.h"

namespace shardlint {

std::string gitlab_report(const CheckResult& result, const CiReport& how) {
  const std::vector<std::string> names = fingerprints(result.findings, how.working_folder);
  std::string out;
  JsonParts parts(out, how.working_folder);
  llvm::json::OStream& json = parts.json();
  json.array([&] {
    for (std::size_t i = 0; i < result.findings.size(); ++i) {
      const Finding& finding = result.findings[i];
      const Region region = region_of(finding, how.working_folder);
      json.object([&] {
        parts.text("description", one_line(finding));
        parts.text("check_name", finding.rule);
        parts.text("fingerprint", names[i]);
        parts.text("severity", finding.severity == Severity::Error ? "critical" : finding.severity == Severity::Warning ? "major" : "info");
        json.attributeObject("location", [&] {
          parts.text("path", region.file.empty() ? "." : region.file);
          json.attributeObject("lines", [&] {
            json.attribute("begin", region.line);
            json.attribute("end", region.end_line);
          });
        });
      });
    }
  });
  return out + "\n";
}

}  // namespace shardlint
