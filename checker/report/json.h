// Findings as one JSON object: the contract that tools read. Members are added, never renamed or removed.
#pragma once

#include <string>
#include <string_view>

#include "checker/report/result.h"

namespace shardlint {

// Ends in a newline. Files are named relative to `working_folder`, absolute only outside it.
// With `statistics` the counts by rule are a member.
std::string json_report(const CheckResult& result, std::string_view working_folder, bool statistics = false);

}  // namespace shardlint
