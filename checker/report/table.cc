#include "checker/report/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace shardlint {

std::string Table::take_constant(const std::vector<std::string_view>& titles) {
  std::string out;
  for (const std::string_view title : titles) {
    const auto column = std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.title == title; });
    if (column == columns_.end() || rows_.empty()) continue;
    const std::ptrdiff_t at = column - columns_.begin();
    const auto cell = [&](Row& row) -> std::string& { return row.cells[static_cast<std::size_t>(at)]; };
    if (std::any_of(rows_.begin(), rows_.end(), [&](Row& row) { return cell(row) != cell(rows_[0]); })) continue;
    if (!cell(rows_[0]).empty()) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", title, cell(rows_[0]));
    columns_.erase(column);
    for (Row& row : rows_) row.cells.erase(row.cells.begin() + at);
  }
  return out;
}

std::string Table::text(const Paint& paint) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns(columns_[i].title);
    for (const Row& row : rows_) width = std::max(width, columns(row.cells[i]));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string out;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string gap = spaces(widths[i] - columns(cell));
      out += "  " + (columns_[i].side == Side::Right ? gap + cell : cell + gap);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::string out = paint.faint(line([&](std::size_t i) -> const std::string& { return columns_[i].title; })) + "\n";
  for (const Row& row : rows_) {
    const std::string said = line([&](std::size_t i) -> const std::string& { return row.cells[i]; });
    out += (row.faint ? paint.faint(said) : said) + "\n";
  }
  return out;
}

}  // namespace shardlint
