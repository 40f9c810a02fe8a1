// The tree that layers are merged into: values that remember where they were written and what they replaced.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/document/fact.h"

namespace shardlint::layering {

struct Cell;
using CellPtr = std::unique_ptr<Cell>;

struct Cell {
  enum class Kind { Scalar, List, Map };
  Kind kind = Kind::Scalar;
  Value value;              // Scalar: as the loader reads it
  std::string text;         // Scalar: its text if it holds an interpolation, else empty
  std::string open;         // why nobody can know it, else empty
  Fact written;             // where and how; its path and value are filled in at the end
  std::vector<Step> chain;  // what it replaced, the last first

  std::string name;  // the key or "[0]"
  Cell* up = nullptr;
  std::vector<CellPtr> children;  // entries or items, in order

  bool scalar() const { return kind == Kind::Scalar; }
  bool map() const { return kind == Kind::Map; }
  bool interpolated() const { return scalar() && !text.empty(); }
  bool mandatory() const { return scalar() && value.text() && *value.text() == "???"; }
  Cell* find(std::string_view key) const;  // of a map, or a list's item by number
  Cell* add(std::string key, CellPtr cell);
  CellPtr take(std::string_view key);  // out of a map; null if it is not there
  std::string path() const;            // "a.b[0].c"; empty for the root

 private:
  std::unordered_map<std::string_view, std::size_t> index_;  // keys of a map; views into the children's names
};

// What a file's tree may cost, aliases and includes together.
struct Budget {
  std::size_t cells = 200'000;
  bool spent = false;
  Place cut = {};  // the key of a root below which it ran out; empty if it went on copies
};

struct Reading {
  Dialect dialect = Dialect::PyYaml;
  bool interpolation = true;  // text with ${ is no literal
  bool inherited = false;     // the document is included by the run's own
};

// A node of a document as cells. Null keys and budgets are the reader's affair; aliases are copied, at most `budget` in all.
CellPtr read_cells(const DocumentPtr& document, const Node& root, const Reading& reading, Budget& budget);
CellPtr make_map();
CellPtr copy(const Cell& cell, Budget& budget);

// "lr was 0.1 here, and is overridden": the station that a replaced value was.
Step overridden(const Cell& cell);

// Merges `over` over `into`, a map. Maps merge, all else replaces.
// `omegaconf`: ??? replaces nothing, an empty map keeps, and a map over an interpolation merges into what `resolve` makes of it.
struct Merge {
  bool omegaconf = true;
  std::function<CellPtr(const Cell&)> resolve;  // a copy of the container behind an interpolation; null if there is none
  void operator()(Cell& into, CellPtr over) const;
  void put(Cell& parent, const std::string& key, CellPtr over) const;
};

// Everything below is decided elsewhere.
void open_all(Cell& cell, const std::string& why);

}  // namespace shardlint::layering
