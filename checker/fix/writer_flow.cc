// Entries between brackets, which the three syntaxes share but for their spelling: `{a: 1, b: 2}`, `{ a = 1 }`, `{"a": 1}`, `[1, 2]`.
//
// Brackets with an entry a line are edited by the line, so that comments stay with their neighbours; others from comma to comma.

#include <algorithm>

#include "checker/fix/writer_syntax.h"

namespace shardlint::writer {
namespace {

Offset begin_of(const Slot& slot) { return slot.is_item() ? slot.value_range.begin : slot.key_range.begin; }

Range extent(const Document& document, const Slot& slot) { return {begin_of(slot), end_of(document, slot)}; }

const Comment* comment_at(const Document& document, Offset at) {
  const auto comment = std::lower_bound(document.comments.begin(), document.comments.end(), at,
                                        [](const Comment& c, Offset offset) { return c.range.begin < offset; });
  return comment != document.comments.end() && comment->range.begin == at ? &*comment : nullptr;
}

// The comma behind `at`, with nothing but white space and comments between.
std::optional<Offset> comma_after(const Document& document, Offset at) {
  const std::string_view text = document.source->text();
  while (at < text.size()) {
    if (const Comment* comment = comment_at(document, at))
      at = comment->range.end;
    else if (blank(text.substr(at, 1)))
      ++at;
    else
      return text[at] == ',' ? std::optional(at) : std::nullopt;
  }
  return std::nullopt;
}

bool begins_line(std::string_view text, Offset at) {
  const Offset begin = line_begin(text, at);
  return blank(text.substr(begin, at - begin));
}

// Nothing but white space and a comment follows on the line.
bool ends_line(const Document& document, Offset at) {
  const std::string_view text = document.source->text();
  const Offset end = line_end(text, at);
  while (at < end && blank(text.substr(at, 1))) ++at;
  return at == end || comment_at(document, at);
}

// `{"a":1,"b":2}` goes on as it began.
std::string_view comma(const Document& document, const Node& mapping) {
  const std::string_view text = document.source->text();
  const std::size_t count = mapping.entries.size();
  if (count > 1) {
    const Offset end = end_of(document, slot(mapping, count - 2));
    return text.substr(end, 2).ends_with(' ') ? ", " : ",";
  }
  const Slot only = slot(mapping, 0);
  const Offset colon = colon_end(text, only.key_range);
  return colon == only.value_range.begin && text[colon - 1] == ':' ? "," : ", ";
}

}  // namespace

Edits insert_in_brackets(const Document& document, const Node& mapping, const std::string& entry) {
  const std::string_view text = document.source->text();
  const std::string eol(line_ending(text));
  const std::optional<Offset> bracket = bracket_of(document, mapping);
  if (!bracket) return std::nullopt;
  const Offset open = *bracket + 1, close = mapping.range.end - 1;

  if (mapping.entries.empty()) {
    const std::string_view inside = text.substr(open, close - open);
    if (inside.find('\n') != inside.npos) {
      const std::string_view line = text.substr(line_begin(text, open));
      const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
      return edit(document, {open, open}, eol + std::string(indent) + indent_step(document) + entry);
    }
    const std::string pad = inside.empty() && document.format != Format::Toml ? "" : " ";
    return edit(document, {open, close}, pad + entry + pad);
  }

  const Slot last_slot = slot(mapping, mapping.entries.size() - 1);
  const Range last = extent(document, last_slot);
  if (!begins_line(text, last.begin)) return edit(document, {last.end, last.end}, std::string(comma(document, mapping)) + entry);

  const std::string line = eol + margin(text, last.begin) + entry;
  if (const std::optional<Offset> trailing = comma_after(document, last.end); trailing && *trailing < line_end(text, last.end)) {
    const Offset end = line_end(text, *trailing);
    return close < end ? std::nullopt : edit(document, {end, end}, line + ",");
  }
  const bool commas = mapping.entries.size() == 1 || comma_after(document, end_of(document, slot(mapping, mapping.entries.size() - 2)));
  const std::string joint = commas ? "," : "";
  const Offset end = std::min(line_end(text, last.end), close);
  if (last.end == end) return edit(document, {end, end}, joint + line);
  return std::vector<Edit>{{document.source, {last.end, last.end}, joint}, {document.source, {end, end}, line}};
}

Edits remove_in_brackets(const Document& document, const Slot& self) {
  const std::string_view text = document.source->text();
  const Node& parent = *self.parent;
  const std::size_t count = size(parent);
  const std::optional<Offset> bracket = bracket_of(document, parent);
  if (!bracket) return std::nullopt;
  if (count == 1) return edit(document, {*bracket + 1, parent.range.end - 1}, "");

  const bool is_last = self.index + 1 == count;
  const Range own = extent(document, self);
  const std::optional<Offset> comma = comma_after(document, own.end);
  const Offset end = comma ? *comma + 1 : own.end;
  if (begins_line(text, own.begin) && ends_line(document, end)) {
    std::vector<Edit> edits;
    if (is_last && !comma) {
      const Offset before = end_of(document, slot(parent, self.index - 1));
      if (const auto dangling = comma_after(document, before)) edits.push_back({document.source, {*dangling, *dangling + 1}, ""});
    }
    edits.push_back({document.source, whole_lines(text, {own.begin, end}), ""});
    return edits;
  }
  if (is_last) return edit(document, {end_of(document, slot(parent, self.index - 1)), own.end}, "");
  return edit(document, {own.begin, begin_of(slot(parent, self.index + 1))}, "");
}

}  // namespace shardlint::writer
