// Of C++ only the comments are read here, for ignores: what the code says is Clang's to read.
#include "checker/document/readers.h"

namespace shardlint {

namespace {

bool is_name(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

void read_cpp(Document& document) {
  const std::string_view text = document.source->text();
  std::size_t at = 0;
  const auto add = [&](std::size_t begin, std::size_t end) {
    document.comments.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}});
  };
  while (at < text.size()) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      std::size_t end = std::min(text.find('\n', at), text.size());
      if (end > at && text[end - 1] == '\r') --end;
      add(at, end);
      at = end;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '"' && at > 0 && text[at - 1] == 'R') {
      const std::size_t open = text.find('(', at);
      const std::string close =
          open == std::string_view::npos || open - at > 17 ? "" : ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
      const std::size_t end = close.empty() ? std::string_view::npos : text.find(close, open);
      at = end == std::string_view::npos ? at + 1 : end + close.size();
    } else if (c == '"' || (c == '\'' && !(at > 0 && is_name(text[at - 1])))) {
      // To its end, or to the line's: a quote that is never closed hides one line at most.
      for (++at; at < text.size() && text[at] != c && text[at] != '\n'; ++at)
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
      ++at;
    } else {
      ++at;
    }
  }
}

}  // namespace shardlint
