// The engine from paths to findings, in memory: discovery, recognition, settings, suppressions, notes, folding; then the program itself,
// in a folder of its own: exit codes and fixes.
#include "checker/engine/check.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "tests/schema/small.h"
#include "tests/where.h"

namespace shardlint::test {
namespace {

// A run in peace on 8 GPUs; TP 3 does not divide them, and DP x PP come from the settings.
const std::string kGood =
    "[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\n"
    "[parallelism]\ntensor_parallel_degree = 2\n";
const std::string kBad =
    "[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\nlocal_batch_size = \"8\"\nseq_len = 2048\n"
    "[parallelism]\ntensor_parallel_degree = 2\n";  // line 5: text where a number is wanted
const std::string kOther = "[tool.poetry]\nname = \"x\"\n";

Settings cluster(i64 world) {
  Settings settings;
  Fact fact;
  fact.path = fact.spelled = "world_size";
  fact.value = world;
  fact.way = Way::Setting;
  settings.facts.push_back(fact);
  return settings;
}

// "file:line:column severity rule", one line a finding.
std::string lines(const CheckResult& result) {
  std::string out;
  for (const Finding& finding : result.findings) {
    const Position at = finding.place ? finding.place.source->position(finding.place.range.begin) : Position{};
    out += fmt::format("{}:{}:{} {} {}\n", finding.place ? finding.place.source->path() : "?", at.line, at.column, name(finding.severity),
                       finding.rule);
  }
  for (const std::string& error : result.errors) out += "! " + error + "\n";
  return out;
}

struct World {
  Overlay files;
  CheckOptions options;

