// What is different between two plans.
#include "checker/report/compare.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "checker/engine/check.h"
#include "checker/report/diff.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

CheckResult read(std::string_view name, std::string_view text) {
  CheckOptions asked;
  asked.paths = {std::string(name)};
  asked.isolated = true, asked.fixes = false;
  if (name.ends_with(".toml") && text.find('[') == std::string_view::npos) asked.command_line.framework = "plan";
  for (const auto& [field, value] : {std::pair{"nodes", 8}, {"gpus_per_node", 8}}) {
    Fact fact;
    fact.path = fact.spelled = field, fact.value = value, fact.way = Way::Setting;
    asked.command_line.facts.push_back(fact);
  }
  Overlay files(nullptr);
  files.put(name, std::string(text));
  return check(files, asked);
}

std::string dump(const PlanDifference& difference) {
  std::string out;
  for (const FieldDifference& field : difference.fields)
    out += fmt::format("{}{} {}->{}; ", field.follows ? "so " : "", field.before->name, to_string(field.before->value.value_or(Null{})),
                       to_string(field.after->value.value_or(Null{})));
  for (const AccountDifference& account : difference.accounts)
    out += fmt::format("{} {}; ", account.before.title, account.after.value > account.before.value ? "more" : "less");
  return out;
}

const std::string kPlan =
    "gpu = \"H100\"\ntp = 4\npp = 2\nmicro_batch = 1\nglobal_batch = 64\nseq_length = 4096\nlayers = 32\nhidden = 4096\nheads = 32\n"
    "vocab = 128256\nexperts = 0\nprecision.weights = \"bf16\"\n";

std::string with(std::string text, std::string_view from, std::string_view to) { return text.replace(text.find(from), from.size(), to); }

TEST(Compare, ThePlanWithItselfIsTheSame) {
  const CheckResult before = read("a.toml", kPlan), after = read("b.toml", kPlan);
  const auto differences = compare(before, after);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_TRUE(differences[0].same());
  EXPECT_THAT(diff_text(differences, {}), HasSubstr("The same plan."));
}

TEST(Compare, ValuesAndWhatFollowsFromThem) {
  const CheckResult before = read("a.toml", kPlan), after = read("b.toml", with(kPlan, "tp = 4", "tp = 8"));
  const auto differences = compare(before, after);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_FALSE(differences[0].same());
  const std::string said = dump(differences[0]);
  EXPECT_THAT(said, HasSubstr("tp 4->8; "));
  EXPECT_THAT(said, HasSubstr("so dp 8->4; "));
  EXPECT_THAT(said, HasSubstr("so num_microbatches 8->16; "));
  EXPECT_THAT(said, HasSubstr("memory, fullest stage less; "));
  EXPECT_THAT(said, HasSubstr("bubble less; "));
  EXPECT_THAT(said, HasSubstr("TP bytes more; "));
  EXPECT_THAT(said, Not(HasSubstr("layers")));
  const std::string text = diff_text(differences, {});
  EXPECT_THAT(text, HasSubstr("\nvalues\n  tp  4 -> 8  a.toml:2, b.toml:2\n"));
  EXPECT_THAT(text, HasSubstr("bubble                 11.1 % -> 5.9 %   - 5.2 points\n"));
  EXPECT_THAT(diff_json(differences, ""), HasSubstr("\"same\": false"));
}

TEST(Compare, AcrossFrameworksOnlyWhatBothKnowDiffers) {
  const std::string megatron =
      "MODEL_ARGS:\n  --tensor-model-parallel-size: 4\n  --pipeline-model-parallel-size: 2\n  --num-layers: 32\n  --hidden-size: 4096\n"
      "  --num-attention-heads: 32\n  --seq-length: 4096\n  --max-position-embeddings: 4096\n  --micro-batch-size: 2\n"
      "  --global-batch-size: 64\n  --bf16: true\n";
  const std::string titan =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 8\nglobal_batch_size = 64\nseq_len = 4096\n"
      "[parallelism]\ntensor_parallel_degree = 8\npipeline_parallel_degree = 2\n";
  const CheckResult before = read("a.yaml", megatron), after = read("b.toml", titan);
  const auto differences = compare(before, after);
  ASSERT_EQ(differences.size(), 1u);
  const std::string said = dump(differences[0]);
  EXPECT_THAT(said, HasSubstr("tp 4->8; "));
  EXPECT_THAT(said, Not(HasSubstr("global_batch ")));
  EXPECT_THAT(said, Not(HasSubstr("seq_length")));
  for (const FieldDifference& field : differences[0].fields) EXPECT_NE(field.before->name, "pp");
}

}  // namespace
}  // namespace shardlint
