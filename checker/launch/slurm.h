// sbatch directives and srun options: what a job or a step asks for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/document/fact.h"
#include "checker/shell/script.h"

namespace shardlint::launch {

std::optional<i64> whole(const shell::Text& text);

// A number and where it is said.
struct Count {
  bool said = false;
  std::optional<i64> value;
  shell::Text text;
  std::shared_ptr<const shell::Command> command;  // null: a directive
  std::size_t first = 0, count = 1;

  // A fact of a canonical field: attached, and open where nobody knows the number.
  Fact fact(std::string_view field) const;
  Fact fact(std::string_view field, i64 other) const;  // the same place, another number
  Place place() const;                                 // of the value; of the option if it has none
};

struct Request {
  bool any = false;
  Count nodes, ntasks, ntasks_per_node, ntasks_per_gpu, gpus_per_node, gres, gpus, gpus_per_task, segment;
  Count partition, exports, mounts, workdir, groups, job_name;  // texts
  std::string gpu;                                              // the model, as shardlint knows it
  Count gpu_at;

  // An option by its long name.
  void take(const std::string& name, Count count);
  // One of sbatch's command line, which lies over the directives; what they come to anyway stays theirs.
  void give(const std::string& name, const shell::Text& value);

  std::optional<i64> node_count() const;
  std::optional<i64> gpus_on_node() const;
  std::optional<i64> tasks_on_node() const;
  std::optional<i64> tasks() const;
  const Count& gpus_said() const;
  const Count& tasks_said() const;
};

// What a batch script asks for. A heterogeneous job has several components; the script runs on the first.
struct Directives {
  std::vector<Request> components = {Request()};
  std::vector<Finding> findings;
  std::optional<shell::Comment> last;  // the last directive that is read
};
Directives directives(const std::vector<shell::Comment>& comments);
// Options that contradict each other.
void contradictions(const Request& request, std::vector<Finding>& findings);
// What a step over several components has.
Request together(const std::vector<const Request*>& components);
// The variables that Slurm sets from it in the batch script.
shell::Environment variables(const std::vector<Request>& components, const Place& place);
// The option's long name: "N" is nodes.
std::string long_name(const std::string& name);
bool without_value(std::string_view srun_or_sbatch_option);

// The words behind `sbatch`.
struct SbatchWords {
  struct Option {
    std::string name, value;  // the long name
    std::size_t word = 0;     // that holds the value
  };
  std::vector<Option> options;
  std::optional<std::size_t> script;  // which word it is; none: --wrap or standard input
};
SbatchWords sbatch_words(const std::vector<std::string>& words);

}  // namespace shardlint::launch
