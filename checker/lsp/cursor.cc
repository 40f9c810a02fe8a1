#include "checker/lsp/cursor.h"

#include <algorithm>
#include <vector>

namespace shardlint::lsp {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}
std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}
std::string joined(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string(key) : std::string(parent) + "." + std::string(key);
}

std::uint32_t line_begin(std::string_view text, std::uint32_t offset) {
  while (offset > 0 && text[offset - 1] != '\n') --offset;
  return offset;
}
std::uint32_t word_end(std::string_view text, std::uint32_t offset) {
  static constexpr std::string_view kEnds = " \t\r\n,:=]}#\"'";
  while (offset < text.size() && kEnds.find(text[offset]) == std::string_view::npos) ++offset;
  return offset;
}

// Where a comment begins in a line, outside quotation marks; the line's end if there is none.
std::size_t comment_in(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote) {
      if (line[i] == quote) quote = 0;
    } else if ((line[i] == '"' || line[i] == '\'') &&
               (i == 0 || std::string_view(" \t[{,:=-").find(line[i - 1]) != std::string_view::npos)) {
      quote = line[i];
    } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return i;
    }
  }
  return line.size();
}

// ---- YAML

struct YamlLine {
  std::size_t indent = 0;                     // of the key, behind dashes
  std::size_t dash = std::string_view::npos;  // of the last dash, if there is one
  std::string_view key;
  std::size_t value = std::string_view::npos;  // where the value would begin, behind the colon
  bool blank = true;
};

YamlLine read_line(std::string_view line) {
  YamlLine out;
  line = line.substr(0, comment_in(line));
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ') {
      ++at;
    } else if (line[at] == '-' && (at + 1 == line.size() || line[at + 1] == ' ')) {
      out.dash = at++;
    } else {
      break;
    }
  }
  out.indent = at;
  const std::string_view rest = trim(line.substr(at));
  out.blank = rest.empty() && out.dash == std::string_view::npos;
  for (std::size_t colon = line.find(':', at); colon != std::string_view::npos; colon = line.find(':', colon + 1))
    if (colon + 1 >= line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\r') {
      out.key = trim(line.substr(at, colon - at));
      out.value = colon + 1;
      break;
    }
  return out;
}

std::optional<Cursor> in_yaml(std::string_view text, std::uint32_t offset) {
  const std::uint32_t begin = line_begin(text, offset);
  const std::string_view before = text.substr(begin, offset - begin);
  if (comment_in(before) < before.size()) return std::nullopt;
  if (before.find('\t') != std::string_view::npos && trim(before).empty()) return std::nullopt;
  const YamlLine own = read_line(before);
  Cursor out;
  out.indent = static_cast<std::uint32_t>(own.indent);
  std::uint32_t word = begin + static_cast<std::uint32_t>(own.indent);
  if (own.value != std::string_view::npos) {
    out.place = Cursor::Place::Value;
    out.key = unquoted(own.key);
    word = begin + static_cast<std::uint32_t>(own.value);
    while (word < offset && text[word] == ' ') ++word;
    if (word < offset && (text[word] == '[' || text[word] == '{')) return std::nullopt;  // inside brackets a line says too little
    if (word == begin + own.value) return std::nullopt;                                  // directly behind the colon
  }
  out.quoted = word < text.size() && (text[word] == '"' || text[word] == '\'');
  std::uint32_t end = word_end(text, std::max(offset, word + (out.quoted ? 1u : 0u)));
  if (out.quoted && end < text.size() && text[end] == text[word]) ++end;
  out.word = {word, std::max(offset, end)};
  const std::size_t after = text.find_first_not_of(' ', out.word.end);
  out.colon = after != std::string_view::npos && text[after] == ':';
  // Upward: every line that is indented less holds this one.
  std::vector<std::string> path;
  std::size_t indent = own.indent;
  if (own.dash != std::string_view::npos) path.emplace_back("[0]"), indent = own.dash + 1;
  for (std::uint32_t at = begin; at > 0;) {
    const std::uint32_t start = line_begin(text, at - 1);
    const YamlLine line = read_line(text.substr(start, at - 1 - start));
    at = start;
    if (line.blank || line.key.empty()) {
      if (!line.blank && line.dash != std::string_view::npos && line.dash + 1 < indent) path.emplace_back("[0]"), indent = line.dash + 1;
      continue;
    }
    const bool item = line.dash != std::string_view::npos;
    // A list may stand at the column of the key that holds it.
    const bool holds = !path.empty() && path.back() == "[0]" ? line.indent < indent : line.indent < indent;
    if (holds) {
      path.emplace_back(unquoted(line.key)), indent = line.indent;
      if (item) path.emplace_back("[0]"), indent = line.dash + 1;
    } else if (item && line.indent == indent && (path.empty() || path.back() != "[0]")) {
      path.emplace_back("[0]"), indent = line.dash + 1;
    }
    if (indent == 0) break;
  }
  std::string parent;
  for (auto part = path.rbegin(); part != path.rend(); ++part) parent = *part == "[0]" ? parent + "[0]" : joined(parent, *part);
  out.parent = parent;
  return out;
}

