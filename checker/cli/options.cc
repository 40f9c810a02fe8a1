#include "checker/cli/options.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "checker/cli/option_table.h"

namespace shardlint {

namespace {

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
    const auto row = std::find_if(option_rows().begin(), option_rows().end(), [&](const OptionRow& r) { return r.name == name; });
    if (row == option_rows().end()) {
      std::vector<std::string_view> names;
      for (const OptionRow& r : option_rows())
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

}  // namespace shardlint
