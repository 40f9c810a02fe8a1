// Rules of our own that are new, and not yet known to raise no false alarm: they are judged on demand alone.
#pragma once

#include <string_view>

namespace shardlint {

bool is_preview(std::string_view rule);
// What the page of a preview says of it; ends in a newline.
extern const std::string_view kPreviewSays;

}  // namespace shardlint
