// Two plans, in meaning: what is different, and what follows from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/report/compare.h"
#include "checker/report/text.h"

namespace shardlint {

std::string diff_text(const std::vector<PlanDifference>& differences, const TextStyle& style);
std::string diff_json(const std::vector<PlanDifference>& differences, std::string_view working_folder);

}  // namespace shardlint
