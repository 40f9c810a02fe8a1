// Memory, pipeline, network and time against right answers: sums that anybody can redo on paper, and published figures.
#include <map>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "checker/plan/costs.h"
#include "checker/plan/layout.h"
#include "checker/plan/memory.h"
#include "checker/plan/network.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/time.h"

namespace shardlint {
namespace {

template <class T, class V>
void set(PlanField<T>& field, V value) {
  field.value = value, field.stated = true;
}

// A decoder of the given shape on one GPU; bf16 all over, tokens of one micro-batch.
Plan shape(i64 layers, i64 hidden, i64 ffn, i64 heads, i64 kv, i64 vocab, i64 seq) {
  Plan plan;
  set(plan.layers, layers), set(plan.hidden, hidden), set(plan.ffn_hidden, ffn), set(plan.heads, heads), set(plan.kv_groups, kv);
  set(plan.head_dim, hidden / heads), set(plan.vocab, vocab), set(plan.padded_vocab, vocab), set(plan.seq_length, seq);
  plan.experts.stated = true;
  set(plan.zero_stage, i64{0});
  set(plan.precision_weights, "bf16"), set(plan.precision_grads, "bf16"), set(plan.schedule, "1f1b");
  for (auto* field : {&plan.tp, &plan.pp, &plan.cp, &plan.dp, &plan.vpp, &plan.replica_batch, &plan.num_microbatches, &plan.ep, &plan.etp,
                      &plan.world_size, &plan.expert_dp})
    set(*field, i64{1});
  return plan;
}
Plan llama70() {
  Plan plan = shape(80, 8192, 28672, 64, 8, 128256, 8192);
  set(plan.gated_mlp, true);
  return plan;
}
void split(Plan& plan, i64 tp, i64 pp, i64 dp, i64 micro_batches = 1) {
  set(plan.tp, tp), set(plan.pp, pp), set(plan.dp, dp), set(plan.num_microbatches, micro_batches), set(plan.world_size, tp * pp * dp);
  set(plan.expert_dp, tp * dp);
  set(plan.tokens_per_step, *plan.replica_batch * micro_batches * dp * *plan.seq_length);
}

void shard_fully(Plan& plan) { set(plan.fsdp, true), set(plan.zero_stage, i64{3}); }

// ---- parameters

TEST(Parameters, Llama70) { EXPECT_NEAR(model_weights(llama70())->total() / 1e9, 70.55, 0.005); }

TEST(Parameters, TheGptFormOfSevenPublishedSizes) {
  // Narayanan et al. 2021, table 1: heads, hidden, layers, billions.
  const std::tuple<i64, i64, i64, double> rows[] = {
      {24, 2304, 24, 1.7},   {32, 3072, 30, 3.6},    {32, 4096, 36, 7.5},     {48, 6144, 40, 18.4},     {64, 8192, 48, 39.1},
      {80, 10240, 60, 76.1}, {96, 12288, 80, 145.6}, {128, 16384, 96, 310.1}, {128, 20480, 105, 529.6}, {160, 25600, 128, 1008.0}};
  for (const auto& [heads, hidden, layers, billions] : rows) {
    Plan plan = shape(layers, hidden, 4 * hidden, heads, heads, 51200, 2048);
    set(plan.tied_embeddings, true), set(plan.linear_bias, true), set(plan.norm, "layernorm"), set(plan.learned_positions, true);
    EXPECT_NEAR(model_weights(plan)->total() / 1e9, billions, 0.05) << billions;
    const double h = static_cast<double>(hidden), l = static_cast<double>(layers);
    const double formula = 12 * l * h * h * (1 + 13 / (12 * h) + (51200 + 2048) / (12 * l * h));
    EXPECT_NEAR(model_weights(plan)->total(), formula, 2 * h + 1);  // the formula leaves the last norm out
  }
}

TEST(Parameters, LatentAttentionAndExperts) {
  // DeepSeek-V3: 671 billion, 37 of them active; 61 layers, the first three dense.
  Plan plan = shape(61, 7168, 18432, 128, 128, 129280, 4096);
  set(plan.gated_mlp, true), set(plan.head_dim, i64{128}), set(plan.q_lora_rank, i64{1536}), set(plan.kv_lora_rank, i64{512});
  set(plan.qk_rope_head_dim, i64{64}), set(plan.v_head_dim, i64{128});
  set(plan.experts, i64{256}), set(plan.topk, i64{8}), set(plan.moe_ffn_hidden, i64{2048}), set(plan.shared_expert_ffn, i64{2048});
  ValueList layers(61, Value(i64{1}));
  layers[0] = layers[1] = layers[2] = i64{0};
  set(plan.moe_layer_freq, Value(layers));
  const auto model = model_weights(plan);
  EXPECT_NEAR(model->total() / 1e9, 671, 0.5);
  EXPECT_NEAR((model->active() + model->embedding) / 1e9, 37.5, 0.6);
}

TEST(Parameters, WithoutAVocabulary) {
  Plan plan = llama70();
  plan.padded_vocab.value.reset(), plan.padded_vocab.stated = false;
  const auto model = model_weights(plan);
  ASSERT_TRUE(model);
  EXPECT_FALSE(model->vocabulary);
  EXPECT_NEAR(model->total() / 1e9, 70.55 - 2 * 128256 * 8192 / 1e9, 0.005);
  EXPECT_EQ(memory(plan)->unmodelled[0], "embedding and output layer, because the vocabulary is not known");
}

TEST(Parameters, WhatIsNotKnownIsNamed) {
  Plan plan = llama70();
  plan.kv_groups.value.reset();
  plan.kv_groups.field = Field::kv_groups;
  std::vector<Field> missing;
  EXPECT_FALSE(model_weights(plan, &missing));
  EXPECT_EQ(missing, std::vector{Field::kv_groups});
  set(plan.kv_groups, i64{8}), set(plan.experts, i64{8}), set(plan.topk, i64{2}), set(plan.moe_ffn_hidden, i64{1024});
  set(plan.moe_layer_freq, Value(ValueList{i64{1}}));
  EXPECT_FALSE(model_weights(plan)) << "a list of one for 80 layers";
}

// ---- state

TEST(State, BytesOfOneParameter) {
  EXPECT_EQ(state_bytes(0, 1, 1, 2, 2).total(), 16);
  EXPECT_EQ(state_bytes(0, 1, 1, 2, 4).total(), 18);
  EXPECT_DOUBLE_EQ(state_bytes(1, 80, 80, 2, 4).total(), 6 + 12.0 / 80);
  EXPECT_DOUBLE_EQ(state_bytes(1, 64, 64, 2, 2).total(), 4 + 12.0 / 64);
  EXPECT_DOUBLE_EQ(state_bytes(2, 64, 64, 2, 2).total(), 2 + 14.0 / 64);
  EXPECT_DOUBLE_EQ(state_bytes(3, 64, 64, 2, 2).total(), 16.0 / 64);
  EXPECT_DOUBLE_EQ(state_bytes(3, 80, 8, 2, 4).total(), 0.9);
  EXPECT_EQ(state_bytes(0, 1, 1, 4, 4).total(), 16) << "fp32 needs no master";
  const double each = 500e9 / 64;
  EXPECT_DOUBLE_EQ(each * state_bytes(0, 80, 80, 2, 4).total(), 140.625e9);
  EXPECT_DOUBLE_EQ(each * state_bytes(1, 80, 80, 2, 4).total(), 48.046875e9);
  EXPECT_NEAR(each * state_bytes(3, 80, 8, 2, 4).total(), 7.03e9, 5e6);
  EXPECT_NEAR(70.5e9 * state_bytes(3, 512, 512, 2, 2).total(), 2.203e9, 5e5);
}

TEST(State, OfAWholeModel) {
  // 500 billion parameters: 9 TB of state (8 with 2-byte gradients), of which weights 1; a checkpoint 7. 70.5 billion: 1.128 TB.
  EXPECT_DOUBLE_EQ(500e9 * state_bytes(0, 1, 1, 2, 4).total(), 9e12);
  EXPECT_DOUBLE_EQ(500e9 * state_bytes(0, 1, 1, 2, 2).total(), 8e12);
  EXPECT_DOUBLE_EQ(500e9 * state_bytes(0, 1, 1, 2, 4).weights, 1e12);
  EXPECT_DOUBLE_EQ(70.5e9 * state_bytes(0, 1, 1, 2, 2).total(), 1.128e12);
  const StateBytes one = state_bytes(0, 1, 1, 2, 2);
  EXPECT_DOUBLE_EQ((one.master + one.moments) / one.weights, 6);
  Plan plan = llama70();
  for (i64 dp : {1, 64}) {
    split(plan, 8, 1, dp);
    if (dp > 1) shard_fully(plan);
    EXPECT_DOUBLE_EQ(memory(plan)->checkpoint, 14 * memory(plan)->parameters) << "sharding does not multiply a checkpoint";
  }
  EXPECT_NEAR(500e9 * 14, 7e12, 1);
}

TEST(State, ByStage) {
  Plan plan = llama70();
  split(plan, 8, 4, 2, 4);
  const auto found = memory(plan);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->stages.size(), 4u);
  const double inner = found->stages[1].parameters, embedding = 128256.0 * 8192 / 8;
  EXPECT_DOUBLE_EQ(found->stages[0].parameters, inner + embedding);
  EXPECT_DOUBLE_EQ(found->stages[3].parameters, inner + embedding + 8192);
  EXPECT_DOUBLE_EQ(found->stages[1].state.total(), 16 * inner);
  EXPECT_DOUBLE_EQ(found->checkpoint, 14 * found->parameters);
  set(plan.distributed_optimizer, true), set(plan.zero_stage, i64{1});
  EXPECT_DOUBLE_EQ(memory(plan)->stages[1].state.total(), (4 + 12.0 / 2) * inner);
  set(plan.cp, i64{2});
  EXPECT_DOUBLE_EQ(memory(plan)->stages[1].state.total(), (4 + 12.0 / 4) * inner) << "CP ranks share the optimizer";
}

TEST(State, StagesAsTheLayoutAndTheEndsSay) {
  Plan plan = shape(126, 16384, 53248, 128, 8, 128256, 8192);
  split(plan, 8, 16, 1, 16);
  EXPECT_FALSE(stages(plan, 126)) << "126 layers on 16 stages";
  set(plan.first_stage_layers, i64{7}), set(plan.last_stage_layers, i64{7});
  const auto uneven = stages(plan, 126);
  ASSERT_TRUE(uneven);
  EXPECT_EQ((*uneven)[0].layers.size(), 7u);
  EXPECT_EQ((*uneven)[1].layers.size(), 8u);
  EXPECT_EQ((*uneven)[15].layers.back(), 125u);
  Plan laid = shape(5, 64, 256, 4, 4, 128, 16);
  split(laid, 1, 2, 1, 2);
  set(laid.vpp, i64{2}), set(laid.pipeline_layout, "E|tt|t|ttL");
  const auto chunks = stages(laid, 5);
  ASSERT_TRUE(chunks);
  EXPECT_EQ((*chunks)[0].layers, (std::vector<std::size_t>{2}));
  EXPECT_EQ((*chunks)[1].layers, (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_TRUE((*chunks)[0].embedding && (*chunks)[1].output && !(*chunks)[0].output);
}

TEST(State, UnderEachKindOfSharding) {
  Plan plan = llama70();
  split(plan, 8, 1, 64);
  const auto each = [&] { return memory(plan)->stages[0].state.total() / memory(plan)->stages[0].parameters; };
  EXPECT_DOUBLE_EQ(each(), 16);
  const std::pair<i64, double> stages[] = {{1, 4 + 12.0 / 64}, {2, 2 + 14.0 / 64}, {3, 16.0 / 64}};
  for (const auto& [stage, bytes] : stages) {
    set(plan.zero_stage, stage);
    EXPECT_DOUBLE_EQ(each(), bytes) << "ZeRO " << stage;
  }
  shard_fully(plan);
  EXPECT_DOUBLE_EQ(each(), 16.0 / 64);
  // Groups of 8 that each hold the whole; the optimizer over all 64 where the framework says so, with gradients in fp32.
  set(plan.hybrid_shard, true), set(plan.dp_replicate, i64{8}), set(plan.dp_shard, i64{8}), set(plan.precision_grads, "fp32");
  EXPECT_DOUBLE_EQ(each(), (2 + 4 + 12) / 8.0);
  set(plan.distributed_optimizer, true);
  EXPECT_DOUBLE_EQ(each(), (2 + 4) / 8.0 + 12.0 / 64);
  // With context parallelism, shards over its ranks too, whether the framework counts them among the shards or not.
  split(plan, 8, 1, 16), set(plan.cp, i64{4});
  EXPECT_DOUBLE_EQ(each(), (2 + 4) / 8.0 + 12.0 / 64);
}

TEST(State, ExpertsHaveReplicasOfTheirOwn) {
  Plan plan = shape(4, 1024, 4096, 8, 8, 32000, 2048);
  set(plan.experts, i64{8}), set(plan.topk, i64{2}), set(plan.moe_ffn_hidden, i64{4096}), set(plan.distributed_optimizer, true);
  split(plan, 1, 1, 16);
  set(plan.zero_stage, i64{1}), set(plan.ep, i64{8}), set(plan.expert_dp, i64{2});
  const auto model = model_weights(plan);
  double experts = 0;
  for (std::size_t i = 0; i < model->layers(); ++i) experts += model->layer(i).experts / 8;
  const auto found = memory(plan)->stages[0];
  EXPECT_DOUBLE_EQ(found.state.total(), (found.parameters - experts) * (4 + 12.0 / 16) + experts * (4 + 12.0 / 2));
}

TEST(State, WhatIsNotKnownIsNotCertain) {
  Plan plan = llama70();
  split(plan, 8, 1, 4);
  EXPECT_GT(memory(plan)->stages[0].least_state, 0);
  plan.zero_stage.open = plan.offload.open = true;
  set(plan.offload, false);
  EXPECT_GT(memory(plan)->stages[0].least_state, 0) << "both have a value for all that";
  plan.offload.value.reset();
  EXPECT_EQ(memory(plan)->stages[0].least_state, 0);
  plan.offload.open = false, plan.zero_stage.value.reset();
  EXPECT_EQ(memory(plan)->stages[0].least_state, 0);
  EXPECT_DOUBLE_EQ(memory(plan)->stages[0].state.total(), 16 * memory(plan)->stages[0].parameters) << "taken for no sharding";
}

TEST(State, OfModelsAndPipelinesOfAnySize) {
  Plan plan = shape(100'000, 8, 32, 2, 2, 16, 4);
  EXPECT_TRUE(model_weights(plan));
  set(plan.layers, i64{100'001});
  EXPECT_FALSE(model_weights(plan));
  set(plan.pp, i64{100'000});
  EXPECT_TRUE(stages(plan, 100'000));
  set(plan.pp, i64{100'001});
  EXPECT_FALSE(stages(plan, 100'001));
  set(plan.pp, i64{1000}), set(plan.vpp, i64{100});
  EXPECT_TRUE(stages(plan, 100'000));
  set(plan.vpp, i64{101});
  EXPECT_FALSE(stages(plan, 101'000));
  set(plan.pp, i64{1} << 39), set(plan.vpp, i64{1} << 39);
  EXPECT_FALSE(stages(plan, 8));
  EXPECT_TRUE(pipeline_layout("t*100000"));
  EXPECT_FALSE(pipeline_layout("t*100000t"));
}

TEST(State, WhatIsNotOnTheGpu) {
  Plan plan = llama70();
  split(plan, 1, 1, 8);
  set(plan.zero_stage, i64{2}), set(plan.offload, true), set(plan.offload_optimizer, true);
  const double parameters = memory(plan)->parameters;
  auto found = memory(plan)->stages[0];
  EXPECT_DOUBLE_EQ(found.state.total(), parameters * (2 + 2.0 / 8));
  EXPECT_DOUBLE_EQ(found.host, parameters * 12 / 8);
  set(plan.zero_stage, i64{3}), set(plan.offload_weights, true);
  found = memory(plan)->stages[0];
  EXPECT_DOUBLE_EQ(found.state.weights + found.state.master + found.state.moments, 0);
  EXPECT_GT(found.working.expected, 4e9 + 2 * 80e6) << "one layer at a time is gathered";
  EXPECT_EQ(found.least_state, 0) << "certain is nothing";
  Plan adapter = llama70();
  set(adapter.frozen, true);
  EXPECT_DOUBLE_EQ(memory(adapter)->stages[0].state.total(), 2 * parameters);
  EXPECT_DOUBLE_EQ(memory(adapter)->checkpoint, 2 * parameters);
}

TEST(State, OfOptimizers) {
  EXPECT_EQ(moment_bytes("adamw_torch_fused"), 8);
  EXPECT_EQ(moment_bytes("FusedAdam"), 8);
  EXPECT_EQ(moment_bytes("adamw_8bit"), 2);
  EXPECT_EQ(moment_bytes("Muon"), 4);
  EXPECT_FALSE(moment_bytes("galore_adamw"));
  Plan plan = llama70();
  const auto found = [&] { return memory(plan)->stages[0]; };
  const double parameters = found().parameters;
  EXPECT_DOUBLE_EQ(found().least_state, 2 * parameters) << "an optimizer that nobody names may keep nothing";
  set(plan.optimizer, "adam");
  EXPECT_DOUBLE_EQ(found().least_state, (2 + 2 + 2) * parameters) << "moments may be 8-bit ones, and the master may be missing";
  set(plan.precision_master, "fp32"), set(plan.precision_moments, "fp32");
  EXPECT_DOUBLE_EQ(found().least_state, 16 * parameters);
  EXPECT_DOUBLE_EQ(found().state.total(), 16 * parameters);
  set(plan.precision_moments, "bf16"), set(plan.precision_master, "none");
  EXPECT_DOUBLE_EQ(found().state.total(), (2 + 2 + 4) * parameters);
}

TEST(Memory, Llama70On512) {
  // Sharded over 64 in groups of TP 8: 2.2 GB of state, 22.8 of activations, about 4 of everything else: 29 of 80.
  Plan plan = llama70();
  set(plan.ffn_hidden, i64{4 * 8192}), set(plan.recompute_granularity, "selective"), set(plan.sp, true), shard_fully(plan);
  split(plan, 8, 1, 64);
  const auto found = memory(plan);
  const double state = 70.5e9 * state_bytes(3, 512, 512, 2, 2).total(), layers = 80 * 34 * 8192.0 * 8192 / 8;
  EXPECT_NEAR(state / 1e9, 2.2, 0.05);
  EXPECT_NEAR(layers / 1e9, 22.8, 0.05);
  EXPECT_NEAR((state + layers + 4e9) / 1e9, 29, 0.1);
  EXPECT_NEAR(found->stages[0].activations.expected - layers, 4.0 * 8192 * 8192 * (1 + 128256.0 / 8192) / 8 + 8192 * (8 + 8192) / 8.0, 10);
  const double gathered = 2 * (found->stages[0].working.expected - 4e9);
  EXPECT_NEAR(gathered, 2 * 2 * 2 * model_weights(plan)->dense.total() / 8, 1) << "two layers' weights";
  EXPECT_NEAR(found->stages[0].total().expected / 1e9, 2.5 + 22.8 + 4 + 1, 0.4) << "with a wider feed-forward layer, and the ends";
}

TEST(Memory, FewestGpus) {
  // 1.128 TB of state and 182.5 GB of activations on cards of 80 GB.
  EXPECT_EQ(fewest_gpus(1.31e12, 80e9), 17);
  EXPECT_EQ(fewest_gpus(10, 1), 10);
  EXPECT_EQ(fewest_gpus(10, 0), 0);
  EXPECT_EQ(fewest_gpus(1e40, 80e9), 1'000'000'000'000'000) << "more than anybody has is no overflow";
  Plan plan = llama70();
  set(plan.recompute_granularity, "selective"), set(plan.sp, true);
  const double alone = memory(plan)->together;
  EXPECT_EQ(fewest_gpus(alone, 80e9), 17);
  split(plan, 8, 1, 64);
  EXPECT_NEAR(memory(plan)->together / alone, 1, 1e-9) << "however it is split";
}

TEST(Memory, SaysWhatItLeavesOut) {
  Plan plan = llama70();
  set(plan.optimizer, "adamw");
  EXPECT_EQ(memory(plan)->unmodelled, std::vector<std::string>{"fragmentation of the allocator"});
  set(plan.offload, true), set(plan.learned_positions, true), set(plan.max_positions, i64{4096});
  const auto left_out = memory(plan)->unmodelled;
  EXPECT_EQ(left_out, (std::vector<std::string>{"learned positions", "what is moved to host memory", "fragmentation of the allocator"}));
}

// ---- activations

TEST(Activations, OfOneLayer) {
  Plan plan = llama70();
  set(plan.ffn_hidden, i64{4 * 8192}), set(plan.recompute_granularity, "selective");
  const auto layers = [&] {
    const auto found = memory(plan);
    // Without what the ends add: token numbers, dropout mask, norm and logits.
    const double tokens = 8192, h = 8192, t = static_cast<double>(*plan.tp), whole = plan.sp.value_or(false) ? 1 / t : 1;
    return found->stages[0].activations.expected - (8 * tokens / t + tokens * h * whole) - 4 * tokens * h * (whole + 128256.0 / h / t);
  };
  EXPECT_NEAR(layers() / 80, 2.2817e9, 1e5);
  EXPECT_NEAR(layers(), 182.5e9, 1e8);
  split(plan, 8, 1, 1);
  EXPECT_NEAR(layers() / 80, 8192.0 * 8192 * (10 + 24.0 / 8), 10) << "TP alone";
  set(plan.sp, true);
  EXPECT_NEAR(layers(), 22.8e9, 1e8);
  set(plan.recompute_granularity, "full");
  EXPECT_NEAR(layers() / 80, 2 * 8192.0 * 8192 / 8, 10);
}

TEST(Activations, OverContextScoresAndTheEnds) {
  Plan plan = llama70();
  set(plan.recompute_granularity, "selective");
  split(plan, 1, 2, 1, 1);
  const auto stage = [&](std::size_t i) { return memory(plan)->stages[i].activations; };
  const double first = stage(0).expected, last = stage(1).expected;
  const double tokens = 8192, h = 8192, logits = 4 * tokens * (h + 128256);
  EXPECT_NEAR(last - (first - 8 * tokens - tokens * h), logits, 10) << "logits and loss on the last stage";
  set(plan.cp, i64{2});
  EXPECT_NEAR(stage(0).expected, first / 2, 10);
  EXPECT_NEAR(stage(1).expected, last / 2, 10);
  set(plan.cp, i64{1}), set(plan.tp, i64{8});
  const double kept = stage(0).high;
  set(plan.recompute_granularity, "none");
  EXPECT_NEAR(stage(0).high - kept, 40 * 5 * 64 * tokens * tokens / 8, 1e3) << "the score matrix, unless the kernel never makes it";
}

TEST(Activations, OfSomeRecomputedLayers) {
  Plan plan = llama70();
  set(plan.recompute_granularity, "full"), set(plan.recompute_method, "block"), set(plan.recompute_num_layers, i64{30});
  split(plan, 1, 2, 1, 1);
  const double all = 34 * 8192.0 * 8192, inputs = 2 * 8192.0 * 8192, ends = 8 * 8192.0 + 8192.0 * 8192;
  set(plan.ffn_hidden, i64{4 * 8192});
  EXPECT_NEAR(memory(plan)->stages[0].activations.expected, 30 * inputs + 10 * all + ends, 10);
}

TEST(Activations, InFlight) {
  Plan plan = llama70();
  split(plan, 1, 4, 1, 8);
  const auto kept = [&](std::size_t stage) { return memory(plan)->stages[stage].activations.expected; };
  EXPECT_NEAR(kept(1) / kept(2), 3.0 / 2, 1e-9) << "p - i micro-batches";
  set(plan.num_microbatches, i64{2});
  EXPECT_NEAR(kept(1), kept(2), 1) << "no more than there are";
  set(plan.num_microbatches, i64{8}), set(plan.schedule, "gpipe");
  EXPECT_NEAR(kept(1), kept(2), 1);
  set(plan.schedule, "interleaved"), set(plan.vpp, i64{2});
  EXPECT_NEAR(kept(1) / kept(2), (2 * 2 + 4 + 1) / (2.0 * 1 + 4 + 1), 1e-9);
}

// ---- pipeline

TEST(Pipeline, Bubble) {
  Plan plan = llama70();
  split(plan, 8, 8, 80, 32);
  EXPECT_NEAR(*bubble_share(plan), 0.179, 5e-4);
  set(plan.vpp, i64{2}), set(plan.schedule, "interleaved");
  EXPECT_NEAR(*bubble_share(plan), 0.099, 5e-4);
  set(plan.schedule, "a schedule of our own"), set(plan.vpp, i64{1});
  EXPECT_FALSE(bubble_share(plan));
}

std::string drawn(const std::vector<Work>& stage) {
  std::string out;
  double at = 0;
  for (const Work& work : stage) {
    for (; at + 0.5 < work.begin; ++at) out += ".. ";
    out += (work.kind == Work::Kind::Forward ? "F" : "B") + std::to_string(work.micro_batch + 1) + " ";
    at = work.end;
  }
  return out;
}

TEST(Pipeline, TwoStagesThreeMicroBatches) {
  Plan plan = llama70();
  split(plan, 1, 2, 1, 3);
  const auto found = timeline(plan, 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(drawn((*found)[0]), "F1 F2 .. B1 F3 B2 .. B3 ");
  EXPECT_EQ(drawn((*found)[1]), ".. F1 B1 F2 B2 F3 B3 ");
}

TEST(Pipeline, EveryPassWaitsForItsNeighbour) {
  for (const auto& [schedule, p, v, m] :
       {std::tuple{"1f1b", 4, 1, 9}, {"gpipe", 4, 1, 5}, {"interleaved", 4, 3, 8}, {"interleaved", 2, 2, 2}}) {
    Plan plan = llama70();
    split(plan, 1, p, 1, m);
    set(plan.schedule, schedule), set(plan.vpp, i64{v});
    const auto found = timeline(plan);
    ASSERT_TRUE(found) << schedule;
    std::map<std::tuple<bool, int, int>, Work> passes;
    for (std::size_t stage = 0; stage < found->size(); ++stage) {
      EXPECT_EQ((*found)[stage].size(), static_cast<std::size_t>(2 * m * v));
      double free = 0;
      for (const Work& work : (*found)[stage]) {
        EXPECT_GE(work.begin, free);
        free = work.end;
        passes[{work.kind == Work::Kind::Forward, work.chunk * p + static_cast<int>(stage), work.micro_batch}] = work;
      }
    }
    EXPECT_EQ(passes.size(), static_cast<std::size_t>(2 * m * v * p));
    for (const auto& [key, work] : passes) {
      const auto& [forward, chunk, micro_batch] = key;
      const bool first = forward ? chunk == 0 : chunk + 1 == p * v;
      const std::tuple before(forward || first, first ? chunk : forward ? chunk - 1 : chunk + 1, micro_batch);
      const double ready = forward && first ? 0 : passes[before].end;
      EXPECT_GE(work.begin, ready);
    }
  }
}

TEST(Pipeline, RefusesWhatDoesNotComeOut) {
  Plan plan = llama70();
  split(plan, 1, 4, 1, 6);
  set(plan.vpp, i64{2}), set(plan.schedule, "interleaved");
  EXPECT_FALSE(timeline(plan)) << "6 micro-batches in groups of 4";
  split(plan, 1, 1000, 1, 1000);
  set(plan.vpp, i64{1}), set(plan.schedule, "1f1b");
  EXPECT_FALSE(timeline(plan)) << "two million pieces";
  split(plan, 1, 400, 1, 250);
  EXPECT_TRUE(timeline(plan)) << "as many as are drawn";
  split(plan, 1, 400, 1, 251);
  EXPECT_FALSE(timeline(plan));
}

TEST(Pipeline, ZeroBubbleSchedulesByName) {
  Plan plan = llama70();
  split(plan, 1, 4, 1, 8);
  for (const char* name : {"ZBV", "zb-h1", "dualpipev", "ZBVZeroBubble", "InterleavedZeroBubble"}) {
    set(plan.schedule, name);
    EXPECT_EQ(schedule_kind(plan), ScheduleKind::ZeroBubble) << name;
    EXPECT_EQ(bubble_share(plan), 0) << name;
  }
}

// ---- network

const Traffic* of(const std::vector<Traffic>& all, std::string_view axis) {
  for (const Traffic& entry : all)
    if (entry.axis == axis) return &entry;
  return nullptr;
}

TEST(Network, BytesOfLlama70On512) {
  Plan plan = llama70();
  split(plan, 8, 1, 64, 1);
  set(plan.nvlink_domain, i64{8}), set(plan.nvlink_gb_s, 450.0), set(plan.network_gb_s, 50.0);
  const auto plain = traffic(plan);
  ASSERT_TRUE(plain);
  EXPECT_NEAR(of(*plain, "DP")->bytes, 34.7e9, 5e7);
  EXPECT_EQ(of(*plain, "DP")->link, Link::Network);
  EXPECT_NEAR(of(*plain, "TP")->each, 75.2e9, 5e7);
  EXPECT_EQ(of(*plain, "TP")->link, Link::NVLink);
  shard_fully(plan);
  EXPECT_NEAR(of(*traffic(plan), "FSDP")->bytes, 52.9e9, 5e7);
  set(plan.nvlink_domain, i64{4});
  EXPECT_NEAR(of(*traffic(plan), "TP")->seconds(), 1.5, 0.01) << "over the network";
  split(plan, 8, 2, 32, 1);
  EXPECT_NEAR(of(*traffic(plan), "PP")->each, 33.6e6, 1e5);
}

TEST(Network, BytesOfExpertsAndOfContext) {
  Plan plan = shape(4, 1024, 4096, 8, 2, 32000, 2048);
  set(plan.experts, i64{8}), set(plan.topk, i64{2}), set(plan.moe_ffn_hidden, i64{4096});
  split(plan, 1, 1, 16, 3);
  set(plan.ep, i64{8}), set(plan.expert_dp, i64{2});
  const double one = 2048.0 * 2 * 1024 * 2 * 7 / 8;
  EXPECT_DOUBLE_EQ(of(*traffic(plan), "EP")->each, 4 * 4 * one) << "two all-to-alls a layer and direction";
  EXPECT_DOUBLE_EQ(of(*traffic(plan), "EP")->bytes, 3 * 4 * 4 * one);
  split(plan, 1, 1, 4, 3);
  set(plan.ep, i64{1}), set(plan.cp, i64{4});
  const double keys = 2 * 2 * 128 * (2048 / 4.0) * 2;
  EXPECT_DOUBLE_EQ(of(*traffic(plan), "CP")->each, 4 * 2 * 3 * keys) << "three other ranks' keys and values, forward and backward";
}

TEST(Network, ShardingThatIsNotKnownIsTakenForNone) {
  Plan plan = llama70();
  split(plan, 8, 1, 4);
  plan.zero_stage.value.reset();
  EXPECT_EQ(of(*traffic(plan), "DP")->carries, "gradients, all-reduced");
}

TEST(Costs, WhatFits) {
  using Fit = Costs::Fit;
  const std::tuple<double, double, Fit> rows[] = {{4, 4, Fit::Fits}, {4, 4.1, Fit::Tight}, {4.1, 4.2, Fit::Over}};
  for (const auto& [memory, most, fit] : rows) {
    Costs costs;
    costs.memory = memory, costs.most_memory = most, costs.card = 4;
    EXPECT_EQ(costs.fit(), fit) << memory;
  }
}

TEST(Network, WhereAGroupSits) {
  Plan plan = llama70();
  split(plan, 8, 8, 80, 32);
  set(plan.nvlink_domain, i64{8});
  EXPECT_EQ(link_of(plan, *reach(plan, "TP")), Link::NVLink);
  EXPECT_EQ(reach(plan, "DP")->stride, 8);
  EXPECT_EQ(reach(plan, "PP")->stride, 640);
  split(plan, 72, 1, 8, 1);
  EXPECT_EQ(link_of(plan, *reach(plan, "TP")), Link::Network);
  set(plan.nvlink_domain, i64{72});
  EXPECT_EQ(link_of(plan, *reach(plan, "TP")), Link::NVLink);
  split(plan, 3, 1, 8, 1);
  set(plan.nvlink_domain, i64{8});
  EXPECT_EQ(link_of(plan, *reach(plan, "TP")), Link::Network) << "the third group of three straddles the server's edge";
}

// ---- time

TEST(Time, OfRuns) {
  EXPECT_DOUBLE_EQ(run_flops(70.5e9, 15e12), 6.345e24);
  const double day = 86'400, h100 = 0.4 * 989e12;
  EXPECT_NEAR(6.345e24 / h100 / day / 365.25, 508, 1);
  EXPECT_NEAR(6.345e24 / h100 / 512 / day, 363, 1);
  EXPECT_NEAR(6.345e24 / h100 / 16384 / day, 11.3, 0.05);
  EXPECT_NEAR(6 * 70.5e9 / 8 * 8192 / 989e12, 0.438, 0.001);
  EXPECT_NEAR(run_flops(175e9, 300e9, true) / (1024 * 140e12) / day, 34, 0.5);
  EXPECT_NEAR(run_flops(1e12, 450e9, true) / (3072 * 163e12) / day, 83.2, 0.1);
}

TEST(Time, OfOneStep) {
  Plan plan = llama70();
  split(plan, 8, 1, 64, 4);
  set(plan.peak_tflops, 989.0), set(plan.train_tokens, i64{15'000'000'000'000});
  const auto time = step_time(plan);
  ASSERT_TRUE(time);
  EXPECT_NEAR(*time->days, 363, 2);
  EXPECT_NEAR(time->seconds.expected, 6 * 70.55e9 * 8192 * 64 * 4 / (512 * 0.4 * 989e12), 0.05);
  EXPECT_DOUBLE_EQ(time->hfu, time->mfu);
  set(plan.recompute_granularity, "full");
  EXPECT_NEAR(step_time(plan)->hfu / 0.4, 8.0 / 6, 1e-9);
  EXPECT_TRUE(step_time(plan, 1));
  for (const double no_share : {0.0, -0.1, 1.1}) EXPECT_FALSE(step_time(plan, no_share));
  plan.peak_tflops.value.reset();
  EXPECT_FALSE(step_time(plan));
}

}  // namespace
}  // namespace shardlint
