#include "checker/cli/options.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace shardlint {

namespace {

struct CommandRow {
  std::string_view name;
  Command command;
  std::string_view takes, summary;
};

constexpr CommandRow kCommands[] = {
    {"check", Command::Check, "[OPTION...] [PATH...] [-- KEY=VALUE...]",
     "find what is wrong in training configs (default: the current folder)"},
    {"submit", Command::Submit, "[SBATCH-OPTION...] SCRIPT [ARGUMENT...]", "check what sbatch is called with, then call it"},
    {"baseline", Command::Baseline, "[OPTION...] [PATH...]", "let what is found today stand: only new findings fail from then on"},
    {"config", Command::Config, "[OPTION...] [PATH...]", "show the settings that hold for a path, and where each of them is written"},
    {"plan", Command::Plan, "[OPTION...] PATH... [-- KEY=VALUE...]",
     "show the plan that a config describes, and where each value comes from"},
    {"diff", Command::Diff, "[OPTION...] A B [-- KEY=VALUE...]",
     "say what is different between two plans, in meaning: exit 0 if nothing, 1 if something is"},
    {"explain", Command::Explain, "NAME", "say what a rule or constraint checks and why"},
    {"rules", Command::Rules, "[OPTION...]", "list the rules and constraints"},
    {"schemas", Command::Schemas, "[OPTION...]", "list the frameworks that are known"},
    {"schema", Command::Schema, "[OPTION...] NAME", "export a framework's keys as a JSON Schema, for editors"},
    {"completions", Command::Completions, "bash|zsh|fish", "print completions of this command line for a shell"},
    {"manual", Command::Manual, "", "print the manual page, as roff"},
    {"lsp", Command::Lsp, "", "serve an editor: the Language Server Protocol on standard input and output"},
    {"help", Command::Help, "[COMMAND]", "show this, or a command's options"},
    {"version", Command::Version, "", "print the version"},
};

const CommandRow& row_of(Command command) {
  return *std::find_if(std::begin(kCommands), std::end(kCommands), [&](const CommandRow& row) { return row.command == command; });
}

const CommandRow* command_named(std::string_view name) {
  const auto* row = std::find_if(std::begin(kCommands), std::end(kCommands), [&](const CommandRow& r) { return r.name == name; });
  return row == std::end(kCommands) ? nullptr : row;
}

std::string unknown_command(std::string_view word) {
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands) names.push_back(row.name);
  if (word.find_first_of("./") != std::string_view::npos) return fmt::format("no command `{0}`; did you mean `check {0}`?", word);
  return fmt::format("no command `{}`{}", word, did_you_mean(word, names));
}

// Each setter returns what is wrong with the value; empty if nothing.
struct Word {
  std::string_view text;
  Place place;
};
using Setter = std::string (*)(Options&, const Word&);

struct OptionRow {
  std::string_view name, value, help;
  unsigned commands;
  Setter set;
};

constexpr unsigned bit(Command command) { return 1u << static_cast<unsigned>(command); }
constexpr unsigned kCheck = bit(Command::Check), kPlan = bit(Command::Plan),
                   kJudges = kCheck | bit(Command::Baseline) | bit(Command::Config), kRuns = kJudges | kPlan | bit(Command::Diff),
                   kPrints = kCheck | kPlan | bit(Command::Diff) | bit(Command::Rules) | bit(Command::Schemas);

template <class T>
std::string store(const Checked<T>& checked, T& into) {
  if (checked.value) into = *checked.value;
  return checked.error;
}

template <bool Options::*member>
std::string flag(Options& options, const Word&) {
  options.*member = true;
  return "";
}
template <bool CheckOptions::*member>
std::string flag(Options& options, const Word&) {
  options.check.*member = true;
  return "";
}

std::string add_field(Options& options, std::string_view field, const Word& word) {
  const Checked<Value> checked = read_field(field, field == "gpu" ? Value(word.text) : read_plain(word.text));
  if (!checked.value) return checked.error;
  Fact fact;
  fact.path = fact.spelled = field;
  fact.value = *checked.value;
  fact.place = fact.key_place = word.place;
  fact.way = Way::Setting;
  options.check.command_line.facts.push_back(std::move(fact));
  return "";
}

