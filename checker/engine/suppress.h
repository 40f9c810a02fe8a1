// Inline suppressions: `# shardlint: ignore[NAME, ...] reason` on the finding's line or alone on the line above. Lines that a backslash
// joins are one: the comment stands above the first or behind the last of them.
//
// NAME is a finding's name, its family, or a framework. A reason is required, and an ignore that silences nothing is a finding itself.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/document/document.h"

namespace shardlint {

struct Ignore {
  Place place;                        // the comment
  std::uint32_t first = 0, last = 0;  // the lines that it speaks of
  std::vector<std::string> names;
  bool reason = false, used = false, well_formed = true, included = false;
};
std::vector<Ignore> ignores_of(const Document& document);

// The lines that backslashes join to this one.
std::pair<std::uint32_t, std::uint32_t> joined_lines(const Source& source, std::uint32_t line);

// Takes the suppressed findings out of `findings` and adds those about the suppressions themselves. Returns how many were silenced.
// `judged`: the files were read whole and judged; else nobody knows which ignores are of use.
// In an included file an ignore may serve other runs, so none is called unused there.
std::size_t suppress(const std::vector<DocumentPtr>& documents, const std::vector<DocumentPtr>& included, std::vector<Finding>& findings,
                     bool judged);

}  // namespace shardlint
