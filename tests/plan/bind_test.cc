// Binding: what is said of keys and values before any law is read, and which fix is proposed.
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

constexpr std::string_view kSchema = R"toml(
name = "small"
title = "Small"
versions = ["1.0"]
formats = ["yaml"]
loader = "pyyaml"
unknown_key = "error"
wrong_type = "error"
[recognise]
keys = ["tp", "section.width", "stages*"]
needs = 2
never = ["other"]
[plan]
)toml";
constexpr std::string_view kKeys =
    "key\ttype\tdefault\tchoices\tflags\tin\tsince\tuntil\tinstead\tstate\n"
    "tp\tint\t1\t\t--tp\n"
    "ratio\tfloat\t0.5\t\t--ratio\n"
    "fused\tbool\tfalse\t\t--fused=true --no-fused=false\n"
    "kind\tenum\t\"a\"\talpha|beta\t--kind\n"
    "level\tenum\t\"low\"\ti:low|high\t--level\n"
    "open\tstr\t\"x\"\t~:x|y\n"
    "names\tlist[str]\t[]\t\t--names\n"
    "section\tdict|null\tnull\n"
    "section.width\tint\t<required>\n"
    "section.depth\tint|null\tnull\n"
    "section.older\tint\t1\t\t\t\t\t\tsection.depth\tdeprecated\n"
    "section.gone\tint\t1\t\t\t\t\t\t(say it elsewhere)\tremoved\n"
    "free\tdict\n"
    "free.*\tany\n"
    "stages\tlist\t[]\n"
    "stages[*].name\tstr\t<required>\n"
    "stages[*].start\tint\t1\n"
    "fresh\tint\t1\t\t\t\t2.0\n"
    "left\tint\t1\t\t\t\t\t0.9\n";

std::string said(const Bound& bound) {
  std::string out;
  for (const Violation& violation : bound.violations) {
    out += fmt::format("{} {}: {}", name(violation.severity), violation.rule, violation.message);
    for (const Proposal& proposal : violation.proposals) {
      out += fmt::format(" | {}", name(proposal.safety));
      for (const Change& change : proposal.changes) {
        static constexpr std::string_view kKinds[] = {"set", "insert", "remove", "rename"};
        out += fmt::format(" {}", kKinds[static_cast<std::size_t>(change.kind)]);
        if (!change.path.empty()) out += " " + change.path;
        if (change.kind == Change::Kind::Insert) out += " =";
        if (change.kind == Change::Kind::Set || change.kind == Change::Kind::Insert) out += " " + shown(change.value);
      }
    }
    out += "\n";
  }
  return out;
}

struct Row {
  std::string_view given, expected;
};

void expect_said(const std::string& schema, std::span<const Row> rows) {
  const auto data = load({{"schema.toml", schema}, {"keys.tsv", std::string(kKeys)}});
  ASSERT_TRUE(data);
  for (const Row& row : rows) {
    const Judged run(data->schema, row.given);
    EXPECT_EQ(said(bind(run.job)), row.expected) << row.given;
  }
}

TEST(Bind, WhatASwitchRequires) {
  const std::string keys =
      "key\ttype\tdefault\n"
      "tp\tint\t1\n"
      "backend\tdict\n"
      "backend.enabled\tbool\t<required>\n"
      "backend.width\tint\t<required if enabled>\n"
      "backend.inner\tdict\n"
      "backend.inner.rate\tfloat\t<required>\n"
      "loss\tdict\t<required if ppo or grpo>\n"
      "ppo\tdict\n"
      "grpo\tdict\n";
  const auto data = load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", keys}});
  ASSERT_TRUE(data);
  const Row kRows[] = {
      {"backend: {enabled: true, width: 2}\n", ""},
      {"backend: {enabled: true}\n", "error hygiene/missing-key: backend has no width, and Small gives it no default\n"},
      {"backend: {width: 2}\n", "error hygiene/missing-key: backend has no enabled, and Small gives it no default\n"},
      // Where it is off, nobody reads the rest.
      {"backend: {enabled: false}\n", ""},
      {"backend: {enabled: false, width: wide, inner: {}}\n", ""},
      {"backend: {enabled: true, width: 2, inner: {}}\n", "error hygiene/missing-key: inner has no rate, and Small gives it no default\n"},
      {"tp: 1\n", ""},
      {"grpo: {}\n", "error hygiene/missing-key: loss is missing, and Small gives it no default\n"},
      {"ppo: {}\nloss: {}\n", ""},
  };
  for (const Row& row : kRows) {
    const Judged run(data->schema, row.given);
    EXPECT_EQ(said(bind(run.job)), row.expected) << row.given;
  }
}

