// Reads a schema's folder (schemas/README.md describes the files) and compiles it. Used by the generator in the build, and for the
// constraints that teams write in shardlint.toml.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "checker/document/document.h"
#include "checker/schema/schema.h"

namespace shardlint {

// A schema with the storage behind its views.
struct SchemaData {
  Schema schema;
  std::deque<std::string> strings;
  std::deque<std::vector<std::string_view>> string_lists;
  std::deque<std::vector<Slot>> slot_lists;
  std::deque<std::vector<ExprId>> expr_lists;
  std::deque<std::vector<Segment>> segment_lists;
  std::vector<Format> formats;
  std::vector<FormSpec> forms;
  std::vector<KeySpec> keys;
  std::vector<std::uint16_t> keys_by_path, key_table, needed_keys, model_keys;
  std::vector<FlagSpec> flags;
  std::vector<PlaceSpec> places;
  std::vector<SectionSpec> sections;
  std::vector<AttachSpec> attaches;
  std::vector<UnionSpec> unions;
  std::vector<LetSpec> lets;
  std::vector<TableSpec> tables;
  std::vector<RuleOverride> rules;
  std::vector<Assignment> minimal;
  std::vector<BaseSpec> bases;
  std::vector<PlanSpec> plans;
  std::vector<Slot> field_alias;
  std::vector<ExprId> field_expr, field_derivation;
  std::vector<Clause> law;
  ExprPool pool;
  std::vector<Const> constants;
};

// A [[constraint]] that a team wrote: as in constraints.toml, and with `framework` and `preview`, which are the caller's to look at.
struct OwnConstraint {
  DocumentPtr document;
  const Node* table = nullptr;
};

// A schema that is built in, with a team's own constraints behind its law. `owner` stands before their names. Null, with `errors`, if
// anything is wrong. The base must outlive the result.
std::unique_ptr<SchemaData> extend_schema(const Schema& base, std::string_view owner, const std::vector<OwnConstraint>& constraints,
                                          std::vector<std::string>& errors);

// `errors` holds "file:line: what" for all that is wrong; the result is null then.
std::unique_ptr<SchemaData> load_schema(const std::string& folder, std::vector<std::string>& errors);

}  // namespace shardlint
