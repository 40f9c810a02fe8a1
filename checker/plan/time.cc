#include "checker/plan/time.h"

#include <algorithm>

#include "checker/plan/network.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/rule.h"

namespace shardlint {

double run_flops(double parameters, double tokens, bool recomputed) { return (recomputed ? 8 : 6) * parameters * tokens; }

std::optional<StepTime> step_time(const Plan& plan, double mfu, std::vector<Field>* missing) {
  const auto model = model_weights(plan, missing);
  bool complete = model.has_value();
  for (const PlanField<i64>* field : {&plan.world_size, &plan.tokens_per_step})
    if (!is_count(*field)) {
      complete = false;
      if (missing) missing->push_back(field->field);
    }
  if (plan.peak_tflops.value_or(0) <= 0) {
    complete = false;
    if (missing) missing->push_back(plan.peak_tflops.field);
  }
  if (!complete || mfu <= 0 || mfu > 1) return std::nullopt;

  StepTime out;
  out.tokens = static_cast<double>(*plan.tokens_per_step);
  const double parameters = model->active() + model->embedding - (model->output > 0 ? 0 : model->logits);
  out.model_flops = run_flops(parameters, out.tokens);
  out.hardware_flops = run_flops(parameters, out.tokens, plan.recompute_granularity.value_or("") == "full");
  out.peak = *plan.peak_tflops * 1e12 * static_cast<double>(*plan.world_size);
  out.mfu = mfu;
  out.hfu = mfu * out.hardware_flops / out.model_flops;
  out.seconds.low = out.hardware_flops / out.peak / (1 - std::min(bubble_share(plan).value_or(0), 0.99));
  out.seconds.expected = std::max(out.seconds.low, out.model_flops / (out.peak * mfu));
  double exposed = 0;
  if (const auto wires = traffic(plan))
    for (const Traffic& wire : *wires) exposed += wire.hidden ? 0 : wire.seconds();
  out.seconds.high = out.seconds.expected + exposed;
  out.tokens_per_second = out.tokens / out.seconds.expected;
  if (plan.train_tokens.value_or(0) > 0) out.days = static_cast<double>(*plan.train_tokens) / out.tokens_per_second / 86'400;
  return out;
}

}  // namespace shardlint
