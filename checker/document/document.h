// One tree for TOML, YAML and JSON: what is written, where every key and value stands, and how it is spelled.
//
// The tree keeps what a syntax has, not what a loader makes of it. `1e-5` in YAML is the plain scalar "1e-5"; whether that is a number
// is the loader dialect's affair (dialect.h). TOML and JSON say themselves what a scalar is, so there `Node::value` is set.
//
// Aliases point to their anchor's node and never copy it, so a "billion laughs" file costs its own length. YAML merge keys stay plain
// entries here; `entries()` expands them with a budget. Duplicate keys all stay in the tree; the last one wins and the others are marked.
//
// Bad input is a Problem with a range, never an exception; what was readable before it stays in the tree. Limits: 64 MiB a file, 200
// levels, 200 parts in a dotted TOML key, 100,000 entries through merges.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/value.h"
#include "checker/text/source.h"

namespace shardlint {

enum class Format { Toml, Yaml, Json, Cpp };

// How a scalar is spelled. Only plain YAML scalars are open to a dialect's reading; a quoted one is text.
// TOML and JSON: strings are quoted (Single for TOML's literal strings, Literal for its multi-line ones), all else Plain.
enum class Style { Plain, SingleQuoted, DoubleQuoted, Literal, Folded };

struct Node;

struct Entry {
  std::string key;  // after unquoting
  Range key_range;  // with its quotes; for a dotted TOML key this part alone
  const Node* value = nullptr;
  Range value_range;      // where the value stands: the alias token for an alias, else the node's range. Empty if nothing is written.
  bool alias = false;     // the value is a YAML alias: an edit replaces the token, not the anchored node
  bool shadowed = false;  // a later entry of the same mapping has the same key and wins
};

struct Item {
  const Node* value = nullptr;
  Range value_range;
  bool alias = false;
};

struct Node {
  enum class Kind { Scalar, Sequence, Mapping };
  Kind kind = Kind::Scalar;
  Style style = Style::Plain;
  bool flow = false;           // written with brackets: YAML flow style, TOML inline tables and arrays, all JSON
  Range range;                 // scalars with their quotes; a TOML table made by a header: the header line
  std::string text;            // scalar text after unquoting, unfolding and escapes
  std::string tag;             // an explicit YAML tag, e.g. "!!str" as "tag:yaml.org,2002:str", else empty
  std::optional<Value> value;  // what the syntax itself says of a scalar (TOML, JSON; dates come as text)
  std::vector<Entry> entries;  // Mapping, in file order
  std::vector<Item> items;     // Sequence, in file order
};

struct Comment {
  Range range;  // from the # (or //) to the end of the line, without the line ending
};

// Why a file cannot be read, or cannot be read whole.
struct Problem {
  std::string message;  // "this list is never closed": for people, without line numbers
  Range range;
  std::string context;  // "opened here", empty if there is none
  std::optional<Range> context_range;
};

struct Duplicate {
  std::string key;
  Range first;   // key range that loses
  Range second;  // key range that wins (or, in TOML, is refused)
};

class Document {
 public:
  Format format = Format::Yaml;
  SourcePtr source;
  std::vector<const Node*> roots;  // one per YAML document; one for TOML and JSON; none for an empty or unreadable file
  std::vector<Comment> comments;   // in file order
  std::vector<Problem> problems;   // empty: the file was read whole
  std::vector<Duplicate> duplicates;

  Place place(Range range) const { return {source, range}; }
  std::string_view raw(Range range) const { return source->text(range); }

  // The entries that a loader sees: own entries that are not shadowed, then those merged in through `<<` (YAML) that no own key covers.
  std::vector<const Entry*> entries(const Node& mapping) const;
  const Entry* find(const Node& mapping, std::string_view key) const;

  // For the readers.
  Node* make(Node::Kind kind);

 private:
  std::vector<std::vector<Node>> nodes_;  // each filled to what it has room for, and never beyond: a node stays where it is
};

using DocumentPtr = std::shared_ptr<const Document>;

// By extension (.toml, .yaml, .yml, .json, and what compilers take for C++: .cpp .cc .cxx .cu); empty for any other. Of C++ only the
// comments are read here.
std::optional<Format> format_of(std::string_view path);

// Never fails: problems are in the document. `hjson` lets comments and missing or trailing commas pass in JSON.
DocumentPtr read_document(SourcePtr source, Format format, bool hjson = false);

// One line for tests: {a: 1, b: ["x", ~]}: plain scalars as written, quoted ones in double quotes, aliases as *, shadowed entries with !.
std::string dump(const Document& document);

}  // namespace shardlint
