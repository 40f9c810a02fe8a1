// Finds what is to change, has the syntax's writer propose the edits, and lets them out only if the text they make, read again, differs
// in this one thing.
//
// The comparison is over outlines: every node of a document in a row, with its depth, key and spelling, aliases unexpanded. A change must
// replace one run of lines in the outline and leave the lines before and behind it as they were.

#include <algorithm>

#include "checker/fix/writer_syntax.h"

namespace shardlint {
namespace {

using namespace writer;

struct Line {
  std::size_t depth = 0;  // of a root: 0
  std::string key;        // "-" for an item
  std::string spelling;   // kind, quotes, tag and text; for an alias its token and what it stands for
  Slot slot;              // no parent for a root
  const Node* node = nullptr;

  bool operator==(const Line& other) const { return depth == other.depth && key == other.key && spelling == other.spelling; }
};
using Outline = std::vector<Line>;

std::string spelling_of(const Node& node) {
  if (node.kind == Node::Kind::Mapping) return "{" + node.tag;
  if (node.kind == Node::Kind::Sequence) return "[" + node.tag;
  constexpr std::string_view kMarks[] = {"=", "'", "\"", "|", ">"};
  return std::string(kMarks[static_cast<std::size_t>(node.style)]) + node.tag + "\n" + node.text;
}

void add_lines(const Document& document, const Node& node, std::size_t depth, Outline& outline) {
  for (std::size_t i = 0; i < size(node); ++i) {
    const Slot child = slot(node, i);
    std::string key = child.is_item() ? "-" : node.entries[i].key;
    std::string spelling = spelling_of(*child.value);
    if (child.alias) spelling = std::string(document.raw(child.value_range)) + " " + spelling;
    outline.push_back({depth, std::move(key), std::move(spelling), child, child.value});
    if (!child.alias) add_lines(document, *child.value, depth + 1, outline);
  }
}

Outline outline_of(const Document& document) {
  Outline outline;
  for (const Node* root : document.roots) {
    outline.push_back({0, "", spelling_of(*root), {}, root});
    add_lines(document, *root, 1, outline);
  }
  return outline;
}

// The lines of what is nested below line `at`, itself included.
std::size_t run_length(const Outline& outline, std::size_t at) {
  std::size_t end = at + 1;
  while (end < outline.size() && outline[end].depth > outline[at].depth) ++end;
  return end - at;
}

// How many lines stand in `after` where `count` lines stood in `before` at `at`; empty if anything else differs.
std::optional<std::size_t> replaced(const Outline& before, const Outline& after, std::size_t at, std::size_t count) {
  if (at + count > before.size()) return std::nullopt;
  const std::size_t tail = before.size() - at - count;
  if (after.size() < at + tail) return std::nullopt;
  const auto offset = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  if (!std::equal(before.begin(), before.begin() + offset(at), after.begin())) return std::nullopt;
  if (!std::equal(before.end() - offset(tail), before.end(), after.end() - offset(tail))) return std::nullopt;
  return after.size() - at - tail;
}

// The line of the value that `keys`, one below the other, add to the table at line `table`; empty if `after` differs in anything else.
std::optional<std::size_t> added_value(const Outline& before, const Outline& after, std::size_t table,
                                       const std::vector<std::string>& keys) {
  const auto differ = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  std::size_t at = static_cast<std::size_t>(differ.first - before.begin());
  const bool was_null = before[table].node->kind == Node::Kind::Scalar;
  std::optional<std::size_t> added = replaced(before, after, at, was_null ? 1 : 0);
  if (was_null) {  // the empty value became a table, and the new lines stand below it
    if (!added || *added < 2 || at != table || after[at].key != before[at].key || after[at].depth != before[at].depth) return std::nullopt;
    ++at, --*added;
  }
  if (!added || *added < keys.size()) return std::nullopt;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (after[at + i].depth != before[table].depth + 1 + i || after[at + i].key != keys[i]) return std::nullopt;
  std::size_t holder = at;  // the same keys in a namesake of the table would not do
  while (after[holder].depth > before[table].depth) --holder;
  const std::size_t last = at + keys.size() - 1;
  return holder == table && last + run_length(after, last) == at + *added ? std::optional(last) : std::nullopt;
}

// The same to the bit of a type: 1, 1.0 and true are three values to a file.
bool same(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (!a.list()) return a == b || (a.real() && *a.real() != *a.real() && *b.real() != *b.real());
  return std::equal(a.list()->begin(), a.list()->end(), b.list()->begin(), b.list()->end(), same);
}

bool reads_as(const Node& node, const Value& value, Dialect dialect) {
  if (dialect != Dialect::Argparse) return same(read(node, dialect), value);
  return node.kind == Node::Kind::Scalar && node.text == yaml::argparse_text(value);
}

Dialect dialect_for(const Document& document, Dialect dialect) {
  if (document.format == Format::Toml) return Dialect::Toml;
  if (document.format == Format::Json && dialect != Dialect::Hjson) return Dialect::Json;
  return dialect;
}

std::vector<std::string> comments_of(const Document& document, Range but_in = {}) {
  std::vector<std::string> out;
  for (const Comment& comment : document.comments)
    if (comment.range.begin < but_in.begin || comment.range.begin >= but_in.end) out.emplace_back(document.raw(comment.range));
  return out;
}

bool contains_in_order(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  auto at = some.begin();
  for (const std::string& comment : all)
    if (at != some.end() && *at == comment) ++at;
  return at == some.end();
}

// The document that the edits make, if it is as readable as this one and has its comments; those in `may_go` can be gone.
DocumentPtr remade(const Document& document, const std::vector<Edit>& edits, Range may_go = {}) {
  const std::optional<std::string> text = apply(*document.source, edits);
  if (!text) return nullptr;
  const auto source = std::make_shared<const Source>(document.source->path(), *text);
  DocumentPtr after = read_document(source, document.format);
  if (document.format == Format::Json && !after->problems.empty() && !read_document(document.source, document.format)->problems.empty())
    after = read_document(source, document.format, true);  // it was Hjson from the start
  if (after->problems.size() > document.problems.size() || after->duplicates.size() > document.duplicates.size()) return nullptr;
  if (after->roots.size() != document.roots.size()) return nullptr;
  const std::vector<std::string> left = comments_of(*after);
  if (!contains_in_order(left, comments_of(document, may_go)) || !contains_in_order(comments_of(document), left)) return nullptr;
  return after;
}

// Read whole, but for keys that are written twice, which TOML refuses. The tree behind any other problem is a guess.
bool was_read(const Document& document) {
  return std::all_of(document.problems.begin(), document.problems.end(), [&](const Problem& problem) {
    return std::any_of(document.duplicates.begin(), document.duplicates.end(),
                       [&](const Duplicate& duplicate) { return duplicate.second == problem.range; });
  });
}

// A fact's line in its document's outline.
struct Found {
  const Document* document = nullptr;
  Outline outline;
  std::size_t at = 0;

