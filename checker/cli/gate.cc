#include "checker/cli/gate.h"

#include <fcntl.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <set>

#include <fmt/format.h>

#include "checker/launch/launch.h"

namespace shardlint {

namespace {

// What the scripts among the paths say of their submission.
ScriptSays scripts_say(const Files& files, const CheckOptions& asked) {
  ScriptSays out;
  for (const std::string& path : asked.paths) {
    Files::Read read = files.read(path);
    if (!read.text || format_of(path) || !launch::is_script(path, *read.text)) continue;
    ScriptSays one = script_says(std::make_shared<const Source>(path, std::move(*read.text)));
    out.options.insert(out.options.end(), one.options.begin(), one.options.end());
    if (out.bypass.empty()) out.bypass = std::move(one.bypass);
  }
  return out;
}

// One line, whatever somebody wrote.
std::string in_log(std::string_view text) {
  std::string out;
  for (char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' ? ' ' : c;
  return out;
}

std::string value_of(const CheckOptions& asked, std::string_view option) {
  std::string out;
  for (const SbatchOption& given : asked.sbatch)
    if (given.name == option) out = given.value;
  return out;
}

}  // namespace

std::vector<std::string> enter(const Site& site, const Files& files, CheckOptions& asked) {
  if (!site.errors.empty()) return site.errors;
  std::vector<SbatchOption> options = scripts_say(files, asked).options;
  options.insert(options.end(), asked.sbatch.begin(), asked.sbatch.end());
  asked.law = site.law;
  asked.command_line = laid_over(settings_for(site, options), asked.command_line);
  return {};
}

std::string bypass_reason(const Site& site, const Files& files, const CheckOptions& asked) {
  if (site.bypass_by_variable)
    for (const Fact& fact : asked.command_line.facts)
      if (fact.path == "env.SHARDLINT_BYPASS" && fact.value.text() && !fact.value.text()->empty()) return *fact.value.text();
  if (!site.bypass_by_comment) return "";
  constexpr std::string_view kMark = "shardlint: bypass ";
  if (const std::string comment = value_of(asked, "comment"); comment.starts_with(kMark)) return comment.substr(kMark.size());
  return scripts_say(files, asked).bypass;
}

std::string log_bypass(const Site& site, const CheckOptions& asked, const std::string& submitter, const std::string& reason,
                       const std::vector<Finding>& findings) {
  std::set<std::string> rules;
  for (const Finding& finding : findings)
    if (site.refuses(finding)) rules.insert(finding.rule);
  const std::string user = !submitter.empty() ? submitter : fmt::format("uid {}", getuid());
  char now[32];
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  std::strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &parts));
  const std::string name = value_of(asked, "job-name");
  const std::string line = fmt::format("user=\"{}\" job=\"{}\" rules=\"{}\" reason=\"{}\"", in_log(user),
                                       in_log(!name.empty()         ? name
                                              : asked.paths.empty() ? ""
                                                                    : asked.paths[0]),
                                       fmt::join(rules, ","), in_log(reason));
  std::string wrong;
  if (!site.log.empty()) {
    const int file = open(site.log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    const std::string whole = fmt::format("{} {}\n", now, line);
    if (file >= 0 && write(file, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size())) {
      close(file);
      return "";
    }
    wrong = fmt::format("{}: {}; syslog has the bypass", site.log, std::strerror(errno));
    if (file >= 0) close(file);
  }
  openlog("shardlint", LOG_PID, LOG_USER);
  syslog(LOG_NOTICE, "bypass %s", line.c_str());
  closelog();
  return wrong;
}

}  // namespace shardlint
