#include "checker/engine/layouts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "checker/engine/check.h"
#include "checker/plan/rule.h"

namespace shardlint {

namespace {

constexpr i64 kTokensPerStep = 4 << 20;  // where nobody says the batch
constexpr i64 kSequence = 8192;
constexpr std::string_view kFile = "layout.toml";

// What a layout does not decide, as a plan that is written by hand.
class Base {
 public:
  explicit Base(const Plan& of) : of_(of) {}

  std::string text(Layouts& out) {
#define FIELD(member, name, type, derivation, doc) copy(name, of_.member);
#include "checker/plan/fields.def"
#undef FIELD
    if (!of_.experts) line("experts", "0");
    if (!of_.precision_weights) line("precision.weights", "\"bf16\"");
    if (!of_.seq_length) {
      const i64 length = std::min(kSequence, count_or(of_.max_positions, kSequence));
      line("seq_length", fmt::format("{}", length));
      out.assumed.push_back(fmt::format("sequences of {} tokens", grouped(length)));
    }
    if (!of_.global_batch) {
      // As many sequences as make about four million tokens, and a whole number for every rank.
      const i64 length = count_or(of_.seq_length, std::min(kSequence, count_or(of_.max_positions, kSequence)));
      const i64 world = count_or(of_.world_size, 1);
      i64 batch = std::max<i64>(1, kTokensPerStep / length);
      batch = batch >= world ? batch / world * world : batch;
      line("global_batch", fmt::format("{}", batch));
      out.assumed.push_back(fmt::format("{} sequences a step", grouped(batch)));
    }
    for (const char* overlap : {"overlap.grad_reduce", "overlap.param_gather"}) line(overlap, "true");
    return text_;
  }

 private:
  // The model, the cluster, the batch and the precision; all else is the layout's.
  static bool is_given(std::string_view name) {
    static constexpr std::string_view kGiven[] = {"nodes",
                                                  "gpus_per_node",
                                                  "world_size",
                                                  "nvlink_domain",
                                                  "gpu",
                                                  "gpu_memory_gib",
                                                  "nvlink_gb_s",
                                                  "network_gb_s",
                                                  "peak_tflops",
                                                  "global_batch",
                                                  "layers",
                                                  "hidden",
                                                  "ffn_hidden",
                                                  "heads",
                                                  "kv_groups",
                                                  "head_dim",
                                                  "vocab",
                                                  "padded_vocab",
                                                  "seq_length",
                                                  "max_positions",
                                                  "gated_mlp",
                                                  "tied_embeddings",
                                                  "linear_bias",
                                                  "norm",
                                                  "q_lora_rank",
                                                  "kv_lora_rank",
                                                  "qk_rope_head_dim",
                                                  "v_head_dim",
                                                  "experts",
                                                  "topk",
                                                  "moe_ffn_hidden",
                                                  "moe_layer_freq",
                                                  "shared_expert_ffn",
                                                  "learned_positions",
                                                  "precision.weights",
                                                  "precision.grads",
                                                  "precision.compute",
                                                  "train_tokens"};
    return std::find(std::begin(kGiven), std::end(kGiven), name) != std::end(kGiven);
  }
  template <class T>
  void copy(std::string_view name, const PlanField<T>& field) {
    if (!is_given(name) || !field) return;
    if constexpr (std::is_same_v<T, bool>)
      line(name, *field ? "true" : "false");
    else if constexpr (std::is_same_v<T, std::string>)
      line(name, fmt::format("\"{}\"", *field));
    else if constexpr (std::is_arithmetic_v<T>)
      line(name, fmt::format("{}", *field));
    else if ((*field).integer() || (*field).list())
      line(name, to_string(*field));
  }
  void line(std::string_view name, std::string_view value) { text_ += fmt::format("{} = {}\n", name, value); }

