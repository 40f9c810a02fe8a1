#include "checker/lsp/workspace.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "checker/launch/launch.h"

namespace shardlint::lsp {

namespace {

constexpr std::int64_t kMostFiles = 20'000;         // that are looked at in all folders together
constexpr std::uintmax_t kLargestFound = 1u << 20;  // bytes of a config that nobody has opened: what is larger is data
constexpr const char* kSettings = "shardlint.toml";
constexpr const char* kBindings = "shardlint.bindings.toml";

bool below(std::string_view path, std::string_view folder) {
  return folder == "/" || path == folder || (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

// As a check names it: from its folder where it lies there.
std::string relative(const std::string& path, const std::string& folder) {
  if (path == folder) return ".";
  return folder != "/" && below(path, folder) ? path.substr(folder.size() + 1) : path;
}

// "shardlint.toml:3: no setting `foo`" -> the file, and "3: no setting `foo`".
std::pair<std::string, std::string> split_error(const std::string& error) {
  for (std::size_t colon = error.find(':'); colon != std::string::npos; colon = error.find(':', colon + 1)) {
    const std::size_t end = error.find_first_not_of("0123456789", colon + 1);
    if (end != std::string::npos && end > colon + 1 && error[end] == ':') return {error.substr(0, colon), error.substr(colon + 1)};
  }
  return {};
}

}  // namespace

Workspace::Workspace(Changed changed, Told progress) : changed_(std::move(changed)), progress_(std::move(progress)) {
  lanes_[0].thread = std::thread([this] { work(lanes_[0], false); });
  lanes_[1].thread = std::thread([this] { work(lanes_[1], true); });
}

void Workspace::stop() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    for (Lane& lane : lanes_) lane.stop = true, lane.wake.notify_all();
  }
  for (Lane& lane : lanes_)
    if (lane.thread.joinable()) lane.thread.join();
}

// ---- what the editor says

void Workspace::configure(const WorkspaceSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  for (const auto& [root, analysis] : analyses_) due(root, Clock::now());
}

void Workspace::set_folders(std::vector<std::string> folders) {
  std::unique_lock lock(mutex_);
  for (const std::string& folder : folders)
    if (std::find(folders_.begin(), folders_.end(), folder) == folders_.end()) to_scan_.push_back(folder);
  const std::vector<std::string> before = std::exchange(folders_, std::move(folders));
  // What lay in a folder that is gone is nobody's now, and what lies in a new one is named from there; open documents come back below.
  const auto moved = [&](const Root& root) {
    const bool was_inside = std::find(before.begin(), before.end(), root.folder) != before.end();
    const bool is_inside = std::find(folders_.begin(), folders_.end(), root.folder) != folders_.end();
    return was_inside != is_inside || folder(root.path) != root.folder;
  };
  std::set<std::string> files;
  std::erase_if(analyses_, [&](const auto& entry) {
    if (!moved(entry.first)) return false;
    for (const auto& [path, finding] : entry.second->by_file) files.insert(path);
    return true;
  });
  std::erase_if(pending_, [&](const auto& entry) { return moved(entry.first); });
  std::erase_if(named_, [&](const auto& entry) { return moved(entry.first); });
  std::erase_if(scripts_, moved);
  for (const auto& [path, document] : *buffers_) look_for_names(path, Clock::now()), touched(path, Clock::now());
  for (Lane& lane : lanes_) lane.wake.notify_all();
  lock.unlock();
  if (!files.empty()) changed_(files);
}

void Workspace::open(OpenDocument document) {
  const std::lock_guard lock(mutex_);
  const std::string path = document.path;
  Buffers next = *buffers_;
  next.insert_or_assign(path, std::move(document));
  buffers_ = std::make_shared<const Buffers>(std::move(next));
  stop_what_reads(path);
  look_for_names(path, Clock::now());
  touched(path, Clock::now());
}

void Workspace::change(const std::string& path, TextPtr text, std::int64_t version) {
  const std::lock_guard lock(mutex_);
  Buffers next = *buffers_;
  const auto found = next.find(path);
  if (found == next.end()) return;
  found->second.text = std::move(text), found->second.version = version;
  buffers_ = std::make_shared<const Buffers>(std::move(next));
  stop_what_reads(path);
  touched(path, Clock::now() + settings_.debounce);
}

void Workspace::close(const std::string& path) {
  const std::lock_guard lock(mutex_);
  Buffers next = *buffers_;
  next.erase(path);
  buffers_ = std::make_shared<const Buffers>(std::move(next));
  stop_what_reads(path);
  touched(path, Clock::now());
}

void Workspace::touch(const std::vector<std::string>& paths) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point when = Clock::now() + settings_.debounce;
  for (const std::string& path : paths) {
    // The editor's text holds for what it has open; its file on the disk does not matter.
    if (buffers_->contains(path)) continue;
    const bool known = std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) { return below(path, folder); });
    if (known && Disk().exists(path)) found(path);
    touched(path, when);
  }
}

