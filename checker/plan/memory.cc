#include "checker/plan/memory.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "checker/plan/rule.h"

namespace shardlint {

namespace {

double real(i64 value) { return static_cast<double>(value); }

double bytes_of(const std::string& precision, double otherwise) {
  if (precision == "fp32" || precision == "float32") return 4;
  if (precision == "bf16" || precision == "fp16") return 2;
  return otherwise;
}

bool is_low_precision(const std::string& type) { return type.find("fp8") != type.npos || type.find("fp4") != type.npos; }

// What one layer, one micro-batch and one rank keep for the backward pass.
Estimate layer_activations(const Plan& plan, bool sparse, bool recomputed) {
  const double s = real(*plan.seq_length), b = real(*plan.replica_batch), h = real(*plan.hidden), t = real(*plan.tp);
  const double c = real(count_or(plan.cp, 1)), a = real(*plan.heads), k = real(*plan.kv_groups), tokens = s * b / c;
  const double dense = real(count_or(plan.ffn_hidden, 0)) / h, shared = real(count_or(plan.shared_expert_ffn, 0)) / h;
  // Of a layer of experts Megatron's estimator counts the dense width; what its tokens really meet is the range's other end.
  const double visited = is_count(plan.experts) ? real(*plan.topk) * real(*plan.moe_ffn_hidden) / h + shared : 0;
  const double width = dense > 0 ? dense : visited;
  const std::string granularity = plan.recompute_granularity.value_or("");
  const double whole = on(plan.sp) ? 1 / t : 1;  // share of a rank in what TP alone does not split
  const Estimate inputs = exactly(2 * tokens * h * whole);
  if (recomputed) return inputs;
  // Attention's 8 bytes and the feed-forward layer are split by TP, the 10 around them by sequence parallelism alone.
  const auto kept = [&](double split) { return tokens * h * (10 * whole + split / t); };
  Estimate out = exactly(kept(8 + 4 * width));
  // Where it is certain that nothing is recomputed: what no kernel can do without. The inputs of both norms, queries, keys, values, what
  // attention gives, and the feed-forward layer's own products; of experts nobody knows which tokens they get.
  if (plan.recompute_granularity.stated && (granularity.empty() || granularity == "none")) {
    const double least = tokens * h * (4 * whole + (4 + 4 * k / a + (on(plan.gated_mlp) ? 4 : 2) * (sparse ? shared : width)) / t);
    out.low = least / (is_low_precision(plan.precision_compute.value_or("")) ? 2 : 1);
  } else {
    out.low = inputs.low;
  }
  const double widest = sparse ? std::max(width, visited) : width;
  out.high = kept(8 + (on(plan.gated_mlp) ? 6 : 4) * widest);
  // Without recompute the score matrix is kept, unless the kernel never makes it.
  if (granularity != "selective" && granularity != "full") out.high += 5 * a * s * s * b / (t * c);
  return out;
}

// Micro-batches of one chunk's layers that stage `i` keeps at once, times chunks; in units of its own layers.
struct InFlight {
  double expected, low;
};
InFlight in_flight(const Plan& plan, std::size_t i) {
  const double p = real(*plan.pp), v = real(*plan.vpp), m = real(count_or(plan.num_microbatches, 0));
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

// Who shares the state of a parameter, and what it takes.
class Sharding {
 public:
  explicit Sharding(const Plan& plan) {
    zero_ = static_cast<int>(std::clamp<i64>(plan.zero_stage.value_or(0), 0, 3));
    weight = bytes_of(plan.precision_weights.value_or(""), 2);
    const double gradient = bytes_of(plan.precision_grads.value_or(""), weight);
    // Context-parallel ranks hold the same weights, and share the optimizer with the replicas.
    const double ranks = real(*plan.dp) * real(count_or(plan.cp, 1)), expert_ranks = real(count_or(plan.expert_dp, 1));
    const double replicas = real(count_or(plan.dp_replicate, 1));
    double inner = ranks;
    if (replicas > 1 && replicas <= ranks)
      inner = ranks / replicas;
    else if (is_count(plan.dp_shard) && *plan.dp_shard > 1)
      inner = std::min(ranks, real(*plan.dp_shard));
    // Hybrid sharding: weights inside the group; optimizer state over all replicas where the framework says so.
    const double outer = on(plan.hybrid_shard) && on(plan.distributed_optimizer) ? ranks : inner;
    dense_ = state_bytes(zero_, outer, inner, weight, gradient);
    // An expert's replicas may be more than those of the rest: they are shared over all, but for hybrid sharding.
    const auto of_experts = [&](double shared) { return shared < ranks ? std::min(shared, expert_ranks) : expert_ranks; };
    expert_ = state_bytes(zero_, of_experts(outer), of_experts(inner), weight, gradient);
    full_ = state_bytes(0, 1, 1, weight, gradient);
    step_ = gradient < 4 ? dense_.master : 0;
    trained_ = !on(plan.frozen);
    if (plan.optimizer) moments_ = moment_bytes(*plan.optimizer).value_or(8);
    if (plan.precision_moments)
      moments_ = moments_ / 4 * bytes_of(*plan.precision_moments, is_low_precision(*plan.precision_moments) ? 1 : 4);
    if (plan.precision_master.value_or("") == "none") master_ = step_ = 0;
    optimizer_away_ = on(plan.offload_optimizer), weights_away_ = on(plan.offload_weights);
    uncertain_ = on(plan.offload) || (plan.offload.open && !plan.offload) || (plan.zero_stage.open && !plan.zero_stage);
    // What is certain: an optimizer that nobody names may keep nothing, and apply each gradient as it comes.
    const bool adam = plan.optimizer && moment_bytes(*plan.optimizer) == 8.0;
    least_weight_ = plan.precision_weights ? (trained_ ? weight : weight / 4) : weight / 2;
    least_gradient_ = adam ? std::min(2.0, gradient) : 0;
    least_master_ = adam && plan.precision_master.value_or("none") != "none" ? 4 : 0;
    least_moments_ = !adam ? 0 : plan.precision_moments ? moments_ : 2;
  }

  double weight = 2;  // bytes of one

  bool gathers() const { return zero_ >= 3 || weights_away_; }
  // Gradients of 2 bytes are copied to 4 for the step, each rank its share.
  double of_step() const { return trained_ && !optimizer_away_ ? step_ : 0; }
  // Weights, master and moments; weights alone where nothing trains them.
  double of_checkpoint() const { return weight + (trained_ ? full_.master * master_ + moments_ : 0); }
  double whole() const { return of_checkpoint() + (trained_ ? full_.gradients : 0); }

  void share(const StageWeights& own, StageMemory& out) const {
    const auto both = [&](double StateBytes::*part) { return own.dense * dense_.*part + own.experts * expert_.*part; };
    const double weights = both(&StateBytes::weights), gradients = trained_ ? both(&StateBytes::gradients) : 0;
    const double master = trained_ ? both(&StateBytes::master) * master_ : 0,
                 moments = trained_ ? both(&StateBytes::moments) * moments_ / 8 : 0;
    out.state = {weights_away_ ? 0 : weights, gradients, optimizer_away_ ? 0 : master, optimizer_away_ ? 0 : moments};
    out.host = weights + gradients + master + moments - out.state.total();
    if (uncertain_) return;
    out.least_state = weights / weight * least_weight_;
    if (!trained_) return;
    out.least_state += gradients * least_gradient_ / full_.gradients;
    if (full_.master > 0) out.least_state += both(&StateBytes::master) / full_.master * least_master_;
    out.least_state += both(&StateBytes::moments) / 8 * least_moments_;
  }

 private:
  int zero_ = 0;
  StateBytes dense_, expert_, full_;
  bool trained_ = true, optimizer_away_ = false, weights_away_ = false, uncertain_ = false;
  double master_ = 1, moments_ = 8, step_ = 0;
  double least_weight_ = 0, least_gradient_ = 0, least_master_ = 0, least_moments_ = 0;
};

}  // namespace

Estimate& Estimate::operator+=(const Estimate& other) {
  low += other.low, expected += other.expected, high += other.high;
  return *this;
}
Estimate exactly(double value) { return {value, value, value}; }

Estimate StageMemory::total() const {
  Estimate out{least_state, state.total(), state.total()};
  out += activations;
  out += working;
  return out;
}

std::optional<double> moment_bytes(std::string_view optimizer) {
  std::string name(optimizer);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  // What keeps less than its name says at first sight.
  for (const std::string_view special :
       {"galore", "apollo", "lomo", "mini", "adafactor", "adalomo", "schedule_free", "4bit", "ao_", "torchao"})
    if (has(special)) return std::nullopt;
  const bool small = has("8bit") || has("8_bit");
  if (has("adam") || has("lamb")) return small ? 2 : 8;
  if (has("lion") || has("muon") || has("sgd") || has("adagrad")) return small ? 1 : 4;
  return std::nullopt;
}

StateBytes state_bytes(int zero, double ranks, double group, double weight, double gradient) {
  StateBytes out{weight, gradient, weight < 4 ? 4.0 : 0.0, 8};
  if (zero >= 1) out.master /= ranks, out.moments /= ranks;
  if (zero >= 2) out.gradients /= zero >= 3 ? group : ranks;
  if (zero >= 3) out.weights /= group;
  return out;
}

i64 fewest_gpus(double bytes, double usable) { return usable > 0 ? static_cast<i64>(std::min(std::ceil(bytes / usable), 1e15)) : 0; }

std::optional<double> card_bytes(const Plan& plan) {
  if (plan.gpu_memory_gib.value_or(0) <= 0) return std::nullopt;
  return *plan.gpu_memory_gib * kGiB;
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

  const Sharding sharding(plan);
  const double t = real(*plan.tp), c = real(count_or(plan.cp, 1)), s = real(*plan.seq_length), b = real(*plan.replica_batch);
  const double h = real(*plan.hidden), tokens = s * b / c;
  const double whole = on(plan.sp) ? 1 / t : 1;
  const bool full = plan.recompute_granularity.value_or("") == "full", block = plan.recompute_method.value_or("") == "block";
  Memory out;
  out.parameters = model->total();
  out.checkpoint = out.parameters * sharding.of_checkpoint();
  for (std::size_t i = 0; i < held->size(); ++i) {
    const Stage& stage = (*held)[i];
    const StageWeights own = stage_weights(plan, *model, stage);
    StageMemory& memory = out.stages.emplace_back();
    memory.parameters = own.dense + own.experts;
    sharding.share(own, memory);

    // Full recompute by blocks leaves the other layers of a chunk as they are.
    const std::size_t chunk = std::max<std::size_t>(1, stage.layers.size() / static_cast<std::size_t>(*plan.vpp));
    const auto again = block && is_count(plan.recompute_num_layers) ? static_cast<std::size_t>(*plan.recompute_num_layers) : chunk;
    Estimate layers;
    double largest = 0;
    for (std::size_t at = 0; at < stage.layers.size(); ++at) {
      const std::size_t layer = stage.layers[at];
      layers += layer_activations(plan, model->is_sparse[layer], full && at % chunk < again);
      largest = std::max(largest, (model->layer(layer).total() - model->layer(layer).experts) / t);
    }
    const InFlight flying = in_flight(plan, i);
    memory.activations = {layers.low * flying.low, layers.expected * flying.expected, layers.high * flying.expected};
    // Token numbers and the embedding's dropout mask.
    if (stage.embedding) memory.activations += exactly((8 * tokens / t + tokens * h * whole) * flying.expected);
    // The last norm and the logits: 2 bytes each and once more in fp32. They live for one micro-batch. Some losses take them piece by piece.
    if (stage.output) {
      const double last = 4 * tokens * h * (whole + real(count_or(plan.padded_vocab, 0)) / h / t);
      memory.activations += {0, last, last};
    }
    // Full recompute makes one layer's activations anew at a time.
    if (full) memory.working += {0, 34 * tokens * h / t, 34 * tokens * h / t};
    if (sharding.gathers()) memory.working += {sharding.weight * largest, 2 * sharding.weight * largest, 4 * sharding.weight * largest};
    // The optimizer's step comes when the activations are gone.
    const double step = sharding.of_step() * memory.parameters;
    memory.working += {0, std::max(0.0, step - memory.activations.expected), std::max(0.0, step - memory.activations.high)};
    memory.working += {1e9, 4e9, 6e9};
    if (memory.total().expected > out.stages[out.fullest].total().expected) out.fullest = i;
    // What all the GPUs of a replica hold of this stage between them, nothing held twice.
    out.together += (layers.expected * flying.expected) * t * c;
  }
  out.together += out.parameters * sharding.whole();
  // Megatron's estimator leaves them out of the first stage too; they are 1 or 2 % of it at most.
  if (!model->vocabulary) out.unmodelled.push_back("embedding and output layer, because the vocabulary is not known");
  if (model->positions > 0) out.unmodelled.push_back("learned positions");
  if (on(plan.offload) && !on(plan.offload_optimizer) && !on(plan.offload_weights))
    out.unmodelled.push_back("what is moved to host memory");
  if (on(plan.splits_unevenly) && held->size() > 1) out.unmodelled.push_back("which layers the framework gives to which stage");
  if (on(plan.frozen)) out.unmodelled.push_back("adapters and their optimizer");
  if (!plan.optimizer && !on(plan.frozen)) out.unmodelled.push_back("an optimizer other than Adam");
  if (model->visited_share > 0) out.unmodelled.push_back("tokens that crowd on one expert");
  out.unmodelled.push_back("fragmentation of the allocator");
  return out;
}

}  // namespace shardlint