  explicit World(std::initializer_list<std::pair<std::string_view, std::string>> texts) {
    for (const auto& [path, text] : texts) files.put(path, text);
    options.fixes = false;
    options.jobs = 2;
  }
  CheckResult check(std::vector<std::string> paths) {
    options.paths = std::move(paths);
    return shardlint::check(files, options);
  }
};

// ---- discovery

TEST(Check, Folders) {
  World world({{"a.toml", kBad},
               {"sub/deep/b.toml", kBad},
               {"sub/other.toml", kOther},
               {"sub/notes.txt", "x"},
               {"node_modules/c.toml", kBad},
               {".hidden/d.toml", kBad},
               {"sub/.e.toml", kBad}});
  const CheckResult all = world.check({"."});
  EXPECT_EQ(lines(all), "a.toml:5:20 error hygiene/wrong-type\nsub/deep/b.toml:5:20 error hygiene/wrong-type\n");
  EXPECT_EQ(all.files, 2u);
  EXPECT_EQ(all.passed_over, 1u);
  EXPECT_EQ(lines(world.check({"sub"})), "sub/deep/b.toml:5:20 error hygiene/wrong-type\n");
  EXPECT_EQ(lines(world.check({"sub/deep/b.toml", "a.toml"})),
            "sub/deep/b.toml:5:20 error hygiene/wrong-type\na.toml:5:20 error hygiene/wrong-type\n");
  EXPECT_EQ(lines(world.check({"none.toml"})), "! none.toml: no such file or folder\n");
  EXPECT_EQ(lines(world.check({"sub/notes.txt"})),
            "! sub/notes.txt: no format is known by this name; shardlint reads .toml, .yaml, .yml and .json\n");
}

TEST(Check, NamedAndDiscovered) {
  const std::string broken = "a = [1\nb = 2\n", twice = "a: 1\na: 2\n", template_text = "a: {{ .Values.x }}\nb: {{- if }}\n";
  World world(
      {{"broken.toml", broken}, {"twice.yaml", twice}, {"chart/values.yaml", template_text}, {"half.toml", kGood + "broken = [1\n"}});
  EXPECT_EQ(lines(world.check({"chart"})), "");
  EXPECT_EQ(lines(world.check({"broken.toml"})), "broken.toml:2:1 error hygiene/syntax-error\n");
  EXPECT_EQ(lines(world.check({"twice.yaml"})), "twice.yaml:2:1 warning hygiene/duplicate-key\n");
  EXPECT_EQ(lines(world.check({"chart/values.yaml"})).find("hygiene/syntax-error") != std::string::npos, true);
  // What can be read of it is a framework's: the rest is worth a word.
  EXPECT_EQ(lines(world.check({"."})).substr(0, 10), "half.toml:");
}

TEST(Check, NotRecognised) {
  World world({{"x.toml", kOther}});
  const CheckResult named = world.check({"x.toml"});
  EXPECT_EQ(lines(named), "");
  EXPECT_EQ(named.files, 1u);
  EXPECT_TRUE(named.plans.empty());
  world.options.command_line.framework = "torchtitan";
  EXPECT_EQ(lines(world.check({"x.toml"})), "x.toml:1:2 error hygiene/unknown-key\n");
  EXPECT_EQ(lines(world.check({"."})), "");  // only discovered: no proof, no word
}

TEST(Check, Runs) {
  const std::string runs =
      "[[run]]\nname = \"big\"\nfiles = [\"base.toml\", \"over.toml\"]\noverrides = "
      "[\"parallelism.tensor_parallel_degree=3\"]\n[cluster]\nworld_size = 8\n";
  World world({{"shardlint.toml", runs}, {"base.toml", kGood}, {"over.toml", "[training]\nseq_len = 1024\n"}, {"stray.toml", kBad}});
  const CheckResult result = world.check({"."});
  ASSERT_EQ(result.plans.size(), 1u);
  EXPECT_EQ(result.plans[0].name, "big");
  EXPECT_EQ(lines(result).substr(0, 17), "shardlint.toml:4:") << "an override is blamed where it is written";
  for (const FieldReport& field : result.plans[0].fields)
    if (field.name == "seq_length") {
      EXPECT_EQ(*field.value, Value(1024)) << "the later file wins";
    }
  EXPECT_EQ(lines(world.check({"stray.toml"})), "stray.toml:5:20 error hygiene/wrong-type\n");
  world.options.all_files = true;
  EXPECT_NE(lines(world.check({"."})).find("stray.toml:5:20"), std::string::npos);
}

// "tp 4, dp 2": fields of the only plan.
std::string plan(const CheckResult& result, std::initializer_list<std::string_view> names) {
  std::string out;
  for (std::string_view name : names)
    for (const FieldReport& field : result.plans.at(0).fields)
      if (field.name == name) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, field.value ? to_string(*field.value) : "?");
  return out;
}

Facts overrides(const std::vector<std::string>& words) {
  std::vector<OverrideWord> list;
  for (const std::string& word : words)
    list.push_back({word, {std::make_shared<const Source>("<command line>", word), {0, static_cast<std::uint32_t>(word.size())}}});
  return *read_overrides(list).value;
}

const std::string kMegatron =
    "MODEL_ARGS:\n  --num-layers: 8\n  --hidden-size: 64\n  --num-attention-heads: 8\n  --micro-batch-size: 1\n  "
    "--tensor-model-parallel-size: 1\n";

TEST(Check, OverridesInTheSpellingOfACommandLine) {
  World world({{"a.toml", kGood}, {"m.yaml", kMegatron}});
  const std::pair<std::vector<std::string>, std::string_view> kRows[] = {
      {{"--parallelism.tensor_parallel_degree=4"}, "tp 4"},
      {{"--parallelism.tensor-parallel-degree", "4"}, "tp 4"},
      {{"parallelism.tensor_parallel_degree=4"}, "tp 4"},
      {{"--parallelism.tensor_parallel_degree 4"}, "tp 4"},
  };
  for (const auto& [words, expected] : kRows) {
    world.options.overrides = overrides(words);
    const CheckResult result = world.check({"a.toml"});
    EXPECT_EQ(lines(result), "") << words[0];
    EXPECT_EQ(plan(result, {"tp"}), expected) << words[0];
  }
  for (const auto& words : {overrides({"--tensor-model-parallel-size=4"}), overrides({"--tensor-model-parallel-size", "4"})}) {
    world.options.overrides = words;
    EXPECT_EQ(plan(world.check({"m.yaml"}), {"tp"}), "tp 4");
  }
  world.options.overrides = overrides({"--training.no-deterministic"});
  EXPECT_NE(lines(world.check({"a.toml"})).find("hygiene/unknown-key"), std::string::npos);
}

TEST(Check, AnOverrideThatNoKeyTakesUpIsSaid) {
  World world({{"a.toml", kGood}, {"m.yaml", kMegatron}});
  for (std::string word : {"--parallelism.tensor_paralel_degree=4", "--nonsense", "env.A=1", "nonsense.x.y=1", "training[0]=1"}) {
    world.options.overrides = overrides({word});
    EXPECT_NE(lines(world.check({"a.toml"})).find("<command line>:1:"), std::string::npos) << word;
  }
  for (std::string word : {"--parallelism.tp=4", "--nonsense=1", "parallelism.tp=4"}) {
    world.options.overrides = overrides({word});
    EXPECT_NE(lines(world.check({"m.yaml"})).find("<command line>:1:"), std::string::npos) << word;
  }
}

TEST(Check, OverridesOfARunAreReadAlike) {
  World world(
      {{"shardlint.toml",
        "[[run]]\nfiles = [\"a.toml\"]\noverrides = [\"--parallelism.tensor_parallel_degree\", \"4\", '--training.seq_len=1024']\n"},
       {"a.toml", kGood}});
  const CheckResult result = world.check({"."});
  EXPECT_EQ(lines(result), "");
  EXPECT_EQ(plan(result, {"tp", "seq_length"}), "tp 4, seq_length 1024");
}

// ---- settings

TEST(Check, SettingsInOrder) {
  const auto dp = [](const CheckResult& result) {
    for (const FieldReport& field : result.plans.at(0).fields)
      if (field.name == "dp") return field.value ? to_string(*field.value) : std::string("?");
    return std::string();
  };
  World world({{"shardlint.toml", "[cluster]\nworld_size = 16\n[[per-path]]\nfiles = [\"wide/**\"]\n[per-path.cluster]\nworld_size = 32\n"},
               {"a.toml", kGood},
               {"wide/b.toml", kGood},
               {"own/shardlint.toml", ""},
               {"own/c.toml", kGood}});
  EXPECT_EQ(dp(world.check({"a.toml"})), "8");
  EXPECT_EQ(dp(world.check({"wide/b.toml"})), "16");
  EXPECT_EQ(dp(world.check({"own/c.toml"})), "?") << "the nearest settings file alone counts";
  world.options.command_line = cluster(64);
  EXPECT_EQ(dp(world.check({"a.toml"})), "32");
  EXPECT_EQ(dp(world.check({"wide/b.toml"})), "32");
  world.options.command_line = {};
  world.options.isolated = true;
  EXPECT_EQ(dp(world.check({"a.toml"})), "?");
}

TEST(Check, GlobsStartFromTheSettingsFilesFolder) {
  class Inside : public Overlay {
   public:
    std::string working_folder() const override { return "/home/me/pp/experiments"; }
  };
  Inside files;
  files.put("../shardlint.toml", "[[per-path]]\nfiles = [\"./experiments/x/*.toml\"]\nrules = {ignore = [\"hygiene\"]}\n");
  files.put("x/a.toml", kBad);
  files.put("y/a.toml", kBad);
  CheckOptions options;
  options.paths = {"x/a.toml", "y/a.toml"};
  EXPECT_EQ(lines(shardlint::check(files, options)), "y/a.toml:5:20 error hygiene/wrong-type\n");
}

TEST(Check, AFileBelowTheWorkingFolderMayNameWhatLiesBesideIt) {
  class At : public Overlay {
   public:
    explicit At(std::string here) : here_(std::move(here)) {}
    std::string working_folder() const override { return here_; }

   private:
    std::string here_;
  };
  const auto includes = [](const std::string& here, const std::string& path) {
    At files(here);
    const std::string rest =
        "grpo: {num_prompts_per_step: 8}\npolicy: {model_name: m, train_global_batch_size: 8}\ncluster: {num_nodes: 1}\n";
    files.put("recipes/llm/a.yaml", "defaults: ../../base.yaml\n" + rest);
    files.put("../b/a.yaml", "defaults: ../base.yaml\n" + rest);
    files.put("base.yaml", "policy: [1\n");
    files.put("../base.yaml", "policy: [1\n");
    CheckOptions options;
    options.paths = {path};
    options.jobs = 1;
    return lines(shardlint::check(files, options)).find("base.yaml:") != std::string::npos;  // what was read is complained about
  };
  EXPECT_TRUE(includes("/home/me/job", "recipes/llm/a.yaml"));
  EXPECT_FALSE(includes("/home/me/job", "../b/a.yaml")) << "neither below the working folder nor in a repository";
  EXPECT_FALSE(includes("/", "recipes/llm/a.yaml")) << "all there is is no workspace";
}

TEST(Check, AFrameworkOfCxxHasAVersionToo) {
  World world({{"a.toml", kBad}, {"shardlint.toml", "[versions]\ninfinitrain = \"0.2\"\n"}});
  EXPECT_EQ(lines(world.check({"a.toml"})), "a.toml:5:20 error hygiene/wrong-type\n");
}

TEST(Check, BrokenSettingsJudgeNothing) {
  const std::pair<std::string_view, std::string_view> kRows[] = {
      {"[cluster]\nwrold_size = 8\n", "! shardlint.toml:2: no setting `cluster.wrold_size`; did you mean `world_size`?\n"},
      {"[cluster]\nnodes = 2\ngpus_per_node = 8\nworld_size = 5\n",
       "! shardlint.toml:4: nodes 2 x gpus_per_node 8 is 16, and world_size is 5\n"},
      {"[versions]\ntorchtitan = \"9.9\"\n", "! shardlint.toml:2: shardlint knows TorchTitan up to version 0.2, and 9.9 is newer\n"},
      {"[[per-path]]\nfiles = [\"a[b\"]\n", "! shardlint.toml:2: `a[b` is no glob: its `[` is never closed\n"},
      {"[[per-path]]\nfiles = [\"a/\"]\n", "! shardlint.toml:2: `a/` matches no file; did you mean `a/**`?\n"},
      {"[[run]]\nfiles = [\"a.toml\",\n\"none.toml\"]\n", "! shardlint.toml:3: none.toml: no such file\n"},
      {"[[run]]\nfiles = [\"sub\"]\n", "! shardlint.toml:2: sub is a folder; a run takes files\n"},
  };
  for (const auto& [settings, expected] : kRows) {
    World world({{"shardlint.toml", std::string(settings)}, {"a.toml", kBad}, {"sub/b.toml", kBad}});
    EXPECT_EQ(lines(world.check({"."})), expected) << settings;
  }
  World world({{"a.toml", kBad}});
  world.options.config = "none.toml";
  EXPECT_EQ(lines(world.check({"a.toml"})), "! none.toml: no such file\n");
}

TEST(Check, TheCommandLinesCountBeatsWhatContradictsItBelow) {
  World world({{"shardlint.toml", "[cluster]\nnodes = 2\ngpus_per_node = 8\n"}, {"a.toml", kGood}});
  EXPECT_EQ(plan(world.check({"a.toml"}), {"world_size"}), "world_size 16");
  world.options.command_line = cluster(64);
  EXPECT_EQ(plan(world.check({"a.toml"}), {"nodes", "gpus_per_node", "world_size"}), "nodes 8, gpus_per_node 8, world_size 64");
}

TEST(Check, SelectionAndSeverity) {
  const std::pair<std::string_view, std::string_view> kRows[] = {
      {"", "a.toml:5:20 error hygiene/wrong-type\n"},
      {"ignore = [\"hygiene/wrong-type\"]", ""},
      {"ignore = [\"hygiene\"]", ""},
      {"ignore = [\"batch\"]", "a.toml:5:20 error hygiene/wrong-type\n"},
      {"select = [\"batch\"]", ""},
      {"select = [\"all\"]", "a.toml:5:20 error hygiene/wrong-type\n"},
      {"severity = { \"hygiene/wrong-type\" = \"warning\" }", "a.toml:5:20 warning hygiene/wrong-type\n"},
      {"ignore = [\"hygiene/wrong-tpe\"]", "! shardlint.toml:2: no rule `hygiene/wrong-tpe`; did you mean `hygiene/wrong-type`?\n"},
  };
  for (const auto& [rules, expected] : kRows) {
    World world({{"a.toml", kBad}, {"shardlint.toml", fmt::format("[rules]\n{}\n", rules)}});
    const std::string said = lines(world.check({"a.toml"}));
    EXPECT_TRUE(said.ends_with(expected)) << rules << "\n" << said;
    if (expected.empty()) {
      EXPECT_EQ(said, "") << rules;
    }
  }
}

TEST(Check, Suppressions) {
  const auto with = [](std::string_view above, std::string_view beside) {
    std::string text = kBad;
    const std::size_t line = text.find("local_batch_size");
    text.insert(text.find('\n', line), beside);
    text.insert(line, above);
    return text;
  };
  struct Row {
    std::string_view above, beside, expected;
    std::size_t suppressed;
  };
  const Row kRows[] = {
      {"", " # shardlint: ignore[hygiene/wrong-type] read by a script", "", 1},
      {"# shardlint: ignore[hygiene/wrong-type] read by a script\n", "", "", 1},
      {"", " # shardlint: ignore[hygiene] read by a script", "", 1},
      {"", " # shardlint: ignore[batch, hygiene/wrong-type] read by a script", "", 1},
      {"", " # shardlint: ignore[hygiene/wrong-type]",
       "a.toml:5:20 error hygiene/wrong-type\na.toml:5:24 warning hygiene/ignore-without-reason\n", 0},
      {"", " # shardlint: ignore[hygiene/unknown-key] why",
       "a.toml:5:20 error hygiene/wrong-type\na.toml:5:24 warning hygiene/unused-ignore\n", 0},
      {"# shardlint: ignore[hygiene/wrong-type] too far\n\n", "",
       "a.toml:7:20 error hygiene/wrong-type\na.toml:5:1 warning hygiene/unused-ignore\n", 0},
  };
  for (const Row& row : kRows) {
    World world({{"a.toml", with(row.above, row.beside)}});
    const CheckResult result = world.check({"a.toml"});
    EXPECT_EQ(lines(result), row.expected) << row.above << row.beside;
    EXPECT_EQ(result.suppressed, row.suppressed) << row.above << row.beside;
  }
}

// TorchTitan's own constraint states topology/model-parallel-does-not-divide-world again.
TEST(Check, TheGeneralNameCoversAFrameworksConstraint) {
  std::string text = kGood;
  text.replace(text.find("degree = 2"), 10, "degree = 3");
  const auto said = [&](const std::string& rules, std::string_view comment) {
    World world({{"a.toml", text.substr(0, text.size() - 1) + std::string(comment) + "\n"},
                 {"shardlint.toml", "[cluster]\nworld_size = 8\n[rules]\n" + rules}});
    return lines(world.check({"a.toml"}));
  };
  const std::string name = "topology/model-parallel-does-not-divide-world", own = "torchtitan/model-parallel-does-not-divide-world";
  ASSERT_NE(said("", "").find("error " + own), std::string::npos) << said("", "");
  EXPECT_EQ(said("ignore = [\"" + name + "\"]\n", "").find(own), std::string::npos);
  EXPECT_NE(said("select = [\"" + name + "\"]\n", "").find(own), std::string::npos);
  EXPECT_NE(said("severity = {\"" + name + "\" = \"warning\"}\n", "").find("warning " + own), std::string::npos);
  const std::string ignored = said("", "  # shardlint: ignore[" + name + "] tried");
  EXPECT_EQ(ignored.find(own), std::string::npos);
  EXPECT_EQ(ignored.find("hygiene/unused-ignore"), std::string::npos);
}

// ---- files that are not as they should be

TEST(Check, UnknownFilesSayWhatWasChecked) {
  World world({{"x.toml", kOther + "# shardlint: ignore[batch] for later\n"}});
  const CheckResult result = world.check({"x.toml"});
  EXPECT_EQ(lines(result), "");
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_EQ(result.remarks[0], "x.toml: no framework is recognised, so only syntax was checked; --framework NAME forces one");
  EXPECT_TRUE(world.check({"."}).remarks.empty());
  world.options.command_line.framework = "megatron";
  EXPECT_EQ(lines(world.check({"x.toml"})), "! x.toml: Megatron-LM is configured in yaml, and this file is toml\n");
}

TEST(Check, AByteOrderMarkInToml) {
  World world({{"a.toml", "\xEF\xBB\xBF" + kGood}, {"other.toml", "\xEF\xBB\xBF" + kOther}, {"m.yaml", "\xEF\xBB\xBF" + kMegatron}});
  world.options.fixes = true;
  const CheckResult result = world.check({"a.toml"});
  EXPECT_EQ(lines(result), "a.toml:1:1 error hygiene/syntax-error\n");
  ASSERT_EQ(result.findings[0].fixes.size(), 1u);
  EXPECT_EQ(apply(*result.findings[0].place.source, result.findings[0].fixes[0].edits), kGood);
  EXPECT_EQ(lines(world.check({"other.toml"})), "");
  EXPECT_EQ(lines(world.check({"m.yaml"})).find("syntax-error"), std::string::npos);
}

TEST(Check, ASecondDocumentIsShownAtItsMarker) {
  World world({{"m.yaml", kMegatron + "---\nb: 1\n"}, {"one.yaml", "---\n" + kMegatron + "...\n"}});
  EXPECT_NE(lines(world.check({"m.yaml"})).find("m.yaml:7:1 error hygiene/syntax-error\n"), std::string::npos);
  EXPECT_EQ(lines(world.check({"one.yaml"})).find("syntax-error"), std::string::npos);
}

TEST(Check, AKeyThatStandsTwiceInTomlIsOneFinding) {
  World world({{"a.toml", kGood + "tensor_parallel_degree = 2\n"}});
  EXPECT_EQ(lines(world.check({"a.toml"})), "a.toml:9:1 error hygiene/duplicate-key\n");
}

TEST(Check, GarbageIsSaidThreeTimes) {
  std::string text = kGood;
  for (int i = 0; i < 20; ++i) text += fmt::format("a{} b\n", i);
  World world({{"a.toml", text}});
  EXPECT_EQ(world.check({"a.toml"}).findings.size(), 3u);
}

TEST(Check, FindingsOfAFileAreLimited) {
  std::string text = kBad;
  text += "early = 1\n";
  for (int i = 0; i < 50'000; ++i) text += fmt::format("key_{} = {}\n", i, i);
  World world({{"a.toml", text}});
  world.options.fixes = true;
  const CheckResult result = world.check({"a.toml"});
  EXPECT_EQ(result.findings.size(), 200u);
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_EQ(result.remarks[0].substr(0, 45), "a.toml: 200 findings are shown, and 49,802 mo");
  std::size_t with_fixes = 0;
  for (const Finding& finding : result.findings) with_fixes += !finding.fixes.empty();
  EXPECT_LE(with_fixes, 50u);
}

TEST(Check, IgnoresOutliveSelection) {
  std::string text = kBad;
  text.insert(text.find('\n', text.find("local_batch_size")), " # shardlint: ignore[hygiene/wrong-type] read by a script");
  World world({{"a.toml", text}});
  for (std::string_view select : {"batch", "hygiene/unused-ignore", "all"}) {
    world.options.command_line.rules.select = {std::string(select)};
    EXPECT_EQ(lines(world.check({"a.toml"})), "") << select;
  }
}

TEST(Check, WhatIsNotShownHidesNothing) {
  std::string text = kGood;
  text.replace(text.find("degree = 2"), 10, "degree = 3");
  World world({{"a.toml", text}});
  world.options.command_line = cluster(8);
  const CheckResult all = world.check({"a.toml"});
  ASSERT_FALSE(all.findings.empty());
  const std::string cause = all.findings[0].rule;
  const auto under = std::count_if(all.findings[0].notes.begin(), all.findings[0].notes.end(),
                                   [](const Note& note) { return note.message.starts_with("with it: "); });
  ASSERT_GT(under, 0);
  world.options.command_line.rules.ignore = {cause};
  const CheckResult rest = world.check({"a.toml"});
  EXPECT_FALSE(rest.findings.empty()) << "what hung under " << cause;
  for (const Finding& finding : rest.findings) EXPECT_NE(finding.rule, cause);
}

TEST(Check, HalfARunIsNotJudged) {
  World world({{"a.toml", kBad}, {"shardlint.toml", "[[run]]\nname = \"r\"\nfiles = [\"a.toml\", \"gone.toml\"]\n"}});
  EXPECT_EQ(lines(world.check({"."})), "! shardlint.toml:3: gone.toml: no such file\n");
}

TEST(Check, RunsTakeTheOverridesOfTheCommandLine) {
  World world({{"a.toml", kGood}, {"shardlint.toml", "[[run]]\nname = \"r\"\nfiles = [\"a.toml\"]\noverrides = [\"training.steps=5\"]\n"}});
  world.options.overrides = overrides({"training.steps=7"});
  const CheckResult result = world.check({"."});
  ASSERT_EQ(result.plans.size(), 1u);
  EXPECT_EQ(*result.plans[0].fields[slot(Field::train_iters)].value, Value(7));
}

TEST(Check, OneDocumentAFile) {
  World world({{"a.yaml", "{general: {project: x}, parallelism: {tp: 1, dp: 1, pp: 1}}\n---\nmore: 1\n"}});
  EXPECT_NE(lines(world.check({"a.yaml"})).find("a.yaml:2:1 error hygiene/syntax-error\n"), std::string::npos);
}

TEST(Check, AnUnknownValueIsNotTakenForAnAbsentOne) {
  // Ten layers do not fill four stages evenly; a first stage that is given, but by the environment or wrongly, may change that.
  const auto with = [](std::string_view first) {
    return "MODEL_ARGS:\n  --num-layers: 10\n  --hidden-size: 1024\n  --num-attention-heads: 16\n  --seq-length: 2048\n  "
           "--pipeline-model-parallel-size: 4\n" +
           std::string(first);
  };
  const std::pair<std::string_view, bool> kRows[] = {
      {"", true},
      {"  --decoder-first-pipeline-num-layers: ${FIRST}\n", false},
      {"  --decoder-first-pipeline-num-layers: two\n", false},
      {"  --decoder-frist-pipeline-num-layers: 1\n", false},
  };
  for (const auto& [first, expected] : kRows) {
    World world({{"a.yaml", with(first)}});
    const std::string said = lines(world.check({"a.yaml"}));
    EXPECT_EQ(said.find("layers-not-divisible") != std::string::npos, expected) << first << "\n" << said;
  }
}

TEST(Check, ManyFindingsAreBounded) {
  std::string text = kGood + "[metrics]\n";
  for (int i = 0; i < 600; ++i) text += fmt::format("log_frex{} = 1\n", i);
  World world({{"a.toml", text}});
  world.options.fixes = true;
  const CheckResult result = world.check({"a.toml"});
  EXPECT_EQ(result.findings.size(), 200u);
  EXPECT_FALSE(result.findings.front().fixes.empty());
  EXPECT_TRUE(result.findings.back().fixes.empty()) << "the budget of tries is one for the file";
}

TEST(Check, AnIndexOfAnOverrideCostsNothing) {
  World world({{"a.yaml", "{general: {project: x}, parallelism: {tp: 1, dp: 1, pp: 1}}\n"}});
  world.options.overrides = overrides({"data_stages[2000000000].name=x"});
  EXPECT_EQ(world.check({"a.yaml"}).files, 1u);
}

// ---- findings

TEST(Check, NotesSayWhy) {
  std::string text = kGood;
  text.replace(text.find("degree = 2"), 10, "degree = 3");
  World world({{"a.toml", text}, {"shardlint.toml", "[cluster]\nworld_size = 8\n"}});
  const CheckResult result = world.check({"a.toml"});
  const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                  [](const Finding& f) { return f.rule == "torchtitan/model-parallel-does-not-divide-world"; });
  ASSERT_NE(found, result.findings.end()) << lines(result);
  const Finding& finding = *found;
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_EQ(finding.place.source->text(finding.place.range), "3");
  bool world_told = false;
  for (const Note& note : finding.notes)
    world_told |= note.message == "world_size is 8" && note.place && note.place.source->path() == "shardlint.toml";
  EXPECT_TRUE(world_told);
}

TEST(Check, StandardInput) {
  World world({{"sub/shardlint.toml", "[cluster]\nworld_size = 4\n"}});
  world.options.stdin_text = kBad;
  world.options.stdin_name = "sub/x.toml";
  const CheckResult result = world.check({"-"});
  EXPECT_EQ(lines(result), "sub/x.toml:5:20 error hygiene/wrong-type\n");
  ASSERT_EQ(result.plans.size(), 1u);
  EXPECT_EQ(*result.plans[0].fields[slot(Field::world_size)].value, Value(4)) << "the name decides which settings hold";
}

TEST(Check, BytesThatAreNoText) {
  World world({{"wide.toml", std::string("\xFF\xFE"
                                         "a\0=\0001\0",
                                         8)},
               {"nul.toml", std::string("a = 1\n\0", 7)},
               {"latin.yaml", "a: caf\xE9\n"},
               {"empty.yaml", ""},
               {"bom.toml", "\xEF\xBB\xBF" + kBad}});
  for (const char* path : {"wide.toml", "nul.toml", "latin.yaml"}) {
    const CheckResult result = world.check({path});
    ASSERT_EQ(result.findings.size(), 1u) << path;
    EXPECT_EQ(result.findings[0].rule, "hygiene/syntax-error") << path;
  }
  EXPECT_NE(world.check({"wide.toml"}).findings[0].message.find("UTF-16"), std::string::npos);
  EXPECT_EQ(lines(world.check({"latin.yaml"})), "latin.yaml:1:7 error hygiene/syntax-error\n");
  EXPECT_EQ(lines(world.check({"empty.yaml"})), "");
  EXPECT_EQ(lines(world.check({"bom.toml"})), "bom.toml:1:1 error hygiene/syntax-error\nbom.toml:5:20 error hygiene/wrong-type\n");
}

TEST(Check, ThreadsChangeNothing) {
  std::vector<std::pair<std::string, std::string>> texts;
  World world({});
  for (int i = 0; i < 40; ++i) world.files.put(fmt::format("f{}.toml", i), i % 3 ? kGood : kBad);
  world.options.jobs = 1;
  const std::string one = lines(world.check({"."}));
  world.options.jobs = 8;
  EXPECT_EQ(lines(world.check({"."})), one);
}

TEST(Check, AFolderThatCannotBeReadIsSaid) {
  class Closed : public Overlay {
   public:
    std::string why_closed(const std::string& folder) const override { return folder == "sub" ? "permission denied" : ""; }
  };
  Closed files;
  files.put("a.toml", kGood);
  files.put("sub/b.toml", kGood);
  CheckOptions options;
  options.paths = {"."};
  EXPECT_EQ(lines(shardlint::check(files, options)), "! sub: permission denied\n");
}

// ---- the program

struct Ran {
  int exit;
  std::string out;
};

Ran shardlint_in(const Folder& folder, const std::string& arguments) {
  FILE* pipe = ::popen(fmt::format("cd '{}' && '{}' 2>/dev/null {}", folder.path(), SHARDLINT_BINARY, arguments).c_str(), "r");
  Ran ran{};
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) ran.out.append(block, got);
  const int status = ::pclose(pipe);
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

TEST(Program, ExitCodes) {
  const Folder folder;
  folder.write("good.toml", kGood);
  folder.write("warned.toml", kGood + "[activation_checkpoint]\nearly_stop = \"true\"\n");
  folder.write("bad.toml", "x = 1\n" + kGood);
  folder.write("broken/shardlint.toml", "[cluster]\nwrold_size = 8\n");
  folder.write("broken/good.toml", kGood);
  const std::pair<std::string, int> kRows[] = {
      {"check good.toml", 0},
      {"check warned.toml", 0},
      {"check --fail-on warning warned.toml", 1},
      {"check bad.toml", 1},
      {"check --fail-on never bad.toml", 0},
      {"check --ignore hygiene bad.toml", 0},
      {"check --ignore hygeine bad.toml", 2},
      {"check .", 2},
      {"check missing.toml", 2},
      {"check --nonsense", 2},
      {"frobnicate", 2},
      {"check broken/good.toml", 2},
      {"check - --stdin-filename x.toml < bad.toml", 1},
      {"check - --stdin-filename x.toml < good.toml", 0},
      {"check --unsafe-fixes - --stdin-filename x.toml < bad.toml", 2},
      {"plan good.toml", 0},
      {"rules", 0},
      {"schemas", 0},
      {"explain hygiene/unknown-key", 0},
      {"explain hygiene/unknown-kye", 2},
      {"--version", 0},
      {"--help", 0},
  };
  for (const auto& [arguments, expected] : kRows) EXPECT_EQ(shardlint_in(folder, arguments).exit, expected) << arguments;
}

TEST(Program, FixChangesOnlyItsEdits) {
  const Folder folder;
  // Carriage returns, odd blanks, a comment, no line ending at the end: all of it stays.
  const std::string before =
      "# mine\r\n[model]\r\nname   =  \"llama3\" # why\r\nflavor = \"debugmodel\"\r\n[training]\r\nlocal_batch_size = \"8\"   "
      "# text\r\nseq_len = 2048.0\r\n\r\n\r\n[parallelism]\r\ntensor_parallel_degree = 2";
  std::string after = before;
  after.replace(after.find("\"8\""), 3, "8");
  after.replace(after.find("2048.0"), 6, "2048");
  folder.write("a.toml", before);
  folder.write("untouched.toml", kGood);
  EXPECT_EQ(shardlint_in(folder, "check --diff --fix a.toml").exit, 1);
  EXPECT_EQ(folder.read("a.toml"), before) << "a diff writes nothing";
  EXPECT_EQ(shardlint_in(folder, "check --fix --fail-on warning .").exit, 0);
  EXPECT_EQ(folder.read("a.toml"), after);
  EXPECT_EQ(folder.read("untouched.toml"), kGood);
  EXPECT_EQ(shardlint_in(folder, "check --fix --fail-on warning .").exit, 0);
  EXPECT_EQ(folder.read("a.toml"), after);
}

TEST(Program, AFixThatCannotBeWrittenIsNotMade) {
  const Folder folder;
  folder.write("a.toml", kBad);
  const std::string command =
      fmt::format("cd '{}' && trap '' XFSZ && ulimit -f 0 && '{}' check --fix a.toml 2>&1", folder.path(), SHARDLINT_BINARY);
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) out.append(block, got);
  EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 2);
  EXPECT_NE(out.find("hygiene/wrong-type"), std::string::npos) << out;
  EXPECT_NE(out.find("0 fixes in 0 files"), std::string::npos) << out;
  EXPECT_NE(out.find("shardlint: "), std::string::npos) << out;
  EXPECT_EQ(folder.read("a.toml"), kBad);
}

