// A script's text and its statements, by recursive descent. The words of a simple command are scan.h's.
//
// An error costs its line: a `fi` without an `if`, a quote that is never closed are noted as unreadable, and reading goes on behind them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checker/shell/scan.h"
#include "checker/shell/text.h"

namespace shardlint::shell {

struct Statement {
  enum class Kind {
    Sequence,    // statements in a row: a program, a body
    Simple,      // a command, assignment or declaration, with its redirections: scan::simple() reads it
    List,        // a && b || c
    Pipeline,    // a | b
    Subshell,    // ( a )
    Group,       // { a; }
    Not,         // ! a
    Test,        // [[ expression ]]; `words` holds the expression
    Arithmetic,  // (( expression ))
    If,          // children: condition, body, condition, body ... [last body]
    Case,        // a child for each arm
    For,         // for x in words
    Count,       // for ((begin; condition; step)): `words` holds the three
    While,       // children: condition, body
    Function,
    Redirected,  // a compound statement (the child) with redirections behind it
    Other,       // not followed: coproc, select, nested too deeply
  };
  Kind kind = Kind::Sequence;
  scan::Span span;
  std::vector<Statement> children;
  std::vector<scan::Span> words;                  // For: the words. Case: the subject.
  scan::Span name;                                // For: the variable. Function: its name.
  std::vector<bool> or_else;                      // List: whether || stands before the child; the first is false
  std::vector<std::vector<scan::Span>> patterns;  // Case
  std::vector<std::string> ends;                  // Case: ";;", ";&", ";;&"
  bool until = false;                             // While
  bool all_arguments = false;                     // For without `in`
  bool has_else = false;                          // If
  bool background = false;
};

// By the place of its operator.
struct HereDocument {
  std::size_t op = 0;
  scan::Span body;
};

struct Code {
  Text text;
  std::string path;
  Statement root;
  std::vector<HereDocument> here;
  std::vector<scan::Span> comments;
  std::vector<scan::Span> unreadable;
  bool too_deep = false;

  std::string_view bytes() const { return text.flat(); }
  Text at(scan::Span span) const { return text.slice(span.begin, span.end); }
};
using CodePtr = std::shared_ptr<const Code>;

CodePtr parse(Text text, std::string path);

std::string dump(const Code& code);  // the statements' kinds, nesting and places, for tests

}  // namespace shardlint::shell
