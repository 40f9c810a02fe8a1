// Launch scripts and manifests, from their text to plans and findings.
#include <map>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "checker/engine/check.h"

namespace shardlint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Said {
  std::vector<std::string> plans;     // "world_size=16 nodes=2 ..." for the fields asked for
  std::vector<std::string> findings;  // "9: launch/idle-gpus"
  std::size_t passed_over = 0;
};

constexpr const char* kFields[] = {"nodes", "gpus_per_node", "world_size", "tp", "pp", "dp", "micro_batch", "global_batch"};

Said said(const std::map<std::string, std::string>& texts, const std::string& path) {
  Overlay files;
  for (const auto& [name, text] : texts) files.put(name, text);
  CheckOptions options;
  options.paths = {path};
  options.isolated = true;
  const CheckResult result = check(files, options);
  Said out;
  out.passed_over = result.passed_over;
  for (const PlanReport& plan : result.plans) {
    std::string line = plan.name == "default" ? "" : plan.name + ":";
    for (const char* name : kFields)
      for (const FieldReport& field : plan.fields)
        if (field.name == name && field.value && !field.value->is_null())
          line += fmt::format("{}{}={}", line.empty() ? "" : " ", name, to_string(*field.value));
    out.plans.push_back(line);
  }
  for (const Finding& finding : result.findings)
    if (finding.severity != Severity::Info)
      out.findings.push_back(
          fmt::format("{}: {}", finding.place ? finding.place.source->position(finding.place.range.begin).line : 0, finding.rule));
  return out;
}
Said script(const std::string& text) { return said({{"job.sbatch", text}}, "job.sbatch"); }

const std::string kModel =
    "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
    "--micro-batch-size 1 --global-batch-size 64 --train-iters 100 --lr 1e-4 --bf16";

TEST(Launch, TorchrunOnceANode) {
  const Said out = script(
      "#!/bin/bash\n#SBATCH -N 2\n#SBATCH --ntasks-per-node 1 --gres=gpu:h100:8,nvme:1  # whole nodes\n"
      "export CUDA_DEVICE_MAX_CONNECTIONS=1\nTP=8\n"
      "ARGS=(--tensor-model-parallel-size \"$TP\" --sequence-parallel)\nARGS+=(" +
      kModel +
      ")\nsrun torchrun --nnodes $SLURM_NNODES --nproc-per-node=gpu --rdzv-backend c10d --rdzv-endpoint $HEAD:1 pretrain_gpt.py "
      "\"${ARGS[@]}\"\n");
  EXPECT_THAT(out.plans, ElementsAre("nodes=2 gpus_per_node=8 world_size=16 tp=8 pp=1 dp=2 micro_batch=1 global_batch=64"));
  EXPECT_THAT(out.findings, IsEmpty());
}

TEST(Launch, OneTaskAGpu) {
  const Said out =
      script("#!/bin/bash\n#SBATCH -N2\n#SBATCH --ntasks-per-node=4\n#SBATCH --gpus-per-node=8\nsrun -l python train.py " + kModel + "\n");
  EXPECT_THAT(out.plans, ElementsAre("nodes=2 gpus_per_node=8 world_size=8 tp=1 pp=1 dp=8 micro_batch=1 global_batch=64"));
  EXPECT_THAT(out.findings, ElementsAre("3: launch/idle-gpus"));
}

TEST(Launch, MoreTasksThanGpus) {
  const Said out =
      script("#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\n#SBATCH --gres=gpu:4\nsrun python train.py " + kModel + "\n");
  EXPECT_THAT(out.findings, ElementsAre("3: launch/more-processes-than-gpus"));
}

TEST(Launch, DirectivesThatAreNotRead) {
  const Said out = script(
      "#!/bin/bash\n#SBATCH --gpus-per-node=8\n##SBATCH --nodes=9\nset -e\n#SBATCH --nodes=2\nsrun torchrun --nproc_per_node 8 train.py " +
      kModel + "\n");
  EXPECT_THAT(out.plans, ElementsAre("nodes=1 gpus_per_node=8 world_size=8 tp=1 pp=1 dp=8 micro_batch=1 global_batch=64"));
  EXPECT_THAT(out.findings, ElementsAre("5: launch/directive-not-read"));
}

TEST(Launch, WithoutATrainingNothingIsSaid) {
  const Said out = script("#!/bin/bash\n#SBATCH --nodes=$N\nsrun hostname\npython tools/report.py --out x\n");
  EXPECT_THAT(out.plans, IsEmpty());
  EXPECT_THAT(out.findings, IsEmpty());
  EXPECT_EQ(out.passed_over, 1u);
}

