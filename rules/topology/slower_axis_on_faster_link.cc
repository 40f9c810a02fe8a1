// The links are of two speeds, and the axes want different things of them. An axis that sends little inside the NVLink domain, while one
// that sends much crosses the network and would fit inside, has the place that the other one needs.
#include "checker/plan/network.h"
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"topology/slower-axis-on-faster-link", "topology", Severity::Info, "0.1",
                         "an axis that sends little over NVLink, and one that sends much over the network"};
constexpr double kMuch = 4;  // times as many bytes, none of them hidden

void check(const Plan& plan, Sink& sink) {
  const auto wires = traffic(plan);
  if (!wires || !plan.nvlink_domain) return;
  const i64 domain = *plan.nvlink_domain;
  const Traffic *little = nullptr, *much = nullptr;
  for (const Traffic& wire : *wires) {
    if (wire.link == Link::NVLink && (!little || wire.bytes < little->bytes)) little = &wire;
    // Replicas and stages send little for each micro-batch, and are meant to be far apart.
    const bool close = wire.axis == "TP" || wire.axis == "CP" || wire.axis == "EP";
    const bool fits = close && wire.group <= domain && domain % wire.group == 0;
    if (wire.link == Link::Network && fits && !wire.hidden && (!much || wire.bytes > much->bytes)) much = &wire;
  }
  if (!little || !much || much->bytes < kMuch * little->bytes) return;
  auto report = sink.report(kInfo, "{} sends {:.1f} GB a step over the network, {} only {:.1f} over NVLink", much->axis, much->bytes / 1e9,
                            little->axis, little->bytes / 1e9);
  const double saved = plan.nvlink_gb_s ? much->seconds() - much->bytes / (*plan.nvlink_gb_s * 1e9) : 0;
  if (saved > 0)
    report.effect("{} ranks of {} would fit into a domain of {} and save {:.2g} s of every step", much->group, much->axis, domain, saved);
  else
    report.effect("{} ranks of {} would fit into a domain of {}", much->group, much->axis, domain);
  if (much->axis == "EP") report.blame(plan.ep);
  if (much->axis == "CP") report.blame(plan.cp);
  if (much->axis == "TP") report.blame(plan.tp);
}

}  // namespace

extern constinit const Rule slower_axis_on_faster_link{&kInfo, check};

}  // namespace shardlint::rules
