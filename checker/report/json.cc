#include "checker/report/json.h"

#include <algorithm>

#include "checker/report/json_parts.h"
#include "checker/report/statistics.h"

namespace shardlint {

namespace {

void finding(JsonParts& parts, const Finding& finding) {
  llvm::json::OStream& json = parts.json();
  json.object([&] {
    parts.text("rule", finding.rule);
    parts.text("family", finding.family);
    parts.text("severity", name(finding.severity));
    parts.text("message", without_separators(finding.message));
    parts.text("effect", without_separators(finding.effect));
    parts.place(finding.place);
    parts.text("plan", finding.plan);
    json.attributeObject("values", [&] {
      for (const auto& [field, value] : finding.values) parts.value(field, value);
    });
    parts.list("notes", finding.notes, [&](const Note& note) {
      json.object([&] {
        parts.text("message", without_separators(note.message));
        parts.place(note.place);
      });
    });
    parts.list("fixes", finding.fixes, [&](const Fix& fix) {
      json.object([&] {
        parts.text("title", without_separators(fix.title));
        parts.text("safety", name(fix.safety));
        parts.list("edits", fix.edits, [&](const Edit& edit) {
          json.object([&] {
            parts.place({edit.source, edit.range});
            parts.text("text", edit.text);
          });
        });
      });
    });
  });
}

void plan(JsonParts& parts, const PlanReport& plan) {
  parts.json().object([&] {
    parts.file(plan.file);
    parts.text("name", plan.name);
    parts.text("framework", plan.framework);
    parts.text("framework_version", plan.version);
    parts.json().attributeObject("fields", [&] {
      for (const FieldReport& field : plan.fields) parts.value(field.name, field.value.value_or(Null{}));
    });
  });
}

}  // namespace

std::string json_report(const CheckResult& result, std::string_view working_folder, bool statistics) {
  const auto count = [&](Severity severity) {
    return std::count_if(result.findings.begin(), result.findings.end(), [&](const Finding& f) { return f.severity == severity; });
  };
  std::string out;
  JsonParts parts(out, working_folder);
  llvm::json::OStream& json = parts.json();
  json.object([&] {
    json.attribute("version", SHARDLINT_VERSION);
    parts.list("findings", result.findings, [&](const Finding& f) { finding(parts, f); });
    parts.list("not_evaluated", result.not_evaluated, [&](const NotEvaluatedReport& entry) {
      json.object([&] {
        parts.text("rule", entry.rule);
        parts.file(entry.file);
        parts.list("because", entry.because, [&](const std::string& field) { parts.item(field); });
      });
    });
    parts.list("plans", result.plans, [&](const PlanReport& p) { plan(parts, p); });
    if (statistics)
      parts.list("statistics", rule_counts(result.findings), [&](const RuleCount& rule) {
        json.object([&] {
          parts.text("rule", rule.rule);
          parts.text("severity", name(rule.severity));
          json.attribute("count", static_cast<i64>(rule.count));
          json.attribute("fixable", static_cast<i64>(rule.fixable));
        });
      });
    json.attributeObject("summary", [&] {
      json.attribute("files", static_cast<i64>(result.files));
      json.attribute("errors", count(Severity::Error));
      json.attribute("warnings", count(Severity::Warning));
      json.attribute("infos", count(Severity::Info));
      json.attribute("suppressed", static_cast<i64>(result.suppressed));
      json.attribute("baselined", static_cast<i64>(result.baselined));
      json.attribute("not_evaluated", static_cast<i64>(result.not_evaluated.size()));
    });
  });
  return out + "\n";
}

}  // namespace shardlint
