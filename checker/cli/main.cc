// The command line, from arguments to exit code. Findings and what was asked for go to standard output, all else to standard error.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/options.h"
#include "checker/fix/files.h"

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
    case Command::Plan: return run_plan(options, style);
    case Command::Diff: return run_diff(options, style);
    case Command::Explain: return run_explain(options, style);
    case Command::Rules: return run_rules(options, style);
    case Command::Schemas: return run_schemas(options, style);
    case Command::Lsp: break;  // talks itself, below
    case Command::Help: return {kClean, help_text(options.topic), {}};
    case Command::Version: return {kClean, "shardlint " SHARDLINT_VERSION "\n", {}};
  }
  return {};
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
  for (const std::string& remark : remarks) fmt::print(stderr, "{}\n", remark);
  return exit;
}

int shardlint(const std::vector<std::string>& arguments) {
  const Checked<Options> options = read_options(arguments);
  if (options.value && options.value->command == Command::Lsp) return run_lsp();
  if (options.value) return print(*options.value, run(*options.value));
  fmt::print(stderr, "shardlint: {}\n", options.error);
  return kUsage;
}

}  // namespace
}  // namespace shardlint

int main(int argc, char** argv) {
  try {
    return shardlint::shardlint({argv + (argc > 0), argv + argc});
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "shardlint: this is a fault in shardlint: %s\n", fault.what());
  } catch (...) {
    std::fputs("shardlint: this is a fault in shardlint\n", stderr);
  }
  return shardlint::kFault;
}