// ---- which roots there are

// The editor's folder that holds it; else the repository, or the folder with the settings; else its own folder.
std::string Workspace::folder(const std::string& path) const {
  std::string best;
  for (const std::string& candidate : folders_)
    if (below(path, candidate) && candidate.size() > best.size()) best = candidate;
  if (!best.empty()) return best;
  const Disk disk;
  const std::string own = shardlint::folder_of(path).empty() ? "/" : shardlint::folder_of(path);
  std::string at = own;
  for (int level = 0; level < 64; ++level) {
    if (disk.exists(join(at, ".git")) || disk.exists(join(at, kSettings))) return at;
    const std::string above = shardlint::folder_of(at);
    if (above.empty() || above == at) break;
    at = above;
  }
  return own;
}

std::optional<Root> Workspace::root_of(const std::string& path) const {
  const std::string name = base_name(path);
  if (name == kBindings) return std::nullopt;
  Root root{Root::Kind::Config, folder(path), path, ""};
  const auto open = buffers_->find(path);
  if (name == kSettings) {
    root.kind = Root::Kind::Settings;
  } else if (const std::optional<Format> format = format_of(path)) {
    if (*format == Format::Cpp) root.kind = Root::Kind::Cxx;
    if (*format == Format::Cpp && open == buffers_->end()) return std::nullopt;
  } else if (launch::has_script_ending(path) || (open != buffers_->end() && launch::is_script(path, open->second.text->bytes))) {
    root.kind = Root::Kind::Script;
  } else {
    return std::nullopt;
  }
  return root;
}

void Workspace::due(const Root& root, Clock::time_point when) {
  const auto [entry, fresh] = pending_.try_emplace(root, when);
  if (!fresh) entry->second = when;
  lanes_[root.kind == Root::Kind::Cxx].wake.notify_all();
}

// The [[run]] tables of a settings file, which lists their files.
void Workspace::runs_of(const std::string& settings, Clock::time_point when) {
  const std::string folder = this->folder(settings), holder = shardlint::folder_of(settings);
  const World world(folder, buffers_);
  std::set<Root> now;
  if (const auto file = world.exists(settings) ? read_settings(world, relative(settings, folder)) : nullptr)
    for (const RunSetting& run : file->runs) {
      const Root root{Root::Kind::Run, folder, holder, run.name};
      now.insert(root);
      std::set<std::string> files;
      for (const std::string& name : run.files) files.insert(join(holder, name));
      if (named_[root] != files || !analyses_.contains(root)) due(root, when);
      named_[root] = std::move(files);
    }
  // Those that are gone are checked once more, to be seen to be gone.
  std::vector<Root> gone;
  for (const auto& [root, files] : named_)
    if (root.kind == Root::Kind::Run && root.path == holder && !now.contains(root)) gone.push_back(root);
  for (const Root& root : gone) named_.erase(root), due(root, when);
}

// Scripts whose text has the name of a file that was opened.
void Workspace::look_for_names(const std::string& path, Clock::time_point when) {
  std::string name = base_name(path);
  name = name.substr(0, name.rfind('.'));
  const World world("/", buffers_);
  for (const Root& script : scripts_) {
    if (analyses_.contains(script) || name.empty()) continue;
    const Files::Read text = world.read(script.path);
    if (text.text && text.text->find(name) != std::string::npos) expect(script, path), due(script, when);
  }
  std::string at = shardlint::folder_of(path);
  for (int level = 0; level < 64; ++level) {
    const std::string settings = join(at, kSettings);
    if (world.exists(settings)) {
      runs_of(settings, when);
      break;
    }
    if (at.empty() || at == "/") break;
    at = shardlint::folder_of(at);
  }
}

