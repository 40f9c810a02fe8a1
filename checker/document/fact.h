// A fact: a framework's key has this value, and it is written here, in this way.
//
// Every front end (documents, launch scripts, C++) reduces its input to facts. Nothing behind the front ends knows syntax.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/dialect.h"
#include "checker/document/document.h"
#include "checker/text/source.h"

namespace shardlint {

// The path of the setting that says that a run's files and words are all that it is started with.
inline constexpr std::string_view kStarted = "started";

// How a fact came to be written, which decides who can rewrite it.
enum class Way {
  Scalar,       // a value in a document
  Container,    // a table or list in a document
  Flag,         // a command-line flag written as a document's key, whose presence or value counts (Megatron's MODEL_ARGS)
  Word,         // a word of a command in a launch script
  Override,     // key=value from [[run]] overrides or behind --
  Setting,      // shardlint.toml or the command line: cluster facts; never blamed before a user's file
  Code,         // C++ that builds a plan; the path is a canonical field
  FlagDefault,  // the default of a flag that C++ defines: a command line may change it
};

// One station of a value on its way into the run: what was said where, before this fact won or for it to be computed from.
struct Step {
  std::string says;
  Place place;
};

// How a composed value follows from others: an interpolation.
class Formula {
 public:
  virtual ~Formula() = default;
  // The value if the named facts had other values; none if it cannot be known.
  virtual std::optional<Value> value(const std::map<std::string, Value>& changed) const = 0;
  std::vector<std::string> reads;  // paths of the facts that hold the literals it rests on
};

// How a fact that stands in no document is rewritten. The front end that read it knows its syntax.
class Spot {
 public:
  virtual ~Spot() = default;
  // The text that write() replaces; empty where there is not one. What several plans read is not one plan's to change.
  virtual Place written() const { return {}; }
  virtual std::optional<std::vector<Edit>> write(const Value& to) const = 0;
  virtual std::optional<std::vector<Edit>> remove() const = 0;
  virtual std::optional<std::vector<Edit>> rename(std::string_view spelled) const = 0;  // "--new-name"
  // Writes a setting that is not there yet beside this one. None where that is not this place's to do.
  virtual std::optional<std::vector<Edit>> add(std::string_view path, const Value& value) const {
    static_cast<void>(path), static_cast<void>(value);
    return std::nullopt;
  }
};

struct Fact {
  std::string path;     // the key's path in the framework's spelling: "parallelism.tensor_parallel_degree", "data_stages[0].name"
  std::string spelled;  // the last key as the user spelled it, for messages: "tensor_parallel_degree", "--bf16"
  Value value;          // as the dialect reads it
  Place place;          // of the value; of the key where no value is written
  Place key_place;
  Way way = Way::Scalar;
  DocumentPtr document;          // for the writers; null for settings
  const Node* node = nullptr;    // the value
  const Node* parent = nullptr;  // the mapping or sequence that holds it
  std::string word;              // Override: as it was given, "+a.b=1"
  std::string open;              // why nobody can know the value here: "the environment variable HOME decides"; else empty
  bool inherited = false;        // from a file that the run's own files include
  bool builtin = false;          // from one that the framework brings: its defaults, which nobody of the users wrote
  bool attached = false;         // a canonical field that a file of another framework decides, which belongs to the same job
  std::shared_ptr<const std::vector<Step>> chain;  // nearest first; null: it was written once
  std::shared_ptr<const Formula> formula;          // null: the value is literal
  std::shared_ptr<const Spot> spot;                // for the writers, where no document holds it; null: nobody can rewrite it

  bool of_code() const { return way == Way::Code || way == Way::FlagDefault; }
};

using Facts = std::vector<Fact>;

// Every node below `root` as a fact in file order: containers first, then what they hold. Merged YAML keys are included. The root itself
// is no fact. List items have an index in their path. At most 200,000 values with paths of 16 MiB in all are taken, which only aliases and
// hostile files exceed; `cut` is then the key of the root below which they came to more. Without a dialect the values are not read yet.
Facts facts_of(const DocumentPtr& document, const Node& root, std::optional<Dialect> dialect, Place* cut = nullptr);

// Reads the values of a document's facts, as a dialect does.
void read_values(Facts& facts, Dialect dialect);

}  // namespace shardlint
