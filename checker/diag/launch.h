// What is said of launch scripts before any plan is judged: directives and options that do not do what they seem to. These findings come
// from launch/; a test holds this list against the sources.
#pragma once

#include "checker/diag/finding.h"

namespace shardlint::launching {

// One finding, one line, however long.
// clang-format off
inline constexpr RuleInfo kDirective{"launch/directive-not-read", "launch", Severity::Error, "0.2", "an sbatch directive that sbatch does not read or refuses"};
inline constexpr RuleInfo kTwice{"launch/option-given-twice", "launch", Severity::Warning, "0.2", "an option that one command gives twice with different values"};
inline constexpr RuleInfo kExclude{"launch/options-exclude-each-other", "launch", Severity::Error, "0.2", "launcher options that may not be given together"};
// clang-format on

inline constexpr const RuleInfo* kAll[] = {&kDirective, &kTwice, &kExclude};

}  // namespace shardlint::launching
