#include "checker/engine/own_law.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/engine/previews.h"
#include "checker/engine/rule_page.h"
#include "checker/engine/settings.h"

namespace shardlint {

namespace {

std::string at(const Place& place) { return fmt::format("{}:{}", place.source->path(), place.source->position(place.range.begin).line); }

std::string text_of(const Document& document, const Node& table, std::string_view key) {
  const Entry* entry = document.find(table, key);
  return entry && entry->value->value && entry->value->value->text() ? *entry->value->value->text() : "";
}

}  // namespace

void OwnLaw::add(DocumentPtr document, const Node& table, std::vector<std::string>& errors) {
  Own own;
  const std::string where = at(document->place(table.range));
  own.name = text_of(*document, table, "name");
  own.framework = text_of(*document, table, "framework");
  if (own.name.empty() || own.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
    errors.push_back(fmt::format("{}: a constraint has a name of small letters, digits and dashes that says what is flagged", where));
  if (std::any_of(constraints_.begin(), constraints_.end(), [&](const Own& other) { return other.name == own.name; }))
    errors.push_back(fmt::format("{}: the name {} stands twice", where, own.name));
  if (!own.framework.empty())
    if (const auto known = read_framework(own.framework); !known.value) errors.push_back(fmt::format("{}: {}", where, known.error));
  if (const Entry* preview = document->find(table, "preview")) {
    const bool* on = preview->value->value ? preview->value->value->boolean() : nullptr;
    if (!on) errors.push_back(fmt::format("{}: `preview` must be true or false", where));
    own.preview = on && *on;
  }
  own.constraint = {std::move(document), &table};
  constraints_.push_back(std::move(own));
}

void OwnLaw::add_file(const Files& files, const std::string& path, const std::string& named_at, std::vector<std::string>& errors) {
  Files::Read read = files.read(path);
  if (!read.text) {
    errors.push_back(fmt::format("{}: {}: {}", named_at, path, read.error));
    return;
  }
  const DocumentPtr document = read_document(std::make_shared<const Source>(path, std::move(*read.text)), Format::Toml);
  for (const Problem& problem : document->problems)
    errors.push_back(fmt::format("{}: {}", at(document->place(problem.range)), problem.message));
  if (!document->problems.empty() || document->roots.empty()) return;
  for (const Entry* entry : document->entries(*document->roots[0])) {
    if (entry->key != "constraint") {
      errors.push_back(fmt::format("{}: a file of constraints holds [[constraint]] tables alone", at(document->place(entry->key_range))));
      continue;
    }
    for (const Item& item : entry->value->items) add(document, *item.value, errors);
  }
}

const SchemaData* OwnLaw::extended(const Schema& schema, bool preview, std::vector<std::string>& errors) const {
  const std::lock_guard lock(mutex_);
  const auto [entry, fresh] = extended_.try_emplace({&schema, preview});
  if (!fresh) return entry->second.get();
  std::vector<OwnConstraint> holding;
  for (const Own& own : constraints_)
    if ((own.framework.empty() || own.framework == schema.framework) && (preview || !own.preview)) holding.push_back(own.constraint);
  if (!holding.empty()) entry->second = extend_schema(schema, owner_, holding, errors);
  return entry->second.get();
}

void OwnLaw::compile(std::vector<std::string>& errors) const {
  if (!errors.empty()) return;
  std::vector<const Schema*> needed{schema_named("plan")};
  for (const Own& own : constraints_)
    for (const Schema* schema : schemas())
      if (!own.framework.empty() && schema->framework == own.framework && std::find(needed.begin(), needed.end(), schema) == needed.end())
        needed.push_back(schema);
  for (const Schema* schema : needed)
    if (schema && errors.empty()) extended(*schema, true, errors);
}

const Schema* OwnLaw::over(const Schema& schema, bool preview) const {
  std::vector<std::string> errors;  // were reported when it was compiled
  const SchemaData* data = extended(schema, preview, errors);
  return data ? &data->schema : &schema;
}

std::vector<OwnLaw::Listed> OwnLaw::listed() const {
  std::vector<Listed> out;
  for (const Own& own : constraints_) {
    const Schema* schema = nullptr;
    for (const Schema* candidate : schemas())
      if (candidate->framework == (own.framework.empty() ? "plan" : own.framework)) schema = candidate;
    if (!schema) continue;
    const Schema* mine = over(*schema, true);
    for (const Clause& clause : mine->law)
      if (clause.name == fmt::format("{}/{}", owner_, own.name))
        out.push_back({&clause, mine, own.constraint.document->place(own.constraint.table->range), own.preview});
  }
  return out;
}

std::string OwnLaw::page(const Listed& constraint) const {
  const Clause& clause = *constraint.clause;
  std::string out = fmt::format("# {}\n\n{} in family {}, of this {}: {}.\n", clause.name, name(clause.severity), clause.family,
                                owner_ == "site" ? "site" : "project", at(constraint.place));
  if (constraint.preview) out += kPreviewSays;
  out += fmt::format("\n## What it says\n\n{}\n", says_in_words(*constraint.schema, clause));
  if (!clause.why.empty()) out += fmt::format("\n## Why it matters\n\n{}\n", clause.why);
  if (!clause.source.empty()) out += fmt::format("\n## Where it comes from\n\n{}\n", clause.source);
  return out;
}

}  // namespace shardlint
