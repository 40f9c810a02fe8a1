// `config`: the settings that hold for a path, and where each of them is written.
#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/report/paint.h"

namespace shardlint {

namespace {

struct Row {
  std::string name, value;
  Place place;
};

// Later ones win, but where a name may stand several times.
void put(std::vector<Row>& rows, Row row) {
  const bool listed = row.name == "rules.select" || row.name == "rules.ignore";
  std::erase_if(rows, [&](const Row& other) { return other.name == row.name && (!listed || other.value == row.value); });
  rows.push_back(std::move(row));
}

std::vector<Row> rows_of(const Settings& settings) {
  std::vector<Row> rows;
  for (const WrittenSetting& setting : settings.written) put(rows, {setting.name, setting.value, setting.place});
  for (const Fact& fact : settings.facts)
    put(rows, {fact.path.starts_with("env.") ? fact.path : "cluster." + fact.path, to_string(fact.value), fact.key_place});
  // What a table above selects is not ignored from below, and what it selects is all that is.
  std::erase_if(rows, [&](const Row& row) {
    const auto gone = [&](const std::vector<std::string>& left) { return std::find(left.begin(), left.end(), row.value) == left.end(); };
    return (row.name == "rules.select" && gone(settings.rules.select)) || (row.name == "rules.ignore" && gone(settings.rules.ignore));
  });
  for (const auto& [name, value] : {std::pair{"rules.fail-on", "error"}, {"rules.preview", "false"}})
    if (std::none_of(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; })) rows.push_back({name, value, {}});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.name < b.name; });
  return rows;
}

}  // namespace

Outcome run_config(const Options& options, const TextStyle& style) {
  const Disk disk;
  const CheckOptions& asked = options.check;
  SettingsFinder finder(disk, asked.isolated, asked.config);
  const Paint paint(style.color);
  Outcome out;
  for (const std::string& path : asked.paths) {
    const auto file = finder.for_path(path);
    if (!finder.errors().empty()) break;
    if (!out.output.empty()) out.output += '\n';
    out.output +=
        paint.bold(fmt::format("{}: {}", path, file ? shown(file->source->path(), style.working_folder) : "no shardlint.toml")) + "\n";
    std::vector<Row> rows = rows_of(effective(file.get(), path, asked.command_line));
    std::size_t names = 0, values = 0;
    for (const Row& row : rows) names = std::max(names, columns(row.name)), values = std::max(values, columns(row.value));
    for (const Row& row : rows)
      out.output += fmt::format("  {}  {}  {}\n", padded(row.name, names), padded(row.value, values),
                                paint.faint(row.place ? place_line(row.place, style.working_folder, false) : "default"));
    if (!file) continue;
    for (const RunSetting& run : file->runs)
      out.output += fmt::format("  run {}: {}  {}\n", run.name, fmt::join(run.files, ", "),
                                paint.faint(place_line(run.place, style.working_folder, false)));
  }
  for (const std::string& error : finder.errors()) out.remarks.push_back(with_program(error));
  if (!out.remarks.empty()) out.exit = kUsage;
  return out;
}

}  // namespace shardlint
