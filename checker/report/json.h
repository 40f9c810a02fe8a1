// Findings as one JSON object: the contract that tools read. Members are added, never renamed or removed.
#pragma once

#include <string>
#include <string_view>

#include "checker/engine/check.h"

namespace shardlint {

// Ends in a newline. Files are named relative to `working_folder`, absolute only outside it.
std::string json_report(const CheckResult& result, std::string_view working_folder);

}  // namespace shardlint
