#include "checker/report/plan.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "checker/plan/memory.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/placement.h"
#include "checker/plan/time.h"
#include "checker/report/axes.h"
#include "checker/report/excerpt.h"
#include "checker/report/fields.h"
#include "checker/report/json_parts.h"
#include "checker/report/paint.h"
#include "checker/report/table.h"
#include "checker/report/units.h"

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

class PlanText {
 public:
  PlanText(const CheckResult& result, const PlanReport& plan, const TextStyle& style, std::string& out)
      : result_(result), plan_(plan), style_(style), paint_(style.color), out_(out) {}

  void write(std::optional<i64> rank) {
    out_ += paint_.bold(plan_line(plan_, style_.working_folder)) + "\n";
    findings();
    if (rank && plan_.plan) out_ += rank_text(*plan_.plan, *rank, paint_);
    std::string_view title;
    std::vector<Row> rows;
    for (const FieldReport& field : plan_.fields) {
      if (is_unknown(field)) continue;
      if (const std::string_view group = group_of(field.name); group != title) write_group(title, rows), title = group;
      rows.push_back(row_of(field));
    }
    write_group(title, rows);
    if (plan_.plan) accounts(*plan_.plan);
    for (const FieldReport& field : plan_.fields)
      if (is_unknown(field)) rows.push_back({field.name, "", printable(field.origin.empty() ? "not stated" : field.origin), ""});
    write_group("unknown", rows);
  }

 private:
  struct Row {
    std::string name, value;
    std::string said, place;  // how it came about, and where it is written
  };

  // What `check` says at length.
  void findings() {
    const std::vector<const Finding*> found = findings_about(result_, plan_);
    if (!found.empty()) out_ += "\n" + paint_.bold("findings") + "\n";
    for (const Finding* finding : found) {
      const std::string level(finding->severity == Severity::Info ? "advice" : name(finding->severity));
      out_ += fmt::format("  {}  ", finding->severity == Severity::Error ? paint_.red(padded(level, 7)) : padded(level, 7));
      write_wrapped(printable(with_commas(finding->message)), 11, false);
      out_ += fmt::format("\n{}{}\n", spaces(11), paint_.faint(finding->rule));
    }
  }

  static std::string_view group_of(std::string_view name) {
    const std::optional<Field> field = field_named(name);
    std::string_view title = "other";
    for (const Group& group : kGroups)
      if (field && *field >= group.first) title = group.title;
    return title;
  }

  // Where it is written, as it is spelled there; else how it came about.
  Row row_of(const FieldReport& field) const {
    const bool here = field.place && (field.origin == "written" || field.origin == "setting" || field.origin.starts_with("changed by"));
    Row row{field.name, field_text(field), printable(with_commas(field.origin)), ""};
    if (!here) return row;
    row.place = place_line(field.place, style_.working_folder, false);
    if (field.origin == "written") row.said = field.chain.empty() ? "" : printable(with_commas(field.chain[0].first));
    return row;
  }

  // Each group has its own columns; what is too long for the terminal goes on below where it began.
  void write_group(std::string_view title, std::vector<Row>& rows) {
    if (rows.empty()) return;
    std::size_t name = 0, value = 0;
    for (const Row& row : rows)
      name = std::max(name, columns(row.name)), value = std::max(value, std::min<std::size_t>(24, columns(row.value)));
    out_ += "\n" + paint_.bold(title) + "\n";
    for (const Row& row : rows) {
      std::string line = fmt::format("  {}  ", padded(row.name, name));
      if (value) line += padded(row.value, value) + "  ";
      const std::size_t indent = columns(line);
      out_ += line;
      std::size_t used = indent;
      if (!row.said.empty()) used = write_wrapped(row.said, indent, row.place.empty());
      if (!row.place.empty()) {
        if (const bool beside = row.said.empty() || used + 3 + columns(row.place) <= style_.width; !beside)
          out_ += "\n" + spaces(indent);
        else if (!row.said.empty())
          out_ += "   ";
        out_ += paint_.blue(row.place);
      }
      out_ += "\n";
    }
    rows.clear();
  }

