// YAML: plain where the loader reads it back as meant, quoted where it would read something else.
//
// Block style is edited by the line and flow style between its brackets (writer_flow.cc). What a plain scalar means depends on the
// dialect, so the spelling of text is found by asking the dialect, not by knowing its rules.

#include <cmath>

#include "checker/fix/writer_syntax.h"

namespace shardlint::writer::yaml {
namespace {

// Plain as far as the syntax goes; what a loader makes of it is another matter.
bool can_be_plain(std::string_view text, bool flow) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':' || !is_printable(text)) return false;
  if (text.starts_with("---") && (text.size() == 3 || text[3] == ' ')) return false;
  if (text == "..." || text.find(": ") != text.npos || text.find(" #") != text.npos) return false;
  if (text.find_first_of(",[]{}#&*!|>'\"%@`") == 0) return false;
  if (text.find_first_of("-?:") == 0 && (text.size() == 1 || text[1] == ' ')) return false;
  return !flow || text.find_first_of(",[]{}") == text.npos;
}

Value read_plain(std::string_view text, Dialect dialect) {
  Node node;
  node.text = text;
  return read(node, dialect);
}

bool reads_as_text(std::string_view text, Dialect dialect) {
  const Value value = read_plain(text, dialect);
  return value.text() && *value.text() == text;
}

std::string quoted(std::string_view text, Style style) {
  if (style != Style::SingleQuoted || !is_printable(text)) return double_quoted(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

// Argparse sees text whatever the quotes say, but a YAML loader stands before it: `010` must not become eight on the way.
std::optional<std::string> spell_argument(const Value& value, Style style, bool flow) {
  const std::optional<std::string> text = argparse_text(value);
  if (!text) return std::nullopt;
  if (value.list()) return double_quoted(*text);
  if (style == Style::SingleQuoted || style == Style::DoubleQuoted) return quoted(*text, style);
  if (!value.text()) return *text;
  const Value loaded = read_plain(*text, Dialect::PyYaml);
  const std::optional<std::string> passed = loaded.boolean() ? std::nullopt : argparse_text(loaded);
  return passed == text && can_be_plain(*text, flow) ? *text : double_quoted(*text);
}

// `k0:` over `k1:` over ... `kn: value`, each a step deeper.
std::string block(const std::vector<std::string>& keys, const std::string& value, std::string margin, const Document& document) {
  std::string lines;
  for (std::size_t i = 0;; ++i) {
    lines += margin + spell_key(keys[i], Style::Plain, false) + ":";
    if (i + 1 == keys.size()) return lines + " " + value;
    lines += line_ending(document.source->text());
    margin += indent_step(document);
  }
}

std::string flow_entry(const std::vector<std::string>& keys, const std::string& value) {
  std::string open, close;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    open += (i ? "{" : "") + spell_key(keys[i], Style::Plain, true) + ": ";
    close += i ? "}" : "";
  }
  return open + value + close;
}

// The dash of a block item: before its value, or before the anchor or tag of its value.
std::optional<Offset> dash_of(const Document& document, Range value) {
  const std::string_view text = document.source->text();
  Offset at = value.begin;
  while (true) {
    at = back_over_space(document, at);
    if (at > 0 && text[at - 1] == '-') return at - 1;
    const Offset token_end = at;
    while (at > 0 && !blank(text.substr(at - 1, 1))) --at;
    if (at == token_end || (text[at] != '&' && text[at] != '!')) return std::nullopt;
  }
}

std::optional<Offset> begin_of(const Document& document, const Slot& slot) {
  return slot.is_item() ? dash_of(document, slot.value_range) : slot.key_range.begin;
}

// The last entry goes and the block with it, which would read as null: brackets take its place, behind the key if there is one.
Edits empty_block(const Document& document, const Slot& self, Range entry) {
  const std::string_view text = document.source->text();
  const std::string brackets = self.is_item() ? "[]" : "{}";
  const Offset key_end = back_over_space(document, entry.begin), line = line_begin(text, entry.begin);
  if (key_end > 0 && text[key_end - 1] == ':' && blank(text.substr(line, entry.begin - line)))
    return std::vector<Edit>{{document.source, {key_end, key_end}, " " + brackets}, {document.source, whole_lines(text, entry), ""}};
  return edit(document, {entry.begin, line_end(text, entry.end)}, brackets);
}

}  // namespace

