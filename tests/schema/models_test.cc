// The shapes of public models: their names, what a plan makes of them, and that every row agrees with itself.
#include "checker/schema/models.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

std::string model_of(std::string_view name) {
  const ModelShape* model = model_named(name);
  return model ? std::string(model->name) : "";
}

i64 number(const ModelShape& model, std::string_view column) {
  const i64 cell = model.cells.at(shape_column(column).value());
  return cell == ModelShape::kNone ? 0 : cell;
}

TEST(Models, AreFoundByTheirWholeName) {
  EXPECT_EQ(model_of("meta-llama/Llama-3.1-70B"), "meta-llama/Llama-3.1-70B");
  EXPECT_EQ(model_of("meta-llama/Llama-3.1-70B-Instruct"), "meta-llama/Llama-3.1-70B");
  EXPECT_EQ(model_of("META-LLAMA/meta-llama-3.1-70b-instruct"), "meta-llama/Llama-3.1-70B");
  EXPECT_EQ(model_of("Llama-3.1-70B"), "meta-llama/Llama-3.1-70B");
  EXPECT_EQ(model_of(" Qwen/Qwen2.5-7B-Instruct "), "Qwen/Qwen2.5-7B-Instruct");
  EXPECT_EQ(model_of("NousResearch/Meta-Llama-3-8B"), "meta-llama/Meta-Llama-3-8B");
  EXPECT_EQ(model_of("gpt2"), "openai-community/gpt2");
}

TEST(Models, WhatIsNoModelsNameIsUnknown) {
  for (const char* name : {"", "/", "llama", "bloom", "/models/Llama-3.1-70B", "./Llama-3.1-70B", "models/meta-llama/Llama-3.1-70B",
                           "someone/Llama-3.1-70B", "meta-llama/Llama-3.1-70B-my-fine-tune", "meta-llama/Llama-3.1", "Llama-3.1-70B/",
                           "Qwen/Qwen3-8B-Instruct", "hf://meta-llama/Llama-3.1-70B"})
    EXPECT_EQ(model_of(name), "") << name;
}

TEST(Models, TellKinApart) {
  EXPECT_EQ(number(*model_named("Qwen/Qwen3-30B-A3B"), "max_positions"), 40960);
  EXPECT_EQ(number(*model_named("Qwen/Qwen3-30B-A3B-Instruct-2507"), "max_positions"), 262144);
  EXPECT_EQ(number(*model_named("mistralai/Mistral-7B-v0.1"), "vocab"), 32000);
  EXPECT_EQ(number(*model_named("mistralai/Mistral-7B-v0.3"), "vocab"), 32768);
  EXPECT_NE(model_named("meta-llama/Llama-3.1-8B"), model_named("meta-llama/Llama-3-8B"));
}

// ---- the table

// Every name in byte order, or binary search would not find it.
TEST(Models, NamesAreSorted) {
  const auto names = model_names();
  ASSERT_FALSE(names.empty());
  for (std::size_t i = 1; i < names.size(); ++i) EXPECT_LT(names[i - 1].spelling, names[i].spelling);
  for (const ModelName& name : names) EXPECT_EQ(model_named(name.spelling), &model_shapes()[name.model]) << name.spelling;
}

TEST(Models, HeadsAndWidthsFit) {
  for (const ModelShape& model : model_shapes()) {
    SCOPED_TRACE(model.name);
    const i64 hidden = number(model, "hidden"), heads = number(model, "heads"), groups = number(model, "kv_groups"),
              width = number(model, "head_dim"), experts = number(model, "experts");
    EXPECT_EQ(heads % groups, 0);
    EXPECT_EQ(width % 8, 0);
    EXPECT_GE(2 * heads * width, hidden);  // narrower or wider than the model by choice, but not by much
    EXPECT_LE(heads * width, 5 * hidden);
    EXPECT_EQ(hidden % 32, 0);
    EXPECT_GE(number(model, "layers"), 6);
    EXPECT_GE(number(model, "vocab"), 32000);
    EXPECT_EQ(experts > 0, number(model, "topk") > 0);
    EXPECT_EQ(experts > 0, number(model, "moe_ffn_hidden") > 0);
    EXPECT_LE(number(model, "topk"), experts);
    EXPECT_LT(number(model, "dense_layers"), number(model, "layers"));
    if (number(model, "kv_lora_rank") > 0) {
      EXPECT_EQ(width, 192);  // 128 without and 64 with rotation in every model so far
      EXPECT_EQ(number(model, "rope_head_dim"), 64);
    }
  }
}

