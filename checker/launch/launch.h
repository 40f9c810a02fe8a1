// Launch scripts: which training commands they start, and how many GPUs and processes each of them gets.
//
// A script is read by checker/shell, which knows no launcher. Here its commands are taken apart: sbatch directives, srun steps, torchrun,
// deepspeed, accelerate, mpirun, and the plain programs behind them. Every count becomes a fact of a canonical field with the place where
// it is written; what cannot be known stays open with its reason.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/document/fact.h"
#include "checker/launch/program.h"
#include "checker/schema/schema.h"
#include "checker/shell/script.h"
#include "checker/text/files.h"

namespace shardlint::launch {

// A folder or file of a container that is one outside.
struct Mount {
  std::string inside;
  std::string outside;  // as the script names it; empty if nobody knows
};

// What stands outside of the scripts: settings of the team.
struct Partition {
  std::string gpu;
  std::optional<i64> gpus_per_node;
};
struct World {
  std::string workspace;                        // no file outside it is read
  std::map<std::string, Partition> partitions;  // by name
};

// One training command.
struct Training {
  std::string name;                               // the way through the script that leads here: "SIZE=70b"; else empty
  std::shared_ptr<const shell::Command> command;  // whose words hold the program
  std::size_t program = 0;                        // index of the program's script or module
  std::string launcher;                           // "torchrun", "deepspeed", "accelerate", "mpirun", "srun", a team's own; empty: none
  Facts cluster;                                  // canonical fields, attached
  Facts options;                                  // accelerate's own options as keys of its file
  bool environment_known = true;                  // no file was sourced that could set more
  bool environment_passes = true;                 // what the script exports reaches the program
  shell::Text job_name;                           // as the scheduler knows it
  std::vector<Mount> mounts;                      // of the container that it runs in
  std::string workdir;                            // its folder there; empty: nobody says
  std::vector<Finding> findings;                  // about the launcher's options
};

struct Reading {
  std::vector<Training> trainings;
  std::vector<Finding> findings;  // about directives
  std::vector<shell::Comment> comments;
};

// By its ending, or by its first line where it has none.
bool is_script(std::string_view path, std::string_view text);
bool has_script_ending(std::string_view path);

// What is known of a script that is being submitted, besides its text.
struct Submission {
  std::vector<std::pair<std::string, shell::Text>> options;  // of sbatch's command line, by their long names
  shell::Environment environment;
};

Reading read(const Files& files, const SourcePtr& source, const World& world, const Submission& submission = {},
             const Programs& programs = {});
// What the documents of a file start that are job manifests.
Reading read_manifest(const Files& files, const DocumentPtr& document, const World& world);

// The training's words as facts of this framework, in its form; none if it is not this framework's command line.
struct Words {
  const FormSpec* form = nullptr;
  Facts facts;
  std::vector<Finding> findings;
  std::string partial;  // why there may be more words than are known
};
Words words_of(const Schema& schema, const Training& training);
// The command's `key=value` words as overrides.
Facts pairs_of(const Training& training);
// Words that are written as in YAML, which no command line takes: `enable_checkpointing: False`.
void yaml_words(const Schema& schema, const Training& training, std::vector<Finding>& findings);
// What Hugging Face's trainer is told of the batch on its command line, as canonical fields.
Facts trainer_facts(const Training& training);

}  // namespace shardlint::launch
