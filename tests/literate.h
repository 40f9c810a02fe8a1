// Tables of plans and what is said of them, in files that are read as prose: a line is a plan in canonical fields, below it stands, indented,
// what comes of it. "## NAME" says what is asked of the plans below it, a line "+ ..." what they have in common; a field that is said again
// is what was said last. UPDATE_FIXTURES=1 writes what is indented anew; read the difference.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace shardlint::test {

// "tp = 8, list = [1, 2]" as TOML, a field a line.
inline std::string fields_of(const std::string& common, const std::string& plan) {
  std::map<std::string, std::string> fields;
  for (std::string_view rest : {std::string_view(common), std::string_view(plan)})
    while (!rest.empty()) {
      std::size_t end = 0;
      bool inside = false;  // of quotes or brackets
      for (; end < rest.size() && (inside || rest[end] != ','); ++end)
        if (rest[end] == '"' || rest[end] == '[' || rest[end] == ']') inside = !inside;
      const std::string_view field = rest.substr(0, end);
      fields[std::string(field.substr(0, field.find(' ')))] = field;
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
  std::string out;
  for (const auto& [name, field] : fields) out += field + "\n";
  return out;
}

// `answer`: what is asked and a plan -> lines, each with its line ending.
inline void expect_literate(const std::string& path, const std::function<std::string(const std::string&, const std::string&)>& answer) {
  std::ifstream in(path);
  std::string wanted, found, asked, common, line;
  std::size_t plans = 0;
  while (std::getline(in, line)) {
    wanted += line + "\n";
    if (line.starts_with("    ")) continue;
    found += line + "\n";
    if (line.starts_with("## ")) asked = line.substr(3), common.clear();
    if (line.starts_with("+ ")) common = line.substr(2);
    if (line.empty() || line[0] == '#' || line[0] == '+') continue;
    ++plans;
    const std::string lines = answer(asked, fields_of(common, line));
    for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
      found += "    " + lines.substr(at, lines.find('\n', at) + 1 - at);
  }
  EXPECT_GT(plans, 0u) << path;
  if (std::getenv("UPDATE_FIXTURES")) std::ofstream(path, std::ios::binary) << found;
  EXPECT_EQ(found, wanted) << "UPDATE_FIXTURES=1 writes it anew";
}

}  // namespace shardlint::test
