// The examples of integrations/ do what they say.
#include <sstream>

#include <gmock/gmock.h>

#include "tests/program.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

class Examples : public InFolder {
 protected:
  static std::string example(const std::string& name) { return read_whole(std::filesystem::path(SHARDLINT_ROOT) / "integrations" / name); }
  bool yaml() const { return sh("python3 -c 'import yaml'").exit == 0; }
};

TEST_F(Examples, KubernetesStepChecksAManifestFromStandardInput) {
  std::string manifest = example("kubernetes/kueue-pytorchjob.yaml");
  put("job.yaml", manifest);
  Ended ran = sh("\"$SHARDLINT\" check - --stdin-filename job.yaml < job.yaml");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("16 GPUs = TP 8 x PP 1 x CP 1 x DP 2"));
  put("job.yaml", manifest.replace(manifest.find("size 8"), 6, "size 6"));
  ran = sh("\"$SHARDLINT\" check - --stdin-filename job.yaml < job.yaml");
  EXPECT_EQ(ran.exit, 1);

  // The workflow's own step, on the same manifest.
  if (!yaml()) GTEST_SKIP() << "python3-yaml is not installed";
  put("workflow.yaml", example("kubernetes/argo-workflow.yaml"));
  const Ended step =
      sh("python3 -c 'import yaml\nw = yaml.safe_load(open(\"workflow.yaml\"))\n"
         "print([t for t in w[\"spec\"][\"templates\"] if t[\"name\"] == \"check\"][0][\"container\"][\"args\"][0])'");
  std::string command = step.out.substr(0, step.out.find('\n'));
  ASSERT_THAT(command, HasSubstr("/work/job.yaml"));
  command.replace(command.find("/work/job.yaml"), 14, "job.yaml");
  std::filesystem::create_directories(folder_ / "bin");
  std::filesystem::create_symlink(SHARDLINT_BINARY, folder_ / "bin/shardlint");
  EXPECT_EQ(sh("PATH=\"$PWD/bin:$PATH\"\n" + command).exit, 1);
}

TEST_F(Examples, TheActionAnnotatesAndWritesSarif) {
  put("run.toml",
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = "
      "10\n\n[parallelism]\ntensor_parallel_degree = 3\n");
  std::filesystem::create_directories(folder_ / "bin");
  std::filesystem::create_symlink(SHARDLINT_BINARY, folder_ / "bin/shardlint");
  const std::string set = "export PATH=\"$PWD/bin:$PATH\" GITHUB_OUTPUT=\"$PWD/outputs\" GITHUB_WORKSPACE=\"$PWD\"\n";
  const std::string check = "'" SHARDLINT_ROOT "/integrations/github/check'";
  Ended ran = sh(set + "INPUT_ARGUMENTS='--nodes=1\n--gpus-per-node=8' INPUT_SARIF=out/shardlint.sarif " + check);
  EXPECT_EQ(ran.exit, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("::error file=run.toml,line=10,"));
  EXPECT_THAT(get("out/shardlint.sarif"), HasSubstr("\"ruleId\""));
  EXPECT_EQ(get("outputs"), "sarif=out/shardlint.sarif\n");
  ran = sh(set + "INPUT_PATHS=run.toml INPUT_ANNOTATIONS=false " + check);
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, Not(HasSubstr("::error")));
  EXPECT_EQ(sh(set + "INPUT_CHANGED_SINCE=no-such-revision " + check).exit, 2);

  // Every input is one that the script reads, and steps run what is there.
  if (!yaml()) GTEST_SKIP() << "python3-yaml is not installed";
  const Ended action = sh("python3 -c 'import yaml\na = yaml.safe_load(open(\"" SHARDLINT_ROOT
                          "/action.yml\"))\nfor s in a[\"runs\"][\"steps\"]:\n  for k in s.get(\"env\", {}): print(k)\n"
                          "for k in a[\"inputs\"]: print(\"input\", k)'");
  EXPECT_EQ(action.exit, 0) << action.err;
  const std::string script = read_whole(SHARDLINT_ROOT "/integrations/github/check");
  std::istringstream lines(action.out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("INPUT_")) {
      EXPECT_THAT(script, HasSubstr(line)) << line;
    }
}

TEST_F(Examples, GitLabAndJenkinsWriteWhatTheyCollect) {
  put("run.toml",
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = "
      "10\n\n[parallelism]\ntensor_parallel_degree = 2\n");
  std::filesystem::create_directories(folder_ / "bin");
  std::filesystem::create_symlink(SHARDLINT_BINARY, folder_ / "bin/shardlint");
  const std::string jenkins = example("jenkins/Jenkinsfile");
  const std::size_t begin = jenkins.find("sh '") + 4, end = jenkins.find('\'', begin);
  EXPECT_EQ(sh("PATH=\"$PWD/bin:$PATH\"\n" + jenkins.substr(begin, end - begin)).exit, 0);
  for (const char* file : {"shardlint-junit.xml", "shardlint-checkstyle.xml"}) {
    EXPECT_THAT(jenkins, HasSubstr(fmt::format("'{}'", file)));
    EXPECT_TRUE(there(file)) << file;
  }
  if (!yaml()) GTEST_SKIP() << "python3-yaml is not installed";
  put("gitlab.yml", example("gitlab/shardlint.gitlab-ci.yml"));
  const Ended script = sh("python3 -c 'import yaml\njob = yaml.safe_load(open(\"gitlab.yml\"))[\"shardlint\"]\nprint(job[\"script\"][0])'");
  EXPECT_EQ(sh("PATH=\"$PWD/bin:$PATH\"\n" + script.out).exit, 0) << script.out;
  for (const char* file : {"gl-code-quality-report.json", "shardlint-junit.xml"}) EXPECT_TRUE(there(file)) << file;
}

TEST_F(Examples, TheSitesExampleIsOneThatIsRead) {
  put("job.sh",
      "#!/bin/bash\n#SBATCH --nodes=2 --gpus-per-node=8 --ntasks-per-node=1\nsrun torchrun --nnodes=2 --rdzv-backend=c10d "
      "--rdzv-endpoint=head:29500 --nproc_per_node=8 pretrain_gpt.py "
      "--tensor-model-parallel-size 8 --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 "
      "--max-position-embeddings 2048 --micro-batch-size 1 --train-iters 10 --lr 1e-4 --bf16 --mock-data\n");
  const std::string check = "check job.sh --format json --site '" SHARDLINT_ROOT "/integrations/slurm/site.toml'";
  const Ended ran = shardlint(check);
  EXPECT_NE(ran.exit, 2) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"gpu\": \"H100\"")) << "the default partition";
  EXPECT_THAT(shardlint(check + " --sbatch partition=mixed").out, HasSubstr("\"gpu\": null"));
  EXPECT_THAT(shardlint(check + " --sbatch partition=mixed --sbatch gres=gpu:a100:4").out, HasSubstr("\"gpu\": \"A100\""));
}

}  // namespace
}  // namespace shardlint
