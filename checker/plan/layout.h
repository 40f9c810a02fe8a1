// Megatron's pipeline layout: which layers each chunk holds, e.g. "Et*3|(tt|)*29m|L".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlint {

// The chunks, each as its letters: E embedding, t layer, m multi-token prediction, L output and loss. Chunks stand between bars, `t*3` and
// `(...)*3` repeat, commas are for the eye. Nothing if it is malformed or longer than 100,000 letters.
std::optional<std::vector<std::string>> pipeline_layout(std::string_view text);

}  // namespace shardlint
