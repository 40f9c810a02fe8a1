// Writes the comments that let findings stand where they stand (suppress.h), each tried by reading the file again.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/engine/check.h"

namespace shardlint {

struct AddedIgnores {
  std::map<std::string, std::pair<std::string, std::string>> texts;  // path -> before, after
  std::size_t comments = 0, findings = 0;
  std::vector<std::string> remarks;  // findings that no comment can reach
};

// For each finding of `result` that has a line in a file. Behind the line where the syntax takes a comment there, else above it; a name is
// added to an ignore that speaks of the line already.
AddedIgnores add_ignores(const Files& files, const CheckOptions& options, const CheckResult& result, const std::string& reason);

}  // namespace shardlint
