// Every program of tests/cxx/programs says what must be read from it: `// expect: PLAN field=value field=?`, where ? is unknown. Read as it
// is, and again with all of its own names replaced in program, header and binding: no name decides.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/engine/cxx.h"
#include "tests/folder.h"
#include "tests/where.h"

namespace shardlint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = SHARDLINT_ROOT "/tests/cxx/programs/";

std::string read(const fs::path& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::vector<std::string> programs() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".cpp") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

using Expected = std::map<std::string, std::map<std::string, std::string>>;

Expected expected(const std::string& program) {
  Expected out;
  std::istringstream in(program);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("// expect: ")) continue;
    std::string text = line.substr(11);
    // A name may hold blanks: what has an equals sign behind it begins the fields.
    std::istringstream words(text);
    std::string name;
    std::map<std::string, std::string> fields;
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos)
        name += (name.empty() ? "" : " ") + word;
      else
        fields[word.substr(0, equals)] = word.substr(equals + 1);
    }
    if (name != "none") out[name] = fields;
  }
  return out;
}

std::string shown(const CxxPlan& plan, const std::string& field) {
  std::string name = field;
  for (const auto& [alias, canonical] : plan.aliases)
    if (alias == field) name = canonical;
  for (const Fact& fact : plan.facts)
    if (fact.path == name) return fact.open.empty() ? to_string(fact.value) : "?";
  return "?";
}

void expect_plans(const std::string& folder, const std::string& file, const std::string& text, const std::string& binding,
                  const Expected& wanted) {
  const Disk disk;
  const std::string path = folder + "/" + file;
  const DocumentPtr document = read_document(std::make_shared<const Source>(path, text), Format::Cpp);
  const std::vector<BindingPtr> bindings{std::make_shared<const BindingFile>(std::make_shared<const Source>("bindings.toml", binding), "")};
  for (const Finding& mistake : bindings[0]->mistakes()) ADD_FAILURE() << mistake.message;
  static CxxReaders readers;
  const CxxUnit unit = read_cxx(readers, disk, document, bindings, {folder, {"-std=c++20", "-I" + folder}});
  ASSERT_EQ(unit.failure, "");
  for (const CxxUnit::Mistake& mistake : unit.mistakes) ADD_FAILURE() << mistake.message;
  std::set<std::string> names;
  for (const CxxPlan& plan : unit.plans) {
    names.insert(plan.name);
    const auto fields = wanted.find(plan.name);
    if (fields == wanted.end()) {
      ADD_FAILURE() << "a plan that nobody expects: " << plan.name;
      continue;
    }
    for (const auto& [field, value] : fields->second) EXPECT_EQ(shown(plan, field), value) << plan.name << " " << field;
  }
  for (const auto& [name, fields] : wanted) EXPECT_TRUE(names.contains(name)) << "no plan " << name;
}

std::string binding_for(const std::string& program) {
  const fs::path own = std::string(kFolder) + program + ".toml";
  return read(fs::exists(own) ? own : fs::path(std::string(kFolder) + "quarry.toml"));
}

class ProgramTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (program_beside("shardlint-cxx").empty()) GTEST_SKIP() << "built without the C++ front end";
  }
};

TEST_P(ProgramTest, IsReadAsExpected) {
  const std::string text = read(std::string(kFolder) + GetParam() + ".cpp");
  expect_plans(std::string(kFolder.substr(0, kFolder.size() - 1)), GetParam() + ".cpp", text, binding_for(GetParam()), expected(text));
}

// ---- the same under other names

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The language's own words and those of the libraries that the programs use. All others are the program's.
const std::set<std::string>& kept_words() {
  static const std::set<std::string> words = [] {
    std::set<std::string> out;
    std::istringstream in(read(std::string(kFolder) + "kept-words.txt"));
    for (std::string word; in >> word;) out.insert(word);
    return out;
  }();
  return words;
}

