// YAML through libyaml's events: the grammar that PyYAML has, with a byte range for everything.
//
// libyaml's marks count code points; a table turns them into bytes where the file is not ASCII. The tree is built with an explicit stack
// and stops at 200 levels, which also keeps libyaml's own handling of nested brackets from growing quadratic. Comments are what starts
// with # between the scalars, so the scalars' ranges are collected in passing.
//
// In one place libyaml is stricter than PyYAML: `{a:}` and `[a:]`, where a bracket or a comma follows the colon at once. Such a text is
// read again with a blank put behind the colon, and offsets are counted without it.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <yaml.h>

#include "checker/document/dialect.h"
#include "checker/document/readers.h"

namespace shardlint {
namespace {

constexpr std::size_t kMaxProblems = 20;
constexpr std::size_t kMaxGaps = 50;         // times that a text is read again for a blank
constexpr std::size_t kGapBytes = 1u << 20;  // and only if it is smaller than this
constexpr std::size_t kMaxComplexKey = 200;  // bytes kept of a key that is a list or a mapping, which no loader takes

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// libyaml's words, and ours for people.
struct Wording {
  std::string_view theirs;
  std::string_view ours;
};
constexpr Wording kWordings[] = {
    {"mapping values are not allowed in this context",
     "a key cannot stand here: the value before it has ended, or this line is indented deeper than its block"},
    {"did not find expected key", "this does not fit the block it stands in: a key was expected, at the indentation of the keys above"},
    {"did not find expected '-' indicator",
     "this does not fit the list it stands in: a `- ` was expected, at the indentation of the items above"},
    {"could not find expected ':'", "this key has no `: ` behind it"},
    {"block sequence entries are not allowed in this context", "a list item cannot stand here: begin it on a line of its own"},
    {"mapping keys are not allowed in this context", "a key cannot stand here"},
    {"found unknown escape character", "this escape does not exist in double-quoted text; a backslash itself is written `\\\\`"},
    {"did not find expected hexdecimal number", "this escape needs hexadecimal digits"},
    {"did not find expected <document start>", "this does not belong to the document above; a new document begins with `---`"},
    {"did not find expected node content", "a value was expected here"},
    {"found undefined tag handle", "this tag's prefix is not declared"},
    {"did not find expected alphabetic or numeric character", "a name was expected behind this `&` or `*`; quote the text if it is none"},
    {"found a tab character that violates indentation", "a tab indents this line, which YAML forbids"},
    {"found unexpected document indicator", "this document ends inside quoted text"},
    {"control characters are not allowed", "this control character is not allowed in YAML"},
    {"did not find expected comment or line break", "only a comment may follow here"},
    {"did not find expected whitespace or line break", "a space was expected here"},
    {"found incompatible YAML document", "this YAML version is not supported"},
};

// What is unknown stays libyaml's, which is readable too.
std::string worded(std::string_view problem) {
  for (const Wording& wording : kWordings)
    if (problem == wording.theirs) return std::string(wording.ours);
  return std::string(problem);
}

// Two keys that are spelled alike are different when one of them is a quoted number: {1: a, "1": b}.
bool same_key(const Document& document, const Entry& a, const Entry& b) {
  const auto quoted = [&](const Entry& entry) {
    const std::string_view raw = document.raw(entry.key_range);
    return !raw.empty() && (raw[0] == '"' || raw[0] == '\'');
  };
  if (quoted(a) == quoted(b)) return true;
  Node plain;
  plain.text = a.key;
  return read(plain, Dialect::PyYaml).text() != nullptr;
}

class YamlReader {
 public:
  // `gaps`: offsets where a blank is to be read that is not there, in rising order.
  YamlReader(Document& document, Input input, const std::vector<std::uint32_t>& gaps)
      : document_(document), text_(input.text), base_(input.base), gaps_(gaps), padded_(padded(input.text, gaps)), points_(padded_) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(padded_.data()), padded_.size());
  }
  ~YamlReader() { yaml_parser_delete(&parser_); }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  // Where a blank would have helped; then what was read is void.
  std::optional<std::uint32_t> missing_gap() const { return missing_gap_; }

