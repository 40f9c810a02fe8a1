// Which GPUs the ranks sit on: the groups that talk to each other, and the first replica's ranks.
//
// Ranks are dealt to servers in their order, and to NVLink domains in whole ones; `reach` (ranks.h) says how far apart a group's are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/plan/network.h"

namespace shardlint {

// The ranks that share one job: their tensor-parallel sums, one sequence, the experts of a layer, the gradients of one shard.
struct RankGroup {
  std::string axis;  // "TP", "CP", "EP", "DP", "PP"
  i64 ranks = 1, stride = 1;
  std::optional<i64> domains;  // NVLink domains that the first such group touches; nothing where their size is not known
  Link link = Link::None;      // None: not known
  double gb_s = 0;             // of that link, one way; 0: not known
};

// One entry an axis of more than one rank, the nearest neighbours first. Empty where the ranks' order is not known.
std::vector<RankGroup> groups(const Plan& plan);

// The ranks of the first replica, by pipeline stage; within one TP group after TP group. Nothing where a size is not known or there are more than 100,000.
std::optional<std::vector<std::vector<i64>>> first_replica(const Plan& plan);

}  // namespace shardlint
