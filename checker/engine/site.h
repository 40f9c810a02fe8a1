// site.toml: what a cluster's staff decide about the jobs that are submitted to it. It lies over the users' shardlint.toml and under the
// command line.
//
//   [gate]        program, time-limit, when-missing, when-failing: for the filters that start shardlint (integrations/slurm), one a line;
//                 refuse: names of rules, families, frameworks whose errors refuse a job (default: all);
//                 bypass: "comment", "variable"; log: the file that every bypass is written to (default: syslog); default-partition
//   [cluster] [env] [rules] [versions] [[constraint]] constraints as in shardlint.toml
//   [[partition]] names, gpu-types: globs; with settings of its own for jobs of such a partition and type of GPU
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/engine/check.h"
#include "checker/engine/settings.h"
#include "checker/text/files.h"

namespace shardlint {

struct Site {
  std::string path;
  std::vector<std::string> refuse{"all"};
  bool bypass_by_comment = true, bypass_by_variable = true;
  std::string log, default_partition;  // empty: syslog; none
  Settings settings;
  std::shared_ptr<const OwnLaw> law;  // null: none
  struct Partition {
    std::vector<std::string> names, gpu_types;
    Settings settings;
  };
  std::vector<Partition> partitions;
  std::vector<std::string> errors;  // exit code 2

  bool refuses(const Finding& finding) const;
};

Site read_site(const Files& files, const std::string& path);

// What holds for a job that is submitted with these options, whose directives are options too (directives_of).
Settings settings_for(const Site& site, const std::vector<SbatchOption>& options);

// The options that the script's #SBATCH lines give, with their places, and the script's reason to let it pass: `# shardlint: bypass REASON`.
struct ScriptSays {
  std::vector<SbatchOption> options;
  std::string bypass;
};
ScriptSays script_says(const SourcePtr& script);

}  // namespace shardlint
