#include "checker/engine/baseline.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "checker/engine/settings_tables.h"

namespace shardlint {

namespace {

struct Allowed {
  i64 count = 0;
  Place place;
};
using Counts = std::map<std::pair<std::string, std::string>, Allowed>;  // by file, from the baseline's folder, and rule

Counts read_counts(const std::string& path, std::string text, std::vector<std::string>& errors) {
  Counts out;
  SettingsTables tables(read_document(std::make_shared<const Source>(path, std::move(text)), Format::Toml), errors);
  const Node* root = tables.root();
  if (!root) return out;
  for (const Entry* file : tables.document().entries(*root))
    tables.each(*file, file->key, [&](const Entry& rule) {
      if (const std::optional<double> count = tables.positive(rule, rule.key))
        out[{file->key, rule.key}] = {static_cast<i64>(*count), tables.document().place(rule.key_range)};
    });
  return out;
}

// A file's name from the baseline's folder; empty if it lies elsewhere.
std::string inside(const Files& files, const std::string& folder, const std::string& file) {
  const std::string whole = join(files.working_folder(), file), base = join(files.working_folder(), folder.empty() ? "." : folder);
  std::string out = std::filesystem::path(whole).lexically_relative(base).generic_string();
  return out.starts_with("..") ? "" : out;
}

std::map<std::pair<std::string, std::string>, i64> counted(const Files& files, const std::string& folder,
                                                           const std::vector<Finding>& findings) {
  std::map<std::pair<std::string, std::string>, i64> out;
  for (const Finding& finding : findings)
    if (finding.place && finding.severity != Severity::Info)
      if (std::string file = inside(files, folder, finding.place.source->path()); !file.empty()) ++out[{std::move(file), finding.rule}];
  return out;
}

std::string line_of(const Place& place) {
  return fmt::format("{}:{}", place.source->path(), place.source->position(place.range.begin).line);
}

}  // namespace

void let_stand(const Files& files, const CheckOptions& options, const std::vector<Unit>& units, CheckResult& result) {
  std::map<std::string, std::pair<std::string, Place>> baselines;  // path -> its folder, who names it
  for (const Unit& unit : units)
    if (unit.from && unit.from->baseline) {
      const std::string path = join(unit.from->folder == "." ? "" : unit.from->folder, *unit.from->baseline);
      baselines.try_emplace(path, folder_of(path), unit.from->baseline_place);
    }
  std::set<std::string> looked_at;
  for (const auto& [path, who] : baselines) {
    const auto& [folder, place] = who;
    Files::Read read = files.read(path);
    if (!read.text) {
      result.errors.push_back(fmt::format("{}: {}: {}; `shardlint baseline` writes it", line_of(place), path, read.error));
      continue;
    }
    const Counts allowed = read_counts(path, std::move(*read.text), result.errors);
    const auto found = counted(files, folder, result.findings);
    const std::size_t before = result.findings.size();
    std::erase_if(result.findings, [&](const Finding& finding) {
      if (!finding.place || finding.severity == Severity::Info) return false;
      const auto entry = allowed.find({inside(files, folder, finding.place.source->path()), finding.rule});
      return entry != allowed.end() && found.at(entry->first) <= entry->second.count;
    });
    result.baselined += before - result.findings.size();

    looked_at.clear();
    for (const std::string& file : result.looked_at) looked_at.insert(inside(files, folder, file));
    const RuleSettings& asked = options.command_line.rules;
    const bool all_rules = asked.select.empty() && asked.ignore.empty();
    for (const auto& [key, entry] : allowed) {
      const auto& [file, rule] = key;
      const auto now = found.find(key);
      const i64 count = now == found.end() ? 0 : now->second;
      if (count > entry.count)
        result.remarks.push_back(fmt::format("{}: {} has {} of {} where the baseline lets {} stand, so all are shown", line_of(entry.place),
                                             file, count, rule, entry.count));
      const bool gone = !files.exists(join(folder, file));
      if (count < entry.count && all_rules && (gone || looked_at.contains(file)))
        result.remarks.push_back(fmt::format("{}: {} {}; `shardlint baseline` takes it out", line_of(entry.place), file,
                                             gone         ? "is no more"
                                             : count == 0 ? fmt::format("has no {} any more", rule)
                                                          : fmt::format("has {} of {} and no longer {}", count, rule, entry.count)));
    }
  }
}

BaselineText baseline_text(const Files& files, const std::string& path, const CheckResult& result) {
  const std::string folder = folder_of(path);
  BaselineText out;
  auto counts = counted(files, folder, result.findings);
  if (Files::Read before = files.read(path); before.text) {
    std::set<std::string> looked_at;
    for (const std::string& file : result.looked_at) looked_at.insert(inside(files, folder, file));
    for (const auto& [key, entry] : read_counts(path, std::move(*before.text), out.errors))
      if (!looked_at.contains(key.first) && files.exists(join(folder, key.first))) counts.try_emplace(key, entry.count);
  }
  out.text = "# Findings that are let stand, counted by file and rule. `shardlint baseline` writes this file.\n";
  const auto quoted = [](const std::string& text) {
    std::string inner;
    for (char c : text) inner += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return "\"" + inner + "\"";
  };
  const std::string* file = nullptr;
  for (const auto& [key, count] : counts) {
    if (!file || *file != key.first) out.text += fmt::format("\n[{}]\n", quoted(key.first)), file = &key.first, ++out.files;
    out.text += fmt::format("{} = {}\n", quoted(key.second), count);
    out.findings += static_cast<std::size_t>(count);
  }
  return out;
}

}  // namespace shardlint
