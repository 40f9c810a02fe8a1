#include "checker/engine/site.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "checker/engine/own_law.h"
#include "checker/engine/settings_tables.h"
#include "checker/launch/slurm.h"
#include "checker/shell/script.h"

namespace shardlint {

namespace {

using Row = SettingsTables::Row;

class Reader {
 public:
  Reader(Site& out, DocumentPtr document, const Files& files) : out_(out), files_(files), tables_(std::move(document), out.errors) {}

  void read() {
    const Node* root = tables_.root();
    if (!root) return;
    std::vector<Row> rows = tables_.settings(out_.settings, "");
    rows.push_back({"gate", [this](const Entry& entry) { gate(entry); }});
    rows.push_back({"partition", [this](const Entry& entry) {
                      tables_.tables(entry, "partition", [this](const Node& node, Range at) { partition(node, at); });
                    }});
    const auto law = std::make_shared<OwnLaw>("site");
    for (Row& row : tables_.constraints(*law, files_, folder_of(out_.path))) rows.push_back(std::move(row));
    tables_.rows(*root, "", rows);
    tables_.agree(out_.settings.facts);
    law->compile(out_.errors);
    if (!law->empty()) out_.law = law;
  }

 private:
  void gate(const Entry& entry) {
    static constexpr std::string_view kVerdicts[] = {"accept", "refuse"};
    const auto text = [this](std::string& into, std::string_view name) {
      return [this, &into, name](const Entry& e) {
        if (const std::string* written = tables_.text(e, name)) into = *written;
      };
    };
    const auto verdict = [this](std::string_view name) { return [this, name](const Entry& e) { tables_.choice(e, name, kVerdicts); }; };
    tables_.table(entry, "gate",
                  {{"program", [this](const Entry& e) { tables_.text(e, "gate.program"); }},
                   {"time-limit", [this](const Entry& e) { tables_.positive(e, "gate.time-limit"); }},
                   {"when-missing", verdict("gate.when-missing")},
                   {"when-failing", verdict("gate.when-failing")},
                   {"refuse", [this](const Entry& e) { out_.refuse = tables_.patterns(e, "gate.refuse"); }},
                   {"bypass", [this](const Entry& e) { bypass(e); }},
                   {"log", text(out_.log, "gate.log")},
                   {"default-partition", text(out_.default_partition, "gate.default-partition")}});
  }

  void bypass(const Entry& entry) {
    out_.bypass_by_comment = out_.bypass_by_variable = false;
    for (const Item* item : tables_.text_items(entry, "gate.bypass")) {
      const std::string& way = *item->value->value->text();
      static constexpr std::string_view kWays[] = {"comment", "variable"};
      if (way == kWays[0])
        out_.bypass_by_comment = true;
      else if (way == kWays[1])
        out_.bypass_by_variable = true;
      else
        tables_.complain(item->value_range, fmt::format("nothing is bypassed by `{}`{}", way, did_you_mean(way, kWays)));
    }
  }

  void partition(const Node& node, Range at) {
    Site::Partition made;
    std::vector<Row> rows = tables_.settings(made.settings, "partition");
    rows.push_back({"names", [&](const Entry& entry) { made.names = tables_.texts(entry, "partition.names"); }});
    rows.push_back({"gpu-types", [&](const Entry& entry) { made.gpu_types = tables_.texts(entry, "partition.gpu-types"); }});
    tables_.rows(node, "partition", rows);
    tables_.agree(made.settings.facts);
    if (made.names.empty() && made.gpu_types.empty()) return tables_.complain(at, "this table says neither `names` nor `gpu-types`");
    out_.partitions.push_back(std::move(made));
  }

  Site& out_;
  const Files& files_;
  SettingsTables tables_;
};

bool any_matches(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return glob_matches(glob, name); });
}

// The GPU's type in "gpu:a100:8", "gres:gpu:a100:8" or "a100:8"; empty if it names none.
std::string gpu_type(const SbatchOption& option) {
  std::string_view text = option.value;
  if (option.name == "gres") {
    const std::size_t gpu = text.find("gpu:");
    if (gpu == std::string_view::npos) return "";
    text = text.substr(gpu + 4, text.find(',', gpu) - gpu - 4);
  } else if (option.name != "gpus" && option.name != "gpus-per-node" && option.name != "gpus-per-task") {
    return "";
  }
  const std::string_view type = text.substr(0, text.find(':'));
  return type.find_first_not_of("0123456789") == std::string_view::npos ? "" : std::string(type);
}

}  // namespace

bool Site::refuses(const Finding& finding) const {
  return finding.severity == Severity::Error && std::any_of(refuse.begin(), refuse.end(), [&](const std::string& pattern) {
           return pattern == "all" || means(pattern, finding.rule, finding.family, finding.also);
         });
}

Site read_site(const Files& files, const std::string& path) {
  Site out;
  out.path = path;
  Files::Read read = files.read(path);
  if (read.text)
    Reader(out, read_document(std::make_shared<const Source>(path, std::move(*read.text)), Format::Toml), files).read();
  else
    out.errors.push_back(fmt::format("{}: {}", path, read.error));
  return out;
}

Settings settings_for(const Site& site, const std::vector<SbatchOption>& options) {
  std::string partition = site.default_partition, type;
  for (const SbatchOption& option : options) {
    if (option.name == "partition") partition = option.value;
    if (const std::string named = gpu_type(option); !named.empty()) type = named;
  }
  Settings out = site.settings;
  for (const Site::Partition& table : site.partitions) {
    // Of several partitions Slurm takes the one that starts the job first: what holds must hold in each.
    std::istringstream names(partition);
    bool fits = !partition.empty() || table.names.empty();
    for (std::string name; std::getline(names, name, ',');) fits &= table.names.empty() || any_matches(table.names, name);
    if (!table.gpu_types.empty()) fits &= !type.empty() && any_matches(table.gpu_types, type);
    if (fits) out = laid_over(std::move(out), table.settings);
  }
  return out;
}

ScriptSays script_says(const SourcePtr& script) {
  shell::Input input;
  input.code = shell::Text::of(script);
  input.path = script->path();
  ScriptSays out;
  for (const shell::Comment& comment : shell::evaluate(input).comments) {
    const std::string& text = comment.text.flat();
    constexpr std::string_view kBypass = "shardlint: bypass ";
    if (const std::size_t at = text.find(kBypass); at != std::string::npos && text.find_first_not_of("# \t") == at && out.bypass.empty()) {
      out.bypass = text.substr(at + kBypass.size());
      out.bypass.erase(0, out.bypass.find_first_not_of(' '));
      continue;
    }
    if (!comment.line_start || comment.after_command || !text.starts_with("#SBATCH")) continue;
    std::vector<std::string> words;
    std::istringstream line(text.substr(7));
    for (std::string word; line >> word && word[0] != '#';) words.push_back(word);
    for (const launch::SbatchWords::Option& option : launch::sbatch_words(words).options)
      out.options.push_back({option.name, option.value, comment.place});
  }
  return out;
}

}  // namespace shardlint
