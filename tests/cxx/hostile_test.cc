// Whatever a source holds, the checker goes on: cut off, out of order, nested beyond reason. The programs of tests/cxx/programs are spoilt
// in every way that a generator with a fixed seed thinks of, and those that once went wrong stand in tests/cxx/hostile.
//
//   SHARDLINT_HOSTILE_SECONDS=900 shardlint_tests --gtest_filter='HostileCxx.*'     goes on for so long, with other seeds each time
//   SHARDLINT_HOSTILE_KEEP=FOLDER                                                 what ends the reader is written there
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>

#include "tests/cxx/project.h"
#include "tests/where.h"

namespace shardlint {
namespace {

const fs::path kPrograms = SHARDLINT_ROOT "/tests/cxx/programs", kKept = SHARDLINT_ROOT "/tests/cxx/hostile";

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line + "\n");
  return out;
}

std::string together(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

class Spoiler {
 public:
  Spoiler(std::uint64_t seed, std::vector<std::string> programs) : random_(seed), programs_(std::move(programs)) {}

  std::string make() {
    std::string text = programs_[below(programs_.size())];
    for (std::size_t turns = 1 + below(3); turns > 0; --turns) text = spoilt(std::move(text));
    return text;
  }

 private:
  std::size_t below(std::size_t most) { return most == 0 ? 0 : static_cast<std::size_t>(random_() % most); }

  std::string spoilt(std::string text) {
    if (text.empty()) return text;
    const std::size_t at = below(text.size());
    std::vector<std::string> lines = lines_of(text);
    switch (below(14)) {
      case 0: return text.substr(0, at);
      case 1: return text.substr(at);
      case 2: std::shuffle(lines.begin(), lines.end(), random_); return together(lines);
      case 3: std::swap(lines[below(lines.size())], lines[below(lines.size())]); return together(lines);
      case 4: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size()))); return together(lines);
      case 5: {  // nested
        static constexpr const char* kOpen[] = {
            "(", "{", "[", "-", "!", "*", "if (1) ", "for (;;) {", "[&] { return ", "f(", "x<", "namespace n {"};
        std::string deep;
        const char* open = kOpen[below(std::size(kOpen))];
        for (std::size_t i = below(20'000); i > 0; --i) deep += open;
        return text.insert(at, deep);
      }
      case 6: return text + text;
      case 7: text[at] = static_cast<char>(random_()); return text;
      case 8: return text.insert(at, std::string(1 + below(4), static_cast<char>(random_())));
      case 9: {  // a piece of another program
        const std::string& other = programs_[below(programs_.size())];
        return text.insert(at, other.substr(below(other.size()), below(400)));
      }
      case 10: {  // one word everywhere for another
        const std::string from = word(text), to = word(text);
        std::string out;
        for (std::size_t i = 0; i < text.size();)
          if (!from.empty() && text.compare(i, from.size(), from) == 0)
            out += to, i += from.size();
          else
            out += text[i++];
        return out;
      }
      case 11: {
        static constexpr const char* kOdd[] = {"\n#include \"main.cpp\"\n",
                                               "\n#define int unsigned\n",
                                               "\n#if 0\n",
                                               "\n#line 7 \"x.h\"\n",
                                               " = 1 / 0;",
                                               " template <int N> struct S : S<N - 1> {}; S<90000> s;",
                                               " constexpr int f(int n) { return n ? f(n) : 0; } constexpr int k = f(1);",
                                               " union { int a; float b; };",
                                               " goto x;",
                                               " co_await x;",
                                               " asm(\"\");",
                                               " throw;",
                                               " int a[1 << 30];",
                                               " struct quarry;",
                                               "\n#pragma once\n"};
        return text.insert(at, kOdd[below(std::size(kOdd))]);
      }
      case 12: {  // a number out of range
        const std::size_t digit = text.find_first_of("0123456789", at);
        static constexpr const char* kNumbers[] = {
            "99999999999999999999", "2147483648", "-9223372036854775808", "0x", "1e400", "08", "1''0"};
        return digit == std::string::npos ? text : text.replace(digit, 1, kNumbers[below(std::size(kNumbers))]);
      }
      default: return text.erase(at, below(200));
    }
  }
  std::string word(const std::string& text) {
    const auto part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    std::size_t begin = below(text.size());
    while (begin < text.size() && !part(text[begin])) ++begin;
    std::size_t end = begin;
    while (end < text.size() && part(text[end])) ++end;
    return text.substr(begin, end - begin);
  }

  std::mt19937_64 random_;
  std::vector<std::string> programs_;
};

