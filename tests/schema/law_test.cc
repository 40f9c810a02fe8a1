// The law of every schema holds its own examples: each clause fires on one input and is silent on another, and a sane run is in peace.
#include <gtest/gtest.h>

#include "checker/plan/law.h"
#include "tests/schema/example.h"

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

// A version of the framework in which the clause holds: the newest, unless it is older law.
std::string version_for(const Schema& schema, const Clause& clause) {
  for (auto version = schema.versions.rbegin(); version != schema.versions.rend(); ++version)
    if ((clause.since.empty() || !version_less(*version, clause.since)) && (clause.until.empty() || version_less(*version, clause.until)))
      return std::string(*version);
  return std::string(clause.since);
}

struct Outcome {
  bool fired = false;
  bool evaluated = true;
  bool misspelt = false;  // something is wrong with keys or values themselves, so the example is none
  std::string text;       // of the file, and what was said, for whoever mends the data
};

Outcome outcome(const Case& at, std::span<const std::string_view> lines) {
  const Example example = make_example(*at.schema, lines);
  for (const std::string& error : example.errors) ADD_FAILURE() << error;
  const Job job = job_of(*at.schema, example, version_for(*at.schema, *at.clause));
  Judgement judgement = judge(job);
  Outcome out;
  out.text = example.text;
  for (const Violation& violation : judgement.violations) {
    out.text += fmt::format("-- {} {}: {}\n", name(violation.severity), violation.rule, without_separators(violation.message));
    if (violation.clause == at.clause)
      out.fired = true;
    else if (violation.family == "hygiene" && violation.severity > Severity::Info && violation.rule != "hygiene/deprecated-key" &&
             violation.rule != "hygiene/missing-key")  // an example need not be a whole run
      out.misspelt = true;
  }
  for (const NotEvaluated& entry : judgement.not_evaluated)
    if (entry.rule == at.clause->name) {
      out.evaluated = false;
      out.text += "-- not evaluated, for want of";
      for (Slot slot : entry.because) out.text += fmt::format(" {}", at.schema->slot_name(slot));
      out.text += "\n";
    }
  // A rewrite of what nobody wrote is not told of.
  const SlotState& state = judgement.evaluation->at(at.clause->rewrite ? at.clause->set : Slot{0});
  if (at.clause->rewrite && state.origin == SlotState::Origin::Rewritten && state.by == at.clause) out.fired = true;
  return out;
}

class Law : public testing::TestWithParam<Case> {};

TEST_P(Law, HoldsItsExamples) {
  const Clause& clause = *GetParam().clause;
  ASSERT_FALSE(clause.fires.empty()) << "no example that fires it";
  ASSERT_FALSE(clause.quiet.empty()) << "no example that does not fire it";
  const Outcome fires = outcome(GetParam(), clause.fires);
  EXPECT_TRUE(fires.fired) << fires.text;
  EXPECT_FALSE(fires.misspelt) << fires.text;
  const Outcome quiet = outcome(GetParam(), clause.quiet);
  EXPECT_FALSE(quiet.fired) << quiet.text;
  EXPECT_TRUE(quiet.evaluated) << quiet.text;
  EXPECT_FALSE(quiet.misspelt) << quiet.text;
}

INSTANTIATE_TEST_SUITE_P(, Law, testing::ValuesIn(all_clauses()), [](const auto& at) { return test_name(at.param.clause->name); });

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
