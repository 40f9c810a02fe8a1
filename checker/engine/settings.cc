// Reads shardlint.toml through our own TOML tree, so that every complaint has its line, and says what holds for a file.
//
// A table is read by a list of rows: a key and what to do with its value. A key without a row is an unknown setting.
#include "checker/engine/settings.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "checker/diag/composition.h"
#include "checker/diag/hygiene.h"
#include "checker/diag/launch.h"
#include "checker/document/document.h"
#include "checker/engine/bindings.h"
#include "checker/plan/rule.h"

namespace shardlint {

namespace {

constexpr std::string_view kFileName = "shardlint.toml";

bool alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// ---- GPU models

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  bool inside = false;
  for (char c : text) {
    if (alphanumeric(c)) {
      if (!inside) out.emplace_back();
      out.back() += static_cast<char>(c >= 'a' && c <= 'z' ? c - 0x20 : c);
    }
    inside = alphanumeric(c);
  }
  return out;
}

// Whether `model`'s words stand in `name`, in order. A word may be written apart: RTX 4090.
bool names_model(const std::vector<std::string>& name, const std::vector<std::string>& model) {
  std::size_t at = 0;
  for (const std::string& word : model) {
    std::size_t end = 0;
    for (; at < name.size() && end == 0; ++at) {
      std::string joined;
      for (std::size_t i = at; i < name.size() && joined.size() < word.size(); ++i) {
        joined += name[i];
        if (joined == word) end = i + 1;
      }
    }
    if (end == 0) return false;
    at = end;
  }
  return true;
}

// Once each: several schemas may share a framework.
std::vector<std::string_view> framework_names() {
  std::vector<std::string_view> out;
  for (const Schema* schema : schemas())
    if (std::find(out.begin(), out.end(), schema->framework) == out.end()) out.push_back(schema->framework);
  return out;
}

std::vector<std::string_view> gpu_models() {
  std::vector<std::string_view> models;
  if (schemas().empty()) return models;
  for (const TableSpec& table : schemas()[0]->tables)
    if (table.name == "gpus")
      for (std::size_t row = 0; row < table.cells.size(); row += table.columns.size()) models.push_back(table.cells[row]);
  return models;
}

Checked<Value> read_gpu(const std::string& name) {
  const std::vector<std::string_view> models = gpu_models();
  const std::vector<std::string> written = words(name);
  std::string_view best;  // the one that says most: A100-40GB before A100
  for (std::string_view model : models)
    if (model.size() > best.size() && names_model(written, words(model))) best = model;
  if (!best.empty()) return {Value(best), ""};
  if (models.empty()) return {Value(name), ""};
  // A model that begins with a written word is nearer than one that differs in a letter: L40 means L40S rather than A40.
  std::string_view near;
  for (const std::string& word : written)
    for (std::string_view model : models)
      if (near.empty() && word.size() > 1 && model.starts_with(word)) near = model;
  for (const std::string& word : written)
    if (const auto found = nearest(word, models, 1); near.empty() && !found.empty()) near = found[0];
  if (!near.empty()) return {std::nullopt, fmt::format("no GPU `{}`; did you mean `{}`?", name, near)};
  return {std::nullopt, fmt::format("no GPU `{}`; there are {}", name, fmt::join(models, ", "))};
}

// ---- versions

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_version(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

// One requirement: ">=0.2", "<1"; "0.2" alone takes every 0.2.x. Empty if it cannot be read.
std::optional<bool> fits(std::string_view requirement) {
  constexpr std::string_view mine = SHARDLINT_VERSION;
  std::string_view version = trimmed(requirement);
  const std::size_t digits = std::min(version.find_first_of("0123456789"), version.size());
  const std::string_view comparison = trimmed(version.substr(0, digits));
  version.remove_prefix(digits);
  if (!is_version(version)) return std::nullopt;
  if (comparison == ">=") return !version_less(mine, version);
  if (comparison == ">") return version_less(version, mine);
  if (comparison == "<=") return !version_less(version, mine);
  if (comparison == "<") return version_less(mine, version);
  if (!comparison.empty() && comparison != "==" && comparison != "=") return std::nullopt;
  return mine.starts_with(version) && (mine.size() == version.size() || mine[version.size()] == '.');
}

// Older versions and their patches are covered; of one that is newer than all that are known nobody knows the rules.
std::string version_error(std::string_view framework, std::string_view version) {
  const Schema* schema = schema_named(framework);
  std::string_view newest;
  for (std::string_view known : schema->versions)
    if (newest.empty() || version_less(newest, known)) newest = known;
  const std::size_t dot = version.find('.');
  const std::string_view minor = dot == std::string_view::npos ? version : version.substr(0, version.find('.', dot + 1));
  if (newest.empty() || !version_less(newest, minor)) return "";
  return fmt::format("shardlint knows {} up to version {}, and {} is newer", schema->title, newest, version);
}

// What can never match a path.
std::string glob_error(std::string_view glob) {
  if (glob.empty()) return "an empty glob matches nothing";
  if (glob.starts_with('/') || glob.starts_with("../"))
    return fmt::format("`{}` matches nothing: globs are relative to the folder of shardlint.toml", glob);
  if (glob.ends_with('/')) return fmt::format("`{0}` matches no file; did you mean `{0}**`?", glob);
  for (std::size_t open = glob.find('['); open != std::string_view::npos;) {
    const std::size_t close = glob.find(']', open + 2);
    if (close == std::string_view::npos) return fmt::format("`{}` is no glob: its `[` is never closed", glob);
    open = glob.find('[', close);
  }
  return "";
}

// ---- the file

class Reader {
 public:
  Reader(SettingsFile& out, DocumentPtr document) : out_(out), document_(std::move(document)) {}

  void read() {
    for (const Problem& problem : document_->problems) complain(problem.range, problem.message);
    if (!document_->problems.empty() || document_->roots.empty()) return;

    std::vector<Row> rows = settings_rows(out_.settings, "");
    rows.push_back({"required-version", [this](const Entry& entry) { required_version(entry); }});
    rows.push_back({"run", [this](const Entry& entry) { tables(entry, "run", [this](const Node& node, Range at) { run(node, at); }); }});
    rows.push_back({"per-path",
                    [this](const Entry& entry) { tables(entry, "per-path", [this](const Node& node, Range at) { per_path(node, at); }); }});
    rows.push_back({"cxx", [this](const Entry& entry) {
                      table(entry, "cxx",
                            {{"bindings", [this](const Entry& e) { out_.bindings = texts(e, "cxx.bindings"); }},
                             {"flags", [this](const Entry& e) { out_.cxx_flags = texts(e, "cxx.flags"); }}});
                    }});
    rows.push_back({"baseline", [this](const Entry& entry) {
                      if (const std::string* path = text(entry, "baseline")) out_.baseline = *path;
                    }});
    rows_of(*document_->roots[0], "", rows);
    agree(out_.settings.facts);
  }

 private:
  struct Row {
    std::string_view key;
    std::function<void(const Entry&)> read;
  };

  void agree(const Facts& cluster) {
    if (const std::string error = contradiction(cluster); !error.empty()) complain(cluster.back().key_place.range, error);
  }

  void complain(Range range, std::string_view message) {
    out_.errors.push_back(fmt::format("{}:{}: {}", out_.source->path(), out_.source->position(range.begin).line, message));
  }
  void wrong_type(Range range, std::string_view name, std::string_view wanted, const Node& found) {
    const std::string_view is = found.kind == Node::Kind::Mapping    ? "a table"
                                : found.kind == Node::Kind::Sequence ? "a list"
                                                                     : describe(found.value.value_or(Value(found.text)).kind());
    complain(range, fmt::format("`{}` must be {}, not {}", name, wanted, is));
  }

  static std::string joined(std::string_view where, std::string_view key) {
    return where.empty() ? std::string(key) : fmt::format("{}.{}", where, key);
  }

  void rows_of(const Node& node, std::string_view where, const std::vector<Row>& rows) {
    for (const Entry* entry : document_->entries(node)) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.key == entry->key; });
      if (row != rows.end()) {
        row->read(*entry);
        continue;
      }
      std::vector<std::string_view> keys;
      for (const Row& r : rows) keys.push_back(r.key);
      complain(entry->key_range, fmt::format("no setting `{}`{}", joined(where, entry->key), did_you_mean(entry->key, keys)));
    }
  }
  void table(const Entry& entry, std::string_view name, const std::vector<Row>& rows) {
    if (entry.value->kind == Node::Kind::Mapping)
      rows_of(*entry.value, name, rows);
    else
      wrong_type(entry.key_range, name, "a table", *entry.value);
  }
  // A table of free names.
  void each(const Entry& entry, std::string_view name, const std::function<void(const Entry&)>& read) {
    if (entry.value->kind != Node::Kind::Mapping) return wrong_type(entry.key_range, name, "a table", *entry.value);
    for (const Entry* inner : document_->entries(*entry.value)) read(*inner);
  }
  // [[name]]
  void tables(const Entry& entry, std::string_view name, const std::function<void(const Node&, Range)>& read) {
    const bool list = entry.value->kind == Node::Kind::Sequence;
    for (const Item& item : entry.value->items)
      if (item.value->kind == Node::Kind::Mapping)
        read(*item.value, item.value_range);
      else
        wrong_type(item.value_range, name, "a table", *item.value);
    if (!list) wrong_type(entry.key_range, name, fmt::format("a list of tables ([[{}]])", name), *entry.value);
  }

  const std::string* text(const Entry& entry, std::string_view name) {
    const Value* value = entry.value->kind == Node::Kind::Scalar && entry.value->value ? &*entry.value->value : nullptr;
    if (value && value->text()) return value->text();
    wrong_type(entry.value_range, name, "text", *entry.value);
    return nullptr;
  }
  // The items of a list of text.
  std::vector<const Item*> text_items(const Entry& entry, std::string_view name) {
    std::vector<const Item*> out;
    if (entry.value->kind != Node::Kind::Sequence) {
      wrong_type(entry.value_range, name, "a list of text", *entry.value);
      return out;
    }
    for (const Item& item : entry.value->items)
      if (item.value->value && item.value->value->text())
        out.push_back(&item);
      else
        wrong_type(item.value_range, fmt::format("{}[{}]", name, out.size()), "text", *item.value);
    return out;
  }
  std::vector<std::string> texts(const Entry& entry, std::string_view name) {
    std::vector<std::string> out;
    for (const Item* item : text_items(entry, name)) out.push_back(*item->value->value->text());
    return out;
  }
  template <class T>
  std::optional<T> accept(Checked<T> checked, Range range) {
    if (!checked.value) complain(range, checked.error);
    return std::move(checked.value);
  }

  // The settings that the file and [[per-path]] have in common.
  std::vector<Row> settings_rows(Settings& settings, std::string_view where) {
    const std::string base(where);
    return {{"framework", [this, &settings, base](const Entry& entry) { framework(entry, joined(base, "framework"), settings); }},
            {"versions", [this, &settings, base](const Entry& entry) { versions(entry, joined(base, "versions"), settings); }},
            {"cluster", [this, &settings, base](const Entry& entry) { cluster(entry, joined(base, "cluster"), settings); }},
            {"env", [this, &settings, base](const Entry& entry) { environment(entry, joined(base, "env"), settings); }},
            {"rules", [this, &settings, base](const Entry& entry) { rules(entry, joined(base, "rules"), settings.rules); }}};
  }

  void framework(const Entry& entry, std::string_view name, Settings& settings) {
    const std::string* written = text(entry, name);
    if (!written) return;
    if (const auto choice = accept(read_framework(*written), entry.value_range)) {
      settings.framework = choice->first;
      if (!choice->second.empty()) settings.versions.push_back(*choice);
    }
  }

  void versions(const Entry& entry, std::string_view name, Settings& settings) {
    each(entry, name, [&](const Entry& version) {
      if (const auto checked = read_framework(version.key); !checked.value) return complain(version.key_range, checked.error);
      const std::string* written = text(version, joined(name, version.key));
      if (!written) return;
      if (!is_version(*written))
        return complain(version.value_range, fmt::format("`{}` is no version; a version is written as `0.2`", *written));
      if (const std::string error = version_error(version.key, *written); !error.empty()) return complain(version.value_range, error);
      settings.versions.emplace_back(version.key, *written);
    });
  }

  void fact(const Entry& entry, std::string path, Value value, Settings& settings) {
    Fact out;
    out.path = std::move(path);
    out.spelled = entry.key;
    out.value = std::move(value);
    out.place = document_->place(entry.value_range);
    out.key_place = document_->place(entry.key_range);
    out.way = Way::Setting;
    settings.facts.push_back(std::move(out));
  }

  void cluster(const Entry& entry, std::string_view name, Settings& settings) {
    std::vector<Row> rows;
    for (std::string_view field : {"nodes", "gpus_per_node", "world_size", "nvlink_domain", "gpu", "gpu_memory_gib", "cuda_capability"})
      rows.push_back({field, [this, &settings, field](const Entry& inner) {
                        const Node& node = *inner.value;
                        const Value written = node.kind == Node::Kind::Mapping    ? Value(Map{node.entries.size()})
                                              : node.kind == Node::Kind::Sequence ? Value(ValueList{})
                                                                                  : node.value.value_or(Value(node.text));
                        if (const auto value = accept(read_field(field, written), inner.value_range))
                          fact(inner, std::string(field), *value, settings);
                      }});
    rows.push_back({"partitions", [this, &settings, &name](const Entry& all) {
                      each(all, joined(name, "partitions"),
                           [&](const Entry& one) { partition(one, joined(joined(name, "partitions"), one.key), settings); });
                    }});
    table(entry, name, rows);
  }

  void partition(const Entry& entry, std::string_view name, Settings& settings) {
    launch::Partition& out = settings.partitions[entry.key];
    const auto value = [this](const Entry& inner, std::string_view field) {
      return accept(read_field(field, inner.value->value.value_or(Value(inner.value->text))), inner.value_range);
    };
    table(entry, name,
          {{"gpu",
            [&](const Entry& inner) {
              if (const auto gpu = value(inner, "gpu"); gpu && gpu->text()) out.gpu = *gpu->text();
            }},
           {"gpus_per_node", [&](const Entry& inner) {
              if (const auto each = value(inner, "gpus_per_node"); each && each->integer()) out.gpus_per_node = *each->integer();
            }}});
  }

  // A variable is text; a number or boolean is taken as it is spelled.
  void environment(const Entry& entry, std::string_view name, Settings& settings) {
    each(entry, name, [&](const Entry& variable) {
      if (variable.value->kind != Node::Kind::Scalar)
        return wrong_type(variable.value_range, joined(name, variable.key), "text", *variable.value);
      fact(variable, "env." + variable.key, variable.value->text, settings);
    });
  }

  void rules(const Entry& entry, const std::string& name, RuleSettings& settings) {
    const auto patterns = [this](const Entry& list, const std::string& of) {
      std::vector<std::string> out;
      for (const Item* item : text_items(list, of)) {
        const std::string& pattern = *item->value->value->text();
        if (const std::string error = pattern_error(pattern); !error.empty())
          complain(item->value_range, error);
        else
          out.push_back(pattern);
      }
      return out;
    };
    table(entry, name,
          {{"select", [&](const Entry& list) { settings.select = patterns(list, joined(name, "select")); }},
           {"ignore", [&](const Entry& list) { settings.ignore = patterns(list, joined(name, "ignore")); }},
           {"severity",
            [&](const Entry& levels) {
              each(levels, joined(name, "severity"), [&](const Entry& level) {
                if (const std::string error = pattern_error(level.key); !error.empty()) return complain(level.key_range, error);
                const std::string* written = text(level, level.key);
                if (!written) return;
                if (const auto severity = accept(read_severity(*written), level.value_range))
                  settings.severity.emplace_back(level.key, *severity);
              });
            }},
           {"fail-on", [&](const Entry& level) {
              const std::string* written = text(level, joined(name, "fail-on"));
              if (!written) return;
              if (const auto fail_on = accept(read_fail_on(*written), level.value_range)) settings.fail_on = *fail_on;
            }}});
  }

  void required_version(const Entry& entry) {
    const std::string* written = text(entry, "required-version");
    if (!written) return;
    for (std::string_view rest = *written;;) {
      const std::size_t comma = rest.find(',');
      const std::optional<bool> fit = fits(rest.substr(0, comma));
      if (!fit) return complain(entry.value_range, fmt::format("`{}` is no version; write `0.2`, `>=0.2` or `>=0.2, <1`", *written));
      if (!*fit)
        return complain(entry.value_range, fmt::format("this is shardlint {}, and the project requires {}", SHARDLINT_VERSION, *written));
      if (comma == std::string_view::npos) return;
      rest.remove_prefix(comma + 1);
    }
  }

  // The range of a quoted scalar without its quotes.
  Range inside_quotes(const Node& node) const {
    const std::string_view raw = document_->raw(node.range);
    const std::uint32_t quotes = raw.starts_with("\"\"\"") || raw.starts_with("'''") ? 3 : 1;
    return raw.size() < 2 * quotes ? node.range : Range{node.range.begin + quotes, node.range.end - quotes};
  }

  void run(const Node& node, Range at) {
    const std::size_t before = out_.errors.size();
    RunSetting run;
    run.place = document_->place(at);
    rows_of(node, "run",
            {{"name",
              [&](const Entry& entry) {
                if (const std::string* name = text(entry, "run.name")) run.name = *name;
              }},
             {"files",
              [&](const Entry& entry) {
                for (const Item* item : text_items(entry, "run.files")) {
                  run.files.push_back(*item->value->value->text());
                  run.file_places.push_back(document_->place(item->value_range));
                }
              }},
             {"overrides", [&](const Entry& entry) {
                std::vector<OverrideWord> words;
                const std::vector<const Item*> items = text_items(entry, "run.overrides");
                for (const Item* item : items) words.push_back({item->value->text, document_->place(inside_quotes(*item->value))});
                std::size_t wrong = 0;
                Checked<Facts> made = read_overrides(words, &wrong);
                if (made.value)
                  run.overrides = std::move(*made.value);
                else
                  complain(items[wrong]->value_range, made.error);
              }}});
    if (out_.errors.size() > before) return;
    if (run.files.empty()) return complain(at, "this run names no `files`");
    if (run.name.empty()) run.name = run.files[0];
    const auto same = [&](const RunSetting& other) { return other.name == run.name; };
    if (std::any_of(out_.runs.begin(), out_.runs.end(), same))
      return complain(at, fmt::format("there are two runs with the name `{}`", run.name));
    out_.runs.push_back(std::move(run));
  }

  void per_path(const Node& node, Range at) {
    const std::size_t before = out_.errors.size();
    SettingsFile::PerPath made;
    std::vector<Row> rows = settings_rows(made.settings, "per-path");
    rows.push_back({"files", [&](const Entry& entry) {
                      for (const Item* item : text_items(entry, "per-path.files")) {
                        std::string_view glob = *item->value->value->text();
                        while (glob.starts_with("./")) glob.remove_prefix(2);
                        if (const std::string error = glob_error(glob); !error.empty()) complain(item->value_range, error);
                        made.globs.emplace_back(glob);
                      }
                    }});
    rows_of(node, "per-path", rows);
    agree(made.settings.facts);
    if (out_.errors.size() > before) return;
    if (made.globs.empty()) return complain(at, "this table names no `files`");
    out_.per_path.push_back(std::move(made));
  }

  SettingsFile& out_;
  DocumentPtr document_;
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
}

}  // namespace

