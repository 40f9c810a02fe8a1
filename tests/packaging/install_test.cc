// What is installed: the program, its manual page and completions, Debian packages, the static program, the npm package.
#include <gmock/gmock.h>

#include "checker/cli/options.h"
#include "tests/program.h"

namespace shardlint {
namespace {

using testing::HasSubstr;

class Install : public InFolder {};

TEST_F(Install, PutsTheProgramItsPageAndItsCompletions) {
  const Ended installed = sh("cmake --install '" SHARDLINT_BUILD "' --component shardlint --prefix \"$PWD/usr\"");
  ASSERT_EQ(installed.exit, 0) << installed.err;
  EXPECT_THAT(sh("cd / && env -i \"$OLDPWD/usr/bin/shardlint\" version").out, HasSubstr("shardlint "));
  for (const char* file :
       {"usr/share/man/man1/shardlint.1", "usr/share/bash-completion/completions/shardlint", "usr/share/zsh/site-functions/_shardlint",
        "usr/share/fish/vendor_completions.d/shardlint.fish", "usr/share/shardlint/slurm/job_submit.lua"})
    EXPECT_TRUE(there(file)) << file;
  EXPECT_FALSE(there("usr/bin/shardlint-cxx")) << "a package of its own";
}

TEST_F(Install, MakesDebianPackages) {
  if (!installed("dpkg-deb") || !installed("dpkg-shlibdeps")) GTEST_SKIP() << "dpkg-dev is not installed";
  const Ended packed = sh("cpack --config '" SHARDLINT_BUILD "/CPackConfig.cmake' -G DEB -B \"$PWD/packages\"");
  ASSERT_EQ(packed.exit, 0) << packed.out << packed.err;
  const std::string name = "packages/shardlint_" SHARDLINT_VERSION "_amd64.deb";
  ASSERT_TRUE(there(name)) << sh("ls packages").out;
  const Ended content = sh("dpkg-deb -c " + name);
  EXPECT_THAT(content.out, HasSubstr("./usr/bin/shardlint\n"));
  EXPECT_THAT(content.out, HasSubstr("./usr/share/man/man1/shardlint.1"));
  EXPECT_THAT(sh("dpkg-deb -f " + name + " Depends").out, HasSubstr("libyaml-0-2"));
  EXPECT_EQ(sh("dpkg-deb -x " + name + " out && out/usr/bin/shardlint version").exit, 0);
  if (const std::string cxx = "packages/shardlint-cxx_" SHARDLINT_VERSION "_amd64.deb"; there(cxx)) {
    EXPECT_THAT(sh("dpkg-deb -c " + cxx).out, HasSubstr("./usr/bin/shardlint-cxx\n"));
    EXPECT_THAT(sh("dpkg-deb -f " + cxx + " Depends").out, HasSubstr("shardlint (= " SHARDLINT_VERSION ")"));
  }
}

TEST_F(Install, TheStaticProgramNeedsNothing) {
  if (!std::filesystem::exists(SHARDLINT_BUILD "/shardlint-static")) GTEST_SKIP() << "the sanitizers have no static library";
  std::filesystem::copy_file(SHARDLINT_BUILD "/shardlint-static", folder_ / "shardlint");
  put("run.toml",
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = "
      "10\n\n[parallelism]\ntensor_parallel_degree = 3\n");
  EXPECT_NE(sh("ldd shardlint").exit, 0) << "no shared library";
  const Ended ran = ::geteuid() == 0 ? sh("chroot . /shardlint check /run.toml --nodes 1 --gpus-per-node 8")
                                     : sh("env -i ./shardlint check run.toml --nodes 1 --gpus-per-node 8");
  EXPECT_EQ(ran.exit, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("8 GPUs cannot be dealt to replicas of 3"));
}

TEST_F(Install, NpmCarriesTheProgram) {
  if (!std::filesystem::exists(SHARDLINT_BUILD "/npm/bin/shardlint") || !installed("npm"))
    GTEST_SKIP() << "npm is not installed, or the sanitizers are on";
  const Ended packed =
      sh("export HOME=\"$PWD\" npm_config_update_notifier=false npm_config_offline=true\nnpm pack --silent '" SHARDLINT_BUILD
         "/npm' && mkdir project && cd project && npm install --silent --no-audit --no-fund ../shardlint-" SHARDLINT_VERSION
         ".tgz && npx --no-install shardlint version");
  EXPECT_EQ(packed.exit, 0) << packed.err;
  EXPECT_THAT(packed.out, HasSubstr("shardlint " SHARDLINT_VERSION));
}

TEST_F(Install, TheManualPageHasEveryOption) {
  const Ended page = shardlint("manual");
  for (const CommandHelp& command : command_table()) {
    EXPECT_THAT(page.out, HasSubstr(fmt::format(".SS {}", command.name)));
    for (const OptionHelp& option : command.options) {
      std::string name(option.name);
      for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) name.replace(at, 1, "\\-");
      EXPECT_THAT(page.out, HasSubstr("\\fB" + name + "\\fR"));
    }
  }
  if (!installed("groff")) GTEST_SKIP() << "groff is not installed";
  put("shardlint.1", page.out);
  const Ended set = sh("groff -ww -man -Tutf8 -P-cbou shardlint.1");
  EXPECT_EQ(set.exit, 0);
  EXPECT_EQ(set.err, "") << "groff has nothing to warn of";
  EXPECT_THAT(set.out, HasSubstr("EXIT STATUS"));
}

class Completions : public InFolder {};

TEST_F(Completions, BashOffersCommandsOptionsAndChoices) {
  EXPECT_EQ(sh("\"$SHARDLINT\" completions bash > c.bash; bash -n c.bash").exit, 0);
  const auto offer = [&](const std::string& words, const std::string& typed) {
    put("try.bash", ". ./c.bash\nCOMP_WORDS=(" + words + " '" + typed +
                        "')\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_shardlint\nprintf '%s ' \"${COMPREPLY[@]}\"\n");
    return sh("bash try.bash").out;
  };
  EXPECT_EQ(offer("shardlint", "che"), "check ");
  EXPECT_EQ(offer("shardlint check", "--nv"), "--nvlink-domain ");
  EXPECT_EQ(offer("shardlint check --format", "s"), "sarif ");
  EXPECT_EQ(offer("shardlint plan --format", "h"), "html ");
  EXPECT_EQ(offer("shardlint completions", "f"), "fish ");
  put("job.yaml", "");
  EXPECT_EQ(offer("shardlint check", "jo"), "job.yaml ");
}

TEST_F(Completions, ZshAndFishReadTheirs) {
  EXPECT_EQ(shardlint("completions zsh > _shardlint").exit, 0);
  EXPECT_EQ(shardlint("completions fish > shardlint.fish").exit, 0);
  for (const CommandHelp& command : command_table())
    for (const OptionHelp& option : command.options) {
      EXPECT_THAT(get("_shardlint"), HasSubstr(fmt::format("'{}[", option.name)));
      EXPECT_THAT(get("shardlint.fish"), HasSubstr(fmt::format("-l {} ", option.name.substr(2))));
    }
  EXPECT_EQ(shardlint("completions tcsh").exit, 2);
  if (installed("zsh")) {
    const Ended zsh = sh("zsh -n _shardlint");
    EXPECT_EQ(zsh.exit, 0) << zsh.err;
  }
  if (installed("fish")) {
    const Ended fish = sh("HOME=\"$PWD\" fish -c 'source shardlint.fish; complete -C \"shardlint check --nvl\"'");
    EXPECT_THAT(fish.out, HasSubstr("--nvlink-domain"));
  }
}

}  // namespace
}  // namespace shardlint
