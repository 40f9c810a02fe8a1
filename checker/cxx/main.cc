// shardlint-cxx: reads C++ for shardlint. It is started by shardlint and not meant for people; protocol.h says what both say.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "checker/cxx/frontend.h"
#include "checker/cxx/protocol.h"
#include "checker/cxx/sandbox.h"

namespace {

// Deeply nested programs need room.
constexpr unsigned kStack = 256u << 20;
// A process whose own memory has grown beyond this ends behind an answer, and the next request starts another.
constexpr unsigned long kGrownMib = 3072;

bool safely(llvm::function_ref<void()> work) {
  llvm::CrashRecoveryContext recovery;
  return recovery.RunSafelyOnThread(work, kStack);
}

unsigned long memory_mib() {
  std::ifstream in("/proc/self/statm");
  unsigned long whole = 0, resident = 0;
  in >> whole >> resident;
  return resident * static_cast<unsigned long>(sysconf(_SC_PAGESIZE)) >> 20;
}

// Whether this process can go on: what crashed has left who knows what behind.
bool reply(shardlint::cxx::Frontend& frontend, const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  std::string error, lines;
  const auto request = shardlint::cxx::read_request(text, error);
  if (!request) llvm::raw_string_ostream(lines) << llvm::json::Value(llvm::json::Object{{"skipped", error}}) << "\n";
  const bool whole = request && safely([&] { lines = frontend.answer(*request); });
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
  llvm::outs() << lines
               << llvm::json::Value(llvm::json::Object{{"done", whole}, {"milliseconds", spent}, {"protocol", shardlint::cxx::kProtocol}})
               << "\n";
  llvm::outs().flush();
  if (!request) return true;
  // Nobody waits any more: time for what makes the next answer quick.
  return whole && (!request->keep || safely([&] { frontend.prepare(*request); }));
}

}  // namespace

int main(int argc, char** argv) {
  bool serve = false;
  unsigned long seconds = 0, memory = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--serve"))
      serve = true;
    else if (!std::strcmp(argv[i], "--version"))
      return std::puts("shardlint-cxx " SHARDLINT_VERSION), 0;
    else if (!std::strcmp(argv[i], "--cpu-seconds") && i + 1 < argc)
      seconds = std::strtoul(argv[++i], nullptr, 10);
    else if (!std::strcmp(argv[i], "--memory-mib") && i + 1 < argc)
      memory = std::strtoul(argv[++i], nullptr, 10);
    else
      return std::fputs("usage: shardlint-cxx [--serve] [--cpu-seconds N] [--memory-mib N] < REQUEST\n", stderr), 2;
  }
  shardlint::cxx::limit_memory_mib(memory);
  shardlint::cxx::lock_down();
  llvm::CrashRecoveryContext::Enable();
  shardlint::cxx::Frontend frontend;
  if (!serve) {
    const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    shardlint::cxx::limit_cpu_seconds(seconds);
    reply(frontend, text);
    return 0;
  }
  for (std::string line; std::getline(std::cin, line);) {
    shardlint::cxx::limit_cpu_seconds(seconds);
    if (!line.empty() && (!reply(frontend, line) || memory_mib() > kGrownMib)) break;
  }
  return 0;
}
