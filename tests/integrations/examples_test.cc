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

TEST_F(Examples, TheActionsStepsAnnotateAndWriteSarif) {
  if (!yaml()) GTEST_SKIP() << "python3-yaml is not installed";
  put("job/run.toml",
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = "
      "10\n\n[parallelism]\ntensor_parallel_degree = 3\n");
  std::filesystem::create_directories(folder_ / "bin");
  std::filesystem::create_symlink(SHARDLINT_BINARY, folder_ / "bin/shardlint");
  const std::string run = "PATH=\"$PWD/bin:$PATH\" python3 '" SHARDLINT_ROOT "/tests/integrations/run_action.py' '" SHARDLINT_ROOT "' ";
  const std::string cluster = "arguments='--nodes=1\n--gpus-per-node=8' ";
  Ended ran = sh(run + cluster + "sarif=out/shardlint.sarif");
  EXPECT_EQ(ran.exit, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("::error file=job/run.toml,line=10,"));
  EXPECT_THAT(get("out/shardlint.sarif"), HasSubstr("\"uri\": \"job/run.toml\""));
  EXPECT_THAT(ran.out, testing::ContainsRegex("key shardlint-Linux-X64-[0-9a-f]+\\]"));
  ran = sh(run + cluster + "paths='job/run.toml\njob' annotations=false");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, HasSubstr("1 error"));
  EXPECT_THAT(ran.out, Not(HasSubstr("::error")));
  EXPECT_EQ(sh(run + "changed-since=no-such-revision").exit, 2);
  EXPECT_NE(sh(run + "path=job").exit, 0) << "no such input";
  std::string good = get("job/run.toml");
  put("job/run.toml", good.replace(good.find("degree = 3"), 10, "degree = 4"));
  ran = sh(run + cluster + "sarif=out/shardlint.sarif");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("[output sarif: out/shardlint.sarif]"));
}

// Where the project is to be had is written once, in CMakeLists.txt; what people copy says the same, and the same version.
TEST_F(Examples, NameTheProjectAndItsVersion) {
  const std::string build = read_whole(SHARDLINT_ROOT "/CMakeLists.txt"), mark = "HOMEPAGE_URL https://github.com/";
  const std::size_t begin = build.find(mark) + mark.size();
  const std::string name = build.substr(begin, build.find(' ', begin) - begin), readme = read_whole(SHARDLINT_ROOT "/README.md");
  EXPECT_THAT(example("github/workflow.yml"), HasSubstr(fmt::format("uses: {}@v" SHARDLINT_VERSION "\n", name)));
  EXPECT_THAT(readme, HasSubstr(fmt::format("repo: https://github.com/{} ", name)));
  EXPECT_THAT(readme, HasSubstr("rev: v" SHARDLINT_VERSION "\n"));
  for (const char* file : {"editors/vscode/package.json", "editors/zed/extension.toml"})
    EXPECT_THAT(example(file), HasSubstr(fmt::format("\"https://github.com/{}\"", name))) << file;
  for (const char* file : {"gitlab/shardlint.gitlab-ci.yml", "kubernetes/argo-workflow.yaml"})
    EXPECT_THAT(example(file), HasSubstr("/shardlint:" SHARDLINT_VERSION "\n")) << file;
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
  if (installed("git")) {
    // A merge request: what changed since it left its target is checked alone.
    const std::string git = "git -c user.name=A -c user.email=a@example.com ";
    ASSERT_EQ(sh("git init -q . && git add run.toml && " + git + "commit -qm one").exit, 0);
    const Ended merge = sh("PATH=\"$PWD/bin:$PATH\" CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD)\n" + script.out);
    EXPECT_EQ(merge.exit, 0) << merge.err;
    EXPECT_THAT(merge.out, HasSubstr("Nothing that changed concerns a training run."));
  }
  for (const char* file : {"gl-code-quality-report.json", "shardlint-junit.xml"}) EXPECT_TRUE(there(file)) << file;
}

// No engine runs it here; what it names is there, and what it builds is what the hook builds.
TEST_F(Examples, TheImageIsMadeOfWhatThereIs) {
  std::istringstream lines(read_whole(SHARDLINT_ROOT "/Dockerfile"));
  const std::string hook = "integrations/pre-commit/shardlint", script = read_whole(SHARDLINT_ROOT "/" + hook);
  const std::size_t begin = script.find("built=$root/") + 12;
  const std::string built = script.substr(begin, script.find('\n', begin) - begin);
  int seen = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("COPY --from=build ")) {
      EXPECT_EQ(line, fmt::format("COPY --from=build /src/{} /usr/bin/shardlint", built));
      ++seen;
    } else if (line.starts_with("COPY packaging/")) {
      EXPECT_TRUE(std::filesystem::exists(SHARDLINT_ROOT "/" + line.substr(5, line.rfind(' ') - 5)));
      ++seen;
    } else if (line.starts_with("RUN /src/")) {
      EXPECT_EQ(line, fmt::format("RUN /src/{} version", hook));
      ++seen;
    }
  }
  EXPECT_EQ(seen, 3);
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
