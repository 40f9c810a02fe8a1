#include "checker/plan/ranks.h"

#include <algorithm>

#include "checker/plan/rule.h"

namespace shardlint {

namespace {

// A group that nobody would read to its end.
constexpr i64 kMostRanks = i64{1} << 20;

}  // namespace

std::optional<Reach> reach(const Plan& plan, std::string_view axis) {
  const auto sizes = counts(plan.tp, plan.cp, plan.pp, plan.dp);
  if (!sizes) return std::nullopt;
  const auto [tp, cp, pp, dp] = *sizes;
  if (axis == "EP") return Reach{count_or(plan.ep, 1), count_or(plan.etp, 1)};
  if (axis == "FSDP") axis = "DP";
  const std::string order = plan.rank_order.value_or("tp-cp-ep-dp-pp");
  i64 stride = 1;
  for (std::size_t begin = 0; begin <= order.size();) {
    const std::size_t end = std::min(order.find('-', begin), order.size());
    const std::string_view name = std::string_view(order).substr(begin, end - begin);
    begin = end + 1;
    const i64 size = name == "tp" ? tp : name == "cp" ? cp : name == "dp" ? dp : name == "pp" ? pp : name == "ep" ? 1 : 0;
    if (size == 0) return std::nullopt;
    if (name.size() == axis.size() && (name[0] | 0x20) == (axis[0] | 0x20)) return Reach{size, stride};
    const auto longer = product({stride, size});
    if (!longer) return std::nullopt;
    stride = *longer;
  }
  // An axis that the order does not name has one rank, or nobody knows where it lies.
  const i64 left_out = axis == "CP" ? cp : axis == "PP" ? pp : axis == "TP" ? tp : dp;
  return left_out == 1 ? std::optional(Reach{1, 1}) : std::nullopt;
}

Link link_of(const Plan& plan, const Reach& reach) {
  if (reach.group <= 1) return Link::None;
  const i64 domain = count_or(plan.nvlink_domain, 0);
  // A job that fits into one domain is placed in one.
  if (is_count(plan.world_size) && *plan.world_size <= domain) return Link::NVLink;
  // A group of neighbours fills whole domains or straddles one.
  const auto span = product({reach.group, reach.stride});
  return span && *span <= domain && domain % *span == 0 ? Link::NVLink : Link::Network;
}

std::optional<RankPlace> rank_place(const Plan& plan, i64 rank) {
  const i64 world = count_or(plan.world_size, 0), server = count_or(plan.gpus_per_node, 0), domain = count_or(plan.nvlink_domain, server);
  if (rank < 0 || rank >= world || server == 0) return std::nullopt;
  RankPlace out{rank, rank / server, rank % server, {}};
  for (const char* axis : {"TP", "CP", "PP", "DP", "EP"}) {
    const auto found = reach(plan, axis);
    if (!found || found->group > kMostRanks) return std::nullopt;
    if (found->group <= 1) continue;
    Partners& partners = out.partners.emplace_back();
    partners.axis = axis;
    partners.position = rank / found->stride % found->group;
    const i64 first = rank - partners.position * found->stride;
    for (i64 i = 0; i < found->group; ++i) {
      const bool neighbour = partners.axis != "PP" || i == partners.position - 1 || i == partners.position + 1;
      if (const i64 other = first + i * found->stride; i != partners.position && neighbour && other < world)
        partners.ranks.push_back(other);
    }
    partners.link = Link::NVLink;
    for (i64 other : partners.ranks) {
      partners.in_server += other / server == out.server;
      if (other / domain != rank / domain) partners.link = Link::Network;
    }
  }
  return out;
}

}  // namespace shardlint
