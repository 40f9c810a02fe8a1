// Every rule that runs, in the order of reports. A rule that is not listed here does not run.
#include "checker/plan/rule.h"

namespace shardlint {

namespace rules {
extern const Rule launcher_in_every_task;
extern const Rule launcher_counts_other_servers;
extern const Rule elastic_range_breaks_plan;
extern const Rule segments_do_not_fill_job;
extern const Rule domain_group_without_segment;
extern const Rule more_processes_than_gpus;
extern const Rule idle_gpus;
extern const Rule degree_not_positive;
extern const Rule model_parallel_does_not_divide_world;
extern const Rule data_parallel_does_not_match_world;
extern const Rule expert_grid_does_not_divide_world;
extern const Rule tensor_group_leaves_nvlink_domain;
extern const Rule expert_group_leaves_nvlink_domain;
extern const Rule slower_axis_on_faster_link;
extern const Rule more_stages_than_layers;
extern const Rule layers_not_divisible_by_stages;
extern const Rule first_or_last_stage_counts;
extern const Rule unbalanced_stages;
extern const Rule not_positive;
extern const Rule global_batch_not_divisible;
extern const Rule accumulation_contradicts_global_batch;
extern const Rule fewer_microbatches_than_stages;
extern const Rule interleaving_without_pipeline;
extern const Rule microbatches_not_divisible_by_pipeline;
extern const Rule pipeline_idles;
extern const Rule param_gather_without_grad_reduce;
extern const Rule param_gather_without_distributed_optimizer;
extern const Rule tp_comm_without_sequence_parallel;
extern const Rule p2p_without_interleaving;
extern const Rule hidden_not_divisible_by_heads;
extern const Rule heads_not_divisible_by_tp;
extern const Rule kv_heads_not_divisible_by_tp;
extern const Rule sequence_not_divisible;
extern const Rule sequence_exceeds_positions;
extern const Rule vocabulary_not_padded;
extern const Rule sequence_not_divisible_by_cp;
extern const Rule experts_not_divisible_by_ep;
extern const Rule topk_exceeds_experts;
extern const Rule expert_parallel_without_experts;
extern const Rule shard_groups_do_not_fill_data_parallel;
extern const Rule nothing_to_shard_over;
extern const Rule shard_group_leaves_nvlink_domain;
extern const Rule weights_gathered_for_every_microbatch;
extern const Rule optimizer_not_sharded;
extern const Rule type_unsupported_by_gpu;
extern const Rule more_layers_than_a_stage_holds;
extern const Rule recompute_not_needed;
extern const Rule nothing_recomputed;
extern const Rule does_not_fit;
extern const Rule tight_fit;
extern const Rule sequence_parallel_off;
extern const Rule warmup_exceeds_run;
}  // namespace rules

std::span<const Rule* const> all_rules() {
  static constexpr const Rule* kAll[] = {
      &rules::launcher_in_every_task,
      &rules::launcher_counts_other_servers,
      &rules::elastic_range_breaks_plan,
      &rules::segments_do_not_fill_job,
      &rules::domain_group_without_segment,
      &rules::more_processes_than_gpus,
      &rules::idle_gpus,
      &rules::degree_not_positive,
      &rules::model_parallel_does_not_divide_world,
      &rules::data_parallel_does_not_match_world,
      &rules::expert_grid_does_not_divide_world,
      &rules::tensor_group_leaves_nvlink_domain,
      &rules::expert_group_leaves_nvlink_domain,
      &rules::slower_axis_on_faster_link,
      &rules::more_stages_than_layers,
      &rules::layers_not_divisible_by_stages,
      &rules::first_or_last_stage_counts,
      &rules::unbalanced_stages,
      &rules::not_positive,
      &rules::global_batch_not_divisible,
      &rules::accumulation_contradicts_global_batch,
      &rules::fewer_microbatches_than_stages,
      &rules::interleaving_without_pipeline,
      &rules::microbatches_not_divisible_by_pipeline,
      &rules::pipeline_idles,
      &rules::param_gather_without_grad_reduce,
      &rules::param_gather_without_distributed_optimizer,
      &rules::tp_comm_without_sequence_parallel,
      &rules::p2p_without_interleaving,
      &rules::hidden_not_divisible_by_heads,
      &rules::heads_not_divisible_by_tp,
      &rules::kv_heads_not_divisible_by_tp,
      &rules::sequence_not_divisible,
      &rules::sequence_exceeds_positions,
      &rules::vocabulary_not_padded,
      &rules::sequence_not_divisible_by_cp,
      &rules::experts_not_divisible_by_ep,
      &rules::topk_exceeds_experts,
      &rules::expert_parallel_without_experts,
      &rules::shard_groups_do_not_fill_data_parallel,
      &rules::nothing_to_shard_over,
      &rules::shard_group_leaves_nvlink_domain,
      &rules::weights_gathered_for_every_microbatch,
      &rules::optimizer_not_sharded,
      &rules::type_unsupported_by_gpu,
      &rules::more_layers_than_a_stage_holds,
      &rules::recompute_not_needed,
      &rules::nothing_recomputed,
      &rules::does_not_fit,
      &rules::tight_fit,
      &rules::sequence_parallel_off,
      &rules::warmup_exceeds_run,
  };
  return kAll;
}

}  // namespace shardlint
