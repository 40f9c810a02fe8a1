// `submit`: what sbatch is called with is checked, and then sbatch is called with it.
#include <unistd.h>

#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/gate.h"
#include "checker/launch/slurm.h"

namespace shardlint {

namespace {

constexpr const char* kSite = "/etc/shardlint/site.toml";

// The environment that a script asks for by name and that its job inherits; what Slurm sets for the job is not what it is set to here.
void add_environment(std::string_view script, Settings& settings) {
  std::set<std::string> names{"SHARDLINT_BYPASS"};
  for (std::size_t at = script.find('$'); at != std::string_view::npos; at = script.find('$', at + 1)) {
    std::size_t begin = at + 1;
    if (begin < script.size() && script[begin] == '{') ++begin;
    const std::size_t end =
        std::min(script.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789", begin), script.size());
    if (const std::string name(script.substr(begin, end - begin)); !name.empty() && name[0] > '9' && !name.starts_with("SLURM"))
      names.insert(name);
  }
  for (const std::string& name : names) {
    const char* value = std::getenv(name.c_str());
    if (!value) continue;
    Fact& fact = settings.facts.emplace_back();
    fact.path = fact.spelled = "env." + name;
    fact.value = value;
    fact.way = Way::Setting;
    const auto source = std::make_shared<const Source>("<command line>", fmt::format("{}={}", name, value));
    fact.place = fact.key_place = {source, {0, static_cast<std::uint32_t>(source->text().size())}};
  }
}

}  // namespace

Outcome run_submit(const Options& options, const TextStyle& style) {
  Options judged = options;
  judged.quiet = true;
  CheckOptions& asked = judged.check;
  const launch::SbatchWords words = launch::sbatch_words(options.words);
  std::string line = "sbatch";
  for (const launch::SbatchWords::Option& option : words.options) {
    const auto begin = static_cast<std::uint32_t>(line.size() + 1);
    line += fmt::format(" --{}={}", option.name, option.value);
    asked.sbatch.push_back({option.name, option.value, {nullptr, {begin, static_cast<std::uint32_t>(line.size())}}});
  }
  const auto source = std::make_shared<const Source>("<command line>", line);
  for (SbatchOption& option : asked.sbatch) option.place.source = source;

  Outcome out;
  const Disk disk;
  std::string script;
  std::optional<std::string> wrap, input;
  for (const SbatchOption& option : asked.sbatch)
    if (option.name == "wrap") wrap = option.value;
  if (wrap) {
    script = "#!/bin/sh\n" + *wrap + "\n";
    asked.stdin_name = "wrap.sh";
  } else if (words.script) {
    asked.paths = {options.words[*words.script]};
    script = disk.read(asked.paths[0]).text.value_or("");  // sbatch says best why it is not there
  } else {
    Files::Read given = read_input();
    if (!given.text) return no_input(given.error);
    input = script = std::move(*given.text);
    asked.stdin_name = "stdin.sh";
  }
  out.exec = {"sbatch"};
  out.exec.insert(out.exec.end(), options.words.begin(), options.words.end());
  out.exec_input = input;
  if (script.empty()) return out;
  Overlay files(&disk);
  if (!words.script || wrap) {
    asked.paths = {asked.stdin_name};
    files.put(asked.stdin_name, script);
  }
  add_environment(script, asked.command_line);
  const char* site = std::getenv("SHARDLINT_SITE");
  if (site && *site)
    judged.site = site;
  else if (disk.exists(kSite))
    judged.site = kSite;

  Outcome checked = run_check(judged, style, files);
  out.output = std::move(checked.output), out.remarks = std::move(checked.remarks), out.exit = checked.exit;
  if (out.exit == kFindings) out.remarks.push_back("shardlint: this job is not submitted");
  if (out.exit != kClean) out.exec.clear();
  return out;
}

}  // namespace shardlint
