// The real program, and other people's real programs, run in a folder of their own.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/folder.h"
#include "tests/where.h"

namespace shardlint {

struct Ended {
  int exit = -1;
  std::string out, err;
};

inline std::string read_whole(const std::filesystem::path& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// A folder that is gone when the test is over.
class InFolder : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text, bool runs = false) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    if (runs) std::filesystem::permissions(folder_ / name, std::filesystem::perms(0755));
  }
  std::string get(const std::string& name) const { return read_whole(folder_ / name); }
  bool there(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }

  // A line of sh, from inside the folder; SHARDLINT is the program under test.
  Ended sh(const std::string& line) const {
    const std::string script = fmt::format("cd '{}' || exit 99\nexport SHARDLINT='{}'\n{}\n", folder_.string(), SHARDLINT_BINARY, line);
    std::ofstream(folder_.string() + ".sh") << script;
    const int status = std::system(fmt::format("sh '{0}.sh' >'{0}.out' 2>'{0}.err'", folder_.string()).c_str());
    Ended out{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_whole(folder_.string() + ".out"), read_whole(folder_.string() + ".err")};
    for (const char* ending : {".sh", ".out", ".err"}) std::filesystem::remove(folder_.string() + ending);
    return out;
  }
  Ended shardlint(const std::string& arguments) const { return sh("\"$SHARDLINT\" " + arguments); }

  const test::Folder own_;
  const std::filesystem::path folder_ = own_.path();
};

// Whether a program is installed; tests that need other people's programs skip without.
inline bool installed(const std::string& program) {
  return std::system(fmt::format("command -v '{}' >/dev/null 2>&1", program).c_str()) == 0;
}

}  // namespace shardlint
