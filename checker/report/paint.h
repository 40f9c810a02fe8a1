// What the text reports share: colours, and text that may safely reach a terminal. Private to report/ and cli/.
#pragma once

#include <string>
#include <string_view>

#include <llvm/Support/Unicode.h>

namespace shardlint {

// A colour or nothing, by the terminal.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  bool on() const { return on_; }
  std::string bold(std::string_view text) const { return in("1", text); }
  std::string faint(std::string_view text) const { return in("2", text); }
  std::string red(std::string_view text) const { return in("31", text); }
  std::string green(std::string_view text) const { return in("32", text); }
  std::string blue(std::string_view text) const { return in("34", text); }
  std::string in(std::string_view code, std::string_view text) const {
    return on_ && !text.empty() ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m" : std::string(text);
  }

 private:
  bool on_;
};

// Columns that a terminal gives to it; its bytes where that cannot be said.
inline std::size_t columns(std::string_view text) {
  const int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width < 0 ? text.size() : static_cast<std::size_t>(width);
}

inline std::string spaces(std::size_t count) { return std::string(count, ' '); }
inline std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + spaces(columns(text) < width ? width - columns(text) : 0);
}

}  // namespace shardlint