std::shared_ptr<const SettingsFile> read_settings(const Files& files, const std::string& path) {
  auto out = std::make_shared<SettingsFile>();
  out->folder = normal(folder_of(path));
  out->working_folder = files.working_folder();
  const Files::Read read = files.read(path);
  out->source = std::make_shared<const Source>(path, read.text.value_or(""));
  if (read.text)
    Reader(*out, read_document(out->source, Format::Toml)).read();
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

namespace {

// One character of a path against what stands at glob[g]; `next` is behind that.
bool one_fits(std::string_view glob, std::size_t g, char c, std::size_t& next) {
  next = g + 1;
  if (glob[g] == '?') return c != '/';
  const std::size_t close = glob[g] == '[' ? glob.find(']', g + 2) : std::string_view::npos;
  if (close == std::string_view::npos) return glob[g] == c;
  next = close + 1;
  const bool negated = glob[g + 1] == '!' || glob[g + 1] == '^';
  bool inside = false;
  for (std::size_t i = g + 1 + negated; i < close; ++i) {
    const bool span = i + 2 < close && glob[i + 1] == '-';
    inside |= span ? glob[i] <= c && c <= glob[i + 2] : glob[i] == c;
    if (span) i += 2;
  }
  return inside != negated && c != '/';
}

}  // namespace

// A star that took too little takes one more. Only the last `*` and the last `**` need another try, because what stood before them fits
// whatever they take: the time is bounded by the product of both lengths, for each `**` once.
bool glob_matches(std::string_view glob, std::string_view path) {
  constexpr std::size_t none = std::string_view::npos;
  struct Star {
    std::size_t glob = none, path = 0;
    bool folders = false;  // `**/` takes whole folders
  } one, many;
  std::size_t g = 0, p = 0;
  while (p < path.size() || g < glob.size()) {
    if (glob.substr(g).starts_with("**")) {
      const bool folders = glob.substr(g + 2).starts_with('/') && (p == 0 || path[p - 1] == '/');
      g += folders ? 3 : 2;
      many = {g, p, folders};
      one = {};
      continue;
    }
    if (g < glob.size() && glob[g] == '*') {
      one = {++g, p};
      continue;
    }
    std::size_t next = 0;
    if (g < glob.size() && p < path.size() && one_fits(glob, g, path[p], next)) {
      g = next;
      ++p;
    } else if (one.glob != none && one.path < path.size() && path[one.path] != '/') {
      g = one.glob;
      p = ++one.path;
    } else if (many.glob != none && many.path < path.size()) {
      const std::size_t slash = many.folders ? path.find('/', many.path) : many.path;
      if (slash == none) return false;
      g = many.glob;
      p = many.path = slash + 1;
      one = {};
    } else
      return false;
  }
  return true;
}

// ---- shared with the command line

Checked<std::pair<std::string, std::string>> read_framework(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  const std::string_view version = at == std::string_view::npos ? "" : text.substr(at + 1);
  // Frameworks whose plans are C++ have no schema, but a binding.
  std::vector<std::string_view> names = framework_names();
  for (const BindingPtr& binding : built_in_bindings()) names.push_back(binding->name());
  const bool bound =
      std::any_of(built_in_bindings().begin(), built_in_bindings().end(), [&](const BindingPtr& b) { return b->name() == name; });
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return {std::nullopt, fmt::format("no framework `{}`{}", name, did_you_mean(name, names))};
  }
  if (at != std::string_view::npos && !is_version(version))
    return {std::nullopt, fmt::format("`{}` is no version; a version is written as `{}@0.2`", version, name)};
  if (std::string error = version.empty() || bound ? "" : version_error(name, version); !error.empty())
    return {std::nullopt, std::move(error)};
  return {std::pair(std::string(name), std::string(version)), ""};
}

