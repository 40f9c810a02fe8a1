// Fully sharded weights are gathered before each use. A pipeline uses them once forward and once backward for every micro-batch, so what is
// gathered grows with the number of micro-batches; or the framework keeps the gathered weights for the whole step, and then they take the
// memory that sharding was to save.
#include "checker/plan/network.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"sharding/weights-gathered-for-every-microbatch", "sharding", Severity::Warning, "0.1",
                         "fully sharded weights in a pipeline of several micro-batches"};

void check(const Plan& plan, Sink& sink) {
  if (plan.pp.value_or(0) <= 1 || plan.zero_stage.value_or(0) < 3) return;
  const auto values = counts(plan.pp, plan.dp, plan.num_microbatches);
  if (!values) return sink.missing(kInfo, plan.pp, plan.dp, plan.num_microbatches);
  const auto [pp, dp, m] = *values;
  if (dp <= 1 || m <= 1) return;
  auto report =
      sink.report(kInfo, "weights that are sharded over {} are gathered for each of {}", plural(dp, "rank"), plural(m, "micro-batch"));
  double sent = 0;
  if (const auto wires = traffic(plan))
    for (const Traffic& wire : *wires)
      if (wire.axis == "FSDP") sent = wire.bytes;
  const std::string held = "or a whole stage's weights are held for the whole step";
  if (sent > 0)
    report.effect("{:.0f} GB on the wire of each GPU and step instead of {:.0f}, {}", sent * static_cast<double>(m) / 1e9, sent / 1e9,
                  held);
  else
    report.effect("{} times the traffic of a step with one, {}", m, held);
  report.blame(plan.fsdp, plan.zero_stage, plan.pp, plan.num_microbatches)
      .rather_change(plan.zero_stage, plan.fsdp, plan.pp)
      .try_first({1});
}

}  // namespace

extern constinit const Rule weights_gathered_for_every_microbatch{&kInfo, check};

}  // namespace shardlint::rules
