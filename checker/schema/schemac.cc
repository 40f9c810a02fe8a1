// The schema compiler: turns schemas/NAME into one C++ file of constant tables. Runs while shardlint is built.
//
//   schemac FOLDER OUTPUT.cc           one schema
//   schemac --table OUTPUT.cc NAME...  the list of all schemas
//   schemac --models OUTPUT.cc FILE   the shapes of public models
//   schemac --texts OUTPUT.cc FILE...  files as they are: checker/report/plan.css is plan_css()
//   schemac --pages OUTPUT.cc FILE...  the rules' Markdown pages, by name: rules/topology/some_rule.md is topology/some-rule
//
// Equal lists are not shared and nothing is clever here: the linker and the reader both prefer it plain.
#include <cstdio>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "checker/schema/load.h"
#include "checker/schema/models.h"

using namespace shardlint;

namespace {

std::string identifier(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c == '-') c = '_';
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == '?')
      out += fmt::format("\\{:03o}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string real(double value) { return fmt::format("{:.17g}", value); }

// Collects the small lists that tables point into, each kind in one array.
class Pools {
 public:
  template <class T>
  std::string slice(std::vector<std::string>& pool, std::string_view array, std::span<const T> items, auto spell) {
    if (items.empty()) return "{}";
    const std::size_t begin = pool.size();
    for (const T& item : items) pool.push_back(spell(item));
    return fmt::format("{{{} + {}, {}}}", array, begin, items.size());
  }
  std::string strings(std::span<const std::string_view> items) { return slice(strings_, "kStrings", items, quoted); }
  std::string slots(std::span<const Slot> items) {
    return slice(slots_, "kSlots", items, [](Slot slot) { return fmt::format("{}", slot); });
  }
  std::string exprs(std::span<const ExprId> items) {
    return slice(exprs_, "kExprs", items, [](ExprId id) { return fmt::format("{}u", id); });
  }
  std::string segments(std::span<const Segment> items) {
    return slice(segments_, "kSegments", items, [](const Segment& s) { return fmt::format("{{{}, {}u}}", quoted(s.text), s.expr); });
  }
  void print(std::ostream& out) const {
    array(out, "std::string_view kStrings", strings_);
    array(out, "Slot kSlots", slots_);
    array(out, "ExprId kExprs", exprs_);
    array(out, "Segment kSegments", segments_);
  }
  static void array(std::ostream& out, std::string_view declaration, const std::vector<std::string>& items) {
    fmt::print(out, "[[maybe_unused]] constexpr {}[] = {{\n", declaration);
    for (const std::string& item : items) fmt::print(out, "    {},\n", item);
    if (items.empty()) fmt::print(out, "    {{}},\n");
    fmt::print(out, "}};\n\n");
  }

 private:
  std::vector<std::string> strings_, slots_, exprs_, segments_;
};

std::string recognise(Pools& pools, const Recognise& r) {
  return fmt::format("{{{}, {}, {}, {}}}", pools.strings(r.keys), pools.strings(r.never), r.needs, pools.strings(r.must));
}

void write_schema(const Schema& s, std::ostream& out) {
  Pools pools;
  std::vector<std::string> keys, flags, places, forms, sections, attaches, unions, lets, tables, rules, minimal, law, nodes, constants,
      by_path, formats, alias, plans, bases, exprs, derivations;
  for (const KeySpec& k : s.keys)
    keys.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, KeyState({}), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}",
                               quoted(k.path), k.types, k.item_types, k.required, k.has_default, k.choices_any_case, k.choices_offered,
                               k.strict, k.ranged, real(k.least), real(k.most), static_cast<int>(k.state), k.section,
                               pools.strings(k.choices), pools.exprs(k.defaults), pools.strings(k.flags), pools.strings(k.members),
                               quoted(k.since), quoted(k.until), quoted(k.instead), quoted(k.note), pools.strings(k.required_if)));
  for (std::uint16_t key : s.keys_by_path) by_path.push_back(fmt::format("{}", key));
  for (const FlagSpec& f : s.flags) flags.push_back(fmt::format("{{{}, {}, {}u}}", quoted(f.spelling), f.key, f.constant));
  for (const PlaceSpec& p : s.places) places.push_back(fmt::format("{{{}, {}, {}}}", quoted(p.path), p.key, p.optional));
  for (Format f : s.formats) formats.push_back(fmt::format("Format({})", static_cast<int>(f)));
  for (const FormSpec& f : s.forms)
    forms.push_back(
        fmt::format("{{{}, {}, {}, {}, {}, {}, Policy({}), Policy({}), Dialect({}), {}, {}, {}, {}, Policy({}), {}, {}, {}, {}, {}}}",
                    quoted(f.name), quoted(f.root), quoted(f.env), f.flags, f.nulls, f.complete, static_cast<int>(f.unknown_key),
                    static_cast<int>(f.wrong_type), static_cast<int>(f.loader), pools.strings(f.sections), quoted(f.under), quoted(f.since),
                    quoted(f.until), static_cast<int>(f.duplicate_key), pools.strings(f.law), recognise(pools, f.recognise), f.env_adds,
                    f.part, pools.strings(f.folders)));
  for (const SectionSpec& section : s.sections)
    sections.push_back(fmt::format("{{{}, Policy({}), Policy({}), {}}}", quoted(section.at), static_cast<int>(section.unknown_key),
                                   static_cast<int>(section.wrong_type), section.lax));
  for (const AttachSpec& a : s.attaches)
    attaches.push_back(fmt::format("{{{}, {}u, {}, {}, {}, {}, {}, {}}}", a.key, a.when, quoted(a.schema), pools.strings(a.needs),
                                   pools.slots(a.takes), pools.strings(a.paths), pools.exprs(a.values), a.insists));
  for (const UnionSpec& u : s.unions)
    unions.push_back(fmt::format("{{{}, {}, {}, {}}}", quoted(u.at), pools.strings(u.members), quoted(u.fallback),
                                 pools.strings(u.fallback_needs_null)));
  for (const LetSpec& l : s.lets) lets.push_back(fmt::format("{{{}, {}u}}", quoted(l.name), l.expr));
  for (const TableSpec& t : s.tables)
    tables.push_back(fmt::format("{{{}, {}, {}}}", quoted(t.name), pools.strings(t.columns), pools.strings(t.cells)));
  for (const RuleOverride& r : s.rules) rules.push_back(fmt::format("{{{}, {}}}", quoted(r.rule), quoted(r.level)));
  for (const Assignment& a : s.minimal) minimal.push_back(fmt::format("{{{}, {}}}", quoted(a.key), quoted(a.value)));
  for (Slot slot : s.field_alias) alias.push_back(fmt::format("{}", slot));
  for (const BaseSpec& b : s.bases) bases.push_back(fmt::format("{{{}, {}}}", quoted(b.name), pools.strings(b.set)));
  for (const PlanSpec& p : s.plans) plans.push_back(fmt::format("{{{}, {}u}}", quoted(p.name), p.when));
  for (ExprId id : s.field_expr) exprs.push_back(fmt::format("{}u", id));
  for (ExprId id : s.field_derivation) derivations.push_back(fmt::format("{}u", id));
  for (const Clause& c : s.law)
    law.push_back(fmt::format(
        "{{{}, {}, Severity({}), {}, {}, {}u, {}u, {}, {}u, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}u}}",
        quoted(c.name), quoted(c.family), static_cast<int>(c.severity), c.rewrite, c.silent, c.when, c.require, c.set, c.to,
        pools.segments(c.says), pools.segments(c.effect), quoted(c.why), quoted(c.source), quoted(c.same_as), quoted(c.since),
        quoted(c.until), pools.slots(c.reads), pools.slots(c.blame), pools.slots(c.rather_change), pools.slots(c.spoils),
        pools.exprs(c.candidates), pools.strings(c.rows), pools.strings(c.fires), pools.strings(c.quiet), c.plan, c.inherited, c.forms));
  for (const ExprNode& n : s.nodes)
    nodes.push_back(
        fmt::format("{{Op({}), Function({}), {}, {}u, {}u}}", static_cast<int>(n.op), static_cast<int>(n.function), n.slot, n.a, n.next));
  for (const Const& c : s.constants)
    constants.push_back(fmt::format("{{Value::Kind({}), {}, {}, {}}}", static_cast<int>(c.kind),
                                    c.integer == INT64_MIN ? "INT64_MIN" : fmt::format("{}", c.integer), real(c.real), quoted(c.text)));

  const std::string versions = pools.strings(s.versions), search = pools.strings(s.composition.search),
                    resolvers = pools.strings(s.composition.resolvers), whole = pools.strings(s.composition.whole),
                    builtin = pools.strings(s.composition.builtin);
  fmt::print(out,
             "// Generated from schemas/{}; do not edit.\n#include \"checker/schema/schema.h\"\n\nnamespace shardlint {{\nnamespace {{\n\n",
             s.name);
  pools.print(out);
  Pools::array(out, "Format kFormats", formats);
  Pools::array(out, "KeySpec kKeys", keys);
  Pools::array(out, "std::uint16_t kKeysByPath", by_path);
  for (const auto& [name, list] : {std::pair("kKeyTable", s.key_table), {"kNeededKeys", s.needed_keys}, {"kModelKeys", s.model_keys}}) {
    std::vector<std::string> items;
    for (std::uint16_t item : list) items.push_back(fmt::format("{}", item));
    Pools::array(out, fmt::format("std::uint16_t {}", name), items);
  }
  Pools::array(out, "FlagSpec kFlags", flags);
  Pools::array(out, "PlaceSpec kPlaces", places);
  Pools::array(out, "FormSpec kForms", forms);
  Pools::array(out, "SectionSpec kSections", sections);
  Pools::array(out, "AttachSpec kAttaches", attaches);
  Pools::array(out, "UnionSpec kUnions", unions);
  Pools::array(out, "LetSpec kLets", lets);
  Pools::array(out, "TableSpec kTables", tables);
  Pools::array(out, "RuleOverride kRules", rules);
  Pools::array(out, "Assignment kMinimal", minimal);
  Pools::array(out, "BaseSpec kBases", bases);
  Pools::array(out, "PlanSpec kPlans", plans);
  Pools::array(out, "Slot kAlias", alias);
  Pools::array(out, "ExprId kFieldExprs", exprs);
  Pools::array(out, "ExprId kDerivations", derivations);
  Pools::array(out, "Clause kLaw", law);
  Pools::array(out, "ExprNode kNodes", nodes);
  Pools::array(out, "Const kConstants", constants);
  const auto span = [](std::string_view array, std::size_t size) {
    return size ? fmt::format("{{{}, {}}}", array, size) : std::string("{}");
  };
  fmt::print(out, "}}  // namespace\n\nextern const Schema schema_{};\nconstinit const Schema schema_{} = {{\n    {}, {}, {}, {}, {},\n",
             identifier(s.name), identifier(s.name), quoted(s.name), quoted(s.title), quoted(s.source), versions,
             span("kFormats", formats.size()));
  fmt::print(out, "    Dialect({}), Policy({}), Policy({}), Policy({}), {}, {}, Policy({}), Coercion({}), {}, {}u,\n",
             static_cast<int>(s.loader), static_cast<int>(s.unknown_key), static_cast<int>(s.wrong_type), static_cast<int>(s.duplicate_key),
             s.required, s.dashes, static_cast<int>(s.duplicate_across_files), static_cast<int>(s.coerce), quoted(s.null_word),
             s.open_when);
  fmt::print(out, "    {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},\n", span("kForms", forms.size()),
             span("kKeys", keys.size()), span("kKeysByPath", by_path.size()), span("kKeyTable", s.key_table.size()),
             span("kNeededKeys", s.needed_keys.size()), span("kModelKeys", s.model_keys.size()), span("kFlags", flags.size()),
             span("kPlaces", places.size()), span("kSections", sections.size()), quoted(s.filled), span("kAttaches", attaches.size()),
             span("kUnions", unions.size()), span("kLets", lets.size()), span("kTables", tables.size()), span("kRules", rules.size()),
             span("kMinimal", minimal.size()));
  fmt::print(out, "    {}, {}, {}, {}, {}, {},\n", span("kAlias", alias.size()), span("kFieldExprs", exprs.size()),
             span("kDerivations", derivations.size()), span("kLaw", law.size()), span("kNodes", nodes.size()),
             span("kConstants", constants.size()));
  fmt::print(out,
             "    {}, {},\n    {{Layering({}), {}, {}, {}, {}, {}, {}}},\n    {{LaunchWords({}), {}, {}, {}}}, {}}};\n\n}}  // namespace "
             "shardlint\n",
             span("kBases", bases.size()), span("kPlans", plans.size()), static_cast<int>(s.composition.style), search, resolvers,
             s.composition.eager, s.composition.base_in_code, whole, builtin, static_cast<int>(s.launch.words), quoted(s.launch.form),
             quoted(s.launch.file), quoted(s.launch.config), quoted(s.framework));
}

