// Derived numbers at the end of the line that decides them.
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/lsp/derived.h"
#include "checker/lsp/features.h"

namespace shardlint::lsp {

namespace {

constexpr std::size_t kPlans = 2;  // of which a line tells

// What is said where a field is written; the first of a row that has anything to say.
struct Row {
  std::string_view field;
  std::vector<std::optional<std::string> (*)(const Plan&)> says;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"world_size", {gpus, replicas}},
      {"nodes", {gpus, replicas}},
      {"pp", {layers_per_stage, bubble}},
      {"tp", {replicas}},
      {"global_batch", {micro_batches, tokens}},
      {"grad_accum", {micro_batches, tokens}},
      {"zero_stage", {state_per_gpu}},
      {"distributed_optimizer", {state_per_gpu}},
      {"fsdp", {state_per_gpu}},
      {"layers", {parameters}},
      {"recompute.granularity", {memory_per_gpu}},
  };
  return kRows;
}

}  // namespace

llvm::json::Value inlay_hints(const Request& request) {
  const Range wanted = request.range();
  std::map<std::uint32_t, std::vector<std::string>> by_line_end;
  for (const PlanOf& entry : plans_of(request.analyses())) {
    if (!entry.present || !entry.plan->plan) continue;
    std::set<std::string> said;
    for (const Row& row : rows()) {
      const auto field = std::find_if(entry.plan->fields.begin(), entry.plan->fields.end(),
                                      [&](const FieldReport& report) { return report.name == row.field; });
      if (field == entry.plan->fields.end() || !field->place || field->origin.starts_with("default")) continue;
      if (join(entry.analysis->root.folder, field->place.source->path()) != request.path) continue;
      if (field->place.source->text() != request.text->bytes) continue;
      const std::uint32_t at = field->place.range.begin;
      const mlir::lsp::Position line = request.text->lines.position(request.text->bytes, at, request.client->encoding);
      const Range whole = request.text->lines.line(request.text->bytes, static_cast<std::uint32_t>(line.line));
      if (whole.end < wanted.begin || whole.begin > wanted.end) continue;
      std::string text;
      for (const auto says : row.says)
        if (const std::optional<std::string> part = says(*entry.plan->plan); part && said.insert(*part).second)
          text += (text.empty() ? "" : " · ") + *part;
      if (text.empty()) continue;
      std::vector<std::string>& labels = by_line_end[whole.end];
      if (std::find(labels.begin(), labels.end(), text) == labels.end()) labels.push_back(std::move(text));
    }
  }
  llvm::json::Array out;
  // Several plans may rest on one line; a line on which many disagree says nothing of any.
  for (const auto& [end, labels] : by_line_end)
    if (labels.size() <= kPlans)
      out.push_back(
          llvm::json::Object{{"position", toJSON(request.text->lines.position(request.text->bytes, end, request.client->encoding))},
                             {"label", fmt::format("= {}", fmt::join(labels, " · "))},
                             {"paddingLeft", true}});
  return out;
}

}  // namespace shardlint::lsp
