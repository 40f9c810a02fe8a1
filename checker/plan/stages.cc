#include "checker/plan/stages.h"

#include <algorithm>
#include <cstdlib>

#include "checker/plan/layout.h"
#include "checker/plan/rule.h"

namespace shardlint {

namespace {

constexpr i64 kMaxStages = 100'000;

// Layers by chunk: `sizes` holds chunk j of stage i at j * stages + i.
std::vector<Stage> deal(const std::vector<i64>& sizes, std::size_t stages) {
  std::vector<Stage> out(stages);
  std::size_t next = 0;
  for (std::size_t chunk = 0; chunk < sizes.size(); ++chunk)
    for (i64 n = 0; n < sizes[chunk]; ++n) out[chunk % stages].layers.push_back(next++);
  out.front().embedding = out.back().output = true;
  return out;
}

}  // namespace

std::optional<std::vector<Stage>> stages(const Plan& plan, std::size_t layers) {
  const auto sizes = counts(plan.pp, plan.vpp);
  if (!sizes) return std::nullopt;
  const auto [pp, vpp] = *sizes;
  const auto pieces = product({pp, vpp});
  if (!pieces || *pieces > kMaxStages) return std::nullopt;
  const i64 whole = static_cast<i64>(layers), chunks = *pieces;
  // One stage is the whole model, whoever deals. Where the framework deals its own way: as evenly as it comes out, the first ones more.
  if (pp == 1 || on(plan.splits_unevenly)) {
    std::vector<i64> near(static_cast<std::size_t>(chunks), whole / chunks);
    for (i64 chunk = 0; chunk < whole % chunks; ++chunk) ++near[static_cast<std::size_t>(chunk)];
    return deal(near, static_cast<std::size_t>(pp));
  }
  const auto count = static_cast<std::size_t>(pp);
  if (const std::string layout = plan.pipeline_layout.value_or(""); !layout.empty()) {
    const auto read = pipeline_layout(layout);
    if (!read || read->size() != count * static_cast<std::size_t>(vpp)) return std::nullopt;
    std::vector<i64> held;
    for (const std::string& chunk : *read) held.push_back(std::count(chunk.begin(), chunk.end(), 't'));
    std::vector<Stage> out = deal(held, count);
    std::size_t dealt = 0;
    for (std::size_t i = 0; i < count; ++i) out[i].embedding = out[i].output = false, dealt += out[i].layers.size();
    for (std::size_t chunk = 0; chunk < read->size(); ++chunk) {
      out[chunk % count].embedding |= (*read)[chunk].find('E') != std::string::npos;
      out[chunk % count].output |= (*read)[chunk].find('L') != std::string::npos;
    }
    return dealt == layers ? std::optional(std::move(out)) : std::nullopt;
  }
  const i64 first = count_or(plan.first_stage_layers, 0), last = count_or(plan.last_stage_layers, 0);
  std::vector<i64> held(static_cast<std::size_t>(chunks));
  if (first > 0 || last > 0) {
    const i64 between = pp - (first > 0) - (last > 0), left = whole - first - last;
    if (left < 0 || (between ? left % (between * vpp) != 0 : left != 0)) return std::nullopt;
    for (i64 chunk = 0; chunk < chunks; ++chunk) {
      const i64 stage = chunk % pp;
      const i64 own = stage == 0 && first > 0 ? first : stage == pp - 1 && last > 0 ? last : left / between;
      if (own % vpp) return std::nullopt;
      held[static_cast<std::size_t>(chunk)] = own / vpp;
    }
    return deal(held, count);
  }
  const i64 front = count_or(plan.stage_embedding_layers, 0), back = count_or(plan.stage_output_layers, 0);
  if ((whole + front + back) % chunks) return std::nullopt;
  const i64 even = (whole + front + back) / chunks;
  if (even < front || even < back) return std::nullopt;
  std::fill(held.begin(), held.end(), even);
  held.front() -= front, held.back() -= back;
  return deal(held, count);
}

StageWeights stage_weights(const Plan& plan, const ModelWeights& model, const Stage& stage) {
  const double tp = static_cast<double>(count_or(plan.tp, 1));
  const double expert_ranks = static_cast<double>(count_or(plan.ep, 1)) * static_cast<double>(count_or(plan.etp, 1));
  // Each rank holds at least one key/value head: what TP exceeds them by is held several times.
  const double kv = static_cast<double>(*plan.kv_groups);
  double copied = 0;
  if (tp > kv && !plan.kv_lora_rank) copied = 2 * static_cast<double>(*plan.hidden) * static_cast<double>(*plan.head_dim) * (1 - kv / tp);
  StageWeights out;
  for (std::size_t i : stage.layers) {
    const LayerWeights& layer = model.layer(i);
    out.dense += (layer.attention + layer.mlp + layer.biases) / tp + layer.replicated + copied;
    out.experts += layer.experts / expert_ranks;
    out.flops += layer.active(model.visited_share);
  }
  if (stage.embedding) out.dense += model.embedding / tp;
  if (stage.output) {
    // A tied output layer on a stage of its own holds its copy of the embedding.
    const bool copy = model.output == 0 && !stage.embedding;
    out.dense += (copy ? model.logits : model.output) / tp + model.final_norm;
    out.flops += model.logits;
  }
  return out;
}

std::optional<Ends> best_ends(i64 layers, i64 pp, i64 vpp, double output) {
  if (pp < 2 || vpp < 1 || layers < pp || layers > kMaxStages) return std::nullopt;
  std::optional<Ends> best;
  const i64 even = layers / pp;
  const bool between = pp > 2;
  for (i64 middle = between ? std::max<i64>(1, even - 2) : 0; middle <= (between ? even + 3 : 0); ++middle) {
    if (middle % vpp) continue;
    const i64 ends = layers - middle * (pp - 2);
    for (i64 last = 1; last < ends; ++last) {
      const i64 first = ends - last;
      if (first % vpp || last % vpp) continue;
      const double slowest = std::max({static_cast<double>(middle), static_cast<double>(first), static_cast<double>(last) + output});
      const bool closer = best && slowest == best->slowest && std::abs(first - last) < std::abs(best->first - best->last);
      if (!best || slowest < best->slowest || closer) best = Ends{first, last, slowest};
    }
  }
  return best;
}

std::optional<double> output_in_layers(const Plan& plan) {
  const auto model = model_weights(plan);
  return model && model->vocabulary ? std::optional(model->logits / model->dense.total()) : std::nullopt;
}

}  // namespace shardlint
