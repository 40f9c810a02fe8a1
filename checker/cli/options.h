// The command line, read into values. A wrong word is one line that names the nearest right one; nothing here prints or reads a file.
//
// To add an option: a member of Options (or a setting, see engine/settings.h), a row in option_table.cc, a line in README.md's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/engine/check.h"
#include "checker/engine/settings.h"
#include "checker/engine/what_if.h"

namespace shardlint {

enum class Command {
  Check,
  Init,
  Submit,
  Baseline,
  Config,
  Plan,
  Diff,
  Explain,
  Rules,
  Schemas,
  Schema,
  Completions,
  Manual,
  Lsp,
  Help,
  Version
};
enum class OutputFormat { Text, Json, Html, Sarif, Github, Gitlab, Junit, Checkstyle };
enum class Color { Auto, Always, Never };

struct Options {
  Command command = Command::Help;
  CheckOptions check;
  std::optional<std::string> topic;  // explain NAME, schema NAME, completions SHELL, help COMMAND
  OutputFormat format = OutputFormat::Text;
  std::optional<std::string> output_file;
  std::vector<std::pair<OutputFormat, std::string>> outputs;  // --output: a format and the file that it goes to
  Color color = Color::Auto;
  std::vector<std::string> keys;     // plan --set KEY=VALUE where KEY is no field of the plan: a key of the framework, among the overrides
  Sweep sweep;                       // plan --sweep, in order
  bool search = false;               // plan --search
  std::optional<std::string> model;  // plan --search --model
  std::size_t limit = 10;            // rows of a sweep or search in text
  std::optional<i64> rank;           // plan --rank
  bool fix = false, unsafe_fixes = false, diff = false;
  bool statistics = false, not_evaluated = false, all = false, quiet = false;
  std::optional<std::string> changed_since;  // a revision
  bool concerning = false;                   // the paths are what changed; the current folder is checked
  std::optional<std::string> add_ignores;    // the reason
  std::optional<std::string> site;           // a cluster's site.toml
  std::string submitter;                     // who submits, for the site's log; empty: who runs this
  std::vector<std::string> words;            // of sbatch
};

// `arguments` without the program's name. Cluster settings and overrides get their places in a source named "<command line>".
Checked<Options> read_options(std::span<const std::string> arguments);

// The command line as data: what help, completions and the manual page are written from.
struct OptionHelp {
  std::string_view name, value, help;
  std::vector<std::string_view> choices = {};  // of the value, the default first; empty: any

  // The help with the choices: "how it is written: text (default), json".
  std::string whole() const;
};
struct CommandHelp {
  std::string_view name, takes, summary;
  std::vector<OptionHelp> options;
};
std::vector<CommandHelp> command_table();

// What `help` prints: all commands, or one command with its options.
std::string help_text(std::optional<std::string_view> command);

}  // namespace shardlint
