// The whole program but for its process: bytes to findings, to fixes, to bytes. The first byte chooses the name of the file.
//
// What is promised of any bytes: every place lies inside its file, every edit applies, what is mended is a text that can be checked
// again, and neither the report in text nor the one in JSON minds any of it. Inline ignores are read on the way.
#include "checker/engine/check.h"
#include "checker/report/json.h"
#include "checker/report/text.h"
#include "tests/fuzz/promise.h"

namespace shardlint {
namespace {

using fuzzing::require;

void look(const Place& place) {
  if (place) require(place.range.begin <= place.range.end && place.range.end <= place.source->text().size());
}

void look(const CheckResult& result) {
  for (const Finding& finding : result.findings) {
    require(!finding.message.empty() && !finding.rule.empty());
    look(finding.place);
    for (const Note& note : finding.notes) look(note.place);
    for (const Fix& fix : finding.fixes) {
      std::map<SourcePtr, std::vector<Edit>> by_file;
      for (const Edit& edit : fix.edits) by_file[edit.source].push_back(edit);
      for (const auto& [source, edits] : by_file) require(apply(*source, edits).has_value());
    }
  }
  TextStyle style;
  text_report(result, {style, true, true});
  json_report(result, "/work");
}

}  // namespace
}  // namespace shardlint

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardlint;
  static constexpr const char* kNames[] = {"job.yaml", "job.toml", "job.json", "job.sh", "job.sbatch"};
  if (size == 0) return 0;
  const std::string name = kNames[data[0] % std::size(kNames)];
  Overlay files;
  files.put(name, std::string(fuzzing::text_of(data + 1, size - 1)));
  CheckOptions options;
  options.paths = {name};
  options.jobs = 1, options.advice = true;
  if (data[0] & 0x40) {
    Fact& fact = options.command_line.facts.emplace_back();
    fact.path = fact.spelled = "world_size", fact.value = i64{64}, fact.way = Way::Setting;
  }
  look(check(files, options));
  // A fix can take many rounds: only small files are mended here.
  if (size < 4096) {
    const Fixed fixed = fix(files, options, true);
    look(fixed.left);
  }
  return 0;
}
