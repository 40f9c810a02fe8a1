// Whether this program is built with AddressSanitizer, which each compiler says in its own way.
#pragma once

#if defined(__SANITIZE_ADDRESS__)  // GCC
#define SHARDLINT_SANITIZED true
#elif defined(__has_feature)  // Clang
#define SHARDLINT_SANITIZED __has_feature(address_sanitizer)
#else
#define SHARDLINT_SANITIZED false
#endif

namespace shardlint::test {

inline constexpr bool kSanitized = SHARDLINT_SANITIZED;

}  // namespace shardlint::test
