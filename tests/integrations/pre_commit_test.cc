// The hooks in a real pre-commit, and the program's own way to a shardlint of the right version.
#include <chrono>

#include <gmock/gmock.h>

#include "tests/program.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kBad =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = 10\n\n"
    "[parallelism]\ntensor_parallel_degree = 3\n";

class PreCommit : public InFolder {
 protected:
  void SetUp() override {
    // The hooks' repository as pre-commit sees it, without what it does not look at.
    for (const char* name :
         {".pre-commit-hooks.yaml", "CMakeLists.txt", "integrations/pre-commit/shardlint", "packaging/build-packages.txt"}) {
      std::filesystem::create_directories((folder_ / "hooks" / name).parent_path());
      std::filesystem::copy_file(std::filesystem::path(SHARDLINT_ROOT) / name, folder_ / "hooks" / name);
    }
    std::filesystem::create_directories(folder_ / "bin");
    std::filesystem::create_directories(folder_ / "work");
  }
  // From inside the repository that is worked on, with the program under test in PATH.
  Ended work(const std::string& line) const {
    return sh(
        "export HOME=\"$PWD\" PRE_COMMIT_HOME=\"$PWD/cache\" PATH=\"$PWD/bin:$PATH\" GIT_CONFIG_NOSYSTEM=1\n"
        "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com\n"
        "unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE\ncd work\n" +
        line);
  }
};

TEST_F(PreCommit, StopsTheCommitAndMendsWhatIsSafe) {
  if (!installed("pre-commit") || !installed("git")) GTEST_SKIP() << "pre-commit or git is not installed";
  std::filesystem::create_symlink(SHARDLINT_BINARY, folder_ / "bin/shardlint");
  ASSERT_EQ(work("cd ../hooks && git init -q . && git add . && git commit -qm hooks && git tag v1").exit, 0);
  put("work/shardlint.toml", "[cluster]\nnodes = 1\ngpus_per_node = 8\n");
  put("work/run.toml", kBad);
  put("work/values.yaml", "replicas: {{ .Values.replicas }}\n");
  put("work/.pre-commit-config.yaml", "repos:\n- repo: ../hooks\n  rev: v1\n  hooks:\n  - id: shardlint\n");
  ASSERT_EQ(work("git init -q . && git add .").exit, 0);

  Ended ran = work("pre-commit try-repo ../hooks shardlint --all-files");
  EXPECT_EQ(ran.exit, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("8 GPUs cannot be dealt to replicas of 3"));
  EXPECT_THAT(ran.out, Not(HasSubstr("values.yaml"))) << "a template is nobody's configuration";

  ASSERT_EQ(work("pre-commit install").exit, 0);
  ran = work("git commit -qm bad");
  EXPECT_NE(ran.exit, 0);
  EXPECT_THAT(ran.out + ran.err, HasSubstr("8 GPUs cannot be dealt to replicas of 3"));
  EXPECT_NE(work("git rev-parse HEAD").exit, 0) << "nothing was committed";

  std::string good = kBad;
  put("work/run.toml", good.replace(good.find("degree = 3"), 10, "degree = 4"));
  const auto start = std::chrono::steady_clock::now();
  ran = work("git add . && git commit -qm good");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));

  // The fix hook changes the file, which stops the commit once; then nothing is left to mend.
  std::string quoted = kBad;
  put("work/run.toml", quoted.replace(quoted.find("degree = 3"), 10, "degree = \"4\""));
  ran = work("git add . && git commit -qm quoted");
  EXPECT_NE(ran.exit, 0) << "text is no number";
  ran = work("pre-commit try-repo ../hooks shardlint-fix --all-files");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, HasSubstr("files were modified by this hook"));
  EXPECT_THAT(get("work/run.toml"), HasSubstr("tensor_parallel_degree = 4\n"));
  ran = work("git add . && pre-commit try-repo ../hooks shardlint-fix --all-files");
  EXPECT_EQ(ran.exit, 0) << ran.out;

  ran = work("git add . && pre-commit try-repo ../hooks shardlint-system --all-files");
  EXPECT_EQ(ran.exit, 0) << ran.out;
}

