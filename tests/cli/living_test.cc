// Living with what is found: changes alone, ignores, baselines, and which setting holds. All through the real program and real files.
#include <sstream>

#include <gmock/gmock.h>

#include "tests/program.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kBad =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = 10\n\n"
    "[parallelism]\ntensor_parallel_degree = 3\npipeline_parallel_degree = 1\n";
const char* const kGood =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = 10\n\n"
    "[parallelism]\ntensor_parallel_degree = 2\npipeline_parallel_degree = 1\n";
// A command over three lines.
const char* const kSplit =
    "torchrun --nnodes=1 --nproc_per_node=8 pretrain_gpt.py \\\n  --tensor-model-parallel-size 6 --num-layers 24 --hidden-size 3072 \\\n"
    "  --num-attention-heads 24 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --train-iters 10 --lr 1e-4 --bf16 "
    "--mock-data --tokenizer-type NullTokenizer --vocab-size 32000\n";
const char* const kCluster = "[cluster]\nnodes = 1\ngpus_per_node = 8\n";

class Living : public InFolder {
 protected:
  void git(const std::string& arguments) const {
    const Ended ran = sh("git -c user.name=A -c user.email=a@example.com -c init.defaultBranch=main " + arguments);
    ASSERT_EQ(ran.exit, 0) << arguments << ran.err;
  }
};

TEST_F(Living, ChangedSinceChecksWhatReadsAChange) {
  if (!installed("git")) GTEST_SKIP() << "git is not installed";
  put("shardlint.toml", kCluster);
  put("old.toml", kBad);
  put("new.toml", kGood);
  put("job.sh", "#!/bin/bash\ntorchrun --nproc_per_node=8 -m torchtitan.train --job.config_file configs/run.toml\n");
  put("configs/run.toml", kGood);
  git("init -q . && git add . && git -c user.name=A -c user.email=a@example.com commit -qm one");
  EXPECT_EQ(shardlint("check").exit, 1);
  EXPECT_EQ(shardlint("check --changed-since HEAD").exit, 0);
  EXPECT_THAT(shardlint("check --changed-since HEAD").out, HasSubstr("Nothing that changed concerns a training run."));

  put("new.toml", kBad);
  Ended ran = shardlint("check --changed-since HEAD");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, HasSubstr("new.toml:10"));
  EXPECT_THAT(ran.out, Not(HasSubstr("old.toml:10")));

  // The script did not change, but what it starts did. And git need not know a file yet.
  put("new.toml", kGood);
  put("configs/run.toml", kBad);
  put("fresh.toml", kBad);
  ran = shardlint("check --changed-since HEAD");
  EXPECT_THAT(ran.out, HasSubstr("configs/run.toml:10"));
  EXPECT_THAT(ran.out, HasSubstr("fresh.toml:10"));
  EXPECT_THAT(ran.out, Not(HasSubstr("old.toml:10")));
  EXPECT_THAT(shardlint("check --changed-since HEAD --format json").out, HasSubstr("\"file\": \"job.sh\""));

  // Settings are read by all.
  git("add . && git -c user.name=A -c user.email=a@example.com commit -qm two");
  put("shardlint.toml", std::string(kCluster) + "[rules]\n");
  EXPECT_THAT(shardlint("check --changed-since HEAD").out, HasSubstr("old.toml:10"));
}

TEST_F(Living, ChangedSinceSaysWhatGitDoesNotKnow) {
  if (!installed("git")) GTEST_SKIP() << "git is not installed";
  Ended ran = sh("GIT_CEILING_DIRECTORIES=/ \"$SHARDLINT\" check --changed-since HEAD");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr("is in no repository that git opens"));
  git("init -q .");
  ran = shardlint("check --changed-since origin/main");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr("git knows no revision `origin/main`"));
  EXPECT_EQ(shardlint("check --changed-since --upload-pack=x").exit, 2);
}