  // Breaks between words; returns the column behind the last of them.
  std::size_t write_wrapped(std::string_view text, std::size_t indent, bool faint) {
    const std::size_t room = style_.width > indent + 20 ? style_.width - indent : 20;
    std::size_t width = 0;
    for (;;) {
      std::size_t end = text.size();
      if (columns(text) > room) {
        const std::size_t space = text.rfind(' ', room);
        end = space == std::string_view::npos || space == 0 ? std::min(text.find(' ', 1), text.size()) : space;
      }
      const std::string_view part = text.substr(0, end);
      out_ += faint ? paint_.faint(part) : std::string(part);
      width = indent + columns(part);
      if (end == text.size()) return width;
      text.remove_prefix(end + 1);
      out_ += "\n" + spaces(indent);
    }
  }

  void accounts(const Plan& plan) {
    if (const auto found = memory(plan)) memory_table(plan, *found);
    if (const auto share = bubble_share(plan); share && plan.pp.value_or(1) > 1)
      out_ += fmt::format("\n{}\n  bubble  {:.1f} % of every step\n", paint_.bold("pipeline"), 100 * *share);
    if (const auto wires = traffic(plan); wires && !wires->empty()) {
      out_ += fmt::format("\n{}\n", paint_.bold("network, one GPU and step"));
      for (const Traffic& wire : *wires) {
        out_ += fmt::format("  {:<4} {:>7}  {:<7} {:>8}  ", wire.axis, bytes_text(wire.bytes), link_text(wire.link),
                            wire.gb_s > 0 ? seconds_text(wire.seconds()) : "");
        write_wrapped(wire.carries + (wire.hidden ? ", overlapped" : ""), 34, false);
        out_ += "\n";
      }
    }
    out_ += axes_text(axis_shares(plan), paint_);
    if (const auto time = step_time(plan)) {
      out_ += fmt::format("\n{}\n  step    {} to {}, {} at {:.0f} % MFU\n", paint_.bold("time"), seconds_text(time->seconds.low),
                          seconds_text(time->seconds.high), seconds_text(time->seconds.expected), 100 * time->mfu);
      if (time->hardware_flops > time->model_flops)
        out_ += fmt::format("  HFU     {:.1f} %: {:.3g} FLOPs a step, {:.3g} of them recomputed\n", 100 * time->hfu, time->hardware_flops,
                            time->hardware_flops - time->model_flops);
      out_ += fmt::format("  tokens  {} a second\n", with_commas(grouped(static_cast<i64>(time->tokens_per_second))));
      if (time->days) out_ += fmt::format("  run     {:.3g} days\n", *time->days);
    }
  }

  // The parts of a memory bar: told apart by their shade, and by their colour where there is one.
  static constexpr std::tuple<std::string_view, std::string_view, std::string_view> kKinds[] = {
      {"█", "34", "weights"}, {"▓", "36", "gradients"}, {"▒", "35", "optimizer"}, {"░", "33", "activations"}, {"·", "2", "working"}};

  std::string memory_bar(const StageMemory& stage, double most) const {
    constexpr double kWide = 60;
    const double parts[] = {stage.state.weights, stage.state.gradients, stage.state.master + stage.state.moments,
                            stage.activations.expected, stage.working.expected};
    std::string out;
    double so_far = 0;
    long drawn = 0;
    for (std::size_t i = 0; i < std::size(parts); ++i) {
      so_far += parts[i];
      std::string part;
      for (const long end = std::lround(so_far / most * kWide); drawn < end; ++drawn) part += std::get<0>(kKinds[i]);
      out += paint_.in(std::get<1>(kKinds[i]), part);
    }
    return out + spaces(static_cast<std::size_t>(60 - std::min(drawn, 60L))) + "|";
  }

