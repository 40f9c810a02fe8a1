#include "checker/report/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/report/excerpt.h"
#include "checker/report/json_parts.h"
#include "checker/report/paint.h"

namespace shardlint {

namespace {

// The groups of fields.def, each by its first field.
struct Group {
  std::string_view title;
  Field first;
};
constexpr Group kGroups[] = {{"cluster", Field::nodes},     {"split", Field::tp},           {"sharding", Field::distributed_optimizer},
                             {"batch", Field::micro_batch}, {"schedule", Field::schedule},  {"overlap", Field::overlap_grad_reduce},
                             {"model", Field::layers},      {"experts", Field::experts},    {"memory", Field::recompute_granularity},
                             {"run", Field::train_iters},   {"processes", Field::processes}};

// A field without a value is null ("no experts"), which somebody or some default says, or nobody knows it.
bool is_unknown(const FieldReport& field) {
  return !field.value && (field.origin.empty() || field.origin == "not stated" || field.origin.starts_with("needs "));
}

std::string value_text(const FieldReport& field) {
  if (!field.value) return "none";
  return field.value->integer() ? with_commas(grouped(*field.value->integer())) : printable(to_string(*field.value));
}

class PlanText {
 public:
  PlanText(const PlanReport& plan, const TextStyle& style, std::string& out) : plan_(plan), style_(style), paint_(style.color), out_(out) {
    for (const FieldReport& field : plan.fields) {
      name_width_ = std::max(name_width_, field.name.size());
      if (!is_unknown(field)) value_width_ = std::max(value_width_, std::min<std::size_t>(24, columns(value_text(field))));
    }
  }

  void write() {
    out_ += paint_.bold(plan_line(plan_, style_.working_folder)) + "\n";
    std::string_view title;
    for (const FieldReport& field : plan_.fields) {
      if (const std::string_view group = group_of(field.name); !is_unknown(field)) {
        if (group != title) out_ += "\n" + paint_.bold(title = group) + "\n";
        row(field.name, value_text(field), origin(field));
      }
    }
    title = {};
    for (const FieldReport& field : plan_.fields) {
      if (!is_unknown(field)) continue;
      if (title.empty()) out_ += "\n" + paint_.bold(title = "unknown") + "\n";
      out_ += fmt::format("  {}  {}\n", padded(field.name, name_width_), printable(field.origin.empty() ? "not stated" : field.origin));
    }
  }

 private:
  static std::string_view group_of(std::string_view name) {
    const std::optional<Field> field = field_named(name);
    std::string_view title = "other";
    for (const Group& group : kGroups)
      if (field && *field >= group.first) title = group.title;
    return title;
  }

  void row(std::string_view name, std::string_view value, std::string_view origin) {
    out_ += fmt::format("  {}  {}  {}\n", padded(name, name_width_), padded(value, value_width_), origin);
  }

  // Where it is written, as it is spelled there; else how it came about.
  std::string origin(const FieldReport& field) const {
    const bool here = field.place && (field.origin == "written" || field.origin == "setting" || field.origin.starts_with("changed by"));
    if (!here) return paint_.faint(printable(with_commas(field.origin)));
    const std::string place = place_line(field.place, style_.working_folder, false);
    const std::string said = field.origin == "written" ? (field.chain.empty() ? "" : field.chain[0].first) : field.origin;
    return fmt::format("{}{}{}", printable(with_commas(said)), said.empty() ? "" : "   ", paint_.blue(place));
  }

  const PlanReport& plan_;
  const TextStyle& style_;
  Paint paint_;
  std::string& out_;
  std::size_t name_width_ = 0, value_width_ = 0;
};

}  // namespace

std::string plan_text(const CheckResult& result, const TextStyle& style) {
  std::string out;
  for (const PlanReport& plan : result.plans) {
    if (!out.empty()) out += "\n";
    PlanText(plan, style, out).write();
  }
  return out;
}

std::string plan_json(const CheckResult& result, std::string_view working_folder) {
  std::string out;
  JsonParts parts(out, working_folder);
  llvm::json::OStream& json = parts.json();
  const auto field = [&](const FieldReport& report) {
    json.attributeObject(JsonParts::utf8(report.name), [&] {
      parts.value("value", report.value.value_or(Null{}));
      parts.text("origin", without_separators(report.origin));
      parts.place(report.place);
      parts.list("chain", report.chain, [&](const std::pair<std::string, Place>& link) {
        json.object([&] {
          parts.text("message", without_separators(link.first));
          parts.place(link.second);
        });
      });
    });
  };
  json.object([&] {
    json.attribute("version", SHARDLINT_VERSION);
    parts.list("plans", result.plans, [&](const PlanReport& plan) {
      json.object([&] {
        parts.file(plan.file);
        parts.text("name", plan.name);
        parts.text("framework", plan.framework);
        parts.text("framework_version", plan.version);
        json.attributeObject("fields", [&] {
          for (const FieldReport& report : plan.fields) field(report);
        });
      });
    });
  });
  return out + "\n";
}

}  // namespace shardlint