std::optional<std::string> argparse_text(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Bool: return *value.boolean() ? "true" : "false";
    case Value::Kind::Int: return to_string(value);
    case Value::Kind::Real: return std::isfinite(*value.real()) ? spell_real(*value.real()) : to_string(value);
    case Value::Kind::Str: return *value.text();
    case Value::Kind::Null:
    case Value::Kind::Map: return std::nullopt;
    case Value::Kind::List: break;
  }
  std::string words;
  for (const Value& item : *value.list()) {
    const std::optional<std::string> word = item.list() ? std::nullopt : argparse_text(item);
    if (!word || word->empty() || !is_printable(*word) || word->find_first_of(" []\"'\\") != word->npos) return std::nullopt;
    words += (words.empty() ? "" : " ") + *word;
  }
  return "[" + words + "]";
}

std::optional<std::string> spell(const Value& value, Style style, bool flow, Dialect dialect) {
  if (dialect == Dialect::Argparse) return spell_argument(value, style, flow);
  switch (value.kind()) {
    case Value::Kind::Null:
    case Value::Kind::Bool:
    case Value::Kind::Int: return to_string(value);
    case Value::Kind::Real:
      if (std::isnan(*value.real())) return ".nan";
      if (std::isinf(*value.real())) return std::signbit(*value.real()) ? "-.inf" : ".inf";
      return spell_real(*value.real());
    case Value::Kind::Str:
      if (style == Style::SingleQuoted || style == Style::DoubleQuoted) return quoted(*value.text(), style);
      return can_be_plain(*value.text(), flow) && reads_as_text(*value.text(), dialect) ? *value.text() : double_quoted(*value.text());
    case Value::Kind::Map: return value.map()->size == 0 ? std::optional<std::string>("{}") : std::nullopt;
    case Value::Kind::List: break;
  }
  std::string out;
  for (const Value& item : *value.list()) {
    const std::optional<std::string> text = spell(item, Style::Plain, true, dialect);
    if (!text) return std::nullopt;
    out += (out.empty() ? "" : ", ") + *text;
  }
  return "[" + out + "]";
}

std::string spell_key(std::string_view key, Style style, bool flow) {
  if (style != Style::Plain) return quoted(key, style);
  return can_be_plain(key, flow) && reads_as_text(key, Dialect::PyYaml) ? std::string(key) : double_quoted(key);
}

Edits insert(const Document& document, const Target& target, const Value& value, Dialect dialect) {
  const std::string_view text = document.source->text();
  const Node& table = *target.table;
  const std::optional<std::string> block_value = spell(value, Style::Plain, false, dialect);
  const std::optional<std::string> flow_value = spell(value, Style::Plain, true, dialect);
  if (!block_value) return std::nullopt;  // nor can it be spelled between brackets

  if (table.kind == Node::Kind::Mapping) {
    if (table.flow) return insert_in_brackets(document, table, flow_entry(target.missing, *flow_value));
    if (table.entries.empty()) return std::nullopt;
    const Slot last = slot(table, table.entries.size() - 1);
    return insert_below(document, end_of(document, last),
                        block(target.missing, *block_value, margin(text, last.key_range.begin), document));
  }
  if (!target.entry) return std::nullopt;
  const Entry& entry = *target.entry;
  const std::string braces = "{" + flow_entry(target.missing, *flow_value) + "}";
  if (!entry.value_range.empty()) return edit(document, entry.value_range, braces);  // `key: null`
  const Offset colon = colon_end(text, entry.key_range);
  if (target.owner->flow) return edit(document, {colon, colon}, " " + braces);
  return insert_below(document, colon,
                      block(target.missing, *block_value, margin(text, entry.key_range.begin) + indent_step(document), document));
}

Edits remove(const Document& document, const Slot& self) {
  if (self.parent->flow) return remove_in_brackets(document, self);
  const std::string_view text = document.source->text();
  const std::optional<Offset> begin = begin_of(document, self);
  if (!begin) return std::nullopt;

  const Offset end = end_of(document, self);
  if (size(*self.parent) == 1) return empty_block(document, self, {*begin, end});
  const Offset line = line_begin(text, *begin);
  if (blank(text.substr(line, *begin - line))) return edit(document, whole_lines(text, {*begin, end}), "");
  // The first entry of a list item shares its line with the dash: the next one moves up to it.
  if (self.index + 1 == size(*self.parent)) return std::nullopt;
  const std::optional<Offset> next = begin_of(document, slot(*self.parent, self.index + 1));
  return next ? edit(document, {*begin, *next}, "") : std::nullopt;
}

}  // namespace shardlint::writer::yaml
