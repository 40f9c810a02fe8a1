// Where the cursor stands in a document that is being typed: below which keys, and whether a key or a value belongs there.
//
// Found from the lines before the cursor alone. While one types, the document is mostly broken, so no parser could tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checker/document/document.h"

namespace shardlint::lsp {

struct Cursor {
  enum class Place { Key, Value, Header } place = Place::Key;
  std::string parent;        // the path of the mapping: "parallelism", "stages[0]"; empty at the root
  std::string key;           // Value: whose
  Range word;                // what a completion replaces
  bool quoted = false;       // the word begins with a quotation mark
  bool colon = false;        // Key: a colon or equals sign follows already
  std::uint32_t indent = 0;  // columns before the key
};

// Nothing where nothing can be completed, such as in a comment.
std::optional<Cursor> cursor_at(std::string_view text, std::uint32_t offset, Format format);

// A word of a command line: `--flag` or the value behind it.
std::optional<Cursor> cursor_in_command(std::string_view text, std::uint32_t offset);

}  // namespace shardlint::lsp
