#include "checker/plan/network.h"

#include <algorithm>

#include "checker/plan/memory.h"
#include "checker/plan/rule.h"

namespace shardlint {

namespace {

double real(i64 value) { return static_cast<double>(value); }

}  // namespace

std::optional<std::vector<Traffic>> traffic(const Plan& plan, std::vector<Field>* missing) {
  const auto model = model_weights(plan, missing);
  bool complete = model.has_value();
  for (const PlanField<i64>* field : {&plan.tp, &plan.pp, &plan.dp, &plan.replica_batch, &plan.seq_length, &plan.num_microbatches})
    if (!is_count(*field)) {
      complete = false;
      if (missing) missing->push_back(field->field);
    }
  if (!complete) return std::nullopt;
  const auto held = stages(plan, model->layers());
  if (!held) return std::nullopt;

  const double t = real(*plan.tp), c = real(count_or(plan.cp, 1)), d = real(*plan.dp), m = real(*plan.num_microbatches);
  const double h = real(*plan.hidden), tokens = real(*plan.seq_length) * real(*plan.replica_batch) / c, ep = real(count_or(plan.ep, 1));
  double layers = 0, sparse = 0, n = 0;
  for (const Stage& stage : *held) {
    const auto experts = static_cast<double>(
        std::count_if(stage.layers.begin(), stage.layers.end(), [&](std::size_t i) { return static_cast<bool>(model->is_sparse[i]); }));
    layers = std::max(layers, static_cast<double>(stage.layers.size()));
    sparse = std::max(sparse, experts);
    const StageWeights own = stage_weights(plan, *model, stage);
    n = std::max(n, own.dense + own.experts);
  }
  const double gradient = plan.precision_grads.value_or("bf16") == "fp32" ? 4 : 2;

  std::vector<Traffic> out;
  enum class Each { MicroBatch, Step };
  const auto add = [&](std::string axis, std::string carries, Each each, double bytes, bool hidden) {
    const bool often = each == Each::MicroBatch;
    const auto where = reach(plan, axis), beside = often ? std::nullopt : reach(plan, "CP");
    Traffic entry{std::move(axis), std::move(carries), often ? bytes * m : bytes, often ? bytes : 0, 1, Link::None, 0, hidden};
    if (where) entry.group = where->group, entry.link = link_of(plan, *where);
    // Ranks that share a sequence hold the same weights, and reduce their gradients with the replicas.
    if (where && beside) entry.group *= beside->group, entry.link = std::max(entry.link, link_of(plan, *beside));
    const PlanField<double>& rate = entry.link == Link::NVLink ? plan.nvlink_gb_s : plan.network_gb_s;
    if (entry.link != Link::None) entry.gb_s = rate.value_or(0);
    out.push_back(std::move(entry));
  };
  if (t > 1)
    add("TP", "activations, four times a layer", Each::MicroBatch, 4 * layers * 2 * (t - 1) / t * tokens * h * 2, on(plan.overlap_tp_comm));
  if (c > 1) {
    const double keys = 2 * real(*plan.kv_groups) * real(*plan.head_dim) / std::min(t, real(*plan.kv_groups)) * tokens * 2;
    add("CP", "keys and values, there and their gradients back", Each::MicroBatch, 2 * layers * (c - 1) * keys, true);
  }
  if (held->size() > 1)
    add("PP", "activations and their gradients at the boundary", Each::MicroBatch, 2 * tokens * h * 2 / t, on(plan.overlap_p2p));
  if (ep > 1 && sparse > 0)
    add("EP", "tokens to their experts and back", Each::MicroBatch, 4 * sparse * tokens / t * real(*plan.topk) * h * 2 * (ep - 1) / ep,
        on(plan.overlap_moe_all_to_all));
  if (const double g = d * c; g > 1) {
    if (on(plan.fsdp) || plan.zero_stage.value_or(0) >= 3)
      add("FSDP", "weights gathered twice, gradients scattered", Each::Step, n * (4 + gradient), true);
    else if (on(plan.distributed_optimizer) || plan.zero_stage.value_or(0) >= 1)
      add("DP", "gradients scattered, weights gathered", Each::Step, (g - 1) / g * n * (gradient + 2), on(plan.overlap_grad_reduce));
    else
      add("DP", "gradients, all-reduced", Each::Step, 2 * (g - 1) / g * n * gradient, on(plan.overlap_grad_reduce));
  }
  return out;
}

}  // namespace shardlint
