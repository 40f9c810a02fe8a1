// No name means anything, and neither does the way in which words are kept: every script of the labelled launch cases gives the same plans
// and findings after all of its variables are renamed, and after its arrays are made strings and its strings arrays.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/engine/check.h"
#include "tests/where.h"

namespace shardlint {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(SHARDLINT_ROOT) / "../shared/cases/launch";

std::vector<fs::path> scripts() {
  std::vector<fs::path> out;
  if (!fs::exists(kCases)) return out;
  for (const auto& entry : fs::directory_iterator(kCases))
    if (entry.path().extension() == ".sh" || entry.path().extension() == ".sbatch") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string read(const fs::path& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// Every known field of every plan, and the rules that say something. Plans are named by variables, so their names do not count.
std::string understood(const fs::path& path, const std::string& text) {
  Overlay files;
  files.put(path.filename().string(), text);
  CheckOptions options;
  options.paths = {path.filename().string()};
  options.isolated = true;
  std::string out;
  const CheckResult result = check(files, options);
  for (const PlanReport& plan : result.plans) {
    out += plan.framework + ":";
    for (const FieldReport& field : plan.fields)
      if (field.value) out += fmt::format(" {}={}", field.name, to_string(*field.value));
    out += "\n";
  }
  std::multiset<std::string> rules;
  for (const Finding& finding : result.findings) rules.insert(finding.rule);
  for (const std::string& rule : rules) out += rule + "\n";
  return out;
}

// What programs outside of the script read by these names.
bool means_something(const std::string& name) {
  static const std::regex outside(
      "(SLURM|CUDA|NCCL|PET|MASTER|OMP|HF|WANDB|TORCH|XLA|JAX|NVTE)_.*|NNODES|NPROC_PER_NODE|NODE_RANK|WORLD_SIZE|RANK|EXP|IFS|PATH|KEY");
  return std::regex_match(name, outside);
}

std::set<std::string> variables(const std::string& text) {
  std::set<std::string> out;
  static const std::regex set(R"re((?:^|[\s;({])(?:export |local |declare |readonly )?([A-Za-z_][A-Za-z_0-9]*)\+?=)re"),
      loop(R"re(\bfor ([A-Za-z_]\w*) in\b)re");
  for (const std::regex& one : {set, loop})
    for (std::sregex_iterator at(text.begin(), text.end(), one), end; at != end; ++at)
      // A word such as name=value of a command's own is no variable; one that is read again is.
      if (const std::string name = (*at)[1];
          !means_something(name) && std::regex_search(text, std::regex(fmt::format(R"re(\$\{{?[#!]?{}\b|\(\([^)]*\b{}\b)re", name, name))))
        out.insert(name);
  return out;
}

std::string renamed(std::string text) {
  for (const std::string& name : variables(text))
    text = std::regex_replace(
        text, std::regex(fmt::format(R"re(((^|[\s;({{])(export |local )?|\$\{{?[#!]?|\(\( *|[-+*/%] *|\bfor ){}\b(?!-))re", name)),
        fmt::format("$1q{}z", name));
  return text;
}

// NAME=(...) and NAME+=(...) of plain words.
std::string with_strings(const std::string& text, int& changed) {
  static const std::regex array(R"re(([A-Za-z_]\w*)(\+?)=\(([^()"'#]*(?:"\$\{?\w+\}?"[^()"'#]*)*)\))re");
  std::string out = text;
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), array), end; at != end; ++at) names.insert((*at)[1]);
  for (const std::string& name : names) {
    // All of its assignments, or none.
    const std::regex any(fmt::format(R"re(\b{}\+?=\()re", name)),
        plain(fmt::format(R"re(\b({})(\+?)=\(([^()"'#]*(?:"\$\{{?\w+\}}?"[^()"'#]*)*)\))re", name));
    const auto count = [&](const std::regex& of) {
      return std::distance(std::sregex_iterator(out.begin(), out.end(), of), std::sregex_iterator());
    };
    if (count(any) != count(plain)) continue;
    std::string next;
    std::string::const_iterator from = out.cbegin();
    for (std::sregex_iterator at(out.begin(), out.end(), plain), end; at != end; ++at) {
      next.append(from, (*at)[0].first);
      std::string words = (*at)[3];
      for (char& c : words)
        if (c == '\n' || c == '"') c = ' ';
      next += fmt::format("{}{}=\"{}{}\"", name, std::string((*at)[2]), (*at)[2].length() ? " " : "", words);
      from = (*at)[0].second;
    }
    next.append(from, out.cend());
    out = std::regex_replace(next, std::regex(fmt::format(R"re(("?)\$\{{{}\[[@*]\]\}}\1)re", name)), fmt::format("${{{}}}", name));
    ++changed;
  }
  return out;
}

// NAME="--flag value ..." that is used as $NAME.
std::string with_arrays(const std::string& text, int& changed) {
  static const std::regex string(R"re(([A-Za-z_]\w*)="(\s*--[^"$`\\]*(?:\\\n[^"$`\\]*|\$\{?\w+\}?[^"$`\\]*)*)")re");
  std::string out = text;
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), string), end; at != end; ++at) names.insert((*at)[1]);
  for (const std::string& name : names) {
    const std::regex any(fmt::format(R"re((?:^|[\s;])(?:export )?{}\+?=)re", name)),
        quoted(fmt::format(R"re("[^"\n]*\$\{{?{}\b[^"\n]*")re", name));
    if (std::distance(std::sregex_iterator(out.begin(), out.end(), any), std::sregex_iterator()) != 1 || std::regex_search(out, quoted))
      continue;
    out = std::regex_replace(out, std::regex(fmt::format(R"re(\b{}="([^"]*)")re", name)), fmt::format("{}=($1)", name));
    out = std::regex_replace(out, std::regex(fmt::format(R"re(\$\{{{}\}}|\${}\b)re", name, name)), fmt::format("\"${{{}[@]}}\"", name));
    ++changed;
  }
  return out;
}

TEST(Renaming, NamesAndKindsOfVariablesMeanNothing) {
  const std::vector<fs::path> all = scripts();
  if (all.empty()) GTEST_SKIP() << kCases << " is not there";
  int names = 0, strings = 0, arrays = 0;
  for (const fs::path& path : all) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = read(path), before = understood(path, text);
    EXPECT_FALSE(before.empty());
    names += static_cast<int>(variables(text).size());
    EXPECT_EQ(understood(path, renamed(text)), before) << renamed(text);
    const std::string as_strings = with_strings(text, strings);
    EXPECT_EQ(understood(path, as_strings), before) << as_strings;
    const std::string as_arrays = with_arrays(text, arrays);
    EXPECT_EQ(understood(path, as_arrays), before) << as_arrays;
    int again = 0;
    EXPECT_EQ(understood(path, with_arrays(as_strings, again)), before);
  }
  EXPECT_GE(names, 30);
  EXPECT_GE(strings, 3);
  EXPECT_GE(arrays, 1);
}

}  // namespace
}  // namespace shardlint
