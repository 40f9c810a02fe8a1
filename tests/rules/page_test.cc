// A rule's page is its first test. Every page has its headings; what stands under "Bad" raises exactly this rule on the lines that say
// so; what stands under "Good" is silent under all rules.
//
//   ```plan                                    lines such as `tp = 8`: canonical fields, on a schema without law (schemas/plan)
//   ```toml torchtitan world_size=8 excerpt    a framework's file with settings; an excerpt may lack required keys
//
// Several files of one run stand in one block, each behind a line `# file: NAME`; one of them is shardlint.toml.
//
// A blamed line ends in `# error`, `# warning` or `# info`; where nothing may stand behind it, that stands alone on the line above.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/diag/composition.h"
#include "checker/diag/hygiene.h"
#include "checker/diag/launch.h"
#include "checker/engine/check.h"
#include "checker/plan/rule.h"
#include "tests/where.h"

namespace shardlint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeadings[] = {"What it checks", "Why it matters", "Bad", "Good", "How to fix", "When to ignore", "Frameworks"};

struct Example {
  bool bad = false, excerpt = false;
  std::string format = "toml", framework = "plan", text;
  Facts settings;
  std::size_t line = 0;  // of the page
};

struct Page {
  std::string name, title;
  std::vector<std::string> headings;
  std::vector<Example> examples;
};

// kv_groups.md of shapes/ is shapes/kv-groups.
std::string name_of(const fs::path& path) {
  std::string stem = path.stem().string();
  std::replace(stem.begin(), stem.end(), '_', '-');
  return path.parent_path().filename().string() + "/" + stem;
}

std::vector<fs::path> page_paths() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(SHARDLINT_ROOT "/rules"))
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

void read_info(const std::string& info, Example& example) {
  std::istringstream words(info);
  std::string word;
  words >> word;
  if (word != "plan") example.format = word, words >> example.framework;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (word == "excerpt") example.excerpt = true;
    if (equals == std::string::npos) continue;
    const std::string field = word.substr(0, equals);
    const Checked<Value> value = read_field(field, read_plain(word.substr(equals + 1)));
    ASSERT_TRUE(value.value) << value.error;
    Fact fact;
    fact.path = fact.spelled = field;
    fact.value = *value.value;
    fact.way = Way::Setting;
    example.settings.push_back(std::move(fact));
  }
}

Page read_page(const fs::path& path) {
  Page out;
  out.name = name_of(path);
  std::ifstream in(path);
  std::string line, section;
  bool inside = false;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside && (section == "Bad" || section == "Good")) {
        Example& example = out.examples.emplace_back();
        example.bad = section == "Bad", example.line = number;
        read_info(line.substr(3), example);
      }
    } else if (inside) {
      if (section == "Bad" || section == "Good") out.examples.back().text += line + "\n";
    } else if (line.starts_with("## ")) {
      out.headings.push_back(section = line.substr(3));
    } else if (line.starts_with("# ")) {
      out.title = line.substr(2);
    }
  }
  return out;
}

// "17: error" for each mark of an example, by the line that it speaks of.
std::multiset<std::string> marks(const std::string& text) {
  std::multiset<std::string> out;
  std::istringstream in(text);
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number)
    for (std::string_view level : {"error", "warning", "info"}) {
      const std::string mark = fmt::format("# {}", level);
      if (line.ends_with(mark)) out.insert(fmt::format("{}: {}", line == mark ? number + 1 : number, level));
    }
  return out;
}

constexpr std::string_view kFile = "# file: ";

// The files of a block below the folder `job`, each with as many empty lines before it as keep its lines' numbers.
void put_files(const std::string& text, Overlay& files) {
  std::istringstream in(text);
  std::string line, name, content;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.starts_with(kFile)) {
      if (!name.empty()) files.put("job/" + name, content);
      name = line.substr(kFile.size());
      content.assign(number, '\n');
    } else {
      content += line + "\n";
    }
  }
  files.put("job/" + name, content);
}

std::vector<Finding> findings(const Example& example, std::string_view about) {
  Overlay files;
  CheckOptions options;
  options.advice = true;
  options.command_line.rules.preview = true;
  if (example.text.starts_with(kFile)) {
    put_files(example.text, files);
    options.paths = {"job"};
  } else {
    const std::string path = "example." + example.format;
    files.put(path, example.text);
    options.paths = {path};
    options.isolated = true;
  }
  options.command_line.framework = example.framework;
  options.command_line.facts = example.settings;
  CheckResult result = check(files, options);
  EXPECT_TRUE(result.errors.empty()) << result.errors[0];
  EXPECT_EQ(result.files, 1u) << "the example was not read";
  // What an excerpt lacks at the top has no place in it; what its sections lack is left out too, unless that is the point.
  std::erase_if(result.findings, [&](const Finding& finding) {
    return example.excerpt && finding.rule == hygiene::kMissingKey.name && (about != finding.rule || finding.place.range.empty());
  });
  return std::move(result.findings);
}

