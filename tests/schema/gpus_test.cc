// schemas/gpus.tsv: every card says where its numbers are from, and those that plans are made for have what the accounts need.
#include <set>

#include <gtest/gtest.h>

#include "checker/engine/check.h"
#include "checker/plan/memory.h"
#include "checker/schema/schema.h"

namespace shardlint {
namespace {

const TableSpec& table() {
  for (const TableSpec& table : schemas()[0]->tables)
    if (table.name == "gpus") return table;
  throw std::logic_error("no table of GPUs");
}

TEST(Gpus, EveryCardHasASourceAndMemory) {
  const TableSpec& gpus = table();
  const std::size_t width = gpus.columns.size();
  EXPECT_EQ(gpus.columns.back(), "source");
  std::set<std::string_view> names;
  for (std::size_t row = 0; row < gpus.cells.size(); row += width) {
    const std::string_view name = gpus.cells[row];
    EXPECT_TRUE(names.insert(name).second) << name << " stands there twice";
    EXPECT_GT(gpus.cells[row + width - 1].size(), 10u) << name << " has no source";
    EXPECT_FALSE(gpus.cells[row + 1].empty()) << name << " has no memory";
  }
}

// What a plan knows of a card that is named.
const Plan& plan_on(std::string_view gpu, std::string_view more, CheckResult& result) {
  Overlay files;
  files.put("plan.toml", "tp = 8\nworld_size = 64\n");
  files.put("shardlint.toml", "framework = \"plan\"\n[cluster]\ngpu = \"" + std::string(gpu) + "\"\n" + std::string(more));
  CheckOptions options;
  options.paths = {"plan.toml"};
  result = check(files, options);
  EXPECT_TRUE(result.errors.empty());
  return *result.plans.at(0).plan;
}

TEST(Gpus, KnowWhatTheAccountsNeed) {
  CheckResult result;
  for (const char* name :
       {"A100", "H100", "H200", "B200", "B300", "GB200", "GB300", "H800", "A800", "GH200", "MI300X", "MI325X", "MI355X"}) {
    const Plan& plan = plan_on(name, "", result);
    EXPECT_TRUE(plan.gpu_memory_gib && plan.peak_tflops.open == false && plan.network_gb_s && plan.nvlink_gb_s) << name;
  }
  EXPECT_EQ(*plan_on("VR200", "", result).nvlink_domain, 72);
  EXPECT_EQ(*plan_on("GB300", "", result).nvlink_domain, 72);
  EXPECT_EQ(*plan_on("H100", "", result).nvlink_gb_s, 450);
  EXPECT_EQ(*plan_on("B200", "", result).gpu_memory_gib, 180) << "of 192";
}

TEST(Gpus, OnesOwn) {
  CheckResult result;
  const Plan own = plan_on("Quokka", "[gpus.Quokka]\nmemory_gib = 64\nnvlink_domain = 16\n", result);
  EXPECT_DOUBLE_EQ(*card_bytes(own), 64.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(*own.nvlink_domain, 16);
  EXPECT_FALSE(own.network_gb_s);
  const Plan better = plan_on("H100", "[gpus.H100]\nnetwork_gb_s = 25\n", result);
  EXPECT_EQ(*better.network_gb_s, 25);
  EXPECT_EQ(*better.nvlink_gb_s, 450) << "the rest as in the table";
}

}  // namespace
}  // namespace shardlint
