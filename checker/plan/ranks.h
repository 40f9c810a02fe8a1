// Which rank does what, and whom it talks to.
//
// Ranks are numbered with one axis varying fastest: TP, then CP, then DP, then PP (Megatron's tp-cp-ep-dp-pp), or as rank_order says. The
// ranks of a server are consecutive, and so are those of an NVLink domain. Experts have a grid of their own over the same ranks: ETP
// fastest, then EP, then the replicas of an expert, inside a pipeline stage.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/plan/plan.h"

namespace shardlint {

enum class Link { None, NVLink, Network };

// The ranks of a group are `stride` apart: it spans group * stride ranks.
struct Reach {
  i64 group = 1, stride = 1;
};
// Of "TP", "CP", "DP" (also as "FSDP"), "PP", "EP". Nothing where a size is not known, or the order leaves out an axis.
std::optional<Reach> reach(const Plan& plan, std::string_view axis);
// The link that a group's slowest pair takes: NVLink if every group lies in one domain. None for a group of one.
Link link_of(const Plan& plan, const Reach& reach);

struct Partners {
  std::string axis;        // "TP", "CP", "PP", "DP", "EP"
  i64 position = 0;        // of the rank itself in its group, from 0
  std::vector<i64> ranks;  // the others, in order; of PP only the stages next to it
  Link link = Link::None;  // to the farthest of them
  i64 in_server = 0;       // how many of them share its server
};

struct RankPlace {
  i64 rank = 0, server = 0, card = 0;  // from 0
  std::vector<Partners> partners;      // of each axis that has more than one rank
};

// Nothing if the rank is not there or a size is not known.
std::optional<RankPlace> rank_place(const Plan& plan, i64 rank);

}  // namespace shardlint