void Workspace::touched(const std::string& path, Clock::time_point when) {
  for (const auto& [root, analysis] : analyses_)
    if (analysis->reads.contains(path) || analysis->missing.contains(path)) due(root, when);
  if (base_name(path) == kSettings) runs_of(path, when);
  if (const std::optional<Root> root = root_of(path); root && (buffers_->contains(path) || analyses_.contains(*root))) due(*root, when);
}

bool Workspace::reaches(const Root& root, const std::string& path) const {
  if (root.path == path && root.kind != Root::Kind::Run) return true;
  if (const auto found = analyses_.find(root); found != analyses_.end() && found->second->reads.contains(path)) return true;
  const auto named = named_.find(root);
  return named != named_.end() && named->second.contains(path);
}

bool Workspace::of_open(const Root& root) const {
  return std::any_of(buffers_->begin(), buffers_->end(), [&](const auto& entry) { return reaches(root, entry.first); });
}

// Whether another job reads this config: then it is no root.
bool Workspace::shadowed(const Root& root) const {
  if (root.kind != Root::Kind::Config) return false;
  for (const auto& [run, files] : named_)
    if (run.kind == Root::Kind::Run && files.contains(root.path)) return true;
  return std::any_of(analyses_.begin(), analyses_.end(), [&](const auto& entry) {
    const auto& [other, analysis] = entry;
    return other != root && other.kind != Root::Kind::Settings && analysis->judged && analysis->reads.contains(root.path);
  });
}

void Workspace::stop_what_reads(const std::string& path) {
  for (Lane& lane : lanes_)
    if (lane.running && reaches(*lane.running, path)) lane.stop = true;
}

// ---- looking around

void Workspace::scan_step(std::unique_lock<std::mutex>& lock) {
  const std::string folder = to_scan_.back();
  to_scan_.pop_back();
  lock.unlock();
  const Disk disk;
  std::vector<std::string> files, folders;
  for (const std::string& name : disk.list(folder)) {
    const std::string path = join(folder, name);
    if (disk.is_folder(path)) {
      if (name != "node_modules" && std::count(path.begin(), path.end(), '/') < 64) folders.push_back(path);
      continue;
    }
    std::error_code error;
    const bool looks = name == kSettings || launch::has_script_ending(name) || format_of(name);
    if (looks && std::filesystem::file_size(path, error) <= kLargestFound && !error) files.push_back(path);
  }
  lock.lock();
  for (auto inner = folders.rbegin(); inner != folders.rend(); ++inner) to_scan_.push_back(*inner);
  for (const std::string& file : files) found(file);
  scanned_ += static_cast<std::int64_t>(files.size()) + 1;
  if (scanned_ > kMostFiles) to_scan_.clear();
  tell_progress(lock);
}

void Workspace::tell_progress(std::unique_lock<std::mutex>& lock) {
  const Progress now{scanned_, checked_, static_cast<std::int64_t>(pending_.size()), !to_scan_.empty()};
  if (!now.scanning && now.left == 0) checked_ = 0;
  lock.unlock();
  progress_(now);
  lock.lock();
}

void Workspace::found(const std::string& path) {
  const std::optional<Root> root = root_of(path);
  if (!root) return;
  const Clock::time_point now = Clock::now();
  if (root->kind == Root::Kind::Settings) runs_of(path, now);
  if (root->kind == Root::Kind::Script && scripts_.insert(*root).second)
    for (const auto& [open, document] : *buffers_) {
      const std::string name = base_name(open);
      const Files::Read text = World("/", buffers_).read(path);
      if (text.text && text.text->find(name.substr(0, name.rfind('.'))) != std::string::npos) expect(*root, open);
    }
  if (!analyses_.contains(*root)) due(*root, now);
}

// ---- checking

CheckOptions Workspace::options_of(const Root& root) const {
  CheckOptions out;
  out.paths = {relative(root.path, root.folder)};
  out.found = true, out.jobs = 1, out.fixes = false, out.advice = settings_.advice;
  out.command_line = settings_.command_line, out.cxx_readers = cxx_readers_;
  if (root.kind == Root::Kind::Run) out.run = root.run;
  return out;
}

CheckOptions Workspace::options(const Root& root) const {
  const std::lock_guard lock(mutex_);
  return options_of(root);
}

