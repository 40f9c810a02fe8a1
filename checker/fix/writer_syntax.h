// What the writers of the syntaxes share, and the functions that each of them provides. Only checker/fix/ includes this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/fix/writer.h"

namespace shardlint::writer {

using Edits = std::optional<std::vector<Edit>>;
using Offset = std::uint32_t;

// An entry of a mapping or an item of a sequence: what a fact is written in.
struct Slot {
  const Node* parent = nullptr;
  std::size_t index = 0;
  const Node* value = nullptr;
  Range key_range;  // empty for an item
  Range value_range;
  bool alias = false;

  bool is_item() const { return parent->kind == Node::Kind::Sequence; }
};

Slot slot(const Node& parent, std::size_t index);
std::size_t size(const Node& container);

// Where a new key goes.
struct Target {
  const Node* table = nullptr;       // the innermost table that exists; a null scalar where only its key does
  const Entry* entry = nullptr;      // that holds `table`; null for the root and for list items
  const Node* owner = nullptr;       // the mapping that holds `entry`
  std::vector<std::string> present;  // keys from the root to `table`
  std::vector<std::string> missing;  // keys from `table` to the new value, at least one
  bool in_list = false;              // a list stands between the root and `table`
};

// ---- text

Offset line_begin(std::string_view text, Offset at);  // behind a byte-order mark
Offset line_end(std::string_view text, Offset at);    // before the line ending
Offset next_line(std::string_view text, Offset at);   // behind it
bool blank(std::string_view text);
std::string_view line_ending(std::string_view text);  // the file's own
Range whole_lines(std::string_view text, Range range);
// The white space that aligns a new line with what stands at `at`: a "- " before it counts as blanks.
std::string margin(std::string_view text, Offset at);
// The blanks that the file puts before a nested level; two spaces if it never does.
std::string indent_step(const Document& document);
Edits edit(const Document& document, Range range, std::string text);
// Adds whole lines (without their last line ending) below the line that holds `at`.
Edits insert_below(const Document& document, Offset at, const std::string& lines);

// ---- the tree

// Where the slot's text ends: the last of its nested values for a block, the key's colon where nothing is written.
Offset end_of(const Document& document, const Slot& slot);
// Behind the ":" or "=" that follows a key; the key's end if there is none.
Offset colon_end(std::string_view text, Range key);
// Over white space and comments, back to what stands before them.
Offset back_over_space(const Document& document, Offset at);
// Where a container that stands between brackets opens: behind its anchor and tag, if it has them.
std::optional<Offset> bracket_of(const Document& document, const Node& container);

// ---- spelling

std::string spell_real(double value);              // always with a dot, the exponent with its sign: 2.0e-5. Finite numbers only.
std::string double_quoted(std::string_view text);  // valid in all three syntaxes
bool is_printable(std::string_view text);          // no control characters

// ---- between brackets: YAML flow style, TOML inline tables and arrays, JSON (writer_flow.cc)

// Containers without brackets (YAML's `[a: 1]`) are refused. `entry` is the new entry's text.
Edits insert_in_brackets(const Document& document, const Node& mapping, const std::string& entry);
Edits remove_in_brackets(const Document& document, const Slot& slot);

}  // namespace shardlint::writer

// `style`: of the scalar that is replaced. `flow`: between brackets.
namespace shardlint::writer::yaml {
std::optional<std::string> spell(const Value& value, Style style, bool flow, Dialect dialect);
std::string spell_key(std::string_view key, Style style, bool flow);
Edits insert(const Document& document, const Target& target, const Value& value, Dialect dialect);
Edits remove(const Document& document, const Slot& slot);
// What the program behind an argparse file is given: "8", "true", "[a b]".
std::optional<std::string> argparse_text(const Value& value);
}  // namespace shardlint::writer::yaml

namespace shardlint::writer::toml {
std::optional<std::string> spell(const Value& value, Style style);
std::string spell_key(std::string_view key, Style style);
Edits insert(const Document& document, const Target& target, const Value& value);
Edits remove(const Document& document, const Slot& slot);
}  // namespace shardlint::writer::toml

namespace shardlint::writer::json {
std::optional<std::string> spell(const Value& value);
Edits insert(const Document& document, const Target& target, const Value& value);
}  // namespace shardlint::writer::json
