// What a fuzz target promises: a broken promise aborts, so that the fuzzer keeps the input.
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

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// The part before the first NUL, and the rest behind it.
inline std::string_view cut(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  const std::string_view out = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return out;
}

}  // namespace shardlint::fuzzing
