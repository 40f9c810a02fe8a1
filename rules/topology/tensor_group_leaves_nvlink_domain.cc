// Tensor parallelism sums activations several times a layer, on the critical path. That is affordable over NVLink and not over the
// network, so a group stays inside one domain: a server, or a rack of them. A group that is larger cannot; groups that do not divide the
// servers straddle them once there is more than one server.
#include "checker/plan/network.h"
#include "checker/plan/rule.h"
#include "checker/plan/time.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"topology/tensor-group-leaves-nvlink-domain", "topology", Severity::Warning, "0.1",
                         "a tensor-parallel group that is not inside one NVLink domain"};

// What the wire costs a micro-batch, as far as the model and its batch are known.
std::string slow_down(const Plan& plan) {
  const auto wires = traffic(plan);
  if (!wires || *plan.nvlink_gb_s <= 0 || *plan.network_gb_s <= 0) return "";
  for (const Traffic& wire : *wires) {
    if (wire.axis != "TP") continue;
    std::string out = fmt::format(", {:.2g} instead of {:.2g} s a micro-batch", wire.each / (*plan.network_gb_s * 1e9),
                                  wire.each / (*plan.nvlink_gb_s * 1e9));
    if (const auto step = step_time(plan); step && is_count(plan.num_microbatches))
      out +=
          fmt::format(", against {:.2g} s of arithmetic", step->hardware_flops / step->peak / static_cast<double>(*plan.num_microbatches));
    return out;
  }
  return "";
}

void check(const Plan& plan, Sink& sink) {
  if (plan.tp.value_or(0) == 1) return;
  const auto values = counts(plan.tp, plan.nvlink_domain);
  if (!values) return sink.missing(kInfo, plan.tp, plan.nvlink_domain);
  const auto [tp, domain] = *values;
  const i64 world = count_or(plan.world_size, 0);
  const auto group = product({tp, count_or(plan.pp, 1), count_or(plan.cp, 1)});
  if (!group || world % *group != 0) return;  // the grid does not fit, and that is said
  const bool larger = tp > domain;
  // Within a rack the scheduler picks the servers, and an axis that varies slower than another has strides: nothing is certain then.
  const bool servers = plan.gpus_per_node && domain <= *plan.gpus_per_node && plan.rank_order.value_or("tp").starts_with("tp");
  const bool straddles = servers && domain % tp != 0 && world > domain;
  if (!larger && !straddles) return;
  const i64 domains = (tp + domain - 1) / domain;
  auto report =
      larger
          ? sink.report(kInfo, "a tensor-parallel group of {} spans {} of {}", plural(tp, "GPU"), plural(domains, "NVLink domain"), domain)
          : sink.report(kInfo, "tensor-parallel groups of {} GPUs do not divide the {} of a server, so some span two", tp, domain);
  if (plan.nvlink_gb_s && plan.network_gb_s)
    report.effect("every layer's sums cross the network: {} instead of {} GB/s{}", *plan.network_gb_s, *plan.nvlink_gb_s, slow_down(plan));
  else
    report.effect("every layer's sums cross the network");
  report.blame(plan.tp, plan.nvlink_domain, plan.gpus_per_node).rather_change(plan.tp);
}

}  // namespace

extern constinit const Rule tensor_group_leaves_nvlink_domain{&kInfo, check};

}  // namespace shardlint::rules
