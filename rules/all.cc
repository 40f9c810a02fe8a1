// Every rule that runs, in the order of reports. A rule that is not listed here does not run.
#include "checker/plan/rule.h"

namespace shardlint {

namespace rules {
extern const Rule model_parallel_does_not_divide_world;
}  // namespace rules

std::span<const Rule* const> all_rules() {
  static constexpr const Rule* kAll[] = {
      &rules::model_parallel_does_not_divide_world,
  };
  return kAll;
}

}  // namespace shardlint
