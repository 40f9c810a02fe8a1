// Servers and GPUs: the first replica where it sits, and how many there are like it.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/plan/placement.h"
#include "checker/plan/rule.h"
#include "checker/report/html_parts.h"
#include "checker/report/units.h"

namespace shardlint {

namespace {

constexpr double kCell = 14, kStep = 17, kPad = 6;
constexpr std::size_t kMostServers = 18, kMostRacks = 9;
constexpr i64 kMostReplicas = 256;

struct Own {
  std::size_t stage = 0;
  i64 group = 0;  // the tensor-parallel group within the replica
};

// One box of GPUs: a server, or the domain that several servers share; the ranks of one stage where nobody knows how many share a server.
struct Box {
  i64 size = 8, across = 8;  // GPUs, and how many in a row
  std::string_view name = "server";
  bool known = true;
};

Box box_of(const Plan& plan, i64 stage) {
  Box box{std::clamp<i64>(stage, 1, 1024), 8, "part", false};
  const i64 server = count_or(plan.gpus_per_node, 0), domain = count_or(plan.nvlink_domain, 0);
  if (domain > server && domain <= 1024) {
    box = {domain, server && server <= 16 && domain % server == 0 ? server : 8, "rack", true};
  } else if (server && server <= 64) {
    box = {server, server, "server", true};
  }
  box.across = std::min<i64>({box.across, box.size, 8});
  return box;
}

class Servers {
 public:
  Servers(const Page& page, const std::vector<std::vector<i64>>& replica)
      : page_(page), out_(page.out), box_(box_of(page.plan, static_cast<i64>(replica[0].size()))) {
    const i64 tp = std::max<i64>(1, count_or(page.plan.tp, 1));
    for (std::size_t stage = 0; stage < replica.size(); ++stage)
      for (std::size_t i = 0; i < replica[stage].size(); ++i) {
        own_[replica[stage][i]] = {stage, static_cast<i64>(stage * replica[stage].size() + i) / tp};
        touched_.insert(replica[stage][i] / box_.size);
      }
    stages_ = replica.size();
    groups_ = groups(page.plan);
    if (const RankGroup* experts = group("EP")) {
      const i64 ranks = experts->ranks * experts->stride;
      for (i64 rank = 0; rank < ranks; rank += experts->stride) experts_.insert(rank), touched_.insert(rank / box_.size);
    }
    const RankGroup* tensor = group("TP");
    crossing_ = tensor && tensor->link == Link::Network;
  }

  void write() {
    words();
    const auto frame = out_.open("div", {{"class", "boxes"}});
    const std::size_t most = box_.size > 16 ? kMostRacks : kMostServers;
    std::size_t shown = 0;
    for (const i64 index : touched_) {
      if (shown++ == most) break;
      box(index);
    }
    if (touched_.size() > most)
      out_.element("p", {{"class", "more"}},
                   fmt::format("and {}", with_commas(plural(static_cast<i64>(touched_.size() - most), fmt::format("more {}", box_.name)))));
  }

  void key() {
    std::vector<LegendEntry> entries{
        {crossing_ ? "own crossing" : "own", stages_ > 1 ? "the first replica, with its stage" : "the first replica"}};
    if (count_or(page_.plan.dp, 1) > 1) entries.push_back({"peer", "other replicas"});
    if (const RankGroup* tensor = group("TP")) {
      if (crossing_)
        entries.push_back({"plate crossing", fmt::format("a TP group of {} that leaves its {}", tensor->ranks, box_.name)});
      else
        entries.push_back({"plate", fmt::format("a TP group of {}", tensor->ranks)});
    }
    if (!experts_.empty())
      entries.push_back({"expert", fmt::format("the first group of {} that shares a layer's experts", experts_.size())});
    legend(out_, entries);
  }

 private:
  const RankGroup* group(std::string_view axis) const {
    const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const RankGroup& g) { return g.axis == axis; });
    return found == groups_.end() ? nullptr : &*found;
  }
  std::string path(const RankGroup& group, std::string_view member) const {
    return fmt::format("groups[{}].{}", &group - groups_.data(), member);
  }

  // What the drawing shows, for those who would rather read it.
  void words() {
    const auto line = out_.open("p");
    const i64 gpus = static_cast<i64>(own_.size()), replicas = count_or(page_.plan.dp, 0);
    out_.text("One replica takes ");
    page_.number("replica.gpus", static_cast<double>(gpus));
    out_.text(gpus == 1 ? " GPU" : " GPUs");
    std::set<i64> boxes;
    for (const auto& [rank, at] : own_) boxes.insert(rank / box_.size);
    if (box_.known) out_.text(fmt::format(" on {}", with_commas(plural(static_cast<i64>(boxes.size()), box_.name))));
    if (replicas > 1) {
      out_.text("; there are ");
      page_.number("fields.dp.value", static_cast<double>(replicas));
      out_.text(" like it");
    }
    out_.text(box_.known ? ". " : ". How many GPUs a server has nobody says. ");
    if (const RankGroup* tensor = group("TP"); tensor && tensor->domains) link_words(*tensor);
  }

