#include <algorithm>
#include <iostream>
#include <iterator>

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

void write_fixed(const Fixed& fixed, const Options& options, const TextStyle& style, Outcome& out) {
  std::size_t written = 0;
  for (const auto& [path, texts] : fixed.texts) {
    const auto& [before, after] = texts;
    if (before == after) continue;
    ++written;
    const std::string name = shown(path, style.working_folder);
    if (options.diff) {
      out.output += unified_diff(name, before, after);
    } else if (const auto error = write_atomically(path, after)) {
      out.remarks.push_back(*error);
      out.exit = kUsage;
    }
  }
  if (written)
    out.remarks.push_back(fmt::format("{} {} in {} {}{}", fixed.fixes, fixed.fixes == 1 ? "fix" : "fixes", written,
                                      written == 1 ? "file" : "files", options.diff ? ", nothing is written" : ""));
  const auto unsafe =
      std::count_if(fixed.left.findings.begin(), fixed.left.findings.end(), [](const Finding& f) { return !f.fixes.empty(); });
  if (unsafe && !options.unsafe_fixes) out.remarks.push_back(fmt::format("--unsafe-fixes can mend {} more, by changing the plan", unsafe));
}

}  // namespace

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
  const Overlay files = input_files(disk, asked);
  const bool fixing = options.fix || options.unsafe_fixes || options.diff;

  Outcome out;
  CheckResult result;
  if (fixing) {
    Fixed fixed = fix(files, asked, options.unsafe_fixes);
    write_fixed(fixed, options, style, out);
    if (options.diff && !fixed.texts.empty()) out.exit = kFindings;
    result = std::move(fixed.left);
  } else {
    result = check(files, asked);
  }
  // "Nothing found" would be no answer where something could not be read.
  const bool silent = options.format == OutputFormat::Text && !result.errors.empty() && result.findings.empty();
  if (!options.diff && !silent) out.output = report(result, options, style);
  Failing fails(files, asked);
  if (out.exit == kClean && std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& f) { return fails(f); }))
    out.exit = kFindings;
  out.remarks.insert(out.remarks.end(), result.errors.begin(), result.errors.end());
  if (!result.errors.empty()) out.exit = kUsage;
  return out;
}

}  // namespace shardlint
