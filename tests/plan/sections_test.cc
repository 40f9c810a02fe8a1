// Sections that are read otherwise than the rest of the file, values that somebody else fills in, ranges, and slips among names that nobody
// minds.
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

constexpr std::string_view kSchema = R"toml(
name = "small"
title = "Small"
versions = ["1.0"]
formats = ["yaml"]
loader = "pyyaml"
unknown_key = "near"
wrong_type = "warning"
required = false
filled = "auto"
[[section]]
at = ["strict"]
unknown_key = "error"
wrong_type = "error"
lax = true
[[section]]
at = ["strict.loose"]
unknown_key = "ignore"
[let]
doubled = "'strict.stage' * 2"
[plan]
tp = "'tp'"
)toml";
constexpr std::string_view kKeys =
    "key\ttype\tdefault\tchoices\n"
    "tp\tint\t1\n"
    "word\tstr\t\"x\"\n"
    "strict\tdict\n"
    "strict.stage\tint\t0\t0|1|2\n"
    "strict.scale\tfloat!\t0\tn:0..\n"
    "strict.share\tfloat\t1.0\tn:0..1\n"
    "strict.on\tbool\tfalse\n"
    "strict.loose\tdict\n"
    "strict.loose.known\tint\t1\n";

class Sections : public testing::Test {
 protected:
  Sections() : data_(load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}})) {}
  std::string said(std::string_view yaml) {
    const Judged run(data_->schema, yaml);
    std::string out;
    for (const Violation& violation : bind(run.job).violations)
      out += fmt::format("{} {}: {}\n", name(violation.severity), violation.rule, violation.message);
    return out;
  }
  std::string value(std::string_view yaml, std::string_view key) {
    Judged run(data_->schema, yaml);
    const KeySpec* spec = data_->schema.find_key(key);
    const SlotState& state = run.judgement.evaluation->at(data_->schema.key_slot(data_->schema.index_of(*spec)));
    return state.known() ? to_string(state.value) : "?";
  }
  std::unique_ptr<SchemaData> data_;
};

TEST_F(Sections, ALaxSectionConverts) {
  EXPECT_EQ(said("strict: {stage: '2', scale: '128', on: 'yes', share: 1}\n"), "");
  EXPECT_EQ(value("strict: {stage: '2'}\n", "strict.stage"), "2");
  EXPECT_EQ(value("strict: {stage: 2.0}\n", "strict.stage"), "2");
  EXPECT_EQ(value("strict: {stage: true}\n", "strict.stage"), "1");
  EXPECT_EQ(value("strict: {on: 'off'}\n", "strict.on"), "false");
  EXPECT_EQ(said("strict: {stage: 1.5}\n"), "error hygiene/wrong-type: stage takes an integer, and this is a real number\n");
  EXPECT_EQ(said("strict: {stage: '3'}\n"), "error hygiene/not-a-choice: '3' is no value for stage: it takes 0, 1, 2\n");
  EXPECT_EQ(said("strict: {scale: true}\n"), "error hygiene/wrong-type: scale takes a real number, and this is true or false\n")
      << "a strict number is no switch";
  EXPECT_EQ(said("tp: '2'\n"), "warning hygiene/wrong-type: tp takes an integer, and this is text\n") << "only there";
}

TEST_F(Sections, Ranges) {
  EXPECT_EQ(said("strict: {scale: -1}\n"), "error hygiene/not-a-choice: scale takes 0 or more, and this is -1\n");
  EXPECT_EQ(said("strict: {share: 1.5}\n"), "error hygiene/not-a-choice: share takes 0 to 1, and this is 1.5\n");
  EXPECT_EQ(said("strict: {share: 0}\n"), "");
}

TEST_F(Sections, EachHasItsOwnPolicyForUnknownKeys) {
  EXPECT_EQ(said("strict: {stagge: 1}\n"), "error hygiene/unknown-key: Small has no key stagge in strict; the nearest is stage\n");
  EXPECT_EQ(said("strict: {anything: 1}\n"), "error hygiene/unknown-key: Small has no key anything in strict\n");
  EXPECT_EQ(said("strict: {loose: {anything: 1}}\n"), "");
  EXPECT_EQ(said("anything: 1\n"), "") << "others may keep keys of their own here";
  EXPECT_EQ(said("wordd: y\n"), "warning hygiene/unknown-key: Small has no key wordd; the nearest is word\n");
}

TEST_F(Sections, AValueThatSomebodyElseFillsIn) {
  EXPECT_EQ(said("tp: auto\nword: auto\nstrict: {stage: auto, unknown: auto}\n"), "");
  EXPECT_EQ(value("tp: auto\n", "tp"), "?");
  EXPECT_EQ(value("word: auto\n", "word"), "auto") << "text is text";
  EXPECT_EQ(value("strict: {stage: auto}\n", "strict.stage"), "?");
}

TEST(Attachments, AreCheckedWhenTheSchemaIsCompiled) {
  std::vector<std::string> errors;
  const std::string attach =
      "[[attach]]\nkey = \"tp\"\nschema = \"none\"\nneeds = [\"x\"]\ntakes = [\"zero_stage\", \"strict.stage\"]\n"
      "[attach.says]\n\"y\" = \"'tp' + nobody\"\n";
  load({{"schema.toml", std::string(kSchema).replace(kSchema.find("[plan]"), 0, attach)}, {"keys.tsv", std::string(kKeys)}}, errors);
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_NE(errors[0].find("none has no key x"), std::string::npos);
  EXPECT_NE(errors[1].find("takes lists canonical fields"), std::string::npos);
  EXPECT_NE(errors[2].find("none has no key y"), std::string::npos);
  EXPECT_NE(errors[3].find("no field nobody"), std::string::npos);
}

}  // namespace
}  // namespace shardlint::test
