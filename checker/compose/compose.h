// Layers to facts: what a run's documents, the files they include and its overrides come to, every value with its chain.
//
// A pure function: files arrive through `Files` and are never read outside the workspace; the environment arrives as a map; nothing is
// executed. What depends on more than that (a variable without default, a file elsewhere, an opaque resolver) is open, with the reason.
//
// Bounds: 32 files deep, 256 files, 1,000 layers, 200,000 values, and those of interpolate.h.
//
// Facts of a second document (a DeepSpeed JSON named by another framework's file) are put behind these under a prefix: see attach().
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/document/fact.h"
#include "checker/schema/schema.h"
#include "checker/text/files.h"

namespace shardlint {

struct Layers {
  const Schema* schema = nullptr;
  Dialect loader = Dialect::PyYaml;
  std::vector<DocumentPtr> documents;              // the run's own, in the order of merging
  Facts overrides;                                 // Way::Override with their words
  std::map<std::string, std::string> environment;  // what is known of it
  std::string workspace;                           // folder: nothing outside it is read
  bool named = true;                               // by the user: a file that was only found may miss what others bring
  bool complete = false;                           // a run as it is started: what no layer gives, nobody gives
};

struct Composed {
  Facts facts;
  std::vector<Finding> findings;
  std::vector<DocumentPtr> included;                       // read beyond the run's own
  std::vector<std::pair<std::string, std::string>> moved;  // facts under the first path are written under the second
  std::string words_below;                                 // the section that the words of a command line change; empty: the root
  std::string partial_below;                               // only keys of this section may be set that are not seen; empty: any
  std::optional<Place> cut;  // there are more values than are read: the key below which they became too many, if any
  std::string partial;       // why more keys may be set than are seen; empty: all layers were read
};

// Whether the documents ask for more than their own facts: a file that only becomes recognisable with what it includes.
bool includes(const Schema& schema, const DocumentPtr& document);

// Not for Layering::None, whose facts are facts_of() its documents.
Composed compose(const Files& files, const Layers& layers);

// The facts of another document below `prefix`: "deepspeed_config" and zero_optimization.stage give deepspeed_config.zero_optimization.stage.
void attach(Composed& composed, const DocumentPtr& document, const std::string& prefix, Dialect dialect);

// A line a fact that is no table, `key=value @file:line <- where it came from @file:line`, then a line a finding, `! rule: message @file:line`.
std::string dump(const Composed& composed);

}  // namespace shardlint
