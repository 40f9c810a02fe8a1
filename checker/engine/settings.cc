// shardlint.toml: what it says, where it is found, and what holds for a file.
#include "checker/engine/settings.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "checker/engine/own_law.h"
#include "checker/engine/settings_tables.h"
#include "checker/engine/settings_values.h"

namespace shardlint {

namespace {

constexpr std::string_view kFileName = "shardlint.toml";

class Reader {
 public:
  Reader(SettingsFile& out, DocumentPtr document, const Files& files)
      : out_(out), files_(files), tables_(std::move(document), out.errors) {}

  void read() {
    const Node* root = tables_.root();
    if (!root) return;
    std::vector<SettingsTables::Row> rows = tables_.settings(out_.settings, "");
    rows.push_back({"required-version", [this](const Entry& entry) { required_version(entry); }});
    rows.push_back(
        {"run", [this](const Entry& entry) { tables_.tables(entry, "run", [this](const Node& node, Range at) { run(node, at); }); }});
    rows.push_back({"per-path", [this](const Entry& entry) {
                      tables_.tables(entry, "per-path", [this](const Node& node, Range at) { per_path(node, at); });
                    }});
    rows.push_back({"cxx", [this](const Entry& entry) {
                      tables_.table(entry, "cxx",
                                    {{"bindings", [this](const Entry& e) { out_.bindings = tables_.texts(e, "cxx.bindings"); }},
                                     {"flags", [this](const Entry& e) { out_.cxx_flags = tables_.texts(e, "cxx.flags"); }}});
                    }});
    rows.push_back(tables_.gpus(out_.settings));
    rows.push_back({"baseline", [this](const Entry& entry) {
                      const std::string* path = tables_.text(entry, "baseline");
                      if (!path) return;
                      out_.baseline = *path;
                      out_.baseline_place = place(entry.value_range);
                      written("baseline", *path, entry);
                    }});
    const auto law = std::make_shared<OwnLaw>("team");
    for (SettingsTables::Row& row : tables_.constraints(*law, files_, out_.folder)) rows.push_back(std::move(row));
    tables_.rows(*root, "", rows);
    tables_.agree(out_.settings.facts);
    law->compile(out_.errors);
    if (!law->empty()) out_.law = law;
  }

 private:
  Place place(Range range) const { return tables_.document().place(range); }
  void written(std::string name, std::string value, const Entry& entry) {
    out_.settings.written.push_back({std::move(name), std::move(value), place(entry.key_range)});
  }

  void required_version(const Entry& entry) {
    const std::string* text = tables_.text(entry, "required-version");
    if (!text) return;
    written("required-version", *text, entry);
    for (std::string_view rest = *text;;) {
      const std::size_t comma = rest.find(',');
      const std::optional<bool> fit = fits_requirement(rest.substr(0, comma));
      if (!fit) return tables_.complain(entry.value_range, fmt::format("`{}` is no version; write `0.2`, `>=0.2` or `>=0.2, <1`", *text));
      if (!*fit)
        return tables_.complain(entry.value_range,
                                fmt::format("this is shardlint {}, and the project requires {}", SHARDLINT_VERSION, *text));
      if (comma == std::string_view::npos) return;
      rest.remove_prefix(comma + 1);
    }
  }

  // The range of a quoted scalar without its quotes.
  Range inside_quotes(const Node& node) const {
    const std::string_view raw = tables_.document().raw(node.range);
    const std::uint32_t quotes = raw.starts_with("\"\"\"") || raw.starts_with("'''") ? 3 : 1;
    return raw.size() < 2 * quotes ? node.range : Range{node.range.begin + quotes, node.range.end - quotes};
  }

