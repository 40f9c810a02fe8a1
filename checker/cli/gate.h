// The gate before a cluster: whose settings hold, which findings refuse a job, and who may pass all the same.
#pragma once

#include <string>
#include <vector>

#include "checker/cli/commands.h"
#include "checker/engine/site.h"

namespace shardlint {

// Lays the site's settings under the command line's; what the script itself says of partition and GPUs counts. Returns what is wrong
// with the site's file.
std::vector<std::string> enter(const Site& site, const Files& files, CheckOptions& asked);

// The reason to let a job pass that would be refused: a comment in its script, sbatch's --comment, or SHARDLINT_BYPASS; empty: there is
// none, or the site wants none.
std::string bypass_reason(const Site& site, const Files& files, const CheckOptions& asked);

// Writes a bypass to the site's log. What went wrong, for a remark; empty if nothing.
std::string log_bypass(const Site& site, const CheckOptions& asked, const std::string& submitter, const std::string& reason,
                       const std::vector<Finding>& findings);

}  // namespace shardlint
