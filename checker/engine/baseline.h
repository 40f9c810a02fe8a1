// A baseline: how many findings of each rule a file had when somebody decided to let them stand. Only findings beyond these counts are new.
//
// The file is TOML, one table a checked file, `"RULE" = COUNT` a line, sorted, so that it merges well. Paths start from its own folder.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/engine/check.h"
#include "checker/engine/unit.h"

namespace shardlint {

// Leaves out the findings that the baselines of these units' settings cover. Where there are more than before nobody knows which are new:
// all are shown, with a remark. Entries that nothing answers to any more are remarks.
void let_stand(const Files& files, const CheckOptions& options, const std::vector<Unit>& units, CheckResult& result);

// The new text of a baseline in `folder`. Of what stood there before, entries of files that were not looked at are kept.
struct BaselineText {
  std::string text;
  std::size_t findings = 0, files = 0;
  std::vector<std::string> errors;  // of the file that stood there
};
BaselineText baseline_text(const Files& files, const std::string& path, const CheckResult& result);

}  // namespace shardlint
