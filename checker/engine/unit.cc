#include "checker/engine/unit.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "checker/engine/findings.h"
#include "checker/engine/own_law.h"
#include "checker/engine/previews.h"
#include "checker/engine/suppress.h"

namespace shardlint {

namespace {

constexpr std::size_t kSearch = 200'000;  // facts that are judged again for the fixes of a unit; a usual job takes a fifth
constexpr std::size_t kSearched = 50;     // findings of a unit for which fixes are looked for
constexpr std::size_t kShown = 200;       // findings of a file
constexpr std::size_t kMade = 1'000;      // violations of one rule in a job that become findings, of which ignores may silence some

using Others = std::vector<std::string>;  // other names of a rule

bool covers(std::string_view pattern, std::string_view rule, std::string_view family, const Others& also) {
  return pattern == "all" || means(pattern, rule, family, also);
}

}  // namespace

UnitResult check_unit(const Files& files, const CheckOptions& options, const Unit& unit) {
  const auto is_cxx = [](const std::string& file) { return format_of(file) == Format::Cpp; };
  std::optional<UnitResult> out;
  if (std::any_of(unit.files.begin(), unit.files.end(), is_cxx)) {
    // A run of a program and the script that starts it.
    for (const std::string& file : unit.files) {
      if (format_of(file)) continue;
      Unit script = unit;
      script.files = {file}, script.sources.clear();
      std::copy_if(unit.files.begin(), unit.files.end(), std::back_inserter(script.sources), is_cxx);
      out = check_script(files, options, script);
      if (out && !out->started.empty()) break;
      out.reset();
    }
    if (!out) return check_cxx(files, options, unit);
  }
  if (!out && unit.files.size() == 1 && !format_of(unit.files[0])) out = check_script(files, options, unit);
  if (!out) out = check_documents(files, options, unit);
  for (Finding& finding : out->findings) finding.run = unit.files[0];
  return std::move(*out);
}

UnitCheck::UnitCheck(const Files& files, const CheckOptions& options, const Unit& unit)
    : files_(files), options_(options), unit_(unit), run_(unit.name), about_(unit.files[0]), budget_(kSearch) {}

// Ignores are weighed against everything that was found: one whose rule is not selected today is not useless.
void UnitCheck::close(bool judged) {
  out_.suppressed += suppress(documents_, included_, out_.findings, judged);
  select();
  cap();
  std::stable_sort(out_.findings.begin(), out_.findings.end(), [&](const Finding& a, const Finding& b) {
    return std::tuple(b.severity, file_of(a), a.place.range.begin) < std::tuple(a.severity, file_of(b), b.place.range.begin);
  });
}

Files::Read UnitCheck::text_of(const std::string& path) const {
  if (!options_.stdin_text || path != options_.stdin_name) return files_.read(path);
  Files::Read file;
  file.text = options_.stdin_text;
  return file;
}

void UnitCheck::read(const std::string& path) {
  pause();
  Files::Read file = text_of(path);
  if (!file.text) {
    out_.errors.push_back(fmt::format("{}: {}", path, file.error));
    return;
  }
  std::optional<Format> format = format_of(path);
  if (!format) {
    if (unit_.named)
      out_.errors.push_back(fmt::format("{}: no format is known by this name; shardlint reads .toml, .yaml, .yml and .json", path));
    return;
  }
  documents_.push_back(read_document(std::make_shared<const Source>(path, std::move(*file.text)), *format));
}

std::string UnitCheck::version_of(const Schema& schema) const {
  std::string out;
  for (const auto& [name, version] : unit_.settings.versions)
    if (name == schema.framework) out = version;
  return out;
}

Finding& UnitCheck::add(const RuleInfo& info, Severity severity, std::string message, Place place) {
  Finding& finding = out_.findings.emplace_back();
  finding.rule = info.name, finding.family = info.family, finding.severity = severity;
  finding.message = std::move(message), finding.place = std::move(place);
  return finding;
}

const Schema* UnitCheck::with_own_law(const Schema* schema) const {
  const bool preview = unit_.settings.rules.preview.value_or(false);
  if (unit_.from && unit_.from->law) schema = unit_.from->law->over(*schema, preview);
  if (options_.law) schema = options_.law->over(*schema, preview);
  return schema;
}

const Job& UnitCheck::under_own_law(const Job& job) {
  const Schema* schema = with_own_law(job.schema);
  if (schema == job.schema) return job;
  own_.push_back(job);
  own_.back().schema = schema;
  return own_.back();
}

Judgement UnitCheck::judge_job(const Job& given) {
  pause();
  const Job& job = under_own_law(given);
  Judgement judgement = judge(job);
  out_.checks += judgement.checks;
  left_out_ += judgement.more;
  std::vector<bool> visible;
  for (const Violation& violation : judgement.violations) {
    const std::vector<std::string> also = names_in(violation.same_as);
    visible.push_back(shown(violation.rule, violation.family, also, level(violation.rule, violation.family, also, violation.severity)));
  }
  std::vector<std::size_t> cause = fold(job, judgement, visible);
  // Where a few tries would use the budget up, a fix is found by chance alone.
  const bool searching = job.facts.size() <= kSearch / 8;
  std::map<std::size_t, std::vector<FoundFix>> fixes;
  for (std::size_t i = 0; i < cause.size() && searching && searched_ < kSearched && budget_ >= job.facts.size(); ++i) {
    // The search is the costly part; a finding that is not shown, or stands alone and is shown without fixes, needs none.
    if (cause[i] != i || !visible[i] || !(options_.fixes || i + 1 < cause.size())) continue;
    ++searched_;
    pause();
    std::vector<FoundFix> found = search_fixes(job, judgement, judgement.violations[i], budget_);
    if (found.empty()) continue;
    fold_mended(job, judgement, found[0], i, cause);
    fixes[i] = std::move(found);
  }
  std::vector<std::vector<std::size_t>> consequences(cause.size());
  for (std::size_t j = 0; j < cause.size(); ++j)
    if (cause[j] != j && judgement.violations[j].severity != Severity::Info) consequences[cause[j]].push_back(j);
  std::map<std::string_view, std::size_t> made;
  for (std::size_t i = 0; i < cause.size(); ++i) {
    if (cause[i] != i) continue;
    if (++made[judgement.violations[i].rule] > kMade) {
      left_out_ += visible[i];
      continue;
    }
    Finding finding = make_finding(job, judgement, i, consequences[i]);
    if (const auto found = fixes.find(i); found != fixes.end() && options_.fixes)
      for (FoundFix& fix : found->second) finding.fixes.push_back(std::move(fix.fix));
    out_.findings.push_back(std::move(finding));
  }
  out_.unsettled += judgement.not_evaluated.size();
  for (const NotEvaluated& entry : judgement.not_evaluated) {
    if (options_.brief) break;
    NotEvaluatedReport& report = out_.not_evaluated.emplace_back();
    report.rule = entry.rule, report.file = about_;
    for (Slot slot : entry.because) report.because.emplace_back(job.schema->slot_name(slot));
  }
  return judgement;
}

// One wrong value can break several laws. What the best fix of the first also mends, by changing that one value, hangs under it; not what
// stands in another file: who reads only that one would never see it.
void UnitCheck::fold_mended(const Job& job, Judgement& judgement, const FoundFix& found, std::size_t index,
                            std::vector<std::size_t>& cause) {
  const bool one_value = found.changes.size() == 1 && found.changes[0].kind == Change::Kind::Set;
  const Place at = blamed_place(job, judgement, index);
  for (std::size_t j = index + 1; j < cause.size(); ++j) {
    const Violation& other = judgement.violations[j];
    if (cause[j] != j || std::find(found.mends.begin(), found.mends.end(), other.rule) == found.mends.end()) continue;
    const Place place = blamed_place(job, judgement, j);
    if (at && place && at.source->path() != place.source->path()) continue;
    // Keys that are moved together were left behind together.
    const bool moved = !one_value && other.fact && std::any_of(found.changes.begin(), found.changes.end(), [&](const Change& change) {
      return change.kind == Change::Kind::Remove && change.fact == *other.fact;
    });
    const std::vector<std::uint32_t> roots = written_roots(job, judgement.of(other), other);
    if (moved || (one_value && std::find(roots.begin(), roots.end(), found.changes[0].fact) != roots.end()))
      std::replace(cause.begin(), cause.end(), j, index);
  }
}

std::string UnitCheck::plan_name(std::string_view plan) const {
  if (plan.empty()) return run_;
  return run_ == "default" ? std::string(plan) : fmt::format("{}/{}", run_, plan);
}

void UnitCheck::keep(Job job) {
  if (!options_.origins) return;
  // The law is the settings' own, which nobody else may hold by then.
  struct Kept {
    Job job;
    std::shared_ptr<const OwnLaw> team, site;
  };
  job.schema = with_own_law(job.schema);
  const auto kept = std::make_shared<const Kept>(Kept{std::move(job), unit_.from ? unit_.from->law : nullptr, options_.law});
  for (PlanReport& plan : out_.plans)
    if (!plan.job) plan.job = std::shared_ptr<const Job>(kept, &kept->job);
}

void UnitCheck::report_plan(const Job& job, Evaluation& evaluation) {
  const std::string_view name = job.schema->plans.empty() ? std::string_view() : job.schema->plans[evaluation.plan()].name;
  PlanReport plan{about_, plan_name(name), std::string(job.schema->framework), std::string(job.schema->title), job.version, {}, {}};
  if (options_.origins) plan.plan = std::make_shared<const Plan>(make_plan(evaluation));
  plan.index = evaluation.plan();
  if (plan.version.empty() && !job.schema->versions.empty()) plan.version = job.schema->versions.back();
  for (Slot slot = 0; slot < kFieldCount; ++slot) {
    const SlotState& state = evaluation.at(slot);
    // What a job has and its plan has not is of interest where there are several plans.
    if (job.schema->plans.empty() && fields()[slot].name.starts_with("job")) continue;
    if (options_.brief && std::find(std::begin(kHeadline), std::end(kHeadline), static_cast<Field>(slot)) == std::end(kHeadline)) continue;
    FieldReport& field = plan.fields.emplace_back(FieldReport{std::string(fields()[slot].name), {}, "", {}, {}});
    if (state.known() && !state.value.is_null()) field.value = state.value;
    if (options_.origins) tell_origin(job, evaluation, slot, state, field);
  }
  out_.plans.push_back(std::move(plan));
}

void UnitCheck::tell_origin(const Job& job, Evaluation& evaluation, Slot slot, const SlotState& state, FieldReport& field) const {
  std::string from;
  for (Slot dep : evaluation.inputs(slot)) from += (from.empty() ? "" : ", ") + display_name(job, evaluation, dep);
  switch (state.origin) {
    case SlotState::Origin::Nothing: field.origin = "not stated"; break;
    case SlotState::Origin::Default: field.origin = fmt::format("default of {}", job.schema->title); break;
    case SlotState::Origin::Written: field.origin = "written"; break;
    case SlotState::Origin::Setting: field.origin = "setting"; break;
    case SlotState::Origin::Rewritten:
      field.origin = fmt::format("changed by {} from {}", job.schema->title, to_string(state.before));
      break;
    case SlotState::Origin::Derived:
      field.origin = !state.model.empty() ? fmt::format("known shape of {}", state.model)
                     : from.empty()       ? "by definition"
                                          : fmt::format("from {}", from);
      break;
  }
  if (!state.known() && state.origin != SlotState::Origin::Nothing) {
    std::string missing;
    for (Slot root : evaluation.missing_roots(slot)) missing += (missing.empty() ? "" : ", ") + std::string(job.schema->slot_name(root));
    field.origin = missing.empty() ? "not stated" : fmt::format("needs {}", missing);
  }
  for (std::uint32_t fact : evaluation.root_facts(slot)) {
    const Fact& f = job.facts[fact];
    if (!field.place) field.place = f.place;
    if (!f.open.empty() && !state.known()) field.origin = f.open;
    if (!f.value.map() && f.open.empty()) field.chain.emplace_back(fmt::format("{} = {}", f.spelled, to_string(f.value)), f.place);
    if (f.chain)
      for (const Step& step : *f.chain) field.chain.emplace_back(step.says, step.place);
  }
}

// Which of the unit's files it stands in; behind them all what stands in none.
std::size_t UnitCheck::file_of(const Finding& finding) const {
  const auto in = [&](const DocumentPtr& document) { return document->source == finding.place.source; };
  return static_cast<std::size_t>(std::find_if(documents_.begin(), documents_.end(), in) - documents_.begin());
}

Severity UnitCheck::level(std::string_view rule, std::string_view family, const Others& also, Severity severity) const {
  for (const auto& [pattern, wanted] : unit_.settings.rules.severity)
    if (covers(pattern, rule, family, also)) severity = wanted;
  return severity;
}
bool UnitCheck::shown(std::string_view rule, std::string_view family, const Others& also, Severity severity) const {
  const auto any = [&](const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return covers(pattern, rule, family, also); });
  };
  const RuleSettings& rules = unit_.settings.rules;
  return (severity != Severity::Info || options_.advice) && (rules.preview.value_or(false) || !is_preview(rule)) &&
         (rules.select.empty() || any(rules.select)) && !any(rules.ignore);
}
void UnitCheck::select() {
  for (Finding& finding : out_.findings) finding.severity = level(finding.rule, finding.family, finding.also, finding.severity);
  std::erase_if(out_.findings,
                [&](const Finding& finding) { return !shown(finding.rule, finding.family, finding.also, finding.severity); });
}

