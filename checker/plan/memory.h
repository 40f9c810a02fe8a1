// Bytes on one GPU of each pipeline stage, and of a checkpoint. Decimal units.
//
// State, a parameter: weights 2 (bf16) or 4, gradients 2 or 4, fp32 master 4 beside 2-byte weights, Adam moments 8. The distributed
// optimizer and ZeRO 1 share master and moments over the data-parallel ranks (times CP: its ranks hold the same weights), ZeRO 2 gradients
// too, ZeRO 3 and FSDP weights too; hybrid sharding shares weights and gradients inside its group. Experts are shared over their own
// data-parallel ranks. Sources: Rajbhandari et al. 2020 (arXiv:1910.02054); Megatron-LM's estimator, with which it agrees to 1 %.
//
// Weights that are not trained (frozen) have no gradients and no optimizer state. What lies in host memory is not counted on the GPU.
//
// Activations: s*b*h*(18 + 4f/h) a layer and micro-batch with FlashAttention or selective recompute (Korthikanti et al. 2022,
// arXiv:2205.05198), all of it over TP with sequence parallelism, else 10 of it on every rank; over CP; 5*a*s^2*b more where the score
// matrix is kept; 2*s*b*h under full recompute. Stage i of 1F1B keeps min(m, p - i) micro-batches, GPipe all m; interleaving keeps
// 2(p - i - 1) + (v - 1)p + 1 chunks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/plan/stages.h"

namespace shardlint {

inline constexpr double kGiB = 1024.0 * 1024 * 1024;  // bytes

struct Estimate {
  double low = 0, expected = 0, high = 0;
  Estimate& operator+=(const Estimate& other);
};
Estimate exactly(double value);

// Bytes of one parameter, by the ranks that share them.
struct StateBytes {
  double weights = 0, gradients = 0, master = 0, moments = 0;
  double total() const { return weights + gradients + master + moments; }
};
// `ranks`: that share the state of one copy; `group`: those of them that share weights and gradients under hybrid sharding (else the same).
// `zero`: 0 to 3. `gradient`: bytes of a gradient. `weight`: bytes of a weight.
StateBytes state_bytes(int zero, double ranks, double group, double weight, double gradient);

// Bytes of a parameter's moments under an optimizer of this name: 8 for Adam and its kin, 4 where one fp32 moment is kept, a quarter of that
// in 8 bits. Nothing for a name that says neither; memory() counts 8 then.
std::optional<double> moment_bytes(std::string_view optimizer);

struct StageMemory {
  double parameters = 0;   // on one rank of the stage
  StateBytes state;        // of them all, in bytes
  double least_state = 0;  // what of it is certain: master and moments only where the optimizer and their types are stated
  double host = 0;         // bytes of state in host memory instead
  Estimate activations;
  Estimate working;  // gathered layers, the optimizer's step, CUDA context, communication buffers
  Estimate total() const;
};

struct Memory {
  std::vector<StageMemory> stages;
  double parameters = 0;                // of the whole model
  double checkpoint = 0;                // weights, master and moments, once
  double together = 0;                  // state and activations of one replica, whatever the number of GPUs that share them
  std::size_t fullest = 0;              // the stage that is expected to need most
  std::vector<std::string> unmodelled;  // what the figures leave out, in words
};

// Nothing where a size is not known (`missing` says which).
std::optional<Memory> memory(const Plan& plan, std::vector<Field>* missing = nullptr);

// The fewest GPUs of `usable` bytes each that hold so many, however they are shared.
i64 fewest_gpus(double bytes, double usable);
// Usable bytes of the plan's GPU: gpu_memory_gib in bytes. Nothing where it is not known.
std::optional<double> card_bytes(const Plan& plan);

}  // namespace shardlint
