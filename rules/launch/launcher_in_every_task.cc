// A launcher starts the processes of its server by itself. Started once a task, each of them starts them all.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"launch/launcher-in-every-task", "launch", Severity::Error, "0.1",
                         "a launcher that starts all processes of a server runs in several tasks of it"};

void check(const Plan& plan, Sink& sink) {
  if (!is_count(plan.launchers_per_node) || *plan.launchers_per_node < 2) return;
  const i64 copies = *plan.launchers_per_node;
  auto report = sink.report(kInfo, "the launcher is started in {} tasks on each server, and starts all of its processes each time", copies);
  const auto each = counts(plan.processes_per_node);
  const auto all = each ? product({copies, std::get<0>(*each)}) : std::nullopt;
  if (all)
    report.effect("{} x {} = {} processes a server fight for its GPUs, and the run hangs", copies, std::get<0>(*each), *all);
  else
    report.effect("they fight for the GPUs of the server, and the run hangs");
  report.blame(plan.launchers_per_node, plan.processes_per_node).rather_change(plan.launchers_per_node);
}

}  // namespace

extern constinit const Rule launcher_in_every_task{&kInfo, check};

}  // namespace shardlint::rules
