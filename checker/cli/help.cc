// What `help` prints, and the tables for those who write of the command line elsewhere.
#include <fmt/format.h>

#include "checker/cli/option_table.h"

namespace shardlint {

namespace {

CommandHelp described(const CommandRow& row) {
  CommandHelp command{row.name, row.takes, row.summary, {}};
  for (const OptionRow& option : option_rows()) {
    if (!option.set || !(option.commands & bit(row.command))) continue;
    OptionHelp& help = command.options.emplace_back(OptionHelp{option.name, option.value, option.help});
    if (option.name == "--format")
      for (const FormatRow& format : format_rows())
        if (format.commands & bit(row.command)) help.choices.push_back(format.name);
    if (option.name == "--color") help.choices = {"auto", "always", "never"};
    if (option.name == "--fail-on") help.choices = {"error", "warning", "never"};
  }
  return command;
}

}  // namespace

std::string OptionHelp::whole() const {
  std::string out(help);
  for (std::string_view choice : choices) out += fmt::format("{}{}{}", out == help ? ": " : ", ", choice, out == help ? " (default)" : "");
  return out;
}

std::vector<CommandHelp> command_table() {
  std::vector<CommandHelp> out;
  for (const CommandRow& row : command_rows()) out.push_back(described(row));
  return out;
}

std::string help_text(std::optional<std::string_view> command) {
  const CommandRow* row = command ? command_named(*command) : nullptr;
  if (!row) {
    std::string out = "shardlint checks distributed-training jobs before they are submitted.\n\nusage: shardlint COMMAND [ARGUMENT...]\n\n";
    for (const CommandRow& r : command_rows()) out += fmt::format("  {:<11} {}\n", r.name, r.summary);
    return out +
           "\n`shardlint help COMMAND` shows a command's options. Exit codes: 0 nothing found, 1 findings, 2 wrong usage or settings,\n"
           "3 a fault in shardlint.\n";
  }
  std::string out = fmt::format("{}\n\nusage: shardlint {}{}{}\n", row->summary, row->name, row->takes.empty() ? "" : " ", row->takes);
  const std::vector<OptionHelp> options = described(*row).options;
  if (!options.empty()) out += "\n";
  for (const OptionHelp& option : options)
    out += fmt::format("  {:<30} {}\n", fmt::format("{}{}{}", option.name, option.value.empty() ? "" : " ", option.value), option.whole());
  if (row->command == Command::Submit)
    out +=
        "\nAll options are sbatch's. /etc/shardlint/site.toml, or the file that SHARDLINT_SITE names, says what holds on this cluster.\n"
        "A job that is refused passes with a reason: SHARDLINT_BYPASS='why' shardlint submit ...\n";
  if (bit(row->command) & kRuns) out += "\nBehind `--` stand the framework's own overrides: -- trainer.num_nodes=4\n";
  return out;
}

}  // namespace shardlint
