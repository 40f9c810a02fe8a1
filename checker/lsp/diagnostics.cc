#include "checker/lsp/diagnostics.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "checker/diag/hygiene.h"
#include "checker/lsp/pages.h"
#include "checker/lsp/uri.h"

namespace shardlint::lsp {

namespace {

using mlir::lsp::DiagnosticSeverity;
using mlir::lsp::DiagnosticTag;

int severity_of(Severity severity) {
  const DiagnosticSeverity out = severity == Severity::Error     ? DiagnosticSeverity::Error
                                 : severity == Severity::Warning ? DiagnosticSeverity::Warning
                                                                 : DiagnosticSeverity::Information;
  return static_cast<int>(out);
}

llvm::json::Object range_of_line(int line, int columns) {
  return llvm::json::Object{{"start", llvm::json::Object{{"line", line}, {"character", 0}}},
                            {"end", llvm::json::Object{{"line", line}, {"character", columns}}}};
}

// "configs/base.yaml:3".
std::string line_of(const Place& place) {
  return fmt::format("{}:{}", place.source->path(), place.source->position(place.range.begin).line);
}

llvm::json::Object diagnostic(const Finding& finding, const Client& client, Places& places) {
  llvm::json::Object out{{"severity", severity_of(finding.severity)}, {"source", "shardlint"}, {"code", finding.rule}};
  out["range"] = finding.place ? places.range(finding.place.source, finding.place.range) : llvm::json::Value(range_of_line(0, 0));
  if (client.links)
    if (const std::string page = page_uri(finding.rule); !page.empty()) out["codeDescription"] = llvm::json::Object{{"href", page}};
  std::string message = message_of(finding);
  llvm::json::Array related;
  for (const Note& note : finding.notes) {
    const std::string text = with_commas(note.message);
    if (client.related && places.is_file(note.place))
      related.push_back(llvm::json::Object{{"location", places.location(note.place)}, {"message", text}});
    else
      message += "\n= " + text + (places.is_file(note.place) ? "   " + line_of(note.place) : "");
  }
  out["message"] = std::move(message);
  if (!related.empty()) out["relatedInformation"] = std::move(related);
  if (client.tags) {
    if (finding.rule == hygiene::kDeprecated.name) out["tags"] = llvm::json::Array{static_cast<int>(DiagnosticTag::Deprecated)};
    if (finding.rule == hygiene::kUnusedIgnore.name) out["tags"] = llvm::json::Array{static_cast<int>(DiagnosticTag::Unnecessary)};
  }
  return out;
}

// An error in a settings file, "3: no setting `foo`".
llvm::json::Object settings_error(const std::string& error) {
  int line = 1;
  std::from_chars(error.data(), error.data() + error.size(), line);
  std::size_t begin = error.find_first_not_of("0123456789:");
  begin = begin == std::string::npos ? 0 : error.find_first_not_of(' ', begin);
  return llvm::json::Object{{"range", range_of_line(std::max(0, line - 1), 10'000)},
                            {"severity", static_cast<int>(DiagnosticSeverity::Error)},
                            {"source", "shardlint"},
                            {"message", error.substr(begin)}};
}

// What stands in the files that build on this one.
std::optional<llvm::json::Object> count_elsewhere(const std::string& path, const std::vector<AnalysisPtr>& analyses, const Client& client,
                                                  const BuffersPtr& buffers) {
  std::size_t count = 0;
  std::set<std::string> files;
  llvm::json::Array related;
  if (path.ends_with("/shardlint.toml")) return std::nullopt;  // every job reads it
  for (const AnalysisPtr& analysis : analyses) {
    if (analysis->root.kind != Root::Kind::Config || analysis->root.path == path || !analysis->reads.contains(path)) continue;
    Places places(client.encoding, buffers, analysis->root.folder);
    for (const Finding& finding : analysis->result->findings) {
      if (!finding.place || finding.severity == Severity::Info || places.path(finding.place.source) == path) continue;
      ++count;
      files.insert(finding.place.source->path());
      if (related.size() < 20)
        related.push_back(llvm::json::Object{{"location", places.location(finding.place)}, {"message", with_commas(finding.message)}});
    }
  }
  if (count == 0) return std::nullopt;
  llvm::json::Object out{
      {"range", range_of_line(0, 0)},
      {"severity", static_cast<int>(DiagnosticSeverity::Information)},
      {"source", "shardlint"},
      {"message",
       fmt::format("{} in {} on this one: {}", with_commas(plural(static_cast<i64>(count), "finding")),
                   with_commas(plural(static_cast<i64>(files.size()), "file that builds", "files that build")), fmt::join(files, ", "))}};
  if (client.related) out["relatedInformation"] = std::move(related);
  return out;
}

// What is wrong with the jobs that scripts start with this file and that rests on a value of it: said at the first such value, for who has
// only the config open. Once for a rule there, however many scripts say it.
llvm::json::Array said_in_scripts(const std::string& path, const std::vector<AnalysisPtr>& analyses, const Client& client,
                                  const BuffersPtr& buffers) {
  struct Pointer {
    llvm::json::Value range = nullptr;
    std::string message;
    std::vector<std::string> said_at;
    llvm::json::Array related;
  };
  std::map<std::pair<std::uint32_t, std::string>, Pointer> pointers;  // by where the value stands, and the rule
  for (const AnalysisPtr& analysis : analyses) {
    if (analysis->root.kind != Root::Kind::Script || analysis->root.path == path || !analysis->reads.contains(path)) continue;
    Places places(client.encoding, buffers, analysis->root.folder);
    for (const Finding& finding : analysis->result->findings) {
      if (!places.is_file(finding.place) || finding.severity == Severity::Info || places.path(finding.place.source) == path) continue;
      const auto here = std::find_if(finding.notes.begin(), finding.notes.end(), [&](const Note& note) {
        return places.is_file(note.place) && places.path(note.place.source) == path;
      });
      if (here == finding.notes.end()) continue;
      Pointer& pointer = pointers[{here->place.range.begin, finding.rule}];
      if (pointer.said_at.empty())
        pointer.range = places.range(here->place.source, here->place.range), pointer.message = message_of(finding);
      pointer.said_at.push_back(line_of(finding.place));
      pointer.related.push_back(
          llvm::json::Object{{"location", places.location(finding.place)}, {"message", with_commas(finding.message)}});
    }
  }
  llvm::json::Array out;
  for (auto& [key, pointer] : pointers) {
    llvm::json::Object said{{"range", std::move(pointer.range)},
                            {"severity", static_cast<int>(DiagnosticSeverity::Information)},
                            {"source", "shardlint"},
                            {"code", key.second},
                            {"message", fmt::format("{}\n= said at {}", pointer.message, fmt::join(pointer.said_at, ", "))}};
    if (client.related) said["relatedInformation"] = std::move(pointer.related);
    out.push_back(std::move(said));
  }
  return out;
}

}  // namespace

std::string message_of(const Finding& finding) {
  std::string out = with_commas(finding.message);
  if (!finding.effect.empty()) out += "\n" + with_commas(finding.effect);
  return out;
}

llvm::json::Array diagnostics(const std::string& path, const std::vector<AnalysisPtr>& analyses, const Client& client,
                              const BuffersPtr& buffers) {
  llvm::json::Array out;
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> said;  // jobs that share a file share what is wrong with it
  std::set<std::string> errors;
  for (const AnalysisPtr& analysis : analyses) {
    Places places(client.encoding, buffers, analysis->root.folder);
    const auto [first, last] = analysis->by_file.equal_range(path);
    for (auto entry = first; entry != last; ++entry) {
      const Finding& finding = *entry->second;
      const Range range = finding.place ? finding.place.range : Range{};
      if (said.emplace(finding.rule, range.begin, range.end, finding.message).second) out.push_back(diagnostic(finding, client, places));
    }
    const auto [first_error, last_error] = analysis->errors.equal_range(path);
    for (auto entry = first_error; entry != last_error; ++entry)
      if (errors.insert(entry->second).second) out.push_back(settings_error(entry->second));
  }
  if (buffers->contains(path)) {
    for (llvm::json::Value& pointer : said_in_scripts(path, analyses, client, buffers)) out.push_back(std::move(pointer));
    if (auto count = count_elsewhere(path, analyses, client, buffers)) out.push_back(std::move(*count));
  }
  return out;
}

}  // namespace shardlint::lsp
