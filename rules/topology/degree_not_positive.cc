// A degree says into how many parts something is split, so it is at least 1. Frameworks that take 0 or -1 for "work it out" are read so
// before a plan is made; what is left here was meant as a number.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"topology/degree-not-positive", "topology", Severity::Error, "0.1",
                         "a parallel degree or a count of machines below 1"};

void check(const Plan& plan, Sink& sink) {
  const auto look = [&](const PlanField<i64>& field, std::string_view name) {
    if (!field || *field > 0) return;
    sink.report(kInfo, "{} is {}", name, *field)
        .effect("nothing can be split into {} parts", *field)
        .blame(field)
        .rather_change(field)
        .try_first({1});
  };
  look(plan.nodes, "the number of servers"), look(plan.gpus_per_node, "the number of GPUs in a server");
  look(plan.allocated_nodes, "the number of servers asked for"), look(plan.allocated_gpus_per_node, "the number of GPUs asked for");
  look(plan.launched_nodes, "the number of servers that the launcher is told of");
  look(plan.launchers_per_node, "the number of launchers on a server"),
      look(plan.processes_per_node, "the number of processes on a server");
  look(plan.tp, "TP"), look(plan.pp, "PP"), look(plan.cp, "CP"), look(plan.ep, "EP"), look(plan.etp, "expert TP");
  look(plan.dp, "DP"), look(plan.vpp, "the number of virtual stages");
}

}  // namespace

extern constinit const Rule degree_not_positive{&kInfo, check};

}  // namespace shardlint::rules
