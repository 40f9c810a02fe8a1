// A form with sections: where keys stand, what must be there, which law holds; and which law and which keys a version has.
#include <gtest/gtest.h>

#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

constexpr std::string_view kSchema = R"toml(name = "small"
title = "Small"
versions = ["1.0", "2.0"]
formats = ["yaml"]
loader = "pyyaml"
unknown_key = "error"
required = false
[[form]]
name = "sections"
sections = ["model", "grid"]
nulls = true
complete = true
unknown_key = "warning"
wrong_type = "warning"
law = ["own.*", "named"]
[form.recognise]
keys = ["model.width", "grid.tensor"]
needs = 2
[[form]]
name = "flat"
[form.recognise]
keys = ["tp"]
needs = 1
[plan]
tp = "'tp'"
)toml";
constexpr std::string_view kKeys =
    "key\ttype\tdefault\tsince\tuntil\talso\n"
    "tp\tint\t1\t\t\tgrid.tensor\n"
    "width\tint\t4\t\t\tmodel.width\n"
    "lazy\tbool\tfalse\t\t\tmodel.lazy?\n"
    "root\tint\t1\n"
    "young\tint\t1\t2.0\n"
    "old\tint\t1\t\t2.0\n"
    "model\tdict\n"
    "grid\tdict\n"
    "model.act\tstr|null\t\t\t\tmodel.act?\n";
constexpr std::string_view kLaw = R"toml([[constraint]]
name = "mine"
row = "own.1"
family = "shapes"
when = "form(\"sections\")"
require = "divides(tp, 'width')"
says = "{'width'} over {tp}"
[[constraint]]
name = "named"
family = "shapes"
require = "'root' < 10"
says = "root {'root'}"
[[constraint]]
name = "others"
row = "other.1"
family = "shapes"
require = "'root' < 5"
says = "root {'root'} here"
[[constraint]]
name = "young"
row = "other.2"
family = "shapes"
since = "2.0"
require = "tp < 100"
says = "tp {tp} from 2.0 on"
[[constraint]]
name = "old"
row = "other.3"
family = "shapes"
until = "2.0"
require = "tp < 100"
says = "tp {tp} before 2.0"
)toml";

std::unique_ptr<SchemaData> small() {
  return load({{"schema.toml", std::string(kSchema)}, {"keys.tsv", std::string(kKeys)}, {"constraints.toml", std::string(kLaw)}});
}

std::string said(const Schema& schema, std::string_view yaml, std::string version = "", std::size_t form = 0) {
  Judged run(schema, yaml);
  run.job.form = &schema.forms[form];
  run.job.version = std::move(version);
  run.judgement = judge(run.job);
  return run.violations();
}

TEST(Forms, Sections) {
  const auto data = small();
  ASSERT_TRUE(data);
  const Schema& schema = data->schema;
  EXPECT_EQ(said(schema, "model: {width: 8}\ngrid: {tensor: 2}\nroot: 1\n"), "");
  EXPECT_EQ(said(schema, "model: {width: 8, act: null, lazy: null}\ngrid: {tensor: 2}\n"), "");
  EXPECT_EQ(said(schema, "model: {width: 9}\ngrid: {tensor: 2}\n"), "error small/mine: 9 over 2\n");
  EXPECT_EQ(said(schema, "grid: {width: 9, tensor: 2}\nmodel: {}\n"), "error small/mine: 9 over 2\n") << "in the other section";
  EXPECT_EQ(said(schema, "model: {width: 8}\ngrid: {}\n"), "error hygiene/missing-key: grid has no tensor, and Small gives it no default\n");
  EXPECT_EQ(said(schema, "model: {width: 8}\n"), "error hygiene/missing-key: grid is missing, and Small gives it no default\n");
  EXPECT_EQ(said(schema, "model: {width: 8, lasy: true}\ngrid: {tensor: 2}\n"),
            "warning hygiene/unknown-key: Small has no key lasy in model; the nearest is lazy\n");
  EXPECT_EQ(said(schema, "model: {width: 8}\n", "0.5"), "") << "what older versions want is not known";
}

TEST(Forms, LawOfItsOwn) {
  const auto data = small();
  ASSERT_TRUE(data);
  const Schema& schema = data->schema;
  EXPECT_EQ(said(schema, "model: {width: 8}\ngrid: {tensor: 2}\nroot: 10\n"), "error small/named: root 10\n");
  EXPECT_EQ(said(schema, "width: 9\ntp: 2\nroot: 7\n", "", 1), "error small/others: root 7 here\n");
}

TEST(Forms, Places) {
  const auto data = small();
  ASSERT_TRUE(data);
  const Schema& schema = data->schema;
  Job job;
  job.schema = &schema;
  const Slot tp = schema.key_slot(schema.index_of(*schema.find_key("tp")));
  job.form = &schema.forms[0];
  EXPECT_EQ(document_path(job, tp), "grid.tensor");
  EXPECT_EQ(spelling(job, tp), "tensor");
  job.form = &schema.forms[1];
  EXPECT_EQ(document_path(job, tp), "tp");
}

TEST(Forms, Versions) {
  const auto data = small();
  ASSERT_TRUE(data);
  const Schema& schema = data->schema;
  EXPECT_EQ(said(schema, "tp: 100\n", "", 1), "error small/young: tp 100 from 2.0 on\n");
  EXPECT_EQ(said(schema, "tp: 100\n", "1.0", 1), "error small/old: tp 100 before 2.0\n");
  EXPECT_EQ(said(schema, "tp: 100\n", "1.9.3", 1), "error small/old: tp 100 before 2.0\n");
  EXPECT_EQ(said(schema, "tp: 1\nyoung: 2\n", "1.0", 1), "error hygiene/unknown-key: young came with Small 2.0; this run uses 1.0\n");
  EXPECT_EQ(said(schema, "tp: 1\nyoung: 2\n", "2.0", 1), "");
  EXPECT_EQ(said(schema, "tp: 1\nold: 2\n", "2.0", 1), "error hygiene/unknown-key: old left Small with 2.0; this run uses 2.0\n");
  EXPECT_EQ(said(schema, "tp: 1\nold: 2\n", "1.0", 1), "");
}

}  // namespace
}  // namespace shardlint::test