  const Line& line() const { return outline[at]; }
};

// Something reaches the value or a table around it by an alias, so that more would change than is meant. Merging (`<<`) is no alias here:
// merged entries are edited where they are written.
bool shared(const Outline& outline, std::size_t at) {
  std::vector<const Node*> chain;
  std::size_t depth = outline[at].depth + 1;
  for (std::size_t i = at + 1; depth > 0;) {
    --i;
    if (outline[i].depth >= depth) continue;
    depth = outline[i].depth;
    if (!outline[i].slot.alias) chain.push_back(outline[i].node);
  }
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Line& line = outline[i];
    if (!line.slot.parent || !line.slot.alias || std::find(chain.begin(), chain.end(), line.node) == chain.end()) continue;
    std::size_t holder = i;
    while (outline[holder].key == "-" && outline[holder].depth >= line.depth) --holder;
    if (outline[holder].key != "<<") return true;
  }
  return false;
}

std::optional<Found> find(const Fact& fact) {
  if (!fact.document || !fact.place || !fact.key_place || !was_read(*fact.document)) return std::nullopt;
  Found found{fact.document.get(), outline_of(*fact.document)};
  // By place: a merged entry is written in another mapping than the fact's parent.
  const auto line = std::find_if(found.outline.begin(), found.outline.end(), [&](const Line& l) {
    if (!l.slot.parent || l.node != fact.node) return false;
    return l.slot.is_item() ? l.slot.value_range == fact.place.range : l.slot.key_range == fact.key_place.range;
  });
  if (line == found.outline.end()) return std::nullopt;
  found.at = static_cast<std::size_t>(line - found.outline.begin());
  if (shared(found.outline, found.at)) return std::nullopt;
  return found;
}

std::optional<std::string> spell(const Document& document, const Value& value, Style style, bool flow, Dialect dialect) {
  switch (document.format) {
    case Format::Toml: return toml::spell(value, style);
    case Format::Json: return json::spell(value);
    case Format::Cpp: return std::nullopt;
    case Format::Yaml: break;
  }
  return yaml::spell(value, style, flow, dialect);
}

Edits propose_value(const Document& document, const Slot& self, const Value& to, Dialect dialect) {
  const std::string_view text = document.source->text();
  const Node& node = *self.value;
  const bool container = !self.alias && node.kind != Node::Kind::Scalar;

  // A list of the same length is written item by item, so that its layout and comments stay.
  if (container && to.list() && node.kind == Node::Kind::Sequence && to.list()->size() == node.items.size()) {
    std::vector<Edit> edits;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Value& item = (*to.list())[i];
      if (reads_as(*node.items[i].value, item, dialect)) continue;
      const Edits more = propose_value(document, slot(node, i), item, dialect);
      if (!more) return std::nullopt;
      edits.insert(edits.end(), more->begin(), more->end());
    }
    return edits;
  }

