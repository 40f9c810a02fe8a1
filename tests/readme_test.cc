// The README shows real output: every fenced block that begins with `$ shardlint ...` is run from the project's folder and must say
// exactly what stands there, but for the time it took and the number of checks, which every new constraint changes.
#include <cstdio>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/where.h"

namespace {

std::string lasting(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex("[0-9]+ ms"), "N ms"), std::regex("[0-9]+ checks"), "N checks");
}

std::string run(const std::string& arguments) {
  const std::string command = "cd '" SHARDLINT_ROOT "' && '" SHARDLINT_BINARY "' " + arguments;
  std::string out;
  std::FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, size);
  pclose(pipe);
  return out;
}

TEST(Readme, ShowsRealOutput) {
  std::stringstream readme;
  readme << std::ifstream(SHARDLINT_ROOT "/README.md").rdbuf();
  const std::string text = readme.str();
  const std::string mark = "```\n$ shardlint ";
  int blocks = 0;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1), ++blocks) {
    const std::size_t begin = at + mark.size(), line_end = text.find('\n', begin), end = text.find("\n```", line_end);
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(lasting(run(text.substr(begin, line_end - begin))), lasting(text.substr(line_end + 1, end - line_end)));
  }
  EXPECT_GE(blocks, 1);
}

}  // namespace
