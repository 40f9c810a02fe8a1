// Tables of plans and what is said of them, in files that are read as prose: a line is a plan in canonical fields, below it stands, indented,
// what comes of it. "## NAME" says what is asked of the plans below it, a line "+ ..." what they have in common; a field that is said again
// is what was said last. UPDATE_FIXTURES=1 writes what is indented anew; read the difference.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

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

// A heading and what stands below it.
struct Section {
  std::string path, asked, body;
};

inline std::string whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<Section> sections_of(const std::string& path) {
  const std::string text = "\n" + whole_file(path);
  std::vector<Section> out;
  for (std::size_t at = text.find("\n## "); at != text.npos;) {
    const std::size_t line = text.find('\n', at + 1), next = text.find("\n## ", line);
    out.push_back({path, text.substr(at + 4, line - at - 4), text.substr(line, next == text.npos ? next : next - line)});
    at = next;
  }
  return out;
}

inline std::string name_of(const testing::TestParamInfo<Section>& info) {
  std::string out = std::to_string(info.index) + "_" + info.param.asked;
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}
inline void PrintTo(const Section& section, std::ostream* out) { *out << section.path << ": " << section.asked; }

// `answer`: what is asked and a plan -> lines, each with its line ending.
inline void expect_section(const Section& section, const std::function<std::string(const std::string&, const std::string&)>& answer) {
  std::istringstream in(section.body);
  std::string found, common, line;
  std::size_t plans = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("    ")) continue;
    found += line + "\n";
    if (line.starts_with("+ ")) common = line.substr(2);
    if (line.empty() || line[0] == '#' || line[0] == '+') continue;
    ++plans;
    std::istringstream lines(answer(section.asked, fields_of(common, line)));
    while (std::getline(lines, line)) found += "    " + line + "\n";
  }
  EXPECT_GT(plans, 0u);
  if (!section.body.ends_with('\n')) found.pop_back();
  EXPECT_EQ(found, section.body) << "UPDATE_FIXTURES=1 writes it anew";
  if (!std::getenv("UPDATE_FIXTURES")) return;
  std::string text = whole_file(section.path);
  const std::string head = "## " + section.asked;
  text.replace(text.find(head + section.body) + head.size(), section.body.size(), found);
  std::ofstream(section.path, std::ios::binary) << text;
}

}  // namespace shardlint::test
