// `baseline`: what is found today is let stand.
#include "checker/engine/baseline.h"

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/fix/files.h"

namespace shardlint {

Outcome run_baseline(const Options& options, const TextStyle& style) {
  const Disk disk;
  CheckOptions asked = options.check;
  asked.origins = asked.fixes = asked.baseline = false;
  const CheckResult result = check(disk, asked);

  Outcome out;
  for (const std::string& error : result.errors) out.remarks.push_back(with_program(error));
  if (!result.errors.empty()) {
    out.exit = kUsage;
    return out;
  }
  SettingsFinder finder(disk, asked.isolated, asked.config);
  const auto settings = finder.for_path(asked.paths[0]);
  const bool named = settings && settings->baseline;
  const std::string folder = settings && settings->folder != "." ? settings->folder : "";
  const std::string path = join(folder, named ? *settings->baseline : "shardlint-baseline.toml");
  const BaselineText text = baseline_text(disk, path, result);
  for (const std::string& error : text.errors) out.remarks.push_back(with_program(error));
  if (!text.errors.empty()) {
    out.exit = kUsage;
    return out;
  }
  if (const auto error = write_atomically(path, text.text)) {
    out.remarks.push_back(with_program(*error));
    out.exit = kUsage;
    return out;
  }
  const std::string name = shown(path, style.working_folder);
  out.remarks.push_back(fmt::format("shardlint: {} in {} let stand by {}", plural(static_cast<i64>(text.findings), "finding"),
                                    plural(static_cast<i64>(text.files), "file"), name));
  if (!named)
    out.remarks.push_back(fmt::format("shardlint: it counts once {} says: baseline = \"{}\"",
                                      settings ? shown(settings->source->path(), style.working_folder) : "a shardlint.toml beside it",
                                      "shardlint-baseline.toml"));
  return out;
}

}  // namespace shardlint
