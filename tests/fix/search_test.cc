// Fixes that are searched: what is offered first, how the file reads afterwards, and that whatever is offered works.
#include "checker/fix/search.h"

#include "tests/fix/offers.h"
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

Facts cluster(const std::vector<std::pair<std::string, Value>>& fields) {
  Facts out;
  for (const auto& [field, value] : fields) {
    Fact& fact = out.emplace_back();
    fact.path = fact.spelled = field;
    fact.value = value;
    fact.way = Way::Setting;
  }
  return out;
}

const std::string kTitan = "[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\n";

const std::string kMegatron =
    "MODEL_ARGS:\n  --num-layers: 8\n  --hidden-size: 1024\n  --num-attention-heads: 24\n  --seq-length: 2048\n  "
    "--max-position-embeddings: 2048\n"
    "  --micro-batch-size: 1\n  --train-iters: 100\n  --lr: 0.0003\n  --mock-data: true\n  --tokenizer-type: NullTokenizer\n  "
    "--vocab-size: 32000\n  --kv-channels: 64\n"
    "  --bf16: true\n";

TEST(Search, FirstFix) {
  struct Row {
    std::string path, text;
    std::vector<std::pair<std::string, Value>> settings;
    std::string rule, title, from, to;  // the text changes from .. to ..
  };
  const Row kRows[] = {
      {"a.toml",
       kTitan + "[parallelism]\ntensor_parallel_degree = 3 # odd\n",
       {{"world_size", 8}},
       "torchtitan/model-parallel-does-not-divide-world",
       "tensor_parallel_degree = 4",
       "3 # odd",
       "4 # odd"},
      {"a.toml",
       kTitan + "[parallelism]\ntensor_paralel_degree = 2\n",
       {{"world_size", 8}},
       "hygiene/unknown-key",
       "tensor_parallel_degree",
       "tensor_paralel_degree",
       "tensor_parallel_degree"},
      {"a.toml",
       kTitan + "[parallelism]\ntensor_parallel_degree = \"2\"\n",
       {{"world_size", 8}},
       "hygiene/wrong-type",
       "tensor_parallel_degree = 2",
       "\"2\"",
       "2"},
      {"a.toml",
       kTitan + "[parallelism]\nmax_norm = 2.0\n",
       {},
       "hygiene/key-under-wrong-parent",
       "move it to training.max_norm",
       "seq_len = 2048\n[parallelism]\nmax_norm = 2.0\n",
       "seq_len = 2048\nmax_norm = 2.0\n[parallelism]\n"},
      {"a.toml",
       kTitan + "global_batch_size = 60\n",
       {{"world_size", 8}},
       "torchtitan/global-batch-not-divisible",
       "global_batch_size = 64",
       "60",
       "64"},
      {"a.toml",
       kTitan + "[activation_checkpoint]\nmode = \"Full\"\n",
       {},
       "torchtitan/unknown-recompute-mode",
       "mode = full",
       "Full",
       "full"},
      {"m.yaml",
       kMegatron + "  --tensor-model-parallel-size: 3\n",
       {{"world_size", 8}},
       "megatron/world-not-divisible-by-model",
       "--tensor-model-parallel-size = 4",
       "size: 3",
       "size: 4"},
      {"m.yaml",
       kMegatron + "  --overlap-param-gather: true\n  --use-distributed-optimizer: true\n",
       {{"world_size", 8}},
       "megatron/param-gather-overlap-without-grad-reduce-overlap",
       "add --overlap-grad-reduce",
       "optimizer: true\n",
       "optimizer: true\n  --overlap-grad-reduce: true\n"},
  };
  for (const Row& row : kRows) {
    const CheckResult result = check_text(row.path, row.text, cluster(row.settings), true);
    const auto found = std::find_if(result.findings.begin(), result.findings.end(), [&](const Finding& f) { return f.rule == row.rule; });
    if (found == result.findings.end()) {
      std::string rules;
      for (const Finding& f : result.findings)
        rules += f.rule + ": " + f.message + (f.fixes.empty() ? "" : " | " + f.fixes[0].title) + "\n";
      ADD_FAILURE() << row.rule << " is not there:\n" << rules;
      continue;
    }
    ASSERT_FALSE(found->fixes.empty()) << row.rule;
    EXPECT_EQ(found->fixes[0].title, row.title) << row.rule;
    std::string expected = row.text;
    if (const std::size_t at = expected.rfind(row.from); at != expected.npos) expected.replace(at, row.from.size(), row.to);
    EXPECT_EQ(*apply(*found->place.source, found->fixes[0].edits), expected) << row.rule;
    expect_fixes_work(row.path, row.text, cluster(row.settings));
  }
}

