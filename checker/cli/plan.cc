#include "checker/report/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/engine/layouts.h"
#include "checker/plan/ranks.h"
#include "checker/report/html.h"
#include "checker/report/what_if.h"
#include "checker/schema/models.h"

namespace shardlint {

namespace {

constexpr std::size_t kMostVariants = 200'000;
constexpr std::string_view kModelFile = "model.toml";

Outcome refuse(std::string error) { return {kUsage, "", {fmt::format("shardlint: {}", error)}}; }

// A public model as a plan that is written by hand; empty if there is no such model.
std::string model_text(std::string_view name) {
  const ModelShape* model = model_named(name);
  std::string out;
  for (std::size_t i = 0; model && i < kShapeColumns; ++i) {
    const std::string column(shape_columns()[i].name);
    const Value value = model->at(i);
    if (!value.is_null() && field_named(column) && column != "params") out += fmt::format("{} = {}\n", column, to_string(value));
  }
  return out;
}

Outcome run_sweep(const CheckResult& result, const Options& options, const TextStyle& style) {
  const auto all = combinations(options.sweep, kMostVariants);
  if (!all) return refuse(fmt::format("--sweep: there are more than {} combinations", kMostVariants));
  std::vector<Swept> swept;
  for (const PlanReport& plan : result.plans) {
    if (!plan.job) continue;
    const WhatIf run(plan.job, plan.index);
    for (const auto& [name, values] : options.sweep)
      if (std::string error = run.name_error(name); !error.empty()) return refuse("--sweep: " + error);
    swept.push_back({&plan, judge_all(run, *all, options.check.jobs)});
    sort_by_worth(swept.back().variants);
  }
  const bool json = options.format == OutputFormat::Json;
  return {kClean, json ? sweep_json(swept, style.working_folder) : sweep_text(swept, options.limit, style), {}};
}

Outcome run_search(const Plan& plan, const Options& options, const TextStyle& style) {
  const Layouts layouts = search_layouts(plan, options.check.jobs);
  if (!layouts.error.empty()) return refuse("--search: " + layouts.error);
  const bool json = options.format == OutputFormat::Json;
  return {layouts.found.empty() ? kFindings : kClean,
          json ? layouts_json(layouts, options.limit) : layouts_text(layouts, options.limit, style),
          {}};
}

}  // namespace

Outcome run_plan(const Options& options, const TextStyle& style) {
  const Disk disk;
  CheckOptions asked = options.check;
  asked.fixes = false, asked.advice = true;
  Checked<Overlay> input = input_files(disk, asked);
  if (!input.value) return no_input(input.error);
  Overlay& files = *input.value;
  if (options.model) {
    const std::string text = model_text(*options.model);
    if (text.empty()) return refuse(fmt::format("--model: no public model has the name {}", *options.model));
    files.put(std::string(kModelFile), text);
    asked.paths = {std::string(kModelFile)}, asked.command_line.framework = "plan";
  }
  CheckResult result = check(files, asked);

  Outcome out;
  for (const std::string& error : result.errors) out.remarks.push_back(with_program(error));
  if (out.remarks.empty() && result.plans.empty())
    out.remarks.push_back(fmt::format("shardlint: no training config was recognised in {}", fmt::join(options.check.paths, ", ")));
  if (!out.remarks.empty()) {
    out.exit = kUsage;
    if (options.search || !options.sweep.empty()) return out;
  }
  for (const std::string& key : options.keys)
    for (const PlanReport& plan : result.plans)
      if (std::string error = plan.job ? WhatIf(plan.job, plan.index).name_error(key) : ""; !error.empty())
        return refuse("--set: " + error);
  if (options.search && result.plans[0].plan) return run_search(*result.plans[0].plan, options, style);
  if (!options.sweep.empty()) return run_sweep(result, options, style);
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
  switch (options.format) {
    case OutputFormat::Text: out.output = plan_text(result, style, options.rank); break;
    case OutputFormat::Json: out.output = plan_json(result, style.working_folder, options.rank); break;
    case OutputFormat::Html: out.output = plan_html(result, style.working_folder); break;
    default: break;  // no other is one of `plan`
  }
  return out;
}

}  // namespace shardlint