  void link_words(const RankGroup& tensor) {
    out_.text("A TP group of ");
    page_.number(path(tensor, "ranks"), static_cast<double>(tensor.ranks));
    const std::string domain = box_.name == "rack" ? "NVLink rack" : std::string(box_.name);
    if (!crossing_) {
      out_.text(fmt::format(" stays inside one {}", domain));
      if (tensor.gb_s > 0) {
        out_.text(", at ");
        page_.number(path(tensor, "gb_s"), tensor.gb_s);
        out_.text(" GB/s");
      }
      return out_.text(".");
    }
    const auto alarm = out_.open("span", {{"class", "alarm"}});
    if (*tensor.domains > 1) {
      out_.text(" is spread over ");
      page_.number(path(tensor, "domains"), static_cast<double>(*tensor.domains));
      out_.text(fmt::format(" {}", many_of(domain)));
    } else {
      out_.text(fmt::format(" does not divide the {} GPUs of a {}, so that some straddle two", box_.size, domain));
    }
    out_.text(": its sums cross the network");
    if (tensor.gb_s > 0 && page_.plan.nvlink_gb_s) {
      out_.text(", ");
      page_.number(path(tensor, "gb_s"), tensor.gb_s);
      out_.text(" instead of ");
      page_.number("fields.nvlink_gb_s.value", *page_.plan.nvlink_gb_s);
      out_.text(" GB/s");
    }
    out_.text(".");
  }

  void box(i64 index) {
    const i64 first = index * box_.size, rows = (box_.size + box_.across - 1) / box_.across;
    const double width = 2 * kPad + static_cast<double>(box_.across) * kStep - (kStep - kCell);
    const double height = 2 * kPad + static_cast<double>(rows) * kStep - (kStep - kCell);
    std::set<std::size_t> stages;
    i64 here = 0;
    for (i64 rank = first; rank < first + box_.size; ++rank)
      if (const auto at = own_.find(rank); at != own_.end()) stages.insert(at->second.stage + 1), ++here;
    std::string held;
    if (stages_ > 1 && !stages.empty()) held = (stages.size() == 1 ? "stage " : "stages ") + fmt::format("{}", fmt::join(stages, ", "));

    const auto figure = out_.open("figure", {{"class", "box"}});
    {
      const auto svg = picture(out_,
                               fmt::format("{} {}: {} of its {} GPUs hold the first replica{}", box_.name, index + 1, here, box_.size,
                                           held.empty() ? "" : ", " + held),
                               width, height, {{"width", px(width)}, {"height", px(height)}});
      out_.empty("rect",
                 {{"class", "case"}, {"x", "0.5"}, {"y", "0.5"}, {"width", px(width - 1)}, {"height", px(height - 1)}, {"rx", "4"}});
      if (count_or(page_.plan.tp, 1) > 1) plates(first);
      for (i64 rank = first; rank < first + box_.size; ++rank) cell(rank, rank - first);
    }
    const auto caption = out_.open("figcaption");
    if (box_.known) out_.text(fmt::format("{} {} ", box_.name, with_commas(grouped(index + 1))));
    if (!held.empty()) out_.element("small", held);
  }

  double left(i64 place) const { return kPad + static_cast<double>(place % box_.across) * kStep; }
  double top(i64 place) const { return kPad + static_cast<double>(place / box_.across) * kStep; }

  // What lies below the GPUs of one tensor-parallel group: a plate a row, joined where the next row goes on.
  void plates(i64 first) {
    const auto group_at = [&](i64 rank) {
      const auto at = rank < first + box_.size ? own_.find(rank) : own_.end();
      return at == own_.end() ? i64{-1} : at->second.group;
    };
    for (i64 place = 0; place < box_.size;) {
      const i64 group = group_at(first + place);
      i64 end = place + 1;
      while (end < box_.size && end % box_.across != 0 && group_at(first + end) == group) ++end;
      if (group >= 0) {
        const bool goes_on = end % box_.across == 0 && end < box_.size && group_at(first + end) == group;
        const double more = 3, height = goes_on ? kStep + 2 : kCell + 2 * more;
        out_.empty("rect", {{"class", crossing_ ? "plate crossing" : "plate"},
                            {"x", px(left(place) - more)},
                            {"y", px(top(place) - more)},
                            {"width", px(left(end - 1) - left(place) + kCell + 2 * more)},
                            {"height", px(height)},
                            {"rx", goes_on ? "0" : "3"}});
      }
      place = end;
    }
  }

