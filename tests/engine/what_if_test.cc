// What a run would be with other values, sweeps, and layouts of a model on a cluster.
#include "checker/engine/what_if.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "checker/engine/check.h"
#include "checker/engine/layouts.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Le;

CheckResult plan_of(std::string_view name, std::string_view text, std::string_view framework) {
  CheckOptions asked;
  asked.paths = {std::string(name)};
  asked.command_line.framework = std::string(framework);
  asked.isolated = true, asked.fixes = false;
  Overlay files(nullptr);
  files.put(name, std::string(text));
  return check(files, asked);
}

constexpr std::string_view kMegatron =
    "MODEL_ARGS:\n  --tensor-model-parallel-size: 8\n  --pipeline-model-parallel-size: 8\n  --num-layers: 96\n  --hidden-size: 20480\n"
    "  --num-attention-heads: 160\n  --seq-length: 4096\n  --max-position-embeddings: 4096\n  --micro-batch-size: 1\n"
    "  --global-batch-size: 2560\n  --train-iters: 1000\n  --lr: 0.0001\n  --bf16: true\n  --vocab-size: 51200\n"
    "  --use-distributed-optimizer: true\n  --sequence-parallel: true\n  --tokenizer-type: NullTokenizer\n";

// Llama 3 70B on 512 H100s, without a layout.
constexpr std::string_view k70B =
    "world_size = 512\ngpus_per_node = 8\ngpu = \"H100\"\nlayers = 80\nhidden = 8192\nffn_hidden = 28672\nheads = 64\nkv_groups = 8\n"
    "vocab = 128256\nseq_length = 8192\nglobal_batch = 512\ngated_mlp = true\nexperts = 0\nprecision.weights = \"bf16\"\n";

std::string dump(const Variant& variant) {
  std::string out;
  for (const auto& [name, value] : variant.supposed) out += fmt::format("{}={} ", name, to_string(value));
  const Plan& plan = *variant.plan;
  return out + fmt::format("-> tp {} pp {} dp {} m {}", plan.tp.value_or(-1), plan.pp.value_or(-1), plan.dp.value_or(-1),
                           plan.num_microbatches.value_or(-1));
}

class MegatronWhatIf : public testing::Test {
 protected:
  CheckResult result_ = [] {
    CheckResult made = plan_of("job.yaml", kMegatron, "megatron");
    return made;
  }();
};

TEST_F(MegatronWhatIf, NamesAreFieldsKeysOrFlags) {
  const WhatIf run(result_.plans.at(0).job, 0);
  for (const char* name : {"tp", "tensor_model_parallel_size", "--tensor-model-parallel-size"}) {
    EXPECT_EQ(run.name_error(name), "");
    const Variant variant = run.with({{name, 4}, {"world_size", 5120}});
    EXPECT_THAT(dump(variant), HasSubstr("-> tp 4 pp 8 dp 160 m 16"));
  }
  EXPECT_THAT(run.name_error("tensor_model_parallel_sise"), HasSubstr("did you mean `tensor_model_parallel_size`"));
}

TEST_F(MegatronWhatIf, WhatIsNotWrittenIsSaidBesideIt) {
  const WhatIf run(result_.plans.at(0).job, 0);
  EXPECT_THAT(dump(run.with({{"world_size", 5120}})), HasSubstr("-> tp 8 pp 8 dp 80 m 32"));
  EXPECT_THAT(dump(run.with({{"world_size", 5120}, {"cp", 2}})), HasSubstr("dp 40"));
  // And the run itself stays what it is.
  EXPECT_THAT(dump(run.with({})), HasSubstr("-> tp 8 pp 8 dp -1"));
}

TEST_F(MegatronWhatIf, TheLawIsAskedAgain) {
  const WhatIf run(result_.plans.at(0).job, 0);
  EXPECT_EQ(run.with({{"world_size", 5120}}).errors, 0u);
  const Variant broken = run.with({{"world_size", 5120}, {"global_batch", 2500}});
  EXPECT_GE(broken.errors, 1u);
  EXPECT_THAT(broken.rule, HasSubstr("global-batch-not-divisible"));
}

