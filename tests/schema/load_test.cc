// Wrong schemas are refused with file and line, right ones load: every check of the loader has a folder that trips it.
#include "tests/schema/small.h"
#include "tests/where.h"

namespace shardlint::test {
namespace {

// Three files that are right; each row swaps one line, or adds one.
constexpr std::string_view kSchema = R"(name = "small"
title = "Small"
versions = ["1.0"]
formats = ["yaml"]
loader = "pyyaml"
unknown_key = "error"
[recognise]
keys = ["tp"]
[let]
model = "tp * pp"
[plan]
tp = "'tp'"
pp = "'pipe'"
[minimal]
tp = 2
)";
constexpr std::string_view kKeys =
    "key\ttype\tdefault\tchoices\tflags\tstate\n"
    "tp\tint\t1\n"
    "pipe\tint\t1\n"
    "kind\tenum\t\"a\"\ta|b\n"
    "mode\tstr|null\n";
constexpr std::string_view kLaw = R"toml([[constraint]]
name = "wide"
row = "r1 r2"
family = "topology"
when = "tp > 1"
require = "divides(tp, world_size)"
says = "{tp} of {world_size}"
blame = ["tp"]
fires = ["tp = 3"]
silent = ["tp = 2"]

[[rewrite]]
name = "narrow"
when = "pp > 8"
set = "'pipe'"
to = "8"
says = "cut to {pp}"
)toml";

std::vector<NamedText> files(std::string_view from, std::string_view to) {
  std::vector<NamedText> out = {
      {"schema.toml", std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}, {"constraints.toml", std::string(kLaw)}};
  int places = 0;
  for (auto& [name, text] : out)
    if (const std::size_t at = text.find(from); !from.empty() && at != text.npos) {
      text.replace(at, from.size(), to);
      ++places;
    }
  EXPECT_EQ(places, from.empty() ? 0 : 1) << "a row must change one file: " << from;
  return out;
}

TEST(LoadSchema, Valid) {
  const auto data = load(files("", ""));
  ASSERT_TRUE(data);
  const Schema& schema = data->schema;
  EXPECT_EQ(schema.name, "small");
  EXPECT_EQ(schema.forms.size(), 1u);
  EXPECT_EQ(schema.keys.size(), 4u);
  EXPECT_EQ(schema.key_of(schema.field_alias[slot(Field::pp)])->path, "pipe");
  EXPECT_EQ(schema.find_key("kind")->choices.size(), 2u);
  ASSERT_EQ(schema.law.size(), 2u);
  EXPECT_EQ(schema.law[0].name, "small/wide");
  EXPECT_EQ(schema.law[0].rows.size(), 2u);
  EXPECT_EQ(schema.law[0].severity, Severity::Error);
  EXPECT_TRUE(schema.law[1].rewrite);
  EXPECT_EQ(schema.law[1].severity, Severity::Warning);
  EXPECT_EQ(schema.law[1].set, schema.key_slot(schema.index_of(*schema.find_key("pipe"))));
}

