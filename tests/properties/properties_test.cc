// What holds of every configuration, tried on some thousands made by chance. A failure prints the text; the seed is its number.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "checker/schema/schema.h"
#include "tests/properties/generate.h"
#include "tests/sanitized.h"

namespace shardlint::test {
namespace {

constexpr std::uint64_t kSome = kSanitized ? 50 : 500;

// Errors and warnings by rule, with the consequences that hang under them: "with it: MESSAGE (RULE)".
std::map<std::string, int> counted(const CheckResult& result) {
  std::map<std::string, int> out;
  for (const Finding& finding : result.findings) {
    if (finding.severity != Severity::Info) ++out[finding.rule];
    for (const Note& note : finding.notes)
      if (const std::size_t open = note.message.rfind('('); note.message.starts_with("with it: ") && open != std::string::npos)
        ++out[note.message.substr(open + 1, note.message.size() - open - 2)];
  }
  return out;
}

TEST(Properties, OrderCommentsAndQuotesChangeNothing) {
  for (std::uint64_t seed = 0; seed < kSome; ++seed) {
    Dice dice(seed);
    const Config config = config_by_chance(dice);
    const std::string plain = written(config, {}, dice);
    const std::vector<std::string> expected = said(config, plain);
    for (const Writing how : {Writing{.shuffled = true}, Writing{.comments = true}, Writing{.quotes = true}, Writing{true, true, true}}) {
      const std::string other = written(config, how, dice);
      ASSERT_EQ(said(config, other), expected) << "seed " << seed << "\n" << plain << "\n--- and\n" << other;
    }
  }
}

TEST(Properties, ThreadsChangeNothing) {
  Overlay files;
  CheckOptions options;
  options.isolated = true, options.fixes = false, options.origins = false;
  for (std::uint64_t seed = 0; seed < kSome; ++seed) {
    Dice dice(seed);
    const Config config = config_by_chance(dice);
    files.put(fmt::format("{}/{}-{}", seed % 7, seed, name_of_file(config)), written(config, {}, dice));
  }
  options.paths = {"."};
  const auto lines = [&](unsigned jobs) {
    options.jobs = jobs;
    const CheckResult result = check(files, options);
    std::string out = fmt::format("{} {} {}\n", result.files, result.checks, result.not_evaluated.size());
    for (const Finding& finding : result.findings)
      out += fmt::format("{}:{} {}: {}\n", finding.place.source->path(), finding.place.range.begin, finding.rule, finding.message);
    for (const PlanReport& plan : result.plans) out += fmt::format("{} {}\n", plan.file, plan.framework);
    return out;
  };
  const std::string one = lines(1);
  EXPECT_EQ(lines(2), one);
  EXPECT_EQ(lines(8), one);
}

// A constraint that asks whether a key is written at all speaks of what was written, and may well change its mind.
bool asks_what_is_written(const Schema& schema, const std::string& rule) {
  for (const Clause& clause : schema.law)
    if (clause.name == rule)
      for (ExprId id : {clause.when, clause.require}) {
        const auto asks = [&](auto& self, ExprId at) -> bool {
          if (at == kNoExpr) return false;
          const ExprNode& node = schema.nodes[at];
          if (node.op == Op::Call && (node.function == Function::Written || node.function == Function::Known)) return true;
          if (node.op == Op::Const || node.op == Op::Read) return false;
          for (ExprId child = node.a; child != kNoExpr; child = schema.nodes[child].next)
            if (self(self, child)) return true;
          return false;
        };
        if (asks(asks, id)) return true;
      }
  return false;
}

// Of every key that is left out and has a plain default, that default is written. What is refused is refused still, and nothing else is.
TEST(Properties, ADefaultThatIsWrittenChangesNoError) {
  std::size_t added = 0;
  for (std::uint64_t seed = 0; seed < kSome; ++seed) {
    Dice dice(seed);
    const Config config = config_by_chance(dice);
    if (config.framework == "plan" || config.framework == "megatron") continue;  // no defaults; flags whose presence is the value
    const Schema& schema = *schema_named(config.framework);
    const auto errors = [&](const Config& of) {
      std::vector<std::string> out;
      for (const Finding& finding : check_text(of, written(of, {}, dice), false).findings)
        if (finding.severity == Severity::Error && !asks_what_is_written(schema, finding.rule)) out.push_back(finding.rule);
      std::sort(out.begin(), out.end());
      return out;
    };
    const std::vector<std::string> expected = errors(config);
    for (const KeySpec& key : schema.keys) {
      const std::size_t dot = key.path.rfind('.');
      const std::string section(dot == std::string_view::npos ? "" : key.path.substr(0, dot));
      const std::string name(dot == std::string_view::npos ? key.path : key.path.substr(dot + 1));
      if (key.per_item() || key.open() || key.state != KeyState::Current || key.defaults.size() != 1 || section.find('.') != section.npos ||
          !dice.once_in(12))
        continue;
      const auto same = [&](const Setting& s) { return s.section == section && s.key == name; };
      const auto beside = [&](const Setting& s) { return s.section == section; };
      if (std::any_of(config.settings.begin(), config.settings.end(), same)) continue;
      if (std::none_of(config.settings.begin(), config.settings.end(), beside)) continue;  // a section that is there is another matter
      const ExprNode& node = schema.nodes[key.defaults[0]];
      if (node.op != Op::Const) continue;
      const Value value = schema.constants[node.a].value();
      if (value.is_null() || value.map() || value.list() || value.real()) continue;
      Config more = config;
      more.settings.push_back({section, name, value.text() ? fmt::format("\"{}\"", *value.text()) : to_string(value)});
      ++added;
      ASSERT_EQ(errors(more), expected) << "seed " << seed << ": " << key.path << " = " << to_string(value) << " is the default\n"
                                        << written(config, {}, dice);
    }
  }
  EXPECT_GT(added, kSome);
}

// If any size of the world makes the run sound, it was no error while nobody knew the size.
TEST(Properties, WhatIsNotKnownIsNoError) {
  for (std::uint64_t seed = 0; seed < kSome; ++seed) {
    Dice dice(seed);
    Config config = config_by_chance(dice);
    const std::string text = written(config, {}, dice);
    const auto errors = [&](std::optional<int> world) {
      config.world = world;
      std::size_t out = 0;
      for (const Finding& finding : check_text(config, text, false).findings) out += finding.severity == Severity::Error;
      return out;
    };
    if (errors(std::nullopt) == 0) continue;
    for (const int world : {1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256, 512, 1024, 4096})
      ASSERT_NE(errors(world), 0u) << "seed " << seed << ": with " << world << " GPUs nothing is wrong\n" << text;
  }
}

// What no error is with a value that was written is none with one that nobody knows.
TEST(Properties, AValueThatNobodyKnowsIsNoError) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 0; seed < kSome; ++seed) {
    Dice dice(seed);
    const Config config = flags_by_chance(dice);
    const auto errors = [&](std::optional<std::size_t> unknown) {
      Overlay files;
      files.put("job.sh", launched(config, unknown));
      CheckOptions options;
      options.paths = {"job.sh"};
      options.isolated = true, options.fixes = false, options.origins = false, options.jobs = 1;
      std::vector<std::string> out;
      for (const Finding& finding : check(files, options).findings)
        if (finding.severity == Severity::Error) out.push_back(finding.rule + ": " + finding.message);
      return out;
    };
    if (!errors(std::nullopt).empty()) continue;
    for (std::size_t i = 0; i < config.settings.size(); ++i) {
      if (config.settings[i].value == "true") continue;
      ++tried;
      ASSERT_EQ(errors(i), std::vector<std::string>()) << "seed " << seed << "\n" << launched(config, i);
    }
  }
  EXPECT_GT(tried, kSome / 4);
}

