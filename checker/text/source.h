// A source is one file's bytes under the name the user knows it by, with the table that turns byte offsets into lines.
//
// Offsets are bytes of the UTF-8 text and the only coordinates used inside shardlint. Lines and columns (both from 1, columns in
// bytes) exist for people and for JSON; UTF-16 exists only in lsp/. A byte-order mark belongs to the bytes: it is part of no token.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlint {

// Half-open byte range [begin, end).
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool empty() const { return begin == end; }
  bool contains(Range inner) const { return begin <= inner.begin && inner.end <= end; }
  friend bool operator==(Range, Range) = default;
};

struct Position {
  std::uint32_t line = 1;    // from 1
  std::uint32_t column = 1;  // from 1, in bytes
  std::uint32_t offset = 0;  // bytes from the start of the file
  friend bool operator==(Position, Position) = default;
};

class Source {
 public:
  // `path` is shown to people as it is given.
  Source(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  std::string_view text(Range range) const;

  // Offsets behind the end are taken as the end.
  Position position(std::uint32_t offset) const;
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(starts_.size()); }
  // The line's text without its line ending; `line` counts from 1.
  std::string_view line(std::uint32_t line) const;
  Range line_range(std::uint32_t line) const;  // without the line ending

 private:
  std::string path_;
  std::string text_;
  std::vector<std::uint32_t> starts_;  // offset of each line's first byte; lines end at \n (a \r before it belongs to the ending)
};

using SourcePtr = std::shared_ptr<const Source>;

// Where something is written. An empty place (no source) means that nobody wrote it.
struct Place {
  SourcePtr source;
  Range range;
  explicit operator bool() const { return source != nullptr; }
};

// Replace the bytes of `range` by `text`; an empty range inserts.
struct Edit {
  SourcePtr source;
  Range range;
  std::string text;
};

// The text with all edits made, which must all be of this source. Empty if two of them overlap or one lies outside the text.
std::optional<std::string> apply(const Source& source, std::vector<Edit> edits);

}  // namespace shardlint
