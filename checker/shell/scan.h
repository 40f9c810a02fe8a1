// The lexical side of bash: where quotes, expansions, words and simple commands end. Works on bytes; nothing is expanded here.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace shardlint::shell::scan {

inline bool blank(char c) { return c == ' ' || c == '\t'; }
inline bool space(char c) { return blank(c) || c == '\n'; }
inline bool digit(char c) { return c >= '0' && c <= '9'; }
inline bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool name_char(char c) { return name_start(c) || digit(c); }
inline bool metacharacter(char c) { return space(c) || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(' || c == ')'; }

struct Span {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
  friend bool operator==(Span, Span) = default;
};

bool is_name(std::string_view text);
std::size_t name_end(std::string_view text, std::size_t at);     // `at` itself if no name begins there
std::size_t skip_blanks(std::string_view text, std::size_t at);  // and continued lines
std::size_t line_end(std::string_view text, std::size_t at);     // at the \n or the end

// Behind the quoted text, escape, expansion or substitution that begins at `at`; at + 1 if none does. Never behind the end.
std::size_t construct_end(std::string_view text, std::size_t at);
// Behind the bracket that closes the one at `at`: ( ) { } [ ], with quotes and expansions inside.
std::size_t bracket_end(std::string_view text, std::size_t at);
// Behind the word that begins at `at`. `array`: NAME=( ... ) is one word.
std::size_t word_end(std::string_view text, std::size_t at, bool array = false);

// The words from `begin` on: up to an operator or the end of the line, or, for the inside of an array, all of them over lines and comments.
std::vector<Span> words(std::string_view text, std::size_t begin, std::size_t end, bool lines);
// The parts between top-level occurrences of `separator`, without blanks around them.
std::vector<Span> split(std::string_view text, std::size_t begin, std::size_t end, char separator);

// NAME=, NAME+=, NAME[index]= at the start of a word; `value` begins behind the =.
struct Assignment {
  Span name, index;  // index without its brackets; empty if there is none
  bool indexed = false, append = false;
  Span value;
};
bool assignment(std::string_view text, Span word, Assignment& out);

struct Redirect {
  std::string_view op;
  int descriptor = -1;
  Span target;  // the word behind it; for << the delimiter
  Span all;
};

// A simple command: assignments, words and redirections in the order they are written, up to an operator or the end of the line.
struct Simple {
  std::vector<Span> assignments, words;
  std::vector<Redirect> redirects;
  std::vector<Span> not_continued;  // a backslash, blanks, the end of the line
  std::size_t end = 0;              // at the operator or line end that ends it
  std::size_t last = 0;             // behind its last word or redirection
};
// `declares`: a word such as `export` that takes assignments as arguments.
Simple simple(std::string_view text, std::size_t begin, std::size_t end);
bool declares(std::string_view word);

}  // namespace shardlint::shell::scan
