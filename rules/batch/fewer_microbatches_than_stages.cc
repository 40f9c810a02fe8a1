// A pipeline of p stages is full only while p micro-batches are in flight. With fewer, some stage idles at every moment: 1F1B and GPipe
// lose (p-1)/(m+p-1) of the step, interleaving with v virtual stages (p-1)/(m*v+p-1). Schedules without bubbles have other sums.
#include <cctype>

#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"batch/fewer-microbatches-than-stages", "batch", Severity::Warning, "0.1",
                         "fewer micro-batches than pipeline stages"};

bool has_bubble(std::string schedule) {
  for (char& c : schedule) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return schedule == "1f1b" || schedule == "gpipe" || schedule == "afab" || schedule.starts_with("interleaved");
}

void check(const Plan& plan, Sink& sink) {
  if (plan.pp.value_or(0) == 1 || !has_bubble(plan.schedule.value_or("1f1b"))) return;
  const auto values = counts(plan.num_microbatches, plan.pp, plan.vpp);
  if (!values) return sink.missing(kInfo, plan.num_microbatches, plan.pp, plan.vpp);
  const auto [m, pp, vpp] = *values;
  if (m >= pp) return;
  const double idle = static_cast<double>(pp - 1) / (static_cast<double>(m) * static_cast<double>(vpp) + static_cast<double>(pp - 1));
  sink.report(kInfo, "{} cannot fill {}", plural(m, "micro-batch"), plural(pp, "stage"))
      .effect("the pipeline idles {:.0f} % of every step", 100 * idle)
      .as(idle > 0.35 ? Severity::Warning : Severity::Info)
      .blame(plan.num_microbatches, plan.pp, plan.vpp)
      .rather_change(plan.num_microbatches, plan.pp);
}

}  // namespace

extern constinit const Rule fewer_microbatches_than_stages{&kInfo, check};

}  // namespace shardlint::rules
