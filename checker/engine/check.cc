// The pipeline on one screen: find the units of work, judge each of them, gather what was found; and mend until nothing is left to mend.
#include "checker/engine/check.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "checker/engine/baseline.h"
#include "checker/engine/changed.h"
#include "checker/engine/discovery.h"

namespace shardlint {

namespace {

constexpr int kRounds = 200;  // fixes that are made in a unit

// A program that a script starts is judged with its command; by itself, with the defaults of its flags, it is nobody's.
void drop_unstarted(std::vector<UnitResult>& results) {
  std::set<std::string> started;
  for (const UnitResult& result : results)
    for (const auto& [file, plan] : result.started) started.insert(file);
  for (UnitResult& result : results)
    for (const auto& [file, name] : result.alone) {
      if (!started.contains(file)) continue;
      std::erase_if(result.plans, [&](const PlanReport& plan) { return plan.file == file && plan.name == name; });
      std::erase_if(result.findings, [&](const Finding& finding) { return finding.run == file && finding.plan == name; });
    }
}

// The reader is there for all files or for none.
void say_once_that_nobody_reads_cxx(std::vector<Finding>& findings) {
  const auto is_one = [](const Finding& finding) { return finding.message == kNoCxxReader; };
  const auto first = std::find_if(findings.begin(), findings.end(), is_one);
  const auto count = std::count_if(first, findings.end(), is_one);
  if (count < 2) return;
  first->effect += count == 2 ? ", nor of those of another file" : fmt::format(", nor of those of {} other files", count - 1);
  findings.erase(std::remove_if(first + 1, findings.end(), is_one), findings.end());
}

CheckResult gather(std::vector<UnitResult>& results) {
  CheckResult out;
  drop_unstarted(results);
  const auto take = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (UnitResult& result : results) {
    take(out.findings, result.findings), take(out.plans, result.plans), take(out.not_evaluated, result.not_evaluated),
        take(out.errors, result.errors), take(out.remarks, result.remarks);
    out.files += result.files, out.passed_over += result.passed_over, out.suppressed += result.suppressed, out.checks += result.checks;
    out.unsettled += result.unsettled;
    result = {};
  }
  say_once_that_nobody_reads_cxx(out.findings);
  // A file that several others name, and that is a configuration itself, is judged with each of them.
  std::set<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::string>> said;
  std::erase_if(out.findings, [&](const Finding& finding) {
    if (!finding.place) return false;
    const Range& range = finding.place.range;
    return !said.emplace(finding.rule, finding.place.source->path(), range.begin, range.end, finding.message).second;
  });
  return out;
}

UnitResult judged(const Files& files, const CheckOptions& options, const Unit& unit) {
  if (options.follow) return check_unit(files, options, unit);
  return check_unit(Alone(files, unit.files), options, unit);
}

bool is_cxx(std::string_view path) {
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  return format_of(path) == Format::Cpp || ends(".h") || ends(".hpp") || ends(".hh") || ends(".hxx") || ends(".cuh") || ends(".inc");
}

// Whether a run reads something that changed. It is judged once without fixes to see what it reads.
bool concerned(const Files& files, const CheckOptions& options, const Unit& unit) {
  if (!options.changed) return true;
  const std::set<std::string>& changed = *options.changed;
  const auto whole = [&](const std::string& path) { return join(files.working_folder(), path); };
  if (unit.from && changed.contains(whole(unit.from->source->path()))) return true;
  if (std::any_of(unit.files.begin(), unit.files.end(), [&](const std::string& path) { return changed.contains(whole(path)); }))
    return true;
  // What C++ includes is read by another process.
  if (std::any_of(unit.files.begin(), unit.files.end(), is_cxx)) return std::any_of(changed.begin(), changed.end(), is_cxx);
  CheckOptions quick = options;
  quick.fixes = quick.origins = false;
  const Watch watch(files);
  judged(watch, quick, unit);
  return watch.touched(changed);
}

}  // namespace

CheckResult check(const Files& files, const CheckOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> errors;
  const std::vector<Unit> units = discover(files, options, errors);
  std::vector<UnitResult> results(units.size());
  std::atomic<std::size_t> next = 0, unconcerned = 0, plans = 0;
  std::exception_ptr fault;  // the first: a fault of ours is the caller's to report, whichever thread meets it
  std::once_flag once;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < units.size(); i = next++) {
        if (!concerned(files, options, units[i])) {
          ++unconcerned;
          continue;
        }
        UnitResult& result = results[i] = judged(files, options, units[i]);
        // Those that are dropped where something else starts them do not count.
        if (options.brief && (plans += result.plans.size() - result.alone.size()) > kPlanLines && result.findings.empty())
          for (PlanReport& plan : result.plans) plan.fields = std::vector<FieldReport>();
      }
    } catch (...) {
      std::call_once(once, [&] { fault = std::current_exception(); });
      next = units.size();
    }
  };
  const std::size_t threads =
      std::min<std::size_t>(options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency()), units.size());
  std::vector<std::thread> pool;
  for (std::size_t i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  if (fault) std::rethrow_exception(fault);
  CheckResult out = gather(results);
  out.unconcerned = unconcerned;
  out.errors.insert(out.errors.begin(), errors.begin(), errors.end());
  if (!options.changed)
    for (const Unit& unit : units) out.looked_at.insert(out.looked_at.end(), unit.files.begin(), unit.files.end());
  if (options.baseline) let_stand(files, options, units, out);
  out.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return out;
}

