// A framework as data: how its files are recognised and read, every key it knows, how keys map to the canonical plan, and its law.
//
// Schemas are written in schemas/NAME (see schemas/README.md), compiled when shardlint is built, and stand in the binary as the constant
// tables declared here: starting shardlint parses none of them. All views point to static storage (or to the SchemaData that owns them).
#pragma once

#include <span>
#include <string_view>

#include "checker/diag/finding.h"
#include "checker/document/dialect.h"
#include "checker/schema/expr.h"

namespace shardlint {

// ---- the canonical fields, from plan/fields.def

enum class Field : Slot {
#define FIELD(member, name, type, derivation, doc) member,
#include "checker/plan/fields.def"
#undef FIELD
  kCount
};
inline constexpr Slot kFieldCount = static_cast<Slot>(Field::kCount);
constexpr Slot slot(Field field) { return static_cast<Slot>(field); }

struct FieldInfo {
  std::string_view name;
  TypeSet types;  // always with Null
  std::string_view derivation;
  std::string_view doc;
};
std::span<const FieldInfo> fields();  // indexed by Field
std::optional<Field> field_named(std::string_view name);

// ---- keys

struct FlagSpec {
  std::string_view spelling;  // "--bf16"
  std::uint16_t key = 0;      // index into Schema::keys
  ExprId constant = kNoExpr;  // the value that its bare presence gives; none: it takes a value
};

enum class KeyState : std::uint8_t { Current, Deprecated, Renamed, Removed, Ignored };

struct KeySpec {
  std::string_view path;  // "data_stages[*].name", "rope_scaling.*"
  TypeSet types = type::Any;
  TypeSet item_types = type::Any;  // of a list's items
  bool required = false;           // must be written where its section is
  bool has_default = false;
  bool choices_any_case = false;
  bool choices_offered = false;  // for completion; a constraint judges the value
  bool strict = false;           // a wrong type is refused, whatever the schema's wrong_type says
  bool ranged = false;           // a number from `least` to `most`
  double least = 0, most = 0;
  KeyState state = KeyState::Current;
  std::int32_t section = -1;  // index of the key that holds it; -1 at the root
  std::span<const std::string_view> choices;
  std::span<const ExprId> defaults;  // one, or one per member
  std::span<const std::string_view> flags;
  std::span<const std::string_view> members;  // of the union that holds it
  std::string_view since, until, instead, note;
  std::span<const std::string_view> required_if;  // only where one of these siblings is written and is neither false nor null

