// A DeepSpeed file that another configuration names: read as part of the same job, told what is left open in it, judged by its own law.
#include "checker/engine/attach.h"

#include "checker/engine/check.h"
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

const std::string kAccelerate =
    "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\nmachine_rank: 0\n"
    "deepspeed_config:\n  deepspeed_config_file: ds.json\n";
const std::string kAxolotl =
    "base_model: meta-llama/Llama-3.1-8B\ndatasets:\n  - path: tatsu-lab/alpaca\n    type: alpaca\ndataset_prepared_path: prepared\n"
    "sequence_len: 4096\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\nnum_epochs: 1\nlearning_rate: 0.0002\n"
    "optimizer: adamw_torch_fused\nlr_scheduler: cosine\nbf16: true\nattn_implementation: flash_attention_2\noutput_dir: out\n"
    "deepspeed: conf/ds.json\n";

struct World {
  Overlay files;
  CheckOptions options;

  explicit World(std::initializer_list<std::pair<std::string_view, std::string>> texts) {
    for (const auto& [path, text] : texts) files.put(path, text);
    options.jobs = 1;
  }
  void gpus(i64 count) {
    Fact fact;
    fact.path = fact.spelled = "world_size";
    fact.value = count;
    fact.way = Way::Setting;
    options.command_line.facts.push_back(fact);
  }
  std::string check(const std::string& path) {
    options.paths = {path};
    result = shardlint::check(files, options);
    std::string out;
    for (const Finding& finding : result.findings) {
      if (finding.severity == Severity::Info) continue;
      const Position at = finding.place ? finding.place.source->position(finding.place.range.begin) : Position{};
      out +=
          fmt::format("{}:{} {} {}\n", finding.place ? finding.place.source->path() : "?", at.line, name(finding.severity), finding.rule);
    }
    for (const std::string& error : result.errors) out += "! " + error + "\n";
    return out;
  }
  std::string field(std::string_view wanted) const {
    for (const FieldReport& field : result.plans.at(0).fields)
      if (field.name == wanted) return field.value ? to_string(*field.value) : "?";
    return "no such field";
  }
  CheckResult result;
};

