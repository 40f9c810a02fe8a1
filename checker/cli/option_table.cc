#include "checker/cli/option_table.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace shardlint {

namespace {

constexpr CommandRow kCommands[] = {
    {"check", Command::Check, "[OPTION...] [PATH...] [-- KEY=VALUE...]",
     "find what is wrong in training configs (default: the current folder)"},
    {"init", Command::Init, "[OPTION...]", "write a shardlint.toml to begin with"},
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
    {"--format", "FORMAT", "how it is written", kPrints, set_format},
    {"--output", "FORMAT=FILE", "write it there too, in this format; may be given several times", kCheck, add_output},
    {"--output-file", "FILE", "write there instead of to standard output", kPrints | bit(Command::Schema) | bit(Command::Completions) | bit(Command::Manual), [](Options& o, const Word& w) { return o.output_file = w.text, std::string(); }},
    {"--color", "WHEN", "colours", kPrints | bit(Command::Explain), set_color},
    {"--nodes", "N", "servers in the job", kCluster, field<"nodes">},
    {"--gpus-per-node", "N", "GPUs in one server", kCluster, field<"gpus_per_node">},
    {"--world-size", "N", "ranks: processes that each drive one GPU", kCluster, field<"world_size">},
    {"--nvlink-domain", "N", "GPUs joined by NVLink", kCluster, field<"nvlink_domain">},
    {"--gpu", "MODEL", "GPU model: H100, B200, MI300X ...", kCluster, field<"gpu">},
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
    {"--fail-on", "LEVEL", "exit 1 from this level on", kCheck | bit(Command::Config), [](Options& o, const Word& w) { FailOn level{}; std::string wrong = store(read_fail_on(w.text), level); o.check.command_line.rules.fail_on = level; return wrong; }},
    {"--preview", "", "judge by rules that are new and may still change", kJudges, [](Options& o, const Word&) { return o.check.command_line.rules.preview = true, std::string(); }},
    {"--changed-since", "REV", "only runs that read a file changed since this revision, which git is asked for", kCheck, [](Options& o, const Word& w) { return o.changed_since = w.text, std::string(); }},
    {"--concerning", "", "the PATHs are what changed: check the runs below the current folder that read them", kCheck, flag<&Options::concerning>},
    {"--no-follow", "", "read the named files alone, and nothing that they name", kRuns, [](Options& o, const Word&) { return o.check.follow = false, std::string(); }},
    {"--sbatch", "OPTION=VALUE", "what a launch script is submitted with, over its directives: --sbatch nodes=4", kRuns, add_sbatch},
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

}  // namespace

std::span<const CommandRow> command_rows() { return kCommands; }
std::span<const OptionRow> option_rows() { return kOptions; }
std::span<const FormatRow> format_rows() { return kFormats; }

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

}  // namespace shardlint
