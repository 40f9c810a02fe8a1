// What is said of launch scripts beside their plans, and what they follow: containers, components, partitions, configurations.
#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "checker/engine/check.h"

namespace shardlint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CheckResult judged(const std::map<std::string, std::string>& texts, const std::string& path = "job.sbatch") {
  Overlay files;
  for (const auto& [name, text] : texts) files.put(name, text);
  CheckOptions options;
  options.paths = {path};
  return check(files, options);
}
CheckResult judged(const std::string& script) { return judged({{"job.sbatch", script}}); }

std::vector<std::string> rules(const CheckResult& result) {
  std::vector<std::string> out;
  for (const Finding& finding : result.findings)
    if (finding.severity != Severity::Info)
      out.push_back(fmt::format("{}: {}", finding.place.source->position(finding.place.range.begin).line, finding.rule));
  return out;
}
std::string value(const CheckResult& result, std::string_view field, std::size_t plan = 0) {
  if (plan >= result.plans.size()) return "no plan";
  for (const FieldReport& one : result.plans[plan].fields)
    if (one.name == field) return one.value ? to_string(*one.value) : "unknown";
  return "no field";
}

const std::string kModel =
    "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
    "--micro-batch-size 1 --global-batch-size 64 --train-iters 100 --lr 1e-4 --bf16";
const std::string kTrain = "pretrain_gpt.py " + kModel;

std::string slurm(const std::string& directives, const std::string& body) { return "#!/bin/bash\n" + directives + "\n" + body + "\n"; }

TEST(LaunchFindings, RequestsThatContradictEachOther) {
  EXPECT_THAT(rules(judged(slurm("#SBATCH -N 1 --gres=gpu:4\n#SBATCH --gpus-per-node=8", "torchrun --nproc_per_node 8 " + kTrain))),
              ElementsAre("3: launch/gpu-requests-disagree"));
  EXPECT_THAT(rules(judged(slurm("#SBATCH -N 2 --gpus=8 --gpus-per-node=8 --ntasks-per-node=8", "srun python " + kTrain))),
              testing::Contains("2: launch/gpu-requests-disagree"));
  EXPECT_THAT(rules(judged(slurm("#SBATCH -N 3 -n 16 --gpus-per-node=8", "srun python " + kTrain))),
              testing::Contains("2: launch/task-counts-disagree"));
  EXPECT_THAT(rules(judged(slurm("#SBATCH -N 4 --gpus-per-node=8 --ntasks-per-node=8", "srun python " + kTrain))), IsEmpty());
}

TEST(LaunchFindings, ADirectiveThatIsAComment) {
  EXPECT_THAT(rules(judged(slurm("#SBATCH --gpus-per-node=8 --ntasks-per-node=1\n# SBATCH --nodes=2",
                                 "srun torchrun --nproc_per_node 8 " + kTrain))),
              ElementsAre("3: launch/directive-not-read"));
  // One that is said again below is a note to oneself.
  EXPECT_THAT(rules(judged(slurm("# SBATCH --gpus-per-node=4\n#SBATCH --gpus-per-node=8 --ntasks-per-node=1",
                                 "srun torchrun --nproc_per_node 8 " + kTrain))),
              IsEmpty());
}

TEST(LaunchFindings, GresLeavesAVariableUnset) {
  const std::string empty = slurm("#SBATCH -N 1 --gres=gpu:8", "torchrun --nproc_per_node=$SLURM_GPUS_PER_NODE " + kTrain);
  ASSERT_THAT(rules(judged(empty)), ElementsAre("3: launch/option-without-value"));
  EXPECT_THAT(judged(empty).findings[0].message, HasSubstr("SLURM_GPUS_PER_NODE"));
  const CheckResult otherwise = judged(slurm("#SBATCH -N 1 --gres=gpu:8", "torchrun --nproc_per_node=${SLURM_GPUS_PER_NODE:-8} " + kTrain));
  EXPECT_THAT(rules(otherwise), IsEmpty());
  EXPECT_EQ(value(otherwise, "world_size"), "8");
}

