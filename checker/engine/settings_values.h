// What a single value of a settings file may be, for those who read settings and those who offer them; what the command line needs too
// stands in settings.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlint {

bool alphanumeric(char c);

// Whether this shardlint is one that `requirement` takes: ">=0.2", "<1"; "0.2" alone takes every 0.2.x. Empty if it cannot be read.
std::optional<bool> fits_requirement(std::string_view requirement);

bool is_version(std::string_view text);
// Older versions and their patches are covered; of one that is newer than all that are known nobody knows the rules.
std::string version_error(std::string_view framework, std::string_view version);

std::vector<std::string_view> gpu_models();  // as schemas/gpus.tsv has them
// What may be said of a card: the columns of schemas/gpus.tsv that hold numbers.
std::vector<std::string_view> gpu_columns();

// What can never match a path.
std::string glob_error(std::string_view glob);

}  // namespace shardlint
