// What shardlint says: a finding with its place, the reasons it is believed, and the edits that would mend it.
//
// A finding owns its notes (each with its own place) and a list of *alternative* fixes. Turning findings into text, JSON or anything else
// is report/'s work; nothing here prints.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/document/value.h"
#include "checker/text/source.h"

namespace shardlint {

// Error: the framework refuses, hangs, crashes or trains something else than was written; certain.
// Warning: a written value is silently changed, or the plan is risky or wasteful in every reading.
// Info: could be better; shown by `plan`, hover and --advice.
enum class Severity { Info, Warning, Error };
std::string_view name(Severity severity);  // "info" "warning" "error"

// Safe: what is trained stays what was evidently meant (a number spelled so that the loader reads it, a renamed key).
// Unsafe: the plan changes; the edit was tried and leaves no finding of this kind, but a person must want it.
enum class Safety { Safe, Unsafe };
std::string_view name(Safety safety);

struct Note {
  std::string message;
  Place place;  // empty: a default, or a fact that stands in no file
};

struct Fix {
  std::string title;
  Safety safety = Safety::Unsafe;
  std::vector<Edit> edits;
};

// Messages hold numbers with kThousands where a person wants a separator: text output prints a comma, JSON nothing.
inline constexpr char kThousands = '\x1f';
std::string grouped(std::int64_t number);  // 5120 -> "5\x1f120"
// 1 -> "1 replica", 2500 -> "2,500 replicas"; the word of many where it is not the usual one: plural(2, "GPU is", "GPUs are").
std::string plural(std::int64_t number, std::string_view noun, std::string_view many = {});
std::string many_of(std::string_view noun);                // batch -> batches, copy -> copies
std::string with_commas(std::string_view message);         // for text
std::string without_separators(std::string_view message);  // for JSON

struct Finding {
  std::string rule;               // "topology/model-parallel-does-not-divide-world": for ever
  std::string family;             // one of kFamilies
  std::vector<std::string> also;  // the rules that it states in a framework's words: who names them means this finding too
  Severity severity = Severity::Error;
  std::string message;  // what is wrong, with the numbers
  std::string effect;   // what will happen, said under the caret; may be empty
  Place place;
  std::string plan;  // the name of the plan it is about
  std::string run;   // the first file of the run that was judged; empty: the one it stands in
  // The fields it rests on.
  std::vector<std::pair<std::string, Value>> values;
  std::vector<Note> notes;  // why it is believed: one line a value; then what hangs under it
  std::vector<Fix> fixes;   // alternatives, the least invasive first
};

// The folders of rules/, in the order of reports.
inline constexpr std::string_view kFamilies[] = {"topology",   "stages",   "batch",    "schedule",    "overlap",   "shapes",
                                                 "context",    "moe",      "sharding", "precision",   "recompute", "memory",
                                                 "checkpoint", "training", "launch",   "composition", "hygiene"};

// Whether `name`, as ignores and settings write it, means this finding: its rule, one of the rule's other names, its family, or all
// findings of a framework.
bool means(std::string_view name, std::string_view rule, std::string_view family, const std::vector<std::string>& also);

// A rule's or constraint's identity, as `rules` and `explain` show it.
struct RuleInfo {
  std::string_view name;  // "batch/global-batch-not-divisible"
  std::string_view family;
  Severity severity = Severity::Error;
  std::string_view since;    // the shardlint version that brought it
  std::string_view summary;  // one line: what is flagged
};

}  // namespace shardlint
