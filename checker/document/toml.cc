// TOML through toml++, which is included here and nowhere else.
//
// toml++ gives values and regions, but no comments, and for a repeated key only the second place; a header of 40,000 dotted parts
// overflows its stack. So a scan of our own goes first: it finds statements, comments, the keys they define and how deep they nest. It
// knows just enough of TOML for that (strings, brackets, line ends) and refuses nothing but depth.
//
// A statement that cannot be read is blanked out (a header together with what stands under it) and the rest is read again, so one slip
// does not hide the file.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "checker/document/readers.h"

namespace shardlint {
namespace {

constexpr int kMaxRetries = 8;
constexpr std::size_t kRetryBytes = 1u << 20;  // larger files are read up to their first error only

std::uint32_t offset32(std::size_t offset) { return static_cast<std::uint32_t>(offset); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Every path that a file mentions, by number; each knows its parent. Text would cost depth times length.
class Paths {
 public:
  static constexpr int kRoot = 0;
  int child(int parent, std::string_view part) {
    const auto [entry, fresh] = children_.try_emplace({parent, std::string(part)}, static_cast<int>(parents_.size()));
    if (fresh) parents_.push_back(parent);
    return entry->second;
  }
  bool contains(int outer, int inner) const {
    while (inner > outer) inner = parents_[static_cast<std::size_t>(inner)];  // a parent's number is the smaller one
    return inner == outer;
  }

 private:
  std::map<std::pair<int, std::string>, int> children_;
  std::vector<int> parents_{kRoot};
};

struct Definition {
  int path;
  std::string key;  // the last part
  Range range;      // of the last part
};

struct Bracket {
  char mark;
  std::uint32_t open;
  std::uint32_t close;  // one past the closing mark; the text's size if there is none
  bool closed = false;
};

struct Statement {
  Range range;
  bool header = false;
  std::size_t first_definition = 0;  // of those made from here to the next statement
  std::size_t first_bracket = 0;
  std::uint32_t value = 0;  // where the value begins; 0 for headers
};

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_]))
        ++at_;
      else if (text_[at_] == '#')
        comment();
      else
        statement();
    }
  }

  std::vector<Statement> statements;
  std::vector<Range> comments;
  std::vector<Definition> definitions;
  std::vector<Bracket> brackets;
  Paths paths;
  std::optional<Range> too_deep;

  // The statement at an offset, or the last before it.
  std::size_t statement_at(std::uint32_t offset) const {
    const auto next = std::upper_bound(statements.begin(), statements.end(), offset,
                                       [](std::uint32_t value, const Statement& statement) { return value < statement.range.begin; });
    return next == statements.begin() ? 0 : static_cast<std::size_t>(next - statements.begin()) - 1;
  }

 private:
  struct Scope {
    std::size_t bracket;
    int prefix;
    int depth;
    bool wants_key;
  };

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool more() const { return at_ < text_.size() && text_[at_] != '\n'; }
  void blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  void comment() {
    const std::size_t begin = at_;
    while (more()) ++at_;
    comments.push_back({offset32(begin), offset32(at_ > begin && text_[at_ - 1] == '\r' ? at_ - 1 : at_)});
  }

  void string() {
    const char quote = text_[at_];
    const bool escapes = quote == '"';
    if (peek(1) == quote && peek(2) == quote) {
      for (at_ += 3; at_ < text_.size(); ++at_) {
        if (escapes && peek() == '\\')
          ++at_;
        else if (peek() == quote && peek(1) == quote && peek(2) == quote) {
          at_ += 3;
          for (int extra = 0; extra < 2 && peek() == quote; ++extra) ++at_;  // up to two quotes may end the text itself
          return;
        }
      }
      at_ = text_.size();
      return;
    }
    for (++at_; more(); ++at_) {
      if (escapes && peek() == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n')
        ++at_;
      else if (peek() == quote) {
        ++at_;
        return;
      }
    }
  }

  // A dotted key: walked down from `path`; returns the number of parts, and the last part in `key` and `range`.
  int keys(int& path, std::string& key, Range& range) {
    int parts = 0;
    while (true) {
      blanks();
      const std::size_t begin = at_;
      if (peek() == '"' || peek() == '\'')
        string();
      else
        while (more() && is_bare(text_[at_])) ++at_;
      if (at_ == begin) return parts;
      const std::string_view raw = text_.substr(begin, at_ - begin);
      const bool quoted = raw.size() >= 2 && (raw[0] == '"' || raw[0] == '\'');
      if (const auto count = arrays_.find(path); count != arrays_.end()) path = paths.child(path, fmt::format("#{}", count->second));
      key = quoted ? raw.substr(1, raw.size() - 2) : raw;
      range = {offset32(begin), offset32(at_)};
      path = paths.child(path, key);
      ++parts;
      blanks();
      if (peek() != '.') return parts;
      ++at_;
    }
  }

  void deep(Range range) {
    if (!too_deep) too_deep = range;
  }

  void define(int path, const std::string& key, Range range) { definitions.push_back({path, key, range}); }

  void statement() {
    Statement& statement = statements.emplace_back();
    statement.first_definition = definitions.size();
    statement.first_bracket = brackets.size();
    const std::size_t begin = at_;
    int path = Paths::kRoot;
    std::string key;
    Range range;
    if (peek() == '[') {
      statement.header = true;
      const bool array = peek(1) == '[';
      at_ += array ? 2 : 1;
      table_depth_ = keys(path, key, range);
      if (table_depth_ > kMaxDepth) deep(range);
      if (table_depth_) define(path, key, range);
      if (array) path = paths.child(path, fmt::format("#{}", ++arrays_[path]));
      table_ = path;
      while (more() && text_[at_] != '#') ++at_;
    } else {
      path = table_;
      const int parts = keys(path, key, range);
      if (table_depth_ + parts > kMaxDepth) deep(range);
      if (parts) define(path, key, range);
      while (more() && text_[at_] != '=' && text_[at_] != '#') ++at_;
      if (peek() == '=') {
        ++at_;
        blanks();
        statement.value = offset32(at_);
        value(path, table_depth_ + parts);
      }
    }
    std::size_t end = at_;
    if (peek() == '#') comment();
    while (end > begin && is_blank(text_[end - 1])) --end;
    statements.back().range = {offset32(begin), offset32(std::max(end, begin + 1))};
    at_ = std::max(at_, begin + 1);
  }

  void value(int path, int depth) {
    std::vector<Scope> open;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (open.empty() && (c == '\n' || c == '#')) return;
      if (c == '#') {
        comment();
      } else if (!open.empty() && open.back().wants_key && (is_bare(c) || c == '"' || c == '\'')) {
        std::string key;
        Range range;
        path = open.back().prefix;
        const int parts = keys(path, key, range);
        depth = open.back().depth + parts;
        if (depth > kMaxDepth) return deep(range);
        if (parts) define(path, key, range);
        open.back().wants_key = false;
      } else if (c == '"' || c == '\'') {
        string();
      } else if (c == '[' || c == '{') {
        if (++depth > kMaxDepth) return deep({offset32(at_), offset32(at_ + 1)});
        // Two tables in one list are two places, so a path below holds where its bracket opens.
        const int prefix = paths.child(path, fmt::format("#{}", at_));
        open.push_back({brackets.size(), prefix, depth, c == '{'});
        brackets.push_back({c, offset32(at_), offset32(text_.size())});
        ++at_;
      } else if (c == ']' || c == '}') {
        ++at_;
        if (open.empty() || brackets[open.back().bracket].mark != (c == ']' ? '[' : '{')) continue;
        brackets[open.back().bracket].close = offset32(at_);
        brackets[open.back().bracket].closed = true;
        depth = open.back().depth - 1;
        open.pop_back();
      } else {
        if (c == ',' && !open.empty()) {
          depth = open.back().depth;
          open.back().wants_key = brackets[open.back().bracket].mark == '{';
        }
        ++at_;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int table_ = Paths::kRoot;  // the path that the last header opened
  int table_depth_ = 0;
  std::unordered_map<int, int> arrays_;  // arrays of tables: items so far
};

class TomlReader {
 public:
  TomlReader(Document& document, Input input)
      : document_(document), text_(input.text), base_(input.base), points_(input.text), scan_(input.text), patched_(input.text) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      if (i < text_.size() && text_[i] != '\n') continue;
      lines_.push_back(points_.code_point(offset32(begin)));
      begin = i + 1;
    }
  }

  void run() {
    for (const Range& comment : scan_.comments) document_.comments.push_back({shifted(comment, base_)});
    if (scan_.too_deep) {
      problem(fmt::format("this is nested deeper than {} levels", kMaxDepth), *scan_.too_deep);
      cut(scan_.too_deep->begin);
    }
    for (int tries = 0; tries <= kMaxRetries; ++tries) {
      try {
        const toml::table root = toml::parse(std::string_view(patched_));
        if (!root.empty()) document_.roots.push_back(table(root));
        return;
      } catch (const toml::parse_error& error) {
        const std::uint32_t place = byte(error.source().begin);
        explain(error.description(), place);
        if (text_.size() > kRetryBytes || tries + 1 >= kMaxRetries)
          cut(place);
        else
          blank(place);
      }
    }
  }

 private:
  // Lines end at \n only; columns count code points.
  std::uint32_t byte(toml::source_position position) const {
    if (position.line == 0 || position.line > lines_.size()) return offset32(text_.size());
    // The text that is parsed may have blanked statements, where every byte became a column; nothing is asked about those.
    return points_.byte(lines_[position.line - 1] + position.column - 1);
  }
  Range range(const toml::source_region& region) const { return shifted({byte(region.begin), byte(region.end)}, base_); }

  void problem(std::string message, Range range, std::string context = {}, std::optional<Range> context_range = {}) {
    if (context_range) context_range = shifted(*context_range, base_);
    document_.problems.push_back({std::move(message), shifted(range, base_), std::move(context), context_range});
  }

  void fill(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (patched_[i] != '\n') patched_[i] = ' ';
  }
  void cut(std::uint32_t place) {
    if (scan_.statements.empty()) return fill(0, text_.size());
    fill(scan_.statements[scan_.statement_at(place)].range.begin, text_.size());
  }
  void blank(std::uint32_t place) {
    if (scan_.statements.empty()) return fill(0, text_.size());
    std::size_t index = scan_.statement_at(place);
    const Statement& statement = scan_.statements[index];
    // A header takes what stands under it along: elsewhere those keys would mean something else.
    for (++index; statement.header && index < scan_.statements.size() && !scan_.statements[index].header;) ++index;
    fill(statement.range.begin, statement.header && index < scan_.statements.size() ? scan_.statements[index].range.begin
                                : statement.header                                  ? text_.size()
                                                                                    : statement.range.end);
  }

  // toml++'s description in words for people, with the other place where there is one.
  void explain(std::string_view description, std::uint32_t place) {
    if (constexpr std::string_view prefix = "Error while parsing "; description.starts_with(prefix)) {
      const std::size_t colon = description.find(": ");
      if (colon != std::string_view::npos) description.remove_prefix(colon + 2);
    }
    if (scan_.statements.empty()) return problem(std::string(description), token_at(text_, place));
    const std::size_t index = scan_.statement_at(place);
    const Statement& statement = scan_.statements[index];
    if (description.starts_with("cannot redefine")) return explain_redefinition(index, place);

    const bool last = index + 1 == scan_.statements.size();
    const std::size_t bracket_end = last ? scan_.brackets.size() : scan_.statements[index + 1].first_bracket;
    const Bracket* inner = nullptr;
    for (std::size_t i = statement.first_bracket; i < bracket_end; ++i)
      if (const Bracket& bracket = scan_.brackets[i]; bracket.open < place && (place < bracket.close || !bracket.closed)) inner = &bracket;
    const auto says = [&](std::initializer_list<std::string_view> beginnings) {
      return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view begin) { return description.starts_with(begin); });
    };
    if (inner && says({"encountered end-of-file", "expected comma", "expected key or closing"})) {
      const bool list = inner->mark == '[';
      const bool at_end = text_.find_first_not_of(" \t\r\n", place + 1) == std::string_view::npos;
      return problem(!inner->closed && at_end ? fmt::format("this {} is never closed", list ? "list" : "table")
                                              : fmt::format("a comma or `{}` was expected here", list ? ']' : '}'),
                     token_at(text_, place), "opened here", Range{inner->open, inner->open + 1});
    }
    if (statement.value && place >= statement.value) {
      const char first = text_[std::min<std::size_t>(place, text_.size() - 1)];
      if (says({"could not determine", "expected 'true'", "expected 'false'", "expected 'nan'", "expected 'inf'"})) {
        const Range word = word_around(place);
        const std::string_view text = text_.substr(word.begin, word.end - word.begin);
        if (text == "True" || text == "False")
          return problem(fmt::format("a TOML boolean is spelled `{}`", text == "True" ? "true" : "false"), word);
        return problem("this is no TOML value; text needs quotes", word);
      }
      const bool quoted = statement.value < text_.size() && (text_[statement.value] == '"' || text_[statement.value] == '\'');
      if (quoted && ((description.starts_with("encountered end-of-file") && place + 1 >= text_.size()) ||
                     (description.starts_with("unescaped control") && place + 1 >= statement.range.end)))
        return problem("this quoted text is never closed", {statement.value, statement.range.end});
      if (first == '\n' || statement.value == text_.size() ||
          std::string_view("\r\n#").find(text_[statement.value]) != std::string_view::npos)
        if (statement.value >= statement.range.end) return problem("a value is missing here", token_at(text_, statement.value));
    }
    if (description.starts_with("encountered end-of-file")) return problem("this is not finished", statement.range);
    const bool line_ends = place >= text_.size() || text_[place] == '\n' || text_[place] == '\r';
    const Range quoted{statement.value ? statement.value : statement.range.begin, statement.range.end};
    if (description.find("control characters") != std::string_view::npos && line_ends && quoted.begin < quoted.end)
      return problem("this quoted text is never closed", quoted);
    if (description.starts_with("expected") && statement.value && place > statement.value &&
        description.find("digit") != std::string_view::npos)
      return problem("this is no TOML number; text needs quotes", word_around(place));
    const std::string said = plain(description, place);
    const bool whole = statement.value && place >= statement.value && (said.starts_with("this ") || said.starts_with("a TOML number"));
    problem(said, whole ? word_around(place) : token_at(text_, place));
  }

  // The library's frequent sentences in plain words.
  std::string plain(std::string_view description, std::uint32_t place) const {
    const char there = place < text_.size() ? text_[place] : '\n';
    const auto has = [&](std::string_view part) { return description.find(part) != std::string_view::npos; };
    if (there == '\r' || has("after '\\r'")) return "a carriage return alone ends no line in TOML";
    if (has("expected '='"))
      return there == '\n' ? "this key has no value; TOML writes `key = value`" : "`=` was expected here; TOML writes `key = value`";
    if (has("comment or whitespace")) return "only a comment may stand behind a value; text needs quotes";
    if (has("leading zero")) return "a TOML number begins with no zeros";
    if (has("expected ']'")) return "this header is never closed";
    if (has("blank bare keys")) return "this header names no table";
    if (has("bare key starting")) return "the name of a key was expected here";
    if (has("expected keys, tables")) return "a key or a header in brackets was expected here";
    if (has("dangling comma")) return "no comma may stand before the end of a table in braces";
    if (has("control characters")) return "a control character must be written as an escape";
    if (has("not representable in 64 bits")) return "this number does not fit into 64 bits";
    if (has("escape sequence")) return "TOML knows no such escape; text in single quotes takes a backslash as it is";
    for (std::string_view part : {"year", "month", "day", "hour", "minute", "second", "date", "time"})
      if (description.starts_with("expected") && has(part)) return "this is no date or time";
    if (description.starts_with("expected") && has("digit")) return "a digit was expected here";
    return std::string(description);
  }

  Range word_around(std::uint32_t place) const {
    const auto part = [&](std::size_t i) { return is_bare(text_[i]) || text_[i] == '.' || text_[i] == '+'; };
    std::size_t begin = place, end = place;
    while (begin > 0 && part(begin - 1)) --begin;
    while (end < text_.size() && part(end)) ++end;
    return begin == end ? token_at(text_, place) : Range{offset32(begin), offset32(end)};
  }

  void explain_redefinition(std::size_t index, std::uint32_t place) {
    const std::size_t from = scan_.statements[index].first_definition;
    const std::size_t to = index + 1 < scan_.statements.size() ? scan_.statements[index + 1].first_definition : scan_.definitions.size();
    if (from == to) return problem("this is written twice, which TOML refuses", token_at(text_, place));
    // The definition that toml++ was at: the last one before its place, which is behind the key.
    std::size_t second = from;
    while (second + 1 < to && scan_.definitions[second + 1].range.begin <= place) ++second;
    const Definition& refused = scan_.definitions[second];
    const auto blanked = [&](const Definition& other) { return patched_[other.range.begin] == ' '; };
    const auto clashes = [&](int a, int b) { return scan_.paths.contains(a, b) || scan_.paths.contains(b, a); };
    const Definition* first = nullptr;
    for (std::size_t i = 0; i < second; ++i)
      if (const Definition& other = scan_.definitions[i]; other.path == refused.path && !blanked(other)) {
        document_.duplicates.push_back({refused.key, shifted(other.range, base_), shifted(refused.range, base_)});
        return problem(fmt::format("`{}` is written twice, which TOML refuses", refused.key), refused.range, "first written here",
                       other.range);
      }
    for (std::size_t i = 0; i < second && !first; ++i)
      if (const Definition& other = scan_.definitions[i]; clashes(other.path, refused.path) && !blanked(other)) first = &other;
    if (first)
      return problem(fmt::format("`{}` does not agree with what is written before: one is a table, the other is not", refused.key),
                     refused.range, "written before here", first->range);
    problem("this is written twice, which TOML refuses", refused.range);
  }

  Node* table(const toml::table& table) {
    Node* node = document_.make(Node::Kind::Mapping);
    node->flow = table.is_inline();
    node->range = range(table.source());
    for (const auto& [key, value] : table) {
      Entry& entry = node->entries.emplace_back();
      entry.key = std::string(key.str());
      entry.key_range = range(key.source());
      entry.value = convert(value);
      entry.value_range = entry.value->range;
    }
    // toml++ sorts by name.
    std::sort(node->entries.begin(), node->entries.end(),
              [](const Entry& a, const Entry& b) { return a.key_range.begin < b.key_range.begin; });
    return node;
  }

  Node* convert(const toml::node& value) {
    if (const toml::table* inner = value.as_table()) return table(*inner);
    if (const toml::array* array = value.as_array()) {
      Node* node = document_.make(Node::Kind::Sequence);
      const toml::table* first = array->empty() ? nullptr : array->front().as_table();
      node->flow = !first || first->is_inline();
      node->range = range(array->source());
      for (const toml::node& item : *array) {
        const Node* converted = convert(item);
        node->items.push_back({converted, converted->range, false});
      }
      return node;
    }
    Node* node = document_.make(Node::Kind::Scalar);
    node->range = range(value.source());
    const std::string_view raw = document_.raw(node->range);
    if (const auto* text = value.as_string()) {
      node->text = text->get();
      node->style = raw.starts_with("\"\"\"") || raw.starts_with("'''") ? Style::Literal
                    : raw.starts_with('\'')                             ? Style::SingleQuoted
                                                                        : Style::DoubleQuoted;
      node->value = Value(node->text);
      return node;
    }
    node->text = std::string(raw);
    if (const auto* integer = value.as_integer())
      node->value = Value(static_cast<i64>(integer->get()));
    else if (const auto* real = value.as_floating_point())
      node->value = Value(real->get());
    else if (const auto* boolean = value.as_boolean())
      node->value = Value(boolean->get());
    else
      node->value = Value(node->text);
    return node;
  }

  Document& document_;
  std::string_view text_;
  std::uint32_t base_;
  CodePoints points_;
  Scan scan_;
  std::string patched_;
  std::vector<std::size_t> lines_;  // the code point that begins each line
};

}  // namespace

void read_toml(Document& document, Input input) { TomlReader(document, input).run(); }

}  // namespace shardlint
