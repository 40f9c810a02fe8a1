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

// One entry a stage. Nothing if the layers do not come out (the law says why) or a size is unknown. A framework that deals them its own way
// (splits_unevenly) is taken to deal nearly evenly.
std::optional<std::vector<Stage>> stages(const Plan& plan, std::size_t layers);

struct StageWeights {
  double dense = 0;    // parameters on one rank of the stage that all its data-parallel replicas share
  double experts = 0;  // parameters of routed experts on one rank
  double flops = 0;    // multiplications a token and forward pass, all TP ranks together, attention's own products left out
};

// Under TP, EP and ETP. Key/value heads are copied where TP exceeds them.
StageWeights stage_weights(const Plan& plan, const ModelWeights& model, const Stage& stage);

// Counts of the first and the last stage that leave the slowest of `pp` stages with the least work, where the output layer is worth
// `output` layers and the stages between share the rest evenly, each in `vpp` equal chunks. Nothing if no counts come out.
struct Ends {
  i64 first = 0, last = 0;
  double slowest = 0;  // in layers
};
std::optional<Ends> best_ends(i64 layers, i64 pp, i64 vpp, double output);

// What the output layer is worth in dense layers, by multiplications a token. Nothing where a size is not known.
std::optional<double> output_in_layers(const Plan& plan);

}  // namespace shardlint