std::string set_field(Options& options, const Word& word) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string_view::npos || equals == 0) return fmt::format("`{}` sets nothing; write FIELD=VALUE", word.text);
  Word value{word.text.substr(equals + 1), word.place};
  value.place.range.begin += static_cast<std::uint32_t>(equals + 1);
  const std::string_view name = word.text.substr(0, equals);
  const std::string error = add_field(options, name, value);
  // `plan` asks what would be; so it takes the framework's own keys too, as they stand behind `--`.
  if (error.empty() || options.command != Command::Plan || field_named(name) || name.starts_with("env.") ||
      error.find("did you mean") != std::string::npos)
    return error;
  const OverrideWord words[] = {{std::string(word.text), word.place}};
  const Checked<Facts> made = read_overrides(words);
  if (!made.value) return made.error;
  options.check.overrides.insert(options.check.overrides.end(), made.value->begin(), made.value->end());
  options.keys.emplace_back(name);
  return "";
}

std::string add_sbatch(Options& options, const Word& word) {
  std::string_view name = word.text;
  while (name.starts_with('-')) name.remove_prefix(1);
  const std::size_t equals = name.find('=');
  if (equals == std::string_view::npos || equals == 0) return fmt::format("`{}` gives no value; write OPTION=VALUE", word.text);
  options.check.sbatch.push_back({std::string(name.substr(0, equals)), std::string(name.substr(equals + 1)), word.place});
  return "";
}

std::string add_patterns(std::vector<std::string>& into, std::string_view list) {
  for (std::string_view rest = list;;) {
    const std::size_t comma = rest.find(',');
    if (std::string error = pattern_error(rest.substr(0, comma)); !error.empty()) return error;
    into.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) return "";
    rest.remove_prefix(comma + 1);
  }
}

std::string set_severity(Options& options, const Word& word) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string_view::npos) return fmt::format("`{}` sets no level; write NAME=LEVEL", word.text);
  const std::string_view pattern = word.text.substr(0, equals);
  if (std::string error = pattern_error(pattern); !error.empty()) return error;
  const Checked<Severity> level = read_severity(word.text.substr(equals + 1));
  if (level.value) options.check.command_line.rules.severity.emplace_back(pattern, *level.value);
  return level.error;
}

std::string set_framework(Options& options, const Word& word) {
  const auto choice = read_framework(word.text);
  if (!choice.value) return choice.error;
  options.check.command_line.framework = choice.value->first;
  if (!choice.value->second.empty()) options.check.command_line.versions.push_back(*choice.value);
  return "";
}

struct FormatRow {
  std::string_view name;
  OutputFormat format;
  unsigned commands;
};
constexpr FormatRow kFormats[] = {{"text", OutputFormat::Text, kPrints},    {"json", OutputFormat::Json, kPrints},
                                  {"html", OutputFormat::Html, kPlan},      {"sarif", OutputFormat::Sarif, kCheck},
                                  {"github", OutputFormat::Github, kCheck}, {"gitlab", OutputFormat::Gitlab, kCheck},
                                  {"junit", OutputFormat::Junit, kCheck},   {"checkstyle", OutputFormat::Checkstyle, kCheck}};

Checked<OutputFormat> read_format(std::string_view text, Command command) {
  std::vector<std::string_view> names;
  for (const FormatRow& row : kFormats) {
    if (!(row.commands & bit(command))) continue;
    if (row.name == text) return {row.format, ""};
    names.push_back(row.name);
  }
  for (const FormatRow& row : kFormats)
    if (row.name == text)
      return {std::nullopt, fmt::format("`{}` writes no {}; there are `{}`", row_of(command).name, text, fmt::join(names, "`, `"))};
  return {std::nullopt, fmt::format("no format `{}`{}", text, did_you_mean(text, names))};
}

