// What a layout costs, in the few numbers by which layouts are held against each other.
//
// Time: every layout is given the same arithmetic, 60 % of the peak, which large matrix products reach; at the pace of its slowest stage, with
// its own bubble and its own communication. What overlaps costs what is left of it beside that arithmetic; the rest is waited for. Weights
// that are sharded are gathered anew for every micro-batch, and virtual stages send as often as there are of them. So a step is comparable
// between layouts; it promises no date.
#pragma once

#include <optional>

#include "checker/plan/plan.h"

namespace shardlint {

struct Costs {
  std::optional<double> memory;    // bytes, expected, of the GPU that needs most
  double most_memory = 0;          // the high end of the same
  std::optional<double> card;      // bytes of one GPU
  std::optional<double> bubble;    // share of a step
  bool counted = false;            // whether the bytes are known
  double nvlink = 0, network = 0;  // bytes of one GPU and step
  std::optional<double> seconds;   // of one step

  // Fits: in every reading. Tight: as expected, but not at the high end. Over: not even as expected.
  enum class Fit { Unknown, Fits, Tight, Over };
  Fit fit() const;
};

Costs costs(const Plan& plan);

}  // namespace shardlint