TEST(Bind, Keys) {
  const Row kRows[] = {
      {"tp: 2\nsection: {width: 3}\nfree: {a: {b: 1}}\nstages: [{name: a}]\n", ""},
      {"tpp: 2\n", "error hygiene/unknown-key: Small has no key tpp; the nearest is tp | unsafe rename tp | unsafe remove\n"},
      {"zzz: 2\n", "error hygiene/unknown-key: Small has no key zzz | unsafe remove\n"},
      {"section: {width: 1, widht: 3}\n",
       "error hygiene/unknown-key: Small has no key widht in section; the nearest is width | unsafe rename width | unsafe remove\n"},
      {"section: {width: 1, tp: 3}\n",
       "error hygiene/key-under-wrong-parent: tp belongs at the top, not under section | safe remove insert tp = 3\n"},
      {"width: 3\n",
       "error hygiene/key-under-wrong-parent: width belongs under section, not at the top | safe remove insert section.width = 3\n"},
      {"foreign: {a: 1, b: {c: 2}}\n", "error hygiene/unknown-key: Small has no key foreign | unsafe remove\n"},
      {"stages: [{name: a, strat: 1}, {start: 3}]\n",
       "error hygiene/unknown-key: Small has no key strat in stages[0]; the nearest is start | unsafe rename start | unsafe remove\nerror "
       "hygiene/missing-key: stages[1] has no name, and Small gives it no default\n"},
      {"section: {depth: 3}\n", "error hygiene/missing-key: section has no width, and Small gives it no default\n"},
      {"section: null\n", ""},
      {"section: {width: 1, older: 3}\n",
       "warning hygiene/deprecated-key: older is deprecated; depth takes its place | safe rename depth | unsafe remove\n"},
      {"section: {width: 1, gone: 3}\n", "error hygiene/deprecated-key: gone was removed: say it elsewhere | unsafe remove\n"},
      {"fresh: 3\n", "error hygiene/unknown-key: fresh came with Small 2.0; this run uses 1.0\n"},
      {"left: 3\n", "error hygiene/unknown-key: left left Small with 0.9; this run uses 1.0\n"},
      {"env.X: 1\n", ""},
  };
  expect_said(std::string(kSchema), kRows);
}

