// The world outside, injected: files and folders. The command line uses the disk; tests and the editor bring their own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlint {

class Files {
 public:
  virtual ~Files() = default;
  struct Read {
    std::optional<std::string> text;
    std::string error;  // why there is no text: "no such file", "permission denied" ...
  };
  virtual Read read(const std::string& path) const = 0;
  virtual bool is_folder(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  // Names of a folder's entries in byte order. Left out: hidden ones (a leading dot), links to folders (they may lead in circles), and
  // what is neither file nor folder.
  virtual std::vector<std::string> list(const std::string& folder) const = 0;
  // Why a folder cannot be listed; empty if it can.
  virtual std::string why_closed(const std::string& folder) const = 0;
  // The absolute folder that relative paths start from; empty if there is no world above it.
  virtual std::string working_folder() const = 0;
  // The absolute path of what a name stands for, links seen through as far as it is there.
  virtual std::string real(const std::string& path) const;
  // The texts that stand in no file on the disk, by path: for those who read the disk themselves.
  virtual std::map<std::string, std::string> held() const { return {}; }
};

class Disk : public Files {
 public:
  Disk();
  Read read(const std::string& path) const override;
  bool is_folder(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  std::string why_closed(const std::string& folder) const override;
  std::string working_folder() const override { return working_folder_; }
  std::string real(const std::string& path) const override;

 private:
  std::string working_folder_;
};

// All of standard input, whatever it is: no more of it than a file may have.
Files::Read read_input();

// Files in memory, before those of another world: a buffer that an editor holds, or all there is in a test.
class Overlay : public Files {
 public:
  explicit Overlay(const Files* below = nullptr) : below_(below) {}
  void put(std::string_view path, std::string text);
  Read read(const std::string& path) const override;
  bool is_folder(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  std::string why_closed(const std::string& folder) const override;
  std::string working_folder() const override;
  std::string real(const std::string& path) const override;
  std::map<std::string, std::string> held() const override;

 private:
  const Files* below_;
  std::map<std::string, std::string> texts_;  // by normal path
};

// Some files of another world, and no more of it: all others are not there.
class Alone : public Files {
 public:
  Alone(const Files& world, const std::vector<std::string>& paths) : world_(world), paths_(paths) {}
  Read read(const std::string& path) const override;
  bool is_folder(const std::string&) const override { return false; }
  bool exists(const std::string& path) const override;
  std::vector<std::string> list(const std::string&) const override { return {}; }
  std::string why_closed(const std::string&) const override { return ""; }
  std::string working_folder() const override { return world_.working_folder(); }
  std::string real(const std::string& path) const override { return world_.real(path); }

 private:
  const Files& world_;
  const std::vector<std::string>& paths_;
};

// "a/./b/../c" -> "a/c"; relative stays relative, and the folder itself is ".".
std::string normal(std::string_view path);
std::string join(std::string_view folder, std::string_view name);  // normal; an absolute name stands alone
std::string folder_of(std::string_view path);                      // "" for a bare name
inline std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }
// Whether a path lies in `folder` or is that folder, whatever the two are relative to: by its name, and by what its name stands for.
class Inside {
 public:
  Inside(const Files& files, std::string_view folder);
  bool by_name(std::string_view path) const;
  bool operator()(std::string_view path) const;
  // The same of what is there; where links lead is not asked of anything else.
  bool has(std::string_view path) const;

 private:
  const Files& files_;
  std::string working_, root_;
  mutable std::optional<std::string> real_root_;  // once it is asked for
};
// The path of a file or folder that a program opens by the name `named`, if it is started in `folder` or in a folder above it: nobody knows
// in which. Nothing outside `workspace` is found.
std::optional<std::string> found_above(const Files& files, std::string_view folder, std::string_view workspace, std::string_view named);
// For people and reports: relative inside the working folder, absolute outside it. Names that are no paths ("<stdin>") stay as they are.
std::string shown(std::string_view path, std::string_view working_folder);

}  // namespace shardlint