// Weights as they follow from the shape.
i64 parameters(const ModelShape& m) {
  const auto n = [&](std::string_view column) { return number(m, column); };
  const i64 hidden = n("hidden"), layers = n("layers"), heads = n("heads"), width = n("head_dim");
  const i64 matrices = n("gated_mlp") ? 3 : 2;
  i64 attention = 2 * hidden * heads * width + 2 * hidden * n("kv_groups") * width;
  if (const i64 latent = n("kv_lora_rank")) {
    const i64 query = n("q_lora_rank"), value = n("value_head_dim"), rotated = n("rope_head_dim");
    attention = (query ? hidden * query + query * heads * width : hidden * heads * width) + hidden * (latent + rotated) +
                latent * heads * (width - rotated + value) + heads * value * hidden;
  }
  if (n("qkv_bias")) attention += heads * width + 2 * n("kv_groups") * width;
  const i64 dense = matrices * hidden * n("ffn_hidden");
  i64 sparse = 0;
  if (const i64 experts = n("experts")) {
    sparse = experts * (matrices * hidden * n("moe_ffn_hidden") + hidden) + matrices * hidden * n("shared_expert_ffn");
    if (n("linear_bias")) sparse += experts * (2 * n("moe_ffn_hidden") + hidden);
  }
  const i64 dense_layers = sparse ? n("dense_layers") : layers;
  return n("vocab") * hidden * (n("tied_embeddings") ? 1 : 2) + layers * (attention + 2 * hidden) + dense_layers * dense +
         (layers - dense_layers) * sparse;
}

TEST(Models, ParametersFollowFromTheShape) {
  for (const ModelShape& model : model_shapes()) {
    const i64 stated = number(model, "params");
    if (stated == 0) continue;
    // What is not counted here: learnt positions, and the small vectors.
    EXPECT_NEAR(static_cast<double>(parameters(model)) / static_cast<double>(stated), 1, 0.015) << model.name;
  }
}