TEST(Bind, Types) {
  const Row kRows[] = {
      {"tp: '2'\n", "error hygiene/wrong-type: tp takes an integer, and this is text | safe set 2\n"},
      {"tp: 2.0\n", "error hygiene/wrong-type: tp takes an integer, and this is a real number | safe set 2\n"},
      {"tp: 2.5\n", "error hygiene/wrong-type: tp takes an integer, and this is a real number\n"},
      {"tp: many\n", "error hygiene/wrong-type: tp takes an integer, and this is text\n"},
      {"tp: true\n", "error hygiene/wrong-type: tp takes an integer, and this is true or false\n"},
      {"tp: null\n", "error hygiene/wrong-type: tp takes an integer, and this is empty\n"},
      {"tp: [1]\n", "error hygiene/wrong-type: tp takes an integer, and this is a list\n"},
      {"tp: {a: 1}\n", "error hygiene/wrong-type: tp takes an integer, and this is a table\n"},
      {"ratio: 1\n", ""},
      {"ratio: 1e-3\n", "error hygiene/number-read-as-text: ratio is text here, not a number | safe set 0.001\n"},
      {"ratio: '0.1'\n", "error hygiene/wrong-type: ratio takes a real number, and this is text | safe set 0.1\n"},
      {"fused: 1\n", "error hygiene/wrong-type: fused takes true or false, and this is an integer\n"},
      {"fused: 'true'\n", "error hygiene/wrong-type: fused takes true or false, and this is text | safe set true\n"},
      {"fused: on\n", ""},
      {"kind: alpha\n", ""},
      {"kind: Alpha\n",
       "error hygiene/not-a-choice: 'Alpha' is no value for kind: it takes alpha, beta | unsafe set \"alpha\" | unsafe set \"beta\"\n"},
      {"kind: gamma\n",
       "error hygiene/not-a-choice: 'gamma' is no value for kind: it takes alpha, beta | unsafe set \"alpha\" | unsafe set \"beta\"\n"},
      {"kind: 3\n", "error hygiene/wrong-type: kind takes text, and this is an integer | unsafe set \"alpha\" | unsafe set \"beta\"\n"},
      {"level: LOW\n", ""},
      {"open: z\n", ""},
      {"open: 010\n", "error hygiene/wrong-type: open takes text, and this is an integer | unsafe set \"x\" | unsafe set \"y\"\n"},
      {"tp: 010\n", "warning hygiene/surprising-scalar: '010' reads as 8 here | unsafe set 10\n"},
      {"names: [a, 1]\n", "error hygiene/wrong-type: an item of names is text, and 1 is an integer\n"},
      {"names: a\n", "error hygiene/wrong-type: names takes a list, and this is text\n"},
      {"section: 3\n", "error hygiene/wrong-type: section takes a table, and this is an integer\n"},
      {"stages: {name: a}\n", "error hygiene/wrong-type: stages takes a list, and this is a table\n"},
  };
  expect_said(std::string(kSchema), kRows);
}

TEST(Bind, PoliciesOfOtherLoaders) {
  std::string schema(kSchema);
  schema.replace(schema.find("unknown_key = \"error\""), 21, "unknown_key = \"ignore\"");
  schema.replace(schema.find("wrong_type = \"error\""), 20, "wrong_type = \"warning\"");
  const Row kRows[] = {
      {"zzz: 2\n", ""},
      {"tp: '2'\n", "warning hygiene/wrong-type: tp takes an integer, and this is text | safe set 2\n"},
      {"kind: gamma\n",
       "warning hygiene/not-a-choice: 'gamma' is no value for kind: it takes alpha, beta | unsafe set \"alpha\" | unsafe set \"beta\"\n"},
  };
  expect_said(schema, kRows);
}

TEST(Bind, AWordMayBeNull) {
  const auto data =
      load({{"schema.toml", "null_word = \"none\"\ncoerce = \"pydantic\"\n" + std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}});
  ASSERT_TRUE(data);
  Judged run(data->schema, "section: {width: 1, depth: NONE}\nopen: nonesuch\n");
  EXPECT_EQ(run.violations(), "");
  EXPECT_EQ(shown(run.at("section.depth")), "null");
  EXPECT_EQ(shown(run.at("open")), "\"nonesuch\"");
  // Where null is no value, the word is none either.
  EXPECT_EQ(Judged(data->schema, "tp: None\nsection: {width: 1}\n").violations(),
            "error hygiene/wrong-type: tp takes an integer, and this is empty\n");
}

