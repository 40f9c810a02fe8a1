// Measured plans from a vendor's performance pages (published_plans.tsv names them). Each of them ran, so no rule may call one an error;
// and two rows state an accumulation that the rest of the row contradicts, which has to be noticed.
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/engine/check.h"
#include "tests/where.h"

namespace shardlint {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows() {
  std::ifstream in(SHARDLINT_ROOT "/tests/rules/published_plans.tsv");
  std::vector<std::string> header;
  std::vector<Row> out;
  for (std::string line, cell; std::getline(in, line);) {
    std::istringstream cells(line);
    Row row;
    for (std::size_t i = 0; std::getline(cells, cell, '\t'); ++i) {
      if (out.empty() && (header.empty() || header.size() == i))
        header.push_back(cell);
      else
        row[header[i]] = cell;
    }
    if (!row.empty()) out.push_back(std::move(row));
  }
  return out;
}

// As a hand-written plan. A GB200 or GB300 system is a rack of 4-GPU trays, all others are servers of 8.
std::string text(Row row) {
  const std::string gpu = row["system"].substr(row["system"].find('-') + 1);
  std::string out = fmt::format("gpu = \"{}\"\ngpus_per_node = {}\nworld_size = {}\n", gpu, gpu.starts_with("GB") ? 4 : 8, row["gpus"]);
  for (const char* field : {"global_batch", "micro_batch", "seq_length", "tp", "pp", "cp", "vpp", "ep"})
    if (!row[field].empty()) out += fmt::format("{} = {}\n", field, row[field]);
  if (!row["stated_grad_accum"].empty()) out += fmt::format("grad_accum = {}\n", row["stated_grad_accum"]);
  std::string precision = row["precision"];
  for (char& c : precision) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out + fmt::format("precision.compute = \"{}\"\n", precision);
}

TEST(PublishedPlans, HaveNoErrorAndTwoContradictions) {
  std::set<std::string> contradictions;
  const std::vector<Row> all = rows();
  EXPECT_GT(all.size(), 80u);
  for (const Row& row : all) {
    Overlay files;
    files.put("plan.toml", text(row));
    CheckOptions options;
    options.paths = {"plan.toml"};
    options.isolated = true;
    options.command_line.framework = "plan";
    const CheckResult result = check(files, options);
    EXPECT_TRUE(result.errors.empty());
    ASSERT_EQ(result.plans.size(), 1u);
    for (const FieldReport& field : result.plans[0].fields) {
      if (field.name == "dp" || (field.name == "grad_accum" && row.at("stated_grad_accum").empty())) {
        EXPECT_TRUE(field.value) << field.name << " is not whole:\n" << text(row);
      }
    }
    for (const Finding& finding : result.findings) {
      EXPECT_NE(finding.severity, Severity::Error) << finding.rule << ": " << with_commas(finding.message) << "\n" << text(row);
      if (finding.rule == "batch/accumulation-contradicts-global-batch") contradictions.insert(row.at("model") + " on " + row.at("system"));
    }
  }
  EXPECT_EQ(contradictions, (std::set<std::string>{"GPT OSS 120B on DGX-H100", "Qwen3_235B_a22B on DGX-GB300"}));
}

}  // namespace
}  // namespace shardlint
