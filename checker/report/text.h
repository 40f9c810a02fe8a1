// Findings for people, at a terminal or in a log.
#pragma once

#include <string>
#include <string_view>

#include "checker/report/result.h"

namespace shardlint {

struct TextStyle {
  bool color = false;
  std::size_t width = 120;     // of the terminal
  std::string working_folder;  // that files are named from
};

struct TextReport {
  TextStyle style;
  bool statistics = false;     // counts by rule
  bool not_evaluated = false;  // which values would settle what could not be checked
};

// Ends in a newline.
std::string text_report(const CheckResult& result, const TextReport& how);

// "a.toml:3:5", without the column "a.toml:3"; of the command line the option: "--nodes".
std::string place_line(const Place& place, std::string_view working_folder, bool column);

// "5,120 GPUs = TP 8 x PP 8 x CP 1 x DP 80"; without `ones` the degrees of one are left out.
std::string split_line(const PlanReport& plan, bool ones);
// "configs/500b.toml   TorchTitan   5,120 GPUs = TP 8 x PP 8 x CP 1 x DP 80   32 micro-batches"
std::string plan_line(const PlanReport& plan, std::string_view working_folder);

}  // namespace shardlint