// A section that takes no other keys than its own, and one whose names are the user's unless they are a slip away from a known one.
TEST(Bind, StrictSectionsAndSlips) {
  std::string schema(kSchema);
  schema.replace(schema.find("unknown_key = \"error\""), 21, "unknown_key = \"ignore\"");
  const auto data = load({{"schema.toml", schema},
                          {"keys.tsv",
                           "key\ttype\tdefault\n"
                           "trainer\tdict|null!\n"
                           "trainer.devices\tint|null\n"
                           "model\tdict\n"
                           "model.sequence_parallel\tbool\tfalse\n"
                           "model.img_1\tint|null\n"
                           "model.*\tany!\n"}});
  ASSERT_TRUE(data);
  constexpr Row kRows[] = {
      {"trainer:\n  device: 8\n",
       "error hygiene/unknown-key: Small has no key device in trainer; the nearest is devices | unsafe rename devices | unsafe remove\n"},
      {"trainer: null\nmodel:\n  my_own: 1\n  parallel: 2\n  img_2: 3\n", ""},
      {"model:\n  sequence_paralel: true\n",
       "warning hygiene/unknown-key: Small has no key sequence_paralel in model; the nearest is sequence_parallel | unsafe rename "
       "sequence_parallel | unsafe remove\n"},
      {"model:\n  sequecne_parallel: true\n",
       "warning hygiene/unknown-key: Small has no key sequecne_parallel in model; the nearest is sequence_parallel | unsafe rename "
       "sequence_parallel | unsafe remove\n"},
      {"model:\n  sequence_parallels: true\n",
       "warning hygiene/unknown-key: Small has no key sequence_parallels in model; the nearest is sequence_parallel | unsafe rename "
       "sequence_parallel | unsafe remove\n"},
      {"other_section:\n  device: 8\n", ""},
  };
  for (const Row& row : kRows) {
    const Judged run(data->schema, row.given);
    EXPECT_EQ(said(bind(run.job)), row.expected) << row.given;
  }
}

TEST(Bind, Flags) {
  std::string schema(kSchema);
  const std::size_t recognise = schema.find("[recognise]");
  schema.replace(recognise, schema.find("[plan]") - recognise,
                 "[[form]]\nname = \"args\"\nroot = \"ARGS\"\nenv = \"ENV\"\nkeys = \"flags\"\nloader = "
                 "\"argparse\"\n[form.recognise]\nkeys = [\"ARGS\"]\n");
  const Row kRows[] = {
      {"ARGS: {--tp: 2, --ratio: 1e-3, --fused: true, --names: '[a b]', --kind: beta}\nENV: {X: 1}\nother: 3\n", ""},
      {"ARGS: {--tpp: 2}\n", "error hygiene/unknown-key: Small has no option --tpp; the nearest is --tp | unsafe rename --tp\n"},
      {"ARGS: {--tp: many}\n", "error hygiene/wrong-type: 'many' is no value for --tp, which takes an integer\n"},
      {"ARGS: {--tp: 2.0}\n", "error hygiene/wrong-type: '2.0' is no value for --tp, which takes an integer | safe set 2\n"},
      {"ARGS: {--tp: true}\n", "error hygiene/wrong-type: --tp needs a value, and here it stands bare\n"},
      {"ARGS: {--tp: '[1 2]'}\n", "error hygiene/wrong-type: '[1 2]' is no value for --tp, which takes an integer\n"},
      {"ARGS: {--tp: '${TP}'}\n", ""},
      {"ARGS: {--fused: 1}\n", "error hygiene/wrong-type: --fused takes no value, and '1' is one | unsafe remove\n"},
      {"ARGS: {--kind: gamma}\n",
       "error hygiene/not-a-choice: 'gamma' is no value for --kind: it takes alpha, beta | unsafe set \"alpha\" | unsafe set \"beta\"\n"},
      {"ARGS: {--names: a}\n", ""},
  };
  expect_said(schema, kRows);
}

