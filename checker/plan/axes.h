// Who divides what: of each axis, by how much it divides weights, gradients, optimizer state and activations of one GPU, and what it pays
// with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/plan/network.h"

namespace shardlint {

struct AxisShare {
  std::string axis;  // "TP+SP", "CP", "PP", "EP", "DP", "ZeRO 1" ... "FSDP", "hybrid FSDP"
  i64 ranks = 1;
  // Divisors; 1: not divided. Of EP: what it divides of experts alone.
  double weights = 1, gradients = 1, optimizer = 1, activations = 1;
  bool experts_only = false;
  std::optional<Traffic> sends;  // what it pays on the wire; nothing where a size is not known
  double bubble = 0;             // of PP: the share of a step that it idles
};

// The axes that have more than one rank. Empty where the degrees are not known.
std::vector<AxisShare> axis_shares(const Plan& plan);

}  // namespace shardlint
