// The reference tables against the schemas: every row is law, or is excused with its reason; every key is known.
//
// The tables stand beside the repository (../shared/reference, or SHARDLINT_SHARED), and not everywhere: the tests skip where they do not.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/schema/schema.h"
#include "tests/schema/example.h"
#include "tests/where.h"

namespace shardlint::test {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> reference() {
  std::vector<fs::path> folders = {fs::path(SHARDLINT_ROOT) / ".." / "shared"};
  if (const char* named = std::getenv("SHARDLINT_SHARED")) folders.insert(folders.begin(), named);
  for (const fs::path& folder : folders)
    if (fs::is_directory(folder / "reference")) return folder / "reference";
  return std::nullopt;
}

// The cells of a column; comments and the header are no rows.
std::vector<std::string> column(const fs::path& path, std::string_view wanted) {
  std::vector<std::string> out;
  std::ifstream in(path);
  std::optional<std::size_t> at;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> cells;
    for (std::size_t begin = 0, end = 0; end != line.npos; begin = end + 1) {
      end = line.find('\t', begin);
      cells.push_back(line.substr(begin, end == line.npos ? end : end - begin));
    }
    if (!at) {
      at = static_cast<std::size_t>(std::find(cells.begin(), cells.end(), wanted) - cells.begin());
      EXPECT_LT(*at, cells.size()) << path << " has no column " << wanted;
    } else if (*at < cells.size()) {
      out.push_back(cells[*at]);
    }
  }
  return out;
}

// trainer.callbacks[MegatronCommOverlapCallback].bucket_size: a path through a list whose items are named by their class.
std::string plain(std::string key) {
  for (std::size_t open = key.find('['); open != key.npos; open = key.find('[', open + 1))
    if (key[open + 1] != '*') key.replace(open, key.find(']', open) + 1 - open, "[*]");
  return key;
}

class Reference : public testing::TestWithParam<const Schema*> {
 protected:
  void SetUp() override {
    const auto folder = reference();
    if (!folder) GTEST_SKIP() << "no reference tables at ../shared/reference or in SHARDLINT_SHARED";
    folder_ = *folder;
  }
  // The schemas that share the framework's tables; each is held to all of them together.
  static std::vector<const Schema*> siblings() {
    std::vector<const Schema*> out;
    for (const Schema* schema : schemas())
      if (schema->framework == GetParam()->framework) out.push_back(schema);
    return out;
  }
  static bool known(const std::string& key) {
    return std::ranges::any_of(siblings(), [&](const Schema* schema) {
      const KeySpec* found = schema->find_key(key);
      return found && (!found->open() || key.ends_with(".*") || siblings().size() == 1);
    });
  }
  fs::path table(std::string_view ending) const { return folder_ / fmt::format("{}-{}.tsv", GetParam()->name, ending); }
  fs::path folder_;
};

TEST_P(Reference, EveryRowIsLawOrExcused) {
  if (!fs::exists(table("constraints"))) GTEST_SKIP() << table("constraints") << " is not there";
  const std::vector<std::string> ids = column(table("constraints"), "id");
  const std::set<std::string> wanted(ids.begin(), ids.end());
  std::map<std::string, int> carried;
  std::vector<fs::path> files;
  for (const Schema* schema : siblings()) {
    for (const Clause& clause : schema->law)
      for (std::string_view row : clause.inherited ? std::span<const std::string_view>() : clause.rows) {
        ++carried[std::string(row)];
        EXPECT_TRUE(wanted.contains(std::string(row))) << clause.name << " carries a row that is not there: " << row;
      }
    for (const auto& file : fs::directory_iterator(fs::path(SHARDLINT_ROOT) / "schemas" / schema->name)) files.push_back(file.path());
  }
  std::set<std::string> excused;
  for (const fs::path& file : files) {
    if (!file.filename().string().starts_with("not-static") || file.extension() != ".tsv") continue;
    const std::vector<std::string> rows = column(file, "row"), reasons = column(file, "reason");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_TRUE(i < reasons.size() && !reasons[i].empty()) << file << ": " << rows[i] << " has no reason";
      EXPECT_TRUE(excused.insert(rows[i]).second) << file << ": " << rows[i] << " stands twice";
      EXPECT_TRUE(wanted.contains(rows[i])) << file << ": " << rows[i] << " is no row of the reference";
    }
  }
  std::string missing;
  for (const std::string& id : wanted)
    if (!carried.contains(id) && !excused.contains(id)) missing += " " + id;
  EXPECT_EQ(missing, "") << "neither law nor excused";
}

TEST_P(Reference, EveryKeyIsKnown) {
  const bool flags = GetParam()->name == "megatron";
  const fs::path path = table(flags ? "flags" : "keys");
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  std::string missing;
  for (const std::string& key : column(path, flags ? "flag" : "key"))
    // "[v1] model" is the key `model` of the form that keeps its keys under v1, or of an entry point that has it in common with the others.
    if (const std::size_t close = key.find("] "); key.starts_with('[') && close != key.npos)
      missing += known(fmt::format("{}.{}", key.substr(1, close - 1), key.substr(close + 2))) || known(plain(key.substr(close + 2)))
                     ? ""
                     : " " + key;
    else if (flags ? !GetParam()->find_flag(key) : !known(key))
      missing += " " + key;
  EXPECT_EQ(missing, "");
}

INSTANTIATE_TEST_SUITE_P(, Reference, testing::ValuesIn(schemas().begin(), schemas().end()),
                         [](const auto& at) { return test_name(at.param->name); });

}  // namespace
}  // namespace shardlint::test