// ---- TOML

std::string path_of_header(std::string_view line) {
  const bool list = line.starts_with("[[");
  line.remove_prefix(list ? 2 : 1);
  std::string out;
  std::string_view inner = line.substr(0, line.find(']'));
  while (!inner.empty()) {
    const std::size_t dot = inner.find('.');
    out = joined(out, unquoted(trim(inner.substr(0, dot))));
    inner = dot == std::string_view::npos ? std::string_view() : inner.substr(dot + 1);
  }
  return list ? out + "[0]" : out;
}

std::optional<Cursor> in_toml(std::string_view text, std::uint32_t offset) {
  const std::uint32_t begin = line_begin(text, offset);
  const std::string_view before = text.substr(begin, offset - begin);
  if (comment_in(before) < before.size()) return std::nullopt;
  Cursor out;
  for (std::uint32_t at = begin; at > 0 && out.parent.empty();) {
    const std::uint32_t start = line_begin(text, at - 1);
    const std::string_view line = trim(text.substr(start, at - 1 - start));
    if (line.starts_with('[') && line.find('=') == std::string_view::npos && line.find(',') == std::string_view::npos)
      out.parent = path_of_header(line);
    at = start;
  }
  const std::size_t first = before.find_first_not_of(" \t");
  std::uint32_t word = begin + static_cast<std::uint32_t>(first == std::string_view::npos ? before.size() : first);
  const std::size_t equals = before.find('=');
  if (first != std::string_view::npos && before[first] == '[' && equals == std::string_view::npos) {
    out.place = Cursor::Place::Header, out.parent.clear();
    while (word < offset && text[word] == '[') ++word;
  } else if (equals != std::string_view::npos) {
    out.place = Cursor::Place::Value;
    out.key = unquoted(trim(before.substr(0, equals)));
    word = begin + static_cast<std::uint32_t>(equals) + 1;
    while (word < offset && text[word] == ' ') ++word;
    // In a list the last item counts.
    const std::string_view value = text.substr(word, offset - word);
    if (const std::size_t comma = value.find_last_of("[,"); comma != std::string_view::npos) {
      word += static_cast<std::uint32_t>(comma) + 1;
      while (word < offset && text[word] == ' ') ++word;
    }
  }
  // A dotted key's parts before the last are its tables.
  std::string& dotted = out.place == Cursor::Place::Value ? out.key : out.parent;
  if (out.place == Cursor::Place::Value) {
    if (const std::size_t dot = dotted.rfind('.'); dot != std::string::npos) {
      out.parent = joined(out.parent, dotted.substr(0, dot));
      out.key = dotted.substr(dot + 1);
    }
  } else if (out.place == Cursor::Place::Key) {
    const std::string_view typed = text.substr(word, offset - word);
    if (const std::size_t dot = typed.rfind('.'); dot != std::string_view::npos) {
      out.parent = joined(out.parent, typed.substr(0, dot));
      word += static_cast<std::uint32_t>(dot) + 1;
    }
  }
  out.quoted = word < text.size() && (text[word] == '"' || text[word] == '\'');
  std::uint32_t end = word_end(text, std::max(offset, word + (out.quoted ? 1u : 0u)));
  if (out.quoted && end < text.size() && text[end] == text[word]) ++end;
  out.word = {word, std::max(offset, end)};
  const std::size_t after = text.find_first_not_of(' ', out.word.end);
  out.colon = after != std::string_view::npos && text[after] == '=';
  return out;
}

// ---- JSON

