// Arithmetic and time of a step and of the run.
//
// FLOPs: 6 a parameter and token (8 where everything is recomputed); of experts only those that a token visits. MFU counts the 6, HFU what
// the hardware really does.
#pragma once

#include <optional>
#include <vector>

#include "checker/plan/memory.h"
#include "checker/plan/plan.h"

namespace shardlint {

struct StepTime {
  double model_flops = 0;     // of one step, all GPUs
  double hardware_flops = 0;  // with what is recomputed
  double tokens = 0;          // in one step
  double peak = 0;            // FLOP/s of all GPUs
  double mfu = 0, hfu = 0;
  // Seconds of one step: at the peak and with the pipeline's bubble; at the stated MFU; that and all communication that nothing hides.
  Estimate seconds;
  double tokens_per_second = 0;  // expected
  std::optional<double> days;    // of the whole run, expected, where its tokens are known
};

// `mfu`: the share of the peak that model FLOPs reach, 0 to 1. Nothing where a size or the GPU is not known.
std::optional<StepTime> step_time(const Plan& plan, double mfu = 0.4, std::vector<Field>* missing = nullptr);

// FLOPs of a run: 6 (or 8) * parameters * tokens.
double run_flops(double parameters, double tokens, bool recomputed = false);

}  // namespace shardlint