std::string set_format(Options& options, const Word& word) { return store(read_format(word.text, options.command), options.format); }

std::string add_output(Options& options, const Word& word) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == word.text.size())
    return fmt::format("`{}` names no format and file; write FORMAT=FILE, as in sarif=shardlint.sarif", word.text);
  const Checked<OutputFormat> format = read_format(word.text.substr(0, equals), options.command);
  if (format.value) options.outputs.emplace_back(*format.value, word.text.substr(equals + 1));
  return format.error;
}

std::string set_color(Options& options, const Word& word) {
  constexpr std::string_view choices[] = {"auto", "always", "never"};
  for (std::size_t i = 0; i < std::size(choices); ++i)
    if (word.text == choices[i]) return options.color = static_cast<Color>(i), "";
  return fmt::format("no choice `{}`{}", word.text, did_you_mean(word.text, choices));
}

std::string set_jobs(Options& options, const Word& word) {
  const auto [end, error] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), options.check.jobs);
  const bool fits =
      error == std::errc() && end == word.text.data() + word.text.size() && options.check.jobs >= 1 && options.check.jobs <= 1024;
  return fits ? "" : fmt::format("`{}` is no number of threads", word.text);
}

std::string add_sweep(Options& options, const Word& word) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == word.text.size())
    return fmt::format("`{}` sweeps nothing; write NAME=VALUE,VALUE...", word.text);
  auto& [name, values] = options.sweep.emplace_back(word.text.substr(0, equals), std::vector<Value>());
  for (std::string_view rest = word.text.substr(equals + 1);;) {
    const std::size_t comma = rest.find(',');
    const std::string_view text = rest.substr(0, comma);
    if (text.empty()) return fmt::format("`{}` has an empty value", word.text);
    Value value = name == "gpu" ? Value(text) : read_plain(text);
    if (field_named(name)) {
      const Checked<Value> checked = read_field(name, value);
      if (!checked.value) return checked.error;
      value = *checked.value;
    }
    values.push_back(std::move(value));
    if (comma == std::string_view::npos) return "";
    rest.remove_prefix(comma + 1);
  }
}

std::string set_limit(Options& options, const Word& word) {
  const auto [end, error] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), options.limit);
  const bool fits = error == std::errc() && end == word.text.data() + word.text.size() && options.limit >= 1;
  return fits ? "" : fmt::format("`{}` is no number of rows", word.text);
}

std::string set_rank(Options& options, const Word& word) {
  i64 rank = -1;
  const auto [end, error] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), rank);
  if (error != std::errc() || end != word.text.data() + word.text.size() || rank < 0)
    return fmt::format("`{}` is no rank; they count from 0", word.text);
  options.rank = rank;
  return "";
}

template <std::size_t length>
struct FieldName {
  char text[length];
  consteval FieldName(const char (&name)[length]) { std::copy_n(name, length, text); }
};
template <FieldName name>
std::string field(Options& options, const Word& word) {
  return add_field(options, name.text, word);
}

