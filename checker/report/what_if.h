// Plans side by side: what a sweep gives, and the layouts of a model on a cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/report/text.h"
#include "checker/report/variant.h"

namespace shardlint {

// The variants of one plan, the better first.
struct Swept {
  const PlanReport* plan = nullptr;
  std::vector<Variant> variants;
};
// The first `most` of each are written in text, all in JSON.
std::string sweep_text(const std::vector<Swept>& plans, std::size_t most, const TextStyle& style);
std::string sweep_json(const std::vector<Swept>& plans, std::string_view working_folder);

std::string layouts_text(const Layouts& layouts, std::size_t most, const TextStyle& style);
std::string layouts_json(const Layouts& layouts, std::size_t most);

}  // namespace shardlint
