#include "checker/report/html.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "checker/plan/memory.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/time.h"
#include "checker/report/fields.h"
#include "checker/report/html_parts.h"
#include "checker/report/text.h"
#include "checker/report/units.h"
#include "checker/text/files.h"

namespace shardlint {

void Page::section(std::string_view id, std::string_view title, const std::function<void()>& body) const {
  const std::string name = fmt::format("{}-{}", id, index + 1);
  const auto element = out.open("section", {{"aria-labelledby", name}, {"class", std::string(id)}});
  out.element("h3", {{"id", name}}, title);
  body();
}

void Page::number(std::string_view path, double value) const { number(path, value, with_commas(grouped(std::llround(value)))); }

void legend(Markup& out, const std::vector<LegendEntry>& entries) {
  const auto list = out.open("ul", {{"class", "legend"}});
  for (const LegendEntry& entry : entries) {
    const auto item = out.open("li");
    {
      const auto swatch = out.open("svg", {{"width", "12"}, {"height", "12"}, {"aria-hidden", "true"}});
      out.empty("rect", {{"width", "12"}, {"height", "12"}, {"rx", "2"}, {"class", entry.kind}});
    }
    out.text(entry.text);
  }
}

Markup::Element picture(Markup& out, std::string_view name, double width, double height, Attributes more) {
  Attributes all{{"role", "img"}, {"aria-label", std::string(name)}, {"viewBox", fmt::format("0 0 {} {}", px(width), px(height))}};
  all.insert(all.end(), more.begin(), more.end());
  return out.open("svg", all);
}

std::string numbers_text(std::size_t first, std::size_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
}

std::vector<std::optional<std::size_t>> shown_rows(std::size_t count, std::size_t most) {
  std::vector<std::optional<std::size_t>> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > most && i == most * 2 / 3) {
      out.emplace_back(std::nullopt);
      i = count - most / 3;
    }
    out.emplace_back(i);
  }
  return out;
}

namespace {

// The big numbers on top.
class KeyFigures {
 public:
  explicit KeyFigures(const Page& page) : page_(page), out_(page.out) {}

  void write() {
    const Plan& plan = page_.plan;
    const auto found = memory(plan);
    const auto time = step_time(plan);
    const bool piped = plan.pp.value_or(1) > 1 && bubble_share(plan);
    if (!found && !time && !piped) return;
    const auto list = out_.open("dl", {{"class", "figures"}});
    if (found) {
      figure("parameters", "memory.parameters", found->parameters, count_text(found->parameters), "");
      const StageMemory& fullest = found->stages[found->fullest];
      const auto card = card_bytes(plan);
      const std::string of = card ? fmt::format("of {} on the card", bytes_text(*card)) : "of one GPU";
      figure("memory", fmt::format("memory.stages[{}].total.expected", found->fullest), fullest.total().expected,
             bytes_text(fullest.total().expected), of, card && fullest.total().expected > *card);
      figure("checkpoint", "memory.checkpoint_bytes", found->checkpoint, bytes_text(found->checkpoint), "");
    }
    if (piped) {
      const double share = *bubble_share(plan);
      figure("bubble", "pipeline.bubble_share", share, percent_text(share), "of every step");
    }
    if (time) {
      figure("step", "time.step_seconds.expected", time->seconds.expected, seconds_text(time->seconds.expected),
             fmt::format("at {:.0f} % MFU", 100 * time->mfu));
      figure("tokens a second", "time.tokens_per_second", time->tokens_per_second, count_text(time->tokens_per_second), "");
      if (time->days) figure("whole run", "time.days", *time->days, days_text(*time->days), "");
    }
  }

 private:
  void figure(std::string_view name, std::string_view path, double value, std::string_view shown, std::string_view note,
              bool alarm = false) {
    const auto item = out_.open("div", alarm ? Attributes{{"class", "alarm"}} : Attributes{});
    out_.element("dt", name);
    const auto body = out_.open("dd");
    const std::size_t unit = shown.rfind(' ');
    {
      const auto number = out_.open("span", drawn(path, value, {{"class", "big"}}));
      out_.text(shown.substr(0, unit));
      if (unit != std::string_view::npos) out_.element("small", shown.substr(unit));
    }
    if (!note.empty()) out_.element("span", {{"class", "note"}}, note);
  }