TEST(Program, SaysWhatItCannotRead) {
  const Folder folder;
  folder.write("a.toml", kGood);
  const std::pair<std::string, std::string> kRows[] = {
      {"check none.toml 2>&1", "shardlint: none.toml: no such file or folder\n"},
      {"check '' 2>&1", "shardlint: an empty word is no path\n"},
      {"check --nodes 9223372036854775807 --gpus-per-node 8 a.toml 2>&1",
       "shardlint: --nodes: `nodes` is at most 1,000,000, not 9223372036854775807\n"},
      {"check --nodes 2 --gpus-per-node 8 --world-size 5 a.toml 2>&1", "shardlint: nodes 2 x gpus_per_node 8 is 16, and world_size is 5\n"},
      {"check --framework torchtitan@9.9 a.toml 2>&1",
       "shardlint: --framework: shardlint knows TorchTitan up to version 0.2, and 9.9 is newer\n"},
      {"check --set env.=1 a.toml 2>&1", "shardlint: --set: `env.` names no variable; write env.NAME\n"},
      {"check pipe.toml 2>&1", "shardlint: pipe.toml: this is no regular file\n"},
  };
  ASSERT_EQ(std::system(fmt::format("mkfifo '{}/pipe.toml'", folder.path()).c_str()), 0);
  for (const auto& [arguments, expected] : kRows) {
    const Ran ran = shardlint_in(folder, arguments);
    EXPECT_EQ(ran.exit, 2) << arguments;
    EXPECT_EQ(ran.out, expected) << arguments;
  }
  EXPECT_EQ(shardlint_in(folder, "check --framework megatron@0.19.2 --stdin-filename x.yaml - - < /dev/null").exit, 1)
      << "an older version is covered; what is missing is found";
  EXPECT_EQ(shardlint_in(folder, "check --framework torchtitan@0.2.7 a.toml").exit, 0);
  EXPECT_EQ(shardlint_in(folder, "check --stdin-filename x.toml - - < a.toml").exit, 0);
}

