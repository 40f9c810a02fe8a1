// Lines, margins and spellings that the writers of all syntaxes share.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "checker/fix/writer_syntax.h"

namespace shardlint::writer {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// By the source's table of lines: a file without line endings would be walked once for every key.
std::string_view before_on_line(const Document& document, Offset at) {
  const std::string_view text = document.source->text();
  Offset begin = at + 1 - document.source->position(at).column;
  if (begin == 0 && text.starts_with(kByteOrderMark)) begin = std::min(at, static_cast<Offset>(kByteOrderMark.size()));
  return text.substr(begin, at - begin);
}

std::optional<std::string> step_below(const Document& document, const Node& node, Offset key_of_node) {
  for (std::size_t i = 0; i < size(node); ++i) {
    const Slot child = slot(node, i);
    const Offset at = child.is_item() ? child.value_range.begin : child.key_range.begin;
    if (!child.is_item() && i == 0) {
      const std::string_view outer = before_on_line(document, key_of_node), inner = before_on_line(document, at);
      if (blank(outer) && blank(inner) && inner.size() > outer.size() && inner.starts_with(outer))
        return std::string(inner.substr(outer.size()));
    }
    if (!child.alias)
      if (auto step = step_below(document, *child.value, at)) return step;
  }
  return std::nullopt;
}

}  // namespace

Slot slot(const Node& parent, std::size_t index) {
  if (parent.kind == Node::Kind::Mapping) {
    const Entry& entry = parent.entries[index];
    return {&parent, index, entry.value, entry.key_range, entry.value_range, entry.alias};
  }
  const Item& item = parent.items[index];
  return {&parent, index, item.value, {}, item.value_range, item.alias};
}

std::size_t size(const Node& container) {
  return container.kind == Node::Kind::Mapping ? container.entries.size() : container.items.size();
}

Offset line_begin(std::string_view text, Offset at) {
  while (at > 0 && text[at - 1] != '\n') --at;
  return at == 0 && text.starts_with(kByteOrderMark) ? static_cast<Offset>(kByteOrderMark.size()) : at;
}

Offset line_end(std::string_view text, Offset at) {
  const auto end = static_cast<Offset>(std::min(text.find('\n', at), text.size()));
  return end > at && text[end - 1] == '\r' ? end - 1 : end;
}

Offset next_line(std::string_view text, Offset at) {
  const std::size_t end = text.find('\n', at);
  return static_cast<Offset>(end == text.npos ? text.size() : end + 1);
}

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

std::string_view line_ending(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != text.npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

Range whole_lines(std::string_view text, Range range) {
  Range lines{line_begin(text, range.begin), next_line(text, range.end)};
  const std::string_view before = text.substr(0, lines.begin);
  // A file that did not end its last line does not begin to.
  if (lines.end == text.size() && !text.ends_with('\n')) lines.begin -= before.ends_with("\r\n") ? 2 : before.ends_with('\n') ? 1 : 0;
  return lines;
}

std::string margin(std::string_view text, Offset at) {
  const Offset begin = line_begin(text, at);
  std::string margin(text.substr(begin, at - begin));
  const std::size_t keep = std::min(margin.find_first_not_of(" \t"), margin.size());
  std::fill(margin.begin() + static_cast<std::ptrdiff_t>(keep), margin.end(), ' ');
  return margin;
}

std::string indent_step(const Document& document) {
  for (const Node* root : document.roots)
    if (auto step = step_below(document, *root, root->range.begin)) return *step;
  return "  ";
}

Edits edit(const Document& document, Range range, std::string text) { return std::vector<Edit>{{document.source, range, std::move(text)}}; }

Edits insert_below(const Document& document, Offset at, const std::string& lines) {
  const std::string_view text = document.source->text();
  const std::string eol(line_ending(text));
  const Offset below = next_line(text, at);
  if (below == text.size() && !text.empty() && !text.ends_with('\n')) return edit(document, {below, below}, eol + lines);
  return edit(document, {below, below}, lines + eol);
}

Offset colon_end(std::string_view text, Range key) {
  Offset at = key.end;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at < text.size() && text[at] == ':' ? at + 1 : key.end;
}

Offset end_of(const Document& document, const Slot& self) {
  const std::string_view text = document.source->text();
  if (!self.alias && !self.value->flow && self.value->kind != Node::Kind::Scalar && size(*self.value) > 0)
    return end_of(document, slot(*self.value, size(*self.value) - 1));
  if (self.value_range.empty()) return self.is_item() ? self.value_range.end : colon_end(text, self.key_range);
  Offset end = self.value_range.end;
  while (blank(text.substr(end - 1, 1))) --end;
  return end;
}

Offset back_over_space(const Document& document, Offset at) {
  const std::string_view text = document.source->text();
  while (true) {
    while (at > 0 && blank(text.substr(at - 1, 1))) --at;
    const auto behind = std::lower_bound(document.comments.begin(), document.comments.end(), at,
                                         [](const Comment& comment, Offset offset) { return comment.range.begin < offset; });
    if (behind == document.comments.begin() || std::prev(behind)->range.end < at) return at;
    at = std::prev(behind)->range.begin;
  }
}

std::optional<Offset> bracket_of(const Document& document, const Node& container) {
  const std::string_view text = document.source->text();
  Offset at = container.range.begin;
  while (text[at] == '&' || text[at] == '!') {
    while (!blank(text.substr(at, 1))) ++at;
    while (at < container.range.end && blank(text.substr(at, 1))) ++at;
  }
  return text[at] == '{' || text[at] == '[' ? std::optional(at) : std::nullopt;
}

std::string spell_real(double value) {
  std::string digits = fmt::format("{}", value);  // the shortest that reads back: 2e-05, 0.1, 3, 1e+20
  std::string exponent;
  if (const std::size_t at = digits.find('e'); at != digits.npos) {
    const std::size_t first = digits.find_first_not_of('0', at + 2);
    exponent = std::string("e") + digits[at + 1] + digits.substr(first);
    digits.resize(at);
  }
  return digits + (digits.find('.') == digits.npos ? ".0" : "") + exponent;
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (is_printable({&c, 1}))
          out += c;
        else
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    }
  }
  return out + "\"";
}

bool is_printable(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace shardlint::writer