  const bool open = container && !node.flow;
  if (open && document.format == Format::Toml) return std::nullopt;  // tables and arrays of tables have headers of their own
  const Style style = self.alias || container ? Style::Plain : node.style;
  const std::optional<std::string> spelled = spell(document, to, style, self.parent->flow, dialect);
  if (!spelled) return std::nullopt;
  const Offset end = end_of(document, self);
  if (!self.value_range.empty() && !open) return edit(document, {self.value_range.begin, end}, *spelled);
  if (!self.is_item()) {
    const Offset colon = colon_end(text, self.key_range);
    return edit(document, {colon, open ? end : colon}, " " + *spelled);
  }
  if (open) return edit(document, {self.value_range.begin, end}, *spelled);
  const Offset at = self.value_range.begin;
  return edit(document, {at, at}, (text[at - 1] == '-' ? " " : "") + *spelled);
}

// The longest entry of the mapping itself, which a loader would see, whose key begins `path`.
const Entry* entry_on(const Node& mapping, std::string_view path) {
  const Entry* best = nullptr;
  for (const Entry& entry : mapping.entries) {
    if (entry.shadowed || !path.starts_with(entry.key) || (best && best->key.size() > entry.key.size())) continue;
    if (path.size() == entry.key.size() || path[entry.key.size()] == '.' || path[entry.key.size()] == '[') best = &entry;
  }
  return best;
}

// Takes "[3]" off the front of `path`.
std::optional<std::size_t> take_index(std::string_view& path) {
  std::size_t index = 0, at = 1;
  for (; at < path.size() && path[at] >= '0' && path[at] <= '9' && index < 1'000'000; ++at)
    index = index * 10 + static_cast<std::size_t>(path[at] - '0');
  if (at == 1 || at >= path.size() || path[at] != ']') return std::nullopt;
  path.remove_prefix(at + 1);
  return index;
}