Checked<Value> read_field(std::string_view name, const Value& written) {
  if (name == "env.") return {std::nullopt, "`env.` names no variable; write env.NAME"};
  if (name.starts_with("env.")) return {Value(to_string(written)), ""};
  const std::optional<Field> field = field_named(name);
  if (!field) {
    std::vector<std::string_view> names;
    for (const FieldInfo& info : fields()) names.push_back(info.name);
    return {std::nullopt, fmt::format("no field `{}`{}", name, did_you_mean(name, names))};
  }
  const TypeSet types = fields()[slot(*field)].types;
  Value value = written;
  // A capability is often quoted, so that 10.0 stays 10.0; PyTorch prints the pair (9, 0).
  if (value.text() && name == "cuda_capability") {
    std::string text = *value.text();
    std::erase_if(text, [](char c) { return c == '(' || c == ')' || c == '[' || c == ']' || c == ' '; });
    std::replace(text.begin(), text.end(), ',', '.');
    value = read_plain(text);
  }
  if (value.integer() && (types & type::Real) && !(types & type::Int)) value = value.number();
  if (!(types & type::of(value.kind())) || (value.is_null() && types != type::Any)) {
    const std::string_view wanted = types & type::Real   ? "a number"
                                    : types & type::Int  ? "an integer"
                                    : types & type::Bool ? "true or false"
                                                         : "text";
    return {std::nullopt, fmt::format("`{}` must be {}, not {}", name, wanted, describe(written.kind()))};
  }
  const bool counts = name != "lr" && name != "first_stage_layers" && name != "last_stage_layers" && name != "stage_embedding_layers" &&
                      name != "stage_output_layers" && name != "zero_stage" && name != "warmup";
  if (value.is_number() && !value.boolean() && counts && !(value.number() > 0))
    return {std::nullopt, fmt::format("`{}` must be more than 0, not {}", name, to_string(value))};
  constexpr std::pair<std::string_view, i64> kLimits[] = {
      {"nodes", 1'000'000}, {"gpus_per_node", 4'096}, {"nvlink_domain", 100'000'000}, {"world_size", 100'000'000}};
  for (const auto& [limited, most] : kLimits)
    if (name == limited && value.integer() && *value.integer() > most)
      return {std::nullopt, fmt::format("`{}` is at most {}, not {}", name, with_commas(grouped(most)), to_string(value))};
  if (*field == Field::gpu) return read_gpu(*value.text());
  return {std::move(value), ""};
}

Value read_plain(std::string_view text) {
  Node node;
  node.text = text;
  Value value = read(node, Dialect::OmegaConf);
  return text.empty() ? Value(text) : value;
}

namespace {

bool is_option(std::string_view word) {
  if (word.starts_with("--")) return word.size() > 2;
  return word.size() > 1 && word[0] == '-' && ((word[1] | 0x20) >= 'a' && (word[1] | 0x20) <= 'z') && word != "-inf" && word != "-nan";
}

// `trainer.num_nodes=4` and no value that happens to hold an equals sign.
bool is_assignment(std::string_view word) {
  while (word.starts_with('+')) word.remove_prefix(1);
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || (alphanumeric(word[0]) && word[0] <= '9')) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return alphanumeric(c) || c == '_' || c == '.' || c == '-' || c == '[' || c == ']'; });
}

}  // namespace