// pydantic's lax mode: a number or a switch may be written as text, a whole real is an integer; everything else is refused as it is.
TEST(Bind, PydanticConverts) {
  std::string schema(kSchema);
  schema.insert(schema.find("unknown_key"), "coerce = \"pydantic\"\n");
  const auto data = load({{"schema.toml", schema}, {"keys.tsv", std::string(kKeys)}});
  ASSERT_TRUE(data);
  struct Case {
    std::string_view given, key, value, said;
  };
  const Case kCases[] = {
      {"section: {width: \"2\"}\n", "section.width", "2", ""},
      {"section: {width: 2.0}\n", "section.width", "2", ""},
      {"section: {width: \"2.0\"}\n", "section.width", "2", ""},
      {"section: {width: true}\n", "section.width", "1", ""},
      {"tp: 2.5\n", "tp", "not stated", "error hygiene/wrong-type: tp takes an integer, and this is a real number\n"},
      {"tp: 2e3\n", "tp", "not stated", "error hygiene/wrong-type: tp takes an integer, and this is text\n"},
      {"ratio: 2e-4\n", "ratio", "0.0002", ""},
      {"fused: \"no\"\n", "fused", "false", ""},
      {"fused: 1\n", "fused", "true", ""},
      {"fused: 2\n", "fused", "not stated", "error hygiene/wrong-type: fused takes true or false, and this is an integer\n"},
      {"open: 5\n", "open", "not stated",
       "error hygiene/wrong-type: open takes text, and this is an integer | unsafe set \"x\" | unsafe set \"y\"\n"},
      {"names: [a, 1]\n", "names", "not stated", "error hygiene/wrong-type: an item of names is text, and 1 is an integer\n"},
  };
  for (const Case& at : kCases) {
    Judged run(data->schema, at.given);
    EXPECT_EQ(said(bind(run.job)), at.said) << at.given;
    if (at.said.empty()) {
      EXPECT_EQ(shown(run.at(at.key)), at.value) << at.given;
    }
  }
}

// A form may keep its keys under a name of its own, and hold for some versions only.
TEST(Bind, FormsUnderANameAndByVersion) {
  std::string schema(kSchema.substr(0, kSchema.find("[recognise]")));
  schema += R"toml(
[[form]]
name = "now"
since = "1.0"
[form.recognise]
keys = ["tp"]
[[form]]
name = "then"
until = "1.0"
loader = "yaml12"
duplicate_key = "error"
[form.recognise]
keys = ["tp"]
[[form]]
name = "new"
under = "new"
[form.recognise]
keys = ["size"]
[plan]
tp = "if(form(\"new\"), 'new.size', 'tp')"
)toml";
  const std::string keys = "key\ttype\tdefault\ntp\tint\t1\nratio\tfloat\t0.5\nnew.size\tint\t4\nnew.depth\tint\t1\n";
  const auto data = load({{"schema.toml", schema}, {"keys.tsv", keys}});
  ASSERT_TRUE(data);
  const Judged old(data->schema, "tp: 2\n"), fresh(data->schema, "size: 8\n");
  EXPECT_EQ(recognise(data->schema, old.job.facts)->name, "now");
  EXPECT_EQ(recognise(data->schema, old.job.facts, "0.9")->name, "then");
  EXPECT_EQ(recognise(data->schema, old.job.facts, "0.9")->duplicate_key, Policy::Error);
  EXPECT_EQ(recognise(data->schema, fresh.job.facts)->name, "new");

  Job job = Judged(data->schema, "size: 8\ndept: 2\nratio: 0.1\n").job;
  job.form = &data->schema.forms[2];
  EXPECT_EQ(said(bind(job)),
            "error hygiene/unknown-key: Small has no key dept; the nearest is depth | unsafe rename depth | unsafe remove\n"
            "error hygiene/unknown-key: Small has no key ratio | unsafe remove\n");
  Judgement judgement = judge(job);
  EXPECT_EQ(shown(judgement.evaluation->at(Field::tp)), "8");
}