  bool open() const { return path.ends_with(".*"); }  // a free-form section's content
  bool per_item() const { return path.find("[*]") != std::string_view::npos; }
};

// ---- recognition and forms

struct Recognise {
  std::span<const std::string_view> keys;  // characteristic paths; a trailing * stands for any ending
  std::span<const std::string_view> never;
  std::uint16_t needs = 1;
  std::span<const std::string_view> must;  // all of these
};

// Error: refused; Warning: passed on or ignored with a risk; Near: ignored, and worth a warning only where it looks like a slip; Ignore:
// nobody minds.
enum class Policy : std::uint8_t { Ignore, Near, Warning, Error };

// What a framework makes of a value of another type than the key's.
enum class Coercion : std::uint8_t {
  None,
  Pydantic,  // its lax mode: numbers and booleans may be written as text, whole reals are integers, 0 and 1 are booleans
  Python,    // nothing is converted, and what reads it takes 0 and 1 for booleans and one value for a list of one
};

struct FormSpec {
  std::string_view name;
  std::string_view root;  // path of the mapping that holds the arguments; empty: the document
  std::string_view env;   // path of the mapping that holds environment variables; empty: none
  bool flags = false;     // keys are spelled as flags
  bool nulls = false;     // every key may be null
  bool complete = false;  // every key of a section must be written, but for those that may be left out
  Policy unknown_key = Policy::Error, wrong_type = Policy::Error;
  Dialect loader = Dialect::PyYaml;
  std::span<const std::string_view> sections;  // mappings whose content counts as if it stood at the root
  std::string_view under;                      // the name in keys.tsv below which this form's keys stand; empty: at the root
  std::string_view since, until;               // framework versions that read files so
  Policy duplicate_key = Policy::Warning;
  std::span<const std::string_view>
      law;  // only clauses with one of these rows or names hold; a trailing * stands for any ending; empty: all hold
  Recognise recognise;
  bool env_adds = false;  // `env` adds to an environment that is not written here: what it does not set may be set all the same
  bool part = false;      // a part of runs, such as a preset: its keys are checked, and of the law only what `law` lists
  std::span<const std::string_view> folders;  // a file in one of these folders has this form, whatever its keys
};

// A path that a key has in a form with sections.
struct PlaceSpec {
  std::string_view path;
  std::uint16_t key = 0;  // index into Schema::keys
  bool optional = false;  // may be left out of a complete section
};

// A section that is read otherwise than the rest of the file, with all that lies below it.
struct SectionSpec {
  std::string_view at;
  Policy unknown_key = Policy::Error, wrong_type = Policy::Error;
  bool lax = false;  // numbers and booleans are made of what stands for one, as pydantic does it: "2", 2.0, "yes"
};

// A key that names a file of another framework, which is read as part of the same job.
struct AttachSpec {
  Slot key = kNoSlot;
  ExprId when = kNoExpr;                    // none: always
  std::string_view schema;                  // the framework that the file belongs to
  std::span<const std::string_view> needs;  // keys that must stand in it
  std::span<const Slot> takes;              // fields of this plan that the file decides
  std::span<const std::string_view> paths;  // keys of the file, each with
  std::span<const ExprId> values;           // what this framework puts there where a value is left open
  std::uint16_t insists = 0;                // the first so many must be the same where both say something
};

struct UnionSpec {
  std::string_view at;
  std::span<const std::string_view> members;
  std::string_view fallback;
  std::span<const std::string_view> fallback_needs_null;
};

// ---- composition: how several layers become one tree (checker/compose)

enum class Layering : std::uint8_t {
  None,       // the documents' facts one after the other
  OmegaConf,  // the run's files merged in order, interpolation, overrides in Hydra's grammar
  Hydra,      // the same with defaults lists and config groups
  Inherit,    // NeMo-RL: `defaults` names parents, relative to the file
  Primus,     // `extends`, presets, ${VARIABLE:default}
  Base,       // MaxText: `base_config` names one parent
};

// A configuration that lies in the framework's own package: keys.tsv has what it sets, but for these.
struct BaseSpec {
  std::string_view name;
  std::span<const std::string_view> set;  // "a.b=1"
};

struct Composition {
  Layering style = Layering::None;
  std::span<const std::string_view> search;      // folders below the workspace where groups, presets or bases are looked up too
  std::span<const std::string_view> resolvers;   // registered by the framework: those of checker/compose/interpolate.h, any other is opaque
  bool eager = false;                            // the whole tree is resolved at the start: every bad interpolation is refused
  bool base_in_code = false;                     // the first layer is a program's: every key that the schema knows exists
  std::span<const std::string_view> whole = {};  // with base_in_code: unless all of these are written, what is not is the program's affair
  std::span<const std::string_view> builtin = {};  // parents that the framework brings: what they say are the keys' defaults
};

// ---- launch: what the words of a training command are to the framework

enum class LaunchWords : std::uint8_t {
  None,   // it has no command line that is read
  Flags,  // options spelled as the flags of keys.tsv
  Names,  // options spelled as keys
  Pairs,  // key=value, as overrides of a file
};

struct LaunchSpec {
  LaunchWords words = LaunchWords::None;
  std::string_view form;    // the form that the words are read in; empty: the one that is recognised
  std::string_view file;    // Pairs: the file that stands for the framework's own; {} is the name that the command gives
  std::string_view config;  // Pairs: that name where the command gives none
};

// ---- law

struct Segment {
  std::string_view text;  // literal text, then
  ExprId expr = kNoExpr;  // the value of an expression
};

// One of several plans that a run of this framework holds: reinforcement learning trains a policy and generates with another layout.
struct PlanSpec {
  std::string_view name;  // "rollout"
  ExprId when = kNoExpr;  // whether a run has it; none: always
};

struct Clause {
  std::string_view name;  // "torchtitan/overlap-param-gather-without-grad-reduce"
  std::string_view family;
  Severity severity = Severity::Error;
  bool rewrite = false;
  bool silent = false;       // a rewrite nobody is told of
  ExprId when = kNoExpr;     // none: always
  ExprId require = kNoExpr;  // constraints
  Slot set = kNoSlot;        // rewrites
  ExprId to = kNoExpr;
  std::span<const Segment> says, effect;
  std::string_view why, source, same_as, since, until;
  std::span<const Slot> reads, blame, rather_change, spoils;
  std::span<const ExprId> candidates;
  std::span<const std::string_view> rows, fires, quiet;
  std::uint8_t plan = 0;      // the plan that it is about: index into Schema::plans
  bool inherited = false;     // of a base: it is listed, explained and tested there
  std::uint32_t forms = ~0u;  // bit i: it holds in form i of the schema
};

struct LetSpec {
  std::string_view name;
  ExprId expr;
};

struct TableSpec {
  std::string_view name;
  std::span<const std::string_view> columns;
  std::span<const std::string_view> cells;  // row by row
};

struct RuleOverride {
  std::string_view rule, level;  // off info warning error
};

struct Assignment {
  std::string_view key, value;  // the value as JSON
};

struct Schema {
  std::string_view name, title, source;
  std::span<const std::string_view> versions;
  std::span<const Format> formats;
  Dialect loader = Dialect::PyYaml;
  Policy unknown_key = Policy::Error, wrong_type = Policy::Error, duplicate_key = Policy::Warning;
  bool required = true;
  bool dashes = false;                             // a-b is the key a_b; at the top level only
  Policy duplicate_across_files = Policy::Ignore;  // a key in two files of one run
  Coercion coerce = Coercion::None;
  std::string_view null_word = {};  // a text that counts as null, in any case
  ExprId open_when = kNoExpr;       // where true, unknown keys cannot be judged
  std::span<const FormSpec> forms;  // at least one
  std::span<const KeySpec> keys;
  std::span<const std::uint16_t> keys_by_path;  // indices in byte order of the path
  std::span<const std::uint16_t> key_table;     // indices by path: place_in() of checker/text/names.h
  std::span<const std::uint16_t> needed_keys;   // that are required, or wait for another
  std::span<const std::uint16_t> model_keys;    // that may name a model: what shape() reads, through lets too
  std::span<const FlagSpec> flags;              // in byte order of the spelling
  std::span<const PlaceSpec> places;            // in byte order of the path
  std::span<const SectionSpec> sections;
  std::string_view filled;  // the text that stands for a value which somebody else fills in; empty: there is none
  std::span<const AttachSpec> attaches;
  std::span<const UnionSpec> unions;
  std::span<const LetSpec> lets;
  std::span<const TableSpec> tables;
  std::span<const RuleOverride> rules;
  std::span<const Assignment> minimal;
  // By canonical field, one plan after the other: the slot that is the same as the field (a bare 'key'), or the mapping's expression; then the derivation.
  std::span<const Slot> field_alias;
  std::span<const ExprId> field_expr;
  std::span<const ExprId> field_derivation;
  std::span<const Clause> law;  // in the framework's order
  std::span<const ExprNode> nodes;
  std::span<const Const> constants;
  std::span<const BaseSpec> bases;  // found by the names that defaults lists give them
  std::span<const PlanSpec> plans;  // empty: a run is one plan
  Composition composition;
  LaunchSpec launch;
  std::string_view framework;  // whose files these are, as findings, settings and reports name it; several schemas may share one