  void memory_table(const Plan& plan, const Memory& found) {
    out_ += fmt::format("\n{}\n", paint_.bold("memory of one GPU"));
    Table table;
    for (const char* title : {"stage", "params", "weights", "grads", "optimizer", "activations", "total", "low", "high"})
      table.column(title, title == std::string_view("stage") ? Table::Side::Left : Table::Side::Right);
    std::string bars;
    const auto card = card_bytes(plan);
    double most = card.value_or(0);
    for (const StageMemory& stage : found.stages) most = std::max(most, stage.total().expected);
    for (std::size_t i = 0; i < found.stages.size();) {
      const StageMemory& stage = found.stages[i];
      std::size_t end = i + 1;
      while (end < found.stages.size() && bytes_text(found.stages[end].total().high) == bytes_text(stage.total().high) &&
             found.stages[end].parameters == stage.parameters)
        ++end;
      const std::string name = end == i + 1 ? fmt::format("{}", i + 1) : fmt::format("{} to {}", i + 1, end);
      const Estimate total = stage.total();
      table.row({name, count_text(stage.parameters), bytes_text(stage.state.weights), bytes_text(stage.state.gradients),
                 bytes_text(stage.state.master + stage.state.moments), bytes_text(stage.activations.expected), bytes_text(total.expected),
                 bytes_text(total.low), bytes_text(total.high)});
      bars += fmt::format("  {} {}\n", padded(name, 9), memory_bar(stage, most));
      i = end;
    }
    out_ += table.text(paint_) + "\n" + bars;
    std::string key;
    for (const auto& [glyph, color, kind] : kKinds) key += fmt::format("{} {}  ", paint_.in(color, glyph), kind);
    out_ += fmt::format("  {}{}\n", key, card ? fmt::format("of {}", bytes_text(*card)) : "");
    out_ += fmt::format("  {:.4g} B parameters, checkpoint {}", found.parameters / 1e9, bytes_text(found.checkpoint));
    if (plan.gpu_memory_gib) out_ += fmt::format("; one GPU has {:.0f} GiB", *plan.gpu_memory_gib);
    if (card)
      out_ += fmt::format(", and {} of state and activations need {} at least", bytes_text(found.together),
                          with_commas(plural(fewest_gpus(found.together, *card), "GPU")));
    std::string without;
    for (const std::string& what : found.unmodelled) without += (without.empty() ? "" : ", ") + what;
    out_ += fmt::format("\n  {}\n", paint_.faint("without " + without));
  }

  const CheckResult& result_;
  const PlanReport& plan_;
  const TextStyle& style_;
  Paint paint_;
  std::string& out_;
};

}  // namespace

