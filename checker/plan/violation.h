// What the law says before anybody looks for places or fixes: which rule is broken, by which slots, and what one would rather change.
//
// Rules, constraints and the binding of keys all speak in violations; engine/ turns them into findings.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/plan/evaluation.h"

namespace shardlint {

// One change to the facts of a job. Fixes are changes first; the writer of the syntax makes the edit afterwards.
struct Change {
  enum class Kind { Set, Insert, Remove, Rename };
  Kind kind = Kind::Set;
  std::uint32_t fact = 0;  // Set, Remove, Rename: index into the job's facts
  Slot slot = kNoSlot;     // Insert: the key that is missing
  std::string path;        // Insert: its path in the document; Rename: the new last key
  Value value;             // Set, Insert
};

struct Proposal {
  std::string title;
  Safety safety = Safety::Unsafe;
  std::vector<Change> changes;
};

struct Violation {
  std::string rule, family;
  Severity severity = Severity::Error;
  std::size_t plan = 0;  // that it is about: index into the schema's plans
  std::string message, effect;
  const Clause* clause = nullptr;
  std::string_view same_as;
  std::vector<Slot> reads;          // what it rests on
  std::vector<Slot> blame;          // who gets the range, in this order; then reads
  std::vector<Slot> rather_change;  // where the search for a fix begins; none: as blamed
  std::vector<Value> candidates;    // values to try first
  // Values of several fields that would mend it together; tried before anything else.
  std::vector<std::vector<std::pair<Slot, Value>>> together;
  // An error only if this field is said of this very run, by its own files, its launch script or the command line. What a project's
  // settings say of its cluster in general makes it a warning: nobody knows where a run will go.
  Slot certain_by = kNoSlot;
  std::optional<std::uint32_t> fact;  // about this fact itself: its value, or
  bool at_key = false;                // its key
  Place place;                        // about neither
  std::vector<Note> notes;
  std::vector<Proposal> proposals;  // fixes that need no search; they are verified like the others
};

// Several names, separated by spaces.
std::vector<std::string> names_in(std::string_view same_as);

struct NotEvaluated {
  std::string_view rule;
  std::vector<Slot> because;  // what would have to be stated
};

}  // namespace shardlint
