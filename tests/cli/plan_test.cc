// The commands that show plans, from words to exit codes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>

#include "checker/cli/commands.h"
#include "tests/where.h"

namespace shardlint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string fixture(std::string_view name) { return fmt::format("{}/fixtures/ok/{}", SHARDLINT_ROOT, name); }

Outcome run(std::vector<std::string> words) {
  const Checked<Options> options = read_options(words);
  EXPECT_EQ(options.error, "");
  if (!options.value) return {};
  return options.value->command == Command::Diff ? run_diff(*options.value, {}) : run_plan(*options.value, {});
}

TEST(PlanCommand, SearchesWithAModelAndACluster) {
  const Outcome found =
      run({"plan", "--search", "--model", "meta-llama/Meta-Llama-3-70B", "--world-size", "512", "--gpus-per-node", "8", "--gpu", "H100"});
  EXPECT_EQ(found.exit, kClean);
  EXPECT_THAT(found.remarks, IsEmpty());
  EXPECT_THAT(found.output, StartsWith("70.6 B parameters on 512 H100 GPUs, taking sequences of 8,192 tokens and 512 sequences a step\n"));
  EXPECT_THAT(found.output, HasSubstr("\n   8   1   64 "));
  EXPECT_EQ(
      run({"plan", "--search", "--model", "meta-llama/Meta-Llama-3-70B", "--world-size", "8", "--gpus-per-node", "8", "--gpu", "H100"})
          .exit,
      kFindings);
}

TEST(PlanCommand, SaysWhatASearchLacks) {
  EXPECT_THAT(run({"plan", "--search", "--model", "nobody/none", "--gpu", "H100"}).remarks,
              ElementsAre("shardlint: --model: no public model has the name nobody/none"));
  EXPECT_THAT(run({"plan", "--search", "--model", "meta-llama/Meta-Llama-3-70B"}).remarks,
              ElementsAre("shardlint: --search: a layout needs world_size, gpu"));
}

TEST(PlanCommand, SweepsAFile) {
  const Outcome swept = run({"plan", fixture("megatron-500b.yaml"), "--nodes", "640", "--gpus-per-node", "8", "--gpu", "H100", "--sweep",
                             "tensor_model_parallel_size=4,8", "--sweep", "pp=8,16", "--format", "json"});
  EXPECT_EQ(swept.exit, kClean);
  auto json = llvm::json::parse(swept.output);
  ASSERT_TRUE(static_cast<bool>(json));
  const auto* variants = (*json->getAsObject()->getArray("plans"))[0].getAsObject()->getArray("variants");
  ASSERT_EQ(variants->size(), 4u);
  const auto* first = (*variants)[0].getAsObject();
  EXPECT_EQ(first->getInteger("errors"), 0);
  EXPECT_EQ(first->getString("fit"), llvm::StringRef("fits"));
  EXPECT_EQ(first->getObject("set")->getInteger("tensor_model_parallel_size"), first->getInteger("tp"));
  EXPECT_THAT(run({"plan", fixture("megatron-500b.yaml"), "--sweep", "tensor_model_parallel_sise=4"}).remarks,
              ElementsAre(HasSubstr("did you mean `tensor_model_parallel_size`?")));
}

TEST(PlanCommand, SetsKeysOfTheFramework) {
  const std::vector<std::string> cluster = {"plan", fixture("megatron-500b.yaml"), "--nodes", "640", "--gpus-per-node", "8"};
  for (const char* set : {"tp=4", "tensor_model_parallel_size=4"}) {
    std::vector<std::string> words = cluster;
    words.insert(words.end(), {"--set", set});
    EXPECT_THAT(run(words).output, HasSubstr("= TP 4 x PP 8 x CP 1 x DP 160")) << set;
  }
  std::vector<std::string> words = cluster;
  words.insert(words.end(), {"--set", "tensor_model_parallel_sise=4"});
  const Outcome refused = run(words);
  EXPECT_EQ(refused.exit, kUsage);
  EXPECT_THAT(refused.remarks, ElementsAre(StartsWith("shardlint: --set: `tensor_model_parallel_sise` is no field of the plan")));
}

TEST(PlanCommand, DrawsOneFile) {
  const Outcome drawn = run({"plan", fixture("verl-7b-ppo.yaml"), "--format", "html"});
  EXPECT_EQ(drawn.exit, kClean);
  EXPECT_THAT(drawn.output, StartsWith("<!doctype html>"));
  // A section for each plan of the run, and a way to each.
  for (const char* name : {"plan-1", "plan-2", "plan-3"}) {
    EXPECT_THAT(drawn.output, HasSubstr(fmt::format("<article id=\"{}\"", name)));
    EXPECT_THAT(drawn.output, HasSubstr(fmt::format("<a href=\"#{}\">", name)));
  }
}

TEST(DiffCommand, ExitsByWhatIsDifferent) {
  const std::string one = fixture("megatron-500b.yaml"), other = fixture("megatron-500b-cp2.yaml");
  EXPECT_EQ(run({"diff", one, one}).exit, kClean);
  const Outcome different = run({"diff", one, other, "--nodes", "640", "--gpus-per-node", "8"});
  EXPECT_EQ(different.exit, kFindings);
  EXPECT_THAT(different.output, HasSubstr("\n  cp  1 -> 2  "));
  EXPECT_THAT(different.output, HasSubstr("\n  dp                80 -> 40\n"));
  const Outcome missing = run({"diff", one, fixture("no-such-file.yaml")});
  EXPECT_EQ(missing.exit, kUsage);
  EXPECT_THAT(missing.remarks, ElementsAre(HasSubstr("no such file")));
}

}  // namespace
}  // namespace shardlint
