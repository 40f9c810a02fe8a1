// What follows from a plan, in the words that hover, hints and the plan line share.
#pragma once

#include <optional>
#include <string>

#include "checker/engine/check.h"

namespace shardlint::lsp {

// "5,120 GPUs = TP 8 x PP 8 x DP 80 · 48 GB state · bubble 17.9 %"; empty where nothing is known.
std::string plan_title(const PlanReport& report);

std::optional<std::string> gpus(const Plan& plan);              // "5,120 GPUs"
std::optional<std::string> replicas(const Plan& plan);          // "DP 80"
std::optional<std::string> micro_batches(const Plan& plan);     // "32 micro-batches"
std::optional<std::string> layers_per_stage(const Plan& plan);  // "10 layers a stage", "9 to 11 layers a stage"
std::optional<std::string> memory_per_gpu(const Plan& plan);    // "61 GB on the fullest GPU (52 to 70 GB)"
std::optional<std::string> state_per_gpu(const Plan& plan);     // "48 GB state"
std::optional<std::string> bubble(const Plan& plan);            // "bubble 17.9 %"
std::optional<std::string> tokens(const Plan& plan);            // "10,485,760 tokens a step"
std::optional<std::string> parameters(const Plan& plan);        // "70.6 B parameters"

}  // namespace shardlint::lsp
