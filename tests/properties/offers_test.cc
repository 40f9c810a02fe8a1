// The examples of the law are as many broken files: what is offered for them works.
#include "tests/fix/offers.h"
#include "tests/sanitized.h"
#include "tests/schema/example.h"
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

class Offered : public testing::TestWithParam<const Schema*> {};

TEST_P(Offered, Works) {
  const Schema& schema = *GetParam();
  const std::string path = schema.formats[0] == Format::Toml ? "example.toml" : "example.yaml";
  // Released, every clause; the sanitizers, which take ten times as long, see every third.
  std::size_t turn = 0;
  for (const Clause& clause : schema.law) {
    if (clause.inherited || (kSanitized && ++turn % 3 != 0)) continue;
    const Example example = make_example(schema, clause.fires);
    expect_fixes_work(path, example.text, example.settings);
  }
}

INSTANTIATE_TEST_SUITE_P(, Offered, testing::ValuesIn(schemas().begin(), schemas().end()),
                         [](const auto& at) { return test_name(at.param->name); });

}  // namespace
}  // namespace shardlint::test
