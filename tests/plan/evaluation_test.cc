// Where values come from, what unknown does to those that rest on it, and what rewrites and findings change.
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

constexpr std::string_view kSchema = R"toml(
name = "small"
title = "Small"
formats = ["yaml"]
loader = "yaml12"
[recognise]
keys = ["tp"]
[let]
twice = "2 * tp"
[plan]
tp = "'tp'"
pp = "'pp'"
micro_batch = "'micro'"
global_batch = "'global'"
layers = "if(set('model.layers'), 'model.layers', null)"
sp = "'sp'"
fsdp = "tp > 8"
)toml";
constexpr std::string_view kKeys =
    "key\ttype\tdefault\n"
    "tp\tint\t1\n"
    "pp\tint|null\tnull\n"
    "micro\tint|null\tnull\n"
    "global\tint|null\tnull\n"
    "sp\tbool\tfalse\n"
    "model\tdict|null\tnull\n"
    "model.layers\tint\t12\n"
    "model.moe\tdict|null\tnull\n"
    "model.moe.experts\tint\t8\n"
    "plain\tdict\n"
    "plain.width\tint\t4\n"
    "stages\tlist\t[]\n"
    "stages[*].start\tint\t1\n"
    "stages[*].opt\tdict|null\tnull\n"
    "env.LEVEL\tstr\t\n";
constexpr std::string_view kLaw = R"toml(
[[constraint]]
name = "world-not-divisible"
family = "topology"
when = "known(world_size)"
require = "divides(tp * pp, world_size)"
says = "{world_size} by {tp * pp}"
spoils = ["dp"]

[[rewrite]]
name = "sequence-parallelism-off"
when = "tp == 1"
set = "sp"
to = "false"
says = "sequence parallelism is switched off"

[[rewrite]]
name = "layers-are-even"
when = "known(layers) and layers % 2 == 1"
set = "layers"
to = "layers + 1"
severity = "none"

[[rewrite]]
name = "stages-of-one"
when = "not set('pp')"
set = "'pp'"
to = "1"
severity = "none"

[[rewrite]]
name = "sharding-on"
when = "micro_batch == 7"
set = "fsdp"
to = "pp > 0"
severity = "none"

[[rewrite]]
name = "stages-cut"
when = "pp > 4"
set = "pp"
to = "4"
says = "{pp} stages are cut to 4"

[[rewrite]]
name = "stages-halved"
when = "pp == 4 and micro_batch == 7"
set = "pp"
to = "2"
severity = "none"

[[constraint]]
name = "batch-not-shared"
family = "batch"
require = "divides(dp * micro_batch, global_batch)"
says = "{global_batch} over {dp} x {micro_batch}"
)toml";

std::unique_ptr<SchemaData> schema() {
  return load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}, {"constraints.toml", std::string(kLaw)}});
}

std::string origin(const SlotState& state) {
  static constexpr std::string_view kNames[] = {"nothing", "default", "written", "setting", "derived", "rewritten"};
  return fmt::format("{} {}", shown(state), kNames[static_cast<std::size_t>(state.origin)]);
}

std::string names(const Schema& schema, const std::vector<Slot>& slots) {
  std::string out;
  for (Slot slot : slots) out += (out.empty() ? "" : " ") + std::string(schema.slot_name(slot));
  return out;
}

struct Row {
  std::string_view given, slot, expected;
};

