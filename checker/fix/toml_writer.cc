// TOML: a new key goes below the last line of its own table, a new table goes to the end of the file.
//
// "Its own" lines of a table are those that no header of a sub-table has taken: `[a]` owns `x = 1` and the dotted `b.y = 2`, and `[a.b]`
// owns what follows it. A table that only dotted keys made can be extended by dotted keys alone.

#include <algorithm>
#include <cmath>

#include "checker/fix/writer_syntax.h"

namespace shardlint::writer::toml {
namespace {

bool bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string dotted(const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys) out += (out.empty() ? "" : ".") + spell_key(key, Style::Plain);
  return out;
}

// `[a.b]` makes `a` as well, in the same place; the header is the inner table's.
bool has_header(const Document& document, const Node& table) {
  if (table.flow || !document.raw(table.range).starts_with('[')) return false;
  return std::none_of(table.entries.begin(), table.entries.end(), [&](const Entry& entry) {
    return entry.value->kind != Node::Kind::Scalar && entry.value->range.begin == table.range.begin;
  });
}

bool is_array_of_tables(const Node& node) { return node.kind == Node::Kind::Sequence && !node.flow; }

// The last of the table's own lines.
struct OwnLine {
  Offset key = 0;  // where the key of the table's own level begins, dots before it included in the line
  Offset end = 0;  // of the value
};

std::optional<OwnLine> last_own_line(const Document& document, const Node& table) {
  std::optional<OwnLine> last;
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const Slot entry = slot(table, i);
    std::optional<OwnLine> line;
    if (is_array_of_tables(*entry.value)) continue;
    if (entry.value->kind == Node::Kind::Mapping && !entry.value->flow) {
      if (has_header(document, *entry.value)) continue;
      line = last_own_line(document, *entry.value);
      if (line) line->key = entry.key_range.begin;
    } else {
      line = OwnLine{entry.key_range.begin, end_of(document, entry)};
    }
    // The keys of a table may have come with several dotted lines; the last one in the file counts.
    if (line && (!last || line->end > last->end)) last = line;
  }
  return last;
}

// The first header of the file with the comment that stands right above it.
Offset before_first_header(const Document& document) {
  const std::string_view text = document.source->text();
  Offset first = static_cast<Offset>(text.size());
  const auto visit = [&](const Node& node, const auto& self) -> void {
    if (node.kind == Node::Kind::Mapping && has_header(document, node)) first = std::min(first, node.range.begin);
    for (std::size_t i = 0; i < size(node); ++i) self(*slot(node, i).value, self);
  };
  for (const Node* root : document.roots) visit(*root, visit);
  first = line_begin(text, first);
  while (first > 0) {
    const Offset above = line_begin(text, first - 1);
    const std::string_view line = text.substr(above, first - above);
    if (above == first) break;                              // behind a byte-order mark
    if (line[line.find_first_not_of(" \t")] != '#') break;  // its end, if nothing else stands in it
    first = above;
  }
  return first;
}

Edits insert_table(const Document& document, const Target& target, const std::string& value) {
  const std::string_view text = document.source->text();
  const std::string eol(line_ending(text));
  std::vector<std::string> header = target.present;
  header.insert(header.end(), target.missing.begin(), target.missing.end() - 1);
  const std::string lines = "[" + dotted(header) + "]" + eol + spell_key(target.missing.back(), Style::Plain) + " = " + value;
  const auto end = static_cast<Offset>(text.size());
  if (text.ends_with(eol + eol)) return edit(document, {end, end}, lines + eol);
  return insert_below(document, end, eol + lines);
}

// Everything from the table's header to its last line, sub-tables included if they follow at once.
Offset end_of_table(const Node& node) {
  Offset end = node.range.end;
  for (std::size_t i = 0; i < size(node); ++i) end = std::max(end, end_of_table(*slot(node, i).value));
  return end;
}

Edits remove_table(const Document& document, const Node& table) {
  const std::string_view text = document.source->text();
  if (!has_header(document, table)) return std::nullopt;
  Range lines = whole_lines(text, {table.range.begin, end_of_table(table)});
  while (lines.end < text.size() && blank(text.substr(lines.end, next_line(text, lines.end) - lines.end)))
    lines.end = next_line(text, lines.end);
  return edit(document, lines, "");
}

}  // namespace

std::optional<std::string> spell(const Value& value, Style style) {
  switch (value.kind()) {
    case Value::Kind::Null: return std::nullopt;
    case Value::Kind::Bool:
    case Value::Kind::Int: return to_string(value);
    case Value::Kind::Real:
      if (std::isnan(*value.real())) return "nan";
      if (std::isinf(*value.real())) return std::signbit(*value.real()) ? "-inf" : "inf";
      return spell_real(*value.real());
    case Value::Kind::Str:
      if (style == Style::SingleQuoted && is_printable(*value.text()) && value.text()->find('\'') == std::string::npos)
        return "'" + *value.text() + "'";
      return double_quoted(*value.text());
    case Value::Kind::Map: return value.map()->size == 0 ? std::optional<std::string>("{}") : std::nullopt;
    case Value::Kind::List: break;
  }
  std::string out;
  for (const Value& item : *value.list()) {
    const std::optional<std::string> text = spell(item, Style::Plain);
    if (!text) return std::nullopt;
    out += (out.empty() ? "" : ", ") + *text;
  }
  return "[" + out + "]";
}

std::string spell_key(std::string_view key, Style style) {
  if (style == Style::Plain && bare(key)) return std::string(key);
  return *spell(Value(key), style == Style::SingleQuoted ? style : Style::DoubleQuoted);
}

Edits insert(const Document& document, const Target& target, const Value& value) {
  const std::string_view text = document.source->text();
  const Node& table = *target.table;
  const std::optional<std::string> spelled = spell(value, Style::Plain);
  if (!spelled || table.kind != Node::Kind::Mapping) return std::nullopt;
  const std::string entry = dotted(target.missing) + " = " + *spelled;
  if (table.flow) return insert_in_brackets(document, table, entry);

  const bool header = has_header(document, table), root = target.present.empty();
  const std::optional<OwnLine> last = last_own_line(document, table);
  const bool made_by_dots = !root && !header && last;
  const bool wants_header = target.missing.size() > 1 || (!root && !header);
  if (wants_header && !made_by_dots && !target.in_list) return insert_table(document, target, *spelled);
  if (last) {
    const Offset begin = line_begin(text, last->key);
    return insert_below(document, last->end, std::string(text.substr(begin, last->key - begin)) + entry);
  }
  if (header) return insert_below(document, table.range.end, margin(text, table.range.begin) + entry);
  if (!root) return std::nullopt;
  const Offset at = before_first_header(document);
  if (at == text.size()) return insert_below(document, at, entry);
  const std::string eol(line_ending(text));
  return edit(document, {at, at}, entry + eol + eol);
}

Edits remove(const Document& document, const Slot& self) {
  if (self.parent->flow) return remove_in_brackets(document, self);
  if (self.value->kind == Node::Kind::Mapping && !self.value->flow) return remove_table(document, *self.value);
  if (is_array_of_tables(*self.value) || self.is_item()) return std::nullopt;
  return edit(document, whole_lines(document.source->text(), {self.key_range.begin, end_of(document, self)}), "");
}

}  // namespace shardlint::writer::toml
