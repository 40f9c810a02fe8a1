#include "checker/cli/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace shardlint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Options read(std::string_view line) {
  const std::vector<std::string> words = split(line);
  const Checked<Options> options = read_options(words);
  EXPECT_TRUE(options.value) << line << ": " << options.error;
  return options.value.value_or(Options{});
}

std::string error(std::string_view line) {
  const std::vector<std::string> words = split(line);
  return read_options(words).error;
}

std::string dump(const Facts& facts) {
  std::string out;
  for (const Fact& fact : facts)
    out +=
        (out.empty() ? "" : " ") + fact.path + "=" + to_string(fact.value) + "@" + std::string(fact.place.source->text(fact.place.range));
  return out;
}

TEST(Options, Rank) {
  EXPECT_EQ(read("plan --rank 1281 job.yaml").rank, 1281);
  EXPECT_EQ(read("plan job.yaml").rank, std::nullopt);
  EXPECT_EQ(error("plan --rank -1 job.yaml"), "--rank: `-1` is no rank; they count from 0");
  EXPECT_EQ(error("plan --rank two job.yaml"), "--rank: `two` is no rank; they count from 0");
  EXPECT_THAT(error("check --rank 1 job.yaml"), HasSubstr("--rank"));
}

TEST(Options, Commands) {
  EXPECT_EQ(read("").command, Command::Help);
  EXPECT_EQ(read("--help").command, Command::Help);
  EXPECT_EQ(read("--version").command, Command::Version);
  EXPECT_EQ(read("version").command, Command::Version);
  EXPECT_EQ(read("help check").topic, "check");
  EXPECT_EQ(read("check --help").command, Command::Help);
  EXPECT_EQ(read("check --help").topic, "check");
  EXPECT_EQ(read("explain batch/x").topic, "batch/x");
  EXPECT_EQ(read("rules --format json").format, OutputFormat::Json);
}

TEST(Options, PathsAndWhatStandsForThem) {
  EXPECT_THAT(read("check").check.paths, ElementsAre("."));
  EXPECT_THAT(read("check a --advice b").check.paths, ElementsAre("a", "b"));
  EXPECT_THAT(read("check --stdin-filename x.yaml").check.paths, ElementsAre("-"));
  EXPECT_THAT(read("check --stdin-filename x.yaml -").check.paths, ElementsAre("-"));
  EXPECT_THAT(read("plan a").check.paths, ElementsAre("a"));
}

TEST(Options, ValuesStandBehindASpaceOrAnEqualsSign) {
  EXPECT_EQ(read("check --config a.toml").check.config, "a.toml");
  EXPECT_EQ(read("check --config=a.toml").check.config, "a.toml");
  EXPECT_EQ(read("check --output-file=a=b").output_file, "a=b");
  EXPECT_EQ(read("check --jobs 3").check.jobs, 3u);
  EXPECT_EQ(read("check --color=always").color, Color::Always);
  const Options flags = read("check --fix --unsafe-fixes --diff --statistics --not-evaluated --advice --all-files --isolated");
  EXPECT_TRUE(flags.fix && flags.unsafe_fixes && flags.diff && flags.statistics && flags.not_evaluated);
  EXPECT_TRUE(flags.check.advice && flags.check.all_files && flags.check.isolated);
}

TEST(Options, ClusterFactsAndOverridesStandWhereTheyAreWritten) {
  const Options options =
      read("check --nodes 640 --gpus-per-node=8 --gpu nvidia-h100 --set cuda_capability=9.0 --set env.A=1 x.yaml -- a.b=4 +c=x");
  EXPECT_EQ(dump(options.check.command_line.facts), "nodes=640@640 gpus_per_node=8@8 gpu=H100@nvidia-h100 cuda_capability=9@9.0 env.A=1@1");
  EXPECT_EQ(dump(options.check.overrides), "a.b=4@a.b=4 c=x@+c=x");
  EXPECT_EQ(options.check.overrides[0].place.source->path(), "<command line>");
  EXPECT_EQ(options.check.command_line.facts[0].way, Way::Setting);
  EXPECT_EQ(options.check.overrides[0].way, Way::Override);
}

