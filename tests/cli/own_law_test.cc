// A team's own constraints, through the real program.
#include <gmock/gmock.h>

#include "tests/program.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kRun =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = 10\n\n"
    "[parallelism]\ntensor_parallel_degree = 4\n";
const char* const kLaw =
    "[cluster]\nnodes = 2\ngpus_per_node = 8\n\n[[constraint]]\nname = \"tensor-parallelism-beyond-a-pair\"\nfamily = \"topology\"\n"
    "require = \"tp <= 2\"\nsays = \"{tp} GPUs share a layer, and this project takes two\"\neffect = \"reviewers send it back\"\n"
    "why = \"Our racks join GPUs in pairs.\"\nrather_change = [\"tp\"]\n";

using OwnLaws = InFolder;

TEST_F(OwnLaws, AreJudgedMendedAndExplained) {
  put("shardlint.toml", kLaw);
  put("run.toml", kRun);
  Ended ran = shardlint("check run.toml");
  EXPECT_EQ(ran.exit, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("error: 4 GPUs share a layer, and this project takes two"));
  EXPECT_THAT(ran.out, HasSubstr("team/tensor-parallelism-beyond-a-pair"));
  EXPECT_THAT(ran.out, HasSubstr("run.toml:10:26"));
  EXPECT_THAT(ran.out, HasSubstr("fix (checked): 2"));
  EXPECT_EQ(shardlint("check run.toml --unsafe-fixes").exit, 0);
  EXPECT_THAT(get("run.toml"), HasSubstr("tensor_parallel_degree = 2"));

  put("run.toml", kRun);
  EXPECT_THAT(shardlint("explain team/tensor-parallelism-beyond-a-pair").out, HasSubstr("Our racks join GPUs in pairs."));
  EXPECT_THAT(shardlint("explain team/tensor-parallelism-beyond-a-pair").out, HasSubstr("shardlint.toml:5"));
  EXPECT_THAT(shardlint("explain team/tensor-parallelism-beyond").err, HasSubstr("did you mean `team/tensor-parallelism-beyond-a-pair`"));
  EXPECT_THAT(shardlint("rules").out, HasSubstr("constraints of this project\n\nteam/tensor-parallelism-beyond-a-pair"));
  EXPECT_THAT(shardlint("check run.toml --format sarif").out, HasSubstr("Our racks join GPUs in pairs."));
  EXPECT_EQ(shardlint("check run.toml --ignore team").exit, 0);
  EXPECT_EQ(shardlint("check run.toml --severity team/tensor-parallelism-beyond-a-pair=warning").exit, 0);
  EXPECT_EQ(shardlint("check run.toml --isolated").exit, 0);
}

TEST_F(OwnLaws, HoldForOneFrameworkOrComeFromASharedFile) {
  put("law/shared.toml",
      "[[constraint]]\nname = \"short-run\"\nframework = \"torchtitan\"\nrequire = \"'training.steps' >= 100\"\n"
      "says = \"{'training.steps'} steps are a trial\"\nseverity = \"warning\"\n"
      "[[constraint]]\nname = \"megatron-alone\"\nframework = \"megatron\"\nrequire = \"tp == 1\"\nsays = \"split\"\n");
  put("project/shardlint.toml", "constraints = [\"../law/shared.toml\"]\n");
  put("project/run.toml", kRun);
  const Ended ran = shardlint("check project/run.toml");
  EXPECT_EQ(ran.exit, 0);
  EXPECT_THAT(ran.out, HasSubstr("warning: 10 steps are a trial"));
  EXPECT_THAT(ran.out, Not(HasSubstr("megatron-alone")));
  put("project/shardlint.toml", "constraints = [\"nowhere.toml\"]\n");
  EXPECT_THAT(shardlint("check project/run.toml").err, HasSubstr("shardlint.toml:1: project/nowhere.toml: no such file"));
}

TEST_F(OwnLaws, APreviewIsJudgedOnDemand) {
  put("shardlint.toml", std::string(kLaw) + "preview = true\n");
  put("run.toml", kRun);
  EXPECT_EQ(shardlint("check run.toml").exit, 0);
  EXPECT_EQ(shardlint("check run.toml --preview").exit, 1);
  put("shardlint.toml", "[rules]\npreview = true\n" + std::string(kLaw) + "preview = true\n");
  EXPECT_EQ(shardlint("check run.toml").exit, 1);
}

TEST_F(OwnLaws, MistakesAreSaidAtTheStart) {
  put("run.yaml", "a: 1\n");
  const std::pair<std::string, std::string> cases[] = {
      {"name = \"x\"\nrequire = \"tpp <= 2\"\nsays = \"x\"\n", "shardlint.toml:3: "},
      {"name = \"x\"\nrequire = \"tp + 2\"\nsays = \"x\"\n", "shardlint.toml:3: "},
      {"name = \"x\"\nsays = \"x\"\n", "a constraint needs require"},
      {"name = \"x\"\nrequire = \"tp <= 2\"\n", "says is missing"},
      {"name = \"Not Good\"\nrequire = \"tp <= 2\"\nsays = \"x\"\n", "small letters, digits and dashes"},
      {"name = \"x\"\nrequire = \"tp <= 2\"\nsays = \"x\"\nframework = \"megatrn\"\n", "did you mean `megatron`?"},
      {"name = \"x\"\nrequire = \"tp <= 2\"\nsays = \"x\"\nrequires = \"y\"\n", "requires has no meaning here"},
  };
  for (const auto& [table, message] : cases) {
    put("shardlint.toml", "[[constraint]]\n" + table);
    const Ended ran = shardlint("check run.yaml");
    EXPECT_EQ(ran.exit, 2) << table;
    EXPECT_THAT(ran.err, HasSubstr(message)) << table;
  }
}

TEST_F(OwnLaws, ASiteHasPoliciesToo) {
  put("site.toml",
      "[[constraint]]\nname = \"too-many-nodes\"\nfamily = \"launch\"\nrequire = \"nodes <= 1\"\nsays = \"{nodes} nodes, and a job gets "
      "one\"\n");
  put("job.sh",
      "#!/bin/bash\n#SBATCH --nodes=2 --gpus-per-node=8 --ntasks-per-node=1\nsrun torchrun --nnodes=2 --nproc_per_node=8 "
      "pretrain_gpt.py --tensor-model-parallel-size 8 --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 "
      "--max-position-embeddings 2048 --micro-batch-size 1 --train-iters 10 --lr 1e-4 --bf16 --mock-data\n");
  const Ended ran = shardlint("check job.sh --site site.toml");
  EXPECT_EQ(ran.exit, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("2 nodes, and a job gets one"));
  EXPECT_THAT(ran.out, HasSubstr("site/too-many-nodes"));
}

}  // namespace
}  // namespace shardlint
