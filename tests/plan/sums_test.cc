// All that the accounts say of small plans, whose sums can be redone on paper: sums.txt (tests/literate.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/plan/axes.h"
#include "checker/plan/costs.h"
#include "checker/plan/law.h"
#include "checker/plan/layout.h"
#include "checker/plan/pipeline.h"
#include "checker/plan/placement.h"
#include "checker/plan/time.h"
#include "checker/schema/schema.h"
#include "tests/literate.h"
#include "tests/where.h"

namespace shardlint {
namespace {

using Lines = std::string;

std::string_view name(Link link) { return link == Link::NVLink ? "NVLink" : link == Link::Network ? "network" : "no link"; }
std::string list(const Estimate& estimate) { return fmt::format("{} / {} / {}", estimate.low, estimate.expected, estimate.high); }
std::string list(const LayerWeights& of) {
  return fmt::format("attention {}, mlp {}, experts {}, replicated {}, biases {}", of.attention, of.mlp, of.experts, of.replicated,
                     of.biases);
}
Lines needs(const std::vector<Field>& missing) {
  std::string out = "nothing";
  for (const Field field : missing)
    out += fmt::format("{} {}", out == "nothing" ? ", without" : ",", fields()[static_cast<std::size_t>(field)].name);
  return out + "\n";
}

Lines model(const Plan& plan) {
  std::vector<Field> missing;
  const auto found = model_weights(plan, &missing);
  if (!found) return needs(missing);
  std::string sparse;
  for (const bool one : found->is_sparse) sparse += one ? 'x' : '-';
  return fmt::format("dense: {}\nsparse: {}\n", list(found->dense), list(found->sparse)) +
         fmt::format("{}: embedding {}, positions {}, output {}, logits {}, norm {}, total {}, active {}{}\n", sparse, found->embedding,
                     found->positions, found->output, found->logits, found->final_norm, found->total(), found->active(),
                     found->vocabulary ? "" : ", no vocabulary");
}

Lines dealt(const Plan& plan) {
  const auto model = model_weights(plan);
  const auto held = stages(plan, model ? model->layers() : static_cast<std::size_t>(plan.layers.value_or(0)));
  if (!held) return "nothing\n";
  std::string out;
  for (const Stage& stage : *held) {
    out += fmt::format("{}{}{}", stage.embedding ? "E " : "", stage.layers.empty() ? "-" : fmt::format("{}", fmt::join(stage.layers, " ")),
                       stage.output ? " L" : "");
    if (model) {
      const StageWeights own = stage_weights(plan, *model, stage);
      out += fmt::format(": dense {}, experts {}, flops {}", own.dense, own.experts, own.flops);
    }
    out += "\n";
  }
  return out;
}

Lines bytes(const Plan& plan) {
  std::vector<Field> missing;
  const auto found = memory(plan, &missing);
  if (!found) return needs(missing);
  std::string out;
  for (const StageMemory& stage : found->stages) {
    const StateBytes& state = stage.state;
    out += fmt::format("{}: weights {}, gradients {}, master {}, moments {}; least {}, host {}\n", stage.parameters, state.weights,
                       state.gradients, state.master, state.moments, stage.least_state, stage.host);
    out += fmt::format("    activations {}; working {}\n", list(stage.activations), list(stage.working));
  }
  return out + fmt::format("model {}, checkpoint {}, together {}, fullest {}; without {}\n", found->parameters, found->checkpoint,
                           found->together, found->fullest, fmt::join(found->unmodelled, ", "));
}

Lines wires(const Plan& plan) {
  std::vector<Field> missing;
  const auto found = traffic(plan, &missing);
  if (!found) return needs(missing);
  std::string out;
  for (const Traffic& wire : *found)
    out += fmt::format("{} of {}: {} bytes, {} a micro-batch, {} at {} GB/s, {:.4g} s{}\n", wire.axis, wire.group, wire.bytes, wire.each,
                       name(wire.link), wire.gb_s, wire.seconds(), wire.hidden ? ", hidden" : "");
  return out.empty() ? "nobody talks\n" : out;
}

Lines one_step(const Plan& plan) {
  std::vector<Field> missing;
  const auto found = step_time(plan, 0.4, &missing);
  if (!found) return needs(missing);
  return fmt::format("model {} FLOPs, hardware {}, {} tokens, peak {}, MFU {}, HFU {:.6g}\n", found->model_flops, found->hardware_flops,
                     found->tokens, found->peak, found->mfu, found->hfu) +
         fmt::format("{:.6g} / {:.6g} / {:.6g} s, {:.6g} tokens/s, {} days\n", found->seconds.low, found->seconds.expected,
                     found->seconds.high, found->tokens_per_second, found->days ? fmt::format("{:.6g}", *found->days) : "?");
}

Lines cost(const Plan& plan) {
  constexpr const char* kFits[] = {"unknown", "fits", "tight", "over"};
  const auto or_not = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : "?"; };
  const Costs found = costs(plan);
  return fmt::format("memory {} to {} of {}: {}; bubble {}; bytes {} and {}{}; {} s\n", or_not(found.memory), found.most_memory,
                     or_not(found.card), kFits[static_cast<int>(found.fit())], or_not(found.bubble), found.nvlink, found.network,
                     found.counted ? "" : " (not known)", or_not(found.seconds));
}

Lines axes(const Plan& plan) {
  std::string out;
  for (const AxisShare& share : axis_shares(plan))
    out += fmt::format("{} of {}: weights {:.4g}, gradients {:.4g}, optimizer {:.4g}, activations {:.4g}{}, bubble {:.3g}, sends {}\n",
                       share.axis, share.ranks, share.weights, share.gradients, share.optimizer, share.activations,
                       share.experts_only ? ", of experts" : "", share.bubble, share.sends ? share.sends->axis : "?");
  return out.empty() ? "one rank\n" : out;
}

Lines seats(const Plan& plan) {
  std::string out;
  for (const RankGroup& group : groups(plan))
    out += fmt::format("{}: {} ranks, {} apart, in {} domains, {} at {} GB/s\n", group.axis, group.ranks, group.stride,
                       group.domains ? fmt::format("{}", *group.domains) : "?", name(group.link), group.gb_s);
  const auto first = first_replica(plan);
  if (!first) return out + "no first replica\n";
  for (const auto& stage : *first) out += fmt::format("stage of {}\n", fmt::join(stage, " "));
  return out;
}

Lines partners(const Plan& plan, i64 rank) {
  const auto found = rank_place(plan, rank);
  if (!found) return "nowhere\n";
  std::string out = fmt::format("server {}, card {}\n", found->server, found->card);
  for (const Partners& one : found->partners)
    out +=
        fmt::format("{} {}: {}; {} in the server, {}\n", one.axis, one.position, fmt::join(one.ranks, " "), one.in_server, name(one.link));
  return out;
}

// "F2b": the forward pass of the second micro-batch through the second chunk; a dot for each time that a stage waits.
Lines slots(const Plan& plan) {
  const auto found = timeline(plan, 2);
  if (!found) return "nothing\n";
  std::string out;
  for (const auto& stage : *found) {
    double at = 0;
    for (const Work& work : stage) {
      for (; at + 0.5 < work.begin; ++at) out += ". ";
      out +=
          fmt::format("{}{}{} ", work.kind == Work::Kind::Forward ? 'F' : 'B', work.micro_batch + 1, static_cast<char>('a' + work.chunk));
      at = work.end;
    }
    out.back() = '\n';
  }
  return out + fmt::format("bubble {:.4g}\n", bubble_share(plan).value_or(-1));
}

Lines ends(const Plan& plan, double output) {
  const auto found = best_ends(plan.layers.value_or(0), plan.pp.value_or(0), plan.vpp.value_or(0), output);
  return found ? fmt::format("{} and {}, the slowest {}\n", found->first, found->last, found->slowest) : "nothing\n";
}

Lines moments(const Plan& plan) {
  const auto found = moment_bytes(plan.optimizer.value_or(""));
  return found ? fmt::format("{}\n", *found) : "nobody knows\n";
}

Lines layout(const Plan& plan) {
  const auto found = pipeline_layout(plan.pipeline_layout.value_or(""));
  return found ? fmt::format("{}\n", fmt::join(*found, " | ")) : "nothing\n";
}

Lines answer(const std::string& asked, const std::string& fields) {
  const auto all = schemas();
  Job job;
  for (const Schema* schema : all)
    if (schema->name == "plan") job.schema = schema, job.form = &schema->forms[0];
  const DocumentPtr document = read_document(std::make_shared<Source>("plan.toml", fields), Format::Toml);
  EXPECT_TRUE(document->problems.empty()) << fields;
  if (!document->roots.empty()) job.facts = facts_of(document, *document->roots[0], job.form->loader);
  Judgement judgement = judge(job);
  const Plan plan = make_plan(*judgement.evaluation);
  if (asked == "model") return model(plan);
  if (asked == "stages") return dealt(plan);
  if (asked == "memory") return bytes(plan);
  if (asked == "traffic") return wires(plan);
  if (asked == "time") return one_step(plan);
  if (asked == "costs") return cost(plan);
  if (asked == "axes") return axes(plan);
  if (asked == "seats") return seats(plan);
  if (asked == "timeline") return slots(plan);
  if (asked == "layout") return layout(plan);
  if (asked == "output") return fmt::format("{}\n", output_in_layers(plan).value_or(-1));
  if (asked == "moments") return moments(plan);
  if (asked.starts_with("ends ")) return ends(plan, std::stod(asked.substr(5)));
  if (asked.starts_with("rank ")) return partners(plan, std::stoll(asked.substr(5)));
  ADD_FAILURE() << asked;
  return "";
}

class Sums : public testing::TestWithParam<test::Section> {};
TEST_P(Sums, ComeOut) { test::expect_section(GetParam(), answer); }
INSTANTIATE_TEST_SUITE_P(Plans, Sums, testing::ValuesIn(test::sections_of(SHARDLINT_ROOT "/tests/plan/sums.txt")), test::name_of);

}  // namespace
}  // namespace shardlint
