#include "checker/report/text.h"

#include <limits>

#include <gmock/gmock.h>

#include "checker/report/excerpt.h"
#include "tests/report/sample.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TextReport, SaysWhatWhereWhyAndWhatToDo) {
  EXPECT_EQ("\n" + text_report(sample(), {}), R"(
configs/500b.toml   TorchTitan   5,120 GPUs = TP 8 x PP 8 x CP 1 x DP 80   31.25 micro-batches

error: 2,500 sequences cannot be shared by 80 replicas of 1 sequence each               batch/global-batch-not-divisible
   configs/500b.toml:3:21
   |
 3 | global_batch_size = 2500  # sequences
   |                     ^^^^ the 32nd micro-batch would reach 20 of 80 replicas; TorchTitan refuses to start
   |
   = local_batch_size is 1                configs/500b.toml:2
   = DP is 80: 5,120 GPUs / TP 8 / PP 8   job.sbatch:1
   = context_parallel_degree is 1, the default of TorchTitan
  fix (checked): 2480 or 2560
   - global_batch_size = 2500  # sequences
   + global_batch_size = 2480  # sequences
  fix (safe): add local_batch_size = 5
   + local_batch_size = 5

1 error, 0 warnings. 212 checks passed, 3 not evaluated (--not-evaluated tells which value would settle them). 4 ms
)");
}

TEST(TextReport, ACleanRunIsOneLine) {
  CheckResult result = sample();
  result.findings.clear();
  EXPECT_EQ(
      text_report(result, {}),
      "configs/500b.toml   TorchTitan   5,120 GPUs = TP 8 x PP 8 x CP 1 x DP 80   31.25 micro-batches: nothing found. 213 checks passed, "
      "3 not evaluated (--not-evaluated tells which value would settle them). 4 ms\n");
  result.plans.push_back(result.plans[0]);
  result.plans.push_back({"x.yaml", "default", "nanotron", "", "", {}});
  result.unsettled = 0;
  result.suppressed = 1;
  result.passed_over = 1200;
  EXPECT_EQ(text_report(result, {}),
            "3 plans in 2 files (TorchTitan 2, nanotron 1): nothing found. 213 checks passed, 1 suppressed. 1,200 other files passed over. "
            "4 ms\n");
  EXPECT_EQ(text_report({}, {}), "No training config was recognised. 0 ms\n");
}

