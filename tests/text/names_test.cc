#include "checker/text/names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace shardlint {
namespace {

TEST(Names, ASetHoldsWhatWasPutIntoIt) {
  std::set<std::string> all;
  for (int i = 0; i < 1000; ++i) all.insert("model.layers[" + std::to_string(i) + "].hidden");
  for (const char* name : {"", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghabcdefgh"}) all.insert(name);
  NameSet names;  // grows from nothing
  for (const std::string& name : all) EXPECT_TRUE(names.insert(name));
  for (const std::string& name : all) {
    EXPECT_FALSE(names.insert(name));
    EXPECT_TRUE(names.contains(name));
    EXPECT_FALSE(names.contains(name + "x"));
  }
  EXPECT_EQ(std::vector<std::string_view>(all.begin(), all.end()), names.names());
  EXPECT_FALSE(NameSet().contains(""));
}

// Every byte counts, and how many there are: names of one length that differ in one place, and beginnings of each other.
TEST(Names, HashesTellNamesApart) {
  std::set<std::uint32_t> hashes;
  const std::string name(24, 'a');
  for (std::size_t size = 0; size <= name.size(); ++size) hashes.insert(hash_of(name.substr(0, size)));
  EXPECT_EQ(hashes.size(), name.size() + 1);
  for (std::size_t size : {3u, 8u, 9u, 16u, 24u})
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = name.substr(0, size);
      other[at] = 'b';
      EXPECT_TRUE(hashes.insert(hash_of(other)).second) << other;
    }
}

TEST(Names, ATableIsNeverFull) {
  for (std::size_t names : {0u, 1u, 2u, 3u, 500u}) {
    EXPECT_GT(table_size(names), names);
    EXPECT_EQ(table_size(names) & (table_size(names) - 1), 0u) << "a power of two";
  }
}

}  // namespace
}  // namespace shardlint
