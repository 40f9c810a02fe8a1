#include "checker/report/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/plan/ranks.h"

namespace shardlint {

Outcome run_plan(const Options& options, const TextStyle& style) {
  const Disk disk;
  CheckOptions asked = options.check;
  asked.fixes = false;
  const Overlay files = input_files(disk, asked);
  CheckResult result = check(files, asked);

  Outcome out;
  out.output =
      options.format == OutputFormat::Json ? plan_json(result, style.working_folder, options.rank) : plan_text(result, style, options.rank);
  for (const std::string& error : result.errors) out.remarks.push_back(with_program(error));
  if (out.remarks.empty() && result.plans.empty())
    out.remarks.push_back(fmt::format("shardlint: no training config was recognised in {}", fmt::join(options.check.paths, ", ")));
  // Of several plans that share the cluster one may well be too small for it.
  const auto has_rank = [&](const PlanReport& plan) { return plan.plan && rank_place(*plan.plan, *options.rank); };
  if (out.remarks.empty() && options.rank && std::none_of(result.plans.begin(), result.plans.end(), has_rank)) {
    const Plan* plan = result.plans[0].plan.get();
    if (plan && plan->world_size.value_or(0) > 0)
      out.remarks.push_back(fmt::format("shardlint: there is no rank {}: the job has {}, from 0", *options.rank, *plan->world_size));
    else
      out.remarks.push_back("shardlint: --rank needs the number of GPUs and of those in one server: --nodes, --gpus-per-node");
  }
  if (!out.remarks.empty()) out.exit = kUsage;
  return out;
}

}  // namespace shardlint