void write_table(std::span<char*> names, std::ostream& out) {
  fmt::print(out, "// Generated; do not edit.\n#include \"checker/schema/schema.h\"\n\nnamespace shardlint {{\n\n");
  for (const char* name : names) fmt::print(out, "extern const Schema schema_{};\n", identifier(name));
  fmt::print(out, "\nstd::span<const Schema* const> schemas() {{\n  static constexpr const Schema* kAll[] = {{");
  for (const char* name : names) fmt::print(out, "&schema_{}, ", identifier(name));
  fmt::print(out, "}};\n  return kAll;\n}}\n\n}}  // namespace shardlint\n");
}

bool write_models(const char* file, const char* output) {
  const ModelTable table = load_models(file);
  for (const std::string& error : table.errors) fmt::print(stderr, "{}\n", error);
  if (!table.errors.empty()) return false;
  std::vector<std::string> models, names;
  for (const ModelShape& model : table.models) {
    std::string cells;
    for (i64 cell : model.cells) cells += (cells.empty() ? "" : ", ") + (cell == ModelShape::kNone ? "kNone" : fmt::format("{}", cell));
    models.push_back(fmt::format("{{{}, {}, {{{}}}}}", quoted(model.name), quoted(model.source), cells));
  }
  for (const ModelName& name : table.names) names.push_back(fmt::format("{{{}, {}}}", quoted(name.spelling), name.model));
  std::ofstream out(output);
  fmt::print(out,
             "// Generated from schemas/models.toml; do not edit.\n#include \"checker/schema/models.h\"\n\nnamespace shardlint "
             "{{\nnamespace {{\n\nconstexpr i64 kNone = ModelShape::kNone;\n\n");
  Pools::array(out, "ModelShape kModels", models);
  Pools::array(out, "ModelName kNames", names);
  fmt::print(out,
             "}}  // namespace\n\nstd::span<const ModelShape> model_shapes() {{ return kModels; }}\nstd::span<const ModelName> "
             "model_names() {{ return kNames; }}\n\n}}  // namespace shardlint\n");
  return static_cast<bool>(out);
}

