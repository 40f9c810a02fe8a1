// How C++ files are compiled, and which of them a program is built from: as compile_commands.json and CMakeLists.txt say it, else as names
// suggest it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "checker/text/files.h"

namespace shardlint {

// How a unit is compiled.
struct CompileCommand {
  std::string folder;
  std::vector<std::string> flags;
};

// Reads each database and each folder once in its life. For several threads.
class Builds {
 public:
  explicit Builds(const Files& files) : files_(files) {}

  // From compile_commands.json in the file's folder or above it; else the flags given, else C++20 with the folders that a project has.
  CompileCommand command(const std::string& path, const std::vector<std::string>& flags) const;
  // The sources of the program that a command in `folder` names ("./build/gpt2"): those whose objects a database puts into the target of
  // that name, those that an add_executable of that name lists, the file of that name, or main.* in a folder of that name. Empty where none
  // is in sight or the names do not settle it.
  std::vector<std::string> sources(const std::string& program, const std::string& folder, const std::string& workspace) const;

 private:
  struct Entry {
    std::string file, target;  // whole path; the target's name, if the object's place tells it
    CompileCommand command;
  };
  using Database = std::vector<Entry>;

  std::shared_ptr<const Database> database(const std::string& path) const;
  // The databases from a folder upward, nearest first.
  std::vector<std::shared_ptr<const Database>> databases(std::string folder) const;
  std::shared_ptr<const std::vector<std::string>> listing(const std::string& workspace) const;

  const Files& files_;
  mutable std::mutex reading_;
  mutable std::map<std::string, std::shared_ptr<const Database>> databases_;  // null: there is none
  mutable std::map<std::string, std::shared_ptr<const std::vector<std::string>>> listings_;
};

}  // namespace shardlint
