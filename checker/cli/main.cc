// The command line, from arguments to exit code. Findings and what was asked for go to standard output, all else to standard error.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/options.h"
#include "checker/fix/files.h"

// What the allocator is told: memory that is free goes back to the system, for login nodes limit how much a process may have.
extern "C" {
const char* malloc_conf = "retain:false";
}

namespace shardlint {
namespace {

TextStyle style_of(const Options& options) {
  TextStyle style;
  const bool terminal = isatty(STDOUT_FILENO) && !options.output_file;
  const char* kind = std::getenv("TERM");
  const char* refused = std::getenv("NO_COLOR");
  const bool colorful = terminal && !(refused && *refused) && kind && std::string_view(kind) != "dumb";
  style.color = options.color == Color::Always || (options.color == Color::Auto && colorful);
  winsize window{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= 40) style.width = window.ws_col;
  style.working_folder = Disk().working_folder();
  return style;
}

Outcome run(const Options& options) {
  const TextStyle style = style_of(options);
  switch (options.command) {
    case Command::Check: return run_check(options, style);
    case Command::Submit: return run_submit(options, style);
    case Command::Init: return run_init(options, style);
    case Command::Baseline: return run_baseline(options, style);
    case Command::Config: return run_config(options, style);
    case Command::Plan: return run_plan(options, style);
    case Command::Diff: return run_diff(options, style);
    case Command::Explain: return run_explain(options, style);
    case Command::Rules: return run_rules(options, style);
    case Command::Schemas: return run_schemas(options, style);
    case Command::Lsp: break;  // talks itself, below
    case Command::Schema: return run_schema(options, style);
    case Command::Completions: return run_completions(options, style);
    case Command::Manual: return run_manual(options, style);
    case Command::Help: return {kClean, help_text(options.topic), {}};
    case Command::Version: return {kClean, "shardlint " SHARDLINT_VERSION "\n", {}};
  }
  return {};
}

// Gives this process to another program. Returns only if that cannot be started.
Exit become(const Outcome& outcome) {
  if (outcome.exec_input) {
    const int input = memfd_create("script", 0);
    const std::string& text = *outcome.exec_input;
    if (input < 0 || write(input, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || lseek(input, 0, SEEK_SET) != 0 ||
        dup2(input, STDIN_FILENO) < 0) {
      fmt::print(stderr, "shardlint: the script cannot be handed on: {}\n", std::strerror(errno));
      return kFault;
    }
  }
  std::vector<char*> words;
  for (const std::string& word : outcome.exec) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  fmt::print(stderr, "shardlint: {} cannot be started: {}\n", outcome.exec[0], std::strerror(errno));
  return kUsage;
}

// Where nobody takes it there is nobody to tell so either.
void tell(const std::string& remark) {
  static_cast<void>(std::fputs(remark.c_str(), stderr));
  static_cast<void>(std::fputc('\n', stderr));
}

Exit print(const Options& options, const Outcome& outcome) {
  Exit exit = outcome.exit;
  std::vector<std::string> remarks = outcome.remarks;
  if (options.output_file) {
    if (const auto error = write_atomically(*options.output_file, outcome.output)) {
      remarks.push_back(*error);
      exit = kUsage;
    }
  } else if (std::fwrite(outcome.output.data(), 1, outcome.output.size(), stdout) != outcome.output.size() || std::fflush(stdout) != 0) {
    remarks.emplace_back("standard output cannot be written");
    exit = kUsage;
  }
  for (const auto& [path, text] : outcome.files)
    if (const auto error = write_atomically(path, text)) {
      remarks.push_back(*error);
      exit = kUsage;
    }
  for (const std::string& remark : remarks) tell(remark);
  return exit == kClean && !outcome.exec.empty() ? become(outcome) : exit;
}

int shardlint(const std::vector<std::string>& arguments) {
  const Checked<Options> options = read_options(arguments);
  if (options.value && options.value->command == Command::Lsp) return run_lsp();
  if (options.value) return print(*options.value, run(*options.value));
  tell(fmt::format("shardlint: {}", options.error));
  return kUsage;
}

// A file that is opened takes the lowest free descriptor: with one of these closed, what is printed would go into that file. Whoever
// closed it still hears that nothing can be written there.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0) static_cast<void>(open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace
}  // namespace shardlint

int main(int argc, char** argv) {
  try {
    shardlint::hold_standard_descriptors();
    return shardlint::shardlint({argv + (argc > 0), argv + argc});
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "shardlint: this is a fault in shardlint: %s\n", fault.what());
  } catch (...) {
    std::fputs("shardlint: this is a fault in shardlint\n", stderr);
  }
  return shardlint::kFault;
}
