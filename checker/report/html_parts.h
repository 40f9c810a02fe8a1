// The drawings of the HTML report, one function each. Private to report/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/plan/plan.h"
#include "checker/report/markup.h"
#include "checker/report/result.h"

namespace shardlint {

// What one section draws on: a plan whose fields are known or not.
struct Page {
  Markup& out;
  const PlanReport& report;
  const Plan& plan;
  std::size_t index = 0;  // of the plan in the report

  // A heading and everything below it. The id is the title's, made unique by the plan.
  void section(std::string_view id, std::string_view title, const std::function<void()>& body) const;
  // A number of the plan within a sentence.
  void number(std::string_view path, double value, std::string_view shown) const { out.element("span", drawn(path, value), shown); }
  void number(std::string_view path, double value) const;  // with separators of thousands
  void word(std::string_view path, std::string_view shown) const { out.element("span", drawn(path, shown), shown); }
  // A drawing that is missing, and the fields that would give it: said together at the end.
  void needs(std::string_view what, const std::vector<Field>& missing) const { gaps.emplace_back(what, missing); }
  mutable std::vector<std::pair<std::string, std::vector<Field>>> gaps = {};
};

void draw_servers(const Page& page);
void draw_stages(const Page& page);
void draw_memory(const Page& page);
void draw_timeline(const Page& page);
void draw_network(const Page& page);
void draw_time(const Page& page);

// One entry of a legend: a swatch of that class and what it stands for.
struct LegendEntry {
  std::string kind, text;
};
void legend(Markup& out, const std::vector<LegendEntry>& entries);

// An opened <svg> with its name for those who do not see it.
Markup::Element picture(Markup& out, std::string_view name, double width, double height, Attributes more = {});

// "1" of one, "1 to 3" of neighbours.
std::string numbers_text(std::size_t first, std::size_t last);
// Rows that are shown of `count`: all, or the first and the last few with a gap (nullopt) between.
std::vector<std::optional<std::size_t>> shown_rows(std::size_t count, std::size_t most);

// The files below checker/report/ that stand in the binary.
std::string_view plan_css();
std::string_view plan_js();

}  // namespace shardlint