TEST(Options, RulesAndFramework) {
  const Options options =
      read("check --select batch,nanotron --ignore all --severity batch=warning --fail-on never --framework nanotron@0.4");
  const RuleSettings& rules = options.check.command_line.rules;
  EXPECT_THAT(rules.select, ElementsAre("batch", "nanotron"));
  EXPECT_THAT(rules.ignore, ElementsAre("all"));
  EXPECT_THAT(rules.severity, ElementsAre(std::pair("batch", Severity::Warning)));
  EXPECT_EQ(rules.fail_on, FailOn::Never);
  EXPECT_EQ(options.check.command_line.framework, "nanotron");
  EXPECT_THAT(options.check.command_line.versions, ElementsAre(std::pair("nanotron", "0.4")));
}

TEST(Options, PlanSweepsAndSearches) {
  const Options swept = read("plan --sweep tp=1,2 --sweep recompute.granularity=full,selective a.yaml");
  ASSERT_EQ(swept.sweep.size(), 2u);
  EXPECT_EQ(swept.sweep[0], (std::pair<std::string, std::vector<Value>>("tp", {1, 2})));
  EXPECT_EQ(swept.sweep[1], (std::pair<std::string, std::vector<Value>>("recompute.granularity", {"full", "selective"})));
  EXPECT_EQ(read("plan a.yaml").limit, 10u);
  EXPECT_EQ(read("plan --limit 25 a.yaml").limit, 25u);
  EXPECT_TRUE(read("plan --search --model m --gpu H100").search);
  EXPECT_EQ(read("plan --format html a.yaml").format, OutputFormat::Html);
  EXPECT_THAT(read("diff a.yaml b.toml").check.paths, ElementsAre("a.yaml", "b.toml"));
  // A key of the framework stands among the overrides.
  const Options keyed = read("plan --set tp=4 --set tensor_model_parallel_size=4 a.yaml");
  EXPECT_EQ(keyed.check.command_line.facts.size(), 1u);
  EXPECT_THAT(keyed.keys, ElementsAre("tensor_model_parallel_size"));
  ASSERT_EQ(keyed.check.overrides.size(), 1u);
  EXPECT_EQ(keyed.check.overrides[0].path, "tensor_model_parallel_size");
}

TEST(Options, OverridesAreReadAsPeopleTypeThem) {
  const auto overrides = [](std::string_view line) { return dump(read(fmt::format("check x.yaml -- {}", line)).check.overrides); };
  EXPECT_EQ(overrides("--a.b=4 --a.c 5 d=6"), "--a.b=4@--a.b=4 --a.c=5@5 d=6@d=6");
  EXPECT_EQ(overrides("--bf16 --lr 1e-5 --seed -1"), "--bf16=true@--bf16 --lr=1e-05@1e-5 --seed=-1@-1");
  EXPECT_EQ(overrides("--split 99 1 0 --bf16 a.b=1"), "--split=[99, 1, 0]@--split --bf16=true@--bf16 a.b=1@a.b=1");
  EXPECT_EQ(overrides("--x 'a=b'"), "--x='a=b'@--x") << "no assignment begins with a quote";
  EXPECT_THAT(error("check x.yaml -- a.b=1 4"), StartsWith("`4` is no override"));
}

