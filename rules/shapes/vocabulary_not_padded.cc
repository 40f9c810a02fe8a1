// The output layer is the largest matrix product of a small model. Tensor cores want its width, on every tensor-parallel rank, in multiples
// of 8 at least; 50,257 entries padded to 50,304 run measurably faster.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"shapes/vocabulary-not-padded", "shapes", Severity::Info, "0.1",
                         "a vocabulary that leaves ragged matrix products"};

void check(const Plan& plan, Sink& sink) {
  const auto values = counts(plan.padded_vocab, plan.tp);
  if (!values) return sink.missing(kInfo, plan.padded_vocab, plan.tp);
  const auto [vocab, tp] = *values;
  const auto step = product({8, tp});
  if (!step || vocab % *step == 0) return;
  auto report = tp > 1 ? sink.report(kInfo, "{} no multiple of 8 on each of {}",
                                     plural(vocab, "vocabulary entry is", "vocabulary entries are"), plural(tp, "tensor-parallel rank"))
                       : sink.report(kInfo, "{} no multiple of 8", plural(vocab, "vocabulary entry is", "vocabulary entries are"));
  report.effect("the output layer misses the fast path of the tensor cores; {} would not", vocab - vocab % *step + *step)
      .blame(plan.padded_vocab, plan.tp)
      .rather_change(plan.padded_vocab)
      .try_first({vocab - vocab % *step + *step});
}

}  // namespace

extern constinit const Rule vocabulary_not_padded{&kInfo, check};

}  // namespace shardlint::rules