Checked<Facts> read_overrides(std::span<const OverrideWord> words, std::size_t* wrong) {
  Facts out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    const Place& place = words[at].place;
    const bool option = is_option(text);
    // `--key value` in one item of a list.
    const std::size_t mark = option ? text.find_first_of("= ") : text.find('=');
    std::string_view key = text.substr(0, mark);
    while (key.starts_with('+')) key.remove_prefix(1);            // Hydra: add a key, or add or change it
    const bool removal = key.starts_with('~') && key.size() > 1;  // Hydra: ~key or ~key=value
    if ((mark == std::string_view::npos && !option && !removal) || key.empty()) {
      if (wrong) *wrong = at;
      return {std::nullopt, fmt::format("`{}` is no override; one is written as `key=value`, `--key=value` or `--key value`", text)};
    }
    Fact& fact = out.emplace_back();
    fact.path = key;
    fact.spelled = option ? key : key.substr(key.rfind('.') + 1);
    fact.place = fact.key_place = place;
    fact.way = Way::Override;
    if (!option) fact.word = text;
    // Escapes move what stands behind them.
    if (place && place.source->text(place.range) == text) {
      const auto begin = place.range.begin + static_cast<std::uint32_t>(key.data() - text.data());
      fact.key_place.range = {begin, begin + static_cast<std::uint32_t>(key.size())};
    }
    if (mark != std::string_view::npos) {
      const std::size_t value = text[mark] == ' ' ? text.find_first_not_of(' ', mark) : mark + 1;
      fact.value = value == std::string_view::npos ? Value(true) : read_plain(text.substr(value));
      continue;
    }
    if (removal) continue;
    ValueList values;
    for (; at + 1 < words.size() && !is_option(words[at + 1].text) && !is_assignment(words[at + 1].text); ++at) {
      values.push_back(read_plain(words[at + 1].text));
      if (values.size() == 1 && words[at + 1].text.find('=') == std::string::npos) fact.place = words[at + 1].place;
    }
    fact.value = values.empty() ? Value(true) : values.size() == 1 ? values[0] : Value(values);
    if (values.size() != 1) fact.place = place;
  }
  return {std::move(out), ""};
}

