// A file of another framework that a run's own file names: a DeepSpeed JSON beside the configuration of a trainer.
//
// The file is judged by its own framework's law, as part of the same job: it is told the cluster, and what the naming framework puts in the
// place of values that are left open there. What it decides (the ZeRO stage) becomes part of the one plan.
// Where a run names the folder of a model, the config.json there tells its shape, before what is known of public models.
#pragma once

#include <string>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/plan/bind.h"
#include "checker/text/files.h"

namespace shardlint {

struct Attachments {
  std::vector<Job> jobs;               // one for each file that was read; its document is that of its first fact
  std::vector<DocumentPtr> documents;  // of the jobs
  std::vector<Finding> findings;       // a file that is not there, a key that it lacks, a value that the two disagree about
};

struct AttachWorld {
  std::string workspace;  // folder: no file outside it is read
  std::string home;       // folder of the run's own file
  bool run = false;       // the run is stated as it is started: one that is missing stops it
  bool fixes = false;     // whether findings come with fixes
};

// Reads what the files of `job` name, and adds the fields that those files decide to its facts, before the settings.
Attachments attach_files(const Files& files, const AttachWorld& world, Job& job);

}  // namespace shardlint
