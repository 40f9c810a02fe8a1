// The commands, their options and their formats as tables: what the command line is read by, and what help, completions and the manual page
// are written from.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "checker/cli/options.h"

namespace shardlint {

struct CommandRow {
  std::string_view name;
  Command command;
  std::string_view takes, summary;
};

// An option's value and where it stands.
struct Word {
  std::string_view text;
  Place place;
};
// Returns what is wrong with the value; empty if nothing.
using Setter = std::string (*)(Options&, const Word&);

struct OptionRow {
  std::string_view name, value, help;
  unsigned commands;
  Setter set;
};

struct FormatRow {
  std::string_view name;
  OutputFormat format;
  unsigned commands;
};

// Which commands take an option or a format: a bit a command.
constexpr unsigned bit(Command command) { return 1u << static_cast<unsigned>(command); }
constexpr unsigned kCheck = bit(Command::Check), kPlan = bit(Command::Plan),
                   kJudges = kCheck | bit(Command::Baseline) | bit(Command::Config), kRuns = kJudges | kPlan | bit(Command::Diff),
                   kCluster = kRuns | bit(Command::Init),
                   kPrints = kCheck | kPlan | bit(Command::Diff) | bit(Command::Rules) | bit(Command::Schemas);

std::span<const CommandRow> command_rows();
std::span<const OptionRow> option_rows();
std::span<const FormatRow> format_rows();

const CommandRow& row_of(Command command);
// Null if there is none of this name.
const CommandRow* command_named(std::string_view name);
std::string unknown_command(std::string_view word);

}  // namespace shardlint
