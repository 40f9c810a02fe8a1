// What the reports for CI share: a finding's place in whole lines and characters, its text, and a name that survives moved lines.
// Private to report/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/text/source.h"

namespace shardlint {

struct Region {
  std::string file;                                                  // empty: nobody knows one
  std::uint32_t line = 1, column = 1, end_line = 1, end_column = 1;  // the end is exclusive
};
Region region_of(const Place& place, std::string_view working_folder);
// Where a report must put a finding: its place, or the first line of its run's first file.
Region region_of(const Finding& finding, std::string_view working_folder);

// "2,500 sequences cannot be shared by 80 replicas; TorchTitan refuses to start", and before it the option where that is to blame.
std::string one_line(const Finding& finding);
// The message; then, a line each, what will happen, why it is believed, what mends it.
std::string all_lines(const Finding& finding, std::string_view working_folder);

// One a finding: 32 hexadecimal digits of the rule, the file, the plan and the text of the line, and of how many such stand before it. The
// line's number is no part of them.
std::vector<std::string> fingerprints(const std::vector<Finding>& findings, std::string_view working_folder);

// Text inside XML, in an attribute or an element. What XML cannot hold becomes a replacement character.
std::string xml(std::string_view text);

}  // namespace shardlint