Fact in_form(Fact fact, const Schema& schema, const FormSpec& form) {
  if (form.flags || !fact.path.starts_with('-')) return fact;
  // An option of the command line that sets a key of the file under another name.
  const FlagSpec* flag = schema.find_flag(fact.path);
  if (!flag) {
    std::string spelling = fact.path;
    std::replace(spelling.begin() + 2, spelling.end(), '-', '_');
    flag = schema.find_flag(spelling);
  }
  if (flag) {
    fact.path = schema.keys[flag->key].path;
    if (flag->constant != kNoExpr && fact.value == Value(true)) fact.value = schema.constants[schema.nodes[flag->constant].a].value();
    return fact;
  }
  const auto dashes = static_cast<std::uint32_t>(fact.path.find_first_not_of('-'));
  fact.path.erase(0, dashes);
  if (fact.key_place && fact.key_place.source->text(fact.key_place.range) == fact.spelled) fact.key_place.range.begin += dashes;
  if (!schema.find_key(fact.path)) std::replace(fact.path.begin(), fact.path.end(), '-', '_');
  const std::size_t name = fact.path.rfind('.') + 1;
  const std::string positive = fact.path.substr(0, name) + fact.path.substr(std::min(name + 3, fact.path.size()));
  if (const KeySpec* key = schema.find_key(positive); key && !schema.find_key(fact.path) && fact.path.substr(name).starts_with("no_") &&
                                                      (key->types & type::Bool) && fact.value == Value(true)) {
    fact.path = positive;
    fact.value = false;
  }
  fact.spelled = fact.path.substr(fact.path.rfind('.') + 1);
  return fact;
}

