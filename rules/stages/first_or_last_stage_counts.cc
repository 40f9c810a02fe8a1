// A stated count of the first or the last stage leaves the rest of the layers to the stages between, in equal shares. The counts may not
// take more than there is, leave a remainder, or leave layers that no stage takes.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"stages/first-or-last-stage-counts", "stages", Severity::Error, "0.1",
                         "stated counts of the first and last stage that lose or invent layers"};

void check(const Plan& plan, Sink& sink) {
  const i64 first = count_or(plan.first_stage_layers, 0), last = count_or(plan.last_stage_layers, 0);
  if ((first == 0 && last == 0) || plan.pipeline_layout.value_or("") != "" || on(plan.splits_unevenly)) return;
  const auto values = counts(plan.layers, plan.pp);
  if (!values) return sink.missing(kInfo, plan.layers, plan.pp);
  const auto [layers, pp] = *values;
  const i64 units = layers + count_or(plan.stage_embedding_layers, 0) + count_or(plan.stage_output_layers, 0);
  const auto say = [&](std::string_view effect) {
    const auto alone = [](i64 count, std::string_view stage) {
      return plural(count, fmt::format("layer on the {} stage does", stage), fmt::format("layers on the {} stage do", stage));
    };
    auto report =
        sink.report(kInfo, "{} not go with {} on {}",
                    first > 0 && last > 0 ? fmt::format("{} on the first stage and {} on the last do", plural(first, "layer"), last)
                    : first > 0           ? alone(first, "first")
                                          : alone(last, "last"),
                    plural(layers, "layer"), plural(pp, "stage"));
    report.effect("{}", effect).blame(plan.first_stage_layers, plan.last_stage_layers, plan.layers, plan.pp);
    report.rather_change(plan.last_stage_layers, plan.first_stage_layers, plan.layers);
  };
  if (pp == 1) {
    if ((first > 0 && first != units) || (last > 0 && last != units)) say("the one stage is the whole model");
    return;
  }
  const i64 rest = units - first - last, between = pp - (first > 0) - (last > 0);
  if (rest < 0)
    say(fmt::format("that is {} more than there are", -rest));
  else if (between == 0 && rest > 0)
    say(fmt::format("{} on no stage", plural(rest, "layer would be", "layers would be")));
  else if (between > 0 && rest < between)
    say(fmt::format("{} left for the {} between", rest, plural(between, "stage")));
  else if (between > 0 && rest % between != 0)
    say(fmt::format("{} left, which {} cannot share evenly", rest, plural(between, "stage")));
}

}  // namespace

extern constinit const Rule first_or_last_stage_counts{&kInfo, check};

}  // namespace shardlint::rules