// One option a row, however long.
// clang-format off
constexpr OptionRow kOptions[] = {
    {"--format", "FORMAT", "text (default) or json; check: or sarif, github, gitlab, junit, checkstyle; plan: or html, a picture in one file", kPrints, set_format},
    {"--output", "FORMAT=FILE", "write it there too, in this format; may be given several times", kCheck, add_output},
    {"--output-file", "FILE", "write there instead of to standard output", kPrints | bit(Command::Schema) | bit(Command::Completions) | bit(Command::Manual), [](Options& o, const Word& w) { return o.output_file = w.text, std::string(); }},
    {"--color", "WHEN", "auto (default), always or never", kPrints | bit(Command::Explain), set_color},
    {"--nodes", "N", "servers in the job", kRuns, field<"nodes">},
    {"--gpus-per-node", "N", "GPUs in one server", kRuns, field<"gpus_per_node">},
    {"--world-size", "N", "ranks: processes that each drive one GPU", kRuns, field<"world_size">},
    {"--nvlink-domain", "N", "GPUs joined by NVLink", kRuns, field<"nvlink_domain">},
    {"--gpu", "MODEL", "GPU model: H100, B200, MI300X ...", kRuns, field<"gpu">},
    {"--set", "FIELD=VALUE", "any other field of the plan, or env.NAME; plan: or a key of the framework", kRuns, set_field},
    {"--sweep", "NAME=V,V,...", "a table of plans with each of these values; several: every combination", kPlan, add_sweep},
    {"--search", "", "lay the model out on the cluster: the splits that pass the law and fit, by time of a step", kPlan, flag<&Options::search>},
    {"--model", "NAME", "with --search and no file: a public model, such as meta-llama/Meta-Llama-3-70B", kPlan, [](Options& o, const Word& w) { return o.model = w.text, std::string(); }},
    {"--limit", "N", "rows of a sweep or search (default 10)", kPlan, set_limit},
    {"--rank", "N", "who the partners of this GPU are, on which servers and links", kPlan, set_rank},
    {"--framework", "NAME[@VERSION]", "take the files for this framework's", kRuns, set_framework},
    {"--select", "NAME,...", "only these rules, families or frameworks", kJudges, [](Options& o, const Word& w) { return add_patterns(o.check.command_line.rules.select, w.text); }},
    {"--ignore", "NAME,...", "all but these", kJudges, [](Options& o, const Word& w) { return add_patterns(o.check.command_line.rules.ignore, w.text); }},
    {"--severity", "NAME=LEVEL", "say it as error, warning or info", kJudges, set_severity},
    {"--fail-on", "LEVEL", "exit 1 on error (default), warning or never", kCheck | bit(Command::Config), [](Options& o, const Word& w) { FailOn level{}; std::string wrong = store(read_fail_on(w.text), level); o.check.command_line.rules.fail_on = level; return wrong; }},
    {"--preview", "", "judge by rules that are new and may still change", kJudges, [](Options& o, const Word&) { return o.check.command_line.rules.preview = true, std::string(); }},
    {"--changed-since", "REV", "only runs that read a file changed since this revision, which git is asked for", kCheck, [](Options& o, const Word& w) { return o.changed_since = w.text, std::string(); }},
    {"--concerning", "", "the PATHs are what changed: check the runs below the current folder that read them", kCheck, flag<&Options::concerning>},
    {"--no-follow", "", "read the named files alone, and nothing that they name", kRuns, [](Options& o, const Word&) { return o.check.follow = false, std::string(); }},
    {"--sbatch", "OPTION=VALUE", "what a launch script is submitted with, over its directives: nodes=4", kRuns, add_sbatch},
    {"--site", "FILE", "a cluster's site.toml: its settings, what refuses a job, who may pass", kCheck, [](Options& o, const Word& w) { return o.site = w.text, std::string(); }},
    {"--submitter", "NAME", "who submits, for the site's log", kCheck, [](Options& o, const Word& w) { return o.submitter = w.text, std::string(); }},
    {"--advice", "", "show advice too", kCheck, flag<&CheckOptions::advice>},
    {"--fix", "", "make the safe fixes in the files", kCheck, flag<&Options::fix>},
    {"--unsafe-fixes", "", "make the checked fixes too, which change the plan: writes the files, with or without --fix", kCheck, flag<&Options::unsafe_fixes>},
    {"--diff", "", "print what --fix would change, and change nothing", kCheck, flag<&Options::diff>},
    {"--add-ignores", "REASON", "write a comment that ignores it to each finding", kCheck, [](Options& o, const Word& w) { return o.add_ignores = w.text, std::string(); }},
    {"--all", "", "list the constraints one by one", bit(Command::Rules), flag<&Options::all>},
    {"--all-files", "", "check files that belong to no [[run]] too", kRuns, flag<&CheckOptions::all_files>},
    {"--quiet", "", "print nothing where nothing is found", kCheck, flag<&Options::quiet>},
    {"--statistics", "", "count the findings by rule", kCheck, flag<&Options::statistics>},
    {"--not-evaluated", "", "say which values would settle what could not be checked", kCheck, flag<&Options::not_evaluated>},
    {"--stdin-filename", "FILE", "the name of what is read from standard input (PATH -)", kRuns, [](Options& o, const Word& w) { return o.check.stdin_name = w.text, std::string(); }},
    {"--config", "FILE", "use this shardlint.toml for all files", kRuns, [](Options& o, const Word& w) { return o.check.config = w.text, std::string(); }},
    {"--isolated", "", "use no shardlint.toml", kRuns, flag<&CheckOptions::isolated>},
    {"--jobs", "N", "threads (default: as many as the machine has)", kRuns, set_jobs},
    {"--json-schema", "", "JSON Schema, draft 7 (the one format there is)", bit(Command::Schema), [](Options&, const Word&) { return std::string(); }},
    {"--help", "", "show a command's options", ~0u, nullptr},
};
// clang-format on

