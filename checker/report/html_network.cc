// What crosses which link, and how long a step takes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "checker/plan/placement.h"
#include "checker/plan/time.h"
#include "checker/report/html_parts.h"
#include "checker/report/units.h"

namespace shardlint {

namespace {

// A horizontal bar of `share` of the whole width.
void bar(Markup& out, std::string_view name, double share, Attributes attributes) {
  constexpr double kWide = 1000;
  const auto svg = picture(out, name, kWide, 14, {{"preserveAspectRatio", "none"}, {"class", "bar"}});
  Attributes all{{"x", "0"}, {"y", "1"}, {"width", px(std::max(1.0, share * kWide))}, {"height", "12"}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  out.empty("rect", all);
}

// Without a model: who talks to whom is known all the same.
void group_rows(const Page& page, const std::vector<RankGroup>& found) {
  const auto table = page.out.open("table", {{"class", "numbers"}});
  {
    const auto head = page.out.open("tr");
    for (const char* title : {"axis", "ranks", "apart", "link", "GB/s"}) page.out.element("th", {{"scope", "col"}}, title);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const RankGroup& group = found[i];
    const std::string path = fmt::format("groups[{}].", i);
    const auto row = page.out.open("tr");
    page.out.element("th", {{"scope", "row"}}, group.axis);
    page.out.element("td", drawn(path + "ranks", static_cast<double>(group.ranks)), with_commas(grouped(group.ranks)));
    page.out.element("td", drawn(path + "stride", static_cast<double>(group.stride)), with_commas(grouped(group.stride)));
    page.out.element("td", drawn(path + "link", link_text(group.link)), group.link == Link::None ? "not known" : link_text(group.link));
    if (group.gb_s > 0)
      page.out.element("td", drawn(path + "gb_s", group.gb_s), fmt::format("{:.4g}", group.gb_s));
    else
      page.out.element("td", "not known");
  }
}

void wire_row(const Page& page, const Traffic& wire, std::size_t index, double most) {
  const std::string path = fmt::format("network[{}].", index);
  const auto row = page.out.open("div", {{"class", "row wire"}});
  {
    const auto name = page.out.open("span", {{"class", "name"}});
    page.out.element("b", wire.axis);
    page.out.text(" ");
    page.out.element("span", drawn(path + "ranks", static_cast<double>(wire.group)), with_commas(grouped(wire.group)));
  }
  bar(page.out, fmt::format("{}: {} on {}", wire.axis, bytes_text(wire.bytes), link_text(wire.link)), wire.bytes / most,
      drawn(path + "bytes", wire.bytes, {{"class", wire.link == Link::NVLink ? "nvlink" : "wan"}}));
  page.out.element("span", drawn(path + "bytes", wire.bytes, {{"class", "value"}}), bytes_text(wire.bytes));
  const auto words = page.out.open("span", {{"class", "words"}});
  page.out.text(wire.carries + "; ");
  page.out.element("span", drawn(path + "link", link_text(wire.link)), link_text(wire.link));
  if (wire.gb_s > 0) {
    page.out.text(" at ");
    page.out.element("span", drawn(path + "gb_s", wire.gb_s), fmt::format("{:.4g} GB/s", wire.gb_s));
    page.out.text(", ");
    page.out.element("span", drawn(path + "seconds", wire.seconds()), seconds_text(wire.seconds()));
  }
  page.out.text(wire.hidden ? ", hidden behind arithmetic" : ", waited for");
}

// 1.26 x 10^18, as people write it.
void power(const Page& page, std::string_view path, double value) {
  const double exponent = std::floor(std::log10(value));
  const auto number = page.out.open("span", drawn(path, value));
  page.out.text(fmt::format("{:.2f} × 10", value / std::pow(10, exponent)));
  page.out.element("sup", fmt::format("{:.0f}", exponent));
}

}  // namespace

void draw_network(const Page& page) {
  std::vector<Field> missing;
  const auto wires = traffic(page.plan, &missing);
  const std::vector<RankGroup> found = groups(page.plan);
  if (found.empty() && (!wires || wires->empty())) return;
  page.section("network", wires ? "Bytes on each link, one GPU and step" : "Who talks to whom", [&] {
    if (!wires) {
      group_rows(page, found);
      return page.needs("bytes on each link", missing);
    }
    double most = 1, slow = 0, fast = 0;
    for (const Traffic& wire : *wires) {
      most = std::max(most, wire.bytes);
      (wire.link == Link::NVLink ? fast : slow) += wire.bytes;
    }
    if (fast > 0 && slow > 0)
      page.out.element("p", fmt::format("{} over NVLink, {} over the network.", bytes_text(fast), bytes_text(slow)));
    {
      const auto rows = page.out.open("div", {{"class", "rows"}});
      for (std::size_t i = 0; i < wires->size(); ++i) wire_row(page, (*wires)[i], i, most);
    }
    legend(page.out, {{"nvlink", "NVLink"}, {"wan", "network"}});
  });
}

void draw_time(const Page& page) {
  std::vector<Field> missing;
  const auto time = step_time(page.plan, 0.4, &missing);
  if (!time) return page.needs("time of a step", missing);
  page.section("time", "Time of a step", [&] {
    {
      const auto rows = page.out.open("div", {{"class", "rows"}});
      const auto row = [&](std::string_view member, double seconds, std::string_view words, std::string_view style) {
        const std::string path = fmt::format("time.step_seconds.{}", member);
        const auto line = page.out.open("div", {{"class", "row wire"}});
        page.out.element("span", {{"class", "name"}}, member);
        bar(page.out, fmt::format("{}: {}", words, seconds_text(seconds)), seconds / time->seconds.high,
            drawn(path, seconds, {{"class", std::string(style)}}));
        page.out.element("span", drawn(path, seconds, {{"class", "value"}}), seconds_text(seconds));
        page.out.element("span", {{"class", "words"}}, words);
      };
      row("low", time->seconds.low, "arithmetic at the peak rate, and the bubble", "weights");
      row("expected", time->seconds.expected, fmt::format("at {:.0f} % of the peak", 100 * time->mfu), "weights");
      row("high", time->seconds.high, "and all communication that nothing hides", "gradients");
    }
    const auto line = page.out.open("p", {{"class", "aside"}});
    power(page, "time.model_flops_per_step", time->model_flops);
    page.out.text(" FLOPs a step");
    if (time->hardware_flops > time->model_flops) {
      page.out.text(", ");
      power(page, "time.hardware_flops_per_step", time->hardware_flops);
      page.out.text(" with what is recomputed: ");
      page.number("time.hfu", time->hfu, percent_text(time->hfu));
      page.out.text(" HFU");
    }
    page.out.text("; ");
    page.number("time.tokens_per_second", time->tokens_per_second);
    page.out.text(" tokens a second");
    if (time->days) {
      page.out.text("; the whole run takes ");
      page.number("time.days", *time->days, days_text(*time->days));
    }
    page.out.text(".");
  });
}

}  // namespace shardlint
