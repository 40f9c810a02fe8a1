// The engine: paths in, findings out. Knows files, settings and suppressions; knows nothing of command lines, JSON or editors.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/engine/settings.h"
#include "checker/plan/bind.h"
#include "checker/plan/evaluation.h"
#include "checker/plan/plan.h"
#include "checker/text/files.h"

namespace shardlint {

class CxxReaders;  // checker/engine/cxx.h

// An option of sbatch's command line, by its long name.
struct SbatchOption {
  std::string name, value;
  Place place;
};
// The fields that the line about a plan names, or works its numbers out from.
inline constexpr Field kHeadline[] = {Field::world_size,
                                      Field::tp,
                                      Field::pp,
                                      Field::cp,
                                      Field::dp,
                                      Field::ep,
                                      Field::num_microbatches,
                                      Field::global_batch,
                                      Field::micro_batch,
                                      Field::replica_batch,
                                      Field::tokens_per_step,
                                      Field::nodes,
                                      Field::gpus_per_node};

struct CheckOptions {
  std::vector<std::string> paths;  // files and folders as named; "-" is read from `stdin_text`
  std::optional<std::string> stdin_text;
  std::string stdin_name = "<stdin>";  // decides its format and settings
  Settings command_line;
  std::vector<Fact> overrides;        // after --: Way::Override
  std::vector<SbatchOption> sbatch;   // what a launch script is submitted with
  std::shared_ptr<const OwnLaw> law;  // a site's, beside that of each settings file
  bool isolated = false, all_files = false, fixes = true, advice = false;
  bool origins = true;  // the plans' fields say where they came from; `check` does not show it
  bool brief = false;   // of plans only kHeadline, of what is not evaluated only how often: all that a page of text needs of a folder
  std::optional<std::string> config;        // --config
  unsigned jobs = 0;                        // threads; 0: as many as the machine has
  bool found = false;                       // nobody named the paths: a file that is no framework's is passed over in silence
  std::optional<std::string> run;           // of the [[run]] tables of a folder only this one
  const std::atomic<bool>* stop = nullptr;  // once it is set, check() throws Stopped
  // Absolute paths: only runs that read one of them are judged.
  std::optional<std::set<std::string>> changed;
  bool follow = true;    // read what the files name too
  bool baseline = true;  // what a baseline lets stand is left out
  // What reads C++, kept between checks: std::make_shared<CxxReaders>(true) for those who check the same files again. Null: each check
  // has its own.
  std::shared_ptr<CxxReaders> cxx_readers = {};
};

// What check() throws when it is stopped.
struct Stopped {};

// One field of a plan and where it came from, for `plan` and for JSON.
struct FieldReport {
  std::string name;
  std::optional<Value> value;  // none: unknown
  // "written", "default of TorchTitan", "known shape of Qwen/Qwen3-8B", "from world_size, tp, pp", "setting", "changed by TorchTitan from 8"
  std::string origin;
  Place place;                                       // where it is written; empty for defaults
  std::vector<std::pair<std::string, Place>> chain;  // the written values behind it: "tensor_parallel_degree = 8"
};

struct PlanReport {
  std::string file, name = "default", framework, title, version;
  std::vector<FieldReport> fields;        // every canonical field
  std::shared_ptr<const Plan> plan = {};  // with `origins`: what memory, pipeline, network and time are worked out from
  std::shared_ptr<const Job> job = {};    // with `origins`: the run, to ask what it would be with other values
  std::size_t index = 0;                  // of the plan in its run
  // What a launch script or a manifest starts: the file itself if its own words say it all. Empty: `file` is none.
  std::string started = {};
};

struct NotEvaluatedReport {
  std::string rule, file;
  std::vector<std::string> because;  // fields that would settle it
};

struct CheckResult {
  std::vector<Finding> findings;  // file by file; within one the most severe first, then by place
  std::vector<PlanReport> plans;
  std::vector<NotEvaluatedReport> not_evaluated;
  std::vector<std::string> errors;     // usage or settings: exit code 2
  std::vector<std::string> looked_at;  // files, whatever came of it
  std::vector<std::string> remarks;    // what else a person should know: a line each
  std::size_t files = 0;               // read and recognised (or named)
  std::size_t passed_over = 0;         // found in folders and no framework's
  std::size_t unconcerned = 0;         // runs that read nothing that changed
  std::size_t suppressed = 0;
  std::size_t baselined = 0;  // findings that a baseline lets stand
  std::size_t checks = 0;     // rules and constraints that were evaluated
  double milliseconds = 0;
};

CheckResult check(const Files& files, const CheckOptions& options);

// Applies fixes until none is left that may be applied: safe ones, with `unsafe` all. Every file is checked again after each edit, in
// memory. Returns the new texts by path; nothing is written.
struct Fixed {
  std::map<std::string, std::pair<std::string, std::string>> texts;  // path -> before, after
  std::vector<std::vector<std::string>> fixes;                       // for each that was made the files that it changed
  CheckResult left;                                                  // what remains
};
Fixed fix(const Files& files, const CheckOptions& options, bool unsafe);

}  // namespace shardlint
