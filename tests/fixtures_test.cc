// fixtures/: files as people write them. Those in ok/ are silent; what is said of those in bad/ and of the folders in projects/ stands in
// a sibling .out. The first line may hold options: `# shardlint-test: --nodes 640 --gpus-per-node 8` (for JSON: a sibling .options).
// UPDATE_FIXTURES=1 writes every .out anew; read the difference before committing it.
//
// pairs/FRAMEWORK/ROW.ok.* and ROW.bad.*: one row of a framework's law, as the smallest files that differ by it.
//
// Every fix that is offered for a bad file is made, and the file is checked again: it must mend what it is for and break nothing else.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/cli/options.h"
#include "checker/engine/check.h"
#include "checker/report/text.h"
#include "checker/schema/schema.h"
#include "tests/where.h"

namespace shardlint {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(SHARDLINT_ROOT) / "fixtures";

std::string read(const fs::path& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::vector<fs::path> entries(const char* folder) {
  std::vector<fs::path> out;
  if (!fs::exists(kFixtures / folder)) return out;
  for (const auto& entry : fs::directory_iterator(kFixtures / folder))
    if (const auto kind = entry.path().extension(); kind != ".out" && kind != ".options") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string name_of(const fs::path& path) { return fs::relative(path, kFixtures).string(); }

// All of it in memory, under names that do not depend on where the sources lie.
void load(const fs::path& path, Overlay& files) {
  if (!fs::is_directory(path)) return files.put(name_of(path), read(path));
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.put(name_of(entry.path()), read(entry.path()));
}

CheckOptions options_for(const fs::path& path) {
  std::string line;
  if (fs::exists(path.string() + ".options"))
    line = read(path.string() + ".options");
  else if (!fs::is_directory(path))
    line = read(path);
  line = line.substr(0, line.find('\n'));
  constexpr std::string_view kMark = "shardlint-test:";
  std::vector<std::string> words{"check", name_of(path)};  // before the options: behind `--` stand overrides
  if (const std::size_t at = line.find(kMark); at != std::string::npos) {
    std::istringstream rest(line.substr(at + kMark.size()));
    for (std::string word; rest >> word;) words.push_back(word);
  }
  Checked<Options> options = read_options(words);
  EXPECT_TRUE(options.value) << options.error;
  CheckOptions out = options.value ? options.value->check : CheckOptions();
  out.isolated = !fs::is_directory(path);
  return out;
}

// What a person would read, without the last line: it counts the rules that there are today.
std::string report(CheckResult& result) {
  std::string out = text_report(result, {});
  out.pop_back();
  return out.substr(0, out.rfind('\n') + 1);
}

// Rule -> how often. What hangs under a finding counts: it stands by itself once its cause is gone.
std::map<std::string, int> counts(const CheckResult& result) {
  std::map<std::string, int> out;
  for (const Finding& finding : result.findings) {
    if (finding.severity == Severity::Info) continue;
    ++out[finding.rule];
    for (const Note& note : finding.notes)
      if (note.message.starts_with("with it: ") && note.message.ends_with(')')) {
        const std::size_t name = note.message.rfind('(') + 1;
        ++out[note.message.substr(name, note.message.size() - name - 1)];
      }
  }
  return out;
}

// The text between the edits is what it was, byte for byte.
void expect_untouched(const Source& before, std::vector<Edit> edits, std::string_view after) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });
  std::size_t from = 0, at = 0;
  for (const Edit& edit : edits) {
    const std::size_t kept = edit.range.begin - from;
    EXPECT_EQ(after.substr(at, kept), before.text().substr(from, kept));
    at += kept + edit.text.size();
    from = edit.range.end;
  }
  EXPECT_EQ(after.substr(std::min(at, after.size())), before.text().substr(from));
}

void expect_mends(const fs::path& path, const CheckOptions& options, const CheckResult& before, const Finding& finding, const Fix& fix) {
  SCOPED_TRACE(fmt::format("{}: {}", finding.rule, fix.title));
  Overlay files;
  load(path, files);
  std::map<std::string, std::vector<Edit>> by_file;
  for (const Edit& edit : fix.edits) by_file[edit.source->path()].push_back(edit);
  EXPECT_FALSE(by_file.empty());
  for (const auto& [name, edits] : by_file) {
    const std::optional<std::string> after = apply(*edits[0].source, edits);
    ASSERT_TRUE(after) << "the edits overlap";
    expect_untouched(*edits[0].source, edits, *after);
    files.put(name, *after);
  }
  const CheckResult result = check(files, options);
  const auto was = counts(before), is = counts(result);
  for (const auto& [rule, count] : is) {
    const int allowed = (was.contains(rule) ? was.at(rule) : 0) - (rule == finding.rule);
    EXPECT_LE(count, allowed) << rule << " after the fix";
  }
}

// ---- pairs

const Schema* schema_named(std::string_view name) {
  const auto all = schemas();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Schema* schema) { return schema->name == name; });
  return found == all.end() ? nullptr : *found;
}