TEST(Evaluation, Origins) {
  const auto data = schema();
  ASSERT_TRUE(data);
  const Row kRows[] = {
      {"{}", "tp", "1 default"},
      {"{tp: 2}", "tp", "2 written"},
      {"{tp: 2}", "world_size", "64 setting"},
      {"{tp: 2}", "twice", "4 derived"},
      {"{tp: 2}", "dp", "32 derived"},
      {"{tp: 2}", "pp", "1 rewritten"},
      {"{tp: 2, pp: 8}", "pp", "4 rewritten"},
      {"{tp: 2, pp: 8}", "dp", "8 derived"},
      {"{tp: 1, sp: true}", "sp", "false rewritten"},
      {"{tp: 2, sp: true}", "sp", "true written"},
      {"{micro: 7}", "fsdp", "true rewritten"},
      {"{micro: 7, pp: 8}", "fsdp", "true rewritten"},
      {"{micro: 7, pp: 8}", "pp", "2 rewritten"},
      {"{micro: 7, pp: 8}", "dp", "32 derived"},
      {"{micro: 7, pp: 8}", "zero_stage", "3 derived"},
      {"{tp: 1}", "sp", "false default"},
      {"{tp: 1}", "vocab", "not stated nothing"},
      {"{tp: 1}", "gpu", "not stated nothing"},
      {"{tp: 1}", "ffn_hidden", "not stated derived"},
      {"{tp: 3}", "dp", "spoiled derived"},
      {"{tp: 3}", "expert_dp", "64 derived"},
      {"{tp: 3, micro: 1}", "global_batch", "spoiled derived"},
      {"{tp: 1}", "env.LEVEL", "not stated nothing"},
      {"{tp: 1}", "experts", "null derived"},
      {"{model: {layers: 3}}", "layers", "4 rewritten"},         // another rewrite follows
      {"{model: {layers: 3}, tp: 3}", "layers", "4 rewritten"},  // and a finding that spoils something else
  };
  for (const Row& row : kRows) {
    Judged run(data->schema, row.given, {{"world_size", 64}});
    EXPECT_EQ(origin(run.at(row.slot)), row.expected) << row.given << " " << row.slot;
  }
}

TEST(Evaluation, Sections) {
  const auto data = schema();
  ASSERT_TRUE(data);
  const Row kRows[] = {
      {"{tp: 1}", "model", "null default"},
      {"{tp: 1}", "model.layers", "null default"},
      {"{tp: 1}", "model.moe.experts", "null default"},
      {"{tp: 1}", "layers", "not stated derived"},
      {"{model: {}}", "model.layers", "12 default"},
      {"{model: {}}", "layers", "12 derived"},
      {"{model: null}", "model.layers", "null default"},
      {"{model: {layers: 3}}", "model.layers", "3 written"},
      {"{model: {layers: 3}}", "model.moe.experts", "null default"},
      {"{model: {moe: {}}}", "model.moe.experts", "8 default"},
      {"{tp: 1}", "plain.width", "4 default"},
      {"{stages: [{start: 1}, {start: 5}]}", "stages[*].start", "[1, 5] written"},
      {"{stages: [{}, {start: 5}]}", "stages[*].start", "[null, 5] written"},
      {"{tp: 1}", "stages[*].start", "[] default"},
  };
  for (const Row& row : kRows) {
    Judged run(data->schema, row.given);
    EXPECT_EQ(origin(run.at(row.slot)), row.expected) << row.given << " " << row.slot;
  }
}

TEST(Evaluation, MissingRoots) {
  const auto data = schema();
  ASSERT_TRUE(data);
  const Row kRows[] = {
      {"{tp: 2}", "dp", "nodes gpus_per_node"},
      {"{tp: 2}", "ffn_hidden", "hidden"},
      {"{tp: 2, micro: 2}", "tokens_per_step", "nodes gpus_per_node grad_accum seq_length"},
      {"{tp: 2}", "tp", ""},
      {"{tp: 2}", "vocab", "vocab"},
  };
  for (const Row& row : kRows) {
    Judged run(data->schema, row.given);
    const Field field = *field_named(row.slot);
    EXPECT_EQ(names(data->schema, run.evaluation().missing_roots(slot(field))), row.expected) << row.given << " " << row.slot;
  }
}

TEST(Evaluation, RootFacts) {
  const auto data = schema();
  ASSERT_TRUE(data);
  const Row kRows[] = {
      {"{tp: 2, pp: 8}", "dp", "world_size tp pp"},
      {"{tp: 2}", "sp", ""},
      {"{tp: 1, sp: true}", "sp", "sp tp"},
      {"{micro: 2, global: 64}", "grad_accum", "global micro world_size"},
  };
  for (const Row& row : kRows) {
    Judged run(data->schema, row.given, {{"world_size", 64}});
    std::string facts;
    for (std::uint32_t fact : run.evaluation().root_facts(slot(*field_named(row.slot))))
      facts += (facts.empty() ? "" : " ") + run.job.facts[fact].path;
    EXPECT_EQ(facts, row.expected) << row.given << " " << row.slot;
  }
}

