// Servers of a rack share one NVLink domain, but a scheduler places a job's servers wherever some are free. A segment is what it is asked to
// keep in one domain.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"launch/domain-group-without-segment", "launch", Severity::Warning, "0.1",
                         "a group of several servers that nothing keeps in one NVLink domain"};

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.nvlink_domain, plan.gpus_per_node, plan.world_size, plan.tp);
  if (!values || !plan.segment || *plan.segment < 0) return;
  const auto [domain, each, world, tp] = *values;
  const i64 segment = *plan.segment;
  const auto judge = [&](i64 group, std::string_view what, const PlanField<i64>& field) {
    if (group <= each || group > domain) return false;
    const i64 servers = (group + each - 1) / each, nodes = world / each, most = domain / each;
    if (segment > 0 && segment <= nodes && (segment * each) % group == 0) return false;
    // The largest piece of the job that fits a domain and holds whole groups.
    i64 wanted = 0;
    for (i64 piece = std::min(nodes, most); piece >= servers && wanted == 0; --piece)
      if (nodes % piece == 0 && (piece * each) % group == 0) wanted = piece;
    auto report =
        segment == 0 ? sink.report(kInfo, "{} spans {}, and nothing asks for servers of one NVLink domain", what, plural(servers, "server"))
                     : sink.report(kInfo, "{} of {} cannot be cut into whole groups of {}", "segments", plural(segment, "server"), group);
    report.effect("a group that lies in two racks talks over the network between them");
    if (segment == 0)
      report.blame(field, plan.segment, plan.gpus_per_node);
    else
      report.blame(plan.segment, field, plan.gpus_per_node);
    if (wanted > 0) report.rather_change(plan.segment).try_first({wanted});
    return true;
  };
  if (judge(tp, fmt::format("TP {}", tp), plan.tp)) return;
  const i64 ep = count_or(plan.ep, 1);
  if (const auto expert = product({ep, count_or(plan.etp, 1)}); expert && ep > 1) judge(*expert, fmt::format("EP {}", ep), plan.ep);
}

}  // namespace

extern constinit const Rule domain_group_without_segment{&kInfo, check};

}  // namespace shardlint::rules
