#include "checker/plan/placement.h"

#include <algorithm>

#include "checker/plan/rule.h"

namespace shardlint {

namespace {

constexpr i64 kMaxRanks = 100'000;

// How many domains the ranks 0, stride, 2 * stride ... fall into.
i64 domains_touched(i64 ranks, i64 stride, i64 domain) { return stride >= domain ? ranks : (stride * (ranks - 1)) / domain + 1; }

}  // namespace

std::vector<RankGroup> groups(const Plan& plan) {
  std::vector<RankGroup> out;
  for (const char* axis : {"TP", "CP", "EP", "DP", "PP"}) {
    const auto where = reach(plan, axis);
    if (!where || where->group <= 1) continue;
    RankGroup group{axis, where->group, where->stride, {}, Link::None, 0};
    if (is_count(plan.nvlink_domain)) {
      group.domains = domains_touched(where->group, where->stride, *plan.nvlink_domain);
      group.link = link_of(plan, *where);
      group.gb_s = (group.link == Link::NVLink ? plan.nvlink_gb_s : plan.network_gb_s).value_or(0);
    }
    out.push_back(std::move(group));
  }
  return out;
}

std::optional<std::vector<std::vector<i64>>> first_replica(const Plan& plan) {
  const auto tensor = reach(plan, "TP"), context = reach(plan, "CP"), stage = reach(plan, "PP");
  if (!tensor || !context || !stage) return std::nullopt;
  const auto total = product({tensor->group, context->group, stage->group});
  if (!total || *total > kMaxRanks) return std::nullopt;
  std::vector<std::vector<i64>> out(static_cast<std::size_t>(stage->group));
  for (i64 i = 0; i < stage->group; ++i)
    for (i64 j = 0; j < context->group; ++j)
      for (i64 k = 0; k < tensor->group; ++k)
        out[static_cast<std::size_t>(i)].push_back(i * stage->stride + j * context->stride + k * tensor->stride);
  return out;
}

}  // namespace shardlint