class Parser {
 public:
  explicit Parser(std::span<const std::string> arguments) : arguments_(arguments) {
    std::string line = "shardlint";
    for (const std::string& argument : arguments) {
      starts_.push_back(static_cast<std::uint32_t>(line.size() + 1));
      line += " " + argument;
    }
    line_ = std::make_shared<const Source>("<command line>", std::move(line));
  }

  Checked<Options> parse() {
    if (arguments_.empty() || arguments_[0] == "--help" || arguments_[0] == "-h") return {Options{}, ""};
    if (arguments_[0] == "--version" || arguments_[0] == "-V") {
      options_.command = Command::Version;
      return {std::move(options_), ""};
    }
    const CommandRow* command = command_named(arguments_[0]);
    if (!command)
      return {std::nullopt, arguments_[0].starts_with('-') ? fmt::format("`{}` needs a command before it, such as `check`", arguments_[0])
                                                           : unknown_command(arguments_[0])};
    options_.command = command->command;

    if (options_.command == Command::Submit) return submit();
    std::vector<std::size_t> words;
    bool help = false;
    for (at_ = 1; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      if (argument == "--") break;
      if (argument == "-h" || argument == "--help")
        help = true;
      else if (argument.size() > 1 && argument[0] == '-') {
        if (std::string error = option(argument); !error.empty()) return {std::nullopt, std::move(error)};
      } else
        words.push_back(at_);
    }
    if (help) {
      options_.topic = command->name;
      options_.command = Command::Help;
      return {std::move(options_), ""};
    }
    std::string error = take_words(words);
    if (error.empty()) error = take_overrides();
    if (error.empty()) error = agree();
    if (!error.empty()) return {std::nullopt, std::move(error)};
    return {std::move(options_), ""};
  }

 private:
  // All words are sbatch's.
  Checked<Options> submit() {
    const std::string first = arguments_.size() > 1 ? arguments_[1] : "";
    if (first == "-h" || first == "--help") {
      options_.topic = "submit";
      options_.command = Command::Help;
    }
    options_.words.assign(arguments_.begin() + 1, arguments_.end());
    return {std::move(options_), ""};
  }

  Place place(std::size_t argument, std::size_t from = 0) const {
    const std::uint32_t start = starts_[argument];
    return {line_, {start + static_cast<std::uint32_t>(from), start + static_cast<std::uint32_t>(arguments_[argument].size())}};
  }

  // `--name=value`, `--name value` or `--name`.
  std::string option(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const auto* row = std::find_if(std::begin(kOptions), std::end(kOptions), [&](const OptionRow& r) { return r.name == name; });
    if (row == std::end(kOptions)) {
      std::vector<std::string_view> names;
      for (const OptionRow& r : kOptions)
        if (r.commands & bit(options_.command)) names.push_back(r.name);
      return fmt::format("no option `{}`{}", name, did_you_mean(name, names));
    }
    if (!(row->commands & bit(options_.command))) return fmt::format("`{}` takes no `{}`", row_of(options_.command).name, name);
    Word word;
    if (row->value.empty()) {
      if (equals != std::string_view::npos) return fmt::format("`{}` takes no value", name);
    } else if (equals != std::string_view::npos) {
      word = {argument.substr(equals + 1), place(at_, equals + 1)};
    } else if (at_ + 1 < arguments_.size() && arguments_[at_ + 1] != "--") {
      ++at_;
      word = {arguments_[at_], place(at_)};
    } else {
      return fmt::format("`{}` needs a value: {}", name, row->value);
    }
    if (!row->value.empty() && word.text.empty()) return fmt::format("`{}` needs a value: {}", name, row->value);
    const std::string error = row->set(options_, word);
    return error.empty() ? "" : fmt::format("{}: {}", name, error);
  }