  const Page& page_;
  Markup& out_;
};

void findings_of(const Page& page, const CheckResult& result, std::string_view working_folder) {
  const std::vector<const Finding*> said = findings_about(result, page.report);
  if (said.empty()) return;
  page.section("findings", "Findings", [&] {
    const auto list = page.out.open("ul");
    for (const Finding* finding : said) {
      const auto item = page.out.open("li", {{"class", std::string(name(finding->severity))}});
      page.out.element("b", finding->severity == Severity::Info ? "advice" : name(finding->severity));
      page.out.text(" " + with_commas(finding->message) + " ");
      if (!finding->effect.empty()) page.out.element("span", {{"class", "effect"}}, with_commas(finding->effect));
      if (finding->place) page.out.element("code", place_line(finding->place, working_folder, true));
    }
  });
}

void fields_table(const Page& page, std::string_view working_folder) {
  const auto details = page.out.open("details");
  page.out.element("summary", "Every value, and where it comes from");
  const auto frame = page.out.open("div", {{"class", "scroll"}});
  const auto table = page.out.open("table", {{"class", "fields"}});
  {
    const auto head = page.out.open("tr");
    for (const char* title : {"field", "value", "where it comes from"}) page.out.element("th", {{"scope", "col"}}, title);
  }
  for (const FieldReport& field : page.report.fields) {
    if (is_unknown(field)) continue;
    const auto row = page.out.open("tr");
    page.out.element("th", {{"scope", "row"}}, field.name);
    const std::string shown = field_text(field), path = fmt::format("fields.{}.value", field.name);
    const Value value = field.value.value_or(Null{});
    if (const i64* whole = value.integer())
      page.out.element("td", drawn(path, static_cast<double>(*whole)), shown);
    else if (const double* real = value.real())
      page.out.element("td", drawn(path, *real), shown);
    else if (const std::string* text = value.text())
      page.out.element("td", drawn(path, *text), shown);
    else
      page.out.element("td", shown);
    const std::string place = field.place ? place_line(field.place, working_folder, false) : "";
    page.out.element("td", with_commas(field.origin == "written" && !field.chain.empty() ? field.chain[0].first : field.origin) +
                               (place.empty() ? "" : "   " + place));
  }
}

// What is not drawn, and what would have to be said for it; drawings that wait for the same stand together.
void gaps(const Page& page) {
  std::vector<std::pair<std::string, std::vector<std::string>>> told;
  for (const auto& [what, missing] : page.gaps) {
    std::vector<std::string> names;
    for (const Field field : missing)
      if (std::string name(fields()[slot(field)].name); std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    const auto same = std::find_if(told.begin(), told.end(), [&](const auto& other) { return other.second == names; });
    if (same == told.end())
      told.emplace_back(what, names);
    else
      same->first += ", " + what;
  }
  if (told.empty()) return;
  page.section("gaps", "What is not drawn", [&] {
    for (const auto& [what, names] : told) {
      const auto line = page.out.open("p", {{"class", "needs"}});
      page.out.element("b", what);
      if (names.empty()) {
        page.out.text(": the values do not come out.");
        continue;
      }
      page.out.text(": nobody says ");
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (i) page.out.text(i + 1 == names.size() ? " and " : ", ");
        page.out.element("code", names[i]);
      }
      page.out.text(".");
    }
    const auto line = page.out.open("p", {{"class", "aside"}});
    page.out.text("What no file says an option gives: ");
    page.out.element("code", "--set layers=80");
  });
}

void plan_section(const Page& page, const CheckResult& result, std::string_view working_folder) {
  const std::string name = fmt::format("plan-{}", page.index + 1);
  const auto article =
      page.out.open("article", {{"id", name}, {"data-plan", fmt::format("{}", page.index)}, {"aria-labelledby", name + "-title"}});
  const PlanReport& report = page.report;
  {
    const auto head = page.out.open("header");
    page.out.element("p", {{"class", "kicker"}}, report.title + (report.version.empty() ? "" : " " + report.version));
    page.out.element("h2", {{"id", name + "-title"}},
                     shown(report.file, working_folder) + (report.name == "default" ? "" : ", " + report.name));
    const auto split = page.out.open("p", {{"class", "split"}});
    const auto degree = [&](std::string_view label, const PlanField<i64>& field) {
      page.out.raw(" <span class=\"degree\">");
      page.out.text(std::string(label) + " ");
      if (field)
        page.number(fmt::format("fields.{}.value", fields()[slot(field.field)].name), static_cast<double>(*field));
      else
        page.out.text("?");
      page.out.raw("</span>");
    };
    if (page.plan.world_size) {
      page.number("fields.world_size.value", static_cast<double>(*page.plan.world_size));
      page.out.text(*page.plan.world_size == 1 ? " GPU " : " GPUs ");
      if (page.plan.gpu) {
        page.out.text("(");
        page.word("fields.gpu.value", *page.plan.gpu);
        page.out.text(") ");
      }
      page.out.text("=");
    }
    degree("TP", page.plan.tp), degree("× PP", page.plan.pp), degree("× CP", page.plan.cp), degree("× DP", page.plan.dp);
    if (page.plan.ep.value_or(1) > 1) page.out.text(","), degree("experts over EP", page.plan.ep);
    if (page.plan.num_microbatches) {
      page.out.text(",");
      page.out.raw(" <span class=\"degree\">");
      page.number("fields.num_microbatches.value", static_cast<double>(*page.plan.num_microbatches));
      page.out.text(*page.plan.num_microbatches == 1 ? " micro-batch" : " micro-batches");
      page.out.raw("</span>");
    }
  }
  KeyFigures(page).write();
  findings_of(page, result, working_folder);
  draw_servers(page);
  draw_stages(page);
  draw_memory(page);
  draw_timeline(page);
  draw_network(page);
  draw_time(page);
  gaps(page);
  page.section("values", "Values", [&] { fields_table(page, working_folder); });
}

}  // namespace