std::optional<Cursor> in_json(std::string_view text, std::uint32_t offset) {
  struct Level {
    bool list = false;
    std::string key;     // of the entry that is being written
    bool value = false;  // behind its colon
  };
  std::vector<Level> levels;
  std::uint32_t word = offset;
  bool in_text = false;
  for (std::uint32_t at = 0; at < offset;) {
    const char c = text[at];
    if (c == '"') {
      std::uint32_t end = at + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min<std::uint32_t>(end, static_cast<std::uint32_t>(text.size()));
      if (end >= offset) {
        word = at, in_text = true;
        break;
      }
      if (!levels.empty() && !levels.back().list && !levels.back().value)
        levels.back().key = std::string(text.substr(at + 1, end - at - 1));
      at = end + 1;
      continue;
    }
    if (c == '#' || (c == '/' && at + 1 < text.size() && text[at + 1] == '/')) {
      while (at < offset && text[at] != '\n') ++at;
      if (at >= offset) return std::nullopt;
      continue;
    }
    if (c == '{' || c == '[') levels.push_back({c == '[', "", false});
    if ((c == '}' || c == ']') && !levels.empty()) levels.pop_back();
    if (c == ':' && !levels.empty()) levels.back().value = true;
    if (c == ',' && !levels.empty()) levels.back().value = false, levels.back().key.clear();
    ++at;
  }
  if (levels.empty()) return std::nullopt;
  Cursor out;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) out.parent = levels[i].list ? out.parent + "[0]" : joined(out.parent, levels[i].key);
  if (levels.back().list) return std::nullopt;
  out.place = levels.back().value ? Cursor::Place::Value : Cursor::Place::Key;
  out.key = levels.back().key;
  if (!in_text) {
    static constexpr std::string_view kEnds = " \t\r\n,:[]{}\"";
    while (word > 0 && kEnds.find(text[word - 1]) == std::string_view::npos) --word;
  }
  out.quoted = in_text;
  std::uint32_t end = word_end(text, std::max(offset, word + (in_text ? 1u : 0u)));
  if (in_text && end < text.size() && text[end] == '"') ++end;
  out.word = {word, std::max(offset, end)};
  const std::size_t after = text.find_first_not_of(' ', out.word.end);
  out.colon = after != std::string_view::npos && text[after] == ':';
  return out;
}

}  // namespace

std::optional<Cursor> cursor_at(std::string_view text, std::uint32_t offset, Format format) {
  offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
  switch (format) {
    case Format::Yaml: return in_yaml(text, offset);
    case Format::Toml: return in_toml(text, offset);
    case Format::Json: return in_json(text, offset);
    case Format::Cpp: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Cursor> cursor_in_command(std::string_view text, std::uint32_t offset) {
  static constexpr std::string_view kEnds = " \t\r\n\"'()\\;";
  offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
  const std::uint32_t begin = line_begin(text, offset);
  if (const std::string_view before = text.substr(begin, offset - begin); comment_in(before) < before.size()) return std::nullopt;
  std::uint32_t word = offset;
  while (word > begin && kEnds.find(text[word - 1]) == std::string_view::npos) --word;
  Cursor out;
  std::uint32_t end = offset;
  while (end < text.size() && kEnds.find(text[end]) == std::string_view::npos) ++end;
  out.word = {word, end};
  const std::string_view typed = text.substr(word, offset - word);
  if (typed.starts_with("--")) {
    const std::size_t equals = typed.find('=');
    if (equals == std::string_view::npos) {
      out.word.end = std::min<std::uint32_t>(end, static_cast<std::uint32_t>(std::min(text.find('=', offset), text.size())));
      return out;
    }
    out.place = Cursor::Place::Value, out.key = std::string(typed.substr(0, equals));
    out.word.begin += static_cast<std::uint32_t>(equals) + 1;
    return out;
  }
  // The word before it, which may stand on the line above behind a backslash.
  std::uint32_t before = word;
  while (before > 0 && std::string_view(" \t\r\n\\").find(text[before - 1]) != std::string_view::npos) --before;
  std::uint32_t start = before;
  while (start > 0 && kEnds.find(text[start - 1]) == std::string_view::npos) --start;
  const std::string_view flag = text.substr(start, before - start);
  if (!flag.starts_with("--") || flag.find('=') != std::string_view::npos) return std::nullopt;
  out.place = Cursor::Place::Value, out.key = std::string(flag);
  return out;
}

}  // namespace shardlint::lsp