  const Plan& of_;
  std::string text_;
};

std::vector<i64> doublings(i64 most, i64 of) {
  std::vector<i64> out;
  for (i64 n = 1; n <= most && n <= of; n *= 2)
    if (of % n == 0) out.push_back(n);
  return out;
}

std::vector<std::vector<Supposed>> candidates(const Plan& plan) {
  std::vector<std::vector<Supposed>> out;
  const i64 world = *plan.world_size, batch = *plan.global_batch, layers = *plan.layers, experts = count_or(plan.experts, 0);
  const i64 domain = count_or(plan.nvlink_domain, count_or(plan.gpus_per_node, 8));
  std::vector<i64> stages;
  for (i64 pp = 1; pp <= std::min<i64>(64, layers); ++pp)
    if (layers % pp == 0 && world % pp == 0) stages.push_back(pp);
  for (const i64 tp : doublings(domain, *plan.heads))
    for (const i64 pp : stages)
      for (const i64 cp : doublings(16, std::max<i64>(1, *plan.seq_length / kSequence)))
        for (const i64 micro : {1, 2, 4}) {
          const auto model = product({tp, pp, cp});
          if (!model || world % *model) continue;
          const i64 dp = world / *model;
          if (batch % (dp * micro)) continue;
          const i64 batches = batch / (dp * micro);
          if (pp > 1 && batches < pp) continue;
          for (const i64 ep : doublings(experts ? 128 : 1, experts ? experts : 1)) {
            if ((world / pp) % ep) continue;
            for (i64 vpp = 1; vpp <= (pp > 1 && batches % pp == 0 ? std::min<i64>(8, layers / pp) : 1); ++vpp) {
              if (layers % (pp * vpp)) continue;
              for (const char* recompute : {"selective", "full"})
                for (const char* sharded : {"distributed_optimizer", "fsdp"}) {
                  const bool fsdp = sharded == std::string_view("fsdp");
                  if (fsdp && (pp > 1 || dp * cp == 1)) continue;
                  out.push_back({{"tp", tp},
                                 {"pp", pp},
                                 {"cp", cp},
                                 {"ep", ep},
                                 {"vpp", vpp},
                                 {"micro_batch", micro},
                                 {"sp", tp > 1},
                                 {sharded, true},
                                 {"recompute.granularity", recompute}});
                }
            }
          }
        }
  return out;
}

}  // namespace

Layouts search_layouts(const Plan& of, unsigned jobs) {
  Layouts out;
  CheckOptions asked;
  asked.paths = {std::string(kFile)};
  asked.command_line.framework = "plan";
  asked.isolated = true, asked.fixes = false;
  Overlay files(nullptr);
  files.put(std::string(kFile), Base(of).text(out));
  const CheckResult result = check(files, asked);
  if (result.plans.empty() || !result.plans[0].plan) {
    out.error = "the model and the cluster make no plan";
    return out;
  }
  out.base = *result.plans[0].plan;
  std::string missing;
  const auto need = [&](const auto& field) {
    if (!field) missing += (missing.empty() ? "" : ", ") + std::string(fields()[slot(field.field)].name);
  };
  const Plan& base = out.base;
  need(base.world_size), need(base.gpu), need(base.layers), need(base.hidden), need(base.heads), need(base.vocab);
  if (!missing.empty()) {
    out.error = fmt::format("a layout needs {}", missing);
    return out;
  }
  const WhatIf run(result.plans[0].job, 0);
  std::vector<Variant> all = judge_all(run, candidates(base), jobs);
  out.tried = all.size();
  std::erase_if(all, [](const Variant& variant) { return variant.errors > 0; });
  out.lawful = all.size();
  std::erase_if(all, [](const Variant& variant) { return variant.costs.fit() == Costs::Fit::Over || !variant.costs.seconds; });
  sort_by_worth(all);
  std::map<std::tuple<i64, i64, i64, i64>, bool> seen;
  for (Variant& variant : all) {
    const Plan& plan = *variant.plan;
    if (!seen.try_emplace({*plan.tp, *plan.pp, *plan.cp, count_or(plan.ep, 1)}, true).second) continue;
    out.found.push_back(std::move(variant));
  }
  return out;
}

}  // namespace shardlint