std::string plan_html(const CheckResult& result, std::string_view working_folder) {
  Markup out;
  const std::string first = result.plans.empty() ? "no plan" : std::string(shown(result.plans[0].file, working_folder));
  const std::string title = result.plans.size() == 1 ? first : fmt::format("{} and {} more plans", first, result.plans.size() - 1);
  out.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  out.raw(
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n");
  // An icon of its own, so that no browser asks a server for one.
  out.raw("<link rel=\"icon\" href=\"data:,\">\n");
  out.element("title", title + " - shardlint plan");
  out.raw("<style>\n");
  out.raw(plan_css());
  out.raw("</style>\n</head>\n<body>\n");
  {
    const auto main = out.open("main");
    if (result.plans.size() > 1) {
      const auto nav = out.open("nav", {{"aria-label", "plans"}});
      for (std::size_t i = 0; i < result.plans.size(); ++i)
        out.element("a", {{"href", fmt::format("#plan-{}", i + 1)}},
                    result.plans[i].name == "default" ? std::string(shown(result.plans[i].file, working_folder)) : result.plans[i].name);
    }
    const Plan nothing;
    for (std::size_t i = 0; i < result.plans.size(); ++i)
      plan_section({out, result.plans[i], result.plans[i].plan ? *result.plans[i].plan : nothing, i}, result, working_folder);
    out.element("footer", fmt::format("shardlint {}. Decimal units; link rates one way. Times assume the stated share of the peak.",
                                      SHARDLINT_VERSION));
  }
  out.raw("<script>\n");
  out.raw(plan_js());
  out.raw("</script>\n</body>\n</html>\n");
  return out.take();
}

}  // namespace shardlint