bool write_pages(std::span<char*> files, std::ostream& out) {
  std::vector<std::string> pages;
  for (const std::string file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return false;
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const std::size_t slash = file.rfind('/'), before = file.rfind('/', slash - 1);
    std::string name = file.substr(before + 1, file.size() - before - 4);
    for (char& c : name)
      if (c == '_') c = '-';
    pages.push_back(fmt::format("{{{}, {}}}", quoted(name), quoted(text)));
  }
  fmt::print(out,
             "// Generated; do not edit.\n#include \"checker/plan/rule.h\"\n\nnamespace shardlint {{\nnamespace {{\nstruct Page {{\n  "
             "std::string_view name, text;\n}};\n");
  Pools::array(out, "Page kPages", pages);
  fmt::print(out,
             "}}  // namespace\n\nstd::string_view page(std::string_view rule) {{\n  for (const Page& page : kPages)\n    if (page.name == "
             "rule) return page.text;\n  return {{}};\n}}\n\n}}  // namespace shardlint\n");
  return true;
}

bool write_texts(std::span<char*> files, std::ostream& out) {
  fmt::print(out, "// Generated; do not edit.\n#include \"checker/report/html_parts.h\"\n\nnamespace shardlint {{\n\n");
  for (const std::string file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return false;
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    std::string name = file.substr(file.rfind('/') + 1);
    for (char& c : name)
      if (c == '.') c = '_';
    fmt::print(out, "std::string_view {}() {{ return {}; }}\n", name, quoted(text));
  }
  fmt::print(out, "\n}}  // namespace shardlint\n");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "--table") {
    std::ofstream out(argv[2]);
    write_table({argv + 3, argv + argc}, out);
    return out ? 0 : 1;
  }
  if (argc == 4 && std::string_view(argv[1]) == "--models") return write_models(argv[3], argv[2]) ? 0 : 1;
  if (argc >= 3 && std::string_view(argv[1]) == "--pages") {
    std::ofstream out(argv[2]);
    return write_pages({argv + 3, argv + argc}, out) && out ? 0 : 1;
  }
  if (argc >= 3 && std::string_view(argv[1]) == "--texts") {
    std::ofstream out(argv[2]);
    return write_texts({argv + 3, argv + argc}, out) && out ? 0 : 1;
  }
  if (argc != 3) {
    std::fputs(
        "usage: schemac FOLDER OUTPUT.cc | schemac --table OUTPUT.cc NAME... | schemac --models OUTPUT.cc FILE | schemac --texts OUTPUT.cc "
        "FILE... | schemac --pages OUTPUT.cc "
        "FILE...\n",
        stderr);
    return 2;
  }
  std::vector<std::string> errors;
  const auto data = load_schema(argv[1], errors);
  for (const std::string& error : errors) fmt::print(stderr, "{}\n", error);
  if (!data) return 1;
  std::ofstream out(argv[2]);
  write_schema(data->schema, out);
  return out ? 0 : 1;
}
