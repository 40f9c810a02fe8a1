// A result made by hand: what the renderers' snapshots are taken of.
#pragma once

#include "checker/engine/check.h"

namespace shardlint {

inline Range range_of(const SourcePtr& source, std::string_view text) {
  const auto at = static_cast<std::uint32_t>(source->text().find(text));
  return {at, at + static_cast<std::uint32_t>(text.size())};
}

// The sample of the README: 2,500 sequences for 80 replicas.
inline CheckResult sample() {
  const auto config =
      std::make_shared<const Source>("configs/500b.toml",
                                     "[training]\nlocal_batch_size = 1\nglobal_batch_size = 2500  # sequences\n\n[parallelism]\n"
                                     "tensor_parallel_degree = 8\n");
  const auto job = std::make_shared<const Source>("job.sbatch", "#SBATCH --nodes=640\n");
  const auto place = [&](std::string_view text) { return Place{config, range_of(config, text)}; };

  CheckResult result;
  result.files = 2;
  result.checks = 213;
  result.milliseconds = 4.2;
  result.not_evaluated = {{"memory/over-capacity", "configs/500b.toml", {"gpu"}},
                          {"topology/tensor-group-leaves-nvlink-domain", "configs/500b.toml", {"nvlink_domain"}},
                          {"memory/activations-over-capacity", "configs/500b.toml", {"gpu"}}};
  result.unsettled = result.not_evaluated.size();
  PlanReport plan{"configs/500b.toml", "default", "torchtitan", "TorchTitan", "0.2", {}};
  const auto field = [&](std::string name, std::optional<Value> value, std::string origin, Place at = {},
                         std::vector<std::pair<std::string, Place>> chain = {}) {
    plan.fields.push_back({std::move(name), std::move(value), std::move(origin), std::move(at), std::move(chain)});
  };
  field("nodes", 640, "setting", {job, range_of(job, "640")}, {{"nodes = 640", {job, range_of(job, "640")}}});
  field("world_size", 5120, "from nodes, gpus_per_node");
  field("gpu", {}, "not stated");
  field("gpu_memory_gib", {}, "needs gpu");
  field("tp", 8, "written", place("8\n"), {{"tensor_parallel_degree = 8", place("8\n")}});
  field("pp", 8, "written", place("8\n"), {{"pipeline_parallel_degree = 8", place("8\n")}});
  field("cp", 1, "default of TorchTitan");
  field("ep", 1, "default of TorchTitan");
  field("dp", 80, "from world_size, tp, pp");
  field("global_batch", 2500, "written", place("2500"), {{"global_batch_size = 2500", place("2500")}});
  field("micro_batch", 1, "written", place("1\n"), {{"local_batch_size = 1", place("1\n")}});
  field("num_microbatches", {}, "needs grad_accum");
  field("experts", {}, "by definition");
  field("lr", 1e-05, "default of TorchTitan");
  result.plans.push_back(std::move(plan));

  Finding finding;
  finding.rule = "batch/global-batch-not-divisible";
  finding.family = "batch";
  finding.message = grouped(2500) + " sequences cannot be shared by 80 replicas of 1 sequence each";
  finding.effect = "the 32nd micro-batch would reach 20 of 80 replicas; TorchTitan refuses to start";
  finding.place = place("2500");
  finding.plan = "default";
  finding.values = {{"global_batch", 2500}, {"dp", 80}, {"rate", 0.5}, {"names", ValueList{"a", 1.0, Null{}, true}}};
  finding.notes = {{"local_batch_size is 1", place("1\n")},
                   {"DP is 80: " + grouped(5120) + " GPUs / TP 8 / PP 8", {job, range_of(job, "640")}},
                   {"context_parallel_degree is 1, the default of TorchTitan", {}}};
  const auto fix = [&](std::string title, Safety safety, Range range, std::string text) {
    finding.fixes.push_back({std::move(title), safety, {{config, range, std::move(text)}}});
  };
  fix("global_batch_size = 2480", Safety::Unsafe, finding.place.range, "2480");
  fix("32 micro-batches", Safety::Unsafe, finding.place.range, "2560");
  const std::uint32_t behind = range_of(config, "# sequences\n").end;
  fix("add local_batch_size = 5", Safety::Safe, {behind, behind}, "local_batch_size = 5\n");
  result.findings.push_back(std::move(finding));
  return result;
}

}  // namespace shardlint
