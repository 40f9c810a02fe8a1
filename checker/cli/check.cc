#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/fix/files.h"
#include "checker/report/json.h"
#include "checker/report/text.h"

namespace shardlint {

namespace {

// Whether a finding counts for the exit code: by the command line, else by the settings of the file it stands in.
class Failing {
 public:
  Failing(const Files& files, const CheckOptions& options) : options_(options), finder_(files, options.isolated, options.config) {}

  bool operator()(const Finding& finding) {
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
  SettingsFinder finder_;
};

std::string report(const CheckResult& result, const Options& options, const TextStyle& style) {
  if (options.format == OutputFormat::Json) return json_report(result, style.working_folder);
  return text_report(result, {style, options.statistics, options.not_evaluated});
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

}  // namespace

std::string with_program(std::string_view error) {
  // "shardlint.toml:3: ..." has its place first, as editors read it.
  for (std::size_t colon = error.find(':'); colon != std::string_view::npos; colon = error.find(':', colon + 1)) {
    const std::size_t end = error.find_first_not_of("0123456789", colon + 1);
    if (end != std::string_view::npos && end > colon + 1 && error[end] == ':') return std::string(error);
  }
  return fmt::format("shardlint: {}", error);
}

Overlay input_files(const Files& disk, CheckOptions& options) {
  Overlay files(&disk);
  for (std::string& path : options.paths) {
    if (path != "-") continue;
    path = options.stdin_name;
    files.put(path, std::string(std::istreambuf_iterator<char>(std::cin), {}));
  }
  return files;
}

Outcome run_check(const Options& options, const TextStyle& style) {
  const Disk disk;
  CheckOptions asked = options.check;
  asked.origins = false;
  asked.brief = options.format == OutputFormat::Text && !options.not_evaluated;
  const Overlay files = input_files(disk, asked);
  const bool fixing = options.fix || options.unsafe_fixes || options.diff;

  Outcome out;
  CheckResult result;
  if (fixing) {
    Fixed fixed = fix(files, asked, options.unsafe_fixes);
    const bool made = write_fixed(fixed, options, style, out);
    if (options.diff && !fixed.texts.empty()) out.exit = kFindings;
    // What could not be written is still to be found on the disk.
    result = made ? std::move(fixed.left) : check(files, asked);
  } else {
    result = check(files, asked);
  }
  // "Nothing found" would be no answer where something could not be read.
  const bool silent = options.format == OutputFormat::Text && !result.errors.empty() && result.findings.empty();
  if (!options.diff && !silent) out.output = report(result, options, style);
  Failing fails(files, asked);
  if (out.exit == kClean && std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& f) { return fails(f); }))
    out.exit = kFindings;
  for (const std::string& remark : result.remarks) out.remarks.push_back(with_program(remark));
  for (const std::string& error : result.errors) out.remarks.push_back(with_program(error));
  if (!result.errors.empty()) out.exit = kUsage;
  return out;
}

}  // namespace shardlint
