// Every process drives a GPU of its own. One that finds none dies when it sets its device, and the others wait for it.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"launch/more-processes-than-gpus", "launch", Severity::Error, "0.1",
                         "more processes are started on a server than there are GPUs for them"};

void check(const Plan& plan, Sink& sink) {
  const auto processes = counts(plan.processes_per_node);
  if (!processes) return;
  const auto [started] = *processes;
  const auto compare = [&](const PlanField<i64>& gpus, std::string_view says) {
    if (!is_count(gpus) || started <= *gpus) return false;
    sink.report(kInfo, "{} on each server, and {} {}", plural(started, "process", "processes"), says, plural(*gpus, "GPU"))
        .effect("{}, and the run stops at once", started - *gpus == 1
                                                     ? fmt::format("local rank {} finds no device", *gpus)
                                                     : fmt::format("local ranks {} to {} find no device", *gpus, started - 1))
        .blame(plan.processes_per_node, gpus)
        .rather_change(plan.processes_per_node);
    return true;
  };
  if (!compare(plan.visible_gpus, "CUDA_VISIBLE_DEVICES leaves them")) compare(plan.allocated_gpus_per_node, "the job asks for");
}

}  // namespace

extern constinit const Rule more_processes_than_gpus{&kInfo, check};

}  // namespace shardlint::rules
