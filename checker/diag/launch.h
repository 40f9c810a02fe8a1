// What is said of launch scripts before any plan is judged: directives and options that do not do what they seem to. These findings come
// from launch/; a test holds this list against the sources.
#pragma once

#include "checker/diag/finding.h"

namespace shardlint::launching {

// One finding, one line, however long.
// clang-format off
inline constexpr RuleInfo kDirective{"launch/directive-not-read", "launch", Severity::Error, "0.1", "an sbatch directive that sbatch does not read or refuses"};
inline constexpr RuleInfo kTwice{"launch/option-given-twice", "launch", Severity::Warning, "0.1", "an option that one command gives twice with different values"};
inline constexpr RuleInfo kExclude{"launch/options-exclude-each-other", "launch", Severity::Error, "0.1", "launcher options that may not be given together"};
inline constexpr RuleInfo kGpuRequests{"launch/gpu-requests-disagree", "launch", Severity::Error, "0.1", "two options of a job that ask for different numbers of GPUs"};
inline constexpr RuleInfo kTaskCounts{"launch/task-counts-disagree", "launch", Severity::Warning, "0.1", "a number of tasks that does not fit the servers it is spread over"};
inline constexpr RuleInfo kNodeRank{"launch/node-rank-not-told", "launch", Severity::Error, "0.1", "several servers that are not told, or all told the same, which of them they are"};
inline constexpr RuleInfo kLocalMaster{"launch/rendezvous-on-localhost", "launch", Severity::Error, "0.1", "ranks of several servers that are to meet at localhost"};
inline constexpr RuleInfo kUneven{"launch/processes-not-divisible-by-machines", "launch", Severity::Error, "0.1", "a total of processes that the machines cannot share evenly"};
inline constexpr RuleInfo kEmpty{"launch/option-without-value", "launch", Severity::Error, "0.1", "an option whose value comes out empty"};
inline constexpr RuleInfo kYaml{"launch/word-in-yaml-style", "launch", Severity::Error, "0.1", "a setting on a command line that is written as in YAML"};
inline constexpr RuleInfo kName{"launch/name-states-other-counts", "launch", Severity::Info, "0.1", "a name of a job that states other counts than the job has"};
// clang-format on

inline constexpr const RuleInfo* kAll[] = {&kDirective,   &kTwice,  &kExclude, &kGpuRequests, &kTaskCounts, &kNodeRank,
                                           &kLocalMaster, &kUneven, &kEmpty,   &kYaml,        &kName};

}  // namespace shardlint::launching