TEST(Attach, ThePlanTakesWhatTheFileDecides) {
  World world({{"accelerate.yaml", kAccelerate},
               {"ds.json", R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": true},
                              "zero_optimization": {"stage": 3}})"}});
  EXPECT_EQ(world.check("accelerate.yaml"), "");
  EXPECT_EQ(world.result.plans.size(), 1u);
  EXPECT_EQ(world.field("zero_stage"), "3");
  EXPECT_EQ(world.field("micro_batch"), "4");
  EXPECT_EQ(world.field("grad_accum"), "2");
  EXPECT_EQ(world.field("precision.weights"), "bf16");
}

TEST(Attach, TheFileIsJudgedOnTheNamingFilesRanks) {
  World world(
      {{"accelerate.yaml", kAccelerate},
       {"ds.json", "{\n\"train_batch_size\": 100,\n\"train_micro_batch_size_per_gpu\": 4,\n\"zero_optimization\": {\"stage\": 2}}"}});
  EXPECT_EQ(world.check("accelerate.yaml"), "ds.json:2 error deepspeed/batch-sizes-do-not-multiply\n");
  World alone(
      {{"ds.json", "{\n\"train_batch_size\": 100,\n\"train_micro_batch_size_per_gpu\": 4,\n\"zero_optimization\": {\"stage\": 2}}"}});
  EXPECT_EQ(alone.check("ds.json"), "") << "nobody says how many GPUs there are";
}

TEST(Attach, OneFindingWhereTheFileIsCheckedByItselfToo) {
  World world({{"job/accelerate.yaml", kAccelerate},
               {"job/ds.json", "{\n\"train_micro_batch_size_per_gpu\": 0,\n\"zero_optimization\": {\"stage\": 2}}"}});
  EXPECT_EQ(world.check("job"), "job/ds.json:2 error deepspeed/micro-batch-not-positive\n");
}

TEST(Attach, ValuesLeftOpenAreFilledIn) {
  World world({{"train.yaml", kAxolotl},
               {"conf/ds.json",
                "{\n\"train_batch_size\": 100,\n\"train_micro_batch_size_per_gpu\": \"auto\",\n"
                "\"gradient_accumulation_steps\": \"auto\",\n\"bf16\": {\"enabled\": \"auto\"},\n"
                "\"zero_optimization\": {\"stage\": 2}}"}});
  world.gpus(8);
  EXPECT_EQ(world.check("train.yaml"), "conf/ds.json:2 error deepspeed/batch-sizes-do-not-multiply\n") << "2 x 4 x 8 is 64";
  EXPECT_EQ(world.field("zero_stage"), "2");
}

TEST(Attach, WhatBothSayMustBeTheSame) {
  World world({{"train.yaml", kAxolotl},
               {"conf/ds.json",
                "{\"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 1, \"fp16\": {\"enabled\": true},\n"
                "\"zero_optimization\": {\"stage\": 2}}"}});
  EXPECT_EQ(world.check("train.yaml"), "train.yaml:8 error composition/files-disagree\ntrain.yaml:13 error composition/files-disagree\n");
  ASSERT_FALSE(world.result.findings[0].fixes.empty());
  EXPECT_EQ(world.result.findings[0].fixes[0].edits[0].text, "\"auto\"");
}

TEST(Attach, AFileThatIsFoundInAFolderAbove) {
  World world({{"repo/examples/train.yaml", kAxolotl},
               {"repo/conf/ds.json", "{\"train_micro_batch_size_per_gpu\": \"auto\", \"zero_optimization\": {\"stage\": 1}}"},
               {"repo/.git/HEAD", ""}});
  EXPECT_EQ(world.check("repo/examples/train.yaml"), "");
  EXPECT_EQ(world.field("zero_stage"), "1");
}

TEST(Attach, AFileThatIsNotThere) {
  World world({{"train.yaml", kAxolotl}});
  EXPECT_EQ(world.check("train.yaml"), "") << "nobody knows the folder that the program is started in";
  EXPECT_EQ(world.field("zero_stage"), "?") << "it decides, and nobody knows it";
  World run({{"job/train.yaml", kAxolotl}, {"job/shardlint.toml", "[[run]]\nname = \"sft\"\nfiles = [\"train.yaml\"]\n"}});
  EXPECT_EQ(run.check("job"), "job/train.yaml:16 error composition/missing-include\n");
  World far({{"train.yaml", kAxolotl.substr(0, kAxolotl.rfind("conf/")) + "/data/ds.json\n"}});
  EXPECT_EQ(far.check("train.yaml"), "") << "it may well be there";
  EXPECT_EQ(far.field("zero_stage"), "?");
}

TEST(Attach, AFileThatCannotBeRead) {
  World world({{"accelerate.yaml", kAccelerate}, {"ds.json", "{\"zero_optimization\": {\"stage\": 2"}});
  EXPECT_NE(world.check("accelerate.yaml").find("ds.json:1 error hygiene/syntax-error"), std::string::npos);
  EXPECT_EQ(world.field("zero_stage"), "?");
}

TEST(Attach, AFileThatLacksWhatIsNeeded) {
  World world({{"accelerate.yaml", kAccelerate}, {"ds.json", "{\"train_micro_batch_size_per_gpu\": 4, \"bf16\": {\"enabled\": true}}"}});
  EXPECT_EQ(world.check("accelerate.yaml"), "ds.json:1 error composition/attached-file-lacks-key\n");
}

TEST(Attach, AKeyThatIsNotInUseNamesNothing) {
  std::string text = kAccelerate;
  text.replace(text.find("DEEPSPEED"), 9, "MULTI_GPU");
  World world({{"accelerate.yaml", text}});
  EXPECT_EQ(world.check("accelerate.yaml"), "");
}

}  // namespace
}  // namespace shardlint::test
