#include "checker/lsp/encoding.h"

#include <algorithm>

namespace shardlint::lsp {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

// Columns that the character starting with this byte takes; the bytes that continue it take none.
std::uint32_t columns(char c, Encoding encoding) {
  const auto byte = static_cast<unsigned char>(c);
  if (encoding == Encoding::Utf16) return byte >= 0xF0u ? 2 : 1;
  if (encoding == Encoding::Utf32 || byte < 0xC0u) return 1;
  return byte >= 0xF0u ? 4 : byte >= 0xE0u ? 3 : 2;
}

// Adds the starts of the lines that begin inside [begin, end); one may begin at `end`.
void scan(std::string_view text, std::size_t begin, std::size_t end, std::vector<std::uint32_t>& starts) {
  for (std::size_t i = begin; i < end; ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      starts.push_back(static_cast<std::uint32_t>(i + 1));
}

}  // namespace

std::string_view name(Encoding encoding) {
  return encoding == Encoding::Utf8 ? "utf-8" : encoding == Encoding::Utf16 ? "utf-16" : "utf-32";
}

Lines::Lines(std::string_view text) {
  starts_.push_back(0);
  scan(text, 0, text.size(), starts_);
}

Range Lines::line(std::string_view text, std::uint32_t line) const {
  if (line >= count()) return {static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(text.size())};
  const std::uint32_t begin = starts_[line];
  std::uint32_t end = line + 1 < count() ? starts_[line + 1] : static_cast<std::uint32_t>(text.size());
  while (end > begin && (text[end - 1] == '\n' || text[end - 1] == '\r')) --end;
  return {begin, end};
}

mlir::lsp::Position Lines::position(std::string_view text, std::uint32_t offset, Encoding encoding) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - starts_.begin()) - 1;
  const Range whole = this->line(text, line);
  offset = std::min(offset, whole.end);
  std::uint32_t column = 0;
  for (std::uint32_t at = whole.begin; at < offset; ++at)
    if (!continues(text[at])) {
      std::uint32_t next = at + 1;
      while (next < whole.end && continues(text[next])) ++next;
      if (next > offset) break;
      column += columns(text[at], encoding);
    }
  return {static_cast<int>(line), static_cast<int>(column)};
}

std::uint32_t Lines::offset(std::string_view text, mlir::lsp::Position position, Encoding encoding) const {
  if (position.line < 0) return 0;
  if (static_cast<std::uint32_t>(position.line) >= count()) return static_cast<std::uint32_t>(text.size());
  const Range whole = line(text, static_cast<std::uint32_t>(position.line));
  std::uint32_t at = whole.begin;
  const auto wanted = static_cast<std::uint32_t>(std::max(0, position.character));
  for (std::uint32_t column = 0; at < whole.end && column < wanted;) {
    column += columns(text[at], encoding);
    if (column > wanted) break;  // inside a character
    for (++at; at < whole.end && continues(text[at]);) ++at;
  }
  return at;
}

void Lines::replaced(std::string_view text, Range range, std::string_view by) {
  // A \r before the edit may have become, or ceased to be, half of a \r\n: the byte before is looked at again, and one behind.
  const std::uint32_t from = range.begin > 0 ? range.begin - 1 : 0;
  const auto new_end = static_cast<std::uint32_t>(range.begin + by.size());
  const auto first = std::upper_bound(starts_.begin(), starts_.end(), from);
  const auto last = std::upper_bound(first, starts_.end(), range.end + 1);
  const std::uint32_t rest = new_end - range.end;  // modulo 2^32, as the sums below
  std::vector<std::uint32_t> out(starts_.begin(), first);
  scan(text, from, std::min<std::size_t>(new_end + 1, text.size()), out);
  for (auto at = last; at != starts_.end(); ++at) out.push_back(*at + rest);
  starts_ = std::move(out);
}

}  // namespace shardlint::lsp
