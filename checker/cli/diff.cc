#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/report/diff.h"

namespace shardlint {

Outcome run_diff(const Options& options, const TextStyle& style) {
  const Disk disk;
  CheckOptions asked = options.check;
  asked.fixes = false;
  const Checked<Overlay> input = input_files(disk, asked);
  if (!input.value) return no_input(input.error);
  const Overlay& files = *input.value;
  const std::vector<std::string> both = asked.paths;

  Outcome out;
  CheckResult results[2];
  for (std::size_t i = 0; i < 2; ++i) {
    asked.paths = {both[i]};
    results[i] = check(files, asked);
    for (const std::string& error : results[i].errors) out.remarks.push_back(with_program(error));
    if (results[i].errors.empty() && results[i].plans.empty())
      out.remarks.push_back(fmt::format("shardlint: no training config was recognised in {}", both[i]));
  }
  if (!out.remarks.empty()) {
    out.exit = kUsage;
    return out;
  }
  const std::vector<PlanDifference> differences = compare(results[0], results[1]);
  out.output = options.format == OutputFormat::Json ? diff_json(differences, style.working_folder) : diff_text(differences, style);
  for (const PlanDifference& difference : differences)
    if (!difference.same()) out.exit = kFindings;
  return out;
}

}  // namespace shardlint
