// shardlint.toml and its command-line twins: what is known of the cluster, which framework, which rules, which runs.
//
// Steps to add a setting: a member here; the row in settings.cc or settings_tables.cc that reads it (it is refused as unknown until then);
// its place in effective(); the option in cli/options.cc if it has one; the table in README.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/document/fact.h"
#include "checker/launch/launch.h"
#include "checker/schema/schema.h"
#include "checker/text/files.h"

namespace shardlint {

class OwnLaw;

// A named run: configs or launch scripts in merge order, with overrides.
struct RunSetting {
  std::string name;
  std::vector<std::string> files;  // relative to the settings file's folder
  std::vector<Place> file_places;
  std::vector<Fact> overrides;  // Way::Override, placed where they are written
  Place place;
};

enum class FailOn { Error, Warning, Never };

// Which findings are shown, and how loudly. A pattern is a rule's name, a family or framework ("batch", "torchtitan"), or "all".
struct RuleSettings {
  std::vector<std::string> select, ignore;
  std::vector<std::pair<std::string, Severity>> severity;
  std::optional<FailOn> fail_on;
  std::optional<bool> preview;  // rules that are new and may still change
};

// A setting that is no fact, as it is written: for `config`.
struct WrittenSetting {
  std::string name, value;
  Place place;
};

struct Settings {
  Facts facts;                           // Way::Setting: [cluster] and --set as canonical fields, [env] as env.NAME; later ones win
  std::optional<std::string> framework;  // forces it
  std::vector<std::pair<std::string, std::string>> versions;  // framework -> version
  RuleSettings rules;
  std::vector<WrittenSetting> written;                  // later ones win, but those of lists
  std::map<std::string, launch::Partition> partitions;  // [cluster.partitions.NAME]: what servers of a Slurm partition have
};

// One shardlint.toml.
struct SettingsFile {
  SourcePtr source;
  std::string folder;          // that holds it
  std::string working_folder;  // that relative paths start from
  Settings settings;
  std::vector<RunSetting> runs;
  struct PerPath {
    std::vector<std::string> globs;  // relative to the folder; * stays inside a folder, ** does not
    Settings settings;
  };
  std::vector<PerPath> per_path;
  std::vector<std::string> bindings;  // [cxx]
  std::vector<std::string> cxx_flags;
  std::shared_ptr<const OwnLaw> law;  // null: none
  std::optional<std::string> baseline;
  Place baseline_place;
  std::vector<std::string> errors;  // "shardlint.toml:3: no setting `foo`; did you mean `for`?": exit code 2
};

// Reads and checks one settings file.
std::shared_ptr<const SettingsFile> read_settings(const Files& files, const std::string& path);

// Finds shardlint.toml upward from a path's folder; null if there is none. Remembers what it read.
class SettingsFinder {
 public:
  // `isolated`: none is ever found. `forced`: this file is used for all.
  SettingsFinder(const Files& files, bool isolated, std::optional<std::string> forced);
  std::shared_ptr<const SettingsFile> for_path(const std::string& path);
  std::shared_ptr<const SettingsFile> in_folder(const std::string& folder);  // only that folder itself
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  const Files& files_;
  std::shared_ptr<const SettingsFile> read(const std::string& path);
  std::shared_ptr<const SettingsFile> upward(const std::string& folder);

  bool isolated_;
  std::optional<std::string> forced_;
  std::map<std::string, std::shared_ptr<const SettingsFile>> read_;   // by path
  std::map<std::string, std::shared_ptr<const SettingsFile>> found_;  // by folder, also those that have none above
  std::vector<std::string> errors_;
};

// What holds for one file: the settings file, its [[per-path]] tables in order, then the command line's.
Settings effective(const SettingsFile* file, const std::string& path, const Settings& command_line);

// `above` over `below`.
Settings laid_over(Settings below, const Settings& above);

// What the counts of a cluster say against each other: "nodes 2 x gpus_per_node 8 is 16, and world_size is 5"; empty if nothing.
std::string contradiction(const Facts& cluster);

// A glob against a path: ?, * (inside a folder), ** (across), [abc].
bool glob_matches(std::string_view glob, std::string_view path);

// ---- what the settings file and the command line check alike

// A value, or why there is none: "no framework `megatrn`; did you mean `megatron`?".
template <class T>
struct Checked {
  std::optional<T> value;
  std::string error;
};

// "NAME" or "NAME@VERSION"; the version is empty if none is given.
Checked<std::pair<std::string, std::string>> read_framework(std::string_view text);
// The value of a canonical field. GPU models are matched loosely: "NVIDIA H100 80GB HBM3" is the H100 of schemas/gpus.tsv.
Checked<Value> read_field(std::string_view field, const Value& written);
// Overrides of the framework as people type them, word by word: `key=value`, `--key=value`, `--key value` (several values make a list)
// and `--flag`, which is true. A value is a number, a boolean or null where OmegaConf would read it so, else text. Dashes stay before a
// key: which frameworks have flags is not known here (see in_form). `wrong`, if given, is set to the word that cannot be read.
struct OverrideWord {
  std::string text;
  Place place;
};
Checked<Facts> read_overrides(std::span<const OverrideWord> words, std::size_t* wrong = nullptr);
// An override as a form of a framework knows it: where keys have names and no flags, `--a.b-c` is the key a.b_c, and `--a.no-b` says that
// b is false.
Fact in_form(Fact override_fact, const Schema& schema, const FormSpec& form);
Checked<Severity> read_severity(std::string_view text);
Checked<FailOn> read_fail_on(std::string_view text);
// Empty if `pattern` selects anything: a rule, a constraint, a family, a framework, or "all".
std::string pattern_error(std::string_view pattern);

// Everything of our own that can be found: the rules, then what is said of files and keys.
std::vector<const RuleInfo*> rule_infos();
// Every name that can be explained, selected or ignored: those first, then each framework's constraints.
std::vector<std::string_view> rule_names();

// "; did you mean `x`?", or "; there are `a`, `b`" where nothing is near and the choice is small, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

// What a plain scalar on a command line is: `8`, `true`, `0.1`, `null`, else text.
Value read_plain(std::string_view text);

}  // namespace shardlint
