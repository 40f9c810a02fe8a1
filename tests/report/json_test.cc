#include "checker/report/json.h"

#include <cmath>

#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>

#include "checker/report/plan.h"
#include "tests/report/sample.h"

namespace shardlint {
namespace {

using testing::HasSubstr;

// One line, so that a snapshot can be read.
std::string compact(const std::string& text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) return llvm::toString(value.takeError());
  std::string out;
  llvm::raw_string_ostream(out) << *value;
  return out;
}

TEST(JsonReport, IsTheContract) {
  CheckResult result = sample();
  result.findings[0].notes.resize(1);
  result.findings[0].notes.push_back(
      {"a default of 5\x1f"
       "120",
       {}});
  result.findings[0].fixes.resize(1);
  result.not_evaluated.resize(1);
  result.plans[0].fields.resize(3);
  EXPECT_EQ(json_report(result, ""), R"({
  "version": "0.1.0",
  "findings": [
    {
      "rule": "batch/global-batch-not-divisible",
      "family": "batch",
      "severity": "error",
      "message": "2500 sequences cannot be shared by 80 replicas of 1 sequence each",
      "effect": "the 32nd micro-batch would reach 20 of 80 replicas; TorchTitan refuses to start",
      "file": "configs/500b.toml",
      "range": {
        "start": {
          "line": 3,
          "column": 21,
          "offset": 52
        },
        "end": {
          "line": 3,
          "column": 25,
          "offset": 56
        }
      },
      "plan": "default",
      "values": {
        "global_batch": 2500,
        "dp": 80,
        "rate": 0.5,
        "names": [
          "a",
          1.0,
          null,
          true
        ]
      },
      "notes": [
        {
          "message": "local_batch_size is 1",
          "file": "configs/500b.toml",
          "range": {
            "start": {
              "line": 2,
              "column": 20,
              "offset": 30
            },
            "end": {
              "line": 3,
              "column": 1,
              "offset": 32
            }
          }
        },
        {
          "message": "a default of 5120",
          "file": null,
          "range": null
        }
      ],
      "fixes": [
        {
          "title": "global_batch_size = 2480",
          "safety": "unsafe",
          "edits": [
            {
              "file": "configs/500b.toml",
              "range": {
                "start": {
                  "line": 3,
                  "column": 21,
                  "offset": 52
                },
                "end": {
                  "line": 3,
                  "column": 25,
                  "offset": 56
                }
              },
              "text": "2480"
            }
          ]
        }
      ]
    }
  ],
  "not_evaluated": [
    {
      "rule": "memory/over-capacity",
      "file": "configs/500b.toml",
      "because": [
        "gpu"
      ]
    }
  ],
  "plans": [
    {
      "file": "configs/500b.toml",
      "name": "default",
      "framework": "torchtitan",
      "framework_version": "0.2",
      "fields": {
        "nodes": 640,
        "world_size": 5120,
        "gpu": null
      }
    }
  ],
  "summary": {
    "files": 2,
    "errors": 1,
    "warnings": 0,
    "infos": 0,
    "suppressed": 0,
    "baselined": 0,
    "not_evaluated": 1
  }
}
)");
}

TEST(JsonReport, IsJsonWhateverWasRead) {
  CheckResult result = sample();
  Finding& finding = result.findings[0];
  finding.message = "\xff \x1b \"quoted\" \\ \n";
  finding.values = {{"huge", 1e300}, {"small", 1e-05},  {"infinite", INFINITY}, {"none", NAN},
                    {"whole", -3.0}, {"table", Map{2}}, {"\xff", "\xfe"}};
  finding.place = {std::make_shared<const Source>("\xff.yaml", "x"), {0, 1}};
  const std::string text = json_report(result, "");
  EXPECT_TRUE(static_cast<bool>(llvm::json::parse(text)));
  for (const char* line :
       {R"("huge": 1e+300,)", R"("small": 1e-05,)", R"("infinite": "inf",)", R"("none": "nan",)", R"("whole": -3.0,)", R"("table": {})"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(JsonReport, NamesFilesFromTheWorkingFolder) {
  CheckResult result = sample();
  result.findings[0].place.source = std::make_shared<const Source>("/home/me/x.yaml", "abc");
  result.findings[0].notes[0].place.source = std::make_shared<const Source>("../y.yaml", "abc");
  const std::string text = compact(json_report(result, "/home/me"));
  EXPECT_THAT(text, HasSubstr(R"("file":"x.yaml")"));
  EXPECT_THAT(text, HasSubstr(R"("file":"/home/y.yaml")"));
}

TEST(JsonReport, OfNothingIsWhole) {
  EXPECT_EQ(
      compact(json_report({}, "")),
      R"({"findings":[],"not_evaluated":[],"plans":[],"summary":{"baselined":0,"errors":0,"files":0,"infos":0,"not_evaluated":0,"suppressed":0,"warnings":0},)"
      R"("version":"0.1.0"})");
}

TEST(PlanJson, SaysWhereEveryValueComesFrom) {
  CheckResult result = sample();
  result.plans[0].fields.resize(3);
  EXPECT_EQ(
      compact(plan_json(result, "")),
      R"({"plans":[{"fields":{"gpu":{"chain":[],"file":null,"origin":"not stated","range":null,"value":null},)"
      R"("nodes":{"chain":[{"file":"job.sbatch","message":"nodes = 640","range":{"end":{"column":20,"line":1,"offset":19},"start":{"column":17,"line":1,"offset":16}}}],)"
      R"("file":"job.sbatch","origin":"setting","range":{"end":{"column":20,"line":1,"offset":19},"start":{"column":17,"line":1,"offset":16}},"value":640},)"
      R"("world_size":{"chain":[],"file":null,"origin":"from nodes, gpus_per_node","range":null,"value":5120}},)"
      R"("file":"configs/500b.toml","findings":[{"message":"2500 sequences cannot be shared by 80 replicas of 1 sequence each","rule":"batch/global-batch-not-divisible","severity":"error"}],)"
      R"("framework":"torchtitan","framework_version":"0.2","name":"default"}],"version":"0.1.0"})");
}

}  // namespace
}  // namespace shardlint