class HostileCxx : public CheckCxx {
 protected:
  void SetUp() override {
    CheckCxx::SetUp();
    if (IsSkipped()) return;
    readers_ = std::make_shared<CxxReaders>();
    put("quarry.h", text_of(kPrograms / "quarry.h"));
    put("shardlint.bindings.toml", text_of(kPrograms / "quarry.toml"));
  }

  // Whether it was read whole.
  bool survives(const std::string& text) {
    put("main.cpp", text);
    const CheckResult result = check({"main.cpp"});
    EXPECT_TRUE(result.errors.empty());
    bool whole = true;
    for (const Finding& finding : result.findings) {
      whole &= finding.rule != "hygiene/cxx-not-read";
      EXPECT_LE(finding.place.range.end, finding.place.source->text().size());
      for (const Note& note : finding.notes) {
        if (!note.place) continue;
        EXPECT_LE(note.place.range.end, note.place.source->text().size());
      }
    }
    return whole;
  }
};

TEST_F(HostileCxx, SourcesEndNothing) {
  const std::string program = text_of(kPrograms / "branches.cpp");
  const std::string start = "#include \"quarry.h\"\nquarry::Plan p() { quarry::Plan p; p.wide = ";
  std::vector<std::string> texts{start + std::string(20000, '(') + "1", start + std::string(5000, '-') + "1; return p; }",
                                 std::string("#include \"quarry.h\"\n\0quarry::Plan x{1};", 38),
                                 "#include \"main.cpp\"\nquarry::Plan p();\n"};
  std::string sum = start + "1";
  for (int i = 0; i < 5000; ++i) sum += " + 1";
  texts.push_back(sum + "; return p; }");
  std::string nested = "#include \"quarry.h\"\nquarry::Plan p(int n) { quarry::Plan p;";
  for (int i = 0; i < 200; ++i) nested += "if (n > " + std::to_string(i) + ") { for (;;) {";
  texts.push_back(nested + "p.wide = n;");
  std::string twice = "#include \"quarry.h\"\nquarry::Plan f0(int n) { return {}; }\n";
  for (int i = 1; i < 40; ++i) twice += fmt::format("quarry::Plan f{0}(int n) {{ return n ? f{1}(n) : f{1}(n + 1); }}\n", i, i - 1);
  texts.push_back(twice);
  for (std::size_t cut = 1; cut < 6; ++cut) texts.push_back(program.substr(0, program.size() * cut / 6));
  for (const std::string& text : texts) survives(text);
}

TEST_F(HostileCxx, WhatOnceWentWrongIsRead) {
  if (!fs::exists(kKept)) return;
  for (const auto& entry : fs::directory_iterator(kKept)) EXPECT_TRUE(survives(text_of(entry.path()))) << entry.path();
}

TEST_F(HostileCxx, SpoiltProgramsEndNothing) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kPrograms))
    if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> programs;
  for (const fs::path& file : files) programs.push_back(text_of(file));
  const char* seconds = std::getenv("SHARDLINT_HOSTILE_SECONDS");
  const char* keep = std::getenv("SHARDLINT_HOSTILE_KEEP");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 0);
  Spoiler spoiler(seconds ? std::random_device{}() : 7, programs);
  std::size_t tried = 0, lost = 0;
  for (; seconds ? std::chrono::steady_clock::now() < end : tried < 40; ++tried) {
    const std::string text = spoiler.make();
    if (survives(text)) continue;
    if (keep) {
      fs::create_directories(keep);
      std::ofstream(fs::path(keep) / fmt::format("{:016x}.cpp", std::hash<std::string>()(text)), std::ios::binary) << text;
    }
    ++lost;
  }
  if (seconds) std::cout << tried << " programs, " << lost << " of them ended the reader\n";
  // A reader that ends is survived; one that ends often is not worth much.
  EXPECT_LE(lost * 20, tried);
}

}  // namespace
}  // namespace shardlint
