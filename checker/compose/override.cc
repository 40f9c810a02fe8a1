#include "checker/compose/override.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/schema/schema.h"

namespace shardlint::layering {

namespace {

bool space(char c) { return c == ' ' || c == '\t'; }
std::string_view trim(std::string_view text) {
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

class ValueReader {
 public:
  ValueReader(std::string_view text, const Fact& at, std::string& error) : text_(text), at_(at), error_(error) {}

  CellPtr read() {
    CellPtr out = element(at_.spelled, 0);
    blanks();
    if (!error_.empty()) return nullptr;
    if (pos_ < text_.size())
      return refuse(text_[pos_] == ',' ? "several values with commas are a sweep, which only --multirun takes"
                                       : fmt::format("'{}' is no value", text_));
    return out;
  }

 private:
  char now() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void blanks() {
    while (space(now())) ++pos_;
  }
  CellPtr refuse(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    return nullptr;
  }
  CellPtr cell(const std::string& spelled, Value value) const {
    auto out = std::make_unique<Cell>();
    out->written = at_;
    out->written.spelled = spelled, out->written.way = Way::Override;
    out->value = std::move(value);
    return out;
  }

  CellPtr element(const std::string& spelled, int depth) {
    if (depth > 32) return refuse("brackets are nested too deeply");
    blanks();
    if (now() == '[' || now() == '{') return container(spelled, depth);
    if (now() == '\'' || now() == '"') return quoted(spelled);
    const std::size_t begin = pos_;
    int inside = 0;
    for (; pos_ < text_.size(); ++pos_) {
      const char c = text_[pos_];
      if (c == '\\' && pos_ + 1 < text_.size()) {
        ++pos_;
        continue;
      }
      if (text_.substr(pos_).starts_with("${"))
        ++inside, ++pos_;
      else if (inside && c == '}')
        --inside;
      else if (c == '(') {
        ++inside;
        function_ = true;
      } else if (c == ')' && inside)
        --inside;
      else if (!inside && (c == ',' || c == ']' || c == '}'))
        break;
    }
    if (inside) return refuse(fmt::format("'{}' is never closed", text_));
    const std::string_view raw = trim(text_.substr(begin, pos_ - begin));
    CellPtr out = cell(spelled, literal(raw));
    if (raw.find("${") != std::string_view::npos)
      out->text = raw;
    else if (function_ && raw.ends_with(')'))
      out->open = fmt::format("the function in {} decides", raw);
    else if (raw.find('\\') != std::string_view::npos)
      out->value = unescaped(raw);
    function_ = false;
    return out;
  }

  static std::string unescaped(std::string_view raw) {
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\\' && i + 1 < raw.size()) ++i;
      out += raw[i];
    }
    return out;
  }

  CellPtr quoted(const std::string& spelled) {
    const char quote = now();
    std::string inner;
    for (++pos_; pos_ < text_.size() && now() != quote; ++pos_) {
      if (now() == '\\' && pos_ + 1 < text_.size() && text_[pos_ + 1] == quote) ++pos_;
      inner += now();
    }
    if (pos_ >= text_.size()) return refuse("a quote is never closed");
    ++pos_;
    CellPtr out = cell(spelled, inner);
    if (inner.find("${") != std::string::npos) out->text = inner;
    return out;
  }

  CellPtr container(const std::string& spelled, int depth) {
    const bool list = now() == '[';
    const char close = list ? ']' : '}';
    CellPtr out = cell(spelled, {});
    out->kind = list ? Cell::Kind::List : Cell::Kind::Map;
    ++pos_;
    blanks();
    while (error_.empty() && now() != close) {
      std::string key = fmt::format("[{}]", out->children.size());
      if (!list) {
        const std::size_t colon = text_.find(':', pos_);
        if (colon == std::string_view::npos) return refuse("a map needs `key: value`");
        std::string_view name = trim(text_.substr(pos_, colon - pos_));
        if (name.size() > 1 && (name[0] == '\'' || name[0] == '"')) name = name.substr(1, name.size() - 2);
        key = name;
        pos_ = colon + 1;
      }
      CellPtr item = element(list ? spelled + key : key, depth + 1);
      if (!item) return nullptr;
      out->add(key, std::move(item));
      blanks();
      if (now() == ',')
        ++pos_, blanks();
      else if (now() != close)
        return refuse("a bracket is never closed");
    }
    ++pos_;
    return out;
  }

  std::string_view text_;
  const Fact& at_;
  std::string& error_;
  std::size_t pos_ = 0;
  bool function_ = false;
};

std::vector<std::string> parts(std::string_view key) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t cut = key.find('.');
    out.emplace_back(key.substr(0, cut));
    if (cut == std::string_view::npos) return out;
    key.remove_prefix(cut + 1);
  }
}

Cell* at_path(Cell& root, std::string_view key) {
  Cell* cell = &root;
  for (const std::string& part : parts(key))
    if (!(cell = cell->find(part))) return nullptr;
  return cell;
}

bool same(const Cell& a, const Cell& b) {
  if (a.scalar() && b.scalar()) return a.text.empty() && b.text.empty() && a.value == b.value;
  if (a.kind != b.kind || a.children.size() != b.children.size()) return false;
  for (const CellPtr& child : a.children) {
    const Cell* other = b.find(child->name);
    if (!other || !same(*child, *other)) return false;
  }
  return true;
}

}  // namespace

