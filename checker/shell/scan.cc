#include "checker/shell/scan.h"

#include <algorithm>
#include <array>
#include <string>

namespace shardlint::shell::scan {
namespace {

// Deeper nesting than this is taken as ending at the end of the text; nobody writes it.
constexpr int kDeepest = 200;

std::size_t skip(std::string_view s, std::size_t at, int depth);

std::size_t behind(std::string_view s, std::size_t at) { return std::min(at, s.size()); }

std::size_t skip_single(std::string_view s, std::size_t at) {
  const std::size_t close = s.find('\'', at + 1);
  return close == std::string_view::npos ? s.size() : close + 1;
}

std::size_t skip_escaped(std::string_view s, std::size_t at, char close) {  // $'...' and `...`
  for (std::size_t i = at; i < s.size(); ++i) {
    if (s[i] == '\\')
      ++i;
    else if (s[i] == close)
      return i + 1;
  }
  return s.size();
}

std::size_t skip_double(std::string_view s, std::size_t at, int depth) {
  std::size_t i = at + 1;
  while (i < s.size() && s[i] != '"') {
    const bool special = s[i] == '\\' || s[i] == '$' || s[i] == '`';
    i = special && !(s[i] == '$' && i + 1 < s.size() && (s[i + 1] == '\'' || s[i + 1] == '"')) ? skip(s, i, depth + 1) : i + 1;
  }
  return behind(s, i + 1);
}

// The line behind the here-document whose operator stands at `at`; the operator's own line goes on before its body begins. `at` if there is
// no end to it.
std::size_t skip_here(std::string_view s, std::size_t op, std::size_t line_break) {
  std::size_t begin = op + 2;
  const bool tabs = begin < s.size() && s[begin] == '-';
  if (tabs) ++begin;
  begin = skip_blanks(s, begin);
  std::string delimiter;
  for (std::size_t i = begin; i < s.size() && !metacharacter(s[i]); ++i)
    if (s[i] != '\'' && s[i] != '"' && s[i] != '\\') delimiter += s[i];
  if (delimiter.empty()) return line_break;
  for (std::size_t at = line_break + 1; at < s.size();) {
    std::size_t from = at;
    const std::size_t end = line_end(s, at);
    while (tabs && from < end && s[from] == '\t') ++from;
    if (s.substr(from, end - from) == delimiter) return end;
    at = end + 1;
  }
  return line_break;
}

std::size_t skip_bracket(std::string_view s, std::size_t at, int depth) {
  const char open = s[at], close = open == '(' ? ')' : open == '{' ? '}' : ']';
  if (depth > kDeepest) return s.size();
  const bool commands = open == '(' && at + 1 < s.size() && s[at + 1] != '(';
  std::size_t i = at + 1, here = 0;  // the operator of a here-document whose body begins at the end of the line
  int level = 1;
  while (i < s.size()) {
    const char c = s[i];
    if (c == close) {
      if (--level == 0) return i + 1;
      ++i;
    } else if (c == open && open != '{') {  // only ${ opens a brace that } must close
      ++level, ++i;
    } else if (c == '#' && open == '(' && space(s[i - 1])) {
      i = line_end(s, i);
    } else if (commands && c == '<' && s.substr(i, 3) == "<<<") {
      i += 3;
    } else if (commands && c == '<' && s.substr(i, 2) == "<<") {
      if (here == 0) here = i;
      i += 2;
    } else if (c == '\n' && here > 0) {
      i = skip_here(s, here, i) + 1;
      here = 0;
    } else if (c == '\'' || c == '"' || c == '\\' || c == '$' || c == '`') {
      i = skip(s, i, depth + 1);
    } else {
      ++i;
    }
  }
  return s.size();
}

// The end of $(( ... )), or of a command substitution that begins with a subshell: the brackets tell.
std::size_t skip(std::string_view s, std::size_t at, int depth) {
  if (at >= s.size()) return s.size();
  if (depth > kDeepest) return s.size();
  switch (s[at]) {
    case '\'': return skip_single(s, at);
    case '"': return skip_double(s, at, depth);
    case '`': return skip_escaped(s, at + 1, '`');
    case '\\': return behind(s, at + 2);
    case '$': break;
    default: return at + 1;
  }
  if (at + 1 >= s.size()) return s.size();
  const char c = s[at + 1];
  if (c == '\'') return skip_escaped(s, at + 2, '\'');
  if (c == '"') return skip_double(s, at + 1, depth);
  if (c == '(' || c == '{' || c == '[') return skip_bracket(s, at + 1, depth + 1);
  if (name_start(c)) return name_end(s, at + 1);
  if (digit(c) || std::string_view("@*#?$!-").find(c) != std::string_view::npos) return at + 2;
  return at + 1;
}

constexpr std::array<std::string_view, 12> kOperators = {"&>>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&>"};

std::string_view redirection(std::string_view s, std::size_t at) {
  for (const std::string_view op : kOperators)
    if (s.substr(at, op.size()) == op) return op;
  return {};
}

}  // namespace

bool is_name(std::string_view text) { return !text.empty() && name_end(text, 0) == text.size(); }

std::size_t name_end(std::string_view s, std::size_t at) {
  if (at >= s.size() || !name_start(s[at])) return at;
  while (at < s.size() && name_char(s[at])) ++at;
  return at;
}

std::size_t skip_blanks(std::string_view s, std::size_t at) {
  while (at < s.size()) {
    if (blank(s[at]))
      ++at;
    else if (s[at] == '\\' && at + 1 < s.size() && s[at + 1] == '\n')
      at += 2;
    else
      break;
  }
  return at;
}

std::size_t line_end(std::string_view s, std::size_t at) {
  const std::size_t end = s.find('\n', std::min(at, s.size()));
  return end == std::string_view::npos ? s.size() : end;
}

std::size_t construct_end(std::string_view s, std::size_t at) { return skip(s, at, 0); }
std::size_t bracket_end(std::string_view s, std::size_t at) { return skip_bracket(s, at, 0); }

std::size_t word_end(std::string_view s, std::size_t at, bool array) {
  std::size_t i = at;
  while (i < s.size()) {
    const char c = s[i];
    if (array && c == '(' && i > at && s[i - 1] == '=') {
      Assignment found;
      if (assignment(s, {at, i}, found) && found.value.empty()) return skip_bracket(s, i, 0);
    }
    if ((c == '<' || c == '>') && i + 1 < s.size() && s[i + 1] == '(') {  // process substitution
      i = skip_bracket(s, i + 1, 0);
    } else if (metacharacter(c)) {
      break;
    } else if (c == '[' && i > at && array && name_end(s, at) == i) {  // the index of a[i * 2]=
      const std::size_t close = skip_bracket(s, i, 0);
      i = close < s.size() && (s[close] == '=' || s[close] == '+') ? close : i + 1;
    } else {
      i = skip(s, i, 0);
    }
  }
  return i;
}

std::vector<Span> words(std::string_view text, std::size_t begin, std::size_t end, bool lines) {
  const std::string_view s = text.substr(0, end);
  std::vector<Span> out;
  std::size_t at = begin;
  while (true) {
    at = skip_blanks(s, at);
    if (at >= s.size()) return out;
    if (lines && s[at] == '#') {
      at = line_end(s, at);
    } else if (lines && s[at] == '\n') {
      ++at;
    } else if (s[at] == '#') {
      return out;
    } else {
      const std::size_t stop = word_end(s, at);
      if (stop == at && !lines) return out;
      if (stop > at) out.push_back({at, stop});
      at = std::max(stop, at + (stop == at ? 1 : 0));
    }
  }
}

std::vector<Span> split(std::string_view text, std::size_t begin, std::size_t end, char separator) {
  const std::string_view s = text.substr(0, end);
  std::vector<Span> out;
  std::size_t from = begin, at = begin;
  const auto add = [&](std::size_t to) {
    Span part{from, to};
    while (part.begin < part.end && space(s[part.begin])) ++part.begin;
    while (part.end > part.begin && space(s[part.end - 1])) --part.end;
    out.push_back(part);
    from = to + 1;
  };
  while (at < s.size()) {
    if (s[at] == separator) {
      add(at++);
    } else {
      at = s[at] == '(' ? skip_bracket(s, at, 0) : skip(s, at, 0);
    }
  }
  add(s.size());
  return out;
}

bool assignment(std::string_view s, Span word, Assignment& out) {
  out = {};
  s = s.substr(0, word.end);
  std::size_t at = name_end(s, word.begin);
  if (at == word.begin) return false;
  out.name = {word.begin, at};
  if (at < s.size() && s[at] == '[') {
    const std::size_t close = skip_bracket(s, at, 0);
    if (close <= at + 1 || s[close - 1] != ']') return false;
    out.indexed = true;
    out.index = {at + 1, close - 1};
    at = close;
  }
  if (at < s.size() && s[at] == '+') out.append = true, ++at;
  if (at >= s.size() || s[at] != '=') return false;
  out.value = {at + 1, word.end};
  return true;
}

bool declares(std::string_view word) {
  return word == "export" || word == "declare" || word == "local" || word == "readonly" || word == "typeset";
}

Simple simple(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view s = text.substr(0, end);
  Simple out;
  std::size_t at = begin;
  out.last = begin;
  bool takes_assignments = true;
  while (true) {
    at = skip_blanks(s, at);
    out.end = at;
    if (at >= s.size() || s[at] == '\n' || s[at] == '#') return out;
    std::size_t digits = at;
    while (digits < s.size() && digit(s[digits])) ++digits;
    const std::size_t from = at;
    int descriptor = -1;
    if (digits > at && digits - at < 4 && digits < s.size() && (s[digits] == '<' || s[digits] == '>')) {
      descriptor = 0;
      for (; at < digits; ++at) descriptor = descriptor * 10 + (s[at] - '0');
    }
    const bool process = (s[at] == '<' || s[at] == '>') && at + 1 < s.size() && s[at + 1] == '(';
    if (const std::string_view op = redirection(s, at); !op.empty() && !process) {
      const std::size_t target = skip_blanks(s, at + op.size()), target_end = word_end(s, target);
      out.redirects.push_back({op, descriptor, {target, target_end}, {from, target_end}});
      at = out.last = target_end;
      continue;
    }
    if (metacharacter(s[at]) && !process) return out;
    const std::size_t stop = word_end(s, at, takes_assignments);
    Assignment found;
    if (takes_assignments && out.words.empty() && assignment(s, {at, stop}, found)) {
      out.assignments.push_back({at, stop});
    } else {
      out.words.push_back({at, stop});
      if (out.words.size() == 1) takes_assignments = declares(s.substr(at, stop - at));
    }
    if (s[at] == '\\' && stop >= at + 2 && blank(s[at + 1])) {
      std::size_t rest = at + 1;
      while (rest < s.size() && (blank(s[rest]) || s[rest] == '\r')) ++rest;
      if (rest == s.size() || s[rest] == '\n') out.not_continued.push_back({at, rest});
    }
    at = out.last = stop;
  }
}

}  // namespace shardlint::shell::scan
