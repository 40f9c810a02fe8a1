#include "checker/engine/discovery.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "checker/launch/launch.h"

namespace shardlint {

namespace {

constexpr const char* kNowhere = "/dev/null";  // a workspace that no file lies in

std::string at(const Place& place) { return fmt::format("{}:{}", place.source->path(), place.source->position(place.range.begin).line); }

class Discovery {
 public:
  Discovery(const Files& files, const CheckOptions& options)
      : files_(files), options_(options), finder_(files, options.isolated, options.config) {}

  std::vector<Unit> run(std::vector<std::string>& errors) {
    if (options_.config) finder_.for_path(".");  // whether it is needed or not
    for (const std::string& path : options_.paths) {
      if (path == "-")
        file(options_.stdin_name, true);
      else if (files_.is_folder(path))
        root_ = path, folder(path, 0), root_.reset();
      else if (files_.exists(path))
        file(path, !options_.found);
      else
        errors.push_back(fmt::format("{}: no such file or folder", path));
    }
    errors.insert(errors.end(), folder_errors_.begin(), folder_errors_.end());
    errors.insert(errors.end(), finder_.errors().begin(), finder_.errors().end());
    errors.insert(errors.end(), run_errors_.begin(), run_errors_.end());
    return std::move(units_);
  }

 private:
  void folder(const std::string& path, int depth) {
    const auto settings = options_.isolated ? nullptr : finder_.in_folder(path);
    if (settings && !settings->errors.empty()) return;  // nobody knows what was to be judged here, and how
    if (settings && !settings->runs.empty() && !options_.all_files) {
      for (const RunSetting& run : settings->runs) {
        if (options_.run && *options_.run != run.name) continue;
        Unit unit;
        const std::size_t errors_before = run_errors_.size();
        for (std::size_t i = 0; i < run.files.size(); ++i) {
          const std::string file = unit.files.emplace_back(join(path == "." ? "" : path, run.files[i]));
          const std::string where = at(i < run.file_places.size() ? run.file_places[i] : run.place);
          if (files_.is_folder(file))
            run_errors_.push_back(fmt::format("{}: {} is a folder; a run takes files", where, file));
          else if (!files_.exists(file))
            run_errors_.push_back(fmt::format("{}: {}: no such file", where, file));
        }
        if (run_errors_.size() > errors_before) continue;  // half a run is not that run
        unit.overrides = run.overrides;
        unit.overrides.insert(unit.overrides.end(), options_.overrides.begin(), options_.overrides.end());
        unit.name = run.name;
        unit.named = unit.run = true;
        unit.workspace = options_.follow ? path : kNowhere;
        unit.settings = effective(settings.get(), unit.files.empty() ? path : unit.files[0], options_.command_line);
        unit.from = settings;
        bind_cxx(unit, settings.get());
        units_.push_back(std::move(unit));
      }
      return;
    }
    if (depth > 64) return;
    if (const std::string why = files_.why_closed(path); !why.empty()) folder_errors_.push_back(fmt::format("{}: {}", path, why));
    for (const std::string& name : files_.list(path)) {
      const std::string inner = path == "." ? name : join(path, name);
      if (files_.is_folder(inner)) {
        if (name != "node_modules") folder(inner, depth + 1);
      } else if ((format_of(name) && name != "shardlint.toml" && name != kBindingFile) || launch::has_script_ending(name)) {
        file(inner, false);
      }
    }
  }

  void file(const std::string& path, bool named) {
    const auto settings = finder_.for_path(path);
    if (settings && !settings->errors.empty()) return;
    Unit unit;
    unit.files = {path};
    unit.overrides = options_.overrides;
    unit.named = named;
    unit.run = !options_.overrides.empty();
    unit.workspace = !options_.follow ? kNowhere : settings && !options_.isolated ? settings->folder : workspace_of(path);
    unit.settings = effective(settings.get(), path, options_.command_line);
    unit.from = settings;
    bind_cxx(unit, settings.get());
    units_.push_back(std::move(unit));
  }

