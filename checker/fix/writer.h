// The writers turn a change to a fact into edits of the file that the fact is written in.
//
// One writer per syntax (yaml_writer.cc, toml_writer.cc, json_writer.cc); no rule ever writes text. A writer proposes edits; before they
// are given out they are made on the text, the result is read again, and everything in it but the one change must be what it was: every
// key, value, spelling and comment. Otherwise the answer is nullopt. So a fix never breaks a file, whatever odd corner of a syntax it
// meets, and a writer may answer nullopt wherever care would cost more than it brings. A file that could not be read whole is not
// edited, keys that are written twice excepted.
//
// A YAML value that several places share is changed only if they share it through merge keys (`<<`), where it is edited in the mapping
// that spells it and so changes for every mapping that merges it. A value that is also reached through an alias is left alone; where the
// value *is* an alias, the alias is replaced and the anchored node stays.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/fact.h"
#include "checker/text/source.h"

namespace shardlint {

// Gives `fact` the value `to`. Only the value's own bytes are touched; the kind of quotes stays. `dialect` is what the file's loader
// speaks: reals, text and booleans are spelled so that it reads back exactly `to`. Null in TOML, infinities in JSON: nullopt.
// Under Dialect::Argparse a list is one quoted string of words, "[a b c]".
std::optional<std::vector<Edit>> write_value(const Fact& fact, const Value& to, Dialect dialect);

// Adds the key `path` ("parallelism.tensor_parallel_degree", "stages[0].name") below `root`, one of the document's roots, behind the last
// sibling and with its indentation. Tables that are missing are made: nested mappings in YAML and JSON, a header at the end of a TOML
// file. A key that is there already is no insertion: nullopt.
std::optional<std::vector<Edit>> insert_key(const DocumentPtr& document, const Node& root, std::string_view path, const Value& value,
                                            Dialect dialect);

// Deletes the fact's entry or list item: its lines with their trailing comments, or, between brackets, itself with its comma. Comments
// on lines of their own stay. A YAML mapping that loses its last entry becomes `{}`.
std::optional<std::vector<Edit>> remove_fact(const Fact& fact);

// How C++ spells a value.
struct CodeSpelling {
  Place literal;          // one literal or enumerator of its own
  bool inverted = false;  // the program says the opposite
  Place insert;           // if it is not its own: where an initialiser could be written, between these two texts
  std::string before, after;
  std::map<std::string, std::string> words;  // canonical word -> enumerator or text
};
// A place in C++; null where neither a literal nor an initialiser can be written.
std::shared_ptr<const Spot> code_spot(CodeSpelling code);

// Renames the last key of the fact; its quotes stay.
std::optional<std::vector<Edit>> rename_key(const Fact& fact, std::string_view new_key);

}  // namespace shardlint
