#include "tests/properties/generate.h"

#include <algorithm>

#include <fmt/format.h>

namespace shardlint::test {

namespace {

std::string number(int value) { return std::to_string(value); }
std::string text(std::string_view word) { return fmt::format("\"{}\"", word); }

// A degree of parallelism: small powers of two, and now and then what divides nothing.
int degree(Dice& dice) { return dice.once_in(8) ? static_cast<int>(dice.below(7)) : 1 << dice.below(4); }

// Each key with a chance to be left out, and a chance to be wrong.
struct Maker {
  Dice& dice;
  Config& config;
  std::string section = {};

  void maybe(std::string_view key, std::string value) {
    if (!dice.once_in(4)) add(key, std::move(value));
  }
  void add(std::string_view key, std::string value) {
    if (dice.once_in(40)) value = dice.one_of(std::vector<std::string>{"0", "-1", "\"8\"", "8.5", "true", "\"none\"", "1e9", "[1]"});
    config.settings.push_back({section, std::string(key), std::move(value)});
  }
};

void torchtitan(Maker make) {
  Dice& dice = make.dice;
  make.config.toml = true;
  make.section = "model";
  make.add("name", text("llama3"));
  make.add("flavor", text(dice.one_of(std::vector<std::string>{"debugmodel", "8B", "70B", "405B"})));
  make.section = "training";
  make.add("local_batch_size", number(1 << dice.below(4)));
  make.maybe("global_batch_size", number(8 << dice.below(6)));
  make.add("seq_len", number(512 << dice.below(5)));
  make.maybe("steps", number(100));
  make.maybe("compile", dice.once_in(2) ? "true" : "false");
  make.section = "parallelism";
  make.add("tensor_parallel_degree", number(degree(dice)));
  make.maybe("pipeline_parallel_degree", number(degree(dice)));
  make.maybe("context_parallel_degree", number(degree(dice)));
  make.maybe("data_parallel_replicate_degree", number(degree(dice)));
  make.maybe("data_parallel_shard_degree", dice.once_in(2) ? "-1" : number(degree(dice)));
  make.maybe("pipeline_parallel_schedule", text(dice.one_of(std::vector<std::string>{"1F1B", "Interleaved1F1B", "GPipe", "1f1b"})));
  make.section = "checkpoint";
  make.maybe("interval", number(500));
  if (dice.once_in(6)) make.add("intervall", number(500));
}

void megatron(Maker make) {
  Dice& dice = make.dice;
  make.section = "MODEL_ARGS";
  make.add("--tensor-model-parallel-size", number(degree(dice)));
  make.maybe("--pipeline-model-parallel-size", number(degree(dice)));
  make.maybe("--context-parallel-size", number(degree(dice)));
  make.add("--num-layers", number(8 * (1 + static_cast<int>(dice.below(8)))));
  make.add("--hidden-size", number(1024 << dice.below(3)));
  make.add("--num-attention-heads", number(8 << dice.below(4)));
  make.add("--micro-batch-size", number(1 << dice.below(3)));
  make.maybe("--global-batch-size", number(16 << dice.below(5)));
  make.add("--seq-length", number(1024 << dice.below(3)));
  make.add("--max-position-embeddings", number(1024 << dice.below(3)));
  make.add("--train-iters", number(1000));
  make.maybe("--lr", "1.0e-4");
  make.add("--tokenizer-type", "NullTokenizer");
  make.add("--vocab-size", number(32000));
  for (const char* flag : {"--sequence-parallel", "--use-distributed-optimizer", "--overlap-grad-reduce", "--overlap-param-gather",
                           "--bf16", "--swiglu", "--group-query-attention"})
    if (dice.once_in(3)) make.config.settings.push_back({make.section, flag, "true"});
  make.maybe("--num-query-groups", number(1 << dice.below(5)));
}

void neox(Maker make) {
  Dice& dice = make.dice;
  make.add("pipe_parallel_size", number(degree(dice)));
  make.add("model_parallel_size", number(degree(dice)));
  make.add("num_layers", number(8 * (1 + static_cast<int>(dice.below(8)))));
  make.add("hidden_size", number(1024 << dice.below(3)));
  make.add("num_attention_heads", number(8 << dice.below(4)));
  make.add("seq_length", number(1024 << dice.below(3)));
  make.add("max_position_embeddings", number(1024 << dice.below(3)));
  make.maybe("train_micro_batch_size_per_gpu", number(1 << dice.below(4)));
  make.maybe("gradient_accumulation_steps", number(1 << dice.below(4)));
  make.maybe("train_batch_size", number(16 << dice.below(5)));
  make.maybe("train_iters", number(1000));
  make.maybe("lr_decay_iters", number(1000));
  make.maybe("pos_emb", text(dice.one_of(std::vector<std::string>{"rotary", "learned", "rotory"})));
}

void canonical(Maker make) {
  Dice& dice = make.dice;
  make.config.toml = true;
  for (const char* field : {"tp", "pp", "cp", "ep"}) make.maybe(field, number(degree(dice)));
  make.maybe("layers", number(4 * (1 + static_cast<int>(dice.below(20)))));
  make.maybe("hidden", number(1024 << dice.below(4)));
  make.maybe("heads", number(8 << dice.below(4)));
  make.maybe("kv_groups", number(1 << dice.below(5)));
  make.maybe("seq_length", number(1024 << dice.below(4)));
  make.maybe("micro_batch", number(1 << dice.below(3)));
  make.maybe("global_batch", number(16 << dice.below(6)));
  make.maybe("vpp", number(1 + static_cast<int>(dice.below(4))));
  make.maybe("sp", dice.once_in(2) ? "true" : "false");
}

std::string in_other_quotes(const std::string& value) {
  if (value.size() < 2 || value.front() != '"') return value;
  return "'" + value.substr(1, value.size() - 2) + "'";
}

}  // namespace

std::string written(const Config& config, const Writing& how, Dice& dice) {
  std::vector<std::string> sections;
  for (const Setting& setting : config.settings)
    if (std::find(sections.begin(), sections.end(), setting.section) == sections.end()) sections.push_back(setting.section);
  std::vector<Setting> settings = config.settings;
  if (how.shuffled) dice.shuffle(settings), dice.shuffle(sections);
  // What stands at the root goes before every TOML table.
  std::stable_partition(sections.begin(), sections.end(), [](const std::string& section) { return section.empty(); });
  std::string out;
  const auto comment = [&](std::string_view indent) {
    if (how.comments && dice.once_in(2)) out += fmt::format("{}# {} tp = 3: \"x\n", indent, dice.roll() % 1000);
    if (how.comments && dice.once_in(4)) out += "\n";
  };
  for (const std::string& section : sections) {
    comment("");
    if (!section.empty()) out += config.toml ? fmt::format("[{}]\n", section) : fmt::format("{}:\n", section);
    const std::string_view indent = section.empty() || config.toml ? "" : "  ";
    for (const Setting& setting : settings) {
      if (setting.section != section) continue;
      comment(indent);
      out += fmt::format("{}{}{}{}{}\n", indent, setting.key, config.toml ? " = " : ": ",
                         how.quotes ? in_other_quotes(setting.value) : setting.value, how.comments && dice.once_in(3) ? "  # why not" : "");
    }
  }
  return out;
}

Config config_by_chance(Dice& dice) {
  Config config;
  const Maker make{dice, config};
  switch (dice.below(4)) {
    case 0: config.framework = "torchtitan", torchtitan(make); break;
    case 1: config.framework = "megatron", megatron(make); break;
    case 2: config.framework = "gpt-neox", neox(make); break;
    default: config.framework = "plan", canonical(make); break;
  }
  if (!dice.once_in(3)) config.world = 8 << dice.below(6);
  return config;
}

Numbers numbers_by_chance(Dice& dice) {
  Numbers out;
  out.tp = 1 << dice.below(4), out.pp = 1 << dice.below(3), out.dp = 1 << dice.below(4);
  out.layers = out.pp * (1 + static_cast<int>(dice.below(12)));
  out.heads = 16 << dice.below(3), out.hidden = out.heads * (64 << dice.below(2));
  out.sequence = 1024 << dice.below(4), out.micro_batch = 1 << dice.below(3), out.batches = out.pp * (1 + static_cast<int>(dice.below(6)));
  return out;
}

std::vector<Config> in_all_frameworks(const Numbers& n) {
  const int world = n.tp * n.pp * n.cp * n.dp, global = n.micro_batch * n.batches * n.dp;
  const auto made = [&](std::string framework, std::vector<Setting> settings) {
    const bool toml = framework == "plan";
    return Config{std::move(framework), toml, std::move(settings), world};
  };
  const std::string m = "MODEL_ARGS";
  return {
      made("plan", {{"", "tp", number(n.tp)},
                    {"", "pp", number(n.pp)},
                    {"", "cp", number(n.cp)},
                    {"", "layers", number(n.layers)},
                    {"", "hidden", number(n.hidden)},
                    {"", "heads", number(n.heads)},
                    {"", "seq_length", number(n.sequence)},
                    {"", "micro_batch", number(n.micro_batch)},
                    {"", "global_batch", number(global)}}),
      made("megatron", {{m, "--tensor-model-parallel-size", number(n.tp)},
                        {m, "--pipeline-model-parallel-size", number(n.pp)},
                        {m, "--context-parallel-size", number(n.cp)},
                        {m, "--num-layers", number(n.layers)},
                        {m, "--hidden-size", number(n.hidden)},
                        {m, "--num-attention-heads", number(n.heads)},
                        {m, "--seq-length", number(n.sequence)},
                        {m, "--max-position-embeddings", number(n.sequence)},
                        {m, "--micro-batch-size", number(n.micro_batch)},
                        {m, "--global-batch-size", number(global)},
                        {m, "--train-iters", "100"},
                        {m, "--lr", "1.0e-4"},
                        {m, "--tokenizer-type", "NullTokenizer"},
                        {m, "--vocab-size", "32000"}}),
      made("gpt-neox", {{"", "model_parallel_size", number(n.tp)},
                        {"", "pipe_parallel_size", number(n.pp)},
                        {"", "num_layers", number(n.layers)},
                        {"", "hidden_size", number(n.hidden)},
                        {"", "num_attention_heads", number(n.heads)},
                        {"", "seq_length", number(n.sequence)},
                        {"", "max_position_embeddings", number(n.sequence)},
                        {"", "train_micro_batch_size_per_gpu", number(n.micro_batch)},
                        {"", "train_batch_size", number(global)},
                        {"", "gradient_accumulation_steps", number(n.batches)},  // its default is one, not what is left over
                        {"", "train_iters", "100"},
                        {"", "lr_decay_iters", "100"}}),
      made("nanotron", {{"general", "run", "x"},
                        {"parallelism", "dp", number(n.dp)},
                        {"parallelism", "pp", number(n.pp)},
                        {"parallelism", "tp", number(n.tp)},
                        {"model", "model_config",
                         fmt::format("{{num_hidden_layers: {}, hidden_size: {}, num_attention_heads: {}, num_key_value_heads: {}, "
                                     "max_position_embeddings: {}, intermediate_size: {}, vocab_size: 32000}}",
                                     n.layers, n.hidden, n.heads, n.heads, n.sequence, 4 * n.hidden)},
                        {"tokens", "sequence_length", number(n.sequence)},
                        {"tokens", "micro_batch_size", number(n.micro_batch)},
                        {"tokens", "batch_accumulation_per_replica", number(n.batches)}}),
  };
}

Config flags_by_chance(Dice& dice) {
  Config config;
  config.framework = "megatron";
  megatron({dice, config});
  config.world = 8 << dice.below(4);
  return config;
}

std::string launched(const Config& config, std::optional<std::size_t> unknown) {
  std::string out =
      fmt::format("torchrun --nnodes {} --nproc-per-node 8 --node-rank 0 --master-addr a pretrain_gpt.py", config.world.value_or(8) / 8);
  for (std::size_t i = 0; i < config.settings.size(); ++i) {
    const Setting& setting = config.settings[i];
    out += " \\\n  " + setting.key;
    if (setting.value != "true") out += unknown == i ? " $SOMETHING" : " " + setting.value;
  }
  return out + "\n";
}

std::string name_of_file(const Config& config) { return config.toml ? "job.toml" : "job.yaml"; }

CheckOptions options_for(const Config& config, bool fixes, unsigned jobs) {
  CheckOptions options;
  options.paths = {name_of_file(config)};
  options.isolated = true, options.fixes = fixes, options.origins = false, options.jobs = jobs;
  options.command_line.framework = config.framework;
  if (config.world) {
    Fact& fact = options.command_line.facts.emplace_back();
    fact.path = fact.spelled = "world_size", fact.value = static_cast<i64>(*config.world), fact.way = Way::Setting;
  }
  return options;
}

CheckResult check_text(const Config& config, const std::string& text, bool fixes, unsigned jobs) {
  Overlay files;
  files.put(name_of_file(config), text);
  return check(files, options_for(config, fixes, jobs));
}

std::vector<std::string> said(const Config& config, const std::string& text, unsigned jobs) {
  std::vector<std::string> out;
  for (const Finding& finding : check_text(config, text, false, jobs).findings)
    out.push_back(fmt::format("{} {}: {}", name(finding.severity), finding.rule, finding.message));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace shardlint::test
