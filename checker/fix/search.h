// Fixes are searched, not written down: a violation names the fields that one would rather change, and this looks for values that work.
//
// Every candidate is judged again from the facts on. It stands if the finding is gone, no other finding is new, and nothing that was
// evaluated has become unknown. Nearest first, at most 64 tries; one changed fact, else two. What stands is then spelled by the writer of
// the syntax that owns the fact. Deleting a setting comes last.
#pragma once

#include <vector>

#include "checker/diag/finding.h"
#include "checker/plan/law.h"

namespace shardlint {

struct FoundFix {
  Fix fix;
  std::vector<Change> changes;
  std::vector<std::string> mends;  // every rule that fires less often with it
};

// At most three alternatives, the least invasive first. `judgement` is the job's own. `budget`: how many facts may still be judged; every
// try takes the job's facts off it, so that many findings in a large file cost no more than a few.
std::vector<FoundFix> search_fixes(const Job& job, Judgement& judgement, const Violation& violation, std::size_t& budget);

// The facts with the changes made. For tests.
Facts with_changes(const Job& job, const std::vector<Change>& changes);

}  // namespace shardlint
