// Where editors count otherwise than shardlint: lines end at \n, \r\n or a lone \r, and columns are UTF-16 units, UTF-8 bytes or code
// points, as the two sides agree. Inside the server everything is a byte offset; this is the one place that converts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <mlir/Tools/lsp-server-support/Protocol.h>

#include "checker/text/source.h"

namespace shardlint::lsp {

enum class Encoding { Utf8, Utf16, Utf32 };
std::string_view name(Encoding encoding);  // "utf-16", as the protocol writes it

// The lines of one text, which must be handed in unchanged.
class Lines {
 public:
  explicit Lines(std::string_view text);

  // Offsets behind the end are taken as the end, columns behind a line's end as its end; what points into the middle of a character
  // points to its beginning.
  mlir::lsp::Position position(std::string_view text, std::uint32_t offset, Encoding encoding) const;
  std::uint32_t offset(std::string_view text, mlir::lsp::Position position, Encoding encoding) const;
  mlir::lsp::Range range(std::string_view text, Range range, Encoding encoding) const {
    return {position(text, range.begin, encoding), position(text, range.end, encoding)};
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(starts_.size()); }
  Range line(std::string_view text, std::uint32_t line) const;  // counted from 0, without its ending

  // The table of the text in which the bytes of `range` were replaced by `by`; `text` is the new one.
  void replaced(std::string_view text, Range range, std::string_view by);

 private:
  std::vector<std::uint32_t> starts_;
};

}  // namespace shardlint::lsp
