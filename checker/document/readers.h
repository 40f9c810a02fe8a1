// What the three readers share. Private to document/.
//
// A reader sees the text from `base` (behind a byte-order mark) to the document's end or to the first byte that is not UTF-8, and fills
// the document: roots, comments, problems, duplicates. Ranges are offsets in the whole source.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "checker/document/document.h"

namespace shardlint {

inline constexpr int kMaxDepth = 200;

struct Input {
  std::string_view text;   // what to read
  std::uint32_t base = 0;  // where it begins in the source
};

void read_yaml(Document& document, Input input);
void read_toml(Document& document, Input input);
void read_json(Document& document, Input input, bool hjson);
void read_cpp(Document& document);

// The YAML and TOML libraries count code points. The table is built only for texts that are not ASCII.
class CodePoints {
 public:
  explicit CodePoints(std::string_view text) : size_(text.size()) {
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return;
    for (std::size_t i = 0; i < text.size(); ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u) bytes_.push_back(static_cast<std::uint32_t>(i));
  }
  std::uint32_t byte(std::size_t code_point) const {
    if (bytes_.empty() || code_point >= bytes_.size())
      return static_cast<std::uint32_t>(bytes_.empty() ? std::min(code_point, size_) : size_);
    return bytes_[code_point];
  }
  std::size_t code_point(std::uint32_t byte) const {
    if (bytes_.empty()) return byte;
    return static_cast<std::size_t>(std::lower_bound(bytes_.begin(), bytes_.end(), byte) - bytes_.begin());
  }

 private:
  std::size_t size_;
  std::vector<std::uint32_t> bytes_;
};

// The word, or the single punctuation mark, that stands at `offset`: what an error points at. At the end of a line or of the text it is
// the last character written before; empty only where nothing is.
Range token_at(std::string_view text, std::size_t offset);

// Marks every entry whose key comes again later, and records the pair. `same` may say that two equal spellings are different keys.
void mark_duplicates(Document& document, Node& mapping, bool (*same)(const Document&, const Entry&, const Entry&) = nullptr);

// A decimal number without sign that is known to be one; too large is infinite, too small zero.
double real_of(std::string_view text);

// A range behind `base`.
inline Range shifted(Range range, std::uint32_t base) { return {range.begin + base, range.end + base}; }

}  // namespace shardlint