  std::string take_words(const std::vector<std::size_t>& words) {
    const Command command = options_.command;
    if (bit(command) & kRuns) {
      for (std::size_t i : words) {
        std::vector<std::string>& paths = options_.check.paths;
        if (arguments_[i].empty()) return "an empty word is no path";
        if (arguments_[i] != "-" || std::find(paths.begin(), paths.end(), "-") == paths.end()) paths.push_back(arguments_[i]);
      }
      if (command == Command::Diff) return words.size() == 2 ? "" : fmt::format("`diff` takes two paths, not {}", words.size());
      if (command == Command::Plan && options_.search && options_.model) {
        if (!words.empty()) return "`--model` names the model instead of a path";
        return "";
      }
      // Where standard input has a name, it is meant to be read.
      const bool named = options_.check.stdin_name != CheckOptions().stdin_name;
      if (words.empty() && named)
        options_.check.paths.emplace_back("-");
      else if (words.empty() && command == Command::Plan)
        return "`plan` needs a path";
      else if (words.empty())
        options_.check.paths.emplace_back(".");
      if (words.empty() && options_.concerning) return "`--concerning` needs the paths that changed";
      return "";
    }
    const bool topical =
        command == Command::Explain || command == Command::Help || command == Command::Schema || command == Command::Completions;
    if (command == Command::Schema && words.empty()) return "`schema` needs a name; `shardlint schemas` lists them";
    if (command == Command::Completions && words.empty()) return "`completions` needs a shell: bash, zsh or fish";
    if (command == Command::Explain && words.empty()) return "`explain` needs a name; `shardlint rules` lists them";
    if (words.size() > (topical ? 1 : 0))
      return fmt::format("`{}` is one word too many for `{}`", arguments_[words.back()], row_of(command).name);
    if (!words.empty()) options_.topic = arguments_[words[0]];
    if (command == Command::Completions) {
      constexpr std::string_view shells[] = {"bash", "zsh", "fish"};
      if (std::find(std::begin(shells), std::end(shells), *options_.topic) == std::end(shells))
        return fmt::format("no completions for `{}`{}", *options_.topic, did_you_mean(*options_.topic, shells));
    }
    if (command == Command::Help && options_.topic && !command_named(*options_.topic)) return unknown_command(*options_.topic);
    return "";
  }

  // What stands behind `--`.
  std::string take_overrides() {
    if (at_ < arguments_.size() && !(bit(options_.command) & kRuns))
      return fmt::format("`{}` takes nothing behind `--`", row_of(options_.command).name);
    std::vector<OverrideWord> words;
    for (++at_; at_ < arguments_.size(); ++at_) words.push_back({arguments_[at_], place(at_)});
    Checked<Facts> made = read_overrides(words);
    if (made.value) options_.check.overrides.insert(options_.check.overrides.end(), made.value->begin(), made.value->end());
    return made.error;
  }

