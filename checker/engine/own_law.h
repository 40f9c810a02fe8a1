// A team's or a site's own law: [[constraint]] tables of shardlint.toml and site.toml, and of the files that `constraints` names there. They
// are written in the constraint language (schemas/README.md) and judged behind the framework's law, under the names team/NAME and
// site/NAME.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "checker/schema/load.h"
#include "checker/text/files.h"

namespace shardlint {

class OwnLaw {
 public:
  // `owner`: "team" or "site".
  explicit OwnLaw(std::string owner) : owner_(std::move(owner)) {}

  // A table that holds for every framework, or for the one that it names.
  void add(DocumentPtr document, const Node& table, std::vector<std::string>& errors);
  // The tables of a file of constraints.
  void add_file(const Files& files, const std::string& path, const std::string& named_at, std::vector<std::string>& errors);
  // Once all are added: what does not compile is an error now, not when a run of its framework comes along.
  void compile(std::vector<std::string>& errors) const;

  bool empty() const { return constraints_.empty(); }
  // The schema with what holds for it; itself if nothing does.
  const Schema* over(const Schema& schema, bool preview) const;

  struct Listed {
    const Clause* clause;
    const Schema* schema;
    Place place;
    bool preview;
  };
  std::vector<Listed> listed() const;
  std::string page(const Listed& constraint) const;

 private:
  struct Own {
    OwnConstraint constraint;
    std::string name, framework;  // empty: all
    bool preview = false;
  };
  const SchemaData* extended(const Schema& schema, bool preview, std::vector<std::string>& errors) const;

  std::string owner_;
  std::vector<Own> constraints_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<const Schema*, bool>, std::unique_ptr<SchemaData>> extended_;  // null: nothing holds there
};

}  // namespace shardlint
