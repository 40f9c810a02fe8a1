#include "checker/engine/previews.h"

#include <algorithm>

#include "checker/diag/launch.h"

namespace shardlint {

namespace {

// A rule leaves this list once its false alarms have been counted over real configurations.
constexpr const RuleInfo* kPreviews[] = {
    &launching::kName,  // guesses what the numbers in a name mean
};

}  // namespace

const std::string_view kPreviewSays = "A preview: it is judged with `preview = true` or `--preview` alone, and may still change.\n";

bool is_preview(std::string_view rule) {
  return std::any_of(std::begin(kPreviews), std::end(kPreviews), [&](const RuleInfo* info) { return info->name == rule; });
}

}  // namespace shardlint
