// What a check costs beside what it cannot do without: reading the file, and starting a process.
//
//   Check/FILE       the whole check of one file from memory; counters: the same file parsed alone, and how many times that the check takes
//   Folder/THREADS   2,000 generated files
//   WhatIf           2,000 plans of one job under other values, on every thread: plans a second (goal: 1,000)
//   Start            from the start to the exit of `shardlint check small.toml`; counters: milliseconds, and /bin/true in its place
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "checker/engine/check.h"
#include "checker/engine/what_if.h"
#include "tests/folder.h"

namespace shardlint {
namespace {

const std::string kSmall =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nseq_len = 8192\nsteps = 1000\n\n"
    "[parallelism]\ntensor_parallel_degree = 8\npipeline_parallel_degree = 1\n\n[checkpoint]\nenable = true\ninterval = 500\n";

std::string fixture(std::string_view name) {
  std::ifstream in(fmt::format("{}/fixtures/ok/{}", SHARDLINT_ROOT, name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

CheckOptions options_for(std::vector<std::string> paths, unsigned jobs) {
  CheckOptions options;
  options.paths = std::move(paths);
  options.jobs = jobs;
  options.isolated = true;
  options.origins = false;
  for (const auto& [field, value] : {std::pair{"nodes", 640}, {"gpus_per_node", 8}}) {
    Fact& fact = options.command_line.facts.emplace_back();
    fact.path = fact.spelled = field;
    fact.value = value;
    fact.way = Way::Setting;
  }
  return options;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of this thread: what others do on the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void check_file(benchmark::State& state, const std::string& name, const std::string& text) {
  if (text.empty()) return state.SkipWithError("no such fixture");
  Overlay files;
  files.put(name, text);
  const CheckOptions options = options_for({name}, 1);
  double parsing = 0, checking = 0;
  for (auto _ : state) {
    // In turns, so that both meet the same machine; only the check counts as the benchmark's time.
    const double parse_start = cpu_seconds();
    benchmark::DoNotOptimize(read_document(std::make_shared<const Source>(name, text), *format_of(name)));
    const double start = cpu_seconds();
    parsing += start - parse_start;
    const CheckResult result = check(files, options);
    const double taken = cpu_seconds() - start;
    checking += taken;
    state.SetIterationTime(taken);
    if (result.files != 1 || result.plans.empty()) return state.SkipWithError("the file is not recognised");
  }
  state.counters["parse_us"] = parsing / static_cast<double>(state.iterations()) * 1e6;
  state.counters["times_parse"] = checking / parsing;
}

void check_folder(benchmark::State& state) {
  Overlay files;
  for (int i = 0; i < 2000; ++i) {
    std::string text = kSmall;
    text += fmt::format("\n[metrics]\nlog_freq = {}\n", i + 1);
    files.put(fmt::format("f{}/run{}.toml", i % 40, i), text);
  }
  const CheckOptions options = options_for({"."}, static_cast<unsigned>(state.range(0)));
  for (auto _ : state) {
    const CheckResult result = check(files, options);
    if (result.files != 2000) return state.SkipWithError("files are missing");
  }
  state.counters["files_per_second"] = benchmark::Counter(2000, benchmark::Counter::kIsIterationInvariantRate);
}

// Seconds from the start of a program to its exit, and the processor's; its output goes nowhere.
struct Taken {
  double wall = -1, cpu = 0;
};
Taken run(std::vector<const char*> arguments) {
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO}) posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = -1;
  rusage used{};
  if (posix_spawn(&child, arguments[0], &actions, nullptr, const_cast<char* const*>(arguments.data()), environ) == 0)
    wait4(child, &status, 0, &used);
  const double wall = seconds_since(start);
  posix_spawn_file_actions_destroy(&actions);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; };
  return {status == 0 ? wall : -1, seconds(used.ru_utime) + seconds(used.ru_stime)};
}

void start_to_exit(benchmark::State& state) {
  const test::Folder folder;
  folder.write("small.toml", kSmall);
  const std::string path = folder / "small.toml";
  Taken program{0, 0}, empty{0, 0};
  const auto add = [](Taken& to, const Taken& from) { to.wall += from.wall, to.cpu += from.cpu; };
  for (auto _ : state) {
    add(empty, run({"/bin/true"}));
    const Taken taken = run({SHARDLINT_BINARY, "check", path.c_str()});
    if (taken.wall < 0) {
      state.SkipWithError("the check failed");
      break;
    }
    add(program, taken);
    state.SetIterationTime(taken.wall);
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["ms"] = program.wall / runs * 1e3;
  state.counters["cpu_ms"] = program.cpu / runs * 1e3;
  state.counters["true_ms"] = empty.wall / runs * 1e3;
  state.counters["times_true"] = program.wall / empty.wall;
}

// Llama 3 70B on 512 H100s under other layouts and batches.
void what_if(benchmark::State& state) {
  Overlay files(nullptr);
  files.put(
      "plan.toml",
      "world_size = 512\ngpus_per_node = 8\ngpu = \"H100\"\nlayers = 80\nhidden = 8192\nffn_hidden = 28672\nheads = 64\nkv_groups = 8\n"
      "vocab = 128256\nseq_length = 8192\nglobal_batch = 512\ngated_mlp = true\nexperts = 0\nprecision.weights = \"bf16\"\n");
  CheckOptions options = options_for({"plan.toml"}, 1);
  options.command_line.facts.clear();
  options.command_line.framework = "plan";
  options.fixes = false, options.origins = true;  // the job goes with them
  const CheckResult plan = check(files, options);
  const WhatIf run(plan.plans.at(0).job, 0);
  std::vector<Value> batches;
  for (i64 i = 1; i <= 100; ++i) batches.emplace_back(i);
  const auto all = combinations({{"tp", {1, 2, 4, 8}}, {"pp", {1, 2, 4, 8, 16}}, {"micro_batch", batches}}, 10'000);
  for (auto _ : state) benchmark::DoNotOptimize(judge_all(run, *all, 0));
  state.counters["plans"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(all->size()), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(check_file, small, "small.toml", kSmall)->Name("Check/small.toml")->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_file, torchtitan, "t.toml", fixture("torchtitan-500b.toml"))
    ->Name("Check/torchtitan-500b.toml")
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_file, nanotron, "n.yaml", fixture("nanotron-500b.yaml"))
    ->Name("Check/nanotron-500b.yaml")
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_file, megatron, "m.yaml", fixture("megatron-500b.yaml"))
    ->Name("Check/megatron-500b.yaml")
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(check_folder)->Name("Folder")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(what_if)->Name("WhatIf")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(start_to_exit)->Name("Start")->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shardlint
