#include "checker/plan/axes.h"

#include <algorithm>

#include "checker/plan/pipeline.h"
#include "checker/plan/rule.h"

namespace shardlint {

std::vector<AxisShare> axis_shares(const Plan& plan) {
  std::vector<AxisShare> out;
  const auto sizes = counts(plan.tp, plan.pp, plan.cp, plan.dp);
  if (!sizes) return out;
  const auto [tp, pp, cp, dp] = *sizes;
  const auto wires = traffic(plan);
  const auto add = [&](std::string axis, i64 ranks, const char* wire) -> AxisShare& {
    AxisShare& share = out.emplace_back();
    share.axis = std::move(axis), share.ranks = ranks;
    if (wires)
      for (const Traffic& one : *wires)
        if (one.axis == wire || (one.axis == "FSDP" && std::string_view(wire) == "DP")) share.sends = one;
    return share;
  };
  if (tp > 1) {
    const double t = static_cast<double>(tp);
    AxisShare& share = add(on(plan.sp) ? "TP+SP" : "TP", tp, "TP");
    share.weights = share.gradients = share.optimizer = t;
    share.activations = on(plan.sp) ? t : 34 / (10 + 24 / t);  // 10 of 34 bytes stay whole
  }
  if (cp > 1) add("CP", cp, "CP").activations = static_cast<double>(cp);
  if (pp > 1) {
    AxisShare& share = add("PP", pp, "PP");
    share.weights = share.gradients = share.optimizer = static_cast<double>(pp);
    // The first stage keeps p micro-batches of a p-th of the layers; fewer if there are no more.
    const double p = static_cast<double>(pp), m = static_cast<double>(count_or(plan.num_microbatches, pp));
    share.activations = p / std::min(p, m);
    share.bubble = bubble_share(plan).value_or(0);
  }
  if (const i64 ep = count_or(plan.ep, 1); ep > 1) {
    AxisShare& share = add("EP", ep, "EP");
    share.weights = share.gradients = share.optimizer = static_cast<double>(ep);
    share.experts_only = true;
  }
  const auto ranks = product({dp, cp});
  if (!ranks || *ranks <= 1) return out;
  const int zero = static_cast<int>(std::clamp<i64>(plan.zero_stage.value_or(0), 0, 3));
  const bool hybrid = on(plan.hybrid_shard);
  AxisShare& share = add(hybrid ? "hybrid FSDP" : on(plan.fsdp) ? "FSDP" : zero ? fmt::format("ZeRO {}", zero) : "DP", *ranks, "DP");
  const double all = static_cast<double>(*ranks), replicas = static_cast<double>(count_or(plan.dp_replicate, 1));
  const double inner = hybrid && replicas <= all ? all / replicas : all;
  if (zero >= 1) share.optimizer = hybrid && on(plan.distributed_optimizer) ? all : inner;
  if (zero >= 2) share.gradients = inner;
  if (zero >= 3) share.weights = inner;
  return out;
}

}  // namespace shardlint
