// From a value to where it is set: behind an interpolation, in the file that it is inherited from, in the file that a word names.
#include <algorithm>
#include <filesystem>

#include "checker/lsp/features.h"

namespace shardlint::lsp {

namespace {

constexpr std::string_view kWord = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@";

// The word under the cursor, as paths are written.
std::string_view word_at(std::string_view text, std::uint32_t offset) {
  const auto is_word = [&](std::size_t at) {
    return kWord.find(text[at]) != std::string_view::npos || static_cast<unsigned char>(text[at]) >= 0x80;
  };
  std::size_t begin = std::min<std::size_t>(offset, text.size()), end = begin;
  while (begin > 0 && is_word(begin - 1)) --begin;
  while (end < text.size() && is_word(end)) ++end;
  return text.substr(begin, end - begin);
}

// Of the files that the job has read, the one that this word names: with its ending or without.
std::string file_named(std::string_view word, const AnalysisPtr& analysis, const std::string& own) {
  while (word.starts_with("./")) word.remove_prefix(2);
  if (const std::size_t up = word.rfind("../"); up != std::string_view::npos) word.remove_prefix(up + 3);
  if (word.empty() || word == "." || word == ".." || word == "/") return "";
  for (const std::string& path : analysis->reads) {
    if (path == own || path.ends_with("shardlint.toml")) continue;
    for (const std::string_view ending : {"", ".yaml", ".yml", ".json", ".toml"}) {
      const std::string wanted = (word.starts_with('/') ? "" : "/") + std::string(word) + std::string(ending);
      if (path.ends_with(wanted)) return path;
    }
  }
  return "";
}

}  // namespace

llvm::json::Value definition(const Request& request) {
  const std::vector<AnalysisPtr> analyses = request.analyses();
  const std::uint32_t offset = request.offset();
  llvm::json::Array out;
  const auto add = [&](llvm::json::Value location) {
    if (std::find(out.begin(), out.end(), location) == out.end()) out.push_back(std::move(location));
  };
  const std::string_view word = word_at(request.text->bytes, offset);
  for (const AnalysisPtr& analysis : analyses)
    if (const std::string path = file_named(word, analysis, request.path); !path.empty())
      add(llvm::json::Object{{"uri", request.places(analysis).uri(path)}, {"range", toJSON(mlir::lsp::Range(mlir::lsp::Position()))}});
  if (!out.empty()) return out;
  if (const std::optional<Spot> spot = spot_at(request, analyses, offset)) {
    Places places = request.places(spot->analysis);
    const auto elsewhere = [&](const Place& place) {
      const bool here =
          places.is_file(place) && places.path(place.source) == request.path && place.range.begin <= offset && offset <= place.range.end;
      if (places.is_file(place) && !here) add(places.location(place));
    };
    const Fact& fact = **spot;
    if (fact.formula)
      for (const std::string& path : fact.formula->reads)
        for (const Fact& other : spot->job->facts)
          if (other.path == path) elsewhere(other.place);
    if (out.empty() && spot->overridden) elsewhere(fact.place);
    if (out.empty() && fact.chain)
      for (const Step& step : *fact.chain) {
        elsewhere(step.place);
        if (!out.empty()) break;
      }
    if (out.empty()) elsewhere(fact.place);
  }
  if (out.empty()) return nullptr;
  return out;
}

}  // namespace shardlint::lsp