// Nobody reads hundreds of findings in a file. What is said of its spelling goes first, then what is least severe; the most severe one
// stays, because it decides the exit code.
void UnitCheck::cap() {
  if (out_.findings.size() <= kShown && left_out_ == 0) return;
  std::map<std::size_t, std::vector<std::size_t>> by_file;
  for (std::size_t i = 0; i < out_.findings.size(); ++i) by_file[file_of(out_.findings[i])].push_back(i);
  std::vector<bool> left_out(out_.findings.size());
  for (auto& [file, indices] : by_file) {
    const std::size_t more = std::exchange(left_out_, 0) + indices.size() - std::min(indices.size(), kShown);
    if (more == 0) continue;
    const auto rank = [&](std::size_t i) {
      return std::tuple(out_.findings[i].family == "hygiene", -static_cast<int>(out_.findings[i].severity));
    };
    std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    const auto worst = std::max_element(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      return out_.findings[a].severity < out_.findings[b].severity;
    });
    if (worst - indices.begin() >= static_cast<std::ptrdiff_t>(kShown)) std::iter_swap(worst, indices.begin() + kShown - 1);
    for (std::size_t i = kShown; i < indices.size(); ++i) left_out[indices[i]] = true;
    out_.remarks.push_back(fmt::format("{}: {} findings are shown, and {} more were found",
                                       file < documents_.size() ? documents_[file]->source->path() : unit_.files[0],
                                       std::min(indices.size(), kShown), with_commas(grouped(static_cast<i64>(more)))));
  }
  std::size_t at = 0;
  std::erase_if(out_.findings, [&](const Finding&) { return left_out[at++]; });
}

}  // namespace shardlint