std::vector<std::string> offered(const std::string& path, const std::string& text, const Facts& settings, const std::string& rule) {
  std::vector<std::string> out;
  for (const Finding& finding : check_text(path, text, settings, true).findings)
    if (finding.rule == rule)
      for (const Fix& fix : finding.fixes) out.push_back(fix.title);
  return out;
}

TEST(Search, NoNumbersThatNobodyWouldChoose) {
  // Nothing is no number of heads, and no degree.
  const std::string falcon =
      "trainer: {devices: 7, num_nodes: 1}\nexp_manager: {name: x}\nmodel:\n  tensor_model_parallel_size: 7\n  "
      "pipeline_model_parallel_size: 1\n"
      "  micro_batch_size: 1\n  global_batch_size: 14\n  num_layers: 60\n  hidden_size: 4544\n  num_attention_heads: 71\n  "
      "encoder_seq_length: 2048\n"
      "  max_position_embeddings: 2048\n";
  const auto heads = offered("a.yaml", falcon, {}, "shapes/heads-not-divisible-by-tp");
  ASSERT_FALSE(heads.empty());
  for (const std::string& title : heads) EXPECT_FALSE(title.ends_with(" = 0")) << title;
  // There is no tenth of a machine.
  const auto machines =
      offered("a.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_machines: null\nnum_processes: 8\n", {},
              "accelerate/num-machines-null");
  ASSERT_FALSE(machines.empty());
  for (const std::string& title : machines) EXPECT_EQ(title.find("0.1"), std::string::npos) << title;
}

TEST(Search, WhatIsWrittenIsChangedWhereItStands) {
  const std::string finetune =
      "trainer: {devices: 2, num_nodes: 1}\nexp_manager: {name: x}\nmodel:\n  tensor_model_parallel_size: 1\n  "
      "pipeline_model_parallel_size: 1\n"
      "  data:\n    train_ds:\n      global_batch_size: 128\n      micro_batch_size: 65\n";
  const auto batch = offered("a.yaml", finetune, {}, "nemo/global-batch-not-divisible");
  ASSERT_FALSE(batch.empty());
  EXPECT_EQ(batch[0], "micro_batch_size = 64");
  for (const std::string& title : batch) EXPECT_FALSE(title.starts_with("add ")) << title;
}

TEST(Search, WhatMustBeWrittenIsNotTakenOut) {
  const auto titles =
      offered("a.yaml",
              "cluster: {gpus_per_node: 8, num_nodes: 2}\npolicy:\n  model_name: \"Qwen/Qwen2.5-7B\"\n  train_global_batch_size: 512\n"
              "  train_micro_batch_size: 4\n  max_total_sequence_length: 4096\n  dtensor_cfg: {enabled: true, tensor_parallel_size: 8}\n"
              "grpo: {num_prompts_per_step: 32, num_generations_per_prompt: 16}\n",
              {}, "nemo-rl/dtensor-heads-not-divisible");
  EXPECT_EQ(titles, (std::vector<std::string>{"tensor_parallel_size = 4", "tensor_parallel_size = 2"}));
}

// ---- changes to facts

TEST(WithChanges, Facts) {
  const auto data =
      load({{"schema.toml", "name = \"small\"\nformats = [\"yaml\"]\nloader = \"yaml12\"\n[plan]\n"}, {"keys.tsv", "key\ttype\na\tany\n"}});
  ASSERT_TRUE(data);
  const Judged run(data->schema, "a: 1\nb: {c: 2, d: [3]}\nbc: 4\n");
  const auto dump = [&](const std::vector<Change>& changes) {
    std::string out;
    for (const Fact& fact : with_changes(run.job, changes))
      out += fmt::format("{}{}={}", out.empty() ? "" : " ", fact.path, to_string(fact.value));
    return out;
  };
  EXPECT_EQ(dump({}), "a=1 b={...} b.c=2 b.d=[3] b.d[0]=3 bc=4");
  EXPECT_EQ(dump({{Change::Kind::Set, 0, kNoSlot, "", 9}}), "a=9 b={...} b.c=2 b.d=[3] b.d[0]=3 bc=4");
  EXPECT_EQ(dump({{Change::Kind::Remove, 1, kNoSlot, "", {}}}), "a=1 bc=4");
  EXPECT_EQ(dump({{Change::Kind::Rename, 1, kNoSlot, "x", {}}}), "a=1 x={...} x.c=2 x.d=[3] x.d[0]=3 bc=4");
  EXPECT_EQ(dump({{Change::Kind::Insert, 0, kNoSlot, "b.e", 5}}), "a=1 b={...} b.c=2 b.d=[3] b.d[0]=3 bc=4 b.e=5");
  EXPECT_EQ(dump({{Change::Kind::Remove, 0, kNoSlot, "", {}}, {Change::Kind::Set, 2, kNoSlot, "", 7}}),
            "b={...} b.c=7 b.d=[3] b.d[0]=3 bc=4");
}

}  // namespace
}  // namespace shardlint::test
