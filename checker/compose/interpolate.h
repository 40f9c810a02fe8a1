// OmegaConf's interpolation: ${a.b}, ${.sibling}, ${resolver:argument, ...}, and text around them.
//
// Resolution is lazy and from the final tree; every cell is resolved once. A whole-string interpolation keeps its type, text around it
// makes text in Python's spelling. Resolvers: oc.env, oc.select, oc.decode; multiply mul sum add div max divide_ceil divide_floor with
// Python's operators where a schema registers them. What the environment or an opaque resolver decides is open: unknown, with the reason.
//
// Bounds: 64 levels, 50,000 steps in all, 64 KiB of text a value.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/compose/cell.h"

namespace shardlint::layering {

struct Resolved {
  enum class State { Known, Container, Open, Missing, Failed };
  State state = State::Known;
  Value value;                     // Known
  const Cell* cell = nullptr;      // Container: the map or list itself
  std::string why;                 // Open, Missing, Failed
  std::vector<Step> sources;       // where the parts come from
  std::vector<std::string> reads;  // paths of the literals it rests on
};

struct Failure {
  const Cell* at = nullptr;
  std::string message;
  bool missing = false;        // it names a key that is not there
  bool known_section = false;  // in a section that is there
};

struct Surroundings {
  const Cell* root = nullptr;
  std::span<const std::string_view> resolvers;
  bool strict = true;  // a resolver that nobody registers is an error; else it may be the user's own
  std::map<std::string, std::string> environment;
  std::string partial;  // why a key that is not there may be there all the same; else empty
};

class Resolver {
 public:
  explicit Resolver(const Surroundings& world, const std::map<std::string, Value>* changed = nullptr) : world_(world), changed_(changed) {}
  const Resolved& resolve(const Cell& cell);
  // The cell at a dotted path from the root, interpolations on the way seen through; null if it is not there or not known.
  const Cell* select(std::string_view path);
  // A value given as text outside the tree, such as a group's option: ${dataset}_small.
  Resolved text(const std::string& text);
  const std::vector<Failure>& failures() const { return failures_; }

 private:
  friend class Expression;
  Resolved walk(const Cell* from, std::span<const std::string> segments, const std::string& shown);

  const Surroundings& world_;
  const std::map<std::string, Value>* changed_;
  std::unordered_map<const Cell*, Resolved> done_;
  std::vector<const Cell*> busy_;
  std::vector<Failure> failures_;
  std::size_t steps_ = 0;
  int nesting_ = 0;  // strings that are read inside strings
};

// A word of the argument grammar: integer, float, true/false/null in any case, else text.
Value literal(std::string_view text);
// As Python prints it: True, None, 1e-05.
std::string python_text(const Value& value);
// Is this one of the resolvers that are computed here?
bool computed_resolver(std::string_view name);

}  // namespace shardlint::layering
