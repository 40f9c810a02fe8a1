// Which runs a change concerns: those that read a file that differs from a revision, in a repository of git.
#pragma once

#include <set>
#include <string>

#include "checker/engine/settings.h"
#include "checker/text/files.h"

namespace shardlint {

// Absolute paths of what differs between the working folder's files and the point where its branch left `revision`: changed, added (also
// what git does not know yet), and removed.
Checked<std::set<std::string>> changed_since(const std::string& working_folder, const std::string& revision);

// Files that remember which of them were asked for, whether they are there or not. For one thread.
class Watch : public Files {
 public:
  explicit Watch(const Files& below) : below_(below) {}
  Read read(const std::string& path) const override { return below_.read(asked(path)); }
  bool exists(const std::string& path) const override { return below_.exists(asked(path)); }
  bool is_folder(const std::string& path) const override { return below_.is_folder(path); }
  std::vector<std::string> list(const std::string& folder) const override { return below_.list(folder); }
  std::string why_closed(const std::string& folder) const override { return below_.why_closed(folder); }
  std::string working_folder() const override { return below_.working_folder(); }
  std::string real(const std::string& path) const override { return below_.real(path); }

  // Whether one of these absolute paths was asked for.
  bool touched(const std::set<std::string>& paths) const;

 private:
  const std::string& asked(const std::string& path) const;

  const Files& below_;
  mutable std::set<std::string> asked_;  // absolute
};

}  // namespace shardlint
