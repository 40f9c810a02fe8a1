#include "checker/report/plan.h"
#include "checker/report/html.h"

#include <fmt/format.h>

#include "checker/cli/commands.h"

namespace shardlint {

Outcome run_plan(const Options& options, const TextStyle& style) {
  const Disk disk;
  CheckOptions asked = options.check;
  asked.fixes = false;
  const Overlay files = input_files(disk, asked);
  CheckResult result = check(files, asked);

  Outcome out;
  switch (options.format) {
    case OutputFormat::Text: out.output = plan_text(result, style); break;
    case OutputFormat::Json: out.output = plan_json(result, style.working_folder); break;
    case OutputFormat::Html: out.output = plan_html(result, style.working_folder); break;
  }
  for (const std::string& error : result.errors) out.remarks.push_back(with_program(error));
  if (out.remarks.empty() && result.plans.empty())
    out.remarks.push_back(fmt::format("shardlint: no training config was recognised in {}", fmt::join(options.check.paths, ", ")));
  if (!out.remarks.empty()) out.exit = kUsage;
  return out;
}

}  // namespace shardlint
