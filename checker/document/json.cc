// JSON with positions: RFC 8259 as Python's reader has it, and Hjson as DeepSpeed reads its configs.
//
// One scanner reads both. Where strict JSON is stricter, the scanner notes a problem and reads on as Hjson would, so that a comment or a
// trailing comma does not hide the rest of the file. It gives up only where it cannot tell what was meant.
//
// From Hjson: comments (# // /* */), optional and trailing commas, keys without quotes, text without quotes up to the end of its line,
// '...' and '''...''' texts, a root without braces. From Python: NaN, Infinity and -Infinity, which every framework's reader takes.
#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "checker/document/readers.h"

namespace shardlint {
namespace {

constexpr std::size_t kMaxProblems = 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// -? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][-+]?[0-9]+)?
std::optional<Value> number(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  std::size_t at = 0;
  const auto run = [&] {
    const std::size_t from = at;
    while (at < digits.size() && is_digit(digits[at])) ++at;
    return at - from;
  };
  const std::size_t whole = run();
  if (whole == 0 || (whole > 1 && digits[0] == '0')) return std::nullopt;
  const bool integer = at == digits.size();
  if (at < digits.size() && digits[at] == '.') {
    ++at;
    if (!run()) return std::nullopt;
  }
  if (at < digits.size() && (digits[at] | 0x20) == 'e') {
    ++at;
    if (at < digits.size() && (digits[at] == '+' || digits[at] == '-')) ++at;
    if (!run()) return std::nullopt;
  }
  if (at != digits.size()) return std::nullopt;
  i64 exact = 0;
  if (integer && std::from_chars(text.data(), text.data() + text.size(), exact).ec == std::errc()) return Value(exact);
  return Value(negative ? -real_of(digits) : real_of(digits));  // beyond 64 bits: a real of that size
}

std::optional<Value> literal(std::string_view text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "true") return Value(true);
  if (text == "false") return Value(false);
  if (text == "null") return Value();
  if (text == "NaN") return Value(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return Value(infinity);
  if (text == "-Infinity") return Value(-infinity);
  return number(text);
}

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  if (code < 0x10000) return put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
}

class JsonReader {
 public:
  JsonReader(Document& document, Input input, bool hjson) : document_(document), text_(input.text), base_(input.base), hjson_(hjson) {}

  void run() {
    skip();
    if (done()) {
      if (!hjson_) problem("a JSON file needs a value, and this one is empty", token_at(text_, 0));
      return;
    }
    if (hjson_ && !one_of("{[") && begins_member()) {
      Node* root = make(Node::Kind::Mapping);
      document_.roots.push_back(root);
      members(*root, 0, npos);
    } else {
      document_.roots.push_back(value(0));
    }
    skip();
    if (!done() && !stopped_) problem("nothing may follow the value that a JSON file holds", token_at(text_, at_));
    std::stable_sort(document_.duplicates.begin(), document_.duplicates.end(),
                     [](const Duplicate& a, const Duplicate& b) { return a.first.begin < b.first.begin; });
    std::stable_sort(document_.problems.begin(), document_.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.range.begin < b.range.begin; });
  }

 private:
  static constexpr std::size_t npos = std::string_view::npos;