TEST(Options, MistakesNameTheNearest) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"chekc", "no command `chekc`; did you mean `check`?"},
      {"job.yaml", "no command `job.yaml`; did you mean `check job.yaml`?"},
      {"--nodes 4", "`--nodes` needs a command before it, such as `check`"},
      {"help chek", "no command `chek`; did you mean `check`?"},
      {"check --fromat json", "no option `--fromat`; did you mean `--format`?"},
      {"plan --fix x", "`plan` takes no `--fix`"},
      {"check --fix=yes", "`--fix` takes no value"},
      {"check --nodes", "`--nodes` needs a value: N"},
      {"check --nodes=", "`--nodes` needs a value: N"},
      {"check --nodes -- a=1", "`--nodes` needs a value: N"},
      {"check --nodes many", "--nodes: `nodes` must be an integer, not text"},
      {"check --nodes 0", "--nodes: `nodes` must be more than 0, not 0"},
      {"check --gpu H1000", "--gpu: no GPU `H1000`; did you mean `H100`?"},
      {"check --set tq=4", "--set: no field `tq`"},
      {"check --set pipe_line_layout=x", "--set: no field `pipe_line_layout`; did you mean `pipeline_layout`?"},
      {"check --set tp", "--set: `tp` sets nothing; write FIELD=VALUE"},
      {"check --format yaml", "--format: no format `yaml`; there are `text`, `json`, `sarif`"},
      {"check --format html", "--format: `check` writes no html; there are `text`, `json`, `sarif`"},
      {"plan --format sarif x", "--format: `plan` writes no sarif; there are `text`, `json`, `html`"},
      {"check --output sarif", "--output: `sarif` names no format and file; write FORMAT=FILE, as in sarif=shardlint.sarif"},
      {"check --output sarf=x", "--output: no format `sarf`; did you mean `sarif`?"},
      {"check --output sarif=x --output junit=x", "two outputs go to x"},
      {"check --color blue", "--color: no choice `blue`; there are `auto`, `always`, `never`"},
      {"check --jobs 0", "--jobs: `0` is no number of threads"},
      {"check --framework megatrn", "--framework: no framework `megatrn`; did you mean `megatron`?"},
      {"check --select hygiene/unknown-kye", "--select: no rule `hygiene/unknown-kye`; did you mean `hygiene/unknown-key`?"},
      {"check --severity batch", "--severity: `batch` sets no level; write NAME=LEVEL"},
      {"check --severity batch=fatal", "--severity: no level `fatal`; there are `error`, `warning`, `info`"},
      {"check --fail-on info", "--fail-on: no level `info` to fail on; there are `error`, `warning`, `never`"},
      {"check -- a", "`a` is no override; one is written as `key=value`, `--key=value` or `--key value`"},
      {"check -", "what is read from standard input needs a name that says what it is: --stdin-filename job.yaml"},
      {"check --fix --stdin-filename x.yaml", "`--fix` cannot write to standard input; `--diff` prints what it would change"},
      {"check --unsafe-fixes --stdin-filename x.yaml", "`--fix` cannot write to standard input; `--diff` prints what it would change"},
      {"check --isolated --config x", "`--isolated` and `--config` exclude each other"},
      {"check --diff --format json", "`--diff` prints a diff, which is no other format"},
      {"plan", "`plan` needs a path"},
      {"diff a.yaml", "`diff` takes two paths, not 1"},
      {"diff a.yaml b.yaml c.yaml", "`diff` takes two paths, not 3"},
      {"check --sweep tp=1,2 a.yaml", "`check` takes no `--sweep`"},
      {"plan --sweep tp a.yaml", "--sweep: `tp` sweeps nothing; write NAME=VALUE,VALUE..."},
      {"plan --sweep tp=1,,2 a.yaml", "--sweep: `tp=1,,2` has an empty value"},
      {"plan --sweep tp=one a.yaml", "--sweep: `tp` must be an integer, not text"},
      {"plan --sweep tp=1,2 --search a.yaml", "`--search` and `--sweep` exclude each other"},
      {"plan --sweep tp=1,2 --format html a.yaml", "a sweep or search is written as text or json"},
      {"plan --model x a.yaml", "`--model` goes with `--search`"},
      {"plan --search --model x a.yaml", "`--model` names the model instead of a path"},
      {"plan --limit 0 a.yaml", "--limit: `0` is no number of rows"},
      {"plan --set pipe_line_layout=x a.yaml", "--set: no field `pipe_line_layout`; did you mean `pipeline_layout`?"},
      {"explain", "`explain` needs a name; `shardlint rules` lists them"},
      {"explain a b", "`b` is one word too many for `explain`"},
      {"rules x", "`x` is one word too many for `rules`"},
      {"rules -- a=1", "`rules` takes nothing behind `--`"},
  };
  for (const auto& [line, message] : cases) EXPECT_THAT(error(line), StartsWith(message)) << line;
}

TEST(Options, HelpListsWhatACommandTakes) {
  EXPECT_THAT(help_text({}), HasSubstr("\n  check "));
  EXPECT_THAT(help_text("check"), HasSubstr("--unsafe-fixes"));
  EXPECT_THAT(help_text("plan"), Not(HasSubstr("--unsafe-fixes")));
  EXPECT_THAT(help_text("check"), HasSubstr("how it is written: text (default), json, sarif, github, gitlab, junit, checkstyle\n"));
  EXPECT_THAT(help_text("plan"), HasSubstr("how it is written: text (default), json, html\n"));
  EXPECT_THAT(help_text("init"), HasSubstr("--nodes N"));
}

}  // namespace
}  // namespace shardlint