TEST(Program, OptionsAreNamedWhereTheySpeak) {
  const Folder folder;
  folder.write("a.toml", kGood);
  const std::string out =
      shardlint_in(folder, "plan --nodes 4 --set gpus_per_node=8 a.toml -- --parallelism.tensor_parallel_degree 4 training.seq_len=1024")
          .out;
  EXPECT_EQ(out.find("<command line>"), std::string::npos);
  for (std::string_view named : {"   --nodes\n", "   --set\n", "   --parallelism.tensor_parallel_degree\n", "   training.seq_len\n"})
    EXPECT_NE(out.find(named), std::string::npos) << named << out;
}

TEST(Program, ExplainsFamiliesAndListsConstraints) {
  const Folder folder;
  EXPECT_NE(shardlint_in(folder, "explain batch").out.find("batch/global-batch-not-divisible"), std::string::npos);
  EXPECT_NE(shardlint_in(folder, "explain torchtitan").out.find("torchtitan/"), std::string::npos);
  EXPECT_EQ(shardlint_in(folder, "rules").out.find("\nplan "), std::string::npos);
  EXPECT_NE(shardlint_in(folder, "rules --all").out.find("torchtitan/model-parallel-does-not-divide-world"), std::string::npos);
  // A paragraph of the page is broken anew, and not where its author broke it.
  const std::string page = shardlint_in(folder, "explain topology/model-parallel-does-not-divide-world").out;
  EXPECT_EQ(page.find("  \n"), std::string::npos);
  for (std::size_t at = 0; at < page.size(); at = page.find('\n', at) + 1)
    EXPECT_LE(page.find('\n', at) - at, 120u) << page.substr(at, 200);
}

TEST(Program, UnsafeFixesOnlyWhenAsked) {
  const Folder folder;
  std::string text = kGood;
  text.replace(text.find("degree = 2"), 10, "degree = 3");
  folder.write("a.toml", text);
  EXPECT_EQ(shardlint_in(folder, "check --set world_size=8 --fix a.toml").exit, 1);
  EXPECT_EQ(folder.read("a.toml"), text);
  EXPECT_EQ(shardlint_in(folder, "check --set world_size=8 --unsafe-fixes a.toml").exit, 0);
  EXPECT_NE(folder.read("a.toml"), text);
  const std::string mended = folder.read("a.toml");
  EXPECT_EQ(shardlint_in(folder, "check --set world_size=8 --unsafe-fixes a.toml").exit, 0);
  EXPECT_EQ(folder.read("a.toml"), mended);
}

}  // namespace
}  // namespace shardlint::test
