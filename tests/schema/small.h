// A schema written for a test: its files go to a folder of their own, and from there the way that every schema goes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/plan/law.h"
#include "checker/schema/load.h"
#include "tests/folder.h"
#include "tests/where.h"

namespace shardlint::test {

using NamedText = std::pair<std::string_view, std::string>;  // a file's name in the schema's folder, and what it holds

// `errors` have the folder taken off their places.
inline std::unique_ptr<SchemaData> load(const std::vector<NamedText>& files, std::vector<std::string>& errors) {
  const Folder folder;
  std::filesystem::copy_file(SHARDLINT_ROOT "/schemas/gpus.tsv", folder / "gpus.tsv");
  std::filesystem::create_directory(folder / "small");
  for (const auto& [name, text] : files) folder.write("small/" + std::string(name), text);
  auto data = load_schema(folder / "small", errors);
  for (std::string& error : errors)
    for (std::size_t at = error.find(folder.path()); at != error.npos; at = error.find(folder.path()))
      error.erase(at, folder.path().size() + std::string_view("/small/").size());
  return data;
}

inline std::unique_ptr<SchemaData> load(const std::vector<NamedText>& files) {
  std::vector<std::string> errors;
  auto data = load(files, errors);
  for (const std::string& error : errors) ADD_FAILURE() << error;
  return data;
}

// The run that a YAML text and settings of the cluster ("world_size=8") describe.
struct Judged {
  Job job;
  Judgement judgement;

  Judged(const Schema& schema, std::string_view yaml, const std::vector<std::pair<std::string, Value>>& settings = {}) {
    job.schema = &schema;
    job.form = &schema.forms[0];
    const DocumentPtr document = read_document(std::make_shared<Source>("run.yaml", std::string(yaml)), Format::Yaml);
    if (!document->roots.empty()) job.facts = facts_of(document, *document->roots[0], job.form->loader);
    for (const auto& [field, value] : settings) {
      Fact fact;
      fact.path = fact.spelled = field;
      fact.value = value;
      fact.way = Way::Setting;
      job.facts.push_back(std::move(fact));
    }
    judgement = judge(job);
  }

  Evaluation& evaluation() { return *judgement.evaluation; }
  const SlotState& at(std::string_view name) {
    for (Slot slot = 0; slot < job.schema->slot_count(); ++slot)
      if (job.schema->slot_name(slot) == name) return evaluation().at(slot);
    ADD_FAILURE() << "no slot " << name;
    return evaluation().at(Slot{0});
  }
  // "rule: message", one line each.
  std::string violations() const {
    std::string out;
    for (const Violation& violation : judgement.violations)
      out += fmt::format("{} {}: {}\n", name(violation.severity), violation.rule, with_commas(violation.message));
    return out;
  }
};

// A value that shows its kind: 8, 8.0, "8", [8], null.
inline std::string shown(const Value& value) {
  if (value.real()) return fmt::format("{:#}", *value.real());
  if (value.text()) return fmt::format("\"{}\"", *value.text());
  if (!value.list()) return to_string(value);
  std::string out;
  for (const Value& item : *value.list()) out += (out.empty() ? "" : ", ") + shown(item);
  return "[" + out + "]";
}

// A value, or why there is none.
inline std::string shown(const SlotState& state) {
  switch (state.missing) {
    case Missing::No: return shown(state.value);
    case Missing::NotStated: return "not stated";
    case Missing::Absent: return "absent";
    case Missing::Inexact: return "inexact";
    case Missing::Spoiled: return "spoiled";
  }
  return "";
}

}  // namespace shardlint::test
