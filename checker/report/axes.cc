#include "checker/report/axes.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/diag/finding.h"
#include "checker/report/units.h"

namespace shardlint {

namespace {

std::string divisor(double by) { return by == 1 ? "-" : fmt::format("/ {:.3g}", by); }

std::string payment(const AxisShare& share) {
  std::string out;
  if (share.bubble > 0) out = percent_text(share.bubble) + " of the step idle";
  if (!share.sends) return out.empty() ? "nothing that is known" : out;
  const Traffic& wire = *share.sends;
  out += (out.empty() ? "" : ", ") + bytes_text(wire.bytes) + " a step";
  if (wire.link != Link::None) out += wire.link == Link::NVLink ? " over NVLink" : " over the network";
  if (wire.gb_s > 0) out += ", " + seconds_text(wire.seconds());
  out += wire.hidden ? ", beside arithmetic" : wire.axis == "TP" ? ", on the critical path" : "";
  return out;
}

// 0 to 7, 8, 12 to 14; of a long list its ends.
std::string rank_list(const std::vector<i64>& ranks) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    runs.push_back(end - i < 3 ? fmt::format("{}", ranks[i]) : fmt::format("{} to {}", ranks[i], ranks[end - 1]));
    i = end - i < 3 ? i + 1 : end;
  }
  constexpr std::size_t kShown = 8;
  if (runs.size() > kShown) {
    const std::string last = runs.back();
    runs.resize(kShown - 2);
    runs.push_back("...");
    runs.push_back(last);
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

// Plans that know how many servers there are call the groups by what they hold.
std::string who(const Partners& partners, std::size_t count) {
  const i64 n = static_cast<i64>(count);
  if (partners.axis == "PP") return plural(n, "neighbouring stage");
  if (partners.axis == "DP") return plural(n, "replica");
  return plural(n, "partner");
}

}  // namespace

std::string axes_text(const std::vector<AxisShare>& axes, const Paint& paint) {
  if (axes.empty()) return "";
  std::string out = fmt::format("\n{}\n  {:<12} {:>6} {:>8} {:>9} {:>9} {:>11}  {}\n", paint.bold("who divides what"), "axis", "ranks",
                                "weights", "gradients", "optimizer", "activations", "pays with");
  for (const AxisShare& share : axes)
    out += fmt::format("  {:<12} {:>6} {:>8} {:>9} {:>9} {:>11}  {}{}\n", share.axis, with_commas(grouped(share.ranks)),
                       divisor(share.weights), divisor(share.gradients), divisor(share.optimizer), divisor(share.activations),
                       payment(share), share.experts_only ? "; divides experts alone" : "");
  return out;
}

void axes_json(JsonParts& parts, const std::vector<AxisShare>& axes) {
  llvm::json::OStream& json = parts.json();
  parts.list("axes", axes, [&](const AxisShare& share) {
    json.object([&] {
      parts.text("axis", share.axis);
      json.attribute("ranks", share.ranks);
      json.attribute("divides_weights_by", share.weights);
      json.attribute("divides_gradients_by", share.gradients);
      json.attribute("divides_optimizer_by", share.optimizer);
      json.attribute("divides_activations_by", share.activations);
      if (share.experts_only) json.attribute("experts_only", true);
      if (share.bubble > 0) json.attribute("bubble_share", share.bubble);
      if (share.sends) {
        json.attribute("bytes_per_step", share.sends->bytes);
        parts.text("link", link_text(share.sends->link));
      }
    });
  });
}

std::string rank_text(const Plan& plan, i64 rank, const Paint& paint) {
  const auto place = rank_place(plan, rank);
  if (!place) return "";
  const i64 server_size = plan.gpus_per_node.value_or(1);
  std::string out = fmt::format("\n{}  card {} of server {}\n", paint.bold(fmt::format("rank {}", with_commas(grouped(rank)))), place->card,
                                with_commas(grouped(place->server)));
  for (const Partners& partners : place->partners) {
    const i64 elsewhere = static_cast<i64>(partners.ranks.size()) - partners.in_server;
    std::string where = partners.in_server > 0 ? fmt::format("{} in its server", partners.in_server) : "";
    if (elsewhere > 0) {
      std::vector<i64> servers;
      for (i64 other : partners.ranks)
        if (const i64 server = other / server_size; server != place->server && (servers.empty() || servers.back() != server))
          servers.push_back(server);
      where +=
          fmt::format("{}{} {}", where.empty() ? "" : ", others ", servers.size() == 1 ? "in server" : "in servers", rank_list(servers));
    }
    out += fmt::format("  {:<3} {} of {:<6} {:<24} over {}: ranks {}; {}\n", partners.axis, with_commas(grouped(partners.position)),
                       partners.axis == "PP" ? plan.pp.value_or(1) : static_cast<i64>(partners.ranks.size()) + 1,
                       with_commas(who(partners, partners.ranks.size())), link_text(partners.link), rank_list(partners.ranks), where);
  }
  return out;
}

void rank_json(JsonParts& parts, const Plan& plan, i64 rank) {
  const auto place = rank_place(plan, rank);
  if (!place) return;
  llvm::json::OStream& json = parts.json();
  json.attributeObject("rank", [&] {
    json.attribute("rank", place->rank);
    json.attribute("server", place->server);
    json.attribute("card", place->card);
    parts.list("partners", place->partners, [&](const Partners& partners) {
      json.object([&] {
        parts.text("axis", partners.axis);
        json.attribute("position", partners.position);
        json.attribute("in_server", partners.in_server);
        parts.text("link", link_text(partners.link));
        parts.list("ranks", partners.ranks, [&](i64 other) { json.value(other); });
      });
    });
  });
}

}  // namespace shardlint