  void cell(i64 rank, i64 place) {
    const auto at = own_.find(rank);
    const bool own = at != own_.end(), idle = rank >= count_or(page_.plan.world_size, rank + 1);
    const double x = left(place), y = top(place);
    Attributes attributes{{"class", own    ? (crossing_ ? "own crossing" : "own")
                                    : idle ? "idle"
                                           : "peer"},
                          {"x", px(x)},
                          {"y", px(y)},
                          {"width", px(kCell)},
                          {"height", px(kCell)},
                          {"rx", "2"}};
    if (own) {
      attributes.emplace_back("data-rank", fmt::format("{}", rank));
      attributes.emplace_back("data-stage", fmt::format("{}", at->second.stage));
    }
    out_.empty("rect", attributes);
    if (experts_.contains(rank))
      out_.empty("circle",
                 {{"class", "expert"}, {"cx", px(x + (own ? kCell - 1 : kCell / 2))}, {"cy", px(y + (own ? 1 : kCell / 2))}, {"r", "3"}});
    if (own && stages_ > 1)
      out_.element("text", {{"x", px(x + kCell / 2)}, {"y", px(y + kCell / 2 + 3)}}, fmt::format("{}", at->second.stage + 1));
  }

  const Page& page_;
  Markup& out_;
  Box box_;
  std::map<i64, Own> own_;
  std::set<i64> touched_, experts_;
  std::vector<RankGroup> groups_;
  std::size_t stages_ = 1;
  bool crossing_ = false;
};

// All replicas, each a square; the first is the one that is drawn above.
void replicas(const Page& page) {
  const i64 count = count_or(page.plan.dp, 0), drawn_ones = std::min(count, kMostReplicas);
  if (count <= 1) return;
  constexpr i64 kAcross = 32;
  constexpr double kSquare = 9, kApart = 12;
  const double width = static_cast<double>(std::min(drawn_ones, kAcross)) * kApart - 3;
  const double height = static_cast<double>((drawn_ones + kAcross - 1) / kAcross) * kApart - 3;
  const auto figure = page.out.open("figure", {{"class", "replicas"}});
  {
    const std::string name = fmt::format("{} replicas, each a whole copy of the work of the first", count);
    const auto svg = picture(page.out, name, width, height,
                             drawn("fields.dp.value", static_cast<double>(count), {{"width", px(width)}, {"height", px(height)}}));
    for (i64 i = 0; i < drawn_ones; ++i)
      page.out.empty("rect", {{"class", i == 0 ? "own" : "peer"},
                              {"x", px(static_cast<double>(i % kAcross) * kApart)},
                              {"y", px(static_cast<double>(i / kAcross) * kApart)},
                              {"width", px(kSquare)},
                              {"height", px(kSquare)},
                              {"rx", "1.5"}});
  }
  const auto caption = page.out.open("figcaption");
  page.number("fields.dp.value", static_cast<double>(count));
  page.out.text(" replicas");
  if (count > drawn_ones) page.out.text(fmt::format(", {} of them drawn", drawn_ones));
  if (page.plan.global_batch) {
    page.out.text(" share a batch of ");
    page.number("fields.global_batch.value", static_cast<double>(*page.plan.global_batch));
    page.out.text(" sequences");
  }
  if (on(page.plan.hybrid_shard) && is_count(page.plan.dp_shard)) {
    page.out.text("; ");
    page.number("fields.dp_shard.value", static_cast<double>(*page.plan.dp_shard));
    page.out.text(" of them hold one copy of the weights together");
  } else if (on(page.plan.fsdp)) {
    page.out.text("; together they hold one copy of the weights");
  }
}

}  // namespace

void draw_servers(const Page& page) {
  const auto replica = first_replica(page.plan);
  if (!replica) {
    std::vector<Field> missing;
    for (const PlanField<i64>* field : {&page.plan.tp, &page.plan.pp, &page.plan.cp})
      if (!is_count(*field)) missing.push_back(field->field);
    if (!is_count(page.plan.dp)) missing.push_back(is_count(page.plan.world_size) ? page.plan.dp.field : page.plan.world_size.field);
    return page.needs("servers and GPUs", missing);
  }
  page.section("servers", "Servers and GPUs", [&] {
    Servers servers(page, *replica);
    servers.write();
    servers.key();
    replicas(page);
  });
}

}  // namespace shardlint
