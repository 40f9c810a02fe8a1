// Counts that people write into names: "llama-70b-2n8g-tp2pp4".
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "checker/document/value.h"

namespace shardlint::launch {

// The canonical fields that a name states, with their numbers.
std::vector<std::pair<std::string_view, i64>> counts_in(std::string_view name);

}  // namespace shardlint::launch
