// HybridEP moves tokens inside one NVLink domain and is set up for the ranks of one. An expert group that is larger sends most of its
// tokens over the network, or the dispatcher refuses the topology. Other dispatchers are made for the network, and large expert groups are
// common practice with them: that is advice.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"topology/expert-group-leaves-nvlink-domain", "topology", Severity::Warning, "0.1",
                         "an expert group larger than the NVLink domain that its dispatcher works in"};

void check(const Plan& plan, Sink& sink) {
  if (plan.ep.value_or(0) == 1) return;
  const auto values = counts(plan.ep, plan.nvlink_domain);
  if (!values) return sink.missing(kInfo, plan.ep, plan.nvlink_domain);
  const auto [ep, domain] = *values;
  if (ep <= domain || count_or(plan.world_size, ep) < ep) return;
  auto report = sink.report(kInfo, "an expert group of {} spans {} of {}", plural(ep, "GPU"),
                            plural((ep + domain - 1) / domain, "NVLink domain"), domain);
  const bool hybrid = plan.dispatcher.value_or("").find("hybridep") != std::string::npos;
  report.as(hybrid ? Severity::Warning : Severity::Info);
  report.effect("{:.0f} % of the tokens{} leave NVLink", 100.0 * static_cast<double>(ep - domain) / static_cast<double>(ep),
                hybrid ? " that HybridEP dispatches" : "");
  report.blame(plan.ep, plan.nvlink_domain, plan.dispatcher).rather_change(plan.ep, plan.dispatcher);
}

}  // namespace

extern constinit const Rule expert_group_leaves_nvlink_domain{&kInfo, check};

}  // namespace shardlint::rules