// The law that carries the row of a pair: "ov-1" for ov-1.bad.yaml, and for ov-1-2.bad.yaml if there is no ov-1-2. None: a key's type.
std::vector<const Clause*> law_of(std::string_view framework, std::string row) {
  for (;;) {
    std::vector<const Clause*> out;
    for (const Schema* schema : schemas())
      for (const Clause& clause : schema->law)
        if (schema->framework == framework && !clause.inherited &&
            std::find(clause.rows.begin(), clause.rows.end(), row) != clause.rows.end())
          out.push_back(&clause);
    const std::size_t cut = row.find_last_of('-');
    if (!out.empty() || cut == std::string::npos || cut + 2 != row.size() || !std::isdigit(static_cast<unsigned char>(row.back())))
      return out;
    row.resize(cut);
  }
}

struct Judged {
  CheckResult result;
  std::map<std::string, int> rules;
  bool refused = false;
};

Judged judge_alone(const fs::path& path, std::string_view framework) {
  Overlay files;
  load(path, files);
  CheckOptions options = options_for(path);
  options.command_line.framework = framework;
  Judged out{check(files, options), {}, false};
  out.rules = counts(out.result);
  out.refused = std::any_of(out.result.findings.begin(), out.result.findings.end(),
                            [](const Finding& finding) { return finding.severity == Severity::Error; });
  EXPECT_TRUE(out.result.errors.empty()) << path << ": " << out.result.errors[0];
  EXPECT_GE(out.result.files, 1u) << path;
  return out;
}

class Pairs : public testing::TestWithParam<fs::path> {};

TEST_P(Pairs, AreAcceptedAndRefused) {
  const Schema* schema = schema_named(GetParam().filename().string());
  ASSERT_TRUE(schema) << GetParam() << " is no framework";
  std::map<std::string, std::array<fs::path, 2>> pairs;
  for (const auto& entry : fs::directory_iterator(GetParam())) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".options") continue;
    for (const auto& [mark, side] : {std::pair(".ok", 0), std::pair(".bad", 1)})
      if (const std::size_t at = name.rfind(mark); at != std::string::npos)
        pairs[name.substr(0, at)][static_cast<std::size_t>(side)] = entry;
  }
  EXPECT_GE(pairs.size(), 40u);
  for (const auto& [row, sides] : pairs) {
    SCOPED_TRACE(row);
    ASSERT_FALSE(sides[0].empty() || sides[1].empty()) << "half of the pair is missing";
    const std::vector<const Clause*> law = law_of(schema->framework, row);
    const auto says = [&](const Judged& judged) {
      return std::any_of(law.begin(), law.end(), [&](const Clause* clause) { return judged.rules.contains(std::string(clause->name)); });
    };
    Judged ok = judge_alone(sides[0], schema->name), bad = judge_alone(sides[1], schema->name);
    EXPECT_FALSE(ok.refused || says(ok)) << report(ok.result);
    EXPECT_TRUE(law.empty() ? !bad.rules.empty() : says(bad)) << "nothing is said of it\n" << report(bad.result);
    const bool error = std::any_of(law.begin(), law.end(), [](const Clause* clause) { return clause->severity == Severity::Error; });
    EXPECT_TRUE(bad.refused || !error) << report(bad.result);
  }
}

class OkFixture : public testing::TestWithParam<fs::path> {};
class BadFixture : public testing::TestWithParam<fs::path> {};

TEST_P(OkFixture, IsSilent) {
  Overlay files;
  load(GetParam(), files);
  CheckResult result = check(files, options_for(GetParam()));
  EXPECT_TRUE(result.errors.empty()) << result.errors[0];
  EXPECT_GE(result.files, 1u);
  EXPECT_TRUE(result.findings.empty()) << report(result);
}

TEST_P(BadFixture, SaysWhatItSaid) {
  Overlay files;
  load(GetParam(), files);
  CheckResult result = check(files, options_for(GetParam()));
  EXPECT_TRUE(result.errors.empty()) << result.errors[0];
  const std::string now = report(result);
  fs::path expected = GetParam();
  expected.replace_extension(".out");
  if (std::getenv("UPDATE_FIXTURES")) std::ofstream(expected, std::ios::binary) << now;
  EXPECT_EQ(now, read(expected));
  EXPECT_FALSE(result.findings.empty());
}

TEST_P(BadFixture, IsMendedByEveryFix) {
  Overlay files;
  load(GetParam(), files);
  const CheckOptions options = options_for(GetParam());
  const CheckResult result = check(files, options);
  for (const Finding& finding : result.findings)
    for (const Fix& fix : finding.fixes) expect_mends(GetParam(), options, result, finding, fix);
}

std::vector<fs::path> bad() {
  std::vector<fs::path> out = entries("bad");
  for (fs::path& project : entries("projects")) out.push_back(std::move(project));
  return out;
}
std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string out = name_of(info.param);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}
INSTANTIATE_TEST_SUITE_P(Fixtures, Pairs, testing::ValuesIn(entries("pairs")), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Pairs);
INSTANTIATE_TEST_SUITE_P(Fixtures, OkFixture, testing::ValuesIn(entries("ok")), test_name);
INSTANTIATE_TEST_SUITE_P(Fixtures, BadFixture, testing::ValuesIn(bad()), test_name);

}  // namespace
}  // namespace shardlint
