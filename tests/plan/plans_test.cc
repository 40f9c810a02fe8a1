// A run that holds several plans: each has its own mapping and its own share of the GPUs, and law that is about it.
#include <gtest/gtest.h>

#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

constexpr std::string_view kSchema = R"toml(name = "small"
title = "Small"
versions = ["1.0"]
formats = ["yaml"]
loader = "pyyaml"
unknown_key = "error"
[recognise]
keys = ["gpus"]
needs = 1
[let]
rest = "'gpus' - if('apart', 'taken', 0)"
[[plan]]
name = "trainer"
world_size = "rest"
tp = "'tp'"
sp = "'sp'"
[[plan]]
name = "rollout"
when = "'generate'"
like = "trainer"
world_size = "if('apart', 'taken', rest)"
tp = "'rollout_tp'"
)toml";
constexpr std::string_view kKeys =
    "key\ttype\tdefault\n"
    "gpus\tint\t8\n"
    "tp\tint\t1\n"
    "sp\tbool\tfalse\n"
    "rollout_tp\tint\t2\n"
    "taken\tint\t4\n"
    "apart\tbool\tfalse\n"
    "generate\tbool\ttrue\n";
constexpr std::string_view kLaw = R"toml([[rewrite]]
name = "taken-rounded"
when = "'taken' == 3"
set = "'taken'"
to = "4"
says = "three become four"
[[constraint]]
name = "job-too-small"
family = "topology"
when = "known(job_gpus)"
require = "job_gpus >= 'gpus'"
says = "{job_gpus} of {'gpus'}"
[[constraint]]
name = "wide-rollout"
family = "topology"
plan = "rollout"
require = "tp <= 4"
says = "rollout over {tp} of {world_size}"
)toml";

std::unique_ptr<SchemaData> schema() {
  return load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}, {"constraints.toml", std::string(kLaw)}});
}

TEST(Plans, EachHasItsOwnShare) {
  const auto data = schema();
  ASSERT_TRUE(data);
  Judged run(data->schema, "gpus: 8\ntp: 4\napart: true\ntaken: 2\nsp: true\nrollout_tp: 1\n");
  ASSERT_EQ(run.judgement.others.size(), 1u);
  Evaluation& trainer = *run.judgement.evaluation;
  Evaluation& rollout = *run.judgement.others[0];
  EXPECT_EQ(shown(trainer.at(Field::world_size)), "6");
  EXPECT_EQ(shown(rollout.at(Field::world_size)), "2");
  EXPECT_EQ(shown(trainer.at(Field::tp)), "4");
  EXPECT_EQ(shown(rollout.at(Field::tp)), "1");
  EXPECT_EQ(shown(rollout.at(Field::sp)), "true") << "the mapping begins as the other plan's";
}

TEST(Plans, AreJudgedOneByOne) {
  const auto data = schema();
  ASSERT_TRUE(data);
  Judged run(data->schema, "gpus: 8\ntp: 1\nrollout_tp: 3\n");
  ASSERT_EQ(run.judgement.violations.size(), 1u) << run.violations();
  EXPECT_EQ(run.judgement.violations[0].rule, "topology/model-parallel-does-not-divide-world");
  EXPECT_EQ(run.judgement.violations[0].plan, 1u);
  const Judged wide(data->schema, "gpus: 8\nrollout_tp: 8\n");
  EXPECT_EQ(wide.violations(), "error small/wide-rollout: rollout over 8 of 8\n");
}

TEST(Plans, AreThereOnlyWhenTheySaySo) {
  const auto data = schema();
  ASSERT_TRUE(data);
  Judged run(data->schema, "gpus: 8\ngenerate: false\nrollout_tp: 3\n");
  EXPECT_EQ(run.violations(), "");
  EXPECT_EQ(run.judgement.plan(1), nullptr);
}

TEST(Plans, ARewriteOfAKeyHoldsForAllAndIsToldOnce) {
  const auto data = schema();
  ASSERT_TRUE(data);
  Judged run(data->schema, "gpus: 8\napart: true\ntaken: 3\n");
  EXPECT_EQ(run.violations(), "warning small/taken-rounded: three become four\n");
  EXPECT_EQ(shown(run.judgement.others[0]->at(Field::world_size)), "4");
}

TEST(Plans, SettingsOfTheClusterAreTheJobs) {
  const auto data = schema();
  ASSERT_TRUE(data);
  Judged run(data->schema, "gpus: 8\n", {{"world_size", Value(i64{4})}});
  EXPECT_EQ(run.violations(), "error small/job-too-small: 4 of 8\n");
  EXPECT_EQ(shown(run.at("world_size")), "8") << "the share is the framework's to say";
}

}  // namespace
}  // namespace shardlint::test
