// What reading C++ costs beside the compiler that does no more than look at the same file (Debian's clang-19, for this alone), and what a
// check costs again after an edit when the readers are kept, as the language server keeps them.
//
//   CxxFile/FILE     `shardlint check FILE`, start to exit; counters: `clang++-19 -fsyntax-only FILE` in turns with it, and the ratio
//   CxxAgain/FILE    a check after an edit with kept readers; counters: the first check, and the ratio
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include "checker/engine/check.h"
#include "checker/engine/cxx.h"
#include "tests/folder.h"

namespace shardlint {
namespace {

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

bool run(std::vector<const char*> arguments) {
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO}) posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, arguments[0], &actions, nullptr, const_cast<char* const*>(arguments.data()), environ) == 0)
    waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return status == 0;
}

// A folder with a binding and one file, which is mostly its headers.
class Project {
 public:
  explicit Project(const std::string& headers) : headers_(headers) {
    folder_.write("shardlint.bindings.toml",
                  "version = 1\n[framework]\nname = \"quarry\"\n[[type]]\nname = \"quarry::Plan\"\nrole = \"plan\"\n[type.fields]\nwide = "
                  "\"tp\"\ndeep = \"pp\"\ncrew = \"world_size\"\n");
    write(0);
  }

  void write(int edit) const {
    folder_.write("trainer.cpp",
                  fmt::format("{}namespace quarry {{\nstruct Plan {{\n  int wide = 1, deep = 1, crew = 8;\n  std::string name;\n}};\n}}\n"
                              "quarry::Plan make() {{ return {{.wide = 8, .deep = 2, .crew = 48}}; }}\n// {}\n",
                              headers_, edit));
  }
  std::string file() const { return folder_ / "trainer.cpp"; }

 private:
  std::string headers_;
  test::Folder folder_;
};

const std::string kFew = "#include <optional>\n#include <string>\n#include <vector>\n";
const std::string kMany =
    "#include <algorithm>\n#include <chrono>\n#include <filesystem>\n#include <functional>\n#include <future>\n#include <iostream>\n"
    "#include <map>\n#include <memory>\n#include <optional>\n#include <random>\n#include <regex>\n#include <string>\n#include <thread>\n"
    "#include <unordered_map>\n#include <vector>\n";

void file(benchmark::State& state, const std::string& headers) {
  const Project project(headers);
  const std::string path = project.file();
  double own = 0, clang = 0;
  for (auto _ : state) {
    bool ended = true;
    clang += milliseconds([&] { ended &= run({"/usr/bin/clang++-19", "-std=c++20", "-fsyntax-only", path.c_str()}); });
    const double taken = milliseconds([&] { ended &= run({SHARDLINT_BINARY, "check", path.c_str()}); });
    own += taken;
    state.SetIterationTime(taken * 1e-3);
    if (!ended) return state.SkipWithError("one of them failed: ./dev bench installs clang-19");
  }
  state.counters["clang_ms"] = clang / static_cast<double>(state.iterations());
  state.counters["times_clang"] = own / clang;
}

void again(benchmark::State& state, const std::string& headers) {
  const Project project(headers);
  const Disk disk;
  CheckOptions options;
  options.paths = {project.file()};
  options.cxx_readers = std::make_shared<CxxReaders>(true);
  CheckResult result;
  const double first = milliseconds([&] { result = check(disk, options); });
  // A person takes longer than this to write the next word.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  double own = 0;
  int edit = 0;
  for (auto _ : state) {
    project.write(++edit);
    const double taken = milliseconds([&] { result = check(disk, options); });
    own += taken;
    state.SetIterationTime(taken * 1e-3);
    if (result.plans.size() != 1 || !result.findings.empty()) return state.SkipWithError("the plan was not read");
  }
  state.counters["first_ms"] = first;
  state.counters["of_first"] = own / static_cast<double>(state.iterations()) / first;
}

BENCHMARK_CAPTURE(file, few, kFew)->Name("CxxFile/few-headers")->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(file, many, kMany)->Name("CxxFile/many-headers")->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(again, few, kFew)->Name("CxxAgain/few-headers")->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);
BENCHMARK_CAPTURE(again, many, kMany)->Name("CxxAgain/many-headers")->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
}  // namespace shardlint
