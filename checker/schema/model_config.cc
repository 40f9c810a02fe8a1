// The config.json of a model's folder. Its keys are those of Hugging Face's library; families of models spell some of them in their own way.
#include <algorithm>

#include "checker/schema/models.h"

namespace shardlint {

namespace {

class Config {
 public:
  Config(const Document& document, const Node& root) : document_(document), root_(root) {}

  bool has(std::string_view key) const { return at(key) != nullptr; }
  // The first of the keys that holds a number above 0.
  std::optional<i64> number(std::initializer_list<std::string_view> keys) const {
    for (std::string_view key : keys)
      if (const Node* node = at(key); node && node->value)
        if (const i64* value = node->value->integer(); value && *value > 0 && *value < (i64{1} << 31)) return *value;
    return std::nullopt;
  }
  std::optional<bool> flag(std::string_view key) const {
    const Node* node = at(key);
    const bool* value = node && node->value ? node->value->boolean() : nullptr;
    return value ? std::optional(*value) : std::nullopt;
  }
  std::string word(std::string_view key) const {
    const Node* node = at(key);
    const std::string* value = node && node->value ? node->value->text() : nullptr;
    return value ? *value : "";
  }

 private:
  const Node* at(std::string_view key) const {
    const Entry* entry = document_.find(root_, key);
    return entry ? entry->value : nullptr;
  }
  const Document& document_;
  const Node& root_;
};

// Whether the feed-forward layer of this family has a gate; none if the family is not known here.
std::optional<bool> gated(std::string_view family) {
  for (std::string_view one :
       {"llama", "mistral",     "mixtral",     "qwen2",    "qwen2_moe", "qwen3", "qwen3_moe", "gemma", "gemma2",  "gemma3_text",
        "phi3",  "deepseek_v2", "deepseek_v3", "baichuan", "internlm2", "glm4",  "glm4_moe",  "olmo2", "granite", "cohere"})
    if (family == one) return true;
  for (std::string_view one : {"gpt2", "gpt_neox", "bloom", "opt", "falcon", "gptj", "phi", "starcoder2", "gpt_bigcode"})
    if (family == one) return false;
  return std::nullopt;
}

}  // namespace

std::optional<ModelShape> shape_of(const Document& config) {
  if (config.roots.empty() || config.roots[0]->kind != Node::Kind::Mapping) return std::nullopt;
  const Node* root = config.roots[0];
  // A model that also sees or hears keeps what its language part is in a section of its own.
  if (const Entry* text = config.find(*root, "text_config"); text && text->value->kind == Node::Kind::Mapping) root = text->value;
  const Config keys(config, *root);

  ModelShape out;
  out.cells.fill(ModelShape::kUnknown);
  const auto cell = [&](std::string_view column) -> i64& { return out.cells[*shape_column(column)]; };
  const auto set = [&](std::string_view column, std::optional<i64> value) {
    if (value) cell(column) = *value;
  };
  const auto layers = keys.number({"num_hidden_layers", "n_layer", "num_layers"}),
             hidden = keys.number({"hidden_size", "n_embd", "d_model"});
  const auto heads = keys.number({"num_attention_heads", "n_head"});
  if (!layers) return std::nullopt;
  set("layers", layers), set("hidden", hidden), set("heads", heads);
  set("ffn_hidden", keys.number({"intermediate_size", "n_inner", "ffn_dim"}));
  set("vocab", keys.number({"vocab_size"})), set("max_positions", keys.number({"max_position_embeddings", "n_positions"}));
  // Who says nothing of key/value heads has as many as heads, but for models that say it in another way.
  if (const auto groups = keys.number({"num_key_value_heads"}))
    set("kv_groups", groups);
  else if (!keys.has("multi_query") && !keys.has("num_kv_heads") && !keys.has("num_query_groups") && !keys.has("multi_query_group_num"))
    set("kv_groups", heads);

  const auto latent = keys.number({"kv_lora_rank"});
  cell("kv_lora_rank") = latent.value_or(ModelShape::kNone);
  cell("q_lora_rank") = keys.number({"q_lora_rank"}).value_or(ModelShape::kNone);
  if (latent) {
    const auto plain = keys.number({"qk_nope_head_dim"}), turned = keys.number({"qk_rope_head_dim"});
    if (plain && turned) set("head_dim", *plain + *turned);
    set("rope_head_dim", turned), set("value_head_dim", keys.number({"v_head_dim"}));
  } else {
    cell("rope_head_dim") = cell("value_head_dim") = ModelShape::kNone;
    if (const auto width = keys.number({"head_dim"}))
      set("head_dim", width);
    else if (hidden && heads && *hidden % *heads == 0)
      set("head_dim", *hidden / *heads);
  }

  const std::string family = keys.word("model_type");
  if (const auto gate = gated(family))
    cell("gated_mlp") = *gate;
  else if (const auto width = keys.number({"intermediate_size"}); family.empty() && width && hidden && *width != 4 * *hidden)
    cell("gated_mlp") = 1;  // layers without a gate are four times as wide as the model
  if (const auto tied = keys.flag("tie_word_embeddings")) cell("tied_embeddings") = *tied;
  if (const auto bias = keys.flag("attention_bias")) cell("qkv_bias") = *bias;
  if (family == "qwen2" || family == "qwen2_moe") cell("qkv_bias") = 1;
  if (const auto bias = keys.flag("mlp_bias")) cell("linear_bias") = *bias;

  const auto experts = keys.number({"num_local_experts", "num_experts", "n_routed_experts"});
  for (std::string_view column : {"experts", "topk", "moe_ffn_hidden", "shared_expert_ffn", "dense_layers"})
    cell(column) = ModelShape::kNone;
  if (experts) {
    cell("experts") = *experts;
    for (std::string_view column : {"topk", "moe_ffn_hidden"}) cell(column) = ModelShape::kUnknown;
    set("topk", keys.number({"num_experts_per_tok", "moe_topk"}));
    set("moe_ffn_hidden", keys.number({"moe_intermediate_size", "intermediate_size"}));
    if (const auto shared = keys.number({"shared_expert_intermediate_size"}))
      set("shared_expert_ffn", shared);
    else if (const auto count = keys.number({"n_shared_experts"}), width = keys.number({"moe_intermediate_size"}); count && width)
      set("shared_expert_ffn", *count * *width);
    set("dense_layers", keys.number({"first_k_dense_replace"}));
  }
  return out;
}

}  // namespace shardlint