TEST(LoadSchema, Errors) {
  struct Row {
    std::string_view from, to, expected;
  };
  const Row kRows[] = {
      {"pp = \"'pipe'\"", "ppp = \"'pipe'\"", "schema.toml:13: no field ppp"},
      {"pp = \"'pipe'\"", "pp = \"'pip'\"", "schema.toml:13: no key 'pip'; did you mean pp?\n    'pip'\n    ^"},
      {"pp = \"'pipe'\"", "pp = \"'kind'\"", "schema.toml:13: this is null or text, but null or int is wanted here\n    'kind'\n    ^"},
      {"model = \"tp * pp\"", "model = \"tp * pq\"", "schema.toml:10: no field pq; did you mean pp?\n    tp * pq\n         ^"},
      {"unknown_key = \"error\"", "unknown_key = \"refuse\"", "schema.toml:6: error, warning, near or ignore"},
      {"loader = \"pyyaml\"", "loader = \"yaml13\"", "schema.toml:5: no loader yaml13"},
      {"formats = [\"yaml\"]", "formats = [\"xml\"]", "schema.toml:1: no format xml"},
      {"formats = [\"yaml\"]", "formats = \"yaml\"", "schema.toml:4: formats must be a list"},
      {"title =", "titel =", "schema.toml:2: titel has no meaning here"},
      {"keys = [\"tp\"]", "key = [\"tp\"]", "schema.toml:8: key has no meaning here"},
      {"[minimal]", "[minimal", "schema.toml:14: "},
      {"tp\tint", "tp\tinteger", "keys.tsv:2: no type integer"},
      {"pipe\tint", "tp\tint", "keys.tsv:3: tp stands twice"},
      {"mode\tstr|null", "mode\tstr|null\t\t\t\tgone", "keys.tsv:5: no state gone"},
      {"mode\tstr|null", "mode\tstr|null\t\t\t\t\t\t", "keys.tsv:5: more cells than columns"},
      {"kind\tenum\t\"a\"", "kind\tenum\ta", "keys.tsv:4: no field a\n    a\n    ^"},
      {"key\ttype", "name\ttype", "keys.tsv:1: columns key and type are needed"},
      {"row = \"r1 r2\"", "rows = \"r1 r2\"", "constraints.toml:3: rows has no meaning here"},
      {"family = \"topology\"", "family = \"shape\"", "constraints.toml:1: no family shape"},
      {"when = \"tp > 1\"", "when = \"tpp > 1\"", "constraints.toml:5: no field tpp; did you mean tp?\n    tpp > 1\n    ^"},
      {"when = \"tp > 1\"", "when = \"tp\"", "constraints.toml:5: this is null or int, but bool is wanted here\n    tp\n    ^"},
      {"require = \"divides(tp, world_size)\"", "", "constraints.toml:1: a constraint needs require"},
      {"says = \"{tp} of {world_size}\"", "says = \"{tp} of {wolrd_size}\"",
       "constraints.toml:7: no field wolrd_size; did you mean world_size?\n    wolrd_size\n    ^"},
      {"says = \"{tp} of {world_size}\"", "says = \"{tp} of {world_size\"", "constraints.toml:7: a { is never closed"},
      {"says = \"{tp} of {world_size}\"", "", "constraints.toml:1: says is missing"},
      {"blame = [\"tp\"]", "blame = [\"tpp\"]", "constraints.toml:8: no field or key tpp; did you mean tp?"},
      {"blame = [\"tp\"]", "severity = \"fatal\"", "constraints.toml:1: no severity fatal"},
      {"blame = [\"tp\"]", "severity = \"none\"", "constraints.toml:1: no severity none"},
      {"blame = [\"tp\"]", "candidates = [\"tp +\"]", "constraints.toml:1: something is missing at the end\n    tp +\n        ^"},
      {"set = \"'pipe'\"", "", "constraints.toml:12: a rewrite needs set and to"},
      {"set = \"'pipe'\"", "set = \"pipes\"", "constraints.toml:15: no field or key pipes; did you mean pipe?"},
      {"name = \"narrow\"", "name = \"wide\"", "constraints.toml:12: the name small/wide stands twice"},
      {"[[rewrite]]", "[[rewrites]]", "constraints.toml:12: rewrites has no meaning here"},
  };
  for (const Row& row : kRows) {
    std::vector<std::string> errors;
    EXPECT_FALSE(load(files(row.from, row.to), errors)) << row.to;
    ASSERT_FALSE(errors.empty()) << row.to;
    EXPECT_TRUE(errors[0].starts_with(row.expected)) << row.to << "\n" << errors[0];
    if (!row.expected.ends_with(' ')) {
      EXPECT_EQ(errors[0].size(), row.expected.size()) << errors[0];
    }
  }
}

TEST(LoadSchema, TablesBesideIt) {
  auto rows = files("model = \"tp * pp\"", "model = \"lookup(\\\"sizes\\\", \\\"layers\\\", \\\"a\\\")\"");
  std::vector<std::string> errors;
  EXPECT_FALSE(load(rows, errors));
  rows.push_back({"sizes.tsv", "# a comment\nname\tlayers\na\t32\n"});
  const auto data = load(rows);
  ASSERT_TRUE(data);
  Judged run(data->schema, "tp: 2\n");
  EXPECT_EQ(shown(run.at("model")), "32");
}

TEST(LoadSchema, AnEmptyFolderIsNoSchema) {
  std::vector<std::string> errors;
  EXPECT_FALSE(load({{"keys.tsv", "key\ttype\n"}}, errors));
  EXPECT_EQ(errors, std::vector<std::string>{"schema.toml:1: there is no schema here"});
}

TEST(Version, Order) {
  EXPECT_TRUE(version_less("0.9", "0.10"));
  EXPECT_TRUE(version_less("1", "1.0.1"));
  EXPECT_FALSE(version_less("1.0", "1"));
  EXPECT_FALSE(version_less("0.16", "0.9rc1"));
  EXPECT_TRUE(version_less("0.9rc1", "0.10"));
  EXPECT_FALSE(version_less("0.2", "0.2"));
}