// What the repository at hand would have git start is not started (SECURITY.md).
TEST_F(Living, ChangedSinceStartsNothingOfTheRepositorys) {
  if (!installed("git")) GTEST_SKIP() << "git is not installed";
  put("run.toml", kGood);
  git("init -q . && git add . && git -c user.name=A -c user.email=a@example.com commit -qm one");
  put("watcher", "#!/bin/sh\ntouch \"${0%/*}/started\"\n", true);
  git("config core.fsmonitor '" + path("watcher") + "' && git config diff.external '" + path("watcher") + "'");
  sh("git status");
  ASSERT_TRUE(there("started")) << "git itself starts it";
  std::filesystem::remove(path("started"));
  put("run.toml", std::string(kGood) + "# more\n");
  EXPECT_EQ(shardlint("check --changed-since HEAD").exit, 0);
  EXPECT_FALSE(there("started"));
}

TEST_F(Living, ConcerningTakesTheChangesFromTheCommandLine) {
  put("shardlint.toml",
      std::string(kCluster) +
          "[[run]]\nname = \"pretrain\"\nfiles = [\"base.toml\"]\noverrides = [\"parallelism.tensor_parallel_degree=3\"]\n");
  put("base.toml", kGood);
  put("notes.yaml", "{{ a template }\n");
  EXPECT_EQ(shardlint("check --concerning notes.yaml").exit, 0);
  const Ended ran = shardlint("check --concerning base.toml");
  EXPECT_EQ(ran.exit, 1) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("shardlint.toml:7"));
}

TEST_F(Living, NoFollowReadsTheNamedFileAlone) {
  put("job.sh",
      "#!/bin/bash\n#SBATCH --nodes=1 --gpus-per-node=8\nsource other.sh\ntorchrun --nproc_per_node=8 -m torchtitan.train "
      "--job.config_file run.toml\n");
  put("run.toml", kBad);
  EXPECT_EQ(shardlint("check job.sh").exit, 1);
  const Ended ran = shardlint("check job.sh --no-follow");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  const Ended piped = sh("\"$SHARDLINT\" check - --isolated --no-follow --stdin-filename job.sh < job.sh");
  EXPECT_EQ(piped.exit, 0) << piped.out;
  put("bad.sh",
      "#!/bin/bash\n#SBATCH --nodes=1 --gpus-per-node=4\n#SBATCH --ntasks-per-node=1\nsrun torchrun --nnodes=1 --nproc_per_node=8 train.py "
      "--bf16\n");
  EXPECT_EQ(sh("\"$SHARDLINT\" check - --isolated --no-follow --stdin-filename job.sh < bad.sh").exit, 1);
}

TEST_F(Living, IgnoresReachJoinedLinesInEverySyntax) {
  put("bare.sh", std::string("#!/bin/bash\n") + kSplit);
  EXPECT_EQ(shardlint("check bare.sh").exit, 1);
  put("above.sh", std::string("#!/bin/bash\n# shardlint: ignore[megatron] a drill\n") + kSplit);
  Ended ran = shardlint("check above.sh");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  std::string behind = kSplit;
  put("behind.sh", "#!/bin/bash\n" + behind.insert(behind.size() - 1, "  # shardlint: ignore[megatron] a drill"));
  ran = shardlint("check behind.sh");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  std::string inside =
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Worker:\n      replicas: 1\n      template:\n"
      "        spec:\n          containers:\n          - name: pytorch\n            resources: {limits: {nvidia.com/gpu: 8}}\n"
      "            command:\n            - bash\n            - -c\n            - |\n              # shardlint: ignore[megatron] a drill\n";
  std::istringstream lines(kSplit);
  for (std::string line; std::getline(lines, line);) inside += "              " + line + "\n";
  put("job.yaml", inside);
  ran = shardlint("check job.yaml");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("suppressed"));
}