  bool done() const { return at_ >= text_.size() || stopped_; }
  bool one_of(std::string_view any) const { return at_ < text_.size() && any.find(text_[at_]) != npos; }
  bool starts(std::string_view word) const { return text_.substr(std::min(at_, text_.size())).starts_with(word); }
  Range range(std::size_t begin, std::size_t end) const { return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}; }

  void problem(std::string message, Range range, std::string context = {}, std::optional<Range> context_range = {}) {
    if (context_range) context_range = shifted(*context_range, base_);
    document_.problems.push_back({std::move(message), shifted(range, base_), std::move(context), context_range});
    if (document_.problems.size() >= kMaxProblems) stopped_ = true;
  }
  void strictly(std::string message, Range range) {
    if (!hjson_) problem(std::move(message), range);
  }
  void never_closed(std::string_view what, std::size_t open) {
    problem(fmt::format("this {} is never closed", what), token_at(text_, text_.size()), "opened here", range(open, open + 1));
    stopped_ = true;
  }

  Node* make(Node::Kind kind) {
    Node* node = document_.make(kind);
    node->flow = true;
    node->range = shifted(range(at_, at_), base_);
    return node;
  }
  Node* finish(Node* node) {
    node->range.end = std::max(node->range.begin, static_cast<std::uint32_t>(at_) + base_);
    return node;
  }

  // Blanks and comments.
  void skip() {
    while (!done()) {
      if (is_blank(text_[at_])) {
        ++at_;
        continue;
      }
      const bool block = starts("/*");
      if (!block && text_[at_] != '#' && !starts("//")) return;
      const std::size_t begin = at_;
      if (block) {
        const std::size_t close = text_.find("*/", at_ + 2);
        if (close == npos) return never_closed("comment", begin);
        at_ = close + 2;
      } else {
        at_ = std::min(text_.find('\n', at_), text_.size());
      }
      const std::size_t end = at_ > begin && text_[at_ - 1] == '\r' ? at_ - 1 : at_;
      if (document_.comments.empty()) strictly("JSON has no comments", range(begin, end));
      document_.comments.push_back({shifted(range(begin, end), base_)});
    }
  }

  // In Hjson's root: does a key and its colon stand here?
  bool begins_member() {
    const std::size_t begin = at_;
    if (one_of("\"'"))
      at_ = std::min(text_.find(text_[at_], at_ + 1), text_.size() - 1) + 1;
    else
      bare_key();
    while (one_of(" \t")) ++at_;
    const bool colon = one_of(":");
    at_ = begin;
    return colon;
  }

  std::string_view bare_key() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && !one_of(",:[]{}\"'")) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Node* value(int depth) {
    if (one_of("{[")) return collection(depth);
    Node* node = make(Node::Kind::Scalar);
    if (one_of("\"'")) {
      if (starts("'''"))
        block_text(*node);
      else {
        node->style = text_[at_] == '"' ? Style::DoubleQuoted : Style::SingleQuoted;
        const std::size_t begin = at_;
        node->text = quoted();
        if (node->style == Style::SingleQuoted) strictly("JSON text needs double quotes", range(begin, at_));
      }
      node->value = Value(node->text);
      return finish(node);
    }
    plain(*node);
    return node;
  }

  void plain(Node& node) {
    const std::size_t begin = at_;
    const auto ends_word = [&] { return one_of(",:[]{}\n\"") || one_of("#") || starts("//") || starts("/*"); };
    while (at_ < text_.size() && !ends_word() && (hjson_ || !is_blank(text_[at_]))) ++at_;
    while (at_ > begin && is_blank(text_[at_ - 1])) --at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    node.value = literal(word);
    const bool punctuation = word.empty() && one_of(",:]}");
    if (!node.value && hjson_ && !punctuation) {
      at_ = std::min(text_.find('\n', begin), text_.size());
      while (at_ > begin && is_blank(text_[at_ - 1])) --at_;
      word = text_.substr(begin, at_ - begin);
    }
    finish(&node);
    node.text = std::string(word);
    if (node.value) return;
    node.value = word.empty() ? Value() : Value(node.text);
    if (word.empty()) {
      problem("a value was expected here", token_at(text_, at_));
    } else if (word == "True" || word == "False" || word == "None") {
      strictly(fmt::format("`{}` is spelled `{}` in JSON", word,
                           word == "True"    ? "true"
                           : word == "False" ? "false"
                                             : "null"),
               range(begin, at_));
    } else if (is_digit(word[0]) || word[0] == '.' || word[0] == '+' || word[0] == '-') {
      strictly("this is no JSON number", range(begin, at_));
    } else {
      strictly("this is no JSON value; text needs double quotes", range(begin, at_));
    }
  }

  // Text in " or ', up to its closing quote or the end of its line.
  std::string quoted() {
    const std::size_t begin = at_;
    const char quote = text_[at_++];
    std::string out;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      const char c = text_[at_];
      if (c == quote) {
        ++at_;
        return out;
      }
      if (c == '\\') {
        escape(out);
      } else {
        if (static_cast<unsigned char>(c) < 0x20 && !starts("\r\n"))
          strictly(c == '\t' ? std::string("a tab inside JSON text is written `\\t`")
                             : fmt::format("a control character inside JSON text is written `\\u{:04x}`", static_cast<unsigned>(c)),
                   range(at_, at_ + 1));
        out += c;
      }
    }
    if (at_ > begin + 1 && text_[at_ - 1] == '\r') --at_;
    problem("this quoted text is never closed", range(begin, at_));
    return out;
  }

  // At a backslash; leaves at_ on the last character of the escape.
  void escape(std::string& out) {
    constexpr std::string_view names = "\"\\/bfnrt'", meanings = "\"\\/\b\f\n\r\t'";
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\n';
    if (const std::size_t known = names.find(c); known != npos && (c != '\'' || hjson_)) {
      out += meanings[known];
      ++at_;
      return;
    }
    const auto hex = [&](std::size_t from) -> std::optional<unsigned> {
      unsigned code = 0;
      const std::string_view digits = text_.substr(std::min(from, text_.size()), 4);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
      return error == std::errc() && digits.size() == 4 && end == digits.data() + 4 ? std::optional(code) : std::nullopt;
    };
    if (c == 'u') {
      if (auto code = hex(at_ + 2)) {
        at_ += 5;
        if (*code >= 0xD800 && *code < 0xDC00 && text_.substr(at_ + 1).starts_with("\\u"))
          if (const auto low = hex(at_ + 3); low && *low >= 0xDC00 && *low < 0xE000) {
            code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
            at_ += 6;
          }
        // Python keeps half a pair; UTF-8 cannot.
        append_utf8(out, *code >= 0xD800 && *code < 0xE000 ? 0xFFFD : *code);
        return;
      }
    }
    problem("this escape does not exist in JSON; a backslash itself is written `\\\\`", range(at_, std::min(at_ + 2, text_.size())));
    if (c == '\n') return;  // the text ends with its line
    out += c;
    ++at_;
  }

  // '''...''': the indentation of the opening quotes is taken off every line.
  void block_text(Node& node) {
    node.style = Style::Literal;
    const std::size_t begin = at_;
    strictly("JSON text needs double quotes", range(begin, begin + 3));
    const std::size_t close = text_.find("'''", at_ + 3);
    if (close == npos) return never_closed("text", begin);
    const std::size_t line = begin == 0 ? npos : text_.rfind('\n', begin - 1);
    const std::size_t indent = begin - (line == npos ? 0 : line + 1);
    std::string_view body = text_.substr(begin + 3, close - begin - 3);
    at_ = close + 3;
    if (const std::size_t first = body.find_first_not_of(" \t\r"); first != npos && body[first] == '\n') body.remove_prefix(first + 1);
    while (true) {
      std::size_t blanks = 0;
      while (blanks < indent && blanks < body.size() && (body[blanks] == ' ' || body[blanks] == '\t')) ++blanks;
      body.remove_prefix(blanks);
      const std::size_t end = body.find('\n');
      const std::string_view part = body.substr(0, end);
      node.text += part.ends_with('\r') ? part.substr(0, part.size() - 1) : part;
      if (end == npos) break;
      node.text += '\n';
      body.remove_prefix(end + 1);
    }
    if (node.text.ends_with('\n')) node.text.pop_back();
  }

  Node* collection(int depth) {
    const std::size_t open = at_;
    const bool object = text_[at_] == '{';
    Node* node = make(object ? Node::Kind::Mapping : Node::Kind::Sequence);
    if (depth >= kMaxDepth) {
      problem(fmt::format("this is nested deeper than {} levels", kMaxDepth), range(open, open + 1));
      stopped_ = true;
      return node;
    }
    ++at_;
    if (object)
      members(*node, depth, open);
    else
      items(*node, depth, open);
    return finish(node);
  }

  // Behind a member or an item: its comma, if there is one. False at the end of the collection.
  bool next(char close, std::size_t open, std::string_view what) {
    skip();
    if (stopped_) return false;
    const bool comma = one_of(",");
    const std::size_t comma_at = at_;
    if (comma) {
      ++at_;
      skip();
    }
    if (done()) {
      if (!stopped_ && open != npos) never_closed(what, open);
      return false;
    }
    if (text_[at_] == close && open != npos) {
      if (comma) strictly(fmt::format("JSON allows no comma before `{}`", close), range(comma_at, comma_at + 1));
      ++at_;
      return false;
    }
    if (one_of("]}")) {
      if (open == npos) return false;
      problem(fmt::format("a comma or `{}` was expected here", close), range(at_, at_ + 1), "opened here", range(open, open + 1));
      stopped_ = true;
      return false;
    }
    if (!comma) strictly("a comma was expected before this", token_at(text_, at_));
    return true;
  }

  // An empty collection, or one that ends at once.
  bool closes(char close, std::size_t open, std::string_view what) {
    skip();
    if (stopped_) return true;
    if (done()) {
      if (open != npos) never_closed(what, open);
      return true;
    }
    if (text_[at_] != close || open == npos) return false;
    ++at_;
    return true;
  }

  void items(Node& node, int depth, std::size_t open) {
    if (closes(']', open, "list")) return;
    do {
      const std::size_t begin = at_;
      Node* item = value(depth + 1);
      node.items.push_back({item, item->range, false});
      if (at_ == begin && !one_of(",]}")) stopped_ = true;
    } while (!stopped_ && next(']', open, "list"));
  }

  void members(Node& node, int depth, std::size_t open) {
    if (!closes('}', open, "object")) {
      do {
        if (!member(node, depth)) break;
      } while (!stopped_ && next('}', open, "object"));
    }
    finish(&node);
    mark_duplicates(document_, node);
  }

  bool member(Node& node, int depth) {
    const std::size_t begin = at_;
    const bool double_quoted = one_of("\"");
    std::string key = one_of("\"'") ? quoted() : std::string(bare_key());
    if (at_ == begin) {
      problem("a key was expected here", token_at(text_, at_));
      stopped_ = true;
      return false;
    }
    const Range key_range = range(begin, at_);
    if (!double_quoted) strictly("a JSON key needs double quotes", key_range);
    node.entries.push_back({std::move(key), shifted(key_range, base_), nullptr, {}, false, false});
    const std::size_t index = node.entries.size() - 1;
    skip();
    Node* written = nullptr;
    const bool colon = one_of(":");
    if (colon) {
      ++at_;
      skip();
    }
    if (!done() && (colon || !one_of(",]}"))) {
      if (!colon) problem("a `:` was expected before this", token_at(text_, at_));
      written = value(depth + 1);
    } else {
      if (!stopped_) problem("a `:` and a value were expected behind this key", key_range);
      if (!colon) at_ = key_range.end;
      written = make(Node::Kind::Scalar);
      written->value = Value();
    }
    node.entries[index].value = written;
    node.entries[index].value_range = written->range;
    return true;
  }

  Document& document_;
  std::string_view text_;
  std::uint32_t base_;
  bool hjson_;
  std::size_t at_ = 0;
  bool stopped_ = false;  // nothing more is read
};

}  // namespace

void read_json(Document& document, Input input, bool hjson) { JsonReader(document, input, hjson).run(); }

}  // namespace shardlint