TEST(Nearest, Order) {
  const std::string_view kWords[] = {"global_batch", "micro_batch", "layers", "tp", "pp"};
  EXPECT_EQ(nearest("globl_batch", kWords), std::vector<std::string_view>{"global_batch"});
  EXPECT_EQ(nearest("layesr", kWords), std::vector<std::string_view>{"layers"});
  EXPECT_EQ(nearest("tq", kWords), std::vector<std::string_view>{"tp"});
  EXPECT_EQ(nearest("p", kWords), (std::vector<std::string_view>{"tp", "pp"}));
  EXPECT_TRUE(nearest("optimizer", kWords).empty());
}

// ---- a schema that is built on another

constexpr std::string_view kBuilt = R"(name = "small-inside"
framework = "big"
title = "Big"
formats = ["yaml"]
loader = "pyyaml"
[[built_on]]
schema = "small"
below = "inside"
without = ["mode"]
[[built_on.except]]
law = ["r1"]
when = "'own'"
[recognise]
keys = ["inside"]
[plan]
[minimal]
own = false
)";

struct BuiltOn {
  BuiltOn() {
    std::filesystem::copy_file(SHARDLINT_ROOT "/schemas/gpus.tsv", folder / "gpus.tsv");
    for (const auto& [name, text] : files("", "")) folder.write("small/" + std::string(name), text);
    folder.write("built/schema.toml", kBuilt);
    folder.write("built/keys.tsv", "key\ttype\tdefault\ninside\tdict\nown\tbool\tfalse\ninside.kind\tstr\n");
    folder.write("built/constraints.toml",
                 "[[constraint]]\nname = \"own-law\"\nfamily = \"topology\"\nrequire = \"not 'own' or 'tp' == 1\"\nsays = \"s\"\n"
                 "fires = [\"own = true\", \"tp = 2\"]\nsilent = [\"tp = 2\"]\n");
    data = load_schema(folder / "built", errors);
  }
  Folder folder;
  std::vector<std::string> errors;
  std::unique_ptr<SchemaData> data;
};

TEST(Base, BringsItsKeysBelowAPath) {
  const BuiltOn built;
  ASSERT_TRUE(built.data) << fmt::format("{}", fmt::join(built.errors, "\n"));
  const Schema& schema = built.data->schema;
  EXPECT_EQ(schema.framework, "big");
  EXPECT_TRUE(schema.find_key("inside.tp"));
  EXPECT_FALSE(schema.find_key("tp"));
  EXPECT_FALSE(schema.find_key("inside.mode")) << "left out";
  ASSERT_TRUE(schema.find_key("inside.kind"));
  EXPECT_TRUE(schema.find_key("inside.kind")->choices.empty()) << "the schema's own row counts";
  EXPECT_EQ(schema.resolve(Field::tp), schema.key_slot(schema.index_of(*schema.find_key("inside.tp"))));
  ASSERT_EQ(schema.minimal.size(), 2u);
  EXPECT_EQ(schema.minimal[0].key, "inside.tp");
}

TEST(Base, BringsItsLawWithExceptions) {
  const BuiltOn built;
  ASSERT_TRUE(built.data) << fmt::format("{}", fmt::join(built.errors, "\n"));
  const auto law = built.data->schema.law;
  ASSERT_EQ(law.size(), 3u);
  EXPECT_EQ(law[0].name, "small/wide");
  EXPECT_TRUE(law[0].inherited);
  EXPECT_EQ(law[2].name, "big/own-law");
  EXPECT_EQ(law[2].fires[1], "inside.tp = 2");
  const auto says = [&](const std::string& text) {
    Job job{&built.data->schema, &built.data->schema.forms[0], "", {}};
    const DocumentPtr document = read_document(std::make_shared<const Source>("a.yaml", text), Format::Yaml);
    job.facts = facts_of(document, *document->roots[0], Dialect::PyYaml);
    Fact world;
    world.path = world.spelled = "world_size", world.value = Value(i64{8}), world.way = Way::Setting;
    job.facts.push_back(world);
    std::string out;
    for (const Violation& violation : judge(job).violations) out += std::string(violation.rule) + " ";
    return out;
  };
  EXPECT_NE(says("inside: {tp: 3}\n").find("small/wide"), std::string::npos);
  EXPECT_EQ(says("inside: {tp: 3}\nown: true\n").find("small/wide"), std::string::npos);
  EXPECT_NE(says("inside: {tp: 2}\nown: true\n").find("big/own-law"), std::string::npos);
}

TEST(Base, ThatIsNotThereIsAnError) {
  Folder folder;
  folder.write("built/schema.toml", kBuilt);
  folder.write("built/keys.tsv", "key\ttype\ninside\tdict\nown\tbool\n");
  std::vector<std::string> errors;
  EXPECT_FALSE(load_schema(folder / "built", errors));
  ASSERT_FALSE(errors.empty());
  EXPECT_NE(errors[0].find("no schema"), std::string::npos) << errors[0];
}

}  // namespace
}  // namespace shardlint::test
