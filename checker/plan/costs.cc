#include "checker/plan/costs.h"

#include <algorithm>

#include "checker/plan/memory.h"
#include "checker/plan/network.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/rule.h"
#include "checker/plan/time.h"

namespace shardlint {

namespace {

constexpr double kReached = 0.6, kComfortable = 0.9;

}  // namespace

Costs::Fit Costs::fit() const {
  if (!memory || !card) return Fit::Unknown;
  return *memory > *card ? Fit::Over : *memory > kComfortable * *card ? Fit::Tight : Fit::Fits;
}

Costs costs(const Plan& plan) {
  Costs out;
  out.card = card_bytes(plan);
  out.bubble = bubble_share(plan);
  if (const auto found = memory(plan)) {
    const Estimate total = found->stages[found->fullest].total();
    out.memory = total.expected, out.least_memory = total.low;
  }
  const auto wires = traffic(plan);
  out.counted = wires.has_value();
  double waited = 0, beside = 0;
  bool timed = true;
  for (const Traffic& wire : wires.value_or(std::vector<Traffic>())) {
    const double times = wire.axis == "FSDP" ? static_cast<double>(count_or(plan.num_microbatches, 1)) : 1;
    (wire.link == Link::NVLink ? out.nvlink : out.network) += times * wire.bytes;
    (wire.hidden ? beside : waited) += times * wire.seconds();
    timed &= wire.gb_s > 0 || wire.link == Link::None;
  }
  if (const auto time = step_time(plan); time && wires && timed) {
    const double arithmetic = time->hardware_flops / (time->peak * kReached) / (1 - std::min(out.bubble.value_or(0), 0.99));
    out.seconds = std::max(arithmetic, beside) + waited;
  }
  return out;
}

}  // namespace shardlint