namespace {

// Only the run's own files are mended by themselves: an override in shardlint.toml is for a person to change.
bool may_apply(const Unit& unit, const Finding& finding, const Fix& candidate, bool unsafe) {
  return !candidate.edits.empty() && finding.severity != Severity::Info && (unsafe || candidate.safety == Safety::Safe) &&
         std::all_of(candidate.edits.begin(), candidate.edits.end(), [&](const Edit& edit) {
           return std::find(unit.files.begin(), unit.files.end(), edit.source->path()) != unit.files.end();
         });
}

}  // namespace

Fixed fix(const Files& files, const CheckOptions& options, bool unsafe) {
  Fixed out;
  Overlay overlay(&files);
  std::vector<std::string> errors;
  CheckOptions with_fixes = options;
  with_fixes.fixes = true;
  if (options.stdin_text) overlay.put(options.stdin_name, *options.stdin_text);
  with_fixes.stdin_text.reset();
  for (const Unit& unit : discover(files, options, errors)) {
    if (!concerned(overlay, options, unit)) continue;
    std::set<std::vector<std::string>> seen;  // texts that were there before: a circle of fixes ends
    for (int round = 0; round < kRounds; ++round) {
      const UnitResult result = judged(overlay, with_fixes, unit);
      const Fix* chosen = nullptr;
      for (const Finding& finding : result.findings)
        for (const Fix& candidate : finding.fixes)
          if (!chosen && may_apply(unit, finding, candidate, unsafe)) chosen = &candidate;
      if (!chosen) break;
      std::map<std::string, std::vector<Edit>> by_file;
      for (const Edit& edit : chosen->edits) by_file[edit.source->path()].push_back(edit);
      std::vector<std::string> after_texts;
      bool made = true;
      for (auto& [path, edits] : by_file) {
        const SourcePtr source = edits[0].source;
        const std::optional<std::string> after = apply(*source, edits);
        if (!after) {
          made = false;
          break;
        }
        after_texts.push_back(*after);
        auto [entry, fresh] = out.texts.try_emplace(path, std::string(source->text()), "");
        entry->second.second = *after;
        overlay.put(path, *after);
      }
      if (!made || !seen.insert(after_texts).second) break;
      std::vector<std::string>& changed = out.fixes.emplace_back();
      for (const auto& [path, edits] : by_file) changed.push_back(path);
    }
  }
  CheckOptions again = with_fixes;
  again.fixes = options.fixes;
  std::replace(again.paths.begin(), again.paths.end(), std::string("-"), options.stdin_name);
  out.left = check(overlay, again);
  return out;
}

}  // namespace shardlint