std::shared_ptr<Analysis> Workspace::judge(const Root& root, const BuffersPtr& buffers, const CheckOptions& options, bool open) {
  auto out = std::make_shared<Analysis>();
  auto result = std::make_shared<CheckResult>();
  out->root = root, out->buffers = buffers;
  const World world(root.folder, buffers);
  if (root.kind == Root::Kind::Settings) {
    if (world.exists(options.paths[0]))
      if (const auto file = read_settings(world, options.paths[0])) result->errors = file->errors;
  } else {
    *result = shardlint::check(world, options);
    out->judged = result->files > 0;
  }
  out->reads = world.read_files(), out->missing = world.missing_files();
  for (const Finding& finding : result->findings)
    out->by_file.emplace(finding.place ? world.absolute(finding.place.source->path()) : root.path, &finding);
  for (const std::string& error : result->errors)
    if (auto [file, text] = split_error(error); !file.empty()) out->errors.emplace(world.absolute(file), std::move(text));
  if (!open) result->plans.clear();  // of what nobody looks at the findings are enough
  if (!result->plans.empty()) out->good = result;
  out->result = std::move(result);
  return out;
}

// Takes an analysis up (none: the root is no more) and returns the files of which something new is known.
std::set<std::string> Workspace::keep(const Root& root, AnalysisPtr analysis) {
  std::set<std::string> files;
  const auto tell = [&](const AnalysisPtr& known) {
    for (const auto& [path, finding] : known->by_file) files.insert(path);
    for (const auto& [path, error] : known->errors) files.insert(path);
    for (const std::string& path : known->reads)
      if (buffers_->contains(path)) files.insert(path);
  };
  const auto before = analyses_.find(root);
  std::set<std::string> left;
  if (before != analyses_.end()) {
    tell(before->second);
    for (const std::string& path : before->second->reads)
      if (!analysis || !analysis->reads.contains(path)) left.insert(path);
  }
  if (!analysis) {
    if (before != analyses_.end()) analyses_.erase(before);
  } else {
    tell(analysis);
    analyses_[root] = analysis;
    // What this job reads is no job of its own.
    if (analysis->judged)
      std::erase_if(analyses_, [&](const auto& entry) {
        const auto& [other, known] = entry;
        if (other == root || other.kind != Root::Kind::Config || !analysis->reads.contains(other.path)) return false;
        tell(known);
        return true;
      });
  }
  // What it no longer reads may be one again.
  for (const std::string& path : left)
    if (const std::optional<Root> other = root_of(path); other && *other != root && Disk().exists(path)) due(*other, Clock::now());
  return files;
}

void Workspace::check(std::unique_lock<std::mutex>& lock, Lane& lane, const Root& root) {
  const BuffersPtr buffers = buffers_;
  CheckOptions options = options_of(root);
  lane.running = &root, lane.stop = false;
  options.stop = &lane.stop;
  std::shared_ptr<const CheckResult> good;
  bool was_job = false;
  if (const auto before = analyses_.find(root); before != analyses_.end()) good = before->second->good, was_job = before->second->judged;
  const bool open = of_open(root), gone = shadowed(root);
  const bool run = named_.contains(root);
  lock.unlock();
  AnalysisPtr analysis;
  bool stopped = false;
  const bool there = root.kind == Root::Kind::Run ? run : buffers->contains(root.path) || Disk().exists(root.path);
  if (!gone && there) {
    try {
      std::shared_ptr<Analysis> made = judge(root, buffers, options, open);
      if (!made->good && open) made->good = std::move(good);
      if (!made->result->errors.empty()) made->judged |= was_job;  // with wrong settings nothing is judged, and a job stays one
      analysis = std::move(made);
    } catch (const Stopped&) {
      stopped = true;
    } catch (const std::exception& fault) {
      fmt::print(stderr, "shardlint: this is a fault in shardlint, met in {}: {}\n", root.path, fault.what());
      stopped = true;
    }
  }
  lock.lock();
  lane.running = nullptr;
  if (stopped) {
    // Unless the edit that stopped it has put it back already.
    if (lane.stop) pending_.try_emplace(root, Clock::now() + settings_.debounce);
    lock.unlock();
    changed_({});
    lock.lock();
    return;
  }
  // Taking the old result apart takes as long as a third of a check: that is done when the new one is told.
  AnalysisPtr old;
  if (const auto before = analyses_.find(root); before != analyses_.end()) old = before->second;
  const std::set<std::string> files = keep(root, analysis);
  // A buffer that was opened or edited meanwhile, and of which nobody knew yet that this job reads it.
  if (analysis && std::any_of(analysis->reads.begin(), analysis->reads.end(), [&](const std::string& path) {
        const auto then = buffers->find(path), now = buffers_->find(path);
        if (then == buffers->end() || now == buffers_->end()) return (then == buffers->end()) != (now == buffers_->end());
        return then->second.text != now->second.text;
      }))
    pending_.try_emplace(root, Clock::now());
  ++checked_;
  lock.unlock();
  changed_(files);
  old.reset();
  good.reset();
  lock.lock();
}

