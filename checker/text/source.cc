#include "checker/text/source.h"

#include <algorithm>
#include <utility>

namespace shardlint {

Source::Source(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

std::string_view Source::text(Range range) const {
  const auto size = static_cast<std::uint32_t>(text_.size());
  const std::uint32_t begin = std::min(range.begin, size);
  return std::string_view(text_).substr(begin, std::max(begin, std::min(range.end, size)) - begin);
}

Position Source::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - starts_.begin());
  return {line, offset - starts_[line - 1] + 1, offset};
}

Range Source::line_range(std::uint32_t line) const {
  if (line == 0 || line > line_count()) return {};
  const std::uint32_t begin = starts_[line - 1];
  std::uint32_t end = line < line_count() ? starts_[line] - 1 : static_cast<std::uint32_t>(text_.size());
  if (end > begin && text_[end - 1] == '\r') --end;
  return {begin, end};
}

std::string_view Source::line(std::uint32_t line) const { return text(line_range(line)); }

std::optional<std::string> apply(const Source& source, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });
  std::string out;
  std::uint32_t done = 0;
  for (const Edit& edit : edits) {
    if (edit.range.begin < done || edit.range.end < edit.range.begin || edit.range.end > source.text().size()) return std::nullopt;
    out += source.text({done, edit.range.begin});
    out += edit.text;
    done = edit.range.end;
  }
  out += source.text().substr(done);
  return out;
}

}  // namespace shardlint
