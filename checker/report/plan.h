// The plan itself: every field with its value and where that came from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checker/report/result.h"
#include "checker/report/text.h"

namespace shardlint {

// `rank`: whose partners are shown beside it, in the plans that have it.
std::string plan_text(const CheckResult& result, const TextStyle& style, std::optional<i64> rank = std::nullopt);
std::string plan_json(const CheckResult& result, std::string_view working_folder, std::optional<i64> rank = std::nullopt);

}  // namespace shardlint
