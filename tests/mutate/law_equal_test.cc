// Which changes of a clause are no mutants, because no run can tell them from it; and that none is taken for one that can be seen.
#include "tests/mutate/law_equal.h"

#include "tests/mutate/law_mutants.h"
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

constexpr std::string_view kSchema = R"(name = "small"
title = "Small"
versions = ["1.0"]
formats = ["yaml"]
loader = "pyyaml"
unknown_key = "error"
[recognise]
keys = ["a"]
[plan]
[minimal]
a = 2
)";
constexpr std::string_view kKeys =
    "key\ttype\tdefault\n"
    "a\tint|null\t4\n"
    "b\tint|null\t4\n"
    "x\tfloat\t1.5\n"
    "items\tlist[int]\t[]\n";

struct Row {
  std::string_view name, clause;  // its when and require, or to
  std::string_view idle;          // one a line
};

const Row kRows[] = {
    {"NothingIsDividedByZero", "when = \"'a' > 0\"\nrequire = \"divides('a', 'b')\"", "when: 'a' >= 0\nwhen: 'a' > 1"},
    {"ARealMayLeaveARestByOne", "when = \"'a' > 0\"\nrequire = \"divides('a', 'x')\"", "when: 'a' >= 0"},
    {"EqualsDivide", "when = \"'a' < 'b'\"\nrequire = \"divides('a', 'b')\"", "when: 'a' <= 'b'"},
    {"WhatIsCutToALimitHasItThere", "when = \"'a' > 'b'\"\nset = \"'a'\"\nto = \"'b'\"", "when: 'a' >= 'b'"},
    {"NullIsNotCompared", "when = \"set('a') and set('b')\"\nrequire = \"'a' <= 'b'\"", "when: set('a') or set('b')"},
    {"BothDefaultsFallShort", "when = \"default('a', 0) > 1\"\nrequire = \"'b' == 4\"", "when: default('a', 1) > 1"},
    {"NothingHasALengthBelowZero", "when = \"len('items') > 0\"\nrequire = \"min('items') > 3\"", "when: len('items') >= 0"},
    {"ALimitIsSeen", "require = \"'a' < 4\"", ""},
    {"AnotherGuardDoesNotHelp", "when = \"'b' > 0\"\nrequire = \"'a' > 3\"", ""},
};

class Idle : public testing::TestWithParam<Row> {};

TEST_P(Idle, IsNoMutant) {
  const bool rewrite = GetParam().clause.find("set = ") != std::string_view::npos;
  const auto data = load({{"schema.toml", std::string(kSchema)},
                          {"keys.tsv", std::string(kKeys)},
                          {"constraints.toml", fmt::format("[[{}]]\nname = \"law\"\nrow = \"r\"\nfamily = \"shapes\"\nsays = \"no\"\n{}\n",
                                                           rewrite ? "rewrite" : "constraint", GetParam().clause)}});
  ASSERT_TRUE(data);
  const MutatedClause mutated(data->schema, data->schema.law[0]);
  std::string idle;
  for (const Mutant& mutant : mutated.idle()) idle += (idle.empty() ? "" : "\n") + mutant.told;
  EXPECT_EQ(idle, GetParam().idle);
  // Among all small runs none tells an idle mutant from the clause.
  const char* const values[] = {"null", "-3", "-1", "0", "1", "2", "3", "4", "5", "8"};
  for (const char* a : values)
    for (const char* b : values)
      for (const char* items : {"[]", "[0]", "[4]", "[2, 8]"}) {
        const std::string lines[] = {fmt::format("a = {}", a), fmt::format("b = {}", b), fmt::format("items = {}", items)};
        const std::vector<std::string_view> views(std::begin(lines), std::end(lines));
        Job job = job_of(data->schema, make_example(data->schema, views));
        Judgement before = mutated.before(job);
        ASSERT_EQ(mutated.told_apart(before), "") << lines[0] << ", " << lines[1] << ", " << lines[2];
      }
}

INSTANTIATE_TEST_SUITE_P(Mutants, Idle, testing::ValuesIn(kRows), [](const auto& at) { return std::string(at.param.name); });

}  // namespace
}  // namespace shardlint::test