TEST(LaunchFindings, WhoIsWho) {
  const std::string head = "#SBATCH -N 2 --gpus-per-node=8 --ntasks-per-node=1";
  EXPECT_THAT(rules(judged(slurm(head, "srun torchrun --nnodes 2 --nproc_per_node 8 --master_addr $A " + kTrain))),
              ElementsAre("3: launch/node-rank-not-told"));
  EXPECT_THAT(
      rules(judged(slurm(head, "srun torchrun --nnodes 2 --nproc_per_node 8 --node_rank $SLURM_NODEID --master_addr $A " + kTrain))),
      testing::Contains(HasSubstr("launch/node-rank-not-told")));
  EXPECT_THAT(rules(judged(slurm(head, "srun bash -c 'torchrun --nnodes 2 --nproc_per_node 8 --node_rank $SLURM_NODEID --master_addr $A " +
                                           kTrain + "'"))),
              IsEmpty());
  EXPECT_THAT(rules(judged(slurm(head, "srun torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_endpoint $A:1 " + kTrain))),
              IsEmpty());
  EXPECT_THAT(
      rules(judged(slurm(head, "srun torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_endpoint localhost:1 " + kTrain))),
      ElementsAre("3: launch/rendezvous-on-localhost"));
  // What is by default only may be given from outside.
  EXPECT_THAT(
      rules(judged(slurm(
          head, "A=${A:-localhost}\nsrun torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_endpoint $A:1 " + kTrain))),
      IsEmpty());
}

TEST(LaunchFindings, MachinesShareProcessesEvenly) {
  EXPECT_THAT(
      rules(judged(slurm(
          "", "accelerate launch --num_machines 4 --num_processes 30 --main_process_ip $A train.py --per_device_train_batch_size 1"))),
      ElementsAre("3: launch/processes-not-divisible-by-machines"));
}

TEST(LaunchFindings, AnElasticRange) {
  const auto range = [](const std::string& nodes, const std::string& tp) {
    return slurm("", "export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nnodes=" + nodes +
                         " --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=$A:1 " + kTrain + " --tensor-model-parallel-size " + tp);
  };
  EXPECT_THAT(rules(judged(range("2:4", "8"))), ElementsAre("4: launch/elastic-range-breaks-plan"));  // 64 sequences and 3 replicas
  EXPECT_THAT(rules(judged(range("1:2", "8"))), IsEmpty());
  const CheckResult none = judged(range("1:2", "32"));
  ASSERT_THAT(rules(none), testing::Contains("4: launch/elastic-range-breaks-plan"));
  EXPECT_EQ(value(none, "world_size"), "unknown");
}

TEST(LaunchFindings, SegmentsOfARack) {
  const auto job = [](const std::string& segment, const std::string& tp) {
    return slurm("#SBATCH -N 18 --ntasks-per-node=4 --gpus-per-node=gb200:4\n" + segment,
                 "srun python pretrain_gpt.py --num-layers 36 --hidden-size 4608 --num-attention-heads 36 --seq-length 4608 "
                 "--max-position-embeddings 4608 --micro-batch-size 1 --global-batch-size 72 --train-iters 100 --lr 1e-4 --bf16 "
                 "--tensor-model-parallel-size " +
                     tp);
  };
  EXPECT_THAT(rules(judged(job("#SBATCH --segment=18", "12"))), IsEmpty());
  const CheckResult none = judged(job("#", "12"));
  ASSERT_THAT(rules(none), ElementsAre(HasSubstr("launch/domain-group-without-segment")));
  ASSERT_FALSE(none.findings[0].fixes.empty());
  EXPECT_EQ(none.findings[0].fixes[0].edits[0].text, "\n#SBATCH --segment=18");
  EXPECT_THAT(rules(judged(job("#SBATCH --segment=2", "12"))), ElementsAre("3: launch/domain-group-without-segment"));
  EXPECT_THAT(rules(judged(job("#SBATCH --segment=4", "4"))), ElementsAre("3: launch/segments-do-not-fill-job"));
  EXPECT_THAT(rules(judged(job("#", "4"))), IsEmpty());
}

TEST(LaunchFindings, ComponentsOfAHeterogeneousJob) {
  const std::string head =
      "#SBATCH -N 4 --ntasks-per-node=8 --gpus-per-node=8\n#SBATCH hetjob\n#SBATCH -N 2 --ntasks-per-node=4 --gpus-per-node=4";
  const CheckResult both = judged(slurm(head, "srun --het-group=0,1 python " + kTrain));
  EXPECT_EQ(value(both, "world_size"), "40");
  EXPECT_EQ(value(both, "nodes"), "6");
  EXPECT_EQ(value(both, "gpus_per_node"), "unknown");
  EXPECT_EQ(value(judged(slurm(head, "srun python " + kTrain)), "world_size"), "32");
  EXPECT_EQ(value(judged(slurm(head, "srun --het-group=1 -n $SLURM_NTASKS_HET_GROUP_1 python " + kTrain)), "world_size"), "8");
}

