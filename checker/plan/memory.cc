#include "checker/plan/memory.h"

#include <algorithm>

#include "checker/plan/rule.h"

namespace shardlint {

namespace {

double real(i64 value) { return static_cast<double>(value); }

double bytes_of(const std::string& precision, double otherwise) {
  if (precision == "fp32" || precision == "float32") return 4;
  if (precision == "bf16" || precision == "fp16") return 2;
  return otherwise;
}

// What one layer, one micro-batch and one rank keep for the backward pass.
Estimate layer_activations(const Plan& plan, bool sparse) {
  const double s = real(count_or(plan.seq_length, 0)), b = real(count_or(plan.replica_batch, 0)), h = real(count_or(plan.hidden, 0));
  const double t = real(count_or(plan.tp, 1)), c = real(count_or(plan.cp, 1)), a = real(count_or(plan.heads, 1));
  const double k = real(count_or(plan.kv_groups, 1)), tokens = s * b / c;
  const double dense = real(count_or(plan.ffn_hidden, 0)) / h;
  // Of a layer of experts Megatron's estimator counts the dense width; what its tokens really meet is the range's other end.
  const double visited =
      (real(count_or(plan.topk, 1)) * real(count_or(plan.moe_ffn_hidden, 0)) + real(count_or(plan.shared_expert_ffn, 0))) / h;
  const double width = dense > 0 ? dense : visited;
  const std::string granularity = plan.recompute_granularity.value_or("");
  const double whole = on(plan.sp) ? 1 / t : 1;  // share of a rank in what TP alone does not split
  if (granularity == "full") return exactly(2 * tokens * h * whole);
  // Attention's 8 bytes and the feed-forward layer are split by TP, the 10 around them by sequence parallelism alone.
  const auto kept = [&](double split) { return tokens * h * (10 * whole + split / t); };
  Estimate out = exactly(kept(8 + 4 * width));
  out.low = kept(8 - 4 * (1 - k / a) + 4 * (sparse ? std::min(width, visited) : width));
  const double widest = sparse ? std::max(width, visited) : width;
  out.high = kept(8 + (on(plan.gated_mlp) ? 6 : 4) * widest);
  // Without recompute the score matrix is kept, unless the kernel never makes it.
  if (granularity != "selective") out.high += 5 * a * s * s * b / (t * c);
  return out;
}

// Micro-batches of one chunk's layers that stage `i` keeps at once, times chunks; in units of its own layers.
struct InFlight {
  double expected = 1, low = 1;
};
InFlight in_flight(const Plan& plan, std::size_t i) {
  const double p = real(count_or(plan.pp, 1)), v = real(count_or(plan.vpp, 1)), m = real(count_or(plan.num_microbatches, 0));
  const double behind = p - static_cast<double>(i);
  if (v > 1) {
    // Megatron's estimator does not ask whether there are so many micro-batches; the low end does.
    const double chunks = 2 * (behind - 1) + (v - 1) * p + 1;
    return {chunks / v, m > 0 ? std::min(chunks, m * v) / v : 1};
  }
  const double most = plan.schedule.value_or("1f1b") == "gpipe" ? m : behind;
  const double kept = m > 0 ? std::min(m, std::max(most, 1.0)) : behind;
  return {kept, kept};
}

}  // namespace

Estimate& Estimate::operator+=(const Estimate& other) {
  low += other.low, expected += other.expected, high += other.high;
  return *this;
}
Estimate exactly(double value) { return {value, value, value}; }

Estimate StageMemory::total() const {
  Estimate out = exactly(state.total());
  out += activations;
  out += working;
  return out;
}

StateBytes state_bytes(int zero, double ranks, double group, double weight, double gradient) {
  StateBytes out{weight, gradient, weight < 4 ? 4.0 : 0.0, 8};
  if (zero >= 1) out.master /= ranks, out.moments /= ranks;
  if (zero >= 2) out.gradients /= zero >= 3 ? group : ranks;
  if (zero >= 3) out.weights /= group;
  return out;
}

std::optional<double> card_bytes(const Plan& plan) {
  if (plan.gpu_memory_gib.value_or(0) <= 0) return std::nullopt;
  return *plan.gpu_memory_gib * 1024 * 1024 * 1024;
}

std::optional<Memory> memory(const Plan& plan, std::vector<Field>* missing) {
  const auto model = model_weights(plan, missing);
  bool complete = model.has_value();
  for (const PlanField<i64>* field : {&plan.tp, &plan.pp, &plan.dp, &plan.replica_batch, &plan.seq_length})
    if (!is_count(*field)) {
      complete = false;
      if (missing) missing->push_back(field->field);
    }
  if (!complete) return std::nullopt;
  const auto held = stages(plan, model->layers());
  if (!held) return std::nullopt;

  const int zero = on(plan.fsdp) ? 3 : static_cast<int>(std::clamp<i64>(plan.zero_stage.value_or(0), 0, 3));
  const double weight = bytes_of(plan.precision_weights.value_or(""), 2), gradient = bytes_of(plan.precision_grads.value_or(""), weight);
  const double c = real(count_or(plan.cp, 1)), dp = real(*plan.dp) * c, expert_dp = real(count_or(plan.expert_dp, 1));
  // Hybrid sharding: weights inside the group; optimizer state over all replicas only where the framework says so.
  const bool hybrid = on(plan.hybrid_shard) && is_count(plan.dp_shard);
  const double inner = hybrid ? real(*plan.dp_shard) * c : dp;
  const double outer = hybrid && !on(plan.distributed_optimizer) ? inner : dp;
  const StateBytes dense = state_bytes(zero, outer, inner, weight, gradient);
  const StateBytes expert = state_bytes(zero, expert_dp, std::min(inner, expert_dp), weight, gradient);

  const double t = real(*plan.tp), s = real(*plan.seq_length), b = real(*plan.replica_batch), h = real(*plan.hidden), tokens = s * b / c;
  const double whole = on(plan.sp) ? 1 / t : 1;
  Memory out;
  out.parameters = model->total();
  out.checkpoint = out.parameters * (weight + (weight < 4 ? 4 : 0) + 8);
  for (std::size_t i = 0; i < held->size(); ++i) {
    const Stage& stage = (*held)[i];
    const StageWeights own = stage_weights(plan, *model, stage);
    StageMemory& memory = out.stages.emplace_back();
    memory.parameters = own.dense + own.experts;
    const auto both = [&](double StateBytes::*part) { return own.dense * dense.*part + own.experts * expert.*part; };
    memory.state = {both(&StateBytes::weights), both(&StateBytes::gradients), both(&StateBytes::master), both(&StateBytes::moments)};

    Estimate layers;
    double largest = 0;
    for (std::size_t layer : stage.layers) {
      layers += layer_activations(plan, model->is_sparse[layer]);
      largest = std::max(largest, (model->layer(layer).total() - model->layer(layer).experts) / t);
    }
    const InFlight flying = in_flight(plan, i);
    memory.activations = {layers.low * flying.low, layers.expected * flying.expected, layers.high * flying.expected};
    // Token numbers and the embedding's dropout mask.
    if (stage.embedding) memory.activations += exactly((8 * tokens / t + tokens * h * whole) * flying.expected);
    // The last norm and the logits: 2 bytes each and once more in fp32. They live for one micro-batch.
    if (stage.output) memory.activations += exactly(4 * tokens * h * (whole + real(*plan.padded_vocab) / h / t));
    // Full recompute makes one layer's activations anew at a time.
    if (plan.recompute_granularity.value_or("") == "full") memory.working += exactly(34 * tokens * h / t);
    if (zero >= 3) memory.working += {weight * largest, 2 * weight * largest, 4 * weight * largest};
    memory.working += {1e9, 4e9, 6e9};
    if (memory.total().expected > out.stages[out.fullest].total().expected) out.fullest = i;
  }
  // Megatron's estimator leaves them out of the first stage too; they are 1 or 2 % of it at most.
  if (model->positions > 0) out.unmodelled.push_back("learned positions");
  if (on(plan.offload)) out.unmodelled.push_back("what is moved to host memory");
  if (model->visited_share > 0) out.unmodelled.push_back("tokens that crowd on one expert");
  out.unmodelled.push_back("fragmentation of the allocator");
  return out;
}

}  // namespace shardlint
