// What is said of files, keys and values before any plan is judged. These findings come from reading and binding, not from rules/; a test
// holds this list against the sources.
#pragma once

#include "checker/diag/finding.h"

namespace shardlint::hygiene {

// One finding, one line, however long.
// clang-format off
inline constexpr RuleInfo kSyntaxError{"hygiene/syntax-error", "hygiene", Severity::Error, "0.1", "a file that no loader can read"};
inline constexpr RuleInfo kDuplicateKey{"hygiene/duplicate-key", "hygiene", Severity::Warning, "0.1", "a key that stands twice in one mapping"};
inline constexpr RuleInfo kUnknownKey{"hygiene/unknown-key", "hygiene", Severity::Error, "0.1", "a key that the framework does not know"};
inline constexpr RuleInfo kWrongParent{"hygiene/key-under-wrong-parent", "hygiene", Severity::Error, "0.1", "a known key that stands in the wrong section"};
inline constexpr RuleInfo kWrongType{"hygiene/wrong-type", "hygiene", Severity::Error, "0.1", "a value of a type that the framework does not take"};
inline constexpr RuleInfo kNumberAsText{"hygiene/number-read-as-text", "hygiene", Severity::Error, "0.1", "a number in a spelling that the loader reads as text"};
inline constexpr RuleInfo kSurprising{"hygiene/surprising-scalar", "hygiene", Severity::Warning, "0.1", "a scalar that the loader reads otherwise than it looks"};
inline constexpr RuleInfo kNotAChoice{"hygiene/not-a-choice", "hygiene", Severity::Error, "0.1", "a value outside the values that the framework takes"};
inline constexpr RuleInfo kMissingKey{"hygiene/missing-key", "hygiene", Severity::Error, "0.1", "a required key that is not written"};
inline constexpr RuleInfo kFitsNoForm{"hygiene/fits-no-form", "hygiene", Severity::Error, "0.1", "a section that fits none of the forms that the framework knows"};
inline constexpr RuleInfo kDeprecated{"hygiene/deprecated-key", "hygiene", Severity::Warning, "0.1", "a deprecated, renamed or removed key"};
inline constexpr RuleInfo kTooMany{"hygiene/more-values-than-are-read", "hygiene", Severity::Warning, "0.1", "a file with more values than are read of it"};
inline constexpr RuleInfo kBadBinding{"hygiene/bad-binding", "hygiene", Severity::Error, "0.1", "a C++ binding that names what is not there"};
inline constexpr RuleInfo kCxxNotRead{"hygiene/cxx-not-read", "hygiene", Severity::Warning, "0.1", "a C++ file with a bound type that could not be read"};
inline constexpr RuleInfo kDoesNotFit{"hygiene/value-does-not-fit", "hygiene", Severity::Warning, "0.1", "a number that the type of a bound C++ member cannot hold"};
inline constexpr RuleInfo kIgnoreWithoutReason{"hygiene/ignore-without-reason", "hygiene", Severity::Warning, "0.1", "a shardlint: ignore comment without names or without a reason"};
inline constexpr RuleInfo kUnusedIgnore{"hygiene/unused-ignore", "hygiene", Severity::Warning, "0.1", "a shardlint: ignore comment that silences nothing"};
// clang-format on

inline constexpr const RuleInfo* kAll[] = {&kSyntaxError,         &kDuplicateKey, &kUnknownKey, &kWrongParent, &kWrongType,
                                           &kNumberAsText,        &kSurprising,   &kNotAChoice, &kMissingKey,  &kFitsNoForm,
                                           &kDeprecated,          &kTooMany,      &kBadBinding, &kCxxNotRead,  &kDoesNotFit,
                                           &kIgnoreWithoutReason, &kUnusedIgnore};

}  // namespace shardlint::hygiene