TEST(LaunchFindings, VariablesThatReachTheRanks) {
  const std::string head = "#SBATCH -N 1 --ntasks-per-node=8 --gpus-per-node=h100:8", tp = kTrain + " --tensor-model-parallel-size 8";
  const std::string set = "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";
  EXPECT_THAT(rules(judged(slurm(head, set + "srun python " + tp))), IsEmpty());
  EXPECT_THAT(rules(judged(slurm(head, set + "srun --export=NONE python " + tp))), testing::SizeIs(1));
  EXPECT_THAT(rules(judged(slurm(head, set + "srun --export=ALL,A=1 python " + tp))), IsEmpty());
  EXPECT_THAT(rules(judged(slurm(head, set + "srun --export=CUDA_DEVICE_MAX_CONNECTIONS python " + tp))), IsEmpty());
  EXPECT_THAT(rules(judged(slurm(head, set + "docker run -e A=1 image torchrun --nproc_per_node 8 " + tp))), testing::SizeIs(1));
  EXPECT_THAT(rules(judged(slurm(head, set + "docker run -e CUDA_DEVICE_MAX_CONNECTIONS image torchrun --nproc_per_node 8 " + tp))),
              IsEmpty());
  // What is missing is exported in front of the step.
  const CheckResult missing = judged(slurm(head, "srun python " + tp));
  ASSERT_EQ(missing.findings.size(), 1u);
  const auto& fixes = missing.findings[0].fixes;
  EXPECT_TRUE(std::any_of(fixes.begin(), fixes.end(), [](const Fix& fix) {
    return !fix.edits.empty() && fix.edits[0].text == "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";
  }));
}

const std::string kDeepSpeed = "{\"train_batch_size\": 100, \"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 2}\n";

TEST(LaunchFindings, AFileOfAContainerIsOneOfTheHost) {
  const std::string train = "torchrun --nproc_per_node 8 train.py --deepspeed_config ";
  for (const std::string& command :
       {"srun --container-image=a.sqsh --container-mounts=$PWD/conf:/conf:ro,/data:/data " + train + "/conf/ds.json",
        "docker run -v \"$(pwd)\":/work -w /work image " + train + "conf/ds.json",
        "enroot start --mount $PWD:/code image " + train + "/code/conf/ds.json",
        "apptainer exec --bind $SLURM_SUBMIT_DIR/conf:/opt/conf image.sif " + train + "/opt/conf/ds.json",
        "docker run --mount type=bind,source=/home/me/project,target=/work image " + train + "/work/conf/ds.json"}) {
    const CheckResult result = judged({{"job.sbatch", slurm("#SBATCH -N 1 --gpus-per-node=8", command)}, {"conf/ds.json", kDeepSpeed}});
    ASSERT_EQ(result.plans.size(), 1u) << command;
    EXPECT_EQ(result.plans[0].started, "conf/ds.json") << command;
    ASSERT_FALSE(result.findings.empty()) << command;
    EXPECT_EQ(result.findings[0].place.source->path(), "conf/ds.json");
  }
}

TEST(LaunchFindings, WhatThePartitionHas) {
  const CheckResult result =
      judged({{"shardlint.toml", "[cluster.partitions.hopper]\ngpu = \"H100\"\ngpus_per_node = 8\n"},
              {"job.sbatch", slurm("#SBATCH -p hopper -N 2 --exclusive --ntasks-per-node=4", "srun python " + kTrain)}});
  EXPECT_EQ(value(result, "gpu"), "H100");
  EXPECT_EQ(value(result, "gpus_per_node"), "8");
  EXPECT_THAT(rules(result), testing::Contains("2: launch/idle-gpus"));
}

TEST(LaunchFindings, AnOptionThatIsNotKnownHidesTheFile) {
  const std::string file =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nsteps = 10\n[parallelism]\ntensor_parallel_degree = "
      "3\n";
  const auto job = [&](const std::string& tp) {
    return judged(
        {{"job.sbatch",
          slurm("", "torchrun --nproc_per_node 8 -m torchtitan.train --job.config_file a.toml --parallelism.tensor_parallel_degree" + tp)},
         {"a.toml", file}});
  };
  EXPECT_EQ(value(job("=$TP"), "tp"), "unknown");
  EXPECT_EQ(value(job(" $TP"), "tp"), "unknown");
  EXPECT_EQ(value(job(" 4"), "tp"), "4");
}

