// A second opinion on where a script's statements stand: tree-sitter's bash grammar.
//
// The program reads by descent (checker/shell/code.cc) and does not need it. Of 455 scripts of a Debian system the grammar could not read 33
// that bash can, and misread others without a word: `! a | b`, `A= B=` before an `if`, the first blank line of a here-document. Where both
// can read a script of ours, they have to agree.
#pragma once

#include "checker/shell/code.h"

namespace shardlint::shell {

bool read_by_grammar(Code& code);  // false if it cannot

}  // namespace shardlint::shell