// Every value by its path, in the bytes of the file.
std::map<std::string, std::string> values_of(const Config& config, const std::string& text) {
  std::map<std::string, std::string> out;
  const auto source = std::make_shared<const Source>(name_of_file(config), text);
  const DocumentPtr document = read_document(source, config.toml ? Format::Toml : Format::Yaml);
  for (const Node* root : document->roots)
    for (const Fact& fact : facts_of(document, *root, config.toml ? Dialect::Toml : Dialect::PyYaml))
      if (fact.node && fact.node->kind == Node::Kind::Scalar) out[fact.path] = std::string(source->text(fact.place.range));
  return out;
}

// How many values are there in one of the two alone, or are another there.
std::size_t differences(const std::map<std::string, std::string>& before, const std::map<std::string, std::string>& after) {
  std::size_t out = 0;
  for (const auto& [path, value] : before) {
    const auto found = after.find(path);
    out += found == after.end() || found->second != value;
  }
  for (const auto& [path, value] : after) out += !before.contains(path);
  return out;
}

std::string lone_comments(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size()), first = text.find_first_not_of(' ', at);
    if (first < end && text[first] == '#') out += text.substr(first, end - first) + "\n";
    at = end + 1;
  }
  return out;
}

// Every offer, made: what it mends is gone, nothing is new, and no byte outside its edits is another.
TEST(Properties, AnOfferThatIsTakenMendsAndHarmsNothing) {
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < kSome; ++seed) {
    Dice dice(seed);
    const Config config = config_by_chance(dice);
    const std::string text = written(config, {.comments = true}, dice);
    const CheckResult before = check_text(config, text, true);
    const std::map<std::string, int> counts = counted(before);
    for (const Finding& finding : before.findings)
      for (const Fix& fix : finding.fixes) {
        if (fix.edits.empty()) continue;
        const std::optional<std::string> after = apply(*fix.edits[0].source, fix.edits);
        ASSERT_TRUE(after) << "seed " << seed << ": " << fix.title;
        ++made;
        std::map<std::string, int> left = counted(check_text(config, *after, false));
        const std::string told = fmt::format("seed {}: {} by \"{}\"\n{}\n--- becomes\n{}", seed, finding.rule, fix.title, text, *after);
        ASSERT_LT(left[finding.rule], counts.at(finding.rule)) << told;
        for (const auto& [rule, number] : left) ASSERT_LE(number, counts.contains(rule) ? counts.at(rule) : 0) << rule << "\n" << told;
        // A comment on a line of its own is nobody's to change; one behind a value goes with it.
        ASSERT_EQ(lone_comments(*after), lone_comments(text)) << told;
        // Two values at most are another, or a key has another name, which is one that goes and one that comes.
        ASSERT_LE(differences(values_of(config, text), values_of(config, *after)), 2u) << told;
      }
  }
  EXPECT_GT(made, kSome / 2);
}

