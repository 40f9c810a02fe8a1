// The plan itself: every field with its value and where that came from.
#pragma once

#include <string>
#include <string_view>

#include "checker/engine/check.h"
#include "checker/report/text.h"

namespace shardlint {

std::string plan_text(const CheckResult& result, const TextStyle& style);
std::string plan_json(const CheckResult& result, std::string_view working_folder);

}  // namespace shardlint