  void run(const Node& node, Range at) {
    const std::size_t before = out_.errors.size();
    RunSetting run;
    run.place = place(at);
    tables_.rows(node, "run",
                 {{"name",
                   [&](const Entry& entry) {
                     if (const std::string* name = tables_.text(entry, "run.name")) run.name = *name;
                   }},
                  {"files",
                   [&](const Entry& entry) {
                     for (const Item* item : tables_.text_items(entry, "run.files")) {
                       run.files.push_back(*item->value->value->text());
                       run.file_places.push_back(place(item->value_range));
                     }
                   }},
                  {"overrides", [&](const Entry& entry) {
                     std::vector<OverrideWord> words;
                     const std::vector<const Item*> items = tables_.text_items(entry, "run.overrides");
                     for (const Item* item : items) words.push_back({item->value->text, place(inside_quotes(*item->value))});
                     std::size_t wrong = 0;
                     Checked<Facts> made = read_overrides(words, &wrong);
                     if (made.value)
                       run.overrides = std::move(*made.value);
                     else
                       tables_.complain(items[wrong]->value_range, made.error);
                   }}});
    if (out_.errors.size() > before) return;
    if (run.files.empty()) return tables_.complain(at, "this run names no `files`");
    if (run.name.empty()) run.name = run.files[0];
    const auto same = [&](const RunSetting& other) { return other.name == run.name; };
    if (std::any_of(out_.runs.begin(), out_.runs.end(), same))
      return tables_.complain(at, fmt::format("there are two runs with the name `{}`", run.name));
    out_.runs.push_back(std::move(run));
  }

  void per_path(const Node& node, Range at) {
    const std::size_t before = out_.errors.size();
    SettingsFile::PerPath made;
    std::vector<SettingsTables::Row> rows = tables_.settings(made.settings, "per-path");
    rows.push_back({"files", [&](const Entry& entry) {
                      for (const Item* item : tables_.text_items(entry, "per-path.files")) {
                        std::string_view glob = *item->value->value->text();
                        while (glob.starts_with("./")) glob.remove_prefix(2);
                        if (const std::string error = glob_error(glob); !error.empty()) tables_.complain(item->value_range, error);
                        made.globs.emplace_back(glob);
                      }
                    }});
    tables_.rows(node, "per-path", rows);
    tables_.agree(made.settings.facts);
    if (out_.errors.size() > before) return;
    if (made.globs.empty()) return tables_.complain(at, "this table names no `files`");
    out_.per_path.push_back(std::move(made));
  }

