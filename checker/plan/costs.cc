#include "checker/plan/costs.h"

#include <algorithm>

#include "checker/plan/memory.h"
#include "checker/plan/network.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/rule.h"
#include "checker/plan/time.h"

namespace shardlint {

namespace {

constexpr double kReached = 0.6;

// What the slowest stage has to do against an even share: 1.05 where it takes 5 % longer. Of a plan whose traffic is known.
double unevenness(const Plan& plan) {
  const auto model = model_weights(plan);
  const auto held = stages(plan, model->layers());
  double most = 0, all = 0;
  for (const Stage& stage : *held) {
    const double own = stage_weights(plan, *model, stage).flops;
    most = std::max(most, own), all += own;
  }
  return most * static_cast<double>(held->size()) / all;
}

}  // namespace

Costs::Fit Costs::fit() const {
  if (!memory || !card) return Fit::Unknown;
  return *memory > *card ? Fit::Over : most_memory > *card ? Fit::Tight : Fit::Fits;
}

Costs costs(const Plan& plan) {
  Costs out;
  out.card = card_bytes(plan);
  out.bubble = bubble_share(plan);
  if (const auto found = memory(plan)) {
    const Estimate total = found->stages[found->fullest].total();
    out.memory = total.expected, out.most_memory = total.high;
  }
  const auto wires = traffic(plan);
  out.counted = wires.has_value();
  double waited = 0, beside = 0;
  bool timed = true;
  for (const Traffic& wire : wires.value_or(std::vector<Traffic>())) {
    const double times = static_cast<double>(wire.axis == "FSDP" ? *plan.num_microbatches : wire.axis == "PP" ? *plan.vpp : 1);
    (wire.link == Link::NVLink ? out.nvlink : out.network) += times * wire.bytes;
    (wire.hidden ? beside : waited) += times * wire.seconds();
    timed &= wire.gb_s > 0 || wire.link == Link::None;
  }
  if (const auto time = step_time(plan); time && wires && timed) {
    const double arithmetic =
        time->hardware_flops / (time->peak * kReached) / (1 - std::min(out.bubble.value_or(0), 0.99)) * unevenness(plan);
    out.seconds = std::max(arithmetic, beside) + waited;
  }
  return out;
}

}  // namespace shardlint