std::optional<Target> target_of(const Document& document, const Node& root, std::string_view path) {
  Target target;
  target.table = &root;
  while (target.table->kind == Node::Kind::Mapping) {
    const Entry* entry = entry_on(*target.table, path);
    if (!entry) break;
    if (entry->alias) return std::nullopt;
    target.owner = target.table;
    target.entry = entry;
    target.table = entry->value;
    target.present.push_back(entry->key);
    path.remove_prefix(entry->key.size());
    while (path.starts_with('[')) {
      const std::optional<std::size_t> index = take_index(path);
      if (!index || target.table->kind != Node::Kind::Sequence || *index >= target.table->items.size()) return std::nullopt;
      const Item& item = target.table->items[*index];
      if (item.alias) return std::nullopt;
      target.table = item.value;
      target.entry = nullptr;
      target.in_list = true;
    }
    if (!path.starts_with('.')) return std::nullopt;
    path.remove_prefix(1);
  }
  for (std::size_t dot = 0; dot != path.npos;) {
    dot = path.find('.');
    target.missing.emplace_back(path.substr(0, dot));
    if (dot != path.npos) path.remove_prefix(dot + 1);
    if (target.missing.back().empty() || target.missing.back().ends_with(']')) return std::nullopt;
  }

  if (target.table->kind == Node::Kind::Sequence) return std::nullopt;
  if (target.table->kind == Node::Kind::Scalar) {
    const bool null = document.format == Format::Yaml && read(*target.table, Dialect::PyYaml).is_null();
    if (!null || !target.entry) return std::nullopt;
  } else if (target.missing.size() > 1 && document.find(*target.table, target.missing.front())) {
    return std::nullopt;  // a merged table would be hidden by a new one
  }
  return target;
}

Edits propose_key(const Document& document, const Target& target, const Value& value, Dialect dialect) {
  switch (document.format) {
    case Format::Toml: return toml::insert(document, target, value);
    case Format::Json: return json::insert(document, target, value);
    case Format::Cpp: return std::nullopt;
    case Format::Yaml: break;
  }
  return yaml::insert(document, target, value, dialect);
}

// Where one plain word of YAML takes the place of another, nothing else of the document is read in another way, and what the word says can
// be told without reading all of it again. Empty where it is not that simple.
std::optional<bool> word_for_word(const Found& found, const std::vector<Edit>& edits, const Value& to, Dialect dialect) {
  const auto word = [](std::string_view text) {
    const auto alphanumeric = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && alphanumeric(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return alphanumeric(c) || c == '.' || c == '_'; });
  };
  const Node& node = *found.line().node;
  if (found.document->format != Format::Yaml || edits.size() != 1 || node.kind != Node::Kind::Scalar || node.style != Style::Plain ||
      !node.tag.empty() || found.line().slot.alias || edits[0].range != node.range || found.document->raw(node.range) != node.text ||
      !word(node.text) || !word(edits[0].text))
    return std::nullopt;
  Node written;
  written.text = edits[0].text;
  return reads_as(written, to, dialect);
}

}  // namespace

std::optional<std::vector<Edit>> write_value(const Fact& fact, const Value& to, Dialect dialect) {
  if (fact.spot) return fact.spot->write(to);
  const std::optional<Found> found = find(fact);
  if (!found) return std::nullopt;
  dialect = dialect_for(*found->document, dialect);
  const Edits edits = propose_value(*found->document, found->line().slot, to, dialect);
  if (!edits) return std::nullopt;

  if (const std::optional<bool> good = word_for_word(*found, *edits, to, dialect)) return *good ? edits : std::nullopt;
  const DocumentPtr after = remade(*found->document, *edits);
  if (!after) return std::nullopt;
  const Outline outline = outline_of(*after);
  const std::size_t at = found->at;
  const std::optional<std::size_t> now = replaced(found->outline, outline, at, run_length(found->outline, at));
  if (!now || *now == 0 || *now != run_length(outline, at)) return std::nullopt;
  const Line& line = outline[at];
  return line.depth == found->line().depth && line.key == found->line().key && reads_as(*line.node, to, dialect) ? edits : std::nullopt;
}

