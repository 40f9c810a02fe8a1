// Which jobs there are in the editor's folders, and what the check of each has found.
//
// A root is where a job begins: a [[run]] of a shardlint.toml, a launch script, or a config that no other root reads. What a root's check
// reads belongs to it, so that a buffer belongs to every root that reaches it: when it changes they are checked again. Roots that reach an
// open buffer come first; the others are found and checked when there is nothing else to do.
//
// One thread checks, one more reads C++, which takes a hundred times longer. A check whose files change under it is given up. Everything
// here may be called from any thread; what is handed out never changes.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "checker/engine/check.h"
#include "checker/engine/cxx.h"
#include "checker/lsp/buffers.h"

namespace shardlint::lsp {

struct Root {
  enum class Kind { Settings, Run, Script, Config, Cxx } kind = Kind::Config;
  std::string folder;  // that its paths are named from
  std::string path;    // absolute: the file; of a run the folder of its shardlint.toml
  std::string run;     // the run's name
  auto operator<=>(const Root&) const = default;
};

// One check of one root.
struct Analysis {
  Root root;
  std::shared_ptr<const CheckResult> result;
  std::shared_ptr<const CheckResult> good;             // the last result with a plan: a broken document keeps it
  std::set<std::string> reads, missing;                // absolute; settings are among them
  BuffersPtr buffers;                                  // as they were
  std::multimap<std::string, const Finding*> by_file;  // absolute path -> finding of `result`
  std::multimap<std::string, std::string> errors;      // absolute path -> "3: no setting `foo`"
  bool judged = false;                                 // it is a job

  // The same check with fixes, which take longer to find; made when it is first asked for.
  mutable std::mutex fixing = {};
  mutable std::shared_ptr<const CheckResult> fixed = nullptr;
};
using AnalysisPtr = std::shared_ptr<const Analysis>;

struct WorkspaceSettings {
  std::chrono::milliseconds debounce{100};
  bool advice = false;
  bool whole_workspace = true;  // roots that no open buffer belongs to are checked too
  Settings command_line;        // cluster facts and such that the editor's settings say
};

// How far the look at the folders is.
struct Progress {
  std::int64_t files = 0;    // that were looked at
  std::int64_t checked = 0;  // roots, since there was last nothing to do
  std::int64_t left = 0;     // roots that are known and wait
  bool scanning = false;
};

class Workspace {
 public:
  // `changed`: a check is over, and what is known of these files is new. `progress`: as often as it changes. Both are called without a
  // lock, on whichever thread has found it out.
  using Changed = std::function<void(const std::set<std::string>&)>;
  using Told = std::function<void(const Progress&)>;
  Workspace(Changed changed, Told progress);
  ~Workspace() { stop(); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  void stop();  // nothing is checked or told from now on

  void configure(const WorkspaceSettings& settings);
  void set_folders(std::vector<std::string> folders);
  void open(OpenDocument document);
  void change(const std::string& path, TextPtr text, std::int64_t version);
  void close(const std::string& path);
  // Files that changed on the disk.
  void touch(const std::vector<std::string>& paths);

  BuffersPtr buffers() const;
  std::string folder_of_file(const std::string& path) const;
  // The roots that a file belongs to, as they were last checked.
  std::vector<AnalysisPtr> analyses(const std::string& path) const;
  std::vector<AnalysisPtr> all() const;
  // The same check with fixes, which take longer to find. Null if it was stopped.
  std::shared_ptr<const CheckResult> with_fixes(const AnalysisPtr& analysis, const std::atomic<bool>* stop) const;
  CheckOptions options(const Root& root) const;
  bool up_to_date(const std::string& path) const;  // nothing that reads this file is due or under way
  void hurry(const std::string& path);             // whatever the debounce says: what is due for it begins at once

 private:
  using Clock = std::chrono::steady_clock;
  struct Lane {  // of C++, or of all else
    std::condition_variable wake;
    std::thread thread;
    const Root* running = nullptr;
    std::atomic<bool> stop = false;
  };

  void work(Lane& lane, bool cxx);
  const Root* next(bool cxx, Clock::time_point now, Clock::time_point& earliest) const;
  void check(std::unique_lock<std::mutex>& lock, Lane& lane, const Root& root);
  static std::shared_ptr<Analysis> judge(const Root& root, const BuffersPtr& buffers, const CheckOptions& options, bool open);
  std::set<std::string> keep(const Root& root, AnalysisPtr analysis);
  void scan_step(std::unique_lock<std::mutex>& lock);
  void tell_progress(std::unique_lock<std::mutex>& lock);
  void found(const std::string& path);
  void expect(const Root& root, const std::string& path) { named_[root].insert(path); }
  void due(const Root& root, Clock::time_point when);
  void touched(const std::string& path, Clock::time_point when);
  void runs_of(const std::string& settings, Clock::time_point when);
  void look_for_names(const std::string& path, Clock::time_point when);
  void stop_what_reads(const std::string& path);
  bool reaches(const Root& root, const std::string& path) const;
  bool waits_for(const std::string& path) const;
  bool shadowed(const Root& root) const;
  bool of_open(const Root& root) const;
  std::optional<Root> root_of(const std::string& path) const;
  CheckOptions options_of(const Root& root) const;
  std::string folder(const std::string& path) const;

  Changed changed_;
  Told progress_;
  const std::shared_ptr<CxxReaders> cxx_readers_ = std::make_shared<CxxReaders>(true);
  mutable std::mutex mutex_;
  WorkspaceSettings settings_;
  std::vector<std::string> folders_;
  BuffersPtr buffers_ = std::make_shared<const Buffers>();
  std::map<Root, AnalysisPtr> analyses_;
  std::map<Root, Clock::time_point> pending_;
  std::vector<std::string> to_scan_;             // folders
  std::set<Root> scripts_;                       // that were found
  std::map<Root, std::set<std::string>> named_;  // files that a run lists, or whose names stand in a script: it is likely to read them
  Clock::duration scan_first_ = std::chrono::milliseconds(15);  // time that may still be spent on looking for scripts before a first answer
  std::int64_t scanned_ = 0, checked_ = 0;                      // files, roots
  bool closing_ = false;
  mutable Lane lanes_[2];
};

}  // namespace shardlint::lsp
