// Positions of the editor against byte offsets, and line tables that follow edits.
#include "checker/lsp/encoding.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "checker/lsp/uri.h"

namespace shardlint::lsp {
namespace {

using mlir::lsp::Position;

// One, two, three and four bytes; all three ends of a line.
const std::string kText = "aü日🚀z\r\nb\rc\n🚀🚀";

TEST(Encoding, ColumnsAreCountedAsAgreed) {
  const Lines lines(kText);
  EXPECT_EQ(lines.count(), 4u);
  const auto z = static_cast<std::uint32_t>(kText.find('z'));
  EXPECT_EQ(lines.position(kText, z, Encoding::Utf8), Position(0, 10));
  EXPECT_EQ(lines.position(kText, z, Encoding::Utf16), Position(0, 5));
  EXPECT_EQ(lines.position(kText, z, Encoding::Utf32), Position(0, 4));
  for (const Encoding encoding : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32}) {
    EXPECT_EQ(lines.offset(kText, lines.position(kText, z, encoding), encoding), z);
    EXPECT_EQ(lines.position(kText, static_cast<std::uint32_t>(kText.find('c')), encoding), Position(2, 0));
  }
}

TEST(Encoding, WhatLiesOutsideIsTheNearestPlaceInside) {
  const Lines lines(kText);
  const auto size = static_cast<std::uint32_t>(kText.size());
  EXPECT_EQ(lines.offset(kText, {0, 999}, Encoding::Utf16), kText.find('\r'));
  EXPECT_EQ(lines.offset(kText, {99, 0}, Encoding::Utf16), size);
  EXPECT_EQ(lines.offset(kText, {-1, 0}, Encoding::Utf16), 0u);
  EXPECT_EQ(lines.offset(kText, {0, -5}, Encoding::Utf16), 0u);
  EXPECT_EQ(lines.offset(kText, {3, 1}, Encoding::Utf16), kText.rfind("🚀🚀"));  // between the two halves
  EXPECT_EQ(lines.position(kText, size + 10, Encoding::Utf16), Position(3, 4));
  EXPECT_EQ(lines.position(kText, static_cast<std::uint32_t>(kText.find("日")) + 1, Encoding::Utf16), Position(0, 2));
}

TEST(Encoding, LineTablesFollowEdits) {
  std::mt19937 random(7);
  const std::string pieces[] = {"", "a", "\n", "\r", "\r\n", "\n\r", "日", "🚀\n"};
  std::string text = kText;
  Lines lines(text);
  for (int i = 0; i < 20'000; ++i) {
    const auto begin = static_cast<std::uint32_t>(random() % (text.size() + 1));
    const auto end = begin + static_cast<std::uint32_t>(random() % (std::min<std::size_t>(4, text.size() - begin) + 1));
    const std::string& by = pieces[random() % std::size(pieces)];
    text.replace(begin, end - begin, by);
    lines.replaced(text, {begin, end}, by);
    const Lines whole(text);
    ASSERT_EQ(lines.count(), whole.count()) << i;
    for (std::uint32_t line = 0; line < whole.count(); ++line) ASSERT_EQ(lines.line(text, line), whole.line(text, line)) << i;
    if (text.size() > 200) text = kText, lines = Lines(text);
  }
}

TEST(Uri, PathsAndBack) {
  EXPECT_EQ(path_of("file:///a/b%20c/%C3%BC.yaml"), "/a/b c/ü.yaml");
  EXPECT_EQ(path_of("file://localhost/a/../b"), "/b");
  EXPECT_EQ(path_of("untitled:Untitled-1"), std::nullopt);
  EXPECT_EQ(uri_of("/a/b c/ü.yaml"), "file:///a/b%20c/%C3%BC.yaml");
  EXPECT_EQ(path_of(uri_of("/a#b?c%d/🚀")), "/a#b?c%d/🚀");
  EXPECT_EQ(name_of("untitled:Untitled-1", "yaml"), "Untitled-1.yaml");
  EXPECT_EQ(name_of("git:/repo/run.toml?ref", "toml"), "run.toml");
  EXPECT_EQ(name_of("untitled:Untitled-2", "shellscript"), "Untitled-2.sh");
}

}  // namespace
}  // namespace shardlint::lsp