TEST_F(Living, AddIgnoresWritesWhatSilences) {
  put("shardlint.toml", kCluster);
  put("run.toml", kBad);
  put("run.yaml", "a: 1\na: 2  # twice\n");
  put("run.json", "{\"a\": 1, \"a\": 2}\n");
  put("job.sh", std::string("#!/bin/bash\n") + kSplit);
  const std::string options = "check run.toml run.yaml run.json job.sh --fail-on warning";
  EXPECT_EQ(shardlint(options).exit, 1);
  const Ended shown = shardlint(options + " --add-ignores 'known since May' --diff");
  EXPECT_THAT(shown.out, HasSubstr("+pipeline_parallel_degree = 1  # shardlint: ignore["));
  EXPECT_EQ(get("run.toml"), kBad);
  const Ended ran = shardlint(options + " --add-ignores 'known since May'");
  EXPECT_THAT(ran.err, HasSubstr("run.json:1: no comment can stand here"));
  EXPECT_THAT(get("run.toml"), HasSubstr("] known since May\n"));
  EXPECT_THAT(get("job.sh"), HasSubstr("--vocab-size 32000  # shardlint: ignore[megatron/world-not-divisible-by-model] known since May\n"));
  EXPECT_EQ(get("run.json"), "{\"a\": 1, \"a\": 2}\n");
  const Ended again = shardlint("check run.toml run.yaml job.sh --fail-on warning");
  EXPECT_EQ(again.exit, 0) << again.out << again.err;
}

// A second line of a reason would be a line of the file.
TEST_F(Living, AReasonIsOneLine) {
  put("shardlint.toml", kCluster);
  put("run.toml", kBad);
  for (const char* reason : {"$'because\\nseed = 1'", "$'because\\rseed = 1'", "$'a\\tb'", "$'\\033[2J'"}) {
    const Ended ran = sh(std::string("bash -c \"\\\"$SHARDLINT\\\" check run.toml --add-ignores ") + reason + "\"");
    EXPECT_EQ(ran.exit, 2) << reason;
    EXPECT_THAT(ran.err, HasSubstr("--add-ignores: a reason is one line")) << reason;
    EXPECT_EQ(get("run.toml"), kBad) << reason;
  }
}

TEST_F(Living, AnIgnoreThatSilencesNothingIsReported) {
  put("shardlint.toml", kCluster);
  put("run.toml", std::string(kGood) + "# shardlint: ignore[batch] no longer needed\n");
  EXPECT_THAT(shardlint("check run.toml").out, HasSubstr("hygiene/unused-ignore"));
}

TEST_F(Living, OnlyWhatIsNotInTheBaselineFails) {
  put("shardlint.toml", std::string("baseline = \"known.toml\"\n") + kCluster);
  put("run.toml", kBad);
  put("other.toml", kBad);
  Ended ran = shardlint("check");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr("shardlint.toml:1: known.toml: no such file; `shardlint baseline` writes it"));

  ran = shardlint("baseline");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("2 findings in 2 files let stand by known.toml"));
  EXPECT_THAT(get("known.toml"), HasSubstr("[\"run.toml\"]\n\"torchtitan/model-parallel-does-not-divide-world\" = 1\n"));
  ran = shardlint("check");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("2 let stand by the baseline"));

  // A new finding fails, and what is mended is called stale.
  put("run.toml", kGood);
  put("third.toml", kBad);
  ran = shardlint("check");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, HasSubstr("third.toml:10"));
  EXPECT_THAT(ran.out, Not(HasSubstr("other.toml:10")));
  EXPECT_THAT(ran.err,
              HasSubstr("run.toml has no torchtitan/model-parallel-does-not-divide-world any more; `shardlint baseline` takes it out"));
  EXPECT_THAT(shardlint("check other.toml").err, Not(HasSubstr("run.toml"))) << "it was not looked at";

  // Only what is looked at is counted anew.
  EXPECT_EQ(shardlint("baseline run.toml third.toml").exit, 0);
  EXPECT_THAT(get("known.toml"), Not(HasSubstr("\"run.toml\"")));
  EXPECT_THAT(get("known.toml"), HasSubstr("[\"other.toml\"]"));
  EXPECT_EQ(shardlint("check").exit, 0);
  put("known.toml", "[\"run.toml\"]\n\"batch\" = \"many\"\n");
  EXPECT_EQ(shardlint("check").exit, 2);
}