TEST_F(PreCommit, TakesTheReadmesConfiguration) {
  if (!installed("pre-commit")) GTEST_SKIP() << "pre-commit is not installed";
  const std::string readme = read_whole(SHARDLINT_ROOT "/README.md"), mark = "```yaml\n# .pre-commit-config.yaml\n";
  const std::size_t begin = readme.find(mark) + mark.size();
  put("work/.pre-commit-config.yaml", readme.substr(begin, readme.find("```", begin) - begin));
  const Ended ran = work("pre-commit validate-config");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  for (const char* hook : {"shardlint", "shardlint-fix", "shardlint-system"}) {
    EXPECT_THAT(readme, HasSubstr(hook));
    EXPECT_THAT(get("hooks/.pre-commit-hooks.yaml"), HasSubstr(fmt::format("id: {}\n", hook)));
  }
}

// What the script needs to run at all, and nothing that could build.
class HookScript : public PreCommit {
 protected:
  void SetUp() override {
    PreCommit::SetUp();
    for (const char* tool : {"bash", "dirname", "readlink", "sed", "mkdir", "nproc", "tail", "flock", "cat", "env", "chmod"})
      sh(fmt::format("ln -s \"$(command -v {0})\" bin/{0}", tool));
  }
  Ended hook(const std::string& arguments) const { return sh("PATH=\"$PWD/bin\" ./hooks/integrations/pre-commit/shardlint " + arguments); }
};

TEST_F(HookScript, NamesThePackagesThatItMisses) {
  const Ended ran = hook("check .");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("apt-get install --no-install-recommends g++ cmake ninja-build pkg-config libyaml-dev"));
}

TEST_F(HookScript, TakesTheRightVersionFromPathAndNoOther) {
  put("bin/shardlint", "#!/bin/bash\n[[ $1 == version ]] && echo shardlint 99.1.0 || echo \"the wrong one\"\n", true);
  EXPECT_EQ(hook("check .").exit, 2);
  EXPECT_THAT(hook("check .").out, Not(HasSubstr("the wrong one")));
  std::filesystem::remove(folder_ / "bin/shardlint");
  std::filesystem::create_symlink(SHARDLINT_BINARY, folder_ / "bin/shardlint");
  EXPECT_THAT(hook("version").out, HasSubstr("shardlint "));
}

TEST_F(HookScript, BuildsOnce) {
  if (!std::filesystem::exists("/usr/lib/llvm-19/lib/cmake/llvm/LLVMConfig.cmake")) GTEST_SKIP() << "llvm-19-dev is not installed";
  for (const char* tool : {"g++", "ninja", "pkg-config"}) put(std::string("bin/") + tool, "#!/bin/bash\nexit 0\n", true);
  // A build that notes how it was asked for.
  put("bin/cmake",
      "#!/bin/bash\necho \"$*\" >> '" + path("asked") + "'\n[[ $1 == --build ]] || exit 0\n" +
          "printf '#!/bin/bash\\n[[ $1 == version ]] && echo shardlint " SHARDLINT_VERSION
          " || echo checked $*\\n' > \"$2/shardlint-static\"\n"
          "chmod +x \"$2/shardlint-static\"\n",
      true);
  Ended ran = hook("check a.toml");
  EXPECT_EQ(ran.out, "checked check a.toml\n") << ran.err;
  EXPECT_THAT(get("asked"), HasSubstr("-DSHARDLINT_CXX=OFF -DSHARDLINT_TESTS=OFF"));
  EXPECT_THAT(ran.err, HasSubstr("once"));
  ran = hook("check b.toml");
  EXPECT_EQ(ran.out, "checked check b.toml\n");
  EXPECT_EQ(ran.err, "");
  const std::string asked = get("asked");
  EXPECT_EQ(std::count(asked.begin(), asked.end(), '\n'), 2) << "configured and built, once";
  put("bin/cmake", "#!/bin/bash\necho 'no such compiler' >&2\nexit 1\n", true);
  std::filesystem::remove_all(folder_ / "hooks/build");
  ran = hook("check b.toml");
  EXPECT_EQ(ran.exit, 3);
  EXPECT_THAT(ran.err, HasSubstr("no such compiler"));
}

}  // namespace
}  // namespace shardlint
