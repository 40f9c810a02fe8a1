// Which layers a pipeline stage holds, and what they weigh.
//
// Even: layers / (pp * vpp) in each chunk, chunk j of stage i being the (j * pp + i)-th. Uneven: first_stage_layers and last_stage_layers,
// the rest shared evenly by the stages between; or as the layout says; or the embedding and the output layer count as layers when they are
// dealt (stage_embedding_layers, stage_output_layers).
#pragma once

#include <optional>
#include <vector>

#include "checker/plan/model.h"

namespace shardlint {

struct Stage {
  std::vector<std::size_t> layers;  // which of the model's, from 0, in the order of its chunks
  bool embedding = false, output = false;
};

// One entry a stage. Nothing if the layers do not come out (the law says why), a size is unknown, or the framework deals them its own way.
std::optional<std::vector<Stage>> stages(const Plan& plan, std::size_t layers);

struct StageWeights {
  double dense = 0;    // parameters on one rank of the stage that all its data-parallel replicas share
  double experts = 0;  // parameters of routed experts on one rank
  double flops = 0;    // multiplications a token and forward pass, all TP ranks together, attention's own products left out
};

// Under TP, EP and ETP. Key/value heads are copied where TP exceeds them.
StageWeights stage_weights(const Plan& plan, const ModelWeights& model, const Stage& stage);

}  // namespace shardlint