namespace {

void range_json(llvm::json::OStream& json, std::string_view key, const Estimate& range) {
  json.attributeObject(key, [&] {
    json.attribute("low", range.low);
    json.attribute("expected", range.expected);
    json.attribute("high", range.high);
  });
}

void memory_json(JsonParts& parts, const Plan& plan, const Memory& found) {
  llvm::json::OStream& json = parts.json();
  json.attributeObject("memory", [&] {
    json.attribute("parameters", found.parameters);
    json.attribute("checkpoint_bytes", found.checkpoint);
    if (const auto card = card_bytes(plan)) json.attribute("card_bytes", *card);
    json.attribute("fullest_stage", static_cast<i64>(found.fullest));
    json.attribute("state_and_activations_bytes", found.together);
    parts.list("stages", found.stages, [&](const StageMemory& stage) {
      json.object([&] {
        json.attribute("parameters", stage.parameters);
        json.attribute("weights_bytes", stage.state.weights);
        json.attribute("gradients_bytes", stage.state.gradients);
        json.attribute("optimizer_bytes", stage.state.master + stage.state.moments);
        json.attribute("weights_and_optimizer_bytes", stage.state.total());
        json.attribute("activation_bytes", stage.activations.expected);
        range_json(json, "activations", stage.activations);
        range_json(json, "working", stage.working);
        range_json(json, "total", stage.total());
        if (stage.host > 0) json.attribute("host_bytes", stage.host);
      });
    });
    parts.list("not_modelled", found.unmodelled, [&](const std::string& what) { parts.item(what); });
  });
}

void pipeline_json(JsonParts& parts, const Plan& plan, double bubble) {
  llvm::json::OStream& json = parts.json();
  json.attributeObject("pipeline", [&] {
    json.attribute("bubble_share", bubble);
    const auto found = timeline(plan);
    if (!found || found->size() < 2) return;
    parts.list("timeline", *found, [&](const std::vector<Work>& stage) {
      json.array([&] {
        for (const Work& work : stage)
          json.object([&] {
            json.attribute("pass", work.kind == Work::Kind::Forward ? "forward" : "backward");
            json.attribute("micro_batch", work.micro_batch + 1);
            json.attribute("chunk", work.chunk);
            json.attribute("begin", work.begin);
            json.attribute("end", work.end);
          });
      });
    });
  });
}

void placement_json(JsonParts& parts, const Plan& plan) {
  llvm::json::OStream& json = parts.json();
  if (const auto replica = first_replica(plan))
    json.attributeObject("replica", [&] {
      std::size_t gpus = 0;
      for (const std::vector<i64>& stage : *replica) gpus += stage.size();
      json.attribute("gpus", static_cast<i64>(gpus));
      parts.list("ranks_by_stage", *replica, [&](const std::vector<i64>& stage) {
        json.array([&] {
          for (const i64 rank : stage) json.value(rank);
        });
      });
    });
  parts.list("groups", groups(plan), [&](const RankGroup& group) {
    json.object([&] {
      parts.text("axis", group.axis);
      json.attribute("ranks", group.ranks);
      json.attribute("stride", group.stride);
      if (group.domains) json.attribute("domains", *group.domains);
      parts.text("link", link_text(group.link));
      if (group.gb_s > 0) json.attribute("gb_s", group.gb_s);
    });
  });
  const auto model = model_weights(plan);
  const auto held = model ? stages(plan, model->layers()) : std::nullopt;
  if (!held) return;
  parts.list("stages", *held, [&](const Stage& stage) {
    json.object([&] {
      json.attribute("layers", static_cast<i64>(stage.layers.size()));
      json.attribute("embedding", stage.embedding);
      json.attribute("output", stage.output);
      json.attributeArray("which", [&] {
        for (const std::size_t layer : stage.layers) json.value(static_cast<i64>(layer + 1));
      });
    });
  });
}

void accounts_json(JsonParts& parts, const Plan& plan) {
  llvm::json::OStream& json = parts.json();
  placement_json(parts, plan);
  if (const auto found = memory(plan)) memory_json(parts, plan, *found);
  if (const auto bubble = bubble_share(plan)) pipeline_json(parts, plan, *bubble);
  if (const auto found = traffic(plan))
    parts.list("network", *found, [&](const Traffic& wire) {
      json.object([&] {
        parts.text("axis", wire.axis);
        parts.text("carries", wire.carries);
        json.attribute("ranks", wire.group);
        json.attribute("bytes", wire.bytes);
        if (wire.each > 0) json.attribute("bytes_per_micro_batch", wire.each);
        parts.text("link", link_text(wire.link));
        if (wire.gb_s > 0) json.attribute("gb_s", wire.gb_s);
        if (wire.gb_s > 0) json.attribute("seconds", wire.seconds());
        json.attribute("overlapped", wire.hidden);
      });
    });
  axes_json(parts, axis_shares(plan));
  if (const auto time = step_time(plan))
    json.attributeObject("time", [&] {
      json.attribute("model_flops_per_step", time->model_flops);
      json.attribute("hardware_flops_per_step", time->hardware_flops);
      json.attribute("mfu", time->mfu);
      json.attribute("hfu", time->hfu);
      range_json(json, "step_seconds", time->seconds);
      json.attribute("tokens_per_second", time->tokens_per_second);
      if (time->days) json.attribute("days", *time->days);
    });
}

}  // namespace

std::string plan_text(const CheckResult& result, const TextStyle& style, std::optional<i64> rank) {
  std::string out;
  for (const PlanReport& plan : result.plans) {
    if (!out.empty()) out += "\n";
    PlanText(result, plan, style, out).write(rank);
  }
  return out;
}

std::string plan_json(const CheckResult& result, std::string_view working_folder, std::optional<i64> rank) {
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
        if (plan.plan && rank) rank_json(parts, *plan.plan, *rank);
        if (plan.plan) accounts_json(parts, *plan.plan);
        parts.list("findings", findings_about(result, plan), [&](const Finding* finding) {
          json.object([&] {
            parts.text("severity", name(finding->severity));
            parts.text("rule", finding->rule);
            parts.text("message", without_separators(finding->message));
          });
        });
      });
    });
  });
  return out + "\n";
}

}  // namespace shardlint