TEST(TextReport, TellsWhatWouldSettle) {
  CheckResult result = sample();
  result.findings.clear();
  EXPECT_THAT(text_report(result, {{}, false, true}), testing::StartsWith(R"(configs/500b.toml: gpu would settle 2 checks
   memory/activations-over-capacity
   memory/over-capacity
configs/500b.toml: nvlink_domain would settle 1 check
   topology/tensor-group-leaves-nvlink-domain

)"));
}

TEST(TextReport, CountsByRule) {
  CheckResult result = sample();
  Finding other = result.findings[0];
  other.rule = "a/b";
  other.severity = Severity::Warning;
  result.findings.push_back(other);
  result.findings.push_back(other);
  EXPECT_THAT(text_report(result, {{}, true, false}), HasSubstr(R"(
      2  warning  a/b
      1  error    batch/global-batch-not-divisible

1 error, 2 warnings.)"));
}

TEST(TextReport, ANameThatDoesNotFitStandsInTheNextLine) {
  EXPECT_THAT(text_report(sample(), {{false, 80, ""}, false, false}), HasSubstr(R"(
error: 2,500 sequences cannot be shared by 80 replicas of 1 sequence each
   configs/500b.toml:3:21                       batch/global-batch-not-divisible
)"));
}

TEST(TextReport, AFindingWithoutAPlaceHasNoExcerpt) {
  CheckResult result = sample();
  result.findings[0].place = {};
  result.findings[0].notes.clear();
  result.findings[0].fixes.clear();
  EXPECT_THAT(text_report(result, {}), HasSubstr(R"(batch/global-batch-not-divisible
   the 32nd micro-batch would reach 20 of 80 replicas; TorchTitan refuses to start

)"));
}

TEST(TextReport, ColoursOnlyWhereAsked) {
  EXPECT_THAT(text_report(sample(), {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(text_report(sample(), {{true, 120, ""}, false, false}), HasSubstr("\x1b[1;31merror:\x1b[0m"));
}

TEST(TextReport, NothingThatIsReadDrivesTheTerminal) {
  CheckResult result = sample();
  result.findings[0].message = "\x1b[2J gone\nnext";
  const auto source = std::make_shared<const Source>("x\x1b.yaml", "a: \x1b[31m\n");
  result.findings[0].place = {source, {3, 4}};
  EXPECT_THAT(text_report(result, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(text_report(result, {}), HasSubstr("error: ?[2J gone next"));
}

TEST(PlanLine, SaysOnlyWhatAddsUp) {
  PlanReport plan{"/srv/a.yaml", "actor", "nemo-rl", "NeMo RL", "", {}};
  EXPECT_EQ(plan_line(plan, "/srv"), "a.yaml   NeMo RL   actor");
  const auto set = [&](std::string name, Value value) { plan.fields.push_back({std::move(name), std::move(value), "", {}, {}}); };
  set("tp", 7);
  EXPECT_EQ(plan_line(plan, "/srv"), "a.yaml   NeMo RL   actor   TP 7");
  set("world_size", 24);
  EXPECT_EQ(plan_line(plan, "/srv"), "a.yaml   NeMo RL   actor   24 GPUs for TP 7");
  plan.fields[0].value = 24;
  set("ep", 8);
  set("num_microbatches", 1);
  EXPECT_EQ(plan_line(plan, "/srv"), "a.yaml   NeMo RL   actor   24 GPUs = TP 24, EP 8   1 micro-batch");
  plan.fields[0].value = plan.fields[1].value = std::numeric_limits<i64>::max();
  EXPECT_THAT(plan_line(plan, "/srv"), HasSubstr("9,223,372,036,854,775,807 GPUs = TP 9,223,372,036,854,775,807, EP 8"));
}

// "line|text|carets", the carets below the text.
std::string dump(std::string text, Range range, std::size_t width = 60) {
  const Excerpt made = excerpt(Source("x", std::move(text)), range, width);
  return std::to_string(made.line) + "\n" + made.text + "\n" + std::string(made.indent, ' ') + std::string(made.carets, '^');
}

TEST(Excerpts, ShowTheFirstLineOfTheRange) {
  EXPECT_EQ(dump("a: 1\nbc: 23\n", {9, 11}), "2\nbc: 23\n    ^^");
  EXPECT_EQ(dump("a: [1,\n  2]\n", {3, 11}), "1\na: [1,\n   ^^^");
  EXPECT_EQ(dump("a:\n", {2, 2}), "1\na:\n  ^");
  EXPECT_EQ(dump("", {0, 0}), "1\n\n^");
  EXPECT_EQ(dump("\ta\t= 1", {3, 4}), "1\n    a   = 1\n        ^");
  EXPECT_EQ(dump("é: 日本 x", {4, 10}), "1\né: 日本 x\n   ^^^^");
  EXPECT_EQ(dump("a: \xff\xfe x", {3, 5}), "1\na: ?? x\n   ^^");
  EXPECT_EQ(dump("a: 1\r\nb: 2\r\n", {9, 10}), "2\nb: 2\n   ^");
}

TEST(Excerpts, CutLongLinesAroundTheRange) {
  const std::string digits = "0123456789";
  std::string line;
  for (int i = 0; i < 10; ++i) line += digits;
  EXPECT_EQ(dump(line, {0, 3}, 20), "1\n01234567890123...\n^^^");
  EXPECT_EQ(dump(line, {50, 53}, 20), "1\n...67890123456789...\n       ^^^");
  EXPECT_EQ(dump(line, {97, 100}, 20), "1\n...3456789\n       ^^^");
  EXPECT_EQ(dump(line, {10, 90}, 20), "1\n...67890123456789...\n       ^^^^^^^^^^");
  EXPECT_EQ(dump("日本日本日本日本日本日本日本", {12, 15}, 20).substr(0, 5), "1\n...");
}

std::string diff_of(std::string before, const std::vector<std::pair<Range, std::string>>& edits) {
  const auto source = std::make_shared<const Source>("x", std::move(before));
  Fix fix;
  for (const auto& [range, text] : edits) fix.edits.push_back({source, range, text});
  std::string out;
  for (const LineDiff& diff : line_diffs(fix)) {
    for (const std::string& line : diff.before) out += "-" + line + ";";
    for (const std::string& line : diff.after) out += "+" + line + ";";
  }
  return out;
}

TEST(LineDiffs, ShowWhatGoesAndWhatComes) {
  EXPECT_EQ(diff_of("a: 1\nb: 2\n", {{{3, 4}, "7"}}), "-a: 1;+a: 7;");
  EXPECT_EQ(diff_of("a: 1\nb: 2\n", {{{5, 5}, "c: 3\n"}}), "+c: 3;");
  EXPECT_EQ(diff_of("a: 1\nb: 2\n", {{{4, 4}, "\nc: 3"}}), "+c: 3;");
  EXPECT_EQ(diff_of("a: 1", {{{4, 4}, "\nc: 3"}}), "+c: 3;");
  EXPECT_EQ(diff_of("a: 1\nb: 2\nc: 3\n", {{{5, 10}, ""}}), "-b: 2;");
  EXPECT_EQ(diff_of("a: 1\nb: 2\n", {{{8, 9}, "7"}, {{3, 4}, "6"}}), "-a: 1;+a: 6;-b: 2;+b: 7;");
  EXPECT_EQ(diff_of("{a: 1, b: 2}\n", {{{4, 5}, "6"}, {{10, 11}, "7"}}), "-{a: 1, b: 2};+{a: 6, b: 7};");
  EXPECT_EQ(diff_of("", {{{0, 0}, "a: 1\n"}}), "+a: 1;");
  EXPECT_EQ(diff_of("a: 1\r\nb: 2\r\n", {{{3, 4}, "7"}}), "-a: 1;+a: 7;");
}

}  // namespace
}  // namespace shardlint
