// FP8 products need compute capability 8.9 (Ada, Hopper), microscaled FP8 and FP4 need 10.0 (Blackwell); without, the libraries stop at the
// first layer. bfloat16 before 8.0 is emulated and slow.
#include "checker/plan/rule.h"

namespace shardlint::rules {
namespace {

constexpr RuleInfo kInfo{"precision/type-unsupported-by-gpu", "precision", Severity::Error, "0.1",
                         "a compute type that the GPU's tensor cores do not have"};

struct Need {
  std::string_view type, name;
  double capability;
  Severity severity;
};
constexpr Need kNeeds[] = {
    {"fp8", "FP8", 8.9, Severity::Error},      {"mxfp8", "MXFP8", 10.0, Severity::Error},    {"fp4", "FP4", 10.0, Severity::Error},
    {"nvfp4", "NVFP4", 10.0, Severity::Error}, {"bf16", "bfloat16", 8.0, Severity::Warning},
};

void check(const Plan& plan, Sink& sink) {
  for (const Need& need : kNeeds) {
    if (plan.precision_compute.value_or("") != need.type) continue;
    if (!plan.cuda_capability) return sink.missing(kInfo, plan.cuda_capability);
    if (*plan.cuda_capability >= need.capability) return;
    const std::string gpu = plan.gpu ? *plan.gpu : "this GPU";
    auto report = sink.report(kInfo, "{} compute on {}, which has none", need.name, gpu);
    report.effect("{} needs compute capability {:.1f}, {} has {:.1f}", need.name, need.capability, gpu, *plan.cuda_capability);
    report.as(need.severity).blame(plan.precision_compute, plan.gpu, plan.cuda_capability).rather_change(plan.precision_compute);
  }
}

}  // namespace

extern constinit const Rule type_unsupported_by_gpu{&kInfo, check};

}  // namespace shardlint::rules
