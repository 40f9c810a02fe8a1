// Binding: which key of the framework each fact is, what its loader makes of the value, and what is wrong with the spelling of both.
//
// All hygiene of keys and types is said here, because this is the one place that sees what is written beside what is known.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "checker/plan/violation.h"
#include "checker/text/names.h"

namespace shardlint {

// One run of one framework: what is to be judged.
struct Job {
  const Schema* schema = nullptr;
  const FormSpec* form = nullptr;
  std::string version;  // of the framework; empty: its newest
  Facts facts;          // of the documents in the order of merging, then overrides, then settings
  // Which known names are near an unknown one. Copies share it: the search for a fix judges the same misspellings again and again.
  std::shared_ptr<std::map<std::string, std::vector<std::string_view>>> near =
      std::make_shared<std::map<std::string, std::vector<std::string_view>>>();
  std::vector<std::pair<std::string, std::string>> moved = {};  // facts under the first path are written under the second
  std::string partial = {};        // why there may be more than the facts: a layer that could not be read; empty: they are all
  std::string partial_below = {};  // only keys of this section may be more; empty: any
  std::shared_ptr<const FolderModels> models = {};
};

struct Bound {
  std::vector<Binding> bindings;
  std::vector<Violation> violations;
  std::size_t more = 0;  // unknown keys beyond some thousands, which are only counted
  std::vector<Slot>
      rejected;  // required keys that are missing, and keys whose value is refused: they have no value at all, not their default
  bool environment_known = false;
  bool partial = false;                    // keys that are not bound may be set all the same
  std::vector<std::string_view> variants;  // by union of the schema
};

Bound bind(const Job& job);

// The path in the document of a key that is to be inserted: below the form's root, as a flag where keys are flags.
std::string document_path(const Job& job, Slot key);
// How the user would write a key: its last part, or its flag.
std::string spelling(const Job& job, Slot key);

// Whether this version of the framework (empty: its newest) reads files of this form.
bool is_of(const FormSpec& form, const Schema& schema, std::string_view version);

// The paths of facts, to ask many schemas whose they are. The facts must outlive it.
class WrittenPaths {
 public:
  explicit WrittenPaths(const Facts& facts);
  // Whether one of them is `wanted` in the spelling of this framework; a trailing * stands for any ending.
  bool contain(const Schema& schema, std::string_view wanted) const;

 private:
  NameSet all_;
  std::unordered_set<std::string> undashed_;  // those with dashes, as a framework that takes both reads them
};

// The form of `schema` that these facts are written in; null if it is not this framework.
const FormSpec* recognise(const Schema& schema, const WrittenPaths& paths, std::string_view version = "");
const FormSpec* recognise(const Schema& schema, const Facts& facts, std::string_view version = "");

}  // namespace shardlint
