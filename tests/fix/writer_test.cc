// The writers, by tables: a text, a change, the text it becomes, or nothing where the syntax cannot carry the change.
//
// Over every row the property that a fix lives by: the result is read again, and of all facts only the named one is another.

#include "checker/fix/writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace shardlint {
namespace {

using Edits = std::optional<std::vector<Edit>>;

struct File {
  DocumentPtr document;
  Dialect dialect;

  File(std::string_view text, Format format, Dialect d) : dialect(d) {
    document = read_document(std::make_shared<const Source>("run", std::string(text)), format, d == Dialect::Hjson);
  }
  const Node& root() const { return *document->roots.front(); }
  Facts facts() const {
    Facts facts;
    for (const Node* each : document->roots)
      for (Fact& fact : facts_of(document, *each, dialect)) facts.push_back(std::move(fact));
    return facts;
  }
  Fact fact(std::string_view path) const {
    for (Fact& fact : facts())
      if (fact.path == path) return fact;
    ADD_FAILURE() << "no fact " << path << " in\n" << document->source->text();
    return {};
  }
};

Format format_for(Dialect dialect) {
  if (dialect == Dialect::Toml) return Format::Toml;
  return dialect == Dialect::Json || dialect == Dialect::Hjson ? Format::Json : Format::Yaml;
}

// Path → value, without what lies at or below `but` and without the sizes of the mappings around it.
std::map<std::string, std::string> others(const File& file, std::string_view but) {
  std::map<std::string, std::string> out;
  for (const Fact& fact : file.facts()) {
    const std::string_view path = fact.path;
    const bool named = path.starts_with(but) && (path.size() == but.size() || path[but.size()] == '.' || path[but.size()] == '[');
    const bool around = but.size() > path.size() && but.starts_with(path) && (but[path.size()] == '.' || but[path.size()] == '[');
    if (!named && !around) out[fact.path] += std::string(describe(fact.value.kind())) + " " + to_string(fact.value) + "\n";
  }
  return out;
}

constexpr const char* kRefused = nullptr;

void expect_result(const File& file, const Edits& edits, const char* after, std::string_view changed) {
  SCOPED_TRACE(std::string("before:\n") + std::string(file.document->source->text()) + "\nchange of " + std::string(changed));
  if (!edits) {
    EXPECT_EQ(after, kRefused) << "refused";
    return;
  }
  const std::optional<std::string> text = apply(*file.document->source, *edits);
  ASSERT_TRUE(text);
  ASSERT_NE(after, kRefused) << "made\n" << *text;
  EXPECT_EQ(*text, after);
  const File again(*text, file.document->format, file.dialect);
  EXPECT_TRUE(again.document->problems.empty());
  if (!changed.ends_with(']')) {
    EXPECT_EQ(others(again, changed), others(file, changed));
  }
}

struct Change {
  Dialect dialect;
  const char* before;
  const char* path;
  Value value;
  const char* after;
};

void expect_writes(std::initializer_list<Change> table) {
  for (const Change& row : table) {
    const File file(row.before, format_for(row.dialect), row.dialect);
    expect_result(file, write_value(file.fact(row.path), row.value, row.dialect), row.after, row.path);
  }
}

void expect_inserts(std::initializer_list<Change> table) {
  for (const Change& row : table) {
    const File file(row.before, format_for(row.dialect), row.dialect);
    ASSERT_FALSE(file.document->roots.empty()) << row.before;
    expect_result(file, insert_key(file.document, file.root(), row.path, row.value, row.dialect), row.after, row.path);
  }
}

struct Removal {
  Dialect dialect;
  const char* before;
  const char* path;
  const char* after;
};

void expect_removals(std::initializer_list<Removal> table) {
  for (const Removal& row : table) {
    const File file(row.before, format_for(row.dialect), row.dialect);
    expect_result(file, remove_fact(file.fact(row.path)), row.after, row.path);
  }
}

struct Rename {
  Dialect dialect;
  const char* before;
  const char* path;
  const char* key;
  const char* after;
};

constexpr Dialect Py = Dialect::PyYaml, Omega = Dialect::OmegaConf, Y12 = Dialect::Yaml12, Toml = Dialect::Toml, Json = Dialect::Json,
                  Hjson = Dialect::Hjson, Args = Dialect::Argparse;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(WriteValue, Yaml) {
  expect_writes({
      {Py, "tp: 4\n", "tp", 8, "tp: 8\n"},
      {Py, "tp: 4", "tp", 8, "tp: 8"},
      {Py, "tp: 4\r\npp: 2\r\n", "tp", 8, "tp: 8\r\npp: 2\r\n"},
      {Py, "\xEF\xBB\xBFtp: 4\n", "tp", 8, "\xEF\xBB\xBFtp: 8\n"},
      {Py, "tp:   4   # wide\n", "tp", 16, "tp:   16   # wide\n"},
      {Py, "tp:\t4\t# tabs\n", "tp", 8, "tp:\t8\t# tabs\n"},
      {Py, "a:\n  b:\n    - tp: 4\n    - tp: 2\n", "a.b[1].tp", 8, "a:\n  b:\n    - tp: 4\n    - tp: 8\n"},
      {Py, "ok: true\n", "ok", false, "ok: false\n"},
      {Py, "ok: yes\n", "ok", false, "ok: false\n"},
      {Py, "n: 3\n", "n", Null{}, "n: null\n"},
      {Py, "n: ~\n", "n", 3, "n: 3\n"},
      {Py, "{a: 1, b: {tp: 4}}\n", "b.tp", 8, "{a: 1, b: {tp: 8}}\n"},
      {Py, "l: [1, 2, 3]\n", "l[1]", 8, "l: [1, 8, 3]\n"},
      {Py, "l:\n- 1 # one\n- 2\n", "l[0]", 8, "l:\n- 8 # one\n- 2\n"},
      {Py, "\"tp\": 4\n", "tp", 8, "\"tp\": 8\n"},
      {Py, "---\na: 1\n---\nb: 2\n...\n", "b", 3, "---\na: 1\n---\nb: 3\n...\n"},
      {Py, "größe: 4 # ä\nb: ü\n", "b", "é", "größe: 4 # ä\nb: é\n"},
      {Py, "n: !!float 4\n", "n", 8.0, "n: !!float 8.0\n"},
      {Py, "n: !!str 4\n", "n", 8, kRefused},
  });
}

TEST(WriteValue, YamlReals) {
  expect_writes({
      {Py, "lr: 2e-5\n", "lr", 2e-5, "lr: 2.0e-5\n"},
      {Omega, "lr: 1e-4\n", "lr", 2e-5, "lr: 2.0e-5\n"},
      {Py, "lr: 1\n", "lr", 2.0, "lr: 2.0\n"},
      {Py, "lr: 1\n", "lr", -0.25, "lr: -0.25\n"},
      {Py, "lr: 1\n", "lr", 1e20, "lr: 1.0e+20\n"},
      {Py, "lr: 1\n", "lr", 1.5e-10, "lr: 1.5e-10\n"},
      {Py, "lr: 1\n", "lr", 1e100, "lr: 1.0e+100\n"},
      {Py, "lr: 1\n", "lr", kInfinity, "lr: .inf\n"},
      {Py, "lr: 1\n", "lr", -kInfinity, "lr: -.inf\n"},
      {Py, "lr: 1\n", "lr", std::numeric_limits<double>::quiet_NaN(), "lr: .nan\n"},
      {Y12, "lr: 1\n", "lr", 2e-5, "lr: 2.0e-5\n"},
  });
}

TEST(WriteValue, YamlText) {
  expect_writes({
      {Py, "s: a\n", "s", "bf16", "s: bf16\n"},
      {Py, "s: 'a'\n", "s", "bf16", "s: 'bf16'\n"},
      {Py, "s: \"a\"\n", "s", "bf16", "s: \"bf16\"\n"},
      {Py, "s: 'a'\n", "s", "it's", "s: 'it''s'\n"},
      {Py, "s: 'a'\n", "s", "two\nlines", "s: \"two\\nlines\"\n"},
      {Py, "s: 'a'\n", "s", 8, "s: 8\n"},
      {Py, "s: a\n", "s", "no", "s: \"no\"\n"},
      {Y12, "s: a\n", "s", "no", "s: no\n"},
      {Py, "s: a\n", "s", "8", "s: \"8\"\n"},
      {Py, "s: a\n", "s", "1e-5", "s: 1e-5\n"},
      {Omega, "s: a\n", "s", "1e-5", "s: \"1e-5\"\n"},
      {Py, "s: a\n", "s", "010", "s: \"010\"\n"},
      {Py, "s: a\n", "s", "1:30", "s: \"1:30\"\n"},
      {Py, "s: a\n", "s", "", "s: \"\"\n"},
      {Py, "s: a\n", "s", "null", "s: \"null\"\n"},
      {Py, "s: a\n", "s", " a", "s: \" a\"\n"},
      {Py, "s: a\n", "s", "a: b", "s: \"a: b\"\n"},
      {Py, "s: a\n", "s", "a #b", "s: \"a #b\"\n"},
      {Py, "s: a\n", "s", "*x", "s: \"*x\"\n"},
      {Py, "s: a\n", "s", "-x", "s: -x\n"},
      {Py, "s: a\n", "s", "- x", "s: \"- x\"\n"},
      {Py, "s: a\n", "s", "---", "s: \"---\"\n"},
      {Py, "s: a\n", "s", "--- x", "s: \"--- x\"\n"},
      {Py, "s: a\n", "s", "---x", "s: ---x\n"},
      {Py, "s: a\n", "s", "a, [b]", "s: a, [b]\n"},
      {Py, "{s: a}\n", "s", "a, [b]", "{s: \"a, [b]\"}\n"},
      {Py, "s: a\n", "s", "tab\there", "s: \"tab\\there\"\n"},
      {Py, "s: a\n", "s", std::string("\x01\x7f\\\""), "s: \"\\u0001\\u007f\\\\\\\"\"\n"},
      {Py, "s: a\n", "s", "${oc.env:HOME}", "s: ${oc.env:HOME}\n"},
      {Py, "s: a plain\n  of two lines # c\nt: 1\n", "s", "b", "s: b # c\nt: 1\n"},
      {Py, "s: |\n  a block\n  of lines\nt: 1\n", "s", "b", "s: b\nt: 1\n"},
      {Py, "s: >-\n  a block\n\nt: 1\n", "s", "b", "s: b\n\nt: 1\n"},
      {Py, "s: | # why\n  a block\nt: 1\n", "s", "b", kRefused},
  });
}

TEST(WriteValue, YamlEmptyValues) {
  expect_writes({
      {Py, "tp:\n", "tp", 8, "tp: 8\n"},
      {Py, "tp:", "tp", 8, "tp: 8"},
      {Py, "tp: # later\npp: 1\n", "tp", 8, "tp: 8 # later\npp: 1\n"},
      {Py, "tp :\r\npp: 1\r\n", "tp", 8, "tp : 8\r\npp: 1\r\n"},
      {Py, "l:\n  -\n  - 2\n", "l[0]", 8, "l:\n  - 8\n  - 2\n"},
      {Py, "{a: , b: 1}\n", "a", 8, "{a: 8 , b: 1}\n"},
      {Py, "{a, b: 1}\n", "a", 8, kRefused},
      {Py, "? a\n: 1\n", "a", 8, "? a\n: 8\n"},
      {Py, "? a", "a", 8, kRefused},
      {Py, "-\n- 2\n", "[0]", 8, "- 8\n- 2\n"},
      {Py, "l:\n  - # c\n  - 2\n", "l[0]", 8, "l:\n  - 8 # c\n  - 2\n"},
  });
}

TEST(WriteValue, YamlLists) {
  expect_writes({
      {Py, "l: [1, 2]\n", "l", ValueList{1, 2, 3}, "l: [1, 2, 3]\n"},
      {Py, "l: [1,  2] # c\n", "l", ValueList{1, 4}, "l: [1,  4] # c\n"},
      {Py, "l: [1, 2]\n", "l", ValueList{3, 2}, "l: [3, 2]\n"},
      {Py, "l: [1]\n", "l", 8, "l: 8\n"},
      {Py, "m: {a: 1}\n", "m", ValueList{}, "m: []\n"},
      {Py, "l:\n  - 1 # one\n  - 2 # two\nm: 0\n", "l", ValueList{1, 4}, "l:\n  - 1 # one\n  - 4 # two\nm: 0\n"},
      {Py, "l:\n  - 1\n  - 2\nm: 0\n", "l", ValueList{1, 4, 6}, "l: [1, 4, 6]\nm: 0\n"},
      {Py, "l:\n- 1\n- 2\nm: 0\n", "l", ValueList{1}, "l: [1]\nm: 0\n"},
      {Py, "l:\n  - 1 # why\n  - 2\n", "l", ValueList{1, 4, 6}, kRefused},
      {Py, "l: 1\n", "l", ValueList{"a", "b, c", "1"}, "l: [a, \"b, c\", \"1\"]\n"},
      {Py, "l: [a]\n", "l", ValueList{}, "l: []\n"},
      {Py, "l: 1\n", "l", ValueList{ValueList{1, 2}, 2.0}, "l: [[1, 2], 2.0]\n"},
      {Py, "m: {a: 1}\n", "m", Map{}, "m: {}\n"},
      {Py, "m: {a: 1}\n", "m", Map{2}, kRefused},
  });
}

TEST(WriteValue, YamlAliases) {
  expect_writes({
      {Py, "a: &n 4\nb: *n\nc: *n # c\n", "c", 8, "a: &n 4\nb: *n\nc: 8 # c\n"},
      {Py, "a: &n 4\nb: *n\n", "a", 8, kRefused},
      {Py, "a: &n 4\nb: 1\n", "a", 8, "a: &n 8\nb: 1\n"},
      {Py, "l: [&n 4, *n, *n]\n", "l[2]", 8, "l: [&n 4, *n, 8]\n"},
      {Py, "a: &n 'x'\nb: *n\n", "b", "y", "a: &n 'x'\nb: y\n"},
      {Py, "a: &m [1, 2]\nb: *m\n", "b", ValueList{1, 3}, "a: &m [1, 2]\nb: [1, 3]\n"},
      {Py, "a: &m {tp: 4}\nb: *m\n", "a.tp", 8, kRefused},
      {Py, "a: &m {tp: 4}\nb: *m\n", "b.tp", 8, kRefused},
      {Py, "a: &m {tp: 4}\nb: *m\n", "b", 8, "a: &m {tp: 4}\nb: 8\n"},
      {Py, "a: &m [1, 2]\nb: *m\n", "a", ValueList{1, 3}, kRefused},
  });
}

// What is merged changes where it is written, for the template and whoever merges it.
TEST(WriteValue, YamlMerges) {
  for (const char* path : {"t.tp", "job.tp"}) {
    const File file("t: &t\n  tp: 4\n  pp: 1\njob:\n  <<: *t\n  pp: 2\n", Format::Yaml, Py);
    const Edits edits = write_value(file.fact(path), 8, Py);
    ASSERT_TRUE(edits) << path;
    EXPECT_EQ(apply(*file.document->source, *edits), "t: &t\n  tp: 8\n  pp: 1\njob:\n  <<: *t\n  pp: 2\n");
  }
  const File list("t: &t {tp: 4}\nu: &u {pp: 1}\njob:\n  <<: [*t, *u]\n", Format::Yaml, Py);
  EXPECT_TRUE(write_value(list.fact("job.pp"), 8, Py));
  const File both("t: &t {tp: 4}\njob:\n  <<: *t\ncopy: *t\n", Format::Yaml, Py);
  EXPECT_FALSE(write_value(both.fact("job.tp"), 8, Py));
}

TEST(WriteValue, Argparse) {
  expect_writes({
      {Args, "MODEL_ARGS:\n  --tp: 4 # c\n", "MODEL_ARGS.--tp", 8, "MODEL_ARGS:\n  --tp: 8 # c\n"},
      {Args, "A:\n  --bf16: true\n", "A.--bf16", false, "A:\n  --bf16: false\n"},
      {Args, "A:\n  --bf16: 'true'\n", "A.--bf16", false, "A:\n  --bf16: 'false'\n"},
      {Args, "A:\n  --lr: 1e-4\n", "A.--lr", 2e-5, "A:\n  --lr: 2.0e-5\n"},
      {Args, "A:\n  --lr: \"1e-4\"\n", "A.--lr", 2e-5, "A:\n  --lr: \"2.0e-5\"\n"},
      {Args, "A:\n  --x: 4\n", "A.--x", "8", "A:\n  --x: 8\n"},
      {Args, "A:\n  --x: 4\n", "A.--x", "010", "A:\n  --x: \"010\"\n"},
      {Args, "A:\n  --x: 4\n", "A.--x", "core_attn", "A:\n  --x: core_attn\n"},
      {Args, "A:\n  --x: \"[a b]\"\n", "A.--x", ValueList{"a", "b", "c"}, "A:\n  --x: \"[a b c]\"\n"},
      {Args, "A:\n  --x: a\n", "A.--x", ValueList{1, "b"}, "A:\n  --x: \"[1 b]\"\n"},
      {Args, "A:\n  --x: a\n", "A.--x", ValueList{"a b"}, kRefused},
      {Args, "A:\n  --x: a\n", "A.--x", ValueList{""}, kRefused},
      {Args, "A:\n  --x: a\n", "A.--x", ValueList{"\x01"}, kRefused},
      {Args, "A:\n  --x: a\n", "A.--x", ValueList{Null{}}, kRefused},
      {Args, "A:\n  --x: a\n", "A.--x", Null{}, kRefused},
  });
}

TEST(WriteValue, Toml) {
  expect_writes({
      {Toml, "tp = 4\n", "tp", 8, "tp = 8\n"},
      {Toml, "tp=4", "tp", 8, "tp=8"},
      {Toml, "\xEF\xBB\xBFtp = 4\r\n", "tp", 8, "\xEF\xBB\xBFtp = 8\r\n"},
      {Toml, "[a.b]\ntp   = 4   # wide\n", "a.b.tp", 8, "[a.b]\ntp   = 8   # wide\n"},
      {Toml, "a.b.tp = 1_000\n", "a.b.tp", 8, "a.b.tp = 8\n"},
      {Toml, "a = { tp = 4, pp = 1 }\n", "a.tp", 8, "a = { tp = 8, pp = 1 }\n"},
      {Toml, "[[s]]\ntp = 1\n[[s]]\ntp = 2\n", "s[1].tp", 8, "[[s]]\ntp = 1\n[[s]]\ntp = 8\n"},
      {Toml, "lr = 1e-4\n", "lr", 2e-5, "lr = 2.0e-5\n"},
      {Toml, "lr = 1.0\n", "lr", 1e20, "lr = 1.0e+20\n"},
      {Toml, "lr = 1.0\n", "lr", 3.0, "lr = 3.0\n"},
      {Toml, "lr = 1.0\n", "lr", kInfinity, "lr = inf\n"},
      {Toml, "lr = 1.0\n", "lr", -kInfinity, "lr = -inf\n"},
      {Toml, "ok = true\n", "ok", false, "ok = false\n"},
      {Toml, "n = 1\n", "n", Null{}, kRefused},
      {Toml, "s = \"a\"\n", "s", "b\"\\", "s = \"b\\\"\\\\\"\n"},
      {Toml, "s = 'a'\n", "s", "b", "s = 'b'\n"},
      {Toml, "s = 'a'\n", "s", "it's", "s = \"it's\"\n"},
      {Toml, "s = 'a'\n", "s", "two\nlines", "s = \"two\\nlines\"\n"},
      {Toml, "s = \"\"\"\na\nb\"\"\" # c\n", "s", "b", "s = \"b\" # c\n"},
      {Toml, "s = 1\n", "s", "8", "s = \"8\"\n"},
      {Toml, "s = \"8\"\n", "s", 8, "s = 8\n"},
      {Toml, "d = 2024-01-01\n", "d", 8, "d = 8\n"},
      {Toml, "l = [1, 2]\n", "l", ValueList{1, 2, 3}, "l = [1, 2, 3]\n"},
      {Toml, "l = [\n  1, # one\n  2,\n]\n", "l", ValueList{1, 3}, "l = [\n  1, # one\n  3,\n]\n"},
      {Toml, "l = [\n  1, # one\n  2,\n]\n", "l", ValueList{1}, kRefused},
      {Toml, "l = [1, 2]\n", "l[0]", 8, "l = [8, 2]\n"},
      {Toml, "[a]\nx = 1\n", "a", 8, kRefused},
      {Toml, "'größe' = 'ä' # é\ntp = 1\n", "tp", 8, "'größe' = 'ä' # é\ntp = 8\n"},
  });
}

TEST(WriteValue, Json) {
  expect_writes({
      {Json, "{\"tp\": 4}", "tp", 8, "{\"tp\": 8}"},
      {Json, "{\"tp\":4,\"pp\":1}\n", "tp", 8, "{\"tp\":8,\"pp\":1}\n"},
      {Json, "{\n\t\"a\": {\n\t\t\"tp\": 4\n\t}\n}\n", "a.tp", 8, "{\n\t\"a\": {\n\t\t\"tp\": 8\n\t}\n}\n"},
      {Json, "{\"lr\": 1e-4}", "lr", 2e-5, "{\"lr\": 2.0e-5}"},
      {Json, "{\"lr\": 1}", "lr", kInfinity, kRefused},
      {Json, "{\"s\": \"a\"}", "s", "b\n\"é\"", "{\"s\": \"b\\n\\\"é\\\"\"}"},
      {Json, "{\"s\": 1}", "s", Null{}, "{\"s\": null}"},
      {Json, "{\"s\": null}", "s", true, "{\"s\": true}"},
      {Json, "{\"l\": [1, 2]}", "l", ValueList{1, "a", false}, "{\"l\": [1, \"a\", false]}"},
      {Json, "{\"l\": [{\"tp\": 1}]}", "l[0].tp", 8, "{\"l\": [{\"tp\": 8}]}"},
      {Json, "{\"m\": {\"tp\": 1}}", "m", Map{}, "{\"m\": {}}"},
      {Hjson, "{\n  // why\n  \"tp\": 4, # c\n}\n", "tp", 8, "{\n  // why\n  \"tp\": 8, # c\n}\n"},
  });
}

TEST(InsertKey, YamlBlock) {
  expect_inserts({
      {Py, "tp: 4\n", "pp", 2, "tp: 4\npp: 2\n"},
      {Py, "tp: 4", "pp", 2, "tp: 4\npp: 2"},
      {Py, "tp: 4\r\n", "pp", 2, "tp: 4\r\npp: 2\r\n"},
      {Py, "a: 1\r\ntp: 4", "pp", 2, "a: 1\r\ntp: 4\r\npp: 2"},
      {Py, "\ntp: 4\n", "pp", 2, "\ntp: 4\npp: 2\n"},
      {Py, "\xEF\xBB\xBFtp: 4\n", "pp", 2, "\xEF\xBB\xBFtp: 4\npp: 2\n"},
      {Py, "a:\n    tp: 4 # c\n    # tail\nb: 1\n", "a.pp", 2, "a:\n    tp: 4 # c\n    pp: 2\n    # tail\nb: 1\n"},
      {Py, "a:\n    tp: 4\nb: 1\n", "a.c.d.e", 2, "a:\n    tp: 4\n    c:\n        d:\n            e: 2\nb: 1\n"},
      {Py, "\xEF\xBB\xBF\x61:\n    tp: 4\n", "a.c.d", 2, "\xEF\xBB\xBF\x61:\n    tp: 4\n    c:\n        d: 2\n"},
      {Py, "a: {x: 1,\n    y: 2}\nb:\n", "b.tp", 8, "a: {x: 1,\n    y: 2}\nb:\n  tp: 8\n"},
      {Py, "a:\n  tp: 4\n", "c.d", "x", "a:\n  tp: 4\nc:\n  d: x\n"},
      {Py, "l:\n  - a: 1\n  - a: 2\nb: 1\n", "l[0].tp", 8, "l:\n  - a: 1\n    tp: 8\n  - a: 2\nb: 1\n"},
      {Py, "a:\n  l:\n  - 1\n  - 2\nb: 1\n", "a.tp", 8, "a:\n  l:\n  - 1\n  - 2\n  tp: 8\nb: 1\n"},
      {Py, "a:\n  s: |\n    text\n    more\n\nb: 1\n", "a.tp", 8, "a:\n  s: |\n    text\n    more\n  tp: 8\n\nb: 1\n"},
      {Py, "a:\n  s: |\n    text", "a.tp", 8, kRefused},  // the text would gain a line ending
      {Py, "a:\n  s: {x: 1,\n      y: 2}\nb: 1\n", "a.tp", 8, "a:\n  s: {x: 1,\n      y: 2}\n  tp: 8\nb: 1\n"},
      {Py, "a:\n  b: plain\n    goes on\nc: 1\n", "a.tp", 8, "a:\n  b: plain\n    goes on\n  tp: 8\nc: 1\n"},
      {Py, "a:\n  b: &x {c: 1}\n  d: *x\ne: 1\n", "a.tp", 8, "a:\n  b: &x {c: 1}\n  d: *x\n  tp: 8\ne: 1\n"},
      {Py, "a:\n  b:\nc: 1\n", "a.tp", 8, "a:\n  b:\n  tp: 8\nc: 1\n"},
      {Py, "a: # why\nc: 1\n", "a.tp", 8, "a: # why\n  tp: 8\nc: 1\n"},
      {Py, "a:\n", "a.b.tp", 8, "a:\n  b:\n    tp: 8\n"},
      {Py, "a:", "a.tp", 8, "a:\n  tp: 8"},
      {Py, "a: null # c\n", "a.tp", 8, "a: {tp: 8} # c\n"},
      {Py, "a: {}\nb: 1\n", "a.tp", 8, "a: {tp: 8}\nb: 1\n"},
      {Py, "{}\n", "tp", 8, "{tp: 8}\n"},
      {Py, "tp: 4\n", "tp", 8, kRefused},
      {Py, "tp: 4\n", "tp.x", 8, kRefused},
      {Py, "l: [1]\n", "l[1].x", 8, kRefused},
      {Py, "l: [1]\n", "l.x", 8, kRefused},
      {Py, "l:\n  - a: 1\n  - a: 2\n", "l[1].tp", 8, "l:\n  - a: 1\n  - a: 2\n    tp: 8\n"},
      {Py, "l:\n  - a: 1\n", "l[0", 8, kRefused},
      {Py, "l:\n  - a: 1\n", "l[x].y", 8, kRefused},
      {Py, "l:\n  - a: 1\n", "l[].y", 8, kRefused},
      {Py, "l:\n  - a: 1\n", "l[0].b[0]", 8, kRefused},
      {Py, "m:\n  a: 1\n", "m[0].y", 8, kRefused},
      {Py, "a: 1\n", "b..c", 8, kRefused},
      {Py, "a: 1\n---\nb: 1\n", "tp", 8, "a: 1\ntp: 8\n---\nb: 1\n"},
      {Py, "a: 1\n...\n", "tp", 8, "a: 1\ntp: 8\n...\n"},
      {Py, "a: 1\n", "s", "no", "a: 1\ns: \"no\"\n"},
      {Py, "a: 1\n", "on", 1, "a: 1\n\"on\": 1\n"},
      {Py, "a: 1\n", "l", ValueList{1, 2}, "a: 1\nl: [1, 2]\n"},
      {Py, "a: 1\n", "n", Null{}, "a: 1\nn: null\n"},
      {Py, "a.b: {c: 1}\n", "a.b.d", 2, "a.b: {c: 1, d: 2}\n"},
      {Py, "a: {x: 1}\na.b: {c: 1}\n", "a.b.d", 2, "a: {x: 1}\na.b: {c: 1, d: 2}\n"},
      {Py, "a.b: {c: 1}\na: {x: 1}\n", "a.b.d", 2, "a.b: {c: 1, d: 2}\na: {x: 1}\n"},
      {Args, "MODEL_ARGS:\n  --tp: 4\nX: 1\n", "MODEL_ARGS.--bf16", true, "MODEL_ARGS:\n  --tp: 4\n  --bf16: true\nX: 1\n"},
      {Args, "MODEL_ARGS:\n  --tp: 4\n", "MODEL_ARGS.--mods", ValueList{"a", "b"}, "MODEL_ARGS:\n  --tp: 4\n  --mods: \"[a b]\"\n"},
  });
}

TEST(InsertKey, CountsItems) {
  std::string list = "l:\n";
  for (int i = 0; i < 12; ++i) list += "  - {a: " + std::to_string(i) + "}\n";
  for (const char* index : {"9", "10", "11"}) {
    std::string wanted = list;
    wanted.replace(wanted.find("{a: " + std::string(index) + "}"), 4 + std::string(index).size(), "{a: " + std::string(index) + ", b: 1");
    expect_inserts({{Py, list.c_str(), ("l[" + std::string(index) + "].b").c_str(), 1, wanted.c_str()}});
  }
}

// A key that stands twice is TOML's own complaint and hides nothing; what could not be read may hide anything.
TEST(WriteValue, TomlWithProblems) {
  const File twice("a = 1\na = 2\nb = 3\n", Format::Toml, Toml);
  const Edits edits = write_value(twice.fact("b"), 4, Toml);
  ASSERT_TRUE(edits);
  EXPECT_EQ(apply(*twice.document->source, *edits), "a = 1\na = 2\nb = 4\n");
  EXPECT_FALSE(write_value(File("b = 3\na = \n", Format::Toml, Toml).fact("b"), 4, Toml));
}

TEST(InsertKey, YamlFlow) {
  expect_inserts({
      {Py, "{tp: 4}\n", "pp", 2, "{tp: 4, pp: 2}\n"},
      {Py, "a: {tp: 4} # c\n", "a.b.c", 2, "a: {tp: 4, b: {c: 2}} # c\n"},
      {Py, "a: {tp: 4,}\n", "a.pp", 2, "a: {tp: 4, pp: 2,}\n"},
      {Py, "a: { }\n", "a.pp", 2, "a: { pp: 2 }\n"},
      {Py, "a: {b: , c: 1}\n", "a.b.pp", 2, "a: {b: {pp: 2} , c: 1}\n"},
      {Py, "a: {\n  tp: 4 # four\n}\n", "a.pp", 2, "a: {\n  tp: 4, # four\n  pp: 2\n}\n"},
      {Py, "a: {\n  tp: 4, # four\n}\n", "a.pp", 2, "a: {\n  tp: 4, # four\n  pp: 2,\n}\n"},
      {Py, "a: {\n  tp: 4 ,\n}\n", "a.pp", 2, "a: {\n  tp: 4 ,\n  pp: 2,\n}\n"},
      {Py, "a: {b: 1}\n", "a.s", "x, y", "a: {b: 1, s: \"x, y\"}\n"},
      {Py, "a: !t &x {b: 1}\n", "a.c", 2, "a: !t &x {b: 1, c: 2}\n"},
      {Py, "l: [a: 1]\n", "l[0].b", 2, kRefused},
  });
}

TEST(InsertKey, YamlShared) {
  expect_inserts({
      {Py, "t: &t {tp: 4}\njob:\n  <<: *t\n  x: 1\n", "job.pp", 8, "t: &t {tp: 4}\njob:\n  <<: *t\n  x: 1\n  pp: 8\n"},
      {Py, "t: &t {tp: 4}\njob:\n  <<: *t\n", "job.pp", 8, "t: &t {tp: 4}\njob:\n  <<: *t\n  pp: 8\n"},
      {Py, "t: &t {tp: 4}\njob:\n  <<: *t\n", "job.tp", 8, "t: &t {tp: 4}\njob:\n  <<: *t\n  tp: 8\n"},
      {Py, "t: &t {m: {tp: 4}}\njob:\n  <<: *t\n", "job.m.pp", 8, kRefused},
      {Py, "a: &m\n  tp: 4\nb: *m\n", "a.pp", 8, kRefused},
      {Py, "a: &m {tp: 4}\nb: *m\n", "b.pp", 8, kRefused},
  });
}

TEST(InsertKey, Toml) {
  expect_inserts({
      {Toml, "tp = 4\n", "pp", 2, "tp = 4\npp = 2\n"},
      {Toml, "tp = 4", "pp", 2, "tp = 4\npp = 2"},
      {Toml, "tp = 4\r\n", "a.pp", 2, "tp = 4\r\n\r\n[a]\r\npp = 2\r\n"},
      {Toml, "tp = 4", "a.pp", 2, "tp = 4\n\n[a]\npp = 2"},
      {Toml, "[a]\ntp = 4 # c\n# tail\n\n[b]\nx = 1\n", "a.pp", 2, "[a]\ntp = 4 # c\npp = 2\n# tail\n\n[b]\nx = 1\n"},
      {Toml, "[a]\n  tp = 4\n[b]\n", "a.pp", 2, "[a]\n  tp = 4\n  pp = 2\n[b]\n"},
      {Toml, "[a] # c\n\n[b]\nx = 1\n", "a.pp", 2, "[a] # c\npp = 2\n\n[b]\nx = 1\n"},
      {Toml, "[a]", "a.pp", 2, "[a]\npp = 2"},
      {Toml, "# about a\n[a]\nx = 1\n", "tp", 2, "tp = 2\n\n# about a\n[a]\nx = 1\n"},
      {Toml, "# licence\n\n# about a\n[a]\nx = 1\n", "tp", 2, "# licence\n\ntp = 2\n\n# about a\n[a]\nx = 1\n"},
      {Toml, "\xEF\xBB\xBF[a]\nx = 1\n", "tp", 2, "\xEF\xBB\xBFtp = 2\n\n[a]\nx = 1\n"},
      {Toml, "tp = 1\n[a]\nx = 1\n", "pp", 2, "tp = 1\npp = 2\n[a]\nx = 1\n"},
      {Toml, "[a]\nx = 1\n[a.b]\ny = 1\n", "a.pp", 2, "[a]\nx = 1\npp = 2\n[a.b]\ny = 1\n"},
      {Toml, "[a.b]\ny = 1\n", "a.pp", 2, "[a.b]\ny = 1\n\n[a]\npp = 2\n"},
      {Toml, "[a.b]\ny = 1\n", "a.c.pp", 2, "[a.b]\ny = 1\n\n[a.c]\npp = 2\n"},
      {Toml, "[a.b]\ny = 1\n", "a.b.pp", 2, "[a.b]\ny = 1\npp = 2\n"},
      {Toml, "a.tp = 1\nb = 2\n", "a.pp", 2, "a.tp = 1\na.pp = 2\nb = 2\n"},
      {Toml, "[x]\na.b.tp = 1\nb = 2\n", "x.a.b.pp", 2, "[x]\na.b.tp = 1\na.b.pp = 2\nb = 2\n"},
      {Toml, "[x]\na.b.tp = 1\n", "x.a.c.pp", 2, "[x]\na.b.tp = 1\na.c.pp = 2\n"},
      {Toml, "a = { tp = 1 } # c\n", "a.pp", 2, "a = { tp = 1, pp = 2 } # c\n"},
      {Toml, "a = { tp = 1 }\n", "a.b.pp", 2, "a = { tp = 1, b.pp = 2 }\n"},
      {Toml, "a = {}\n", "a.pp", 2, "a = { pp = 2 }\n"},
      {Toml, "[[s]]\nx = 1\n\n[[s]]\nx = 2\n", "s[0].tp", 8, "[[s]]\nx = 1\ntp = 8\n\n[[s]]\nx = 2\n"},
      {Toml, "[[s]]\nx = 1\n\n[[s]]\nx = 2\n", "s[0].o.tp", 8, "[[s]]\nx = 1\no.tp = 8\n\n[[s]]\nx = 2\n"},
      {Toml, "l = [\n  1,\n  2,\n]\n", "tp", 8, "l = [\n  1,\n  2,\n]\ntp = 8\n"},
      {Toml, "s = \"\"\"\na\n\"\"\"\n", "tp", 8, "s = \"\"\"\na\n\"\"\"\ntp = 8\n"},
      {Toml, "x = 1\n", "odd key.y", "v", "x = 1\n\n[\"odd key\"]\ny = \"v\"\n"},
      {Toml, "x = 1\n", "azAZ09-_", 2, "x = 1\nazAZ09-_ = 2\n"},
      {Toml, "a.tp = 1\nb = 2\na.pp = 3\n", "c", 2, "a.tp = 1\nb = 2\na.pp = 3\nc = 2\n"},  // below its last line, whoever's key that is
      {Toml, "x = 1\n", "m", Map{}, "x = 1\nm = {}\n"},
      {Toml, "x = 1\n", "m", Map{1}, kRefused},
      {Toml, "x = 1\n\n", "a.y", "v", "x = 1\n\n[a]\ny = \"v\"\n"},
      {Toml, "x = 1\n", "x", 2, kRefused},
      {Toml, "x = 1\n", "x.y", 2, kRefused},
      {Toml, "x = 1\n", "y", Null{}, kRefused},
  });
}

TEST(InsertKey, Json) {
  expect_inserts({
      {Json, "{\"tp\": 4}", "pp", 2, "{\"tp\": 4, \"pp\": 2}"},
      {Json, "{\"tp\":4}", "pp", 2, "{\"tp\":4,\"pp\":2}"},
      {Json, "{\"a\":1, \"tp\":4}", "pp", 2, "{\"a\":1, \"tp\":4, \"pp\":2}"},
      {Json, "{\"a\": 1,\"tp\": 4}", "pp", 2, "{\"a\": 1,\"tp\": 4,\"pp\": 2}"},
      {Json, "{\n  \"tp\": 4  \n}\n", "pp", 2, "{\n  \"tp\": 4,  \n  \"pp\": 2\n}\n"},
      {Json, "{\"a\":1,\"tp\":4}\n", "b.c", 2, "{\"a\":1,\"tp\":4,\"b\":{\"c\":2}}\n"},
      {Json, "{}", "pp", 2, "{\"pp\": 2}"},
      {Json, "{\n}\n", "pp", 2, "{\n  \"pp\": 2\n}\n"},
      {Json, "{\"a\": {}}", "a.b.c", 2, "{\"a\": {\"b\": {\"c\": 2}}}"},
      {Json, "{\n    \"tp\": 4\n}\n", "pp", 2, "{\n    \"tp\": 4,\n    \"pp\": 2\n}\n"},
      {Json, "{\r\n\t\"a\": {\r\n\t\t\"tp\": 4\r\n\t}\r\n}", "a.pp", 2, "{\r\n\t\"a\": {\r\n\t\t\"tp\": 4,\r\n\t\t\"pp\": 2\r\n\t}\r\n}"},
      {Json, "{\n  \"a\": {\n    \"tp\": 4\n  }\n}\n", "pp", 2, "{\n  \"a\": {\n    \"tp\": 4\n  },\n  \"pp\": 2\n}\n"},
      {Json, "{\n  \"a\": {\n  }\n}\n", "a.pp", 2, "{\n  \"a\": {\n    \"pp\": 2\n  }\n}\n"},
      {Json, "{\n  \"tp\": 4}", "pp", 2, "{\n  \"tp\": 4,\n  \"pp\": 2}"},
      {Json, "{\"l\": [{\"tp\": 4}]}", "l[0].pp", 2, "{\"l\": [{\"tp\": 4, \"pp\": 2}]}"},
      {Json, "\xEF\xBB\xBF{\"tp\": 4}", "pp", 2, "\xEF\xBB\xBF{\"tp\": 4, \"pp\": 2}"},
      {Json, "{\"a\": null}", "a.b", 2, kRefused},
      {Json, "[1]", "a", 2, kRefused},
      {Json, "{\"tp\": 4}", "lr", kInfinity, kRefused},
      {Hjson, "{\n  \"tp\": 4 // four\n}\n", "pp", 2, "{\n  \"tp\": 4, // four\n  \"pp\": 2\n}\n"},
      {Hjson, "{\n  \"a\": 1\n  \"tp\": 4 // four\n}\n", "pp", 2, "{\n  \"a\": 1\n  \"tp\": 4 // four\n  \"pp\": 2\n}\n"},
      {Hjson, "{\n  \"tp\": 4, // four\n}\n", "pp", 2, "{\n  \"tp\": 4, // four\n  \"pp\": 2,\n}\n"},
      {Hjson, "{\r\n  \"tp\": 4, // four\r\n}\r\n", "pp", 2, "{\r\n  \"tp\": 4, // four\r\n  \"pp\": 2,\r\n}\r\n"},
  });
}

TEST(RemoveFact, Yaml) {
  expect_removals({
      {Py, "a: 1\ntp: 4 # c\nb: 2\n", "tp", "a: 1\nb: 2\n"},
      {Py, "a: 1\ntp: 4", "tp", "a: 1"},
      {Py, "a: 1\r\ntp: 4", "tp", "a: 1"},
      {Py, "a: 1\r\ntp: 4\r\nb: 1\r\n", "tp", "a: 1\r\nb: 1\r\n"},
      {Py, "\xEF\xBB\xBFtp: 4\nb: 1\n", "tp",
       "\xEF\xBB\xBF"
       "b: 1\n"},
      {Py, "a: 1\n# about tp\ntp: 4\nb: 2\n", "tp", "a: 1\n# about tp\nb: 2\n"},
      {Py, "a:\n  tp: 4\n  x:\n    y: 1 # deep\n    z: 2\nb: 2\n", "a.x", "a:\n  tp: 4\nb: 2\n"},
      {Py, "a:\n  tp: 4 # c\nb: 2\n", "a.tp", "a: {}\nb: 2\n"},
      {Py, "a: # c\n  tp: 4\nb: 2\n", "a.tp", "a: {} # c\nb: 2\n"},
      {Py, "a: &x # c\n  # about tp\n  tp: 4\nb: 2\n", "a.tp", "a: &x # c\n  # about tp\n  {}\nb: 2\n"},
      {Py, "l: # c\n- tp: 4 # d\n  pp: 1\nb: 2", "l[0]", "l: [] # c\nb: 2"},
      {Py, "a:\n  tp: 4", "a.tp", "a: {}"},
      {Py, "l:\n  - # one\n    tp: 4\n  - # two\n    tp: 2\n", "l[0]", "l:\n  - # two\n    tp: 2\n"},
      {Py, "- # one\n  tp: 4\n- tp: 2\n", "[0]", "- tp: 2\n"},
      {Py, "tp: 4\n", "tp", "{}\n"},
      {Py, "l:\n  - tp: 4\n    pp: 1\n  - tp: 2\n", "l[0].tp", "l:\n  - pp: 1\n  - tp: 2\n"},
      {Py, "l:\n  - tp: 4\n  - tp: 2\n", "l[0].tp", "l:\n  - {}\n  - tp: 2\n"},
      {Py, "l:\n  - 1\n  - 2 # c\n  - 3\n", "l[1]", "l:\n  - 1\n  - 3\n"},
      {Py, "l:\n- a: 1\n  b: 2\n- a: 2\n", "l[0]", "l:\n- a: 2\n"},
      {Py, "l:\n- a\nb: 1\n", "l[0]", "l: []\nb: 1\n"},
      {Py, "l:\n- &x a\n- b\n", "l[0]", "l:\n- b\n"},
      {Py, "l:\n- &x a\n- *x\n", "l[0]", kRefused},
      {Py, "l:\n- &x a\n- *x\n", "l[1]", "l:\n- &x a\n"},
      {Py, "a: 1\n&x b: 2\n", "b", kRefused},
      {Py, "a: 1\n? b\n: 2\n", "b", kRefused},
      {Py, "l: [1, 2, 3]\n", "l[0]", "l: [2, 3]\n"},
      {Py, "l: [1, 2, 3]\n", "l[2]", "l: [1, 2]\n"},
      {Py, "{a: 1, tp: 4}\n", "tp", "{a: 1}\n"},
      {Py, "m: {tp: 4}\n", "m.tp", "m: {}\n"},
      {Py, "m: &x {tp: 4}\n", "m.tp", "m: &x {}\n"},
      {Py, "m: {a: 1, tp: 4,}\n", "m.tp", "m: {a: 1,}\n"},
      {Py, "m: {\n  a: 1, # one\n  tp: 4 # four\n}\n", "m.tp", "m: {\n  a: 1 # one\n}\n"},
      {Py, "a: 1\ns: |\n  x\n  y\nb: 1\n", "s", "a: 1\nb: 1\n"},
      {Py, "a: 1\ntp:\nb: 1\n", "tp", "a: 1\nb: 1\n"},
      {Py, "t: &t {tp: 4}\njob:\n  <<: *t\n  x: 1\n", "job.x", "t: &t {tp: 4}\njob:\n  <<: *t\n"},
      {Args, "A:\n  --tp: 4\n  --bf16: true # c\n", "A.--bf16", "A:\n  --tp: 4\n"},
  });
}

TEST(RemoveFact, Toml) {
  expect_removals({
      {Toml, "a = 1\ntp = 4 # c\nb = 2\n", "tp", "a = 1\nb = 2\n"},
      {Toml, "a = 1\ntp = 4", "tp", "a = 1"},
      {Toml, "[x]\ntp = 4\n", "x.tp", "[x]\n"},
      {Toml, "tp = 4\n", "tp", kRefused},
      {Toml, "a.tp = 4\na.pp = 1\n", "a.tp", "a.pp = 1\n"},
      {Toml, "a.b.tp = 4\nc = 1\n", "a.b.tp", "c = 1\n"},
      {Toml, "l = [\n  1,\n  2, # two\n  3,\n]\n", "l[1]", "l = [\n  1,\n  3,\n]\n"},
      {Toml, "l = [1, 2]\n", "l[1]", "l = [1]\n"},
      {Toml, "l = [\n  1,\n  2\n]\nb = 1\n", "l", "b = 1\n"},
      {Toml, "a = { tp = 1, pp = 2 }\n", "a.pp", "a = { tp = 1 }\n"},
      {Toml, "a = { tp = 1, pp = 2 }\n", "a.tp", "a = { pp = 2 }\n"},
      {Toml, "a = { b.tp = 1, pp = 2 }\n", "a.pp", "a = { b.tp = 1 }\n"},
      {Toml, "a = { b.tp = 1, b.pp = 2, c = 3 }\n", "a.b.tp", kRefused},  // its table has no brackets of its own
      {Toml, "a = { pp = 2, b.tp = 1 }\n", "a.pp", "a = { b.tp = 1 }\n"},
      {Toml, "tp = 4", "tp", kRefused},
      {Toml, "[a]\nx = 1\n\n[b]\ny = 2\n\n[c]\nz = 1\n", "b", "[a]\nx = 1\n\n[c]\nz = 1\n"},
      {Toml, "[[s]]\nx = 1\n\n[[s]]\nx = 2\n", "s[0]", "[[s]]\nx = 2\n"},
      {Toml, "a = 1\n[[s]]\nx = 1\n", "s[0]", "a = 1\n"},
      {Toml, "a = 1\n[[s]]\nx = 1\n[[s]]\nx = 2\n", "s", kRefused},
      {Toml, "z = 1\n[a]\nl = [1]\n", "a", "z = 1\n"},
      {Toml, "[a]\nx = 1\n[b]\ny = 1\n[b.c]\nz = 1\n[d]\nw = 1\n", "b", "[a]\nx = 1\n[d]\nw = 1\n"},
      {Toml, "[a]\nx = 1\n[b]\n[b.c]\n[b.c.d]\nz = 1\n[d]\nw = 1\n", "b", "[a]\nx = 1\n[d]\nw = 1\n"},
      {Toml, "[a]\nx = 1\n[b]\n[b.c]\n[[b.c.d]]\nz = 1\n[[b.c.d]]\nz = 2\n[d]\nw = 1\n", "b", "[a]\nx = 1\n[d]\nw = 1\n"},
      {Toml, "[a]\nx = 1\n[b]\nc.d.e = 1\nc.d.f = [\n  2,\n]\n[d]\nw = 1\n", "b", "[a]\nx = 1\n[d]\nw = 1\n"},
      {Toml, "[a]\nx = 1\n[b]\nc.d.e = 1\nc.f = 2\nc.d.g = \"\"\"\n3\"\"\"\n[d]\nw = 1\n", "b", "[a]\nx = 1\n[d]\nw = 1\n"},
      {Toml, "[a]\nx = 1\n[b]\nc = {e = {f = 1}} # f\n[d]\nw = 1\n", "b", "[a]\nx = 1\n[d]\nw = 1\n"},
      {Toml, "[a.b] # c\nx = 1 # d\n# e\ny = 1\n", "a.b", kRefused},
      {Toml, "z = 1\n[a.b] # c\nx = 1 # d\n", "a.b", "z = 1\n"},
  });
}

TEST(RemoveFact, Json) {
  expect_removals({
      {Json, "{\"a\": 1, \"tp\": 4}", "tp", "{\"a\": 1}"},
      {Json, "{\"tp\": 4, \"a\": 1}", "tp", "{\"a\": 1}"},
      {Json, "{\"tp\": 4}", "tp", "{}"},
      {Json, "{\n  \"tp\": 4\n}\n", "tp", "{}\n"},
      {Json, "{\n  \"a\": 1, \"tp\": 4,\n  \"b\": 2\n}\n", "tp", "{\n  \"a\": 1, \"b\": 2\n}\n"},
      {Hjson, "{\n  \"a\": 1, // one\n  \"tp\": 4, // four\n  \"b\": 2\n}\n", "tp", "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n"},
      {Hjson, "{\n  \"a\": 1,\n  // about tp\n  \"tp\": 4\n}\n", "a", "{\n  // about tp\n  \"tp\": 4\n}\n"},
      {Json, "{\n  \"a\": 1,\n  \"tp\": 4\n}\n", "tp", "{\n  \"a\": 1\n}\n"},
      {Json, "{\n  \"tp\": 4,\n  \"a\": 1\n}\n", "tp", "{\n  \"a\": 1\n}\n"},
      {Json, "{\n  \"m\": {\n    \"x\": 1\n  },\n  \"a\": 1\n}\n", "m", "{\n  \"a\": 1\n}\n"},
      {Json, "{\"a\": 1\n, \"tp\": 4\n, \"b\": 2}\n", "tp", "{\"a\": 1\n, \"b\": 2}\n"},
      {Json, "{\"l\": [1, 2, 3]}", "l[1]", "{\"l\": [1, 3]}"},
      {Hjson, "{\n  \"a\": 1, // one\n  \"tp\": 4 // four\n}\n", "tp", "{\n  \"a\": 1 // one\n}\n"},
      {Hjson, "{\n  \"a\": 1 // one\n  \"tp\": 4 // four\n}\n", "tp", "{\n  \"a\": 1 // one\n}\n"},
      {Hjson, "{\n  \"a\": 1,\n  // about tp\n  \"tp\": 4, // four\n}\n", "tp", "{\n  \"a\": 1,\n  // about tp\n}\n"},
  });
}

TEST(RenameKey, AllSyntaxes) {
  const Rename table[] = {
      {Py, "tp: 4 # c\n", "tp", "tensor_parallel", "tensor_parallel: 4 # c\n"},
      {Py, "\"tp\": 4\n", "tp", "t\"p", "\"t\\\"p\": 4\n"},
      {Py, "'tp': 4\n", "tp", "t'p", "'t''p': 4\n"},
      {Py, "a:\n  tp:\n    x: 1\n    y: [1]\n", "a.tp", "pp", "a:\n  pp:\n    x: 1\n    y: [1]\n"},
      {Py, "tp: 4\npp: 1\n", "tp", "pp", kRefused},
      {Py, "tp: 4\n", "tp", "on", "\"on\": 4\n"},
      {Args, "A:\n  --tp: 4\n", "A.--tp", "--tensor", "A:\n  --tensor: 4\n"},
      {Toml, "a.tp = 4\n", "a.tp", "pp", "a.pp = 4\n"},
      {Toml, "[a.tp]\nx = 1\n", "a.tp", "pp", "[a.pp]\nx = 1\n"},
      {Toml, "[a]\nx = 1\n[a.b]\ny = 1\n", "a", "c", kRefused},
      {Toml, "tp = 4\npp = 1\n", "tp", "pp", kRefused},
      {Toml, "tp = 4\n", "tp", "odd key", "\"odd key\" = 4\n"},
      {Toml, "'tp' = 4\n", "tp", "pp", "'pp' = 4\n"},
      {Json, "{\"tp\": 4, \"a\": 1}", "tp", "pp", "{\"pp\": 4, \"a\": 1}"},
      {Json, "{\"tp\": 4, \"a\": 1}", "tp", "a", kRefused},
      {Py, "l: [1]\n", "l[0]", "x", kRefused},
      {Py, "l:\n- 1\n", "l[0]", "x", kRefused},
      {Py, "tp: 4\n", "tp", "", kRefused},
  };
  for (const Rename& row : table) {
    const File file(row.before, format_for(row.dialect), row.dialect);
    const Edits edits = rename_key(file.fact(row.path), row.key);
    const std::optional<std::string> text = edits ? apply(*file.document->source, *edits) : std::nullopt;
    if (!row.after) {
      EXPECT_FALSE(edits) << row.before << " made " << text.value_or("");
      continue;
    }
    EXPECT_EQ(text.value_or("refused"), row.after) << row.before;
  }
}

TEST(Writers, LeaveSettingsAlone) {
  Fact setting;
  setting.path = "nodes";
  setting.way = Way::Setting;
  EXPECT_FALSE(write_value(setting, 8, Dialect::Toml));
  EXPECT_FALSE(remove_fact(setting));
  EXPECT_FALSE(rename_key(setting, "x"));
  EXPECT_FALSE(insert_key(nullptr, Node(), "x", 8, Dialect::Toml));
  const File file("tp = 4\n", Format::Toml, Toml);
  EXPECT_FALSE(insert_key(file.document, file.root(), "", 8, Toml));
  // What lacks one of its places was not written where it seems to stand.
  for (const auto& lack :
       {+[](Fact& fact) { fact.document = nullptr; }, +[](Fact& fact) { fact.place = {}; }, +[](Fact& fact) { fact.key_place = {}; }}) {
    Fact fact = file.fact("tp");
    lack(fact);
    EXPECT_FALSE(write_value(fact, 8, Toml));
    EXPECT_FALSE(remove_fact(fact));
  }
}

TEST(Writers, LeaveBrokenFilesAlone) {
  for (const auto& [dialect, text] : {std::pair{Py, "tp: 4\nl: [1\n"}, {Toml, "tp = 4\nl = [1\n"}, {Json, "{\"tp\": 4, \"l\": [1}"}}) {
    const File file(text, format_for(dialect), dialect);
    EXPECT_FALSE(write_value(file.fact("tp"), 8, dialect)) << text;
    EXPECT_FALSE(insert_key(file.document, file.root(), "pp", 8, dialect)) << text;
  }
}

TEST(Writers, MendKeysWrittenTwice) {
  const File yaml("tp: 4\npp: 1\ntp: 8\n", Format::Yaml, Py);
  EXPECT_EQ(apply(*yaml.document->source, *rename_key(yaml.fact("tp"), "cp")), "tp: 4\npp: 1\ncp: 8\n");
  EXPECT_EQ(apply(*yaml.document->source, *write_value(yaml.fact("tp"), 2, Py)), "tp: 4\npp: 1\ntp: 2\n");
  const Node& root = yaml.root();
  Fact loser;  // no fact: a shadowed entry has no say; hygiene rules make one to delete it
  loser.document = yaml.document;
  loser.node = root.entries.front().value;
  loser.parent = &root;
  loser.place = yaml.document->place(root.entries.front().value_range);
  loser.key_place = yaml.document->place(root.entries.front().key_range);
  EXPECT_EQ(apply(*yaml.document->source, remove_fact(loser).value()), "pp: 1\ntp: 8\n");
}

// Every change to every fact of files that mix whatever the syntaxes have: whatever is answered is read again, and the rest is as it was.
TEST(Writers, NeverBreakAFile) {
  const std::pair<Dialect, std::string> files[] = {
      {Py,
       "# top\na: &a {x: 1, 'y': [1, \"two\", ~], z: }\nb:\n- c: |+\n    t\n\n  d: >\n   f\n- - 1\n  -\n  - &i 3\n"
       "- {<<: *a, k: *i}\n"
       "? q\n: {}\n\"e f\": !!str 5 # c\nlast: plain\n  more"},
      {Py,
       "\xEF\xBB\xBF%YAML 1.1\r\n---\r\na: !x &b\r\n  c: 1 # c\r\n"
       "  \"d\":\r\n  - 1\r\n# e\r\n  - [a, {b: c}]\r\n...\r\n---\r\nf: 'g'\r\n"},
      {Y12, "m: {\n  a: 1, # one\n  b: [\n    1,\n    2 # two\n  ],\n  c: {d: e,},\n}\nn: {a}\no: [a: 1, ? b]\n"},
      {Args, "A:\n  --a: true\n  --b: \"[x y]\"\n  --c: 1e-5\n  --d:\n  --e: {}\n"},
      {Toml,
       "# top\na.b.c = 1\na.d = 'x'\n'q r' = { s = 1, t.u = [1, 2,] }\n[x] # c\ny = \"\"\"\nz\"\"\"\n[x.w]\nv = 1e5\n[[l]]\nm = 1\n"
       "[l.n]\no = 1979-05-27\n[[l]]\n[p.q.r]\ns = [\n  1, # one\n  { a = 1 }\n]"},
      {Json, "{\n \"a\": [1, {\"b\": null}, []],\n \"c\": {\"d\": {}, \"e\": \"\\u00e9\"}, \"f\": 1.5e3\n}"},
      {Hjson, "{\n  // c\n  \"a\": 1 # d\n  \"b\": [1, 2,], /* e */\n  \"c\": {\"d\": 2,}\n}\n"},
  };
  const Value values[] = {Value(8),    Value(0.5), Value(true), Value("x"), Value("a: [b] #c"), Value(), Value(ValueList{1, "b"}),
                          Value(Map{})};
  int made = 0;
  for (const auto& [file_dialect, text] : files) {
    const Dialect dialect = file_dialect;  // for the lambda
    const File file(text, format_for(dialect), dialect);
    ASSERT_TRUE(file.document->problems.empty()) << text << "\n" << file.document->problems.front().message;
    const auto check = [&](const Edits& edits, const Fact& fact, const char* what) {
      if (!edits) return;
      ++made;
      const std::optional<std::string> after = apply(*file.document->source, *edits);
      ASSERT_TRUE(after);
      const File again(*after, file.document->format, dialect);
      EXPECT_TRUE(again.document->problems.empty()) << what << " " << fact.path << "\n" << *after;
    };
    for (const Fact& fact : file.facts()) {
      for (const Value& value : values) {
        const Edits edits = write_value(fact, value, dialect);
        check(edits, fact, "write");
        if (edits && dialect != Args) {
          const File again(*apply(*file.document->source, *edits), file.document->format, dialect);
          EXPECT_EQ(to_string(again.fact(fact.path).value), to_string(value)) << fact.path;
        }
      }
      check(remove_fact(fact), fact, "remove");
      check(rename_key(fact, "renamed"), fact, "rename");
      check(insert_key(file.document, file.root(), fact.path + ".new.key", 8, dialect), fact, "insert");
      check(insert_key(file.document, file.root(), fact.path + "2", 8, dialect), fact, "insert");
    }
  }
  EXPECT_GT(made, 300);
}

}  // namespace
}  // namespace shardlint