// A framework's constraint speaks for the rules that it states again.
bool speaks_for(const Finding& finding, std::string_view rule) {
  if (finding.rule == rule) return true;
  for (const Schema* schema : schemas())
    for (const Clause& clause : schema->law)
      if (clause.name == finding.rule) return fmt::format(" {} ", clause.same_as).find(fmt::format(" {} ", rule)) != std::string::npos;
  return false;
}

std::string said(const Finding& finding) {
  const std::uint32_t line = finding.place ? finding.place.source->position(finding.place.range.begin).line : 0;
  return fmt::format("{}: {}: {} ({}) [{}]", line, name(finding.severity), with_commas(finding.message), with_commas(finding.effect),
                     finding.rule);
}

class PageTest : public testing::TestWithParam<fs::path> {};

TEST_P(PageTest, HasItsHeadings) {
  const Page page = read_page(GetParam());
  EXPECT_EQ(page.title, page.name);
  EXPECT_EQ(page.headings, std::vector<std::string>(std::begin(kHeadings), std::end(kHeadings)));
}

TEST_P(PageTest, ExamplesBehave) {
  const Page page = read_page(GetParam());
  const auto count = [&](bool bad) {
    return std::count_if(page.examples.begin(), page.examples.end(), [&](const Example& e) { return e.bad == bad; });
  };
  EXPECT_GE(count(true), 1);
  EXPECT_GE(count(false), 1);
  for (const Example& example : page.examples) {
    if (example.format == "cpp") continue;  // tests/cxx runs these
    SCOPED_TRACE(fmt::format("{}:{}", GetParam().string(), example.line));
    std::string all;
    std::multiset<std::string> raised;
    for (const Finding& finding : findings(example, page.name)) {
      all += said(finding) + "\n";
      if (speaks_for(finding, page.name))
        raised.insert(fmt::format("{}: {}", finding.place.source->position(finding.place.range.begin).line, name(finding.severity)));
      else
        ADD_FAILURE() << "another rule speaks: " << said(finding);
    }
    EXPECT_EQ(raised, marks(example.text)) << all;
    EXPECT_EQ(raised.empty(), !example.bad) << all;
  }
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string out = name_of(info.param);
  for (char& c : out)
    if (c == '/' || c == '-') c = '_';
  return out;
}
INSTANTIATE_TEST_SUITE_P(Rules, PageTest, testing::ValuesIn(page_paths()), test_name);

TEST(Pages, AreThereForEveryRuleAndForNothingElse) {
  std::set<std::string> pages, rules;
  for (const fs::path& path : page_paths()) pages.insert(name_of(path));
  for (const Rule* rule : all_rules()) rules.emplace(rule->info->name);
  for (const RuleInfo* info : hygiene::kAll) rules.emplace(info->name);
  for (const RuleInfo* info : composition::kAll) rules.emplace(info->name);
  for (const RuleInfo* info : launching::kAll) rules.emplace(info->name);
  EXPECT_EQ(pages, rules);
  for (const std::string& rule : rules) EXPECT_FALSE(page(rule).empty()) << rule;
}

TEST(Rules, HaveNamesOfOneKind) {
  std::set<std::string_view> seen;
  const auto look = [&](const RuleInfo& info) {
    EXPECT_TRUE(seen.insert(info.name).second) << info.name << " stands twice";
    EXPECT_TRUE(std::find(std::begin(kFamilies), std::end(kFamilies), info.family) != std::end(kFamilies)) << info.family;
    EXPECT_TRUE(info.name.starts_with(std::string(info.family) + "/")) << info.name;
    for (char c : info.name.substr(info.family.size() + 1))
      EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-') << info.name;
    EXPECT_FALSE(info.summary.empty() || info.summary.ends_with('.')) << info.name;
  };
  for (const Rule* rule : all_rules()) look(*rule->info);
  for (const RuleInfo* info : hygiene::kAll) look(*info);
  for (const RuleInfo* info : composition::kAll) look(*info);
  for (const RuleInfo* info : launching::kAll) look(*info);
}

// Numbers that nobody means are no reason to overflow.
TEST(Rules, BearAnyNumber) {
  for (const i64 number : {INT64_MAX, INT64_MIN + 1, i64{1} << 39, i64{1} << 31, i64{7}, i64{0}, i64{-1}}) {
    Example example;
    for (const FieldInfo& field : fields())
      if ((field.types & type::Int) && field.types != type::Any) example.text += fmt::format("{} = {}\n", field.name, number);
    for (const char* on : {"sp", "overlap.param_gather", "overlap.tp_comm", "overlap.p2p"}) example.text += fmt::format("{} = true\n", on);
    findings(example, "");
    example.text += "first_stage_layers = 3\n";  // twice, and so no file at all
    EXPECT_FALSE(findings(example, "").empty());
  }
}

}  // namespace
}  // namespace shardlint
