// What `check` hands to CI, written by the real program and read by the readers that CI uses.
#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>

#include "tests/program.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kBad =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nglobal_batch_size = 2500\nsteps = 10\n\n"
    "[parallelism]\ntensor_parallel_degree = 3\n";

class Formats : public InFolder {
 protected:
  void SetUp() override {
    put("run.toml", kBad);
    put("clean.toml",
        "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nsteps = "
        "10\n\n[parallelism]\ntensor_parallel_degree = 1\n");
  }
  llvm::json::Value json(const std::string& text) const {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
    if (value) return std::move(*value);
    ADD_FAILURE() << llvm::toString(value.takeError()) << "\n" << text;
    return nullptr;
  }
  void expect_valid_sarif(const std::string& name) const {
    const Ended checked =
        sh("python3 -c 'import jsonschema, json, sys\n"
           "jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' " +
           name + " '" SHARDLINT_ROOT "/tests/report/sarif-2.1.0.json'");
    EXPECT_EQ(checked.exit, 0) << checked.err << get(name);
  }
  // The fingerprints of all results, and how often the text of a file changes nothing about them.
  std::vector<std::string> fingerprints(const std::string& options) const {
    const Ended ran = shardlint("check run.toml --isolated --nodes 1 --gpus-per-node 8 --format sarif " + options);
    std::vector<std::string> out;
    const llvm::json::Value log = json(ran.out);
    for (const llvm::json::Value& result : *(*log.getAsObject()->getArray("runs"))[0].getAsObject()->getArray("results"))
      out.emplace_back(result.getAsObject()->getObject("partialFingerprints")->getString("primaryLocationLineHash")->str());
    return out;
  }
};

TEST_F(Formats, SarifIsValidAndHasRulesFixesAndPlaces) {
  if (sh("python3 -c 'import jsonschema'").exit) GTEST_SKIP() << "python3-jsonschema is not installed";
  const Ended ran = shardlint("check run.toml --nodes 1 --gpus-per-node 8 --format sarif --output-file run.sarif");
  EXPECT_EQ(ran.exit, 1) << ran.err;
  expect_valid_sarif("run.sarif");
  const llvm::json::Value log = json(get("run.sarif"));
  const llvm::json::Object& run = *(*log.getAsObject()->getArray("runs"))[0].getAsObject();
  const llvm::json::Array& rules = *run.getObject("tool")->getObject("driver")->getArray("rules");
  const llvm::json::Array& results = *run.getArray("results");
  ASSERT_FALSE(results.empty());
  bool fixed = false;
  for (const llvm::json::Value& value : results) {
    const llvm::json::Object& result = *value.getAsObject();
    const llvm::json::Object& rule = *rules[static_cast<std::size_t>(*result.getInteger("ruleIndex"))].getAsObject();
    EXPECT_EQ(rule.getString("id"), result.getString("ruleId"));
    EXPECT_GT(rule.getObject("help")->getString("markdown")->size(), 50u);
    fixed |= result.getArray("fixes") != nullptr;
    const llvm::json::Object& region =
        *(*result.getArray("locations"))[0].getAsObject()->getObject("physicalLocation")->getObject("region");
    EXPECT_GE(*region.getInteger("startColumn"), 1);
    EXPECT_GE(*region.getInteger("startLine"), 1);
  }
  EXPECT_TRUE(fixed);
}

TEST_F(Formats, ACleanRunHasAnEmptyList) {
  const Ended ran = shardlint("check clean.toml --nodes 1 --gpus-per-node 8 --format sarif");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  const llvm::json::Value log = json(ran.out);
  const llvm::json::Array* results = (*log.getAsObject()->getArray("runs"))[0].getAsObject()->getArray("results");
  ASSERT_TRUE(results);
  EXPECT_TRUE(results->empty());
  EXPECT_EQ(shardlint("check clean.toml --format gitlab").out, "[]\n");
  EXPECT_EQ(shardlint("check clean.toml --format github").out, "");
  EXPECT_THAT(shardlint("check clean.toml --format junit").out, HasSubstr("<testsuite name=\"clean.toml\" tests=\"1\" failures=\"0\""));
  EXPECT_EQ(shardlint("check clean.toml --format checkstyle").out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"8.0\">\n</checkstyle>\n");
}

TEST_F(Formats, FingerprintsStayWhenLinesMove) {
  const std::vector<std::string> before = fingerprints("");
  ASSERT_FALSE(before.empty());
  put("run.toml", "# a comment\n\n\n" + std::string(kBad));
  EXPECT_EQ(fingerprints(""), before);
  std::string other = kBad;
  other.replace(other.find("tensor_parallel_degree = 3"), 26, "tensor_parallel_degree = 5");
  put("run.toml", other);
  EXPECT_NE(fingerprints(""), before);
}