Checked<Severity> read_severity(std::string_view text) {
  for (Severity severity : {Severity::Error, Severity::Warning, Severity::Info})
    if (text == name(severity)) return {severity, ""};
  if (text == "off") return {std::nullopt, "no level `off`; what should not be said is ignored, not levelled"};
  constexpr std::string_view levels[] = {"error", "warning", "info"};
  return {std::nullopt, fmt::format("no level `{}`{}", text, did_you_mean(text, levels))};
}

Checked<FailOn> read_fail_on(std::string_view text) {
  if (text == "error") return {FailOn::Error, ""};
  if (text == "warning") return {FailOn::Warning, ""};
  if (text == "never") return {FailOn::Never, ""};
  constexpr std::string_view levels[] = {"error", "warning", "never"};
  return {std::nullopt, fmt::format("no level `{}` to fail on{}", text, did_you_mean(text, levels))};
}

std::vector<const RuleInfo*> rule_infos() {
  std::vector<const RuleInfo*> infos;
  for (const Rule* rule : all_rules()) infos.push_back(rule->info);
  infos.insert(infos.end(), std::begin(hygiene::kAll), std::end(hygiene::kAll));
  infos.insert(infos.end(), std::begin(composition::kAll), std::end(composition::kAll));
  infos.insert(infos.end(), std::begin(launching::kAll), std::end(launching::kAll));
  return infos;
}

std::vector<std::string_view> rule_names() {
  std::vector<std::string_view> names;
  for (const RuleInfo* info : rule_infos()) names.push_back(info->name);
  for (const Schema* schema : schemas())
    for (const Clause& clause : schema->law)
      if (!clause.silent && !clause.inherited) names.push_back(clause.name);
  return names;
}

std::string pattern_error(std::string_view pattern) {
  std::vector<std::string_view> names = rule_names();
  names.insert(names.end(), std::begin(kFamilies), std::end(kFamilies));
  for (std::string_view framework : framework_names()) names.push_back(framework);
  names.push_back("all");
  if (std::find(names.begin(), names.end(), pattern) != names.end()) return "";
  return fmt::format("no rule `{}`{}", pattern, did_you_mean(pattern, names));
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto near = nearest(word, candidates, 1);
  if (!near.empty()) return fmt::format("; did you mean `{}`?", near[0]);
  if (candidates.empty() || candidates.size() > 8) return "";
  return fmt::format("; there are `{}`", fmt::join(candidates, "`, `"));
}

}  // namespace shardlint
