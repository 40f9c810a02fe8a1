// A table for a terminal: numbers to the right, words to the left, as wide as what stands in it. Private to report/ and cli/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/report/paint.h"

namespace shardlint {

class Table {
 public:
  enum class Side { Left, Right };
  void column(std::string_view title, Side side) { columns_.push_back({std::string(title), side}); }
  // One cell a column; a row that is `faint` is of less interest.
  void row(std::vector<std::string> cells, bool faint = false) { rows_.push_back({std::move(cells), faint}); }
  // Takes out the columns in which every row says the same, and returns what they say: "CP 1, VPP 1".
  std::string take_constant(const std::vector<std::string_view>& titles);
  std::string text(const Paint& paint) const;

 private:
  struct Column {
    std::string title;
    Side side;
  };
  struct Row {
    std::vector<std::string> cells;
    bool faint = false;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace shardlint
