#include "checker/report/plan.h"

#include <gmock/gmock.h>

#include "tests/report/sample.h"

namespace shardlint {
namespace {

TEST(PlanText, GoesOnBelowInANarrowTerminal) {
  CheckResult result = sample();
  for (FieldReport& field : result.plans[0].fields)
    if (field.name == "dp") field.origin = "from world_size, tensor_parallel_degree, pipeline_parallel_degree, context_parallel_degree";
  TextStyle narrow;
  narrow.width = 60;
  EXPECT_THAT(plan_text(result, narrow), testing::HasSubstr("  dp  80  from world_size, tensor_parallel_degree,\n"
                                                            "          pipeline_parallel_degree, context_parallel_degree\n"));
}

TEST(PlanText, GroupsFieldsWithTheirOrigins) {
  EXPECT_EQ("\n" + plan_text(sample(), {}), R"(
configs/500b.toml   TorchTitan   5,120 GPUs = TP 8 x PP 8 x CP 1 x DP 80   31.25 micro-batches

findings
  error    2,500 sequences cannot be shared by 80 replicas of 1 sequence each
           batch/global-batch-not-divisible

cluster
  nodes       640    setting   job.sbatch:1
  world_size  5,120  from nodes, gpus_per_node

split
  tp  8   tensor_parallel_degree = 8   configs/500b.toml:6
  pp  8   pipeline_parallel_degree = 8   configs/500b.toml:6
  cp  1   default of TorchTitan
  ep  1   default of TorchTitan
  dp  80  from world_size, tp, pp

batch
  global_batch  2,500  global_batch_size = 2500   configs/500b.toml:3
  micro_batch   1      local_batch_size = 1   configs/500b.toml:2

experts
  experts  none  by definition

run
  lr  1e-05  default of TorchTitan

unknown
  gpu               not stated
  gpu_memory_gib    needs gpu
  num_microbatches  needs grad_accum
)");
}

}  // namespace
}  // namespace shardlint