TEST(Properties, MendingTwiceIsMendingOnce) {
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < kSome; ++seed) {
    Dice dice(seed);
    const Config config = config_by_chance(dice);
    for (const bool unsafe : {false, true}) {
      Overlay files;
      files.put(name_of_file(config), written(config, {.comments = true}, dice));
      const Fixed once = fix(files, options_for(config, true), unsafe);
      if (once.texts.empty()) continue;
      ++made;
      Overlay mended;
      mended.put(name_of_file(config), once.texts.begin()->second.second);
      const Fixed twice = fix(mended, options_for(config, true), unsafe);
      ASSERT_TRUE(twice.texts.empty() || twice.texts.begin()->second.first == twice.texts.begin()->second.second)
          << "seed " << seed << "\n"
          << once.texts.begin()->second.second << "\n--- becomes\n"
          << twice.texts.begin()->second.second;
    }
  }
  EXPECT_GT(made, kSome / 4);
}

TEST(Properties, OnePlanInSeveralFrameworksIsOnePlan) {
  const std::vector<std::string> fields = {"tp",    "pp",         "cp",          "dp",           "layers",           "hidden",
                                           "heads", "seq_length", "micro_batch", "global_batch", "num_microbatches", "world_size"};
  for (std::uint64_t seed = 0; seed < kSome; ++seed) {
    Dice dice(seed);
    std::string expected;
    for (const Config& config : in_all_frameworks(numbers_by_chance(dice))) {
      const std::string text = written(config, {.shuffled = true}, dice);
      const CheckResult result = check_text(config, text, false);
      ASSERT_EQ(result.plans.size(), 1u) << text;
      std::string plan;
      for (const FieldReport& field : result.plans[0].fields)
        if (std::find(fields.begin(), fields.end(), field.name) != fields.end())
          plan += fmt::format("{}={} ", field.name, field.value ? to_string(*field.value) : "?");
      if (expected.empty()) expected = plan;
      ASSERT_EQ(plan, expected) << "seed " << seed << ", " << config.framework << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace shardlint::test
