// Bytes that one GPU sends, by what they are for, the link they take, and how long that is. Decimal units, ring algorithms, 2-byte
// activations; rates are one way.
//
// With n parameters on the GPU and g ranks in the group: all-reduce 2(g-1)/g * n * bytes; a reduce-scatter or all-gather half of that. TP:
// four collectives a layer and micro-batch of 2(t-1)/t * s*b*h*2 (two forward, two backward; reduce-scatter and all-gather under sequence
// parallelism come to the same). A stage boundary: s*b*h*2 / t there and as much back. Experts: two all-to-alls forward and two backward a
// layer, tokens * topk * h * 2 * (ep-1)/ep each. CP: keys and values of the other ranks, forward and backward.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/plan/ranks.h"
#include "checker/plan/stages.h"

namespace shardlint {

struct Traffic {
  std::string axis;     // "TP", "CP", "PP", "EP", "DP", "FSDP"
  std::string carries;  // "gradients, once a step"
  double bytes = 0;     // of one GPU in one step
  double each = 0;      // of one GPU and micro-batch; 0: once a step
  i64 group = 1;        // ranks that talk to each other
  Link link = Link::None;
  double gb_s = 0;  // of that link, one way; 0: not known
  double seconds() const { return gb_s > 0 ? bytes / (gb_s * 1e9) : 0; }
  bool hidden = false;  // overlaps with arithmetic, as far as there is any
};

// One entry an axis that talks. Nothing where a size is not known.
std::optional<std::vector<Traffic>> traffic(const Plan& plan, std::vector<Field>* missing = nullptr);

}  // namespace shardlint