TEST_F(Living, ConfigSaysWhoSetsWhat) {
  put("shardlint.toml",
      std::string("required-version = \">=0.1\"\n") + kCluster +
          "[rules]\nignore = [\"batch\"]\nseverity = {hygiene = \"warning\"}\n"
          "[[per-path]]\nfiles = [\"small/**\"]\nrules = {fail-on = \"never\", ignore = [\"moe\"]}\ncluster = {gpu = \"H100\"}\n");
  put("small/run.toml", kGood);
  const Ended ran = shardlint("config small/run.toml --nodes 2");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "small/run.toml: shardlint.toml\n"
            "  cluster.gpu             H100     shardlint.toml:11\n"
            "  cluster.gpus_per_node   8        shardlint.toml:4\n"
            "  cluster.nodes           2        --nodes\n"
            "  required-version        >=0.1    shardlint.toml:1\n"
            "  rules.fail-on           never    shardlint.toml:10\n"
            "  rules.ignore            batch    shardlint.toml:6\n"
            "  rules.ignore            moe      shardlint.toml:10\n"
            "  rules.preview           false    default\n"
            "  rules.severity.hygiene  warning  shardlint.toml:7\n");
  EXPECT_THAT(shardlint("config --isolated").out, HasSubstr("no shardlint.toml\n  rules.fail-on  error  default\n"));
  put("shardlint.toml", "required-version = \">=99\"\n");
  EXPECT_EQ(shardlint("config").exit, 2);
}

TEST_F(Living, InitWritesSettingsThatAreRead) {
  Ended ran = shardlint("init --nodes 2 --gpus-per-node=8 --gpu H100");
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err, "shardlint: wrote shardlint.toml\n");
  ran = shardlint("config");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("cluster.gpu            H100     shardlint.toml:7\n"));
  EXPECT_THAT(ran.out, HasSubstr("cluster.nodes          2        shardlint.toml:5\n"));
  const std::string written = get("shardlint.toml");
  ran = shardlint("init --nodes 4");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr("shardlint.toml: it is there already, and stays as it is"));
  EXPECT_EQ(get("shardlint.toml"), written);

  // Every line that is commented out is one that may be said.
  std::string all = written;
  for (std::size_t at = all.find("\n# "); at != std::string::npos; at = all.find("\n# ", at + 1)) all.erase(at + 1, 2);
  all.replace(all.find("\"base.yaml\", \"large.yaml\""), 25, "\"base.yaml\"");
  put("base.yaml", "");
  put("shardlint.toml", all);
  ran = shardlint("config");
  EXPECT_EQ(ran.exit, 0) << ran.err << all;
  EXPECT_THAT(ran.out, HasSubstr("run pretrain: base.yaml"));
  std::filesystem::remove(folder_ / "shardlint.toml");
  EXPECT_EQ(shardlint("init").exit, 0);
  EXPECT_EQ(shardlint("config").exit, 0);
}

TEST_F(Living, RulesThatAreNewAreJudgedOnDemand) {
  put("job.sh",
      "#!/bin/bash\n#SBATCH --job-name=dense-2n8g\n#SBATCH --nodes=4 --gpus-per-node=8 --ntasks-per-node=8\nsrun python pretrain_gpt.py "
      "--micro-batch-size 1 --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 --lr "
      "1e-4 --train-iters 10\n");
  const std::string rule = "launch/name-states-other-counts";
  EXPECT_THAT(shardlint("check job.sh --advice").out, Not(HasSubstr(rule)));
  EXPECT_THAT(shardlint("check job.sh --advice --preview").out, HasSubstr(rule));
  EXPECT_EQ(shardlint("check job.sh --severity " + rule + "=error").exit, 0);
  EXPECT_EQ(shardlint("check job.sh --preview --severity " + rule + "=error").exit, 1);
  EXPECT_THAT(shardlint("rules").out, testing::ContainsRegex(rule + " .*\\(preview\\)\n"));
  EXPECT_THAT(shardlint("explain " + rule).out, HasSubstr("judged with `preview = true` or `--preview` alone"));
}

TEST_F(Living, QuietSaysNothingOfACleanRun) {
  put("run.toml", kGood);
  EXPECT_EQ(shardlint("check run.toml --nodes 1 --gpus-per-node 8 --quiet").out, "");
  put("run.toml", kBad);
  EXPECT_THAT(shardlint("check run.toml --nodes 1 --gpus-per-node 8 --quiet").out, HasSubstr("error:"));
}

}  // namespace
}  // namespace shardlint
