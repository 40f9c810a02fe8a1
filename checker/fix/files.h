// Getting a fix to the disk, or to the eyes of a person.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/text/source.h"

namespace shardlint {

// Replaces the file's content at one stroke: whoever reads it sees the old text or the new one, also after a power cut. A symbolic link
// stays one, and the file it leads to is replaced; the mode stays. A file that its user may not write is left alone, whatever the
// directory allows. Empty on success, else why it failed, for people; nothing is left behind then.
std::optional<std::string> write_atomically(const std::string& path, std::string_view text);

// The change as `patch -p1` and `git apply` take it, with three lines of context; empty if there is none.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

// The edits, in whole lines, that turn the source into `after`.
std::vector<Edit> line_edits(const SourcePtr& source, std::string_view after);

}  // namespace shardlint