TEST(LaunchFindings, AModelInAFolder) {
  const std::string run =
      "#!/bin/bash\npython3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=128 data.train_files=a "
      "data.val_files=b "
      "actor_rollout_ref.model.path=./models/seven actor_rollout_ref.actor.ppo_mini_batch_size=128 "
      "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.name=vllm "
      "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=4 "
      "trainer.n_gpus_per_node=8 trainer.nnodes=1 actor_rollout_ref.rollout.tensor_model_parallel_size=8\n";
  const auto config = [](int heads) {
    return fmt::format("{{\"model_type\": \"qwen2\", \"num_hidden_layers\": 28, \"hidden_size\": 3584, \"num_attention_heads\": {}}}",
                       heads);
  };
  EXPECT_FALSE(judged({{"run.sh", run}, {"models/seven/config.json", config(28)}}, "run.sh").findings.empty());
  EXPECT_TRUE(judged({{"run.sh", run}, {"models/seven/config.json", config(32)}}, "run.sh").findings.empty());
  EXPECT_TRUE(judged({{"run.sh", run}}, "run.sh").findings.empty());
}

TEST(LaunchFindings, WhatSbatchIsToldCountsMore) {
  const std::string job = slurm("#SBATCH -N 1 --gres=gpu:4 --ntasks-per-node=8", "srun python " + kTrain);
  const CheckResult wrapped =
      judged({{"submit.sh", "#!/bin/bash\nsbatch --nodes=2 --gpus-per-node=8 job.sbatch\n"}, {"job.sbatch", job}}, "submit.sh");
  EXPECT_EQ(value(wrapped, "world_size"), "16");
  EXPECT_THAT(rules(wrapped), IsEmpty());
  EXPECT_THAT(rules(judged(job)), testing::Not(IsEmpty()));
  const CheckResult command =
      judged({{"submit.sh", "#!/bin/bash\nCOMMAND=\"python " + kTrain + "\" GPUS_PER_NODE=4 sbatch -N 2 ray.sub\n"}}, "submit.sh");
  EXPECT_EQ(value(command, "nodes"), "2");
  EXPECT_EQ(value(command, "gpus_per_node"), "4");
}

TEST(LaunchFindings, YamlOnACommandLine) {
  const CheckResult result =
      judged(slurm("",
                   "python3 -m maxtext.trainers.pre_train.train src/maxtext/configs/base.yml run_name=a hardware=gpu steps=10 "
                   "per_device_batch_size=1 dataset_type=synthetic max_target_length=128 learning_rate=1e-4 base_output_directory=out "
                   "enable_checkpointing: False"));
  ASSERT_THAT(rules(result), testing::Contains("3: launch/word-in-yaml-style"));
  for (const Finding& finding : result.findings)
    if (finding.rule == "launch/word-in-yaml-style") {
      ASSERT_EQ(finding.fixes.size(), 1u);
      EXPECT_EQ(finding.fixes[0].edits[0].text, "=");
    }
}

TEST(LaunchFindings, PodsOfOtherKinds) {
  std::string words;
  for (std::size_t begin = 0; begin < kModel.size();) {
    const std::size_t end = std::min(kModel.find(' ', begin), kModel.size());
    words += ", \"" + kModel.substr(begin, end - begin) + "\"";
    begin = end + 1;
  }
  const CheckResult mpi = judged(
      {{"job.yaml",
        "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nspec:\n  slotsPerWorker: 8\n  mpiReplicaSpecs:\n    Launcher:\n      template:\n"
        "        spec:\n          containers:\n          - name: l\n            command: [mpirun, -np, \"16\", python, train.py" +
            words +
            "]\n    Worker:\n      replicas: 4\n      template:\n        spec:\n          containers:\n          - name: w\n"
            "            resources: {limits: {nvidia.com/gpu: 8}}\n"}},
      "job.yaml");
  EXPECT_EQ(value(mpi, "world_size"), "16");
  EXPECT_EQ(value(mpi, "nodes"), "4");
  EXPECT_THAT(rules(mpi), ElementsAre(HasSubstr("launch/idle-gpus")));
  const CheckResult lws = judged(
      {{"job.yaml",
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec:\n  replicas: 1\n  leaderWorkerTemplate:\n    size: 4\n"
        "    workerTemplate:\n      spec:\n        containers:\n        - name: w\n          resources: {limits: {nvidia.com/gpu: 8}}\n"
        "          command: [torchrun, --nnodes=4, --nproc_per_node=8, --rdzv_backend=c10d, \"--rdzv_endpoint=$(A):1\", train.py" +
            words + "]\n"}},
      "job.yaml");
  EXPECT_EQ(value(lws, "world_size"), "32");
  EXPECT_THAT(rules(lws), IsEmpty());
}

}  // namespace
}  // namespace shardlint
