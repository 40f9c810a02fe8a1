#include "checker/report/what_if.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/plan/memory.h"
#include "checker/report/excerpt.h"
#include "checker/report/json_parts.h"
#include "checker/report/table.h"
#include "checker/report/units.h"

namespace shardlint {

namespace {

std::string whole(const PlanField<i64>& field) { return field ? with_commas(grouped(*field)) : "?"; }

std::string_view fit_word(Costs::Fit fit) {
  switch (fit) {
    case Costs::Fit::Unknown: return "";
    case Costs::Fit::Fits: return "fits";
    case Costs::Fit::Tight: return "tight";
    case Costs::Fit::Over: return "does not fit";
  }
  return "";
}

void cost_columns(Table& table) {
  using Side = Table::Side;
  table.column("memory", Side::Right), table.column("", Side::Left), table.column("bubble", Side::Right),
      table.column("NVLink", Side::Right), table.column("network", Side::Right), table.column("step", Side::Right);
}
void add_costs(std::vector<std::string>& cells, const Costs& costs) {
  cells.push_back(costs.memory ? bytes_text(*costs.memory) : "?");
  cells.emplace_back(fit_word(costs.fit()));
  cells.push_back(costs.bubble ? percent_text(*costs.bubble) : "?");
  cells.push_back(costs.counted ? bytes_text(costs.nvlink) : "?");
  cells.push_back(costs.counted ? bytes_text(costs.network) : "?");
  cells.push_back(costs.seconds ? seconds_text(*costs.seconds) : "?");
}

std::string findings_text(const Variant& variant) {
  if (variant.errors + variant.warnings == 0) return "";
  const std::size_t more = variant.errors + variant.warnings - 1;
  return (variant.errors ? "error: " : "warning: ") + variant.rule + (more ? fmt::format(" and {} more", more) : "");
}

void variant_json(JsonParts& parts, const Variant& variant) {
  llvm::json::OStream& json = parts.json();
  const Plan& plan = *variant.plan;
  json.object([&] {
    json.attributeObject("set", [&] {
      for (const auto& [name, value] : variant.supposed) parts.value(name, value);
    });
    for (const PlanField<i64>* field : {&plan.world_size, &plan.tp, &plan.pp, &plan.cp, &plan.ep, &plan.dp, &plan.vpp, &plan.micro_batch,
                                        &plan.num_microbatches, &plan.global_batch})
      if (*field)
        json.attribute(fields()[slot(field->field)].name, **field);
      else
        json.attribute(fields()[slot(field->field)].name, nullptr);
    const Costs& costs = variant.costs;
    const auto number = [&](llvm::StringRef name, const std::optional<double>& value) {
      if (value)
        json.attribute(name, *value);
      else
        json.attribute(name, nullptr);
    };
    number("memory_bytes", costs.memory), number("card_bytes", costs.card);
    parts.text("fit", costs.fit() == Costs::Fit::Unknown ? "unknown" : fit_word(costs.fit()));
    number("bubble_share", costs.bubble);
    number("nvlink_bytes", costs.counted ? std::optional(costs.nvlink) : std::nullopt);
    number("network_bytes", costs.counted ? std::optional(costs.network) : std::nullopt);
    number("step_seconds", costs.seconds);
    json.attribute("errors", static_cast<i64>(variant.errors));
    json.attribute("warnings", static_cast<i64>(variant.warnings));
    if (!variant.rule.empty()) parts.text("rule", variant.rule), parts.text("message", variant.message);
  });
}

std::string more_line(std::size_t all, std::size_t most, const Paint& paint) {
  if (all <= most) return "";
  return paint.faint(fmt::format("  and {} more (--limit N, or all as JSON)", with_commas(grouped(static_cast<i64>(all - most))))) + "\n";
}

}  // namespace

std::string sweep_text(const std::vector<Swept>& plans, std::size_t most, const TextStyle& style) {
  const Paint paint(style.color);
  std::string out;
  for (const auto& [plan, variants] : plans) {
    out += (out.empty() ? "" : "\n") + paint.bold(plan_line(*plan, style.working_folder)) + "\n\n";
    if (variants.empty()) continue;
    Table table;
    for (const auto& [name, value] : variants[0].supposed) table.column(name, Table::Side::Right);
    table.column("DP", Table::Side::Right), table.column("batches", Table::Side::Right);
    cost_columns(table);
    table.column("findings", Table::Side::Left);
    for (std::size_t i = 0; i < std::min(most, variants.size()); ++i) {
      const Variant& variant = variants[i];
      std::vector<std::string> cells;
      for (const auto& [name, value] : variant.supposed) cells.push_back(printable(to_string(value)));
      cells.push_back(whole(variant.plan->dp)), cells.push_back(whole(variant.plan->num_microbatches));
      add_costs(cells, variant.costs);
      cells.push_back(findings_text(variant));
      table.row(std::move(cells), variant.errors > 0);
    }
    out += table.text(paint) + more_line(variants.size(), most, paint);
  }
  return out;
}

std::string sweep_json(const std::vector<Swept>& plans, std::string_view working_folder) {
  std::string out;
  JsonParts parts(out, working_folder);
  parts.json().object([&] {
    parts.json().attribute("version", SHARDLINT_VERSION);
    parts.list("plans", plans, [&](const Swept& swept) {
      parts.json().object([&] {
        parts.file(swept.plan->file);
        parts.text("name", swept.plan->name), parts.text("framework", swept.plan->framework);
        parts.list("variants", swept.variants, [&](const Variant& variant) { variant_json(parts, variant); });
      });
    });
  });
  return out + "\n";
}

std::string layouts_text(const Layouts& layouts, std::size_t most, const TextStyle& style) {
  const Paint paint(style.color);
  const Plan& base = layouts.base;
  const auto model = model_weights(base);
  std::string out = paint.bold(
      fmt::format("{} parameters on {} {} GPUs", model ? count_text(model->total()) : "?", whole(base.world_size), base.gpu.value_or("")));
  std::string assumed;
  for (const std::string& what : layouts.assumed) assumed += (assumed.empty() ? ", taking " : " and ") + with_commas(what);
  out += fmt::format("{}\n{} layouts tried, {} pass the law; {} splits fit\n\n", assumed,
                     with_commas(grouped(static_cast<i64>(layouts.tried))), with_commas(grouped(static_cast<i64>(layouts.lawful))),
                     with_commas(grouped(static_cast<i64>(layouts.found.size()))));
  if (layouts.found.empty()) return out + "No layout fits: more or larger GPUs, shorter sequences or a smaller batch are needed.\n";
  Table table;
  using Side = Table::Side;
  for (const char* title : {"TP", "PP", "CP", "EP", "DP", "VPP"}) table.column(title, Side::Right);
  table.column("batch", Side::Right), table.column("shards", Side::Left), table.column("recompute", Side::Left);
  cost_columns(table);
  for (std::size_t i = 0; i < std::min(most, layouts.found.size()); ++i) {
    const Variant& variant = layouts.found[i];
    const Plan& plan = *variant.plan;
    std::vector<std::string> cells;
    for (const PlanField<i64>* field : {&plan.tp, &plan.pp, &plan.cp, &plan.ep, &plan.dp, &plan.vpp}) cells.push_back(whole(*field));
    cells.push_back(whole(plan.num_microbatches) + " x " + whole(plan.micro_batch));
    cells.emplace_back(plan.fsdp.value_or(false) ? "weights" : "optimizer");
    cells.push_back(plan.recompute_granularity.value_or(""));
    add_costs(cells, variant.costs);
    table.row(std::move(cells));
  }
  std::string same = table.take_constant({"CP", "EP", "VPP", "recompute"});
  if (const std::string fit = table.take_constant({""}); !fit.empty()) same += fmt::format("{}memory{}", same.empty() ? "" : ", ", fit);
  out += table.text(paint) + more_line(layouts.found.size(), most, paint) + "\n";
  out += paint.faint(fmt::format("{}{}Batch: micro-batches x sequences. Bytes are one GPU's in one step.", same,
                                 same.empty() ? "" : " everywhere. ")) +
         "\n";
  out += paint.faint("A step: 60 % of the peak at the pace of the slowest stage, the bubble, and what communication is waited for.") + "\n";
  return out;
}

std::string layouts_json(const Layouts& layouts, std::size_t most) {
  std::string out;
  JsonParts parts(out, "");
  llvm::json::OStream& json = parts.json();
  json.object([&] {
    json.attribute("version", SHARDLINT_VERSION);
    json.attribute("tried", static_cast<i64>(layouts.tried));
    json.attribute("lawful", static_cast<i64>(layouts.lawful));
    json.attribute("fit", static_cast<i64>(layouts.found.size()));
    parts.list("assumed", layouts.assumed, [&](const std::string& what) { parts.item(without_separators(what)); });
    const std::vector<Variant> shown(layouts.found.begin(),
                                     layouts.found.begin() + static_cast<std::ptrdiff_t>(std::min(most, layouts.found.size())));
    parts.list("layouts", shown, [&](const Variant& variant) { variant_json(parts, variant); });
  });
  return out + "\n";
}

}  // namespace shardlint
