// A unit: files that are judged together as one run, and what every kind of unit shares.
//
// unit.cc decides what kind a unit is and has the shared part: a job is judged, its findings are explained, selected, mended and sorted,
// its plan is told. The kinds stand in files of their own: documents.cc (configurations), launched.cc (launch scripts and job manifests),
// cxx_unit.cc (C++ that builds plans).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/compose/compose.h"
#include "checker/engine/bindings.h"
#include "checker/engine/check.h"
#include "checker/engine/cxx.h"
#include "checker/fix/search.h"
#include "checker/plan/law.h"

namespace shardlint {

// Files that are judged together as one run.
struct Unit {
  std::vector<std::string> files;
  std::vector<Fact> overrides;
  std::string name = "default";
  Settings settings;
  std::string workspace;             // folder that includes may lead into
  std::vector<BindingPtr> bindings;  // for C++, and for scripts that start it
  std::vector<std::string> cxx_flags;
  std::shared_ptr<CxxTools> cxx;                  // where there are bindings
  std::vector<std::string> sources;               // of a script: the C++ of the program that it starts, where a run names both
  std::shared_ptr<const launch::Training> start;  // of C++: the command that starts it
  std::shared_ptr<const SettingsFile> from;       // the settings file that holds for it; null: none
  bool run = false;                               // a [[run]], or overrides were given: nothing is added when it is started
  bool named = false;                             // by the user or a run: always checked for syntax and duplicate keys
};

struct UnitResult {
  std::vector<Finding> findings;
  std::vector<PlanReport> plans;
  std::vector<NotEvaluatedReport> not_evaluated;
  std::vector<std::string> errors, remarks;
  std::size_t files = 0, passed_over = 0, suppressed = 0, checks = 0, unsettled = 0;
  // Plans of a program: file and name. `started`: with the command that starts it; `alone`: without one.
  std::vector<std::pair<std::string, std::string>> started, alone;
};

UnitResult check_unit(const Files& files, const CheckOptions& options, const Unit& unit);

// The kinds. A script that starts no training is passed over; one that is no script, and a manifest that starts none, are none.
std::optional<UnitResult> check_script(const Files& files, const CheckOptions& options, const Unit& unit);
std::optional<UnitResult> check_manifest(const Files& files, const CheckOptions& options, const Unit& unit, const DocumentPtr& document);
UnitResult check_documents(const Files& files, const CheckOptions& options, const Unit& unit);
UnitResult check_cxx(const Files& files, const CheckOptions& options, const Unit& unit);

class UnitCheck {
 protected:
  UnitCheck(const Files& files, const CheckOptions& options, const Unit& unit);

  // The text of a file of the unit, which may come from standard input.
  Files::Read text_of(const std::string& path) const;
  // Reads a file of the unit to the end of `documents_`; one that cannot be read is an error.
  void read(const std::string& path);
  std::string version_of(const Schema& schema) const;

  // Where whoever asked may give up.
  void pause() const {
    if (options_.stop && *options_.stop) throw Stopped{};
  }
  Finding& add(const RuleInfo& info, Severity severity, std::string message, Place place);
  // Judges, and adds the findings with their fixes.
  Judgement judge_job(const Job& job);
  // Adds the plan to the report.
  void report_plan(const Job& job, Evaluation& evaluation);
  // With `origins`: the plans that were reported since were judged from this.
  void keep(Job job);
  // The run's name, and behind it the plan's where a run holds several.
  std::string plan_name(std::string_view plan) const;
  // When everything is found: ignores, selection, limits, order. `judged`: the files were read whole and judged.
  void close(bool judged);

  const Files& files_;
  const CheckOptions& options_;
  const Unit& unit_;
  std::vector<DocumentPtr> documents_;  // the unit's own
  std::vector<DocumentPtr> included_;   // those that its own lead to
  std::string run_, about_;             // the run under judgement, and the file that its plan is reported of
  UnitResult out_;

 private:
  std::deque<Job> own_;  // jobs whose schema holds more law than the framework's
  // With the team's and the site's law.
  const Schema* with_own_law(const Schema* schema) const;
  const Job& under_own_law(const Job& job);
  const Job& under_own_law(Job&& job) = delete;  // what is given may be what comes back

  std::size_t budget_;        // facts that may still be judged again for fixes
  std::size_t searched_ = 0;  // findings for which fixes were looked for
  std::size_t left_out_ = 0;  // violations that were not even made findings

  void fold_mended(const Job& job, Judgement& judgement, const FoundFix& found, std::size_t index, std::vector<std::size_t>& cause);
  void tell_origin(const Job& job, Evaluation& evaluation, Slot slot, const SlotState& state, FieldReport& field) const;
  Severity level(std::string_view rule, std::string_view family, const std::vector<std::string>& also, Severity severity) const;
  bool shown(std::string_view rule, std::string_view family, const std::vector<std::string>& also, Severity severity) const;
  std::size_t file_of(const Finding& finding) const;
  void select();
  void cap();
};

}  // namespace shardlint