TEST(Combinations, TheLastNameIsTheFastest) {
  const auto all = combinations({{"tp", {1, 2}}, {"pp", {4, 8}}}, 10);
  ASSERT_TRUE(all);
  std::string out;
  for (const std::vector<Supposed>& one : *all) out += fmt::format("{}/{} ", to_string(one[0].second), to_string(one[1].second));
  EXPECT_EQ(out, "1/4 1/8 2/4 2/8 ");
  EXPECT_FALSE(combinations({{"tp", {1, 2, 3}}, {"pp", {4, 5, 6, 7}}}, 11));
}

TEST_F(MegatronWhatIf, ASweepIsSortedByWorth) {
  const CheckResult plan = plan_of("plan.toml", std::string(k70B) + "micro_batch = 1\nsp = true\ndistributed_optimizer = true\n", "plan");
  const WhatIf run(plan.plans.at(0).job, 0);
  std::vector<Variant> all = judge_all(run, *combinations({{"tp", {1, 2, 4, 8, 3}}, {"pp", {1, 2, 4, 8, 16}}}, 1000), 2);
  ASSERT_EQ(all.size(), 25u);
  sort_by_worth(all);
  EXPECT_EQ(all.front().errors, 0u);
  EXPECT_NE(all.front().costs.fit(), Costs::Fit::Over);
  EXPECT_GE(all.back().errors, 1u);
  for (const Variant& variant : all) EXPECT_GE(variant.errors, dump(variant).starts_with("tp=3") ? 1u : 0u) << "3 divides nothing";
}

TEST(Layouts, A70BModelOn512H100sHoldsTP8InANodeAndShardsTheRest) {
  const CheckResult plan = plan_of("plan.toml", k70B, "plan");
  const Layouts layouts = search_layouts(*plan.plans.at(0).plan, 0);
  EXPECT_EQ(layouts.error, "");
  ASSERT_GE(layouts.found.size(), 5u);
  const Plan& best = *layouts.found[0].plan;
  EXPECT_EQ(*best.tp, 8);
  EXPECT_EQ(*best.pp, 1);
  EXPECT_EQ(*best.dp, 64);
  EXPECT_TRUE(*best.fsdp || *best.distributed_optimizer);
  for (const Variant& variant : layouts.found) {
    EXPECT_EQ(variant.errors, 0u) << dump(variant);
    EXPECT_THAT(*variant.plan->tp, Le(8));  // no group leaves its server
    EXPECT_THAT(*variant.costs.memory, Le(*variant.costs.card));
    EXPECT_EQ(*variant.plan->tp * *variant.plan->pp * *variant.plan->cp * *variant.plan->dp, 512);
  }
  for (std::size_t i = 1; i < layouts.found.size(); ++i) {
    const Costs &before = layouts.found[i - 1].costs, &after = layouts.found[i].costs;
    if (before.fit() == after.fit()) {
      EXPECT_LE(*before.seconds, *after.seconds);
    }
  }
}

TEST(Layouts, SayWhatTheyNeedAndWhatTheyTake) {
  EXPECT_EQ(search_layouts(*plan_of("plan.toml", "layers = 80\n", "plan").plans.at(0).plan, 1).error,
            "a layout needs world_size, gpu, hidden, heads, vocab");
  const Layouts layouts = search_layouts(
      *plan_of("plan.toml", "world_size = 8\ngpu = \"H200\"\nlayers = 16\nhidden = 2048\nheads = 32\nvocab = 128256\n", "plan")
           .plans.at(0)
           .plan,
      1);
  ASSERT_EQ(layouts.assumed.size(), 2u);
  EXPECT_EQ(with_commas(layouts.assumed[0]), "sequences of 8,192 tokens");
  EXPECT_EQ(with_commas(layouts.assumed[1]), "512 sequences a step");
  EXPECT_FALSE(layouts.found.empty());
}

TEST(Layouts, AModelThatIsTooLargeHasNone) {
  const Layouts layouts = search_layouts(*plan_of("plan.toml", std::string(k70B).replace(13, 3, "8"), "plan").plans.at(0).plan, 1);
  EXPECT_EQ(layouts.error, "");
  EXPECT_TRUE(layouts.found.empty());
}

}  // namespace
}  // namespace shardlint
