// The world at its worst: files that are not what they seem, change or vanish while they are read, outputs that nobody takes.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/robust/program.h"

namespace shardlint::test {
namespace {

namespace fs = std::filesystem;

using namespace std::string_literals;

const Limits kSmall{.seconds = 2, .mebibytes = 64};

// ---- what looks like a file

TEST(RobustWorld, LinksInCircles) {
  Folder folder;
  fs::create_symlink("b.toml", folder / "a.toml");
  fs::create_symlink("a.toml", folder / "b.toml");
  fs::create_symlink(".", folder / "here");
  fs::create_symlink("..", folder / "above");
  folder.write("good.toml", kToml);
  const Ended whole = run(folder, {"check"}, kSmall);
  EXPECT_EQ(whole.how(), "exit 0") << whole.err << whole.out;
  EXPECT_EQ(whole.out.substr(0, 9), "good.toml") << whole.out;
  const Ended named = run(folder, {"check", "a.toml"}, kSmall);
  EXPECT_EQ(named.how(), "exit 2");
  EXPECT_NE(named.err.find("a.toml: "), std::string::npos) << named.err;
}

TEST(RobustWorld, FoldersNamedLikeFiles) {
  Folder folder;
  folder.write("a.toml/b.yaml/c.toml", kToml);
  fs::create_directories(folder / "shardlint.toml");
  fs::create_directories(folder / "d.sh");
  const Ended whole = run(folder, {"check"}, kSmall);
  EXPECT_EQ(whole.how(), "exit 0") << whole.err << whole.out;
  EXPECT_NE(whole.out.find("a.toml/b.yaml/c.toml"), std::string::npos) << whole.out;
  const Ended named = run(folder, {"check", "a.toml"}, kSmall);
  EXPECT_EQ(named.how(), "exit 0") << named.err;
}

TEST(RobustWorld, PipesAndDevicesAreNotRead) {
  Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe.yaml").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder / "zero.yaml");
  folder.write("good.toml", kToml);
  EXPECT_EQ(run(folder, {"check"}, kSmall).how(), "exit 0");
  for (const char* name : {"pipe.yaml", "zero.yaml"}) {
    const Ended named = run(folder, {"check", name}, kSmall);
    EXPECT_EQ(named.how(), "exit 2") << name;
    EXPECT_NE(named.err.find("this is no regular file"), std::string::npos) << named.err;
  }
}

// What a file names is read where it lies in the workspace: by its name, and by what its name leads to.
TEST(RobustWorld, LinksOutOfTheWorkspaceAreNotFollowed) {
  Folder outside, folder;
  outside.write("secret.yaml", "trainer: {total_epochs: not-your-business}\ndata: {train_batch_size: not-your-business}\n");
  fs::create_directories(folder / ".git");
  fs::create_symlink(outside.path() + "/secret.yaml", folder / "linked.yaml");
  fs::create_directory_symlink(outside.path(), folder / "away");
  folder.write("inside/base.yaml", "data: {train_batch_size: 8}\n");
  fs::create_symlink("inside/base.yaml", folder / "alias.yaml");
  const std::string rest = "actor_rollout_ref: {actor: {strategy: fsdp}}\ntrainer: {nnodes: 1, n_gpus_per_node: 8}\n";
  for (const std::string& named : {"linked"s, "away/secret"s, "../" + fs::path(outside.path()).filename().string() + "/secret"}) {
    folder.write("job.yaml", "defaults: [" + named + ", _self_]\n" + rest);
    for (const char* command : {"check", "plan"}) {
      const Ended ended = run(folder, {command, "--framework", "verl", "job.yaml"}, kSmall);
      EXPECT_EQ((ended.out + ended.err).find("not-your-business"), std::string::npos) << named << "\n" << ended.out << ended.err;
    }
    folder.write("run.sh", "source " + named + ".yaml\ntorchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8\n");
    const Ended ended = run(folder, {"check", "run.sh"}, kSmall);
    EXPECT_EQ((ended.out + ended.err).find("not-your-business"), std::string::npos) << named << "\n" << ended.out << ended.err;
  }
  // A link that stays inside is as good as what it leads to.
  folder.write("job.yaml", "defaults: [alias, _self_]\n" + rest);
  EXPECT_NE(run(folder, {"plan", "--framework", "verl", "job.yaml"}, kSmall).out.find("alias.yaml"), std::string::npos);
}

TEST(RobustWorld, InputWithoutEndIsRefused) {
  Folder folder;
  Limits limits{.seconds = 2, .mebibytes = 256};
  limits.input = "/dev/zero";
  const Ended ended = run(folder, {"check", "-", "--stdin-filename", "a.yaml"}, limits);
  EXPECT_EQ(ended.how(), "exit 2") << ended.out;
  EXPECT_EQ(ended.err, "shardlint: standard input: larger than 64 MiB\n");
}

TEST(RobustWorld, WhatMayNotBeReadIsSaid) {
  Folder folder;
  fs::permissions(folder.path(), fs::perms::all);
  Limits nobody = kSmall;
  nobody.nobody = true;
  folder.write("good.toml", kToml);
  if (run(folder, {"check"}, nobody).code != 0) GTEST_SKIP() << "the program cannot be started without root's rights here";
  folder.write("closed.toml", kToml);
  fs::permissions(folder / "closed.toml", fs::perms::none);
  fs::create_directories(folder / "shut");
  fs::permissions(folder / "shut", fs::perms::none);
  const Ended ended = run(folder, {"check"}, nobody);
  EXPECT_EQ(ended.how(), "exit 2") << ended.out;
  EXPECT_NE(ended.err.find("closed.toml: permission denied"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("shut: permission denied"), std::string::npos) << ended.err;
  EXPECT_EQ(run(folder, {"check", "shut/x.toml"}, nobody).how(), "exit 2");
  fs::permissions(folder / "shut", fs::perms::all);
}

TEST(RobustWorld, TenThousandFilesAtSixtyFourOpenOnes) {
  Folder folder;
  for (int i = 0; i < 10'000; ++i) folder.write(fmt::format("d{}/{}.toml", i % 100, i), kToml);
  const Ended ended = run(folder, {"check"}, {.seconds = 20, .mebibytes = 256, .open_files = 64});
  EXPECT_EQ(ended.how(), "exit 0") << ended.err.substr(0, 500);
  EXPECT_NE(ended.out.find("10,000 "), std::string::npos) << ended.out.substr(0, 500);
}

// ---- while others write

// What a check may say of a folder that changes under its eyes: anything that is true of some moment, and no fault.
TEST(RobustWorld, FilesThatChangeAndVanish) {
  Folder folder;
  for (int i = 0; i < 40; ++i) folder.write(fmt::format("{}.toml", i), kToml);
  std::atomic<bool> done = false;
  std::thread other([&] {
    for (int round = 0; !done; ++round) {
      const std::string name = fmt::format("{}.toml", round % 40);
      std::error_code ignored;
      switch (round % 4) {
        case 0: fs::remove(folder / name, ignored); break;
        case 1: folder.write(name, kToml + "[x]\n"); break;
        case 2: folder.write(name, kToml.substr(0, 40)); break;
        default: fs::resize_file(folder / name, 10, ignored); break;
      }
    }
  });
  for (int round = 0; round < 30; ++round) {
    const Ended ended = run(folder, {"check", round % 2 ? "--fix" : "--diff"}, {.seconds = 4, .mebibytes = 256});
    EXPECT_TRUE(ended.code >= 0 && ended.code <= 2) << ended.how() << ended.err;
    EXPECT_EQ(ended.err.find("fault in shardlint"), std::string::npos) << ended.err;
  }
  done = true;
  other.join();
}

// ---- while mending

// A file with one safe fix.
const std::string kWrong =
    "[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\nlocal_batch_size = \"8\"\nseq_len = 2048\n"
    "[parallelism]\ntensor_parallel_degree = 2\n";

std::size_t entries(const Folder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(RobustFix, AFullDiskKeepsTheOldFile) {
  Folder folder;
  folder.write("a.toml", kWrong);
  for (const std::size_t space : {std::size_t{0}, std::size_t{1}, kWrong.size() - 3}) {  // the mended one is two bytes shorter
    const Ended ended = run(folder, {"check", "--fix", "a.toml"}, {.seconds = 2, .no_space = true, .space = space});
    EXPECT_EQ(ended.how(), "exit 2") << ended.err;
    EXPECT_NE(ended.err.find("cannot write a.toml"), std::string::npos) << ended.err;
    EXPECT_EQ(folder.read("a.toml"), kWrong);
    EXPECT_EQ(entries(folder), 1u) << "something is left behind";
  }
}

TEST(RobustFix, AReadOnlyFolderKeepsTheOldFile) {
  Folder folder;
  folder.write("a.toml", kWrong);
  fs::permissions(folder / "a.toml", fs::perms::all);
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  Limits nobody = kSmall;
  nobody.nobody = true;
  const Ended plain = run(folder, {"check", "a.toml"}, nobody);
  if (plain.code != 1) fs::permissions(folder.path(), fs::perms::all);
  if (plain.code != 1) GTEST_SKIP() << "the program cannot be started without root's rights here";
  const Ended ended = run(folder, {"check", "--fix", "a.toml"}, nobody);
  EXPECT_EQ(ended.how(), "exit 2") << ended.err;
  EXPECT_NE(ended.err.find("cannot write a.toml"), std::string::npos) << ended.err;
  EXPECT_EQ(folder.read("a.toml"), kWrong);
  fs::permissions(folder.path(), fs::perms::all);
}

Limits traced() {
  Limits limits{.seconds = 2};
  limits.before = [] {
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // which cannot look while it is traced
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  };
  return limits;
}

// Kills the child before its call number `call` after it began, and says whether it came so far.
bool kill_before(pid_t child, int call) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return false;  // the stop at exec
  for (int stops = 0;; ++stops) {
    // Every call stops twice, before and after it.
    if (stops == 2 * call + 1) ::kill(child, SIGKILL);
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0 && stops != 2 * call + 1) return false;
    if (::waitpid(child, &status, 0) != child) return false;
    if (WIFEXITED(status)) return false;
    if (WIFSIGNALED(status)) return true;
  }
}

// The program is held before each of its calls to the kernel in turn and killed there: the file is the old one or the new one.
TEST(RobustFix, AKillAtAnyMomentLeavesTheOldFileOrTheNew) {
  if (kSanitized) GTEST_SKIP() << "hundreds of starts; the released program is killed instead";
  Folder folder;
  folder.write("a.toml", kWrong);
  ASSERT_EQ(run(folder, {"check", "--fix", "--jobs", "1", "a.toml"}, kSmall).how(), "exit 0");
  const std::string mended = folder.read("a.toml");
  ASSERT_NE(mended, kWrong);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int calls = 0, old = 0, fresh = 0;
  for (bool ended = false; !ended && calls < 5000; ++calls) {
    folder.write("a.toml", kWrong);
    const pid_t child = start(folder, {"check", "--fix", "--jobs", "1", "a.toml"}, traced(), null, null);
    ended = !kill_before(child, calls);
    const std::string now = folder.read("a.toml");
    ASSERT_TRUE(now == kWrong || now == mended) << "killed before call " << calls << ":\n" << now;
    now == kWrong ? ++old : ++fresh;
    // What it leaves is hidden, and the next run minds it not.
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      const std::string name = entry.path().filename().string();
      if (name == "a.toml") continue;
      EXPECT_TRUE(name.starts_with(".shardlint-")) << name;
      fs::remove(entry.path());
    }
  }
  ::close(null);
  if (calls == 1) GTEST_SKIP() << "no process may be traced here";
  EXPECT_GT(old, 20) << "it was killed too late each time";
  EXPECT_GE(fresh, 1) << "it never came to write";
}

// ---- outputs that nobody takes

TEST(RobustOutput, AReaderThatLeavesEndsIt) {
  Folder folder;
  std::string text = kFlags;
  for (int i = 0; i < 500; ++i) text += fmt::format("  --unknown-{}: 1\n", i);
  folder.write("a.yaml", text);
  for (const bool ignored : {false, true}) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    Limits limits = kSmall;
    limits.before = [ignored] { ::signal(SIGPIPE, ignored ? SIG_IGN : SIG_DFL); };
    ::close(ends[0]);
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    const pid_t child = start(folder, {"check", "a.yaml"}, limits, ends[1], null);
    ::close(ends[1]), ::close(null);
    EXPECT_EQ(wait_for(child).how(), ignored ? "exit 2" : fmt::format("signal {}", SIGPIPE));
  }
}

TEST(RobustOutput, AFullOneIsSaid) {
  Folder folder;
  folder.write("a.toml", kToml);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) GTEST_SKIP() << "there is no /dev/full here";
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(wait_for(start(folder, {"check", "a.toml"}, kSmall, full, null)).how(), "exit 2");
  ::close(full), ::close(null);
}

// With descriptor 1 or 2 closed the next file that is opened would get it, and what is printed would go into that file.
TEST(RobustOutput, AClosedOneIsSaidAndNoFileTakesItsPlace) {
  Folder folder;
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const bool out_closed : {true, false})
    for (const bool err_closed : {true, false}) {
      folder.write("a.toml", kWrong);
      const Ended ended = wait_for(start(folder, {"check", "--fix", "a.toml"}, kSmall, out_closed ? -1 : null, err_closed ? -1 : null));
      EXPECT_EQ(ended.how(), out_closed ? "exit 2" : "exit 0");
      EXPECT_EQ(folder.read("a.toml").find("finding"), std::string::npos);
      EXPECT_NE(folder.read("a.toml").find("local_batch_size = 8\n"), std::string::npos) << folder.read("a.toml");
    }
  ::close(null);
}

}  // namespace
}  // namespace shardlint::test