  std::string agree() const {
    if (std::string error = contradiction(options_.check.command_line.facts); !error.empty()) return error;
    if (options_.check.isolated && options_.check.config) return "`--isolated` and `--config` exclude each other";
    const bool from_input = std::find(options_.check.paths.begin(), options_.check.paths.end(), "-") != options_.check.paths.end();
    if (from_input && options_.check.stdin_name == CheckOptions().stdin_name)
      return "what is read from standard input needs a name that says what it is: --stdin-filename job.yaml";
    if (from_input && (options_.fix || options_.unsafe_fixes) && !options_.diff)
      return "`--fix` cannot write to standard input; `--diff` prints what it would change";
    if (from_input && (options_.concerning || options_.add_ignores)) return "standard input has no place in a folder";
    if (options_.concerning && options_.changed_since) return "`--concerning` and `--changed-since` exclude each other";
    if (options_.add_ignores && (options_.fix || options_.unsafe_fixes)) return "`--add-ignores` and `--fix` exclude each other";
    if (options_.add_ignores &&
        std::any_of(options_.add_ignores->begin(), options_.add_ignores->end(), [](unsigned char c) { return c < 0x20; }))
      return "--add-ignores: a reason is one line";
    if (options_.diff && options_.format != OutputFormat::Text) return "`--diff` prints a diff, which is no other format";
    for (std::size_t i = 0; i < options_.outputs.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (options_.outputs[i].second == options_.outputs[j].second)
          return fmt::format("two outputs go to {}", options_.outputs[i].second);
    if (options_.model && !options_.search) return "`--model` goes with `--search`";
    if (options_.search && !options_.sweep.empty()) return "`--search` and `--sweep` exclude each other";
    if (options_.format == OutputFormat::Html && (options_.search || !options_.sweep.empty()))
      return "a sweep or search is written as text or json";
    return "";
  }

  std::span<const std::string> arguments_;
  std::vector<std::uint32_t> starts_;  // of the arguments in line_
  SourcePtr line_;
  Options options_;
  std::size_t at_ = 0;
};

}  // namespace

Checked<Options> read_options(std::span<const std::string> arguments) { return Parser(arguments).parse(); }

std::vector<CommandHelp> command_table() {
  std::vector<CommandHelp> out;
  for (const CommandRow& row : kCommands) {
    CommandHelp& command = out.emplace_back(CommandHelp{row.name, row.takes, row.summary, {}});
    for (const OptionRow& option : kOptions) {
      if (!option.set || !(option.commands & bit(row.command))) continue;
      OptionHelp& help = command.options.emplace_back(OptionHelp{option.name, option.value, option.help});
      if (option.name == "--format")
        for (const FormatRow& format : kFormats)
          if (format.commands & bit(row.command)) help.choices.push_back(format.name);
      if (option.name == "--color") help.choices = {"auto", "always", "never"};
      if (option.name == "--fail-on") help.choices = {"error", "warning", "never"};
    }
  }
  return out;
}

std::string help_text(std::optional<std::string_view> command) {
  const CommandRow* row = command ? command_named(*command) : nullptr;
  if (!row) {
    std::string out = "shardlint checks distributed-training jobs before they are submitted.\n\nusage: shardlint COMMAND [ARGUMENT...]\n\n";
    for (const CommandRow& r : kCommands) out += fmt::format("  {:<11} {}\n", r.name, r.summary);
    return out +
           "\n`shardlint help COMMAND` shows a command's options. Exit codes: 0 nothing found, 1 findings, 2 wrong usage or settings,\n"
           "3 a fault in shardlint.\n";
  }
  std::string out = fmt::format("{}\n\nusage: shardlint {}{}{}\n", row->summary, row->name, row->takes.empty() ? "" : " ", row->takes);
  std::string options;
  for (const OptionRow& option : kOptions)
    if (option.set && (option.commands & bit(row->command)))
      options +=
          fmt::format("  {:<30} {}\n", fmt::format("{}{}{}", option.name, option.value.empty() ? "" : " ", option.value), option.help);
  if (!options.empty()) out += "\n" + options;
  if (row->command == Command::Submit)
    out +=
        "\nAll options are sbatch's. /etc/shardlint/site.toml, or the file that SHARDLINT_SITE names, says what holds on this cluster.\n"
        "A job that is refused passes with a reason: SHARDLINT_BYPASS='why' shardlint submit ...\n";
  if (bit(row->command) & kRuns) out += "\nBehind `--` stand the framework's own overrides: -- trainer.num_nodes=4\n";
  return out;
}

}  // namespace shardlint
