#include "checker/lsp/derived.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/plan/memory.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/stages.h"
#include "checker/report/text.h"
#include "checker/report/units.h"

namespace shardlint::lsp {

namespace {

std::string counted(i64 number, std::string_view noun) { return with_commas(plural(number, noun)); }

}  // namespace

std::optional<std::string> gpus(const Plan& plan) {
  if (!plan.world_size) return std::nullopt;
  return counted(*plan.world_size, "GPU");
}

std::optional<std::string> replicas(const Plan& plan) {
  if (!plan.dp) return std::nullopt;
  return fmt::format("DP {}", with_commas(grouped(*plan.dp)));
}

std::optional<std::string> micro_batches(const Plan& plan) {
  if (!plan.num_microbatches || *plan.num_microbatches <= 0) return std::nullopt;
  return counted(*plan.num_microbatches, "micro-batch");
}

std::optional<std::string> layers_per_stage(const Plan& plan) {
  if (!plan.layers || plan.pp.value_or(1) <= 1 || *plan.layers <= 0 || *plan.layers > 1'000'000) return std::nullopt;
  const auto dealt = stages(plan, static_cast<std::size_t>(*plan.layers));
  if (!dealt || dealt->empty()) return std::nullopt;
  std::size_t least = SIZE_MAX, most = 0;
  for (const Stage& stage : *dealt) least = std::min(least, stage.layers.size()), most = std::max(most, stage.layers.size());
  if (least == most) return counted(static_cast<i64>(least), "layer") + " a stage";
  return fmt::format("{} to {} layers a stage", least, most);
}

std::optional<std::string> memory_per_gpu(const Plan& plan) {
  const auto found = memory(plan);
  if (!found || found->stages.empty()) return std::nullopt;
  const Estimate total = found->stages[found->fullest].total();
  return fmt::format("{} on the fullest GPU ({} to {})", bytes_text(total.expected), bytes_text(total.low), bytes_text(total.high));
}

std::optional<std::string> state_per_gpu(const Plan& plan) {
  const auto found = memory(plan);
  if (!found || found->stages.empty()) return std::nullopt;
  return bytes_text(found->stages[found->fullest].state.total()) + " state";
}

std::optional<std::string> bubble(const Plan& plan) {
  const auto share = bubble_share(plan);
  if (!share || plan.pp.value_or(1) <= 1) return std::nullopt;
  return "bubble " + percent_text(*share);
}

std::optional<std::string> tokens(const Plan& plan) {
  if (!plan.tokens_per_step || *plan.tokens_per_step <= 0) return std::nullopt;
  return counted(*plan.tokens_per_step, "token") + " a step";
}

std::optional<std::string> parameters(const Plan& plan) {
  const auto found = memory(plan);
  if (!found || found->parameters <= 0) return std::nullopt;
  return count_text(found->parameters) + " parameters";
}

std::string plan_title(const PlanReport& report) {
  std::string out = split_line(report, false);
  if (!report.plan) return out;
  for (const auto& part : {state_per_gpu(*report.plan), bubble(*report.plan)})
    if (part) out += (out.empty() ? "" : " · ") + *part;
  return out;
}

}  // namespace shardlint::lsp
