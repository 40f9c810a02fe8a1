// `rules` and `schemas`: what shardlint knows.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/engine/previews.h"
#include "checker/engine/rule_page.h"
#include "checker/engine/settings.h"
#include "checker/report/json_parts.h"
#include "checker/report/paint.h"

namespace shardlint {

namespace {

constexpr std::string_view kPreviewMark = " (preview)";

std::vector<const Clause*> constraints(const Schema& schema) {
  std::vector<const Clause*> out;
  for (const Clause& clause : schema.law)
    if (!clause.silent && !clause.inherited) out.push_back(&clause);
  return out;
}

std::string_view name_of(Format format) {
  return format == Format::Toml ? "toml" : format == Format::Yaml ? "yaml" : format == Format::Cpp ? "c++" : "json";
}

std::string rules_json(const std::vector<std::shared_ptr<const OwnLaw>>& laws) {
  std::string out;
  JsonParts parts(out, "");
  llvm::json::OStream& json = parts.json();
  json.object([&] {
    json.attribute("version", SHARDLINT_VERSION);
    parts.list("rules", rule_infos(), [&](const RuleInfo* rule) {
      json.object([&] {
        parts.text("name", rule->name);
        parts.text("family", rule->family);
        parts.text("severity", name(rule->severity));
        parts.text("since", rule->since);
        parts.text("summary", rule->summary);
        json.attribute("preview", is_preview(rule->name));
      });
    });
    json.attributeArray("constraints", [&] {
      for (const auto& law : laws)
        for (const OwnLaw::Listed& own : law->listed())
          json.object([&] {
            parts.text("name", own.clause->name);
            parts.text("family", own.clause->family);
            parts.text("severity", name(own.clause->severity));
            json.attribute("framework", nullptr);
            parts.text("same_as", own.clause->same_as);
          });
      for (const Schema* schema : schemas())
        for (const Clause* clause : constraints(*schema))
          json.object([&] {
            parts.text("name", clause->name);
            parts.text("family", clause->family);
            parts.text("severity", name(clause->severity));
            parts.text("framework", schema->framework);
            parts.text("same_as", clause->same_as);
          });
    });
  });
  return out + "\n";
}

std::string schemas_json() {
  std::string out;
  JsonParts parts(out, "");
  llvm::json::OStream& json = parts.json();
  json.object([&] {
    json.attribute("version", SHARDLINT_VERSION);
    parts.list("schemas", schemas(), [&](const Schema* schema) {
      json.object([&] {
        parts.text("name", schema->name);
        parts.text("title", schema->title);
        parts.list("versions", schema->versions, [&](std::string_view version) { parts.item(version); });
        parts.list("formats", schema->formats, [&](Format format) { parts.item(name_of(format)); });
        parts.text("source", schema->source);
        json.attribute("keys", static_cast<i64>(schema->keys.size()));
        json.attribute("constraints", static_cast<i64>(constraints(*schema).size()));
      });
    });
  });
  return out + "\n";
}

}  // namespace

Outcome run_rules(const Options& options, const TextStyle& style) {
  Outcome out;
  if (options.format == OutputFormat::Json) {
    out.output = rules_json(own_laws(Disk(), options.check));
    return out;
  }
  const Paint paint(style.color);
  std::size_t width = 0;
  for (const RuleInfo* rule : rule_infos()) width = std::max(width, rule->name.size());
  for (const RuleInfo* rule : rule_infos())
    out.output += fmt::format("{}  {:<7}  {}{}\n", paint.bold(padded(rule->name, width)), name(rule->severity), rule->summary,
                              is_preview(rule->name) ? kPreviewMark : "");

  for (const auto& law : own_laws(Disk(), options.check)) {
    out.output += "\nconstraints of this project\n\n";
    for (const OwnLaw::Listed& own : law->listed()) {
      const std::string says = says_in_words(*own.schema, *own.clause);
      out.output += fmt::format("{}  {:<7}  {}{}\n", paint.bold(padded(own.clause->name, width)), name(own.clause->severity), says,
                                own.preview ? kPreviewMark : "");
    }
  }
  if (options.all) {
    for (const Schema* schema : schemas())
      for (const Clause* clause : constraints(*schema)) width = std::max(width, clause->name.size());
    for (const Schema* schema : schemas()) {
      if (constraints(*schema).empty()) continue;
      out.output += fmt::format("\nconstraints of {}\n\n", schema->title);
      for (const Clause* clause : constraints(*schema))
        out.output += fmt::format("{}  {:<7}  {}\n", paint.bold(padded(clause->name, width)), name(clause->severity), clause->family);
    }
    return out;
  }
  out.output += "\nconstraints of the frameworks, counted by severity (--all lists them)\n\n";
  for (const Schema* schema : schemas()) {
    std::map<Severity, std::size_t, std::greater<>> counts;
    for (const Clause* clause : constraints(*schema)) ++counts[clause->severity];
    if (counts.empty()) continue;
    std::string said;
    for (const auto& [severity, count] : counts) said += fmt::format("{}{} {}", said.empty() ? "" : ", ", count, name(severity));
    out.output += fmt::format("{}  {}\n", paint.bold(padded(schema->name, 16)), said);
  }
  return out;
}

Outcome run_schemas(const Options& options, const TextStyle& style) {
  Outcome out;
  if (options.format == OutputFormat::Json) {
    out.output = schemas_json();
    return out;
  }
  const Paint paint(style.color);
  out.output = paint.bold(fmt::format("{:<16}  {:<18}  {:<16}  {:<12}  {:>5}  {:>11}", "name", "framework", "versions", "formats", "keys",
                                      "constraints")) +
               "\n";
  for (const Schema* schema : schemas()) {
    std::string formats;
    for (Format format : schema->formats) formats += fmt::format("{}{}", formats.empty() ? "" : ", ", name_of(format));
    out.output +=
        fmt::format("{:<16}  {:<18}  {:<16}  {:<12}  {:>5}  {:>11}\n", schema->name, schema->title,
                    fmt::format("{}", fmt::join(schema->versions, ", ")), formats, schema->keys.size(), constraints(*schema).size());
  }
  return out;
}

}  // namespace shardlint
