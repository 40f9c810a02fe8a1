// The commands: from options to what is printed. Only main prints.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checker/cli/options.h"
#include "checker/engine/own_law.h"
#include "checker/report/text.h"

namespace shardlint {

enum Exit : int { kClean = 0, kFindings = 1, kUsage = 2, kFault = 3 };

struct Outcome {
  Exit exit = kClean;
  std::string output;                                           // for standard output, or --output-file
  std::vector<std::string> remarks;                             // for standard error, a line each
  std::vector<std::pair<std::string, std::string>> files = {};  // what else is to be written: path, text
  std::vector<std::string> exec = {};                           // the program that takes over once all is written; empty: none
  std::optional<std::string> exec_input = {};                   // its standard input, where this program has read that already
};

Outcome run_check(const Options& options, const TextStyle& style);
// With the files that were read already.
Outcome run_check(const Options& options, const TextStyle& style, const Overlay& files);
Outcome run_submit(const Options& options, const TextStyle& style);
Outcome run_init(const Options& options, const TextStyle& style);
Outcome run_baseline(const Options& options, const TextStyle& style);
Outcome run_config(const Options& options, const TextStyle& style);
Outcome run_plan(const Options& options, const TextStyle& style);
Outcome run_diff(const Options& options, const TextStyle& style);
Outcome run_schema(const Options& options, const TextStyle& style);
Outcome run_completions(const Options& options, const TextStyle& style);
Outcome run_manual(const Options& options, const TextStyle& style);
Outcome run_explain(const Options& options, const TextStyle& style);
Outcome run_rules(const Options& options, const TextStyle& style);
Outcome run_schemas(const Options& options, const TextStyle& style);
// Serves an editor on standard input and output until it says exit; the process's exit code.
int run_lsp();

// The team's law, by the settings of the first path or of the current folder, and a site's.
std::vector<std::shared_ptr<const OwnLaw>> own_laws(const Files& files, const CheckOptions& options);

// An error about a file, with the program's name before it; one that begins with its place stays as it is.
std::string with_program(std::string_view error);

// The disk; where `options` name standard input, it is read now and stands there as a file of the name it was given.
Checked<Overlay> input_files(const Files& disk, CheckOptions& options);
// What is said of standard input that cannot be read.
Outcome no_input(const std::string& error);

}  // namespace shardlint