  // The bindings that a C++ file is read with, and what a script starts: those that the settings name, else a file found upward; then those that come with shardlint
  // for types that nobody else binds.
  void bind_cxx(Unit& unit, const SettingsFile* settings) {
    const auto cpp = std::find_if(unit.files.begin(), unit.files.end(),
                                  [](const std::string& file) { return format_of(file) == Format::Cpp || !format_of(file); });
    if (cpp == unit.files.end()) return;
    if (!cxx_) cxx_ = std::make_shared<CxxTools>(files_, options_.cxx_readers);
    unit.cxx = cxx_;
    const bool named = settings && !options_.isolated && !settings->bindings.empty();
    if (named) {
      for (const std::string& name : settings->bindings)
        if (const BindingPtr binding = binding_at(join(settings->folder == "." ? "" : settings->folder, name), true))
          unit.bindings.push_back(binding);
    } else if (!options_.isolated) {
      std::string folder = folder_of(*cpp);
      for (int level = 0; level < 64; ++level) {
        if (const BindingPtr binding = binding_at(join(folder, kBindingFile), false)) {
          unit.bindings.push_back(binding);
          break;
        }
        const std::string whole = join(files_.working_folder(), folder.empty() ? "." : folder), above = folder_of(whole);
        if (above.empty() || above == whole || files_.exists(join(whole, ".git"))) break;
        folder = above;
      }
    }
    for (const BindingPtr& own : built_in_bindings())
      if (std::none_of(unit.bindings.begin(), unit.bindings.end(), [&](const BindingPtr& other) { return other->covers(*own); }))
        unit.bindings.push_back(own);
    if (settings && !options_.isolated) unit.cxx_flags = settings->cxx_flags;
  }

  BindingPtr binding_at(const std::string& path, bool needed) {
    const auto [entry, fresh] = bindings_.try_emplace(path);
    if (!fresh || (!needed && !files_.exists(path))) return entry->second;
    const Files::Read read = files_.read(path);
    if (read.text)
      entry->second = std::make_shared<const BindingFile>(std::make_shared<const Source>(path, *read.text), "");
    else
      run_errors_.push_back(fmt::format("{}: {}", path, read.error));
    return entry->second;
  }
  static constexpr const char* kBindingFile = "shardlint.bindings.toml";

  // The repository's root; else the folder that was named; else where the command was given, if the file lies below; else the file's own.
  std::string workspace_of(const std::string& path) {
    const std::string own = folder_of(path);
    if (const auto known = workspaces_.find(own); known != workspaces_.end()) return known->second;
    const bool below = !own.starts_with('/') && own != ".." && !own.starts_with("../") && files_.working_folder() != "/";
    std::string out = root_ ? *root_ : below || own.empty() ? "." : own;
    std::string folder = join(files_.working_folder(), own.empty() ? "." : own);
    for (int level = 0; level < 64; ++level) {
      if (files_.exists(join(folder, ".git"))) {
        out = folder;
        break;
      }
      const std::string above = folder_of(folder);
      if (above.empty() || above == folder) break;
      folder = above;
    }
    return workspaces_[own] = out;
  }

  const Files& files_;
  const CheckOptions& options_;
  SettingsFinder finder_;
  std::vector<Unit> units_;
  std::vector<std::string> folder_errors_, run_errors_;
  std::optional<std::string> root_;                // the folder under discovery
  std::map<std::string, std::string> workspaces_;  // by folder
  std::map<std::string, BindingPtr> bindings_;     // by path; null: not there
  std::shared_ptr<CxxTools> cxx_;
};

}  // namespace

std::vector<Unit> discover(const Files& files, const CheckOptions& options, std::vector<std::string>& errors) {
  return Discovery(files, options).run(errors);
}

}  // namespace shardlint
