// `completions SHELL` and `manual`: written from the command line's own table, so that they cannot lag behind it.
#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/commands.h"

namespace shardlint {

namespace {

std::string replaced(std::string_view text, std::string_view special, std::string_view before) {
  std::string out;
  for (char c : text) {
    if (special.find(c) != std::string_view::npos) out += before;
    out += c;
  }
  return out;
}

std::string names_of(const CommandHelp& command) {
  std::string out;
  for (const OptionHelp& option : command.options) out += (out.empty() ? "" : " ") + std::string(option.name);
  return out;
}

std::string names_of(const std::vector<CommandHelp>& commands) {
  std::string out;
  for (const CommandHelp& command : commands) out += (out.empty() ? "" : " ") + std::string(command.name);
  return out;
}

std::string bash(const std::vector<CommandHelp>& commands) {
  std::string out = fmt::format(R"(# bash completion for shardlint; written by `shardlint completions bash`
_shardlint() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "{}" -- "$word")
    return
  fi
  case ${{COMP_WORDS[1]}}:$before in
)",
                                names_of(commands));
  for (const CommandHelp& command : commands)
    for (const OptionHelp& option : command.options)
      if (!option.choices.empty())
        out += fmt::format("    {}:{}) mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$word\"); return ;;\n", command.name, option.name,
                           fmt::join(option.choices, " "));
  out += "    help:help) mapfile -t COMPREPLY < <(compgen -W \"" + names_of(commands) +
         "\" -- \"$word\"); return ;;\n    completions:completions) mapfile -t COMPREPLY < <(compgen -W \"bash zsh fish\" -- \"$word\"); "
         "return ;;\n"
         "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandHelp& command : commands)
    if (!command.options.empty()) out += fmt::format("    {}) words=\"{}\" ;;\n", command.name, names_of(command));
  return out + R"(  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -o bashdefault -F _shardlint shardlint
)";
}

std::string zsh(const std::vector<CommandHelp>& commands) {
  const auto quoted = [](std::string_view text) {
    std::string out;
    for (char c : replaced(text, "[]:\\", "\\")) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out;
  };
  std::string out =
      "#compdef shardlint\n# zsh completion for shardlint; written by `shardlint completions zsh`\n_shardlint() {\n  local -a commands=(\n";
  for (const CommandHelp& command : commands) out += fmt::format("    '{}:{}'\n", command.name, quoted(command.summary));
  out +=
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n  shift words\n  "
      "((CURRENT--))\n"
      "  case $command in\n";
  for (const CommandHelp& command : commands) {
    out += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const OptionHelp& option : command.options) {
      std::string value;
      if (!option.value.empty())
        value = fmt::format(":{}:{}", quoted(option.value),
                            !option.choices.empty()          ? fmt::format("({})", fmt::join(option.choices, " "))
                            : option.value.ends_with("FILE") ? "_files"
                                                             : "");
      out += fmt::format("        '{}[{}]{}' \\\n", option.name, quoted(option.help), value);
    }
    out += command.name == "help"          ? "        '1:command:(" + names_of(commands) + ")'\n"
           : command.name == "completions" ? "        '1:shell:(bash zsh fish)'\n"
                                           : "        '*:file:_files'\n";
    out += "      ;;\n";
  }
  return out + "  esac\n}\n_shardlint \"$@\"\n";
}

std::string fish(const std::vector<CommandHelp>& commands) {
  const auto quoted = [](std::string_view text) { return "'" + replaced(text, "'\\", "\\") + "'"; };
  std::string out = "# fish completion for shardlint; written by `shardlint completions fish`\n";
  for (const CommandHelp& command : commands)
    out += fmt::format("complete -c shardlint -n __fish_use_subcommand -f -a {} -d {}\n", command.name, quoted(command.summary));
  for (const CommandHelp& command : commands)
    for (const OptionHelp& option : command.options) {
      out += fmt::format("complete -c shardlint -n '__fish_seen_subcommand_from {}' -l {} -d {}", command.name, option.name.substr(2),
                         quoted(option.help));
      if (!option.choices.empty())
        out += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
      else if (!option.value.empty())
        out += option.value.ends_with("FILE") ? " -r" : " -x";
      out += '\n';
    }
  out += fmt::format("complete -c shardlint -n '__fish_seen_subcommand_from help' -f -a '{}'\n", names_of(commands));
  return out + "complete -c shardlint -n '__fish_seen_subcommand_from completions' -f -a 'bash zsh fish'\n";
}

// Text in a manual page: a leading dot or quote would be a request, a dash would be set as a hyphen.
std::string roff(std::string_view text) {
  std::string out = replaced(text, "\\", "\\");
  for (std::size_t at = 0; (at = out.find('-', at)) != std::string::npos; at += 2) out.replace(at, 1, "\\-");
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string manual(const std::vector<CommandHelp>& commands) {
  std::string out =
      ".\\\" Written by `shardlint manual`.\n.TH SHARDLINT 1 \"\" \"shardlint " SHARDLINT_VERSION
      "\" \"User Commands\"\n.SH NAME\nshardlint \\- check distributed\\-training jobs before they are submitted\n.SH SYNOPSIS\n.B "
      "shardlint\n"
      ".I COMMAND\n[\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\nReads training configurations, launch scripts, job manifests and C++ that "
      "builds plans; works "
      "out the plan that they describe together; and says what will refuse to start, hang, train something else than was written, run out "
      "of "
      "memory or be silently changed, with the place to change and edits that were tried. It needs no GPU, no framework and no network.\n"
      ".SH COMMANDS\n";
  for (const CommandHelp& command : commands) {
    out += fmt::format(".SS {} {}\n{}.\n", roff(command.name), roff(command.takes), roff(command.summary));
    for (const OptionHelp& option : command.options)
      out += fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", roff(option.name),
                         option.value.empty() ? "" : fmt::format("\\fI{}\\fR", roff(option.value)), roff(option.whole()));
  }
  return out +
         ".SH EXIT STATUS\n.TP\n0\nNothing at or above the level of \\fB\\-\\-fail\\-on\\fR was found.\n.TP\n1\nSomething "
         "was.\n.TP\n2\nWrong usage or "
         "settings; a file that cannot be read.\n.TP\n3\nA fault in shardlint.\n"
         ".SH ENVIRONMENT\n.TP\nNO_COLOR\nNo colours, unless \\fB\\-\\-color always\\fR asks for them.\n.TP\nSHARDLINT_SITE\nThe site's "
         "settings that "
         "\\fBsubmit\\fR uses.\n.TP\nSHARDLINT_BYPASS\nThe reason to submit a job that is refused.\n"
         ".SH FILES\n.TP\nshardlint.toml\nSettings of a project, found upward from each file.\n.TP\n/etc/shardlint/site.toml\nSettings of "
         "a cluster.\n"
         ".SH SEE ALSO\n.BR sbatch (1),\n" SHARDLINT_HOMEPAGE "\n";
}

}  // namespace

Outcome run_completions(const Options& options, const TextStyle&) {
  const std::vector<CommandHelp> commands = command_table();
  const std::string& shell = *options.topic;
  Outcome out;
  out.output = shell == "bash" ? bash(commands) : shell == "zsh" ? zsh(commands) : fish(commands);
  return out;
}

Outcome run_manual(const Options&, const TextStyle&) {
  Outcome out;
  out.output = manual(command_table());
  return out;
}

}  // namespace shardlint