// A model is named after its size, if loosely: Gemma leaves its embeddings out, Llama 3.2 rounds down.
TEST(Models, ParametersAreThoseOfTheName) {
  const std::regex size("[-_]([0-9]+(?:\\.[0-9]+)?)([bm])(?![a-z0-9])", std::regex::icase);
  std::size_t compared = 0;
  for (const ModelShape& model : model_shapes()) {
    std::cmatch found;
    const std::string name(model.name);
    const i64 stated = number(model, "params");
    if (!stated || number(model, "experts") || !std::regex_search(name.c_str(), found, size)) continue;
    const double wanted = std::stod(found[1]) * (std::tolower(*found[2].first) == 'b' ? 1e9 : 1e6);
    EXPECT_THAT(static_cast<double>(stated) / wanted, testing::AllOf(testing::Ge(0.9), testing::Le(1.5))) << name;
    ++compared;
  }
  EXPECT_GT(compared, 80u);
  // Some that their makers publish to the last weight.
  const std::pair<const char*, i64> kPublished[] = {
      {"meta-llama/Llama-2-7b-hf", 6'738'415'616},     {"meta-llama/Llama-3.1-8B", 8'030'261'248}, {"Qwen/Qwen2.5-7B", 7'615'616'512},
      {"mistralai/Mixtral-8x7B-v0.1", 46'702'792'704}, {"Qwen/Qwen3-0.6B", 596'049'920},           {"microsoft/phi-2", 2'779'683'840},
  };
  for (const auto& [name, params] : kPublished)
    EXPECT_NEAR(static_cast<double>(number(*model_named(name), "params")), static_cast<double>(params), 2e-4 * static_cast<double>(params))
        << name;
}

TEST(Models, ABrokenTableIsRefusedWithItsLine) {
  const Folder folder;
  folder.write("models.toml",
               "[[model]]\n"
               "names = [\"a/one-1\"]\n"
               "source = \"s\"\n"
               "shape = { layers = 2, hiden = 8, vocab = \"many\" }\n"
               "[[model]]\n"
               "names = [\"a/two\"]\n"
               "[[model]]\n"
               "names = [\"b/One-1\"]\n"
               "source = \"s\"\n"
               "shape = { layers = 2, hidden = 8, ffn_hidden = 8, heads = 1, kv_groups = 1, head_dim = 8, vocab = 9 }\n"
               "kind = { gated_mlp = true, tied_embeddings = false }\n"
               "[model.more]\n"
               "layers = 0\n");
  std::string all;
  for (const std::string& error : load_models(folder / "models.toml").errors)
    all += error.substr(error.rfind('/', error.find(':')) + 1) + "\n";
  EXPECT_THAT(all, testing::HasSubstr("models.toml:4: no column hiden\n"));
  EXPECT_THAT(all, testing::HasSubstr("models.toml:4: vocab must be a number above 0\n"));
  EXPECT_THAT(all, testing::HasSubstr("a/one-1 does not say its heads\n"));
  EXPECT_THAT(all, testing::HasSubstr("models.toml:5: a model needs names and a source\n"));
  EXPECT_THAT(all, testing::HasSubstr("models.toml:13: layers must be a number above 0\n"));
  EXPECT_THAT(all, testing::HasSubstr("one-1 is the name of two models\n"));
}

// ---- in a plan

constexpr std::string_view kSchema = R"toml(name = "small"
title = "Small"
versions = ["1.0"]
formats = ["yaml"]
loader = "pyyaml"
required = false
[recognise]
keys = ["model"]
needs = 1
[let]
named_heads = "shape('model', \"heads\")"
[plan]
tp = "'tp'"
layers = "default('layers', shape('model', \"layers\"))"
heads = "named_heads"
kv_groups = "shape('model', \"kv_groups\")"
hidden = "shape('model', \"hidden\")"
ffn_hidden = "shape('model', \"ffn_hidden\")"
experts = "shape('model', \"experts\")"
gated_mlp = "shape('model', \"gated_mlp\")"
seq_length = "shape('model', \"layers\") * 2"
)toml";
constexpr std::string_view kKeys = "key\ttype\tdefault\nmodel\tstr\t\nlayers\tint\t\ntp\tint\t1\n";

const Schema& schema() {
  static const auto data = load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}});
  return data->schema;
}

TEST(Models, FillAPlan) {
  Judged run(schema(), "model: Qwen/Qwen2.5-7B\n");
  EXPECT_EQ(shown(run.at("layers")), "28");
  EXPECT_EQ(run.at("layers").model, "Qwen/Qwen2.5-7B");
  EXPECT_EQ(run.at("heads").model, "Qwen/Qwen2.5-7B");  // through a name of the schema's own
  EXPECT_EQ(shown(run.at("gated_mlp")), "true");
  EXPECT_EQ(shown(run.at("experts")), "null");
  EXPECT_EQ(shown(run.at("seq_length")), "56");
  EXPECT_EQ(run.at("seq_length").model, "");  // worked out from a shape, and none itself
}

TEST(Models, WhatIsWrittenCountsMore) {
  Judged run(schema(), "model: Qwen/Qwen2.5-7B\nlayers: 4\n");
  EXPECT_EQ(shown(run.at("layers")), "4");
  EXPECT_EQ(run.at("layers").model, "");
}

TEST(Models, AnUnknownNameLeavesAllUnknown) {
  for (const char* yaml : {"model: /models/Qwen2.5-7B\n", "model: mine\n", "tp: 2\n"}) {
    Judged run(schema(), yaml);
    for (const char* field : {"layers", "heads", "kv_groups", "ffn_hidden", "experts", "gated_mlp"})
      EXPECT_EQ(shown(run.at(field)), "not stated") << yaml << field;
    EXPECT_EQ(run.violations(), "");
  }
}

TEST(Models, AColumnThatIsNotThereBreaksTheBuild) {
  std::vector<std::string> errors;
  std::string wrong(kSchema);
  wrong.replace(wrong.find("\\\"hidden\\\""), 10, "\\\"width\\\"");
  EXPECT_FALSE(load({{"schema.toml", wrong}, {"keys.tsv", std::string(kKeys)}}, errors));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0], testing::HasSubstr("shape takes a model's name and a column of schemas/models.toml in double quotes"));
}

}  // namespace
}  // namespace shardlint::test