// What accessors are called follows from what they reach: set_x, mutable_x, x for x_.
std::string renamed_word(const std::string& word, const std::set<std::string>& own) {
  for (const std::string prefix : {"FLAGS_", "knob_", "set_", "mutable_", "clear_", "with_"})
    if (word.starts_with(prefix) && own.contains(word.substr(prefix.size()))) return prefix + renamed_word(word.substr(prefix.size()), own);
  if (!own.contains(word)) return word;
  if (word.size() > 1 && word.ends_with('_')) return "z" + word.substr(0, word.size() - 1) + "q_";
  return "z" + word + "q";
}

// A new name for every word of the program's own, in text too, since tables have names for keys; comments and includes are left alone.
std::string renamed(const std::string& text, const std::set<std::string>& own, bool code) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (code && text.compare(i, 2, "//") == 0 && text.compare(i, 11, "// expect: ") != 0) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      out += text.substr(i, end - i);
      i = end;
    } else if (code && text.compare(i, 8, "#include") == 0) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      out += text.substr(i, end - i);
      i = end;
    } else if (is_word(text[i])) {
      const std::size_t begin = i;
      while (i < text.size() && is_word(text[i])) ++i;
      const std::string word = text.substr(begin, i - begin);
      out += renamed_word(word, own);
    } else {
      out += text[i++];
    }
  }
  return out;
}

// Words that a binding file has a meaning for: a program that uses one of them keeps it.
bool is_binding_word(const std::string& word) {
  static const std::set<std::string> words = [] {
    std::set<std::string> out{
        "version",        "framework", "name",     "type",    "role",   "plan",     "part",         "builder",  "model",  "fields", "ctor",
        "params",         "map",       "factory",  "unset",   "method", "sets",     "arg",          "template", "derive", "flags",  "style",
        "macro",          "programs",  "launcher", "program", "env",    "function", "string_map",   "sink",     "also",   "keys",   "text",
        "format",         "json",      "finish",   "values",  "is",     "invert",   "unit",         "sentinel", "get",    "set",    "parse",
        "accessor_style", "message",   "unknown",  "tokens",  "none",   "order",    "device_lists", "precision"};
    for (const FieldInfo& field : fields()) {
      std::istringstream parts{std::string(field.name)};
      for (std::string part; std::getline(parts, part, '.');) out.insert(part);
    }
    return out;
  }();
  return words.contains(word);
}

void collect(const std::string& text, std::set<std::string>& own) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#include") || line.starts_with("//")) continue;
    const std::string code = line.substr(0, line.find("//"));
    bool quoted = false;
    for (std::size_t i = 0; i < code.size();) {
      if (code[i] == '"') quoted = !quoted;
      if (!is_word(code[i]) || quoted) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < code.size() && is_word(code[i])) ++i;
      const std::string word = code.substr(begin, i - begin);
      if (!(word[0] >= '0' && word[0] <= '9') && !kept_words().contains(word) && !word.starts_with("FLAGS_") && !is_binding_word(word))
        own.insert(word);
    }
  }
}

TEST_P(ProgramTest, IsReadTheSameUnderOtherNames) {
  const std::string program = read(std::string(kFolder) + GetParam() + ".cpp"), binding = binding_for(GetParam());
  std::set<std::string> own;
  collect(program, own);
  std::map<std::string, std::string> headers;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".h")
      headers[entry.path().filename().string()] = read(entry.path()), collect(headers[entry.path().filename().string()], own);
  const test::Folder folder;
  for (const auto& [name, text] : headers) folder.write(name, renamed(text, own, true));
  // What a program is expected to give is told in its own names.
  Expected wanted;
  for (const auto& [plan, fields] : expected(program)) wanted[renamed(plan, own, false)] = fields;
  expect_plans(folder.path(), GetParam() + ".cpp", renamed(program, own, true), renamed(binding, own, false), wanted);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string out = info.param;
  for (char& c : out)
    if (!is_word(c)) c = '_';
  return out;
}
INSTANTIATE_TEST_SUITE_P(Cxx, ProgramTest, testing::ValuesIn(programs()), test_name);

}  // namespace
}  // namespace shardlint
