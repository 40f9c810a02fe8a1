// Files on a real disk: what a write leaves behind, and diffs as `patch` and `git apply` take them.

#include "checker/fix/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/folder.h"

namespace shardlint {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, std::string_view text) const { std::ofstream(path(name), std::ios::binary) << text; }
  std::string get(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  mode_t mode(const std::string& name) const {
    struct stat status {};
    ::stat(path(name).c_str(), &status);
    return status.st_mode & 07777;
  }

  const test::Folder own_;
  const fs::path folder_ = own_.path();
};

TEST_F(Files, ReplacesTextAndKeepsMode) {
  put("a", "old");
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  EXPECT_EQ(write_atomically(path("a"), "new\n"), std::nullopt);
  EXPECT_EQ(get("a"), "new\n");
  EXPECT_EQ(mode("a"), 0640u);
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, MakesNewFiles) {
  EXPECT_EQ(write_atomically(path("new"), "x"), std::nullopt);
  EXPECT_EQ(get("new"), "x");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, FollowsLinksToTheRealFile) {
  fs::create_directory(path("real"));
  put("real/a", "old");
  fs::create_symlink("real/a", path("link"));
  fs::create_symlink("link", path("second"));
  EXPECT_EQ(write_atomically(path("second"), "new"), std::nullopt);
  EXPECT_TRUE(fs::is_symlink(path("second")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(get("real/a"), "new");
  EXPECT_EQ(count(), 3u);
}

TEST_F(Files, RefusesWithAReasonAndLeavesNothing) {
  fs::create_symlink("nowhere", path("dangling"));
  EXPECT_NE(write_atomically(path("dangling"), "x"), std::nullopt);
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_NE(write_atomically(folder_.string(), "x"), std::nullopt);
  EXPECT_NE(write_atomically(path("no/such/folder"), "x"), std::nullopt);
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, ReadOnly) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anything";
  put("a", "old");
  ASSERT_EQ(::chmod(path("a").c_str(), 0444), 0);
  EXPECT_EQ(write_atomically(path("a"), "new"), "cannot write " + path("a") + ": Permission denied");
  ASSERT_EQ(::chmod(path("a").c_str(), 0644), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  EXPECT_EQ(write_atomically(path("a"), "new"), "cannot write " + path("a") + ": Permission denied");
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(count(), 1u);
}

TEST(UnifiedDiff, LooksAsItShould) {
  EXPECT_EQ(unified_diff("a.yaml", "x\n", "x\n"), "");
  EXPECT_EQ(unified_diff("d/a.yaml", "1\n2\n3\n4\ntp: 4\n6\n7\n8\n9\n", "1\n2\n3\n4\ntp: 8\n6\n7\n8\n9\n"),
            "--- a/d/a.yaml\n+++ b/d/a.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-tp: 4\n+tp: 8\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff("a", "x", "x\ny"),
            "--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-x\n\\ No newline at end of file\n+x\n+y\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("/abs/a b", "x\n", ""), "--- a/abs/a b\t\n+++ b/abs/a b\t\n@@ -1 +0,0 @@\n-x\n");
}

std::string many(int lines, int seed, int every) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const bool other = every && (i * 7 + seed) % every == 0;
    if (other && i % 3 == 0) continue;
    text += (i % 5 ? "line " + std::to_string(i) : "same") + (other ? " changed" : "") + "\n";
    if (other && i % 3 == 1) text += "added\n";
  }
  return text;
}

TEST_F(Files, DiffsApply) {
  const std::pair<std::string, std::string> changes[] = {
      {"a\nb\nc\n", "a\nB\nc\n"},
      {"a\nb\nc", "a\nb\nC"},
      {"a\nb\nc", "a\nb\nc\n"},
      {"a\nb\nc\n", "a\nb\nc"},
      {"a\nb", "a\nb\nc"},
      {"a\r\nb\r\n", "a\r\nB\r\n"},
      {"a\n", "x\na\n"},
      {"a\nb\n", "b\n"},
      {"a\nb\n", "c\n"},
      {"a\na\na\na\n", "a\na\n"},
      {many(40, 0, 0), many(40, 1, 9)},
      {many(400, 0, 0), many(400, 3, 23)},
      {many(400, 2, 5), many(400, 3, 4)},
      {many(30, 0, 0), many(30, 5, 1)},
      {many(5000, 0, 1), many(5000, 0, 0)},  // beyond the distance that is searched
  };
  for (const char* tool : {"patch -s -p1 -i ../diff", "git apply -p1 ../diff"}) {
    const std::string name = std::string(tool).substr(0, std::string(tool).find(' '));
    if (std::system((name + " --version >/dev/null 2>&1").c_str()) != 0) continue;
    fs::create_directory(path("w"));
    const std::string in_folder = "cd '" + path("w") + "' && GIT_CEILING_DIRECTORIES=/ ";  // git must see no repository around it
    for (const auto& [before, after] : changes) {
      put("w/a file", before);
      put("diff", unified_diff("a file", before, after));
      EXPECT_EQ(std::system((in_folder + tool).c_str()), 0) << name << "\n" << get("diff").substr(0, 2000);
      EXPECT_TRUE(get("w/a file") == after) << name << "\n" << get("diff").substr(0, 2000);
    }
    const std::string odd = "odd \"name\" \\ of\tit";
    put("w/" + odd, "a\n");
    put("diff", unified_diff(odd, "a\n", "b\n"));
    EXPECT_EQ(std::system((in_folder + tool).c_str()), 0) << name << "\n" << get("diff");
    EXPECT_EQ(get("w/" + odd), "b\n");
  }
}

}  // namespace
}  // namespace shardlint
