// What is said of layers before any plan is judged: includes, interpolation, overrides. These findings come from compose/; a test holds
// this list against the sources.
#pragma once

#include "checker/diag/finding.h"

namespace shardlint::composition {

// One finding, one line, however long.
// clang-format off
inline constexpr RuleInfo kMissingInclude{"composition/missing-include", "composition", Severity::Error, "0.1", "a file that another includes and that is not there"};
inline constexpr RuleInfo kIncludeCycle{"composition/include-cycle", "composition", Severity::Error, "0.1", "files that include each other in a circle"};
inline constexpr RuleInfo kBadInterpolation{"composition/bad-interpolation", "composition", Severity::Error, "0.1", "an interpolation that cannot be resolved"};
inline constexpr RuleInfo kMissingKey{"composition/override-of-missing-key", "composition", Severity::Error, "0.1", "an override that does not go with the keys that are there"};
inline constexpr RuleInfo kMandatory{"composition/mandatory-value-missing", "composition", Severity::Error, "0.1", "a value left as ??? that nobody gives"};
inline constexpr RuleInfo kFilesDisagree{"composition/files-disagree", "composition", Severity::Error, "0.1", "a value that two files of one job give differently"};
inline constexpr RuleInfo kKeyNotAttached{"composition/attached-file-lacks-key", "composition", Severity::Error, "0.1", "a file named by another that lacks what is needed there"};
// clang-format on

inline constexpr const RuleInfo* kAll[] = {&kMissingInclude, &kIncludeCycle,  &kBadInterpolation, &kMissingKey,
                                           &kMandatory,      &kFilesDisagree, &kKeyNotAttached};

}  // namespace shardlint::composition
