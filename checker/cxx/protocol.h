// What shardlint and shardlint-cxx say to each other: one request on standard input, JSON lines on standard output.
//
// Request, one object:
//   file       path of the unit; `text` is its content, which need not be on disk
//   directory  relative paths in `flags` start here
//   flags      of the compiler, without the file's name
//   bindings   list of binding files, as JSON tables of the same shape
//   texts      other files that the caller holds: {path: content}
//   words      the words behind the program's name in the command that starts it, null for one that is not known and
//              {"begins": "--flag="} for one whose value is not: flags have these values, and the others keep their defaults for certain
//   keep       whether to keep what the file includes for the next request for it
// With --serve one request a line, each answered by its lines, until standard input ends. The process may end behind an answer; whoever
// asks starts another.
//
// Answer, one object a line, in this order:
//   {"plan": NAME, "binding": N, "role": "plan" | "model" | "flags" | "text" | "map" | "program", "place": PLACE, "facts": [FACT...]}
//   {"mistake": MESSAGE, "at": "@N.type[0].fields.x", "nearest": NAME}     a name of the binding that the unit does not have
//   {"narrowed": MESSAGE, "spelled": PLACE}                                 a value that the type of a bound member cannot hold
//   {"skipped": TEXT}                                                       an include or a declaration that could not be read
//   {"included": [path...]}                                                 the project's own files that the unit includes, at any depth
//   {"done": true, "milliseconds": T}                                       without it the unit was not read whole
//
// FACT:
//   field    canonical name, as the binding spells it
//   name     the member, parameter or flag, as the program spells it
//   state    "known" (then `value`) | "unset" (then `unset`, if the binding says what that means) | "unknown" (then `because`)
//   from     "code" | "default-member" | "default-argument" | "flag-default" | "flag-kept" | "command-line"
//            flag-default: a command line may change it; flag-kept: the one that is known does not; command-line: it gives the value
//   word     command-line: index of the word that holds the value, or the flag alone; `direct`: the flag's value as it stands
//   spelled  PLACE of the literal or initialiser; used: PLACE where it takes effect
//   edit     whether the text at `spelled` can be replaced by another literal; else `fixed` says why not
//   insert   for a member that a list of designated initialisers leaves out: the empty PLACE where it would be written, between `before`
//            and `after`
//   constant the name of the constant that carries the value; macro: the macro's name, `defined` its PLACE
//   words    for enumerators: canonical word -> how this program spells it
//
// PLACE: {"file": path, "begin": byte, "end": byte}
#pragma once

namespace shardlint::cxx {

inline constexpr int kProtocol = 1;

}  // namespace shardlint::cxx