  void run() {
    while (!done_) {
      yaml_event_t event;
      if (!yaml_parser_parse(&parser_, &event)) {
        syntax_error();
        break;
      }
      take(event);
      yaml_event_delete(&event);
    }
    while (!open_.empty()) close(0);
    collect_comments();
    std::stable_sort(document_.problems.begin(), document_.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.range.begin < b.range.begin; });
    std::stable_sort(document_.duplicates.begin(), document_.duplicates.end(),
                     [](const Duplicate& a, const Duplicate& b) { return a.first.begin < b.first.begin; });
  }

 private:
  struct Open {
    Node* node;
    bool in_key;           // this collection is a key, or stands in one
    bool has_key = false;  // a key was read and waits for its value
  };

  // Offsets here are relative to the text; base_ is added where a range enters the document.
  static std::string padded(std::string_view text, const std::vector<std::uint32_t>& gaps) {
    std::string out;
    std::size_t from = 0;
    for (const std::uint32_t gap : gaps) {
      out += text.substr(from, gap - from);
      out += ' ';
      from = gap;
    }
    return out += text.substr(from);
  }

  std::uint32_t unpadded(std::size_t byte) const {
    std::size_t before = 0;
    while (before < gaps_.size() && gaps_[before] + before < byte) ++before;
    return static_cast<std::uint32_t>(byte - before);
  }
  std::uint32_t at(const yaml_mark_t& mark) const { return unpadded(points_.byte(mark.index)); }

  void problem(std::string message, Range range, std::string context = {}, std::optional<Range> context_range = {}) {
    if (document_.problems.size() >= kMaxProblems) return;
    if (context_range) context_range = shifted(*context_range, base_);
    document_.problems.push_back({std::move(message), shifted(range, base_), std::move(context), context_range});
  }

  void take(const yaml_event_t& event) {
    const std::uint32_t begin = at(event.start_mark), end = at(event.end_mark);
    switch (event.type) {
      case YAML_STREAM_END_EVENT: done_ = true; break;
      case YAML_DOCUMENT_START_EVENT: anchors_.clear(); break;
      case YAML_SCALAR_EVENT: scalar(event, begin, end); break;
      case YAML_ALIAS_EVENT: alias(reinterpret_cast<const char*>(event.data.alias.anchor), {begin, end}); break;
      case YAML_SEQUENCE_START_EVENT: {
        const auto& start = event.data.sequence_start;
        open(Node::Kind::Sequence, start.style == YAML_FLOW_SEQUENCE_STYLE, start.anchor, start.tag, {begin, end});
        break;
      }
      case YAML_MAPPING_START_EVENT: {
        const auto& start = event.data.mapping_start;
        open(Node::Kind::Mapping, start.style == YAML_FLOW_MAPPING_STYLE, start.anchor, start.tag, {begin, end});
        break;
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: close(end); break;
      default: break;
    }
    seen_ = std::max(seen_, event.type == YAML_STREAM_END_EVENT ? static_cast<std::uint32_t>(text_.size()) : begin);
  }

  void scalar(const yaml_event_t& event, std::uint32_t begin, std::uint32_t end) {
    const auto& data = event.data.scalar;
    begin = past_properties(begin, end, data.anchor || data.tag);
    Node* node = document_.make(Node::Kind::Scalar);
    node->text.assign(reinterpret_cast<const char*>(data.value), data.length);
    if (data.tag) node->tag = reinterpret_cast<const char*>(data.tag);
    std::uint32_t occupied = begin;
    switch (data.style) {
      case YAML_SINGLE_QUOTED_SCALAR_STYLE: node->style = Style::SingleQuoted; break;
      case YAML_DOUBLE_QUOTED_SCALAR_STYLE: node->style = Style::DoubleQuoted; break;
      case YAML_LITERAL_SCALAR_STYLE: node->style = Style::Literal; break;
      case YAML_FOLDED_SCALAR_STYLE: node->style = Style::Folded; break;
      default: break;
    }
    if (node->style == Style::Literal || node->style == Style::Folded) {
      while (end > begin && is_blank(text_[end - 1])) --end;
      // The header line may hold a comment, which is not the scalar's.
      while (occupied < end && text_[occupied] != '\n') ++occupied;
    }
    node->range = shifted({begin, end}, base_);
    if (data.anchor) anchors_[reinterpret_cast<const char*>(data.anchor)] = node;
    if (occupied < end) occupied_.push_back({occupied, end});
    put(node, node->range, false);
  }

  // An anchor or a tag before a scalar is not the scalar.
  std::uint32_t past_properties(std::uint32_t begin, std::uint32_t end, bool any) const {
    if (!any) return begin;
    while (begin < end && (text_[begin] == '&' || text_[begin] == '!')) {
      while (begin < end && !is_blank(text_[begin])) ++begin;
      while (begin < end && (is_blank(text_[begin]) || text_[begin] == '#')) {
        if (text_[begin] == '#')
          while (begin < end && text_[begin] != '\n') ++begin;
        else
          ++begin;
      }
    }
    return begin;
  }

  void alias(const std::string& anchor, Range range) {
    occupied_.push_back(range);
    const auto target = anchors_.find(anchor);
    const bool inside =
        std::any_of(open_.begin(), open_.end(), [&](const Open& open) { return target != anchors_.end() && open.node == target->second; });
    if (target != anchors_.end() && !inside) return put(target->second, shifted(range, base_), true);
    if (inside)
      problem(fmt::format("`*{}` stands inside the value that it repeats", anchor), range, fmt::format("`&{}` begins here", anchor),
              token_at(text_, target->second->range.begin - base_));
    else
      problem(fmt::format("no `&{}` stands before this alias", anchor), range);
    Node* nothing = document_.make(Node::Kind::Scalar);
    nothing->range = shifted(range, base_);
    nothing->tag = "tag:yaml.org,2002:null";
    put(nothing, nothing->range, false);
  }

  void open(Node::Kind kind, bool flow, const unsigned char* anchor, const unsigned char* tag, Range range) {
    if (open_.size() >= static_cast<std::size_t>(kMaxDepth)) {
      problem(fmt::format("this is nested deeper than {} levels", kMaxDepth), token_at(text_, range.begin));
      done_ = true;
      return;
    }
    Node* node = document_.make(kind);
    node->flow = flow;
    node->range = shifted(range, base_);
    if (tag) node->tag = reinterpret_cast<const char*>(tag);
    if (anchor) anchors_[reinterpret_cast<const char*>(anchor)] = node;
    put(node, node->range, false);
    const bool is_key = !complex_keys_.empty() && complex_keys_.back().key == node;
    open_.push_back({node, is_key || (!open_.empty() && open_.back().in_key)});
  }

  // A node becomes a root, an item, a key or a value, whatever the innermost open collection waits for.
  void put(const Node* node, Range range, bool alias) {
    if (open_.empty()) return document_.roots.push_back(node);
    Open& parent = open_.back();
    if (parent.node->kind == Node::Kind::Sequence) {
      parent.node->items.push_back({node, range, alias});
    } else if (parent.has_key) {
      Entry& entry = parent.node->entries.back();
      entry.value = node;
      entry.value_range = range;
      entry.alias = alias;
      parent.has_key = false;
    } else {
      Entry& entry = parent.node->entries.emplace_back();
      entry.key_range = range;
      entry.value = absent_;  // until it is read; an error may come first
      entry.value_range = {range.end, range.end};
      parent.has_key = true;
      if (node->kind == Node::Kind::Scalar)
        entry.key = node->text;
      else
        complex_keys_.push_back({parent.node, parent.node->entries.size() - 1, node, !parent.in_key});
    }
  }

  // `end` counts for brackets only; 0 if the closing one was never read.
  void close(std::uint32_t end) {
    Node& node = *open_.back().node;
    open_.pop_back();
    if (node.flow && end > node.range.begin - base_) {
      node.range.end = end + base_;
    } else {
      std::uint32_t last = node.range.begin;
      if (!node.entries.empty()) last = std::max(node.entries.back().value_range.end, node.entries.back().key_range.end);
      if (!node.items.empty()) last = node.items.back().value_range.end;
      node.range.end = std::max(last, node.range.begin);
    }
    // The entry that holds this node was made when it was opened; now its end is known.
    if (!open_.empty()) {
      Node& parent = *open_.back().node;
      if (parent.kind == Node::Kind::Sequence)
        parent.items.back().value_range = node.range;
      else if (parent.entries.back().value == &node)
        parent.entries.back().value_range = node.range;
      else
        parent.entries.back().key_range = node.range;
    }
    if (node.kind != Node::Kind::Mapping) return;
    name_complex_keys(node);
    mark_duplicates(document_, node, same_key);
  }

  // Python cannot use a list or a mapping as a key. `{{ name }}` of a template engine is such a key.
  void name_complex_keys(Node& mapping) {
    std::size_t first = complex_keys_.size();
    while (first > 0 && complex_keys_[first - 1].mapping == &mapping) --first;
    for (std::size_t i = first; i < complex_keys_.size(); ++i) {
      const auto [owner, index, key, outermost] = complex_keys_[i];
      Entry& entry = mapping.entries[index];
      entry.key = std::string(document_.raw(entry.key_range).substr(0, kMaxComplexKey));
      if (!outermost) continue;
      problem(key->kind == Node::Kind::Mapping ? "a mapping cannot be a key; quote the text if braces are meant"
                                               : "a list cannot be a key; quote the text if brackets are meant",
              {entry.key_range.begin - base_, entry.key_range.end - base_});
    }
    complex_keys_.resize(first);
  }

  // A tab at the start of this line or of the one before, outside brackets, is what most likely broke the block.
  std::optional<Range> indenting_tab(std::uint32_t offset) const {
    if (!open_.empty() && open_.back().node->flow) return std::nullopt;
    std::size_t begin = std::min<std::size_t>(offset, text_.size());
    while (begin > 0 && text_[begin - 1] != '\n') --begin;
    for (std::size_t i = begin; i < text_.size() && (text_[i] == ' ' || text_[i] == '\t'); ++i)
      if (text_[i] == '\t') return Range{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)};
    return std::nullopt;
  }

  void syntax_error() {
    const std::string_view theirs = parser_.problem ? parser_.problem : "this YAML cannot be read";
    if (parser_.error == YAML_MEMORY_ERROR) return problem("there is not enough memory to read this file", {});
    if (parser_.error == YAML_READER_ERROR) {
      const std::uint32_t offset = unpadded(std::min(parser_.problem_offset, padded_.size()));
      seen_ = std::min(seen_, offset);
      return problem(worded(theirs), {offset, std::min(offset + 1, static_cast<std::uint32_t>(text_.size()))});
    }
    const std::uint32_t place = at(parser_.problem_mark);
    const std::uint32_t from = parser_.context ? at(parser_.context_mark) : place;
    const std::string_view context = parser_.context ? parser_.context : "";
    constexpr std::string_view flow_marks = ",[]{}";
    if (theirs == "found unexpected ':'" && place + 1 < text_.size() && flow_marks.find(text_[place + 1]) != std::string_view::npos)
      missing_gap_ = place + 1;
    const bool at_end = text_.find_first_not_of(" \t\r\n", place) == std::string_view::npos;

    for (const std::uint32_t line : {place, from})
      if (const auto tab = indenting_tab(line)) return problem("a tab indents this line, which YAML forbids", *tab);
    if (at_end && !open_.empty() && open_.back().node->flow && !context.starts_with("while scanning")) {
      const Node& bracket = *open_.back().node;
      problem(fmt::format("this {} is never closed", bracket.kind == Node::Kind::Sequence ? "list" : "mapping"), token_at(text_, place),
              "opened here", token_at(text_, bracket.range.begin - base_));
    } else if (context == "while parsing a flow sequence" || context == "while parsing a flow mapping") {
      const bool list = context == "while parsing a flow sequence";
      problem(fmt::format("a comma or `{}` was expected here", list ? ']' : '}'), token_at(text_, place), "opened here",
              Range{from, from + 1});
    } else if (context == "while scanning a quoted scalar" && theirs == "found unexpected end of stream") {
      problem("this quoted text is never closed", token_at(text_, place), "opened here", Range{from, from + 1});
    } else if (theirs == "could not find expected ':'") {
      const auto end = std::min(text_.find_first_of("\r\n", from), text_.size());
      problem(worded(theirs), {from, static_cast<std::uint32_t>(end)});
    } else if (theirs == "found character that cannot start any token" && place < text_.size()) {
      problem(fmt::format("`{}` cannot begin a value; quote the text", text_[place]), token_at(text_, place));
    } else if (from != place && context.starts_with("while parsing a block")) {
      problem(worded(theirs), token_at(text_, place), "the block begins here", token_at(text_, from));
    } else {
      problem(worded(theirs), token_at(text_, place));
    }
  }

  void collect_comments() {
    std::uint32_t from = 0;
    const auto scan = [&](std::uint32_t to) {
      for (std::uint32_t i = from; i < to; ++i) {
        if (text_[i] != '#') continue;  // what holds a # otherwise is a scalar
        const std::uint32_t begin = i;
        while (i < text_.size() && text_[i] != '\n') ++i;
        const std::uint32_t end = i > begin && text_[i - 1] == '\r' ? i - 1 : i;
        document_.comments.push_back({shifted({begin, end}, base_)});
      }
    };
    for (const Range& range : occupied_) {
      scan(range.begin);
      from = std::max(from, range.end);
    }
    scan(seen_);
  }

  Document& document_;
  std::string_view text_;
  std::uint32_t base_;
  const std::vector<std::uint32_t>& gaps_;
  std::string padded_;
  CodePoints points_;
  std::optional<std::uint32_t> missing_gap_;
  yaml_parser_t parser_;
  bool done_ = false;
  std::uint32_t seen_ = 0;  // how far the events came
  const Node* absent_ = document_.make(Node::Kind::Scalar);
  std::vector<Open> open_;
  struct ComplexKey {
    const Node* mapping;
    std::size_t index;
    const Node* key;
    bool outermost;
  };
  std::vector<ComplexKey> complex_keys_;
  std::unordered_map<std::string, const Node*> anchors_;
  std::vector<Range> occupied_;  // scalars and aliases, in file order
};

}  // namespace

void read_yaml(Document& document, Input input) {
  std::vector<std::uint32_t> gaps;
  while (true) {
    YamlReader reader(document, input, gaps);
    reader.run();
    const auto gap = reader.missing_gap();
    if (!gap || gaps.size() >= kMaxGaps || input.text.size() > kGapBytes) return;
    gaps.push_back(*gap);
    document.roots.clear();
    document.comments.clear();
    document.problems.clear();
    document.duplicates.clear();
  }
}

}  // namespace shardlint
