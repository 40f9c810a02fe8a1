// A fuzz target, and what it promises of any bytes: a broken promise aborts, so that the input is kept.
//
//   FUZZ_TARGET(yaml) { ... what is done with `input` ... }
//
// libFuzzer links one target a program (`./dev fuzz`); the tests' own driver holds all of them (driver.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace shardlint::fuzzing {

inline void require(bool kept) {
  if (!kept) std::abort();
}

// The part before the first NUL, and the rest behind it.
inline std::string_view cut(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  const std::string_view out = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return out;
}

#ifdef SHARDLINT_FUZZ_DRIVER
using Target = void (*)(std::string_view input);
bool add_target(const char* name, Target target);
#endif

}  // namespace shardlint::fuzzing

#ifdef SHARDLINT_FUZZ_DRIVER
#define FUZZ_TARGET(name)                                                                                 \
  static void name##_target(std::string_view input);                                                      \
  [[maybe_unused]] static const bool name##_added = shardlint::fuzzing::add_target(#name, name##_target); \
  static void name##_target(std::string_view input)
#else
#define FUZZ_TARGET(name)                                                             \
  static void name##_target(std::string_view input);                                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    name##_target({reinterpret_cast<const char*>(data), size});                       \
    return 0;                                                                         \
  }                                                                                   \
  static void name##_target(std::string_view input)
#endif
