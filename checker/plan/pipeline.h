// What a pipeline does in one step: the share that it idles, and who does what in which slot.
//
// Bubble share: (p-1)/(m+p-1) for GPipe and 1F1B, (p-1)/(m*v+p-1) interleaved (Narayanan et al. 2021, arXiv:2104.04473, section 2.2), zero
// for the zero-bubble schedules once their warm-up is over (Qi et al. 2023, arXiv:2401.10241: ZB-1P keeps about a third of 1F1B's).
#pragma once

#include <optional>
#include <vector>

#include "checker/plan/plan.h"

namespace shardlint {

enum class ScheduleKind { GPipe, OneF1B, Interleaved, ZeroBubble };
// By the plan's schedule and virtual stages; nothing for a name that is none of these.
std::optional<ScheduleKind> schedule_kind(const Plan& plan);

// Idle share of a step, 0 to 1, with all slots alike.
std::optional<double> bubble_share(const Plan& plan);

// One piece of work. Times in units of one chunk's forward pass; a backward pass takes `backward` of them.
struct Work {
  enum class Kind { Forward, Backward } kind = Kind::Forward;
  int micro_batch = 0;  // from 0
  int chunk = 0;        // virtual stage of this rank, from 0
  double begin = 0, end = 0;
};

// By stage, in order of time. Every forward pass waits for the stage before, every backward pass for the stage behind, and a stage does one
// thing at a time in the order of its schedule. Zero-bubble schedules are drawn as 1F1B. Nothing where sizes are unknown, interleaving does
// not come out, or there would be more than 200,000 pieces.
std::optional<std::vector<std::vector<Work>>> timeline(const Plan& plan, double backward = 2);

}  // namespace shardlint