std::optional<std::vector<Edit>> insert_key(const DocumentPtr& document, const Node& root, std::string_view path, const Value& value,
                                            Dialect dialect) {
  if (!document || path.empty() || !was_read(*document)) return std::nullopt;
  dialect = dialect_for(*document, dialect);
  const std::optional<Target> target = target_of(*document, root, path);
  if (!target) return std::nullopt;
  const Outline before = outline_of(*document);
  std::size_t table = 0;
  while (table < before.size() && (before[table].node != target->table || before[table].slot.alias)) ++table;
  if (table == before.size() || shared(before, table)) return std::nullopt;
  const Edits edits = propose_key(*document, *target, value, dialect);
  if (!edits) return std::nullopt;

  const DocumentPtr after = remade(*document, *edits);
  if (!after) return std::nullopt;
  const Outline outline = outline_of(*after);
  const std::optional<std::size_t> added = added_value(before, outline, table, target->missing);
  return added && reads_as(*outline[*added].node, value, dialect) ? edits : std::nullopt;
}

std::optional<std::vector<Edit>> remove_fact(const Fact& fact) {
  if (fact.spot) return fact.spot->remove();
  const std::optional<Found> found = find(fact);
  if (!found) return std::nullopt;
  const Document& document = *found->document;
  const Slot& self = found->line().slot;
  const Edits edits = document.format == Format::Toml   ? toml::remove(document, self)
                      : document.format == Format::Json ? remove_in_brackets(document, self)
                                                        : yaml::remove(document, self);
  if (!edits) return std::nullopt;

  const std::string_view text = document.source->text();
  // A comment on the lines of the entry goes with it; a block item begins with its dash.
  Offset begin = self.is_item() ? self.value_range.begin : self.key_range.begin, end = end_of(document, self);
  if (const Offset dash = back_over_space(document, begin); self.is_item() && dash > 0 && text[dash - 1] == '-') begin = dash - 1;
  if (const Range last = edits->back().range; !last.empty()) end = std::max(end, last.end - 1);
  const Range lines{line_begin(text, begin), line_end(text, end)};
  const DocumentPtr after = remade(document, *edits, lines);
  if (!after) return std::nullopt;
  const Outline outline = outline_of(*after);
  std::size_t at = found->at, count = run_length(found->outline, at);
  while (true) {
    if (replaced(found->outline, outline, at, count) == 0) return edits;
    // In TOML a table that only this key's dots made goes with it, and an array of tables with its only header.
    const bool only_child = at > 0 && found->outline[at - 1].slot.parent && run_length(found->outline, at - 1) == count + 1;
    if (document.format != Format::Toml || !only_child || found->outline[at - 1].node->flow) return std::nullopt;
    --at, ++count;
  }
}

std::optional<std::vector<Edit>> rename_key(const Fact& fact, std::string_view new_key) {
  if (fact.spot) return fact.spot->rename(new_key);
  const std::optional<Found> found = find(fact);
  if (!found || found->line().slot.is_item() || new_key.empty()) return std::nullopt;
  const Document& document = *found->document;
  const Slot& self = found->line().slot;
  const std::string_view raw = document.raw(self.key_range);
  const Style style = raw.starts_with('"') ? Style::DoubleQuoted : raw.starts_with('\'') ? Style::SingleQuoted : Style::Plain;
  std::string key;
  switch (document.format) {
    case Format::Toml: key = toml::spell_key(new_key, style); break;
    case Format::Json: key = double_quoted(new_key); break;
    case Format::Cpp: return std::nullopt;
    case Format::Yaml: key = yaml::spell_key(new_key, style, self.parent->flow); break;
  }
  const Edits edits = edit(document, self.key_range, key);

  const DocumentPtr after = remade(document, *edits);
  if (!after) return std::nullopt;
  const Outline outline = outline_of(*after);
  const std::size_t at = found->at, count = run_length(found->outline, at);
  if (replaced(found->outline, outline, at, count) != count) return std::nullopt;
  for (std::size_t i = 1; i < count; ++i)
    if (!(outline[at + i] == found->outline[at + i])) return std::nullopt;
  const Line& line = outline[at];
  return line.depth == found->line().depth && line.spelling == found->line().spelling && line.key == new_key ? edits : std::nullopt;
}

}  // namespace shardlint
