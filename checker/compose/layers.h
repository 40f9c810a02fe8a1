// What the styles of composition share while they build one tree. Private to compose/.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "checker/compose/cell.h"
#include "checker/compose/compose.h"
#include "checker/compose/interpolate.h"
#include "checker/compose/override.h"
#include "checker/diag/composition.h"

namespace shardlint::layering {

// A file that an include names.
struct Found {
  enum class State { Read, Missing, Outside };  // Outside: not ours to read, or too many
  State state = State::Missing;
  DocumentPtr document;
  std::string path;
};

inline constexpr std::size_t kMaxIncludeDepth = 32, kMaxFiles = 256, kMaxLayers = 1000;

class Stack {
 public:
  Stack(const Files& files, const Layers& layers, Composed& out);

  // ---- files
  Found open(const std::string& path);
  bool enter() { return ++entered_ <= kMaxLayers; }  // counts what is merged: files that include each other many times over multiply
  const Inside& inside() const { return inside_; }
  // `relative` below `folder`, below the folders above it and the schema's search folders in each of them, up to the workspace.
  std::string locate(const std::string& folder, const std::string& relative);
  const Files& files() const { return files_; }

  // ---- trees
  CellPtr read(const DocumentPtr& document);  // an empty map for an empty document; null if the top is no map
  bool own(const DocumentPtr& document) const;
  Budget budget;
  Merge merge;
  Surroundings world;

  // ---- saying
  Finding& report(const RuleInfo& info, std::string message, std::string effect, Place place);
  // The file that an include names is not there: said if that is certain, and what was merged so far becomes open if it is not.
  void missing(const std::string& named, const std::string& path, const Place& place, Cell* so_far, bool certain);
  void circle(const std::string& path, const Place& place);

  const Layers& layers() const { return layers_; }
  const Schema& schema() const { return *layers_.schema; }
  Composed& out() { return out_; }

 private:
  const Files& files_;
  Inside inside_;  // the workspace
  const Layers& layers_;
  Composed& out_;
  std::map<std::string, DocumentPtr> read_;
  std::size_t entered_ = 0;
};

// One document with all that it includes, as one tree.
CellPtr compose_inherit(Stack& stack, const DocumentPtr& document);                          // NeMo-RL
CellPtr compose_hydra(Stack& stack, const DocumentPtr& document, std::vector<Fact>& words);  // takes the group overrides out of `words`
CellPtr compose_base(Stack& stack, const DocumentPtr& document);                             // MaxText
CellPtr compose_primus(Stack& stack, const DocumentPtr& document);

// The places and texts of a `defaults`-like key: a text or a list of texts.
struct Named {
  std::string text;
  Place place;
};
std::vector<Named> named_files(const Cell& cell);

}  // namespace shardlint::layering