// The root that is to be checked first: those of open documents, runs before scripts before configs, since a config that they name is no
// root. What nobody has opened waits until all scripts are found.
const Root* Workspace::next(bool cxx, Clock::time_point now, Clock::time_point& earliest) const {
  const Root* best = nullptr;
  bool best_open = false;
  for (const auto& [root, when] : pending_) {
    if ((root.kind == Root::Kind::Cxx) != cxx) continue;
    if (when > now) {
      earliest = std::min(earliest, when);
      continue;
    }
    const bool open = of_open(root);
    if (!open && !to_scan_.empty()) continue;
    if (!best || (open && !best_open)) best = &root, best_open = open;  // `pending_` is in the order of kinds
  }
  return best;
}

void Workspace::work(Lane& lane, bool cxx) {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const Clock::time_point now = Clock::now();
    if (!cxx && !to_scan_.empty() && scan_first_.count() > 0) {
      scan_step(lock);
      scan_first_ -= Clock::now() - now;
      continue;
    }
    Clock::time_point earliest = now + std::chrono::hours(1);
    if (const Root* root = next(cxx, now, earliest)) {
      const Root taken = *root;
      pending_.erase(taken);
      check(lock, lane, taken);
      tell_progress(lock);
    } else if (!cxx && !to_scan_.empty()) {
      scan_step(lock);
    } else {
      lane.wake.wait_until(lock, earliest);
    }
  }
}

// ---- what is known

BuffersPtr Workspace::buffers() const {
  const std::lock_guard lock(mutex_);
  return buffers_;
}

std::string Workspace::folder_of_file(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return folder(path);
}

bool Workspace::waits_for(const std::string& path) const {
  if (std::any_of(pending_.begin(), pending_.end(), [&](const auto& entry) { return reaches(entry.first, path); })) return true;
  return std::any_of(std::begin(lanes_), std::end(lanes_), [&](const Lane& lane) { return lane.running && reaches(*lane.running, path); });
}

bool Workspace::up_to_date(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return !waits_for(path);
}

void Workspace::hurry(const std::string& path) {
  const std::lock_guard lock(mutex_);
  for (auto& [root, when] : pending_)
    if (reaches(root, path)) when = std::min(when, Clock::now());
  for (Lane& lane : lanes_) lane.wake.notify_all();
}

std::vector<AnalysisPtr> Workspace::analyses(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  std::vector<AnalysisPtr> out;
  for (const auto& [root, analysis] : analyses_)
    if (root.kind != Root::Kind::Settings && (root.path == path || analysis->reads.contains(path))) out.push_back(analysis);
  return out;
}

std::vector<AnalysisPtr> Workspace::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<AnalysisPtr> out;
  out.reserve(analyses_.size());
  for (const auto& [root, analysis] : analyses_) out.push_back(analysis);
  return out;
}

std::shared_ptr<const CheckResult> Workspace::with_fixes(const AnalysisPtr& analysis, const std::atomic<bool>* stop) const {
  const std::lock_guard lock(analysis->fixing);
  if (analysis->fixed) return analysis->fixed;
  CheckOptions asked = options(analysis->root);
  asked.fixes = true, asked.stop = stop;
  try {
    analysis->fixed = std::make_shared<const CheckResult>(shardlint::check(World(analysis->root.folder, analysis->buffers), asked));
  } catch (const Stopped&) {
    return nullptr;
  }
  return analysis->fixed;
}

}  // namespace shardlint::lsp
