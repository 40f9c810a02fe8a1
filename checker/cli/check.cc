#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/gate.h"
#include "checker/engine/add_ignores.h"
#include "checker/engine/changed.h"
#include "checker/engine/rule_page.h"
#include "checker/fix/files.h"
#include "checker/report/ci.h"
#include "checker/report/json.h"
#include "checker/report/statistics.h"
#include "checker/report/text.h"

namespace shardlint {

namespace {

// Whether a finding counts for the exit code: by the site whose gate this is, by the command line, or by the settings
// of the file it stands in.
class Failing {
 public:
  Failing(const Files& files, const CheckOptions& options, const Site* site)
      : options_(options), site_(site), finder_(files, options.isolated, options.config) {}

  bool operator()(const Finding& finding) {
    if (site_) return site_->refuses(finding);
    FailOn level = FailOn::Error;
    if (const auto asked = options_.command_line.rules.fail_on)
      level = *asked;
    else if (finding.place) {
      const std::string& path = finding.place.source->path();
      level = effective(finder_.for_path(path).get(), path, {}).rules.fail_on.value_or(level);
    }
    return level != FailOn::Never && finding.severity >= (level == FailOn::Error ? Severity::Error : Severity::Warning);
  }

 private:
  const CheckOptions& options_;
  const Site* site_;  // of a gate; null: there is none
  SettingsFinder finder_;
};

RuleText describe(const std::string& rule, const std::vector<std::shared_ptr<const OwnLaw>>& laws) {
  for (const auto& law : laws)
    for (const OwnLaw::Listed& own : law->listed())
      if (own.clause->name == rule)
        return {own.clause->severity, std::string(own.clause->family), says_in_words(*own.schema, *own.clause), law->page(own)};
  for (const RuleInfo* info : rule_infos())
    if (info->name == rule) return {info->severity, std::string(info->family), std::string(info->summary), rule_page(rule)};
  for (const Schema* schema : schemas())
    for (const Clause& clause : schema->law)
      if (clause.name == rule && !clause.inherited)
        return {clause.severity, std::string(clause.family), says_in_words(*schema, clause), rule_page(rule)};
  return {};
}

std::string report(const CheckResult& result, OutputFormat format, const Options& options, const TextStyle& style, Failing& fails,
                   const std::vector<std::shared_ptr<const OwnLaw>>& laws) {
  const CiReport how{style.working_folder, [&](const std::string& rule) { return describe(rule, laws); },
                     [&](const Finding& finding) { return fails(finding); }};
  switch (format) {
    case OutputFormat::Text: return text_report(result, {style, options.statistics, options.not_evaluated});
    case OutputFormat::Json: return json_report(result, style.working_folder, options.statistics);
    case OutputFormat::Sarif: return sarif_report(result, how);
    case OutputFormat::Github: return github_report(result, how);
    case OutputFormat::Gitlab: return gitlab_report(result, how);
    case OutputFormat::Junit: return junit_report(result, how);
    case OutputFormat::Checkstyle: return checkstyle_report(result, how);
    case OutputFormat::Html: break;  // none of `check`
  }
  return "";
}

// Returns whether all of it was written.
bool write_fixed(const Fixed& fixed, const Options& options, const TextStyle& style, Outcome& out) {
  std::size_t written = 0;
  std::set<std::string> failed;
  for (const auto& [path, texts] : fixed.texts) {
    const auto& [before, after] = texts;
    if (before == after) continue;
    const std::string name = shown(path, style.working_folder);
    if (options.diff) {
      out.output += unified_diff(name, before, after);
    } else if (const auto error = write_atomically(path, after)) {
      out.remarks.push_back(with_program(*error));
      out.exit = kUsage;
      failed.insert(path);
      continue;
    }
    ++written;
  }
  const auto fixes =
      static_cast<std::size_t>(std::count_if(fixed.fixes.begin(), fixed.fixes.end(), [&](const std::vector<std::string>& files) {
        return std::none_of(files.begin(), files.end(), [&](const std::string& file) { return failed.contains(file); });
      }));
  if (written || !failed.empty())
    out.remarks.push_back(fmt::format("{} {} in {} {}{}", fixes, fixes == 1 ? "fix" : "fixes", written, written == 1 ? "file" : "files",
                                      options.diff ? ", nothing is written" : ""));
  const auto unsafe =
      std::count_if(fixed.left.findings.begin(), fixed.left.findings.end(), [](const Finding& f) { return !f.fixes.empty(); });
  if (unsafe && !options.unsafe_fixes && failed.empty())
    out.remarks.push_back(fmt::format("--unsafe-fixes can mend {} more, by changing the plan", unsafe));
  return failed.empty();
}

// Only what changed: as git says, or as the command line does.
std::string narrow(const Options& options, const std::string& working_folder, CheckOptions& asked) {
  if (options.changed_since) {
    Checked<std::set<std::string>> changed = changed_since(working_folder, *options.changed_since);
    asked.changed = std::move(changed.value);
    return changed.error;
  }
  if (options.concerning) {
    std::set<std::string>& changed = asked.changed.emplace();
    for (const std::string& path : asked.paths) changed.insert(join(working_folder, path));
    asked.paths = {"."};
  }
  return "";
}

// Writes a comment for each finding, or prints what it would write. Returns what is still found.
CheckResult ignore_all(const Files& files, const CheckOptions& asked, const Options& options, const TextStyle& style, Outcome& out) {
  CheckOptions plain = asked;
  plain.fixes = false;
  CheckResult found = check(files, plain);
  AddedIgnores added = add_ignores(files, plain, found, *options.add_ignores);
  out.remarks = std::move(added.remarks);
  for (std::string& remark : out.remarks) remark = with_program(remark);
  Overlay after(&files);
  for (const auto& [path, texts] : added.texts) {
    if (options.diff) {
      out.output += unified_diff(shown(path, style.working_folder), texts.first, texts.second);
    } else if (const auto error = write_atomically(path, texts.second)) {
      out.remarks.push_back(with_program(*error));
      out.exit = kUsage;
      continue;
    }
    after.put(path, texts.second);
  }
  return check(after, asked);
}

}  // namespace

std::string with_program(std::string_view error) {
  // "shardlint.toml:3: ..." has its place first, as editors read it.
  for (std::size_t colon = error.find(':'); colon != std::string_view::npos; colon = error.find(':', colon + 1)) {
    const std::size_t end = error.find_first_not_of("0123456789", colon + 1);
    if (end != std::string_view::npos && end > colon + 1 && error[end] == ':') return std::string(error);
  }
  return fmt::format("shardlint: {}", error);
}

std::vector<std::shared_ptr<const OwnLaw>> own_laws(const Files& files, const CheckOptions& options) {
  std::vector<std::shared_ptr<const OwnLaw>> out;
  SettingsFinder finder(files, options.isolated, options.config);
  const auto settings = finder.for_path(options.paths.empty() ? "." : options.paths[0]);
  if (settings && settings->errors.empty() && settings->law) out.push_back(settings->law);
  if (options.law) out.push_back(options.law);
  return out;
}

Checked<Overlay> input_files(const Files& disk, CheckOptions& options) {
  Overlay files(&disk);
  for (std::string& path : options.paths) {
    if (path != "-") continue;
    path = options.stdin_name;
    Files::Read input = read_input();
    if (!input.text) return {std::nullopt, std::move(input.error)};
    files.put(path, std::move(*input.text));
  }
  return {std::move(files), ""};
}

Outcome no_input(const std::string& error) { return {kUsage, "", {fmt::format("shardlint: standard input: {}", error)}}; }

Outcome run_check(const Options& options, const TextStyle& style) {
  const Disk disk;
  Options judged = options;
  const Checked<Overlay> files = input_files(disk, judged.check);
  return files.value ? run_check(judged, style, *files.value) : no_input(files.error);
}

Outcome run_check(const Options& options, const TextStyle& style, const Overlay& files) {
  CheckOptions asked = options.check;
  asked.origins = false;
  asked.brief = options.format == OutputFormat::Text && options.outputs.empty() && !options.not_evaluated;
  Outcome out;
  std::vector<std::string> wrong;
  if (std::string error = narrow(options, files.working_folder(), asked); !error.empty()) wrong.push_back(std::move(error));
  std::optional<Site> site;
  if (options.site) {
    site = read_site(files, *options.site);
    for (std::string& error : enter(*site, files, asked)) wrong.push_back(std::move(error));
  }
  if (!wrong.empty()) {
    for (const std::string& error : wrong) out.remarks.push_back(with_program(error));
    out.exit = kUsage;
    return out;
  }
  const bool fixing = !options.add_ignores && (options.fix || options.unsafe_fixes || options.diff);

  CheckResult result;
  if (options.add_ignores) {
    result = ignore_all(files, asked, options, style, out);
  } else if (fixing) {
    Fixed fixed = fix(files, asked, options.unsafe_fixes);
    const bool made = write_fixed(fixed, options, style, out);
    if (options.diff && !fixed.texts.empty()) out.exit = kFindings;
    // What could not be written is still to be found on the disk.
    result = made ? std::move(fixed.left) : check(files, asked);
  } else {
    result = check(files, asked);
  }
  const std::vector<std::shared_ptr<const OwnLaw>> laws = own_laws(files, asked);
  Failing fails(files, asked, site ? &*site : nullptr);
  // "Nothing found" would be no answer where something could not be read.
  const bool silent = options.format == OutputFormat::Text && (options.quiet || !result.errors.empty()) && result.findings.empty();
  if (!options.diff && !silent) out.output = report(result, options.format, options, style, fails, laws);
  for (const auto& [format, path] : options.outputs) {
    TextStyle plain = style;
    plain.color = options.color == Color::Always;
    out.files.emplace_back(path, report(result, format, options, plain, fails, laws));
  }
  // The other formats have no place for it.
  if (options.statistics && options.format != OutputFormat::Text && options.format != OutputFormat::Json)
    for (const RuleCount& rule : rule_counts(result.findings)) out.remarks.push_back(count_line(rule));
  if (out.exit == kClean && std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& f) { return fails(f); }))
    out.exit = kFindings;
  if (site && out.exit == kFindings)
    if (const std::string reason = bypass_reason(*site, files, asked); !reason.empty()) {
      out.exit = kClean;
      out.remarks.push_back("shardlint: bypassed: " + reason);
      if (std::string error = log_bypass(*site, asked, options.submitter, reason, result.findings); !error.empty())
        out.remarks.push_back(with_program(error));
    }
  for (const std::string& remark : result.remarks) out.remarks.push_back(with_program(remark));
  for (const std::string& error : result.errors) out.remarks.push_back(with_program(error));
  if (!result.errors.empty()) out.exit = kUsage;
  return out;
}

}  // namespace shardlint
