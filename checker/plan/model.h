// The parameters of a decoder, by what they are, and where tensor and expert parallelism put them.
//
// Per layer: attention h*a*d + 2*h*k*d + a*d*h (or its low-rank form), feed-forward 2*h*f, 3*h*f when gated, experts the same in their own
// width; norms; biases where there are any. Embedding V*h, output layer another V*h unless tied, learned positions s*h. For the GPT form
// this is 12*L*h^2*(1 + 13/(12h) + (V+s)/(12*L*h)) (Narayanan et al. 2021, arXiv:2104.04473, eq. 2).
#pragma once

#include <optional>
#include <vector>

#include "checker/plan/plan.h"

namespace shardlint {

// Counts of parameters. Real numbers: some shares are fractions, and a count may exceed 2^63.
struct LayerWeights {
  double attention = 0;   // split over TP
  double mlp = 0;         // dense feed-forward and shared expert: split over TP
  double experts = 0;     // all routed experts of the layer: split over EP and ETP
  double replicated = 0;  // norms, router, biases behind row-parallel products: the same on every rank
  double biases = 0;      // biases that are split over TP

  double total() const { return attention + mlp + experts + replicated + biases; }
  // What one token is multiplied with: of the experts only those it visits.
  double active(double visited_share) const { return attention + mlp + experts * visited_share + replicated + biases; }
};

struct ModelWeights {
  LayerWeights dense, sparse;
  std::vector<bool> is_sparse;  // by layer
  double embedding = 0;         // of words
  double positions = 0;         // of learned positions
  double output = 0;            // 0: tied to the embedding
  double logits = 0;            // weights that a token meets in the output layer, tied or not
  double final_norm = 0;
  double visited_share = 0;  // of a sparse layer's experts, by one token
  // Without a vocabulary, which a tokenizer may decide, the embedding and the output layer are left out of all figures.
  bool vocabulary = true;

  std::size_t layers() const { return is_sparse.size(); }
  const LayerWeights& layer(std::size_t i) const { return is_sparse[i] ? sparse : dense; }
  double total() const;
  double active() const;
};

// Nothing where a size that it needs is not known, or there are more than 100,000 layers. `missing`: the fields to ask for.
std::optional<ModelWeights> model_weights(const Plan& plan, std::vector<Field>* missing = nullptr);

}  // namespace shardlint