TEST(Bind, ADeprecatedKeyThatSaysNothing) {
  std::string schema(kSchema);
  std::string keys(kKeys);
  keys += "old\tint|null\tnull\t\t\t\t\t\ttp\tdeprecated\n";
  const auto data = load({{"schema.toml", schema}, {"keys.tsv", keys}});
  ASSERT_TRUE(data);
  EXPECT_EQ(said(bind(Judged(data->schema, "old:\n").job)), "");
  EXPECT_NE(said(bind(Judged(data->schema, "old: 1\n").job)), "");
}

TEST(Bind, Recognise) {
  const auto data = load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}});
  ASSERT_TRUE(data);
  const std::pair<std::string_view, bool> kRows[] = {
      {"tp: 1\n", false},
      {"tp: 1\nsection: {width: 1}\n", true},
      {"tp: 1\nstages: [{name: a}]\n", true},
      {"tp: 1\nsection: {depth: 1}\n", false},
      {"{}\n", false},
      {"tp: 1\nstages: []\nother: 1\n", false},
  };
  for (const auto& [text, expected] : kRows) {
    const Judged run(data->schema, text);
    EXPECT_EQ(recognise(data->schema, run.job.facts) != nullptr, expected) << text;
  }
}

// ---- coercion, parts, what composition moved

TEST(Bind, PythonTakesZeroAndOneForBooleansAndOneValueForAList) {
  const auto data = load({{"schema.toml",
                           "name = \"small\"\ntitle = \"Small\"\nformats = [\"yaml\"]\nloader = \"pyyaml\"\ncoerce = "
                           "\"python\"\nwrong_type = \"warning\"\n[plan]\n"},
                          {"keys.tsv", "key\ttype\nfused\tbool\nnames\tlist[str]\n"}});
  ASSERT_TRUE(data);
  Judged judged(data->schema, "fused: 1\nnames: a\n");
  EXPECT_EQ(judged.violations(), "");
  EXPECT_EQ(judged.at("fused").value, Value(true));
  ASSERT_TRUE(judged.at("names").value.list());
  EXPECT_NE(Judged(data->schema, "fused: 2\n").violations(), "");
}

TEST(Bind, APartIsHeldToItsKeysAndTheLawThatItLists) {
  const auto data = load({{"schema.toml",
                           "name = \"small\"\ntitle = \"Small\"\nformats = [\"yaml\"]\nloader = \"pyyaml\"\nunknown_key = "
                           "\"warning\"\n[[form]]\nname = \"part\"\npart = true\n"
                           "under = \"inside\"\nlaw = [\"told\"]\n[plan]\n"},
                          {"keys.tsv", "key\ttype\tdefault\ninside\tdict\ninside.a\tint\t<required>\ninside.b\tint\n"},
                          {"constraints.toml",
                           "[[constraint]]\nname = \"told\"\nfamily = \"batch\"\nrequire = \"'inside.b' == 1\"\nsays = \"b\"\n"
                           "[[constraint]]\nname = \"untold\"\nfamily = \"batch\"\nrequire = \"'inside.b' == 1\"\nsays = \"b\"\n"}});
  ASSERT_TRUE(data);
  EXPECT_EQ(Judged(data->schema, "b: 1\n").violations(), "") << "a part need not be complete";
  const std::string said = Judged(data->schema, "b: 2\nbc: 3\n").violations();
  EXPECT_NE(said.find("small/told"), std::string::npos) << said;
  EXPECT_EQ(said.find("small/untold"), std::string::npos) << said;
  EXPECT_NE(said.find("Small has no key bc"), std::string::npos) << said;
}

TEST(Bind, WarningsOfIncludedFilesAreSaidWhereTheyAreChecked) {
  const auto data = load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}});
  ASSERT_TRUE(data);
  Judged judged(data->schema, "tp: 1\nsection: {width: 1, older: 2}\n");
  EXPECT_NE(judged.violations().find("hygiene/deprecated-key"), std::string::npos);
  for (Fact& fact : judged.job.facts) fact.inherited = true;
  judged.judgement = judge(judged.job);
  EXPECT_EQ(judged.violations(), "");
}

}  // namespace
}  // namespace shardlint::test
