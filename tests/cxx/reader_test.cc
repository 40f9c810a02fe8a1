// The process that reads C++: it is kept and asked again, its limits hold, and it can neither write, start nor reach anything.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <thread>

#include "checker/cxx/sandbox.h"
#include "tests/cxx/project.h"
#include "tests/sanitized.h"

namespace shardlint {
namespace {

using Reader = CheckCxx;

TEST_F(Reader, IsAskedAgainAboutWhatWasWrittenSince) {
  readers_ = std::make_shared<CxxReaders>(true);
  const std::string include = "#include \"plan.h\"\n#include <vector>\n";
  put("main.cpp", include + "quarry::Plan make() { return {.wide = 3}; }\n");
  EXPECT_EQ(lines(check({"main.cpp"})), "main.cpp:3 error topology/model-parallel-does-not-divide-world [make]\n");
  put("main.cpp", include + "\nquarry::Plan make() { return {.wide = 4}; }\n");
  EXPECT_EQ(lines(check({"main.cpp"})), "");
  // The header again, in the same length and within the same second: the time is told apart by hand.
  std::string header = kHeader;
  header.replace(header.find("crew = 8"), 8, "crew = 6");
  put("plan.h", header);
  fs::last_write_time(folder_ / "plan.h", fs::last_write_time(folder_ / "plan.h") + std::chrono::seconds(2));
  EXPECT_EQ(lines(check({"main.cpp"})), "main.cpp:4 error topology/model-parallel-does-not-divide-world [make]\n");
  // A file that goes wrong in between takes nothing along.
  put("other.cpp", include + "quarry::Plan p() { quarry::Plan p; p.wide = " + std::string(20000, '('));
  check({"other.cpp"});
  EXPECT_EQ(lines(check({"main.cpp"})), "main.cpp:4 error topology/model-parallel-does-not-divide-world [make]\n");
  put("main.cpp", include + "quarry::Plan make() { return {.wide = 3,\n .crew = 12}; }\n");
  EXPECT_EQ(lines(check({"main.cpp"})), "");
}

TEST_F(Reader, SeesHeadersThatAnEditorHolds) {
  readers_ = std::make_shared<CxxReaders>(true);
  put("main.cpp", "#include \"plan.h\"\nquarry::Plan make() { return {.wide = 3}; }\n");
  Disk disk;
  CheckOptions options;
  options.paths = {path("main.cpp")};
  options.cxx_readers = readers_;
  const auto with = [&](const std::string& crew) {
    std::string header = kHeader;
    header.replace(header.find("crew = 8"), 8, "crew = " + crew);
    Overlay editor(&disk);
    editor.put(path("plan.h"), header);
    return shardlint::check(editor, options).findings.size();
  };
  EXPECT_EQ(with("9"), 0u);
  EXPECT_EQ(with("7"), 1u);
  EXPECT_EQ(with("6"), 0u);
  EXPECT_EQ(shardlint::check(disk, options).findings.size(), 1u);
}

TEST_F(Reader, ManyFilesAreReadAtOnce) {
  for (int i = 0; i < 12; ++i)
    put(fmt::format("src/part{}.cpp", i),
        fmt::format("#include \"../plan.h\"\nquarry::Plan make{}() {{ return {{.wide = {}}}; }}\n", i, i % 2 ? 3 : 4));
  const CheckResult result = check({"src"});
  EXPECT_EQ(result.files, 12u);
  EXPECT_EQ(result.findings.size(), 6u) << lines(result);
}

// What a compiler would write because its flags say so is not written.
TEST_F(Reader, WritesNothing) {
  put("main.cpp", "#include \"plan.h\"\nquarry::Plan make() { return {.wide = 3}; }\nint x = y;\n");
  put("shardlint.toml",
      fmt::format("[cxx]\nflags = [\"-std=c++20\", \"-serialize-diagnostics\", \"{0}/d.dia\", \"-MD\", \"-MF{0}/d.d\", \"-save-temps\", "
                  "\"-H\", \"-ftime-trace={0}/trace.json\"]\n",
                  folder_.string()));
  check({"main.cpp"});
  std::string names;
  for (const auto& entry : fs::directory_iterator(folder_)) names += entry.path().filename().string() + " ";
  EXPECT_EQ(fs::exists(folder_ / "d.dia") || fs::exists(folder_ / "d.d") || fs::exists(folder_ / "trace.json"), false) << names;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 4) << names;
}

// ---- the lock, tried from inside

// What `act` gives in a child that has locked itself down: its result, or -1 if the machine has no such lock.
int locked(const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    if (!cxx::lock_down()) _exit(255);
    _exit(act() & 0x7f);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}
int code(bool refused) { return refused ? errno : 0; }

TEST(Sandbox, LeavesReadingAndComputingAlone) {
  if (test::kSanitized) GTEST_SKIP() << "the sanitizers need more than is left";
  if (locked([] { return 0; }) < 0) GTEST_SKIP() << "this machine has no such lock";
  EXPECT_EQ(locked([] {
              std::ifstream in("/proc/self/status");
              std::string word;
              in >> word;
              int other = 0;
              std::thread([&] { other = 7; }).join();
              const std::vector<char> much(8u << 20, 'x');
              return word == "Name:" && other == 7 && much.back() == 'x' && fs::exists("/proc") ? 42 : 1;
            }),
            42);
}

TEST(Sandbox, RefusesWhatReadingDoesNotNeed) {
  if (locked([] { return 0; }) < 0) GTEST_SKIP() << "this machine has no such lock";
  const test::Folder folder;
  folder.write("lock", "text");
  const std::string file = folder / "lock";
  const char* name = file.c_str();
  const pid_t parent = ::getpid();
  const auto refused = [](int error) { return error == EPERM || error == ENOSYS; };
  EXPECT_TRUE(refused(locked([] { return code(execl("/bin/true", "true", nullptr) < 0); })));
  EXPECT_TRUE(refused(locked([] { return code(fork() < 0); })));
  EXPECT_TRUE(refused(locked([] { return code(socket(AF_INET, SOCK_STREAM, 0) < 0); })));
  EXPECT_TRUE(refused(locked([] { return code(socket(AF_UNIX, SOCK_STREAM, 0) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(open(name, O_WRONLY) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(open(name, O_RDWR | O_CREAT, 0600) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(creat((file + "2").c_str(), 0600) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(unlink(name) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(rename(name, (file + "2").c_str()) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(chmod(name, 0777) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(mkdir((file + "3").c_str(), 0700) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(truncate(name, 0) < 0); })));
  EXPECT_TRUE(refused(locked([&] { return code(kill(parent, SIGUSR1) < 0); })));
  EXPECT_EQ(locked([&] { return code(open(name, O_RDONLY) < 0); }), 0);
  std::stringstream left;
  left << std::ifstream(file).rdbuf();
  EXPECT_EQ(left.str(), "text");
}

TEST(Sandbox, BoundsEachAnswer) {
  if (test::kSanitized) GTEST_SKIP() << "the sanitizers need more than is left";
  // The bound counts from the call: a process that has worked for long may go on for as long as a new one.
  const pid_t child = fork();
  if (child == 0) {
    cxx::limit_cpu_seconds(1);
    for (;;) getpid();
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
  EXPECT_EQ(
      [] {
        const pid_t eater = fork();
        if (eater == 0) {
          cxx::limit_memory_mib(512);
          try {
            const std::vector<char> much(1u << 30, 'x');
            _exit(much.back());
          } catch (const std::bad_alloc&) {
            _exit(42);
          }
        }
        int end = 0;
        waitpid(eater, &end, 0);
        return WIFEXITED(end) ? WEXITSTATUS(end) : -1;
      }(),
      42);
}

// As it is started by the engine: locked, and bounded.
TEST(Sandbox, IsOnInTheProcessThatReads) {
  const std::string program = program_beside("shardlint-cxx");
  if (program.empty()) GTEST_SKIP() << "built without the C++ front end";
  if (locked([] { return 0; }) < 0) GTEST_SKIP() << "this machine has no such lock";
  Process process({program, "--serve", "--cpu-seconds", "100", "--memory-mib", "6144"});
  // A file that includes the status of whoever reads it: a line of it becomes an error, but the answer comes; what it says is in /proc.
  const Ran ran = process.ask(
      "{\"file\": \"/x.cpp\", \"text\": \"\"}\n", [](std::string_view output) { return output.find("\"done\"") != std::string_view::npos; },
      60000, 1 << 20);
  ASSERT_EQ(ran.how, Ran::How::Answered);
  std::stringstream status;
  status << std::ifstream(fmt::format("/proc/{}/status", process.id())).rdbuf();
  EXPECT_NE(status.str().find("NoNewPrivs:\t1"), std::string::npos);
  EXPECT_NE(status.str().find("Seccomp:\t2"), std::string::npos);
  std::stringstream limits;
  limits << std::ifstream(fmt::format("/proc/{}/limits", process.id())).rdbuf();
  EXPECT_NE(limits.str().find("6442450944"), std::string::npos) << limits.str();
}

}  // namespace
}  // namespace shardlint
