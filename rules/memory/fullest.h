// What the rules about the fullest stage have in common: when they can speak, and what they would change.
#pragma once

#include "checker/plan/memory.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {

// Something moves to host memory, and nobody says what.
inline bool offloads_unknown(const Plan& plan) { return on(plan.offload) && !on(plan.offload_optimizer) && !on(plan.offload_weights); }

// "a GPU of stage 3", "each GPU"
inline std::string where(const Memory& memory) {
  return memory.stages.size() > 1 ? fmt::format("a GPU of stage {}", memory.fullest + 1) : "each GPU";
}

// What is shared too little comes first; where all is shared, or activations take more, what a micro-batch keeps.
inline void point_at(Sink::Report report, const Plan& plan, const StageMemory& stage) {
  const i64 zero = plan.zero_stage.value_or(0);
  if (zero < 3 && stage.state.total() >= stage.activations.expected) {
    report.blame(plan.zero_stage, plan.distributed_optimizer, plan.fsdp, plan.tp, plan.pp, plan.gpu, plan.gpu_memory_gib)
        .rests_on(plan.layers, plan.hidden, plan.micro_batch, plan.seq_length)
        .rather_change(plan.zero_stage, plan.distributed_optimizer, plan.tp, plan.pp, plan.recompute_granularity, plan.micro_batch)
        .try_first({zero + 1, 3});
  } else {
    report.blame(plan.micro_batch, plan.recompute_granularity, plan.seq_length, plan.tp, plan.pp, plan.gpu, plan.gpu_memory_gib)
        .rests_on(plan.layers, plan.hidden, plan.zero_stage)
        .rather_change(plan.micro_batch, plan.recompute_granularity, plan.tp, plan.pp);
  }
}

}  // namespace shardlint::rules
