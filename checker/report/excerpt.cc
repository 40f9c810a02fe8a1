#include "checker/report/excerpt.h"

#include <algorithm>
#include <utility>

#include "checker/report/paint.h"

namespace shardlint {

namespace {

constexpr std::size_t kTab = 4;
constexpr std::string_view kCut = "...";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

std::size_t character_start(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && continues(text[at])) --at;
  return at;
}

// The bytes of one character; one byte where it is no UTF-8.
std::string_view character(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && end - at < 4 && continues(text[end])) ++end;
  const std::string_view whole = text.substr(at, end - at);
  return llvm::sys::unicode::columnWidthUTF8(whole) >= 0 ? whole : text.substr(at, 1);
}

// Appends `text` as it can be shown, tabs expanded from column `start` of `out`.
void append(std::string& out, std::size_t& column, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view c = character(text, at);
    at += c.size();
    if (c == "\t") {
      const std::size_t step = kTab - column % kTab;
      out += spaces(step);
      column += step;
      continue;
    }
    const int width = llvm::sys::unicode::columnWidthUTF8(c);
    if (width >= 0)
      out += c;
    else
      out += '?';
    column += width >= 0 ? static_cast<std::size_t>(width) : 1;
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('\n', begin);
    std::string_view line = text.substr(begin, end == std::string_view::npos ? end : end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.emplace_back(line);
    if (end == std::string_view::npos) return out;
    begin = end + 1;
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("\n\r\t", begin), text.size());
    append(out, column, text.substr(begin, end - begin));
    if (end < text.size()) out += ' ';
    begin = end + 1;
  }
  return out;
}

Excerpt excerpt(const Source& source, Range range, std::size_t width) {
  Excerpt out;
  const Position position = source.position(range.begin);
  const std::string_view line = source.line(position.line);
  const std::size_t begin = std::min<std::size_t>(position.column - 1, line.size());
  const std::size_t end = std::min<std::size_t>(begin + (range.end - range.begin), line.size());
  out.line = position.line;

  // A third of the width stands before the range, so that what follows it is seen too.
  std::size_t from = 0, to = line.size();
  if (line.size() > width) {
    const std::size_t room = width > 2 * kCut.size() ? width - 2 * kCut.size() : 1;
    if (begin > room / 3 && end > room) from = character_start(line, begin - room / 3);
    to = character_start(line, std::min(line.size(), from + room));
  }
  const std::size_t shown_end = std::max(begin, std::min(end, to));
  std::size_t column = 0;
  if (from > 0) {
    out.text = kCut;
    column = kCut.size();
  }
  append(out.text, column, line.substr(from, begin - from));
  out.indent = column;
  append(out.text, column, line.substr(begin, shown_end - begin));
  out.carets = std::max<std::size_t>(1, column - out.indent);
  append(out.text, column, line.substr(shown_end, to > shown_end ? to - shown_end : 0));
  if (to < line.size()) out.text += kCut;
  return out;
}

std::vector<LineDiff> line_diffs(const Fix& fix) {
  std::vector<LineDiff> out;
  std::vector<Edit> edits = fix.edits;
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return a.source != b.source ? std::less<>()(a.source, b.source) : a.range.begin < b.range.begin;
  });
  for (std::size_t i = 0; i < edits.size();) {
    const SourcePtr source = edits[i].source;
    const auto line_end = [&](std::uint32_t offset) { return source->line_range(source->position(offset).line).end; };
    const std::uint32_t begin = source->line_range(source->position(edits[i].range.begin).line).begin;
    std::uint32_t end = begin, done = begin;
    std::string after;
    // Edits that touch the same lines are one change.
    for (; i < edits.size() && edits[i].source == source && (end == begin || edits[i].range.begin <= end) && edits[i].range.begin >= done;
         ++i) {
      after += source->text({done, edits[i].range.begin});
      after += edits[i].text;
      done = edits[i].range.end;
      end = std::max(end, line_end(done));
    }
    after += source->text({done, std::max(done, end)});
    LineDiff diff{source, lines_of(source->text({begin, end})), lines_of(after)};
    while (!diff.before.empty() && !diff.after.empty() && diff.before.back() == diff.after.back())
      diff.before.pop_back(), diff.after.pop_back();
    const auto [same, unused] = std::mismatch(diff.before.begin(), diff.before.end(), diff.after.begin(), diff.after.end());
    const auto kept = same - diff.before.begin();
    diff.before.erase(diff.before.begin(), same);
    diff.after.erase(diff.after.begin(), diff.after.begin() + kept);
    out.push_back(std::move(diff));
  }
  return out;
}

}  // namespace shardlint
