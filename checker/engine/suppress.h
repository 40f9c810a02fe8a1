// Inline suppressions: `# shardlint: ignore[NAME, ...] reason` on the finding's line or alone on the line above.
//
// NAME is a finding's name, its family, or a framework. A reason is required, and an ignore that silences nothing is a finding itself.
#pragma once

#include <vector>

#include "checker/diag/finding.h"
#include "checker/document/document.h"

namespace shardlint {

// Takes the suppressed findings out of `findings` and adds those about the suppressions themselves. Returns how many were silenced.
// `judged`: the files were read whole and judged; else nobody knows which ignores are of use.
// In an included file an ignore may serve other runs, so none is called unused there.
std::size_t suppress(const std::vector<DocumentPtr>& documents, const std::vector<DocumentPtr>& included, std::vector<Finding>& findings,
                     bool judged);

}  // namespace shardlint
