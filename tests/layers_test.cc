// Includes go one way, as CONTRIBUTING.md draws it: a folder knows those to its right, and of its own row nobody.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/where.h"

namespace shardlint {
namespace {

namespace fs = std::filesystem;

// What a folder may include besides itself. `cxx` is a program of its own; the engine speaks its protocol.
const std::map<std::string, std::string> kMay = {
    {"cli", "lsp engine rules launch compose fix report schema plan shell document diag text"},
    {"lsp", "engine rules launch compose fix report schema plan shell document diag text"},
    {"engine", "cxx rules launch compose fix report schema plan shell document diag text"},
    {"rules", "plan diag text document"},
    {"launch", "schema plan shell document diag text"},
    {"compose", "schema plan document diag text"},
    {"fix", "schema plan document diag text"},
    {"report", "schema plan document diag text"},
    {"plan", "schema document diag text"},
    {"schema", "plan/fields.def document diag text"},
    {"shell", "document diag text"},
    {"document", "diag text"},
    {"diag", "document/value.h text"},
    {"text", ""},
    {"cxx", "text"},
};

TEST(Layers, IncludesGoOneWay) {
  const std::regex include("#include \"(checker/|)([a-z_]+)/([^\"]+)\"");
  for (const char* root : {"checker", "rules"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SHARDLINT_ROOT) / root)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
      const fs::path path = fs::relative(entry.path(), SHARDLINT_ROOT);
      const std::string own = root == std::string("rules") ? root : std::next(path.begin())->string();
      ASSERT_TRUE(kMay.contains(own)) << path << " lies in a folder that this table does not have";
      std::istringstream may(kMay.at(own));
      std::map<std::string, bool> allowed{{own, true}};
      for (std::string one; may >> one;) allowed[one] = true;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        std::smatch found;
        if (!std::regex_search(line, found, include)) continue;
        const std::string folder = found[2], file = folder + "/" + found[3].str();
        if (found[1].length() == 0 && folder != "rules") continue;  // what the build writes
        EXPECT_TRUE(allowed.contains(folder) || allowed.contains(file)) << path.string() << " includes " << file;
      }
    }
}

}  // namespace
}  // namespace shardlint
