// How many instructions the program takes for a few inputs, counted by callgrind: no clock, no neighbours on the machine. The counts stand
// in instructions.tsv; what takes over 3 % more fails. UPDATE_FIXTURES=1 writes them anew, and the diff is what a reviewer sees.
#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sanitized.h"
#include "tests/schema/small.h"
#include "tests/where.h"

namespace shardlint::test {
namespace {

constexpr double kBound = 1.03;

struct Input {
  std::string name, arguments;
};

std::optional<double> count(const Folder& folder, const std::string& command_line) {
  // The paths are as long on every machine, and no variable is set.
  const std::string command =
      fmt::format("cd '{}' && env -i PATH=\"$PATH\" valgrind --tool=callgrind --callgrind-out-file=/dev/null {} 2>&1 >/dev/null",
                  folder.path(), command_line);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, size);
  ::pclose(pipe);
  const std::string mark = "Collected : ";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(text.c_str() + at + mark.size(), nullptr);
}

TEST(Instructions, StayWithinThreePercent) {
  if (kSanitized) GTEST_SKIP() << "the sanitizers' own work would be counted";
  if (std::system("valgrind --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "valgrind, which counts instructions, is not installed";
  const Folder folder;
  const std::string ok = SHARDLINT_ROOT "/fixtures/ok/";
  for (int i = 0; i < 40; ++i)
    for (const char* name : {"torchtitan-500b.toml", "nanotron-500b.yaml", "megatron-500b.yaml"}) {
      std::ifstream in(ok + name, std::ios::binary);
      folder.write(fmt::format("many/{}/{}", i, name), std::string{std::istreambuf_iterator<char>(in), {}});
    }
  for (const char* name :
       {"ok/torchtitan-500b.toml", "ok/megatron-500b.yaml", "ok/verl-500b-grpo.yaml", "bad/megatron-500b-batch-2500.yaml"}) {
    std::ifstream in(fmt::format(SHARDLINT_ROOT "/fixtures/{}", name), std::ios::binary);
    folder.write(name, std::string{std::istreambuf_iterator<char>(in), {}});
  }
  std::filesystem::create_symlink(SHARDLINT_BINARY, std::filesystem::path(folder.path()) / "shardlint");
  const Input inputs[] = {
      {"start", "./shardlint --version"},
      {"torchtitan", "./shardlint check ok/torchtitan-500b.toml"},
      {"megatron", "./shardlint check ok/megatron-500b.yaml"},
      {"verl", "./shardlint check ok/verl-500b-grpo.yaml"},
      {"a-finding-with-fixes", "./shardlint check --nodes 640 --gpus-per-node 8 bad/megatron-500b-batch-2500.yaml"},
      {"folder", "./shardlint check --jobs 1 many"},
  };
  const std::string file = SHARDLINT_ROOT "/tests/bench/instructions.tsv";
  std::map<std::string, double> known;
  std::ifstream in(file);
  std::string name;
  for (double number = 0; in >> name >> number;) known[name] = number;
  const bool update = std::getenv("UPDATE_FIXTURES") != nullptr;
  std::ostringstream out;
  // Another C library or processor has other counts for everything.
  const std::optional<double> system = count(folder, "/bin/true");
  ASSERT_TRUE(system) << "/bin/true was not counted";
  out << fmt::format("/bin/true\t{:.0f}\n", *system);
  if (!update && std::abs(*system / known["/bin/true"] - 1) > 0.005)
    GTEST_SKIP() << "/bin/true takes another number of instructions here: the counts were made on another system";
  for (const Input& input : inputs) {
    const std::optional<double> now = count(folder, input.arguments);
    ASSERT_TRUE(now) << input.name << " was not counted";
    out << fmt::format("{}\t{:.0f}\n", input.name, *now);
    if (update) continue;
    EXPECT_LE(*now, known[input.name] * kBound)
        << input.name << " takes " << fmt::format("{:.1f} %", (*now / known[input.name] - 1) * 100)
        << " more instructions than in tests/bench/instructions.tsv; if that is what it costs, UPDATE_FIXTURES=1 writes it down";
  }
  if (update) std::ofstream(file) << out.str();
}

}  // namespace
}  // namespace shardlint::test
