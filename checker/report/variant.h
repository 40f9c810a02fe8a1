// Plans that differ in some values, side by side: what was supposed, what it costs and what the law says of it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checker/plan/costs.h"
#include "checker/plan/plan.h"

namespace shardlint {

// One value to be another.
using Supposed = std::pair<std::string, Value>;

struct Variant {
  std::vector<Supposed> supposed;
  std::shared_ptr<const Plan> plan;
  Costs costs;
  std::size_t errors = 0, warnings = 0;
  std::string rule, message;  // of the gravest violation; empty: none
};

// What a search for a layout brings.
struct Layouts {
  std::vector<Variant> found;  // the best of each split, the best split first; none has an error, and all are expected to fit
  std::size_t tried = 0, lawful = 0;
  Plan base;                         // the model and the cluster, with what was assumed
  std::vector<std::string> assumed;  // in words: "sequences of 8,192 tokens"
  std::string error;                 // what would have to be said first; then nothing is found
};

}  // namespace shardlint
