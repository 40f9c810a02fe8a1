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
#include "checker/report/result.h"
#include "checker/text/files.h"

namespace shardlint {

class CxxReaders;  // checker/engine/cxx.h

// An option of sbatch's command line, by its long name.
struct SbatchOption {
  std::string name, value;
  Place place;
};

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
  // All that a page of text needs: of plans only kHeadline, and of many plans only those with findings; of what is not evaluated only how
  // often.
  bool brief = false;
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