  Slot let_slot(std::size_t let) const { return static_cast<Slot>(kFieldCount + let); }
  Slot key_slot(std::size_t key) const { return static_cast<Slot>(kFieldCount + lets.size() + key); }
  std::size_t plan_count() const { return plans.empty() ? 1 : plans.size(); }
  // The slot that is the same as a field in one of the plans; none: its own.
  Slot alias(Slot field, std::size_t plan = 0) const { return field_alias[plan * kFieldCount + field]; }
  ExprId mapping(Slot field, std::size_t plan = 0) const { return field_expr[plan * kFieldCount + field]; }
  std::size_t slot_count() const { return kFieldCount + lets.size() + keys.size(); }
  // The key behind a slot; null for fields and lets.
  const KeySpec* key_of(Slot slot) const;
  // The slot that really holds a field: its alias, or its own.
  Slot resolve(Field field) const;
  // "data_stages[0].name" finds data_stages[*].name; "rope_scaling.factor" finds rope_scaling.*; null if no row fits.
  const KeySpec* find_key(std::string_view path) const;
  const FlagSpec* find_flag(std::string_view spelling) const;
  const PlaceSpec* find_place(std::string_view path) const;
  // The innermost section with a reading of its own that is, or holds, this path; null if there is none.
  const SectionSpec* section_at(std::string_view path) const;
  // Where a key stands in this form: its place in one of the form's sections, or its own path.
  std::string_view path_in(const FormSpec& form, const KeySpec& key) const;
  // Whether a form has this key: forms whose keys stand under a name of their own have no others, and no other form but the runs of a
  // part has them.
  bool has(const FormSpec& form, const KeySpec& key) const;
  // As people know a slot: the field's name, the let's name or the key's path.
  std::string_view slot_name(Slot slot) const;
  std::size_t index_of(const KeySpec& key) const { return static_cast<std::size_t>(&key - keys.data()); }
};

// Schema::key_table for these keys.
std::vector<std::uint16_t> table_of(std::span<const KeySpec> keys);

// Whether a key is an environment variable: env.NAME in capitals. A framework may have a section `env` of its own beside them.
bool is_variable(std::string_view path);

// Dotted numbers compared part by part; text behind a number ("0.9rc1") is ignored.
bool version_less(std::string_view a, std::string_view b);

// All schemas, in byte order of their names (generated).
std::span<const Schema* const> schemas();
inline const Schema* schema_named(std::string_view name) {
  for (const Schema* schema : schemas())
    if (schema->name == name) return schema;
  return nullptr;
}

// The candidates nearest to `word` by edit distance (transpositions count once), at most a third of its length away; nearest first.
std::vector<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates, std::size_t limit = 3);

}  // namespace shardlint
