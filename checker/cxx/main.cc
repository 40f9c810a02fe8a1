// shardlint-cxx: reads C++ for shardlint. It is started by shardlint and not meant for people; protocol.h says what both say.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string>

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "checker/cxx/confine.h"
#include "checker/cxx/frontend.h"
#include "checker/cxx/protocol.h"

namespace {

void reply(shardlint::cxx::Frontend& frontend, const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  std::string error;
  const auto request = shardlint::cxx::read_request(text, error);
  if (!request) {
    llvm::outs() << llvm::json::Value(llvm::json::Object{{"skipped", error}}) << "\n";
    llvm::outs().flush();
    return;
  }
  // Deeply nested programs need room; one that crashes Clang all the same ends this answer without its last line.
  std::string lines;
  llvm::CrashRecoveryContext recovery;
  const bool whole = recovery.RunSafelyOnThread([&] { lines = frontend.answer(*request); }, 256u << 20);
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
  llvm::outs() << lines
               << llvm::json::Value(llvm::json::Object{{"done", whole}, {"milliseconds", spent}, {"protocol", shardlint::cxx::kProtocol}})
               << "\n";
  llvm::outs().flush();
}

// "--cpu-seconds 20": what a runaway may cost, whoever started it.
void limit(int resource, const char* text, rlim_t unit) {
  const rlim_t most = std::strtoull(text, nullptr, 10) * unit;
  const rlimit limits{most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

}  // namespace

int main(int argc, char** argv) {
  bool serve = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--serve"))
      serve = true;
    else if (!std::strcmp(argv[i], "--version"))
      return std::puts("shardlint-cxx " SHARDLINT_VERSION), 0;
    else if (!std::strcmp(argv[i], "--cpu-seconds") && i + 1 < argc)
      limit(RLIMIT_CPU, argv[++i], 1);
    else if (!std::strcmp(argv[i], "--memory-mib") && i + 1 < argc)
      limit(RLIMIT_AS, argv[++i], rlim_t{1} << 20);
    else
      return std::fputs("usage: shardlint-cxx [--serve] [--cpu-seconds N] [--memory-mib N] < REQUEST\n", stderr), 2;
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  shardlint::cxx::confine();
  llvm::CrashRecoveryContext::Enable();
  shardlint::cxx::Frontend frontend(serve);
  if (!serve) {
    const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    reply(frontend, text);
    return 0;
  }
  std::string line;
  while (std::getline(std::cin, line))
    if (!line.empty()) reply(frontend, line);
  return 0;
}
