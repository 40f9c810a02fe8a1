// The whole program but for its process: bytes to findings, to fixes, to bytes.
//
// What is promised of any bytes: every place lies inside its file, every edit applies, mending what was mended changes nothing, and each
// report is one that its readers take. A first byte of 0x80 to 0x9F, which begins no text, says what the file is called (its lowest three
// bits), whether the size of the job is known (0x08), and whether it is mended too, which takes longer (0x10). Another text has the name
// that it looks like.
#include <llvm/Support/JSON.h>

#include "checker/engine/check.h"
#include "checker/report/ci.h"
#include "checker/report/html.h"
#include "checker/report/json.h"
#include "checker/report/plan.h"
#include "checker/report/text.h"
#include "tests/fuzz/promise.h"

namespace shardlint {
namespace {

using fuzzing::require;

constexpr const char* kNames[] = {"job.yaml", "job.toml", "job.json", "job.sh", "job.sbatch", "values.yml", "job.slurm", "config.json"};

std::string name_for(std::string_view& text) {
  if (!text.empty() && (text[0] & 0xE0) == 0x80) {
    const char* name = kNames[text[0] & 7];
    text.remove_prefix(1);
    return name;
  }
  if (text.starts_with("#!")) return "job.sh";
  if (text.starts_with('{')) return "job.json";
  return text.starts_with('[') || text.find(" = ") != std::string_view::npos ? "job.toml" : "job.yaml";
}

void look(const Place& place) {
  if (place) require(place.range.begin <= place.range.end && place.range.end <= place.source->text().size());
}

void is_json(const std::string& text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) llvm::consumeError(value.takeError());
  require(static_cast<bool>(value));
}

// Characters that XML has no way to write.
void is_of_xml(const std::string& text) {
  require(llvm::json::isUTF8(text));
  for (const char c : text) require(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t' || c == '\r');
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
  is_json(json_report(result, "/work"));
  const CiReport how{"/work", [](const std::string&) { return RuleText{}; },
                     [](const Finding& finding) { return finding.severity == Severity::Error; }};
  is_json(sarif_report(result, how));
  is_json(gitlab_report(result, how));
  github_report(result, how);
  is_of_xml(junit_report(result, how));
  is_of_xml(checkstyle_report(result, how));
  plan_text(result, style);
  is_json(plan_json(result, "/work"));
  plan_html(result, "/work");
}

}  // namespace
}  // namespace shardlint

FUZZ_TARGET(program) {
  using namespace shardlint;
  const bool asked = !input.empty() && (input[0] & 0xE0) == 0x80, sized = asked && (input[0] & 0x08), mends = asked && (input[0] & 0x10);
  std::string_view text = input;
  const std::string name = name_for(text);
  Overlay files;
  files.put(name, std::string(text));
  CheckOptions options;
  options.paths = {name};
  options.jobs = 1, options.advice = true;
  if (sized) {
    Fact& fact = options.command_line.facts.emplace_back();
    fact.path = fact.spelled = "world_size", fact.value = i64{64}, fact.way = Way::Setting;
  }
  look(check(files, options));
  if (!mends || text.size() > 2048) return;
  for (const bool unsafe : {false, true}) {
    const Fixed fixed = fix(files, options, unsafe);
    look(fixed.left);
    if (fixed.texts.empty()) continue;
    Overlay mended;
    for (const auto& [path, texts] : fixed.texts) mended.put(path, texts.second);
    for (const auto& [path, texts] : fix(mended, options, unsafe).texts) require(texts.first == texts.second);
  }
}
