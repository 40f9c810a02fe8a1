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
  double layers = 0, sparse = 0;
  StageWeights most;
  for (const Stage& stage : *held) {
    const auto experts = static_cast<double>(
        std::count_if(stage.layers.begin(), stage.layers.end(), [&](std::size_t i) { return static_cast<bool>(model->is_sparse[i]); }));
    layers = std::max(layers, static_cast<double>(stage.layers.size()));
    sparse = std::max(sparse, experts);
    const StageWeights own = stage_weights(plan, *model, stage);
    if (own.dense + own.experts > most.dense + most.experts) most = own;
  }
  const double gradient = plan.precision_grads.value_or("bf16") == "fp32" ? 4 : 2;

  std::vector<Traffic> out;
  const auto add = [&](std::string axis, std::string carries, double each, double once, bool hidden) {
    const auto where = reach(plan, axis), beside = each > 0 ? std::nullopt : reach(plan, "CP");
    Traffic entry{std::move(axis), std::move(carries), each > 0 ? each * m : once, each, where ? where->group : 1, Link::None, 0, hidden};
    if (where) entry.link = link_of(plan, *where);
    // Ranks that share a sequence hold the same weights, and reduce their gradients with the replicas.
    if (where && beside) entry.group *= beside->group, entry.link = std::max(entry.link, link_of(plan, *beside));
    const PlanField<double>& rate = entry.link == Link::NVLink ? plan.nvlink_gb_s : plan.network_gb_s;
    if (entry.link != Link::None) entry.gb_s = rate.value_or(0);
    out.push_back(std::move(entry));
  };
  if (t > 1) add("TP", "activations, four times a layer", 4 * layers * 2 * (t - 1) / t * tokens * h * 2, 0, on(plan.overlap_tp_comm));
  if (c > 1) {
    const double keys = 2 * real(*plan.kv_groups) * real(*plan.head_dim) / std::min(t, real(*plan.kv_groups)) * tokens * 2;
    add("CP", "keys and values, there and their gradients back", 2 * layers * (c - 1) * keys, 0, true);
  }
  if (held->size() > 1) add("PP", "activations and their gradients at the boundary", 2 * tokens * h * 2 / t, 0, on(plan.overlap_p2p));
  if (ep > 1 && sparse > 0)
    add("EP", "tokens to their experts and back", 4 * sparse * tokens / t * real(count_or(plan.topk, 1)) * h * 2 * (ep - 1) / ep, 0,
        on(plan.overlap_moe_all_to_all));
  if (d * c > 1) {
    const double n = most.dense + most.experts, g = d * c;
    if (on(plan.fsdp) || plan.zero_stage.value_or(0) >= 3)
      add("FSDP", "weights gathered twice, gradients scattered", 0, n * (2 * 2 + gradient), true);
    else if (on(plan.distributed_optimizer) || plan.zero_stage.value_or(0) >= 1)
      add("DP", "gradients scattered, weights gathered", 0, (g - 1) / g * n * (gradient + 2), on(plan.overlap_grad_reduce));
    else
      add("DP", "gradients, all-reduced", 0, 2 * (g - 1) / g * n * gradient, on(plan.overlap_grad_reduce));
  }
  return out;
}

}  // namespace shardlint
