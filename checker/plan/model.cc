#include "checker/plan/model.h"

#include <algorithm>

#include "checker/plan/rule.h"

namespace shardlint {

namespace {

constexpr i64 kMaxLayers = 100'000;

double real(i64 value) { return static_cast<double>(value); }

// Which layers hold experts: every n-th, beginning with the first, or as a list of zeros and ones says. Nothing if it says neither.
std::optional<std::vector<bool>> sparse_layers(const Value& frequency, std::size_t layers) {
  std::vector<bool> out;
  if (const i64* every = frequency.integer()) {
    if (*every < 1) return std::nullopt;
    while (out.size() < layers) out.push_back(out.size() % static_cast<std::size_t>(*every) == 0);
    return out;
  }
  const ValueList* list = frequency.list();
  if (!list || list->size() != layers) return std::nullopt;
  for (const Value& item : *list) {
    const i64* has = item.integer();
    if (!has) return std::nullopt;
    out.push_back(*has != 0);
  }
  return out;
}

}  // namespace

double ModelWeights::total() const {
  double out = embedding + positions + output + final_norm;
  for (std::size_t i = 0; i < layers(); ++i) out += layer(i).total();
  return out;
}

double ModelWeights::active() const {
  double out = logits + final_norm;
  for (std::size_t i = 0; i < layers(); ++i) out += layer(i).active(visited_share);
  return out;
}

std::optional<ModelWeights> model_weights(const Plan& plan, std::vector<Field>* missing) {
  const auto need = [&](const PlanField<i64>& field) {
    if (!is_count(field) && missing) missing->push_back(field.field);
    return is_count(field);
  };
  bool complete = true;
  for (const PlanField<i64>* field : {&plan.layers, &plan.hidden, &plan.heads, &plan.kv_groups, &plan.head_dim}) complete &= need(*field);
  const bool sparse = is_count(plan.experts);
  if (sparse) {
    for (const PlanField<i64>* field : {&plan.topk, &plan.moe_ffn_hidden}) complete &= need(*field);
  } else if (!plan.experts.stated) {
    complete = false;
  }
  const std::size_t layers = complete && *plan.layers <= kMaxLayers ? static_cast<std::size_t>(*plan.layers) : 0;
  if (!layers) return std::nullopt;

  ModelWeights out;
  out.is_sparse.assign(layers, false);
  if (sparse) {
    auto found = sparse_layers(plan.moe_layer_freq.value_or(Value(i64{1})), layers);
    if (!found) {
      if (missing) missing->push_back(plan.moe_layer_freq.field);
      return std::nullopt;
    }
    out.is_sparse = std::move(*found);
    const auto dense = static_cast<std::size_t>(count_or(plan.dense_layers, 0));
    for (std::size_t i = 0; i < std::min(dense, layers); ++i) out.is_sparse[i] = false;
  }
  // A model of experts alone has no dense width.
  const bool any_dense = std::find(out.is_sparse.begin(), out.is_sparse.end(), false) != out.is_sparse.end();
  if (any_dense && !need(plan.ffn_hidden)) return std::nullopt;

  const double h = real(*plan.hidden), a = real(*plan.heads), k = real(*plan.kv_groups), d = real(*plan.head_dim);
  const double products = on(plan.gated_mlp) ? 3 : 2;
  const bool biased = on(plan.linear_bias);
  LayerWeights common;
  if (const double latent = real(count_or(plan.kv_lora_rank, 0)); latent > 0) {
    const double rope = real(count_or(plan.qk_rope_head_dim, 0)), v = real(count_or(plan.v_head_dim, *plan.head_dim));
    const double q = real(count_or(plan.q_lora_rank, 0));
    common.attention = (q > 0 ? h * q + q * a * (d + rope) : h * a * (d + rope)) + h * (latent + rope) + latent * a * (d + v) + a * v * h;
  } else {
    common.attention = h * a * d + 2 * h * k * d + a * d * h;
  }
  const double norm = plan.norm.value_or("rmsnorm") == "layernorm" ? 2 * h : h;
  common.replicated = 2 * norm + (biased ? h : 0);
  common.biases = biased ? a * d + 2 * k * d : 0;

  out.dense = out.sparse = common;
  out.dense.mlp = any_dense ? products * h * real(*plan.ffn_hidden) : 0;
  if (biased && any_dense) {
    out.dense.biases += (products - 1) * real(*plan.ffn_hidden);
    out.dense.replicated += h;
  }
  if (sparse) {
    out.sparse.mlp = products * h * real(count_or(plan.shared_expert_ffn, 0));
    out.sparse.experts = real(*plan.experts) * products * h * real(*plan.moe_ffn_hidden);
    out.sparse.replicated += h * real(*plan.experts);
    out.visited_share = real(*plan.topk) / real(*plan.experts);
  }
  out.vocabulary = is_count(plan.padded_vocab);
  out.logits = h * real(count_or(plan.padded_vocab, 0));
  out.embedding = out.logits;
  out.positions = on(plan.learned_positions) ? h * real(count_or(plan.max_positions, count_or(plan.seq_length, 0))) : 0;
  out.output = on(plan.tied_embeddings) ? 0 : out.logits;
  out.final_norm = norm;
  return out;
}

}  // namespace shardlint