std::optional<Word> read_word(std::string_view text, std::string& error) {
  Word out;
  const std::size_t equals = text.find('=');
  std::string_view key = text.substr(0, equals);
  if (key.starts_with("++"))
    out.kind = Word::Kind::Force, key.remove_prefix(2);
  else if (key.starts_with('+'))
    out.kind = Word::Kind::Add, key.remove_prefix(1);
  else if (key.starts_with('~'))
    out.kind = Word::Kind::Remove, key.remove_prefix(1);
  out.has_value = equals != std::string_view::npos;
  if (out.has_value) out.value = text.substr(equals + 1);
  if (const std::size_t at = key.find('@'); at != std::string_view::npos)
    out.has_package = true, out.package = key.substr(at + 1), key = key.substr(0, at);
  out.key = key;
  if (key.empty() || key.find_first_of("[]{}() ") != std::string_view::npos || key.starts_with('.') || key.ends_with('.') ||
      key.find("..") != std::string_view::npos)
    error = fmt::format("'{}' is no key: it is names with dots between them", key);
  else if (!out.has_value && out.kind != Word::Kind::Remove)
    error = fmt::format("'{}' has no value: it is written as key=value", text);
  if (!error.empty()) return std::nullopt;
  return out;
}

CellPtr read_value(std::string_view text, const Fact& at, std::string& error) { return ValueReader(text, at, error).read(); }

std::optional<Refusal> apply(Cell& root, const Word& word, const Fact& at, const Merge& merge,
                             const std::function<bool(const std::string&)>& exists) {
  std::string error;
  CellPtr value;
  if (word.has_value) {
    value = read_value(word.value, at, error);
    if (!value) return Refusal{std::move(error), true};
  }
  const std::size_t dot = word.key.rfind('.');
  const std::string section = dot == std::string::npos ? "" : word.key.substr(0, dot),
                    last = word.key.substr(dot == std::string::npos ? 0 : dot + 1);
  Cell* holder = section.empty() ? &root : at_path(root, section);
  Cell* old = holder ? holder->find(last) : nullptr;

  if (word.kind == Word::Kind::Remove) {
    if (!old || (old->scalar() && old->text.empty() && old->value.is_null())) {
      if (!old && exists(word.key)) return std::nullopt;
      return Refusal{fmt::format("~{} deletes a key that is not there", word.key)};
    }
    if (value && !same(*old, *value))
      return Refusal{fmt::format("~{} deletes only that value, and it is {}", word.key, old->scalar() ? to_string(old->value) : "a table"),
                     true};
    if (holder->map()) holder->take(last);
    return std::nullopt;
  }
  const bool there = old != nullptr;
  if (word.kind == Word::Kind::Change && !there && !exists(word.key)) {
    // The nearest sibling is what was meant.
    std::string_view missing = last;
    const Cell* deepest = holder;
    if (!deepest) {
      deepest = &root;
      for (const std::string& part : parts(section)) {
        const Cell* next = deepest->find(part);
        if (!next) {
          missing = std::string_view(word.key).substr(word.key.find(part), part.size());
          break;
        }
        deepest = next;
      }
    }
    std::vector<std::string_view> names;
    for (const CellPtr& child : deepest->children) names.push_back(child->name);
    const auto near = nearest(missing, names, 1);
    std::string message =
        fmt::format("{} is not there: {} has no {}", word.key, deepest->up ? deepest->path() : "the configuration", missing);
    if (!near.empty()) message += fmt::format("; the nearest is {}", near[0]);
    return Refusal{std::move(message)};
  }
  if (word.kind == Word::Kind::Add && there && value->scalar() &&
      !(old->scalar() && old->text.empty() && (old->value.is_null() || old->mandatory())))
    return Refusal{fmt::format("+{} adds a key, and it is there already", word.key)};
  // Sections on the way are made where the word may add.
  if (!holder) {
    holder = &root;
    for (const std::string& part : parts(section)) {
      Cell* next = holder->find(part);
      if (!next || next->scalar()) {
        CellPtr made = make_map();
        made->written = at;
        made->written.spelled = part;
        next = holder->add(part, std::move(made));
      }
      holder = next;
    }
  }
  if (holder->scalar()) {
    if (holder->interpolated()) {
      holder->open = fmt::format("{} is set below an interpolation", word.key);
      return std::nullopt;
    }
    if (word.kind == Word::Kind::Change) return Refusal{fmt::format("{} is not there: {} is no table", word.key, section)};
    holder->kind = Cell::Kind::Map;
    holder->value = Null{};
  }
  if (holder->kind == Cell::Kind::List) {
    if (!old) return Refusal{fmt::format("{} is not there: the list has no such item", word.key)};
    std::string name = old->name;
    for (CellPtr& child : holder->children)
      if (child.get() == old) {
        value->chain.push_back(overridden(*old));
        value->up = holder, value->name = name;
        child = std::move(value);
        break;
      }
    return std::nullopt;
  }
  merge.put(*holder, last, std::move(value));
  return std::nullopt;
}

}  // namespace shardlint::layering
