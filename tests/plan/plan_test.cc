// Derived counts: what is stated, and what the plan makes of it. The right answers are those of the accounting tables.
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

constexpr std::string_view kSchema = R"toml(
name = "small"
formats = ["yaml"]
loader = "yaml12"
[recognise]
keys = ["tp"]
[plan]
tp = "'tp'"
pp = "'pp'"
cp = "'cp'"
ep = "'ep'"
vpp = "'vpp'"
micro_batch = "'micro'"
global_batch = "'global'"
grad_accum = "'accum'"
seq_length = "'seq'"
train_iters = "'steps'"
hidden = "'hidden'"
heads = "'heads'"
ffn_hidden = "'ffn'"
distributed_optimizer = "'sharded'"
)toml";

std::string keys() {
  std::string out = "key\ttype\tdefault\n";
  for (std::string_view key : {"tp", "pp", "cp", "ep", "vpp", "micro", "global", "accum", "seq", "steps", "hidden", "heads", "ffn"})
    out += fmt::format("{}\tint|null\tnull\n", key);
  return out + "sharded\tbool\tfalse\n";
}

// The dump's words for these fields alone; what is unknown is not there.
std::string picked(const std::string& dump, std::string_view names) {
  std::string out;
  for (std::size_t begin = 0; begin < dump.size();) {
    const std::size_t end = std::min(dump.find(' ', begin), dump.size());
    const std::string word = dump.substr(begin, end - begin);
    if (fmt::format(" {} ", names).find(fmt::format(" {} ", word.substr(0, word.find('=')))) != std::string::npos)
      out += (out.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return out;
}

using Settings = std::vector<std::pair<std::string, Value>>;
struct Row {
  std::string_view given;
  Settings cluster;
  std::string_view fields, expected;
};

void expect_plans(const std::vector<Row>& rows) {
  const auto data = load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", keys()}});
  ASSERT_TRUE(data);
  for (const Row& row : rows) {
    Judged run(data->schema, row.given, row.cluster);
    EXPECT_EQ(picked(dump(run.evaluation()), row.fields), row.expected) << row.given;
  }
}

TEST(Plan, Counts) {
  const Settings kBig = {{"world_size", 5120}, {"gpus_per_node", 8}};
  expect_plans({
      {"{tp: 8, pp: 8, cp: 1}", kBig, "dp nodes", "nodes=640 dp=80"},
      {"{tp: 8, pp: 8}", kBig, "dp cp", "cp=1 dp=80"},
      {"{tp: 8, pp: 8, cp: 2}", kBig, "dp", "dp=40"},
      {"{tp: 8, pp: 8, micro: 1, accum: 32, seq: 4096}", kBig, "global_batch num_microbatches tokens_per_step",
       "global_batch=2560 num_microbatches=32 tokens_per_step=10485760"},
      {"{tp: 8, pp: 8, micro: 1, accum: 32, seq: 4096, steps: 1000}", kBig, "train_tokens", "train_tokens=10485760000"},
      {"{tp: 8, pp: 8, ep: 16}", kBig, "expert_dp dp", "dp=80 expert_dp=40"},
      {"{tp: 8, pp: 6}", kBig, "dp tp", "tp=8"},
      {"{tp: 0}", kBig, "dp tp world_size", "world_size=5120 tp=0"},
      {"{hidden: 8192, heads: 64}",
       {},
       "hidden ffn_hidden heads kv_groups head_dim",
       "hidden=8192 ffn_hidden=32768 heads=64 kv_groups=64 head_dim=128"},
      {"{hidden: 8192, heads: 64, ffn: 28672}", {}, "ffn_hidden moe_ffn_hidden", "ffn_hidden=28672 moe_ffn_hidden=28672"},
      {"{sharded: true}", {}, "zero_stage", "zero_stage=1"},
      {"{sharded: false}", {}, "zero_stage", "zero_stage=0"},
      {"{pp: 4, vpp: 2}", {}, "schedule microbatch_group", "schedule=interleaved microbatch_group=4"},
      {"{pp: 4}", {}, "schedule vpp", "vpp=1 schedule=1f1b"},
      {"{tp: 1}", {{"gpu", "H100"}}, "gpu gpu_memory_gib cuda_capability", "gpu=H100 gpu_memory_gib=80 cuda_capability=9"},
      {"{tp: 1}", {{"gpu", "X9000"}}, "gpu gpu_memory_gib", "gpu=X9000"},
  });
}

// Whichever is stated feeds the rest.
TEST(Plan, Circles) {
  const Settings kWorld = {{"world_size", 64}};
  expect_plans({
      {"{tp: 2, micro: 2, accum: 4}", kWorld, "micro_batch global_batch grad_accum", "micro_batch=2 global_batch=256 grad_accum=4"},
      {"{tp: 2, micro: 2, global: 256}", kWorld, "micro_batch global_batch grad_accum", "micro_batch=2 global_batch=256 grad_accum=4"},
      {"{tp: 2, accum: 4, global: 256}", kWorld, "micro_batch global_batch grad_accum", "micro_batch=2 global_batch=256 grad_accum=4"},
      {"{tp: 2, micro: 2}", kWorld, "micro_batch global_batch grad_accum", "micro_batch=2"},
      {"{tp: 2, global: 250, micro: 2}", kWorld, "micro_batch global_batch grad_accum", "micro_batch=2 global_batch=250"},
      {"{tp: 2, micro: 2, accum: 4}", {}, "micro_batch global_batch grad_accum dp", "micro_batch=2 grad_accum=4"},
      {"{tp: 1}", {{"nodes", 4}, {"gpus_per_node", 8}}, "nodes gpus_per_node world_size dp", "nodes=4 gpus_per_node=8 world_size=32 dp=32"},
      {"{tp: 1}", {{"nodes", 4}, {"world_size", 32}}, "nodes gpus_per_node world_size", "nodes=4 gpus_per_node=8 world_size=32"},
      {"{tp: 1}", {{"gpus_per_node", 8}, {"world_size", 32}}, "nodes gpus_per_node world_size", "nodes=4 gpus_per_node=8 world_size=32"},
      {"{tp: 1}", {{"gpus_per_node", 8}, {"world_size", 12}}, "nodes gpus_per_node world_size", "gpus_per_node=8 world_size=12"},
      {"{tp: 1}", {{"nodes", 4}}, "nodes gpus_per_node world_size", "nodes=4"},
  });
}

// A plan's own fields, as rules see them.
TEST(Plan, Known) {
  const auto data = load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", keys()}});
  ASSERT_TRUE(data);
  Judged run(data->schema, "{tp: 8, micro: 1}", {{"world_size", 64}});
  const Plan plan = make_plan(run.evaluation());
  EXPECT_EQ(*plan.dp, 8);
  EXPECT_FALSE(plan.global_batch);
  EXPECT_FALSE(plan.global_batch.stated);
  EXPECT_TRUE(plan.experts.stated);  // "none" is an answer
  EXPECT_FALSE(plan.experts);
  EXPECT_EQ(plan.pp.value_or(7), 1);
  EXPECT_TRUE(known(plan.tp, plan.dp, plan.world_size));
  EXPECT_FALSE(known(plan.tp, plan.global_batch));
}

}  // namespace
}  // namespace shardlint::test
