// The law of every schema holds its own examples: each clause fires on one input and is silent on another, and a sane run is in peace.
#include <gtest/gtest.h>

#include "tests/schema/precedent.h"

namespace shardlint::test {
namespace {

struct Case {
  const Schema* schema;
  const Clause* clause;
  friend void PrintTo(const Case& at, std::ostream* out) { *out << at.clause->name; }
};

std::vector<Case> all_clauses() {
  std::vector<Case> out;
  for (const Schema* schema : schemas())
    for (const Clause& clause : schema->law)
      if (!clause.inherited) out.push_back({schema, &clause});
  return out;
}

class Law : public testing::TestWithParam<Case> {};

TEST_P(Law, HoldsItsExamples) {
  const auto& [schema, clause] = GetParam();
  ASSERT_FALSE(clause->fires.empty()) << "no example that fires it";
  ASSERT_FALSE(clause->quiet.empty()) << "no example that does not fire it";
  for (const Precedent& precedent : precedents(*schema, *clause)) {
    const Example example = make_example(*schema, precedent.lines);
    for (const std::string& error : example.errors) ADD_FAILURE() << error;
    const Job job = job_of(*schema, example, version_for(*schema, *clause));
    const Judgement judgement = judge(job);
    std::string text = example.text;  // for whoever mends the data: the file, and what was said
    for (const Violation& violation : judgement.violations)
      text += fmt::format("-- {} {}: {}\n", name(violation.severity), violation.rule, without_separators(violation.message));
    for (const NotEvaluated& entry : judgement.not_evaluated)
      if (entry.rule == clause->name) {
        text += "-- not evaluated, for want of";
        for (Slot slot : entry.because) text += fmt::format(" {}", schema->slot_name(slot));
        text += "\n";
      }
    EXPECT_EQ(verdict(judgement, *clause), precedent.verdict.starts_with("becomes ") ? "fires" : precedent.verdict) << text;
    EXPECT_FALSE(misspelt(judgement, *clause)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(, Law, testing::ValuesIn(all_clauses()), [](const auto& at) { return test_name(at.param.clause->name); });

// A row that names no clause would be read by nobody.
TEST(Precedents, AreOfClausesThatExist) {
  for (const Schema* schema : schemas())
    for (const auto& [name, precedent] : filed_precedents(*schema))
      EXPECT_TRUE(std::any_of(
          schema->law.begin(), schema->law.end(),
          [&, filed = std::string_view(name)](const Clause& clause) { return !clause.inherited && short_name(clause) == filed; }))
          << schema->name << "/examples.tsv: " << name;
}

class Minimal : public testing::TestWithParam<const Schema*> {};

TEST_P(Minimal, IsSilent) {
  const Example example = make_example(*GetParam(), {});
  for (const std::string& error : example.errors) ADD_FAILURE() << error;
  const Job job = job_of(*GetParam(), example);
  if (!job.form->recognise.keys.empty()) {  // else it is only ever asked for
    EXPECT_EQ(recognise(*GetParam(), job.facts), job.form) << "a minimal run is not recognised:\n" << example.text;
  }
  const Judgement judgement = judge(job);
  for (const Violation& violation : judgement.violations)
    EXPECT_EQ(violation.severity, Severity::Info) << violation.rule << ": " << without_separators(violation.message) << "\n"
                                                  << example.text;
}

INSTANTIATE_TEST_SUITE_P(, Minimal, testing::ValuesIn(schemas().begin(), schemas().end()),
                         [](const auto& at) { return test_name(at.param->name); });

}  // namespace
}  // namespace shardlint::test