  SettingsFile& out_;
  const Files& files_;
  SettingsTables tables_;
};

// A count of the cluster that is stated above is meant: what contradicts it below counts no longer.
void settle(Facts& below, const Facts& above) {
  const auto states = [&](std::string_view field) {
    return std::any_of(above.begin(), above.end(), [&](const Fact& fact) { return fact.path == field; });
  };
  Facts both = below;
  both.insert(both.end(), above.begin(), above.end());
  if (contradiction(both).empty()) return;
  const std::string_view gone = !states("world_size") ? "world_size" : !states("nodes") ? "nodes" : "gpus_per_node";
  std::erase_if(below, [&](const Fact& fact) { return fact.path == gone; });
}

void lay_over(Settings& below, const Settings& above) {
  settle(below.facts, above.facts);
  below.facts.insert(below.facts.end(), above.facts.begin(), above.facts.end());
  if (above.framework) below.framework = above.framework;
  below.versions.insert(below.versions.end(), above.versions.begin(), above.versions.end());
  // What is selected here was not meant to be ignored from below.
  if (!above.rules.select.empty()) below.rules.select = above.rules.select;
  for (const std::string& selected : above.rules.select) std::erase(below.rules.ignore, selected);
  below.rules.ignore.insert(below.rules.ignore.end(), above.rules.ignore.begin(), above.rules.ignore.end());
  below.rules.severity.insert(below.rules.severity.end(), above.rules.severity.begin(), above.rules.severity.end());
  for (const auto& [name, partition] : above.partitions) below.partitions.insert_or_assign(name, partition);
  if (above.rules.fail_on) below.rules.fail_on = above.rules.fail_on;
  if (above.rules.preview) below.rules.preview = above.rules.preview;
  below.written.insert(below.written.end(), above.written.begin(), above.written.end());
}

}  // namespace

std::shared_ptr<const SettingsFile> read_settings(const Files& files, const std::string& path) {
  auto out = std::make_shared<SettingsFile>();
  out->folder = normal(folder_of(path));
  out->working_folder = files.working_folder();
  const Files::Read read = files.read(path);
  out->source = std::make_shared<const Source>(path, read.text.value_or(""));
  if (read.text)
    Reader(*out, read_document(out->source, Format::Toml), files).read();
  else
    out->errors.push_back(fmt::format("{}: {}", path, read.error));
  return out;
}

SettingsFinder::SettingsFinder(const Files& files, bool isolated, std::optional<std::string> forced)
    : files_(files), isolated_(isolated), forced_(std::move(forced)) {}

std::shared_ptr<const SettingsFile> SettingsFinder::read(const std::string& path) {
  std::shared_ptr<const SettingsFile>& file = read_[path];
  if (!file) {
    file = read_settings(files_, path);
    errors_.insert(errors_.end(), file->errors.begin(), file->errors.end());
  }
  return file;
}

std::shared_ptr<const SettingsFile> SettingsFinder::upward(const std::string& folder) {
  if (const auto found = found_.find(folder); found != found_.end()) return found->second;
  std::shared_ptr<const SettingsFile> file = in_folder(folder);
  // Above "." stands "..", for as many folders as the working folder has above it.
  const std::filesystem::path here(folder);
  const bool climbs = folder == "." || here.filename() == "..";
  std::string parent = climbs ? join(folder, "..") : normal(folder_of(folder));
  const auto steps = std::distance(here.begin(), here.end()) - (folder == "." ? 1 : 0);
  const std::filesystem::path working(files_.working_folder());
  const bool top = parent == folder || (climbs && steps >= std::distance(working.begin(), working.end()) - 1);
  if (!file && !top) file = upward(parent);
  return found_[folder] = file;
}

std::shared_ptr<const SettingsFile> SettingsFinder::for_path(const std::string& path) {
  if (isolated_) return nullptr;
  if (forced_) return read(*forced_);
  return upward(normal(files_.is_folder(path) ? path : folder_of(path)));
}

std::shared_ptr<const SettingsFile> SettingsFinder::in_folder(const std::string& folder) {
  if (isolated_) return nullptr;
  if (forced_) return normal(folder_of(*forced_)) == normal(folder) ? read(*forced_) : nullptr;
  const std::string path = join(folder, kFileName);
  return files_.exists(path) && !files_.is_folder(path) ? read(path) : nullptr;
}

std::string contradiction(const Facts& cluster) {
  std::optional<i64> nodes, each, world;
  for (const Fact& fact : cluster) {
    if (!fact.value.integer()) continue;
    if (fact.path == "nodes") nodes = *fact.value.integer();
    if (fact.path == "gpus_per_node") each = *fact.value.integer();
    if (fact.path == "world_size") world = *fact.value.integer();
  }
  if (!nodes || !each || !world || *nodes * *each == *world) return "";  // each of them is limited, so nothing overflows
  return fmt::format("nodes {} x gpus_per_node {} is {}, and world_size is {}", *nodes, *each, *nodes * *each, *world);
}

Settings laid_over(Settings below, const Settings& above) {
  lay_over(below, above);
  return below;
}

Settings effective(const SettingsFile* file, const std::string& path, const Settings& command_line) {
  Settings out;
  if (file) {
    out = file->settings;
    // Both from the root: a folder above the working folder is no beginning of a relative path.
    const std::string whole = join(file->working_folder, path), folder = join(file->working_folder, file->folder);
    const std::string relative = std::filesystem::path(whole).lexically_relative(folder).generic_string();
    for (const SettingsFile::PerPath& table : file->per_path) {
      const auto matches = [&](const std::string& glob) { return glob_matches(glob, relative.empty() ? path : relative); };
      if (std::any_of(table.globs.begin(), table.globs.end(), matches)) lay_over(out, table.settings);
    }
  }
  lay_over(out, command_line);
  return out;
}

}  // namespace shardlint
