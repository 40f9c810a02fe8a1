// What there is to judge: the units behind the paths that were named.
#pragma once

#include <string>
#include <vector>

#include "checker/engine/unit.h"

namespace shardlint {

// Files and folders become units, with the settings and bindings that hold for each. `errors`: paths and settings that cannot be used.
std::vector<Unit> discover(const Files& files, const CheckOptions& options, std::vector<std::string>& errors);

}  // namespace shardlint
