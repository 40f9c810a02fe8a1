// The table of frameworks in schemas/README.md counts what is there.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/schema/schema.h"
#include "tests/where.h"

namespace shardlint {
namespace {

std::string without_commas(std::string cell) {
  std::erase(cell, ',');
  return cell;
}

TEST(SchemasReadme, CountsKeysAndConstraints) {
  std::map<std::string, std::string> rows;  // "keys constraints" by name
  std::ifstream in(SHARDLINT_ROOT "/schemas/README.md");
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, '|');) {
      const std::size_t begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
      cells.push_back(begin == cell.npos ? "" : cell.substr(begin, end - begin + 1));
    }
    if (cells.size() == 7) rows[cells[1]] = without_commas(cells[4]) + " " + without_commas(cells[5]);
  }
  for (const Schema* schema : schemas()) {
    if (schema->name == "plan") continue;
    const auto own =
        std::count_if(schema->law.begin(), schema->law.end(), [](const Clause& clause) { return !clause.inherited && !clause.silent; });
    EXPECT_EQ(rows[std::string(schema->name)], fmt::format("{} {}", schema->keys.size(), own)) << schema->name;
  }
}

}  // namespace
}  // namespace shardlint