TEST_F(Formats, ColumnsCountCharacters) {
  put("run.yaml", "model: {name: \"Größe\", hidden_act: 1, hidden_act: 2}\n");
  const llvm::json::Value bytes = json(shardlint("check run.yaml --isolated --format json").out);
  const llvm::json::Object& finding = *(*bytes.getAsObject()->getArray("findings"))[0].getAsObject();
  const std::int64_t column = *finding.getObject("range")->getObject("start")->getInteger("column");
  const Ended github = shardlint("check run.yaml --isolated --format github");
  EXPECT_THAT(github.out, HasSubstr(fmt::format(",col={},", column - 2)));
}

TEST_F(Formats, SeveralOutputsInOneRun) {
  const Ended ran = shardlint(
      "check run.toml --nodes 1 --gpus-per-node 8 --output sarif=a.sarif --output=gitlab=b.json --output junit=c.xml --output "
      "checkstyle=d.xml "
      "--output github=e.txt --output json=f.json");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, HasSubstr("error:"));
  EXPECT_THAT(get("a.sarif"), HasSubstr("\"version\": \"2.1.0\""));
  const llvm::json::Value codequality = json(get("b.json"));
  const llvm::json::Array& quality = *codequality.getAsArray();
  ASSERT_FALSE(quality.empty());
  EXPECT_EQ(quality[0].getAsObject()->getObject("location")->getString("path"), "run.toml");
  EXPECT_EQ(quality[0].getAsObject()->getString("fingerprint")->size(), 32u);
  EXPECT_THAT(get("c.xml"), HasSubstr("<failure type=\"error\""));
  EXPECT_THAT(get("d.xml"), HasSubstr("<file name=\"run.toml\">"));
  EXPECT_THAT(get("e.txt"), HasSubstr("::error file=run.toml,line="));
  EXPECT_EQ(json(get("f.json")).getAsObject()->getArray("findings")->size(), quality.size());
  if (sh("python3 -c 'import xml.dom.minidom'").exit == 0) {
    EXPECT_EQ(sh("python3 -c 'import xml.dom.minidom as m; m.parse(\"c.xml\"); m.parse(\"d.xml\")'").exit, 0);
  }
  EXPECT_EQ(shardlint("check run.toml --output sarif=no/such/folder/a").exit, 2);
  EXPECT_EQ(shardlint("check run.toml --output sarif").exit, 2);
  EXPECT_THAT(shardlint("check run.toml --output sarf=a").err, HasSubstr("did you mean `sarif`?"));
}

TEST_F(Formats, AnnotationsKeepEveryLineOfAFinding) {
  const Ended ran = shardlint("check run.toml --nodes 1 --gpus-per-node 8 --format github");
  EXPECT_EQ(ran.exit, 1);
  for (const std::string& line : {ran.out.substr(0, ran.out.find('\n'))}) {
    EXPECT_THAT(line, HasSubstr("%0A= "));
    EXPECT_THAT(line, HasSubstr("%0Afix (checked): "));
  }
}

TEST_F(Formats, WhatStandsOnTheCommandLineIsReportedOnTheRun) {
  const Ended ran = shardlint("check clean.toml --nodes 1 --gpus-per-node 8 --format gitlab -- --parallelism.tensor_parallel_degree=3");
  EXPECT_EQ(ran.exit, 1) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("\"path\": \"clean.toml\""));
  EXPECT_THAT(ran.out, HasSubstr("--parallelism.tensor_parallel_degree: "));
}

TEST_F(Formats, AWarningThatFailsNothingIsAPassedCase) {
  put("run.yaml", "a: 1\na: 2\n");
  EXPECT_THAT(shardlint("check run.yaml --isolated --format junit").out, HasSubstr("failures=\"0\""));
  EXPECT_THAT(shardlint("check run.yaml --isolated --format junit --fail-on warning").out, HasSubstr("failures=\"1\""));
}

TEST_F(Formats, StatisticsAreKeptOutOfOtherFormats) {
  const Ended sarif = shardlint("check run.toml --nodes 1 --gpus-per-node 8 --format sarif --statistics");
  json(sarif.out);
  EXPECT_THAT(sarif.err, HasSubstr("      1  error    "));
  const llvm::json::Value log = json(shardlint("check run.toml --nodes 1 --gpus-per-node 8 --format json --statistics").out);
  const llvm::json::Array* statistics = log.getAsObject()->getArray("statistics");
  ASSERT_TRUE(statistics);
  EXPECT_GE(*(*statistics)[0].getAsObject()->getInteger("count"), 1);
}

}  // namespace
}  // namespace shardlint
