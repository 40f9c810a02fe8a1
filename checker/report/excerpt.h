// One line of a source as a terminal can show it, and a fix as the lines it changes. Private to report/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/text/source.h"

namespace shardlint {

// Control characters would drive the terminal; line ends would break the line. Both become spaces or question marks.
std::string printable(std::string_view text);

// The first line of a range, cut around the range where it is longer than `width` columns.
struct Excerpt {
  std::uint32_t line = 1;
  std::string text;        // tabs are expanded
  std::size_t indent = 0;  // columns before the range
  std::size_t carets = 1;  // columns of the range
};
Excerpt excerpt(const Source& source, Range range, std::size_t width);

// What a fix makes of one file: the lines that go and the lines that come.
struct LineDiff {
  SourcePtr source;
  std::vector<std::string> before, after;
};
std::vector<LineDiff> line_diffs(const Fix& fix);

}  // namespace shardlint
