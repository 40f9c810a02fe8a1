// Any bytes are a shardlint.toml: each mistake is one line, and what was read can be laid over a run.
#include "checker/engine/settings.h"
#include "tests/fuzz/promise.h"

FUZZ_TARGET(settings) {
  using namespace shardlint;
  std::string_view rest = input;
  Overlay files;
  const std::string text(fuzzing::cut(rest)), path(rest.substr(0, 200));
  files.put("shardlint.toml", text);
  const auto settings = read_settings(files, "shardlint.toml");
  fuzzing::require(settings != nullptr);
  for (const std::string& error : settings->errors) fuzzing::require(!error.empty() && error.find('\0') == std::string::npos);
  for (const RunSetting& run : settings->runs) fuzzing::require(!run.place || run.place.range.end <= text.size());
  effective(settings.get(), path.empty() ? "a/b.yaml" : path, {});
  for (const SettingsFile::PerPath& table : settings->per_path)
    for (const std::string& glob : table.globs) glob_matches(glob, path);
}