TEST(Launch, EveryArmOfACaseIsAPlan) {
  const Said out = script(
      "#!/bin/bash\nSIZE=${SIZE:-s}\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\ncase $SIZE in\n  s) TP=2 ;;\n  l) TP=16 ;;\n  *) exit 1 "
      ";;\nesac\n"
      "torchrun --nproc_per_node 8 train.py --tensor-model-parallel-size $TP " +
      kModel + "\n");
  ASSERT_EQ(out.plans.size(), 2u);
  EXPECT_TRUE(out.plans[0].find(" tp=2 ") != std::string::npos) << out.plans[0];
  EXPECT_TRUE(out.plans[1].starts_with("SIZE=l:")) << out.plans[1];
  EXPECT_FALSE(out.findings.empty());
}

TEST(Launch, AConfigIsFollowed) {
  const Said out = said({{"job.sh", "#!/bin/bash\ntorchrun --nnodes 2 --nproc_per_node 8 run.py --deepspeed_config conf/ds.json\n"},
                         {"conf/ds.json",
                          "{\"train_batch_size\": 100, \"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 2,\n"
                          "\"zero_optimization\": {\"stage\": 1}, \"bf16\": {\"enabled\": true}}\n"}},
                        "job.sh");
  ASSERT_EQ(out.plans.size(), 1u);
  EXPECT_TRUE(out.plans[0].starts_with("nodes=2 gpus_per_node=8 world_size=16")) << out.plans[0];
  EXPECT_FALSE(out.findings.empty());
}

TEST(Launch, PodsOfAJob) {
  const Said out = said(
      {{"job.yaml",
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Master: &pod\n      replicas: 1\n"
        "      template:\n        spec:\n          containers:\n          - name: a\n"
        "            resources: {limits: {nvidia.com/gpu: \"8\"}}\n            command: [bash, -c]\n            args:\n            - |\n"
        "              torchrun --nnodes=4 --nproc_per_node=8 train.py \\\n                " +
            kModel + "\n    Worker: *pod\n"}},
      "job.yaml");
  ASSERT_EQ(out.plans.size(), 1u);
  EXPECT_TRUE(out.plans[0].starts_with("nodes=2 gpus_per_node=8")) << out.plans[0];
  EXPECT_THAT(out.findings, ElementsAre("15: launch/launcher-counts-other-servers"));
}

// No name means anything: a script with other names and with strings in the place of arrays gives the same plan.
TEST(Launch, NamesOfVariablesMeanNothing) {
  const std::string text =
      "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n"
      "TP=4\nPP=$(( TP / 2 ))\nGPUS=${GPUS:-8}\nPARALLEL=(--tensor-model-parallel-size $TP --pipeline-model-parallel-size ${PP})\n"
      "PARALLEL+=(--sequence-parallel)\nMODEL=\"" +
      kModel +
      "\"\nsrun torchrun --nnodes $SLURM_NNODES --nproc_per_node $GPUS --rdzv_backend c10d --rdzv_endpoint $HEAD:1 pretrain.py "
      "\"${PARALLEL[@]}\" $MODEL\n";
  std::string renamed = text;
  for (const char* name : {"TP", "PP", "GPUS", "PARALLEL", "MODEL"})
    renamed = std::regex_replace(renamed, std::regex(fmt::format(R"(\b{}\b)", name)), fmt::format("q_{}_z", name));
  std::string strings = text;
  strings = std::regex_replace(strings, std::regex(R"(PARALLEL=\(([^)]*)\))"), "PARALLEL=\"$1\"");
  strings = std::regex_replace(strings, std::regex(R"(PARALLEL\+=\(([^)]*)\))"), "PARALLEL+=\" $1\"");
  strings = std::regex_replace(strings, std::regex(R"("\$\{PARALLEL\[@\]\}")"), "$$PARALLEL");
  const Said first = script(text);
  EXPECT_THAT(first.plans, ElementsAre("nodes=4 gpus_per_node=8 world_size=32 tp=4 pp=2 dp=4 micro_batch=1 global_batch=64"));
  EXPECT_THAT(first.findings, IsEmpty());
  EXPECT_EQ(script(renamed).plans, first.plans);
  EXPECT_EQ(script(strings).plans, first.plans);
}

}  // namespace
}  // namespace shardlint