TEST(Evaluation, Rewrites) {
  const auto data = schema();
  ASSERT_TRUE(data);
  Judged run(data->schema, "{tp: 2, pp: 8}", {{"world_size", 64}});
  EXPECT_EQ(run.violations(), "warning small/stages-cut: 8 stages are cut to 4\n");
  const SlotState& pp = run.at("pp");
  EXPECT_EQ(pp.before, Value(8));
  EXPECT_EQ(pp.by->name, "small/stages-cut");
  // A field that is a key and the key change together.
  for (Slot slot = kFieldCount; slot < data->schema.slot_count(); ++slot)
    if (data->schema.slot_name(slot) == "pp") {
      EXPECT_EQ(origin(run.evaluation().at(slot)), "4 rewritten");
    }
  // What nobody wrote is changed in silence.
  EXPECT_EQ(Judged(data->schema, "{tp: 1}").violations(), "");
  EXPECT_EQ(Judged(data->schema, "{tp: 1, sp: true}").violations(),
            "warning small/sequence-parallelism-off: sequence parallelism is switched off\n");
}

// A finding spoils what rests on it: consequences stay silent, and nobody is asked to state them.
TEST(Evaluation, Spoil) {
  const auto data = schema();
  ASSERT_TRUE(data);
  Judged run(data->schema, "{tp: 3, micro: 2, global: 7}", {{"world_size", 64}});
  EXPECT_TRUE(run.violations().starts_with("error small/world-not-divisible: 64 by 3\n")) << run.violations();
  EXPECT_EQ(run.violations().find("batch-not-shared"), std::string::npos) << run.violations();
  for (const NotEvaluated& entry : run.judgement.not_evaluated) EXPECT_NE(entry.rule, "small/batch-not-shared");
  EXPECT_EQ(run.at("dp").by->name, "small/world-not-divisible");
}

TEST(Evaluation, NotEvaluated) {
  const auto data = schema();
  ASSERT_TRUE(data);
  Judged run(data->schema, "{tp: 2, micro: 2}");
  std::string open;
  for (const NotEvaluated& entry : run.judgement.not_evaluated)
    if (entry.rule.starts_with("small/")) open += fmt::format("{}: {}\n", entry.rule, names(data->schema, entry.because));
  EXPECT_EQ(open, "small/batch-not-shared: nodes gpus_per_node\n");
}

// A file that changes a program's configuration leaves the rest to the program: no default stands in for it. One that states a run does not.
TEST(Evaluation, BaseInCode) {
  const auto data = load({{"schema.toml", R"toml(
name = "small"
title = "Small"
versions = ["1.0"]
formats = ["yaml"]
loader = "omegaconf"
[composition]
style = "omegaconf"
base_in_code = true
whole = ["layers", "optimizer"]
[recognise]
keys = ["layers"]
needs = 1
[plan]
tp = "'tensor'"
pp = "'pipeline'"
layers = "'layers'"
micro_batch = "'micro'"
global_batch = "'global'"
)toml"},
                          {"keys.tsv",
                           "key\ttype\tdefault\n"
                           "tensor\tint\t1\n"
                           "pipeline\tint\t1\n"
                           "layers\tint\t0\n"
                           "micro\tint|null\n"
                           "global\tint|null\n"
                           "optimizer\tdict|null\n"
                           "optimizer.lr\tfloat\t0.1\n"}});
  ASSERT_TRUE(data);
  Judged part(data->schema, "tensor: 2\nlayers: 8\nmicro: 1\nglobal: 8\n", {{"world_size", Value(i64{8})}});
  EXPECT_EQ(shown(part.at("tp")), "2");
  EXPECT_EQ(shown(part.at("pp")), "not stated");
  EXPECT_EQ(shown(part.at("dp")), "not stated");
  EXPECT_EQ(shown(part.at("optimizer.lr")), "not stated");
  Judged whole(data->schema, "tensor: 2\nlayers: 8\nmicro: 1\nglobal: 8\noptimizer: {}\n", {{"world_size", Value(i64{8})}});
  EXPECT_EQ(shown(whole.at("pp")), "1");
  EXPECT_EQ(shown(whole.at("dp")), "4");
  EXPECT_EQ(shown(whole.at("grad_accum")), "2");
  EXPECT_EQ(shown(whole.at("optimizer.lr")), "0.1");
}

}  // namespace
}  // namespace shardlint::test
