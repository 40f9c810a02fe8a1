// 1F1B and GPipe idle (p-1)/(m+p-1) of a step, interleaving with v virtual stages (p-1)/(m*v+p-1). With fewer micro-batches than stages
// another rule speaks; here there are enough to fill the pipeline and too few to make its filling and draining cheap.
#include <cmath>

#include "checker/plan/pipeline.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"schedule/pipeline-idles", "schedule", Severity::Warning, "0.1",
                         "a pipeline that idles a large share of every step"};
constexpr double kLarge = 0.2, kVeryLarge = 0.4;

void check(const Plan& plan, Sink& sink) {
  if (plan.pp.value_or(0) <= 1) return;
  const auto values = counts(plan.num_microbatches, plan.pp, plan.vpp);
  if (!values) return sink.missing(kInfo, plan.num_microbatches, plan.pp, plan.vpp);
  const auto [m, pp, vpp] = *values;
  const auto idle = bubble_share(plan);
  if (!idle || m < pp || *idle <= kLarge) return;
  auto report = sink.report(kInfo, "{} over {} leave the pipeline idle {:.0f} % of every step", plural(m, "micro-batch"),
                            plural(pp, "stage"), 100 * *idle);
  report.as(*idle > kVeryLarge ? Severity::Warning : Severity::Info);
  // What would bring it below the threshold.
  const i64 needed = static_cast<i64>(std::ceil(static_cast<double>(pp - 1) * (1 / kLarge - 1) / static_cast<double>(vpp)));
  std::string way = fmt::format("{} would idle {:.0f} %", plural((needed + pp - 1) / pp * pp, "micro-batch"), 100 * kLarge);
  const i64 micro = count_or(plan.micro_batch, 1);
  if (micro > 1) {
    const i64 smaller = std::max<i64>(1, micro * m / needed);
    const i64 divisor = micro % smaller == 0 ? smaller : 1;
    way = fmt::format("with a micro-batch of {} it would idle {:.0f} %", divisor,
                      100 * static_cast<double>(pp - 1) / static_cast<double>(m * micro / divisor * vpp + pp - 1));
    report.propose({{Field::micro_batch, divisor}});
  }
  const i64 layers = count_or(plan.layers, 0), own = layers / pp;
  i64 chunks = vpp + 1;
  while (chunks <= own && own % chunks) ++chunks;
  if (layers % pp == 0 && chunks <= own && m % pp == 0) {
    way += fmt::format("; in {} virtual stages each, {:.0f} %", chunks,
                       100 * static_cast<double>(pp - 1) / static_cast<double>(m * chunks + pp - 1));
    report.propose({{Field::vpp, chunks}});
  }
  report.effect("{}", way).blame(plan.micro_batch, plan.num_microbatches, plan.pp, plan.vpp, plan.global_batch);
  report.rather_change(plan.micro_batch, plan.num_microbatches, plan.vpp);
}

}  // namespace

extern constinit const Rule pipeline_idles{&kInfo, check};

}  // namespace shardlint::rules
