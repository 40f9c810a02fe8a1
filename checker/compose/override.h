// Command-line words in Hydra's grammar: key=value, +key=value, ++key=value, ~key, ~key=value, group@package=option.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checker/compose/cell.h"
#include "checker/compose/interpolate.h"

namespace shardlint::layering {

struct Word {
  enum class Kind { Change, Add, Force, Remove };
  Kind kind = Kind::Change;
  std::string key;      // without the package
  std::string package;  // behind @
  bool has_package = false, has_value = false;
  std::string_view value;  // the text behind =
};

// What is wrong with a word, or with what it says about the tree.
struct Refusal {
  std::string message;
  bool at_value = false;
};

std::optional<Word> read_word(std::string_view text, std::string& error);

// The value of an override as a cell: literals, quotes, [lists], {maps}, interpolations. Placed where `at` is. Null with `error`.
CellPtr read_value(std::string_view text, const Fact& at, std::string& error);

// Applies a word to a closed tree. `exists`: whether a key that the tree does not hold is there all the same.
std::optional<Refusal> apply(Cell& root, const Word& word, const Fact& at, const Merge& merge,
                             const std::function<bool(const std::string&)>& exists);

}  // namespace shardlint::layering
