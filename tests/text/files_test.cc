#include "checker/text/files.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace shardlint {
namespace {

using testing::ElementsAre;

TEST(World, PathsAreNormal) {
  EXPECT_EQ(normal("a/./b/../c"), "a/c");
  EXPECT_EQ(normal("./a"), "a");
  EXPECT_EQ(normal("a/"), "a");
  EXPECT_EQ(normal("a/.."), ".");
  EXPECT_EQ(normal(""), ".");
  EXPECT_EQ(normal("../a"), "../a");
  EXPECT_EQ(normal("/a/../.."), "/");
  EXPECT_EQ(join("", "a"), "a");
  EXPECT_EQ(join("a", "../b"), "b");
  EXPECT_EQ(join("a", "/b"), "/b");
  EXPECT_EQ(folder_of("a/b"), "a");
  EXPECT_EQ(folder_of("a"), "");
  EXPECT_EQ(folder_of("/a"), "/");
}

// The standard library's own answer, for all short paths of these parts.
TEST(World, PathsAreThoseOfTheStandardLibrary) {
  namespace fs = std::filesystem;
  const char* parts[] = {"", ".", "..", "a", "..b", "/"};
  const auto expected = [](const fs::path& path) {
    std::string out = path.lexically_normal().generic_string();
    while (out.size() > 1 && out.ends_with('/')) out.pop_back();
    return out.empty() ? "." : out;
  };
  for (const std::string a : parts)
    for (const std::string b : parts)
      for (const std::string c : parts)
        for (const std::string d : parts) {
          const std::string path = a + "/" + b + "/" + c + "/" + d, open = a + (a.empty() ? "" : "/") + b + "/" + c + d;
          if (path.starts_with("//") || open.starts_with("//")) continue;  // POSIX leaves to the system what two slashes in front mean
          EXPECT_EQ(normal(path), expected(path)) << path;
          EXPECT_EQ(normal(open), expected(open)) << open;
          EXPECT_EQ(join(a + "/" + b, c + "/" + d), expected(fs::path(a + "/" + b) / (c + "/" + d))) << path;
          if (open.find("//") == std::string::npos) {
            EXPECT_EQ(folder_of(open), fs::path(open).parent_path().generic_string()) << open;
          }
        }
}

TEST(World, PathsAreShownFromTheWorkingFolder) {
  EXPECT_EQ(shown("a/b", "/home/me"), "a/b");
  EXPECT_EQ(shown("/home/me/a", "/home/me"), "a");
  EXPECT_EQ(shown("../x", "/home/me"), "/home/x");
  EXPECT_EQ(shown("/home/mean", "/home/me"), "/home/mean");
  EXPECT_EQ(shown("<stdin>", "/home/me"), "<stdin>");
  EXPECT_EQ(shown("a", ""), "a");
}

TEST(World, AnOverlayHidesWhatIsBelow) {
  Overlay below;
  below.put("a/x.yaml", "below");
  below.put("a/y.yaml", "below");
  Overlay above(&below);
  above.put("./a/x.yaml", "above");
  above.put("a/b/z.yaml", "above");
  above.put("a/.hidden", "");
  EXPECT_EQ(above.read("a/x.yaml").text, "above");
  EXPECT_EQ(above.read("a/../a/y.yaml").text, "below");
  EXPECT_EQ(above.read("a/none").error, "no such file");
  EXPECT_EQ(above.read("a/b").error, "no such file");
  EXPECT_EQ(below.read("a").error, "this is a folder");
  EXPECT_THAT(above.list("a"), ElementsAre("b", "x.yaml", "y.yaml"));
  EXPECT_THAT(above.list("."), ElementsAre("a"));
  EXPECT_TRUE(above.is_folder("a/b"));
  EXPECT_FALSE(above.is_folder("a/x.yaml"));
  EXPECT_TRUE(above.exists("a/y.yaml"));
  EXPECT_FALSE(above.exists("a/x"));
}

TEST(World, ADiskListsFilesAndFolders) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "shardlint_files_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "inner");
  for (const char* name : {"b.yaml", "a.yaml", ".hidden"}) std::ofstream(folder / name) << "x: 1\n";
  fs::create_symlink(".", folder / "circle");
  fs::create_symlink("a.yaml", folder / "link.yaml");
  fs::create_symlink("nowhere", folder / "broken");
  const Disk disk;
  EXPECT_THAT(disk.list(folder), ElementsAre("a.yaml", "b.yaml", "inner", "link.yaml"));
  EXPECT_EQ(disk.read(folder / "a.yaml").text, "x: 1\n");
  EXPECT_EQ(disk.read(folder / "none").error, "no such file");
  EXPECT_EQ(disk.read(folder).error, "this is a folder");
  EXPECT_EQ(disk.read("/dev/zero").error, "this is no regular file");
  EXPECT_TRUE(disk.is_folder(""));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace shardlint
