// Binding files: what a team says of its own C++ types. Read here with places, so that every mistake is a finding in the file; handed to
// the front end as JSON; and turned into a framework whose law the plans are held to.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/document/fact.h"
#include "checker/launch/program.h"
#include "checker/schema/load.h"

namespace shardlint {

// A framework made from a binding file when it is read: no keys, the canonical fields alone, and the binding's own law.
struct BoundFramework {
  SchemaData data;
  const Schema& schema() const { return data.schema; }
};

class BindingFile {
 public:
  BindingFile(SourcePtr source, std::string title);

  const SourcePtr& source() const { return source_; }
  const std::string& name() const { return name_; }  // of the framework
  const std::vector<Finding>& mistakes() const { return mistakes_; }
  const std::string& json() const { return json_; }
  // Whether a text could hold something that is bound: it has the last part of a bound name, as a word.
  bool mentioned_in(std::string_view text) const;
  // The framework for plans that this row binds ("type[0]"): derivations differ by row. Null if the file is broken.
  std::shared_ptr<const BoundFramework> framework(const std::string& row) const;
  // The place of a row or a word in it: "type[0].fields.tensor_ways"; of what is nearest where it is not there.
  Place place(std::string path) const;
  const std::vector<std::string>& programs() const { return programs_; }  // whose flags are bound, as launch scripts name them
  // The team's own launcher; its program is empty if it has none.
  const launch::OwnLauncher& launcher() const { return launcher_; }
  // Variables that its launcher gives to each process, and the fields that they are.
  const std::vector<std::pair<std::string, std::string>>& environment() const { return environment_; }
  // Whether the program counts its ranks from its launcher's words and variables, not as one a process.
  bool counts_ranks() const;
  // Whether it binds a type that `other` binds too, or is for the same framework.
  bool covers(const BindingFile& other) const;
  // Whether anything in a row is bound to a field.
  bool binds(const std::string& row, std::string_view field) const;
  // The field that a key of a text means; empty if it means none.
  std::string text_field(const std::string& row, const std::string& key) const;

 private:
  struct Reader;

  SourcePtr source_;
  DocumentPtr document_;
  std::string name_ = "binding", title_, json_;
  Facts facts_;
  std::vector<Finding> mistakes_;
  std::vector<std::string> words_, types_, programs_;
  launch::OwnLauncher launcher_;
  std::vector<std::pair<std::string, std::string>> environment_;
  mutable std::mutex making_;
  mutable std::map<std::string, std::shared_ptr<const BoundFramework>> frameworks_;  // by row
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> derive_;   // by row
};

using BindingPtr = std::shared_ptr<const BindingFile>;

// Those that come with shardlint: InfiniTrain, TensorRT-LLM.
const std::vector<BindingPtr>& built_in_bindings();
// The canonical field behind a name of a binding: "precision" is precision.compute; empty if there is none.
std::string_view canonical_field(std::string_view name);
// Names of bindings that are no names of fields, with the fields that they stand for.
std::span<const std::pair<std::string_view, std::string_view>> field_aliases();

}  // namespace shardlint
