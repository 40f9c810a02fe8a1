#include "checker/engine/suppress.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "checker/diag/hygiene.h"

namespace shardlint {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool covers(const Ignore& ignore, const Finding& finding) {
  if (!ignore.reason || !ignore.well_formed || ignore.place.source != finding.place.source) return false;
  const std::uint32_t line = finding.place.source->position(finding.place.range.begin).line;
  if (line < ignore.first || line > ignore.last) return false;
  return std::any_of(ignore.names.begin(), ignore.names.end(),
                     [&](const std::string& name) { return means(name, finding.rule, finding.family, finding.also); });
}

Finding about(const Ignore& ignore, const RuleInfo& info, std::string message, std::string effect) {
  Finding out;
  out.rule = info.name, out.family = info.family, out.severity = info.severity;
  out.message = std::move(message), out.effect = std::move(effect), out.place = ignore.place;
  return out;
}

}  // namespace

std::pair<std::uint32_t, std::uint32_t> joined_lines(const Source& source, std::uint32_t line) {
  std::uint32_t first = line, last = line;
  const auto goes_on = [&](std::uint32_t at) { return at >= 1 && at < source.line_count() && source.line(at).ends_with('\\'); };
  while (goes_on(first - 1)) --first;
  while (goes_on(last)) ++last;
  return {first, last};
}

std::vector<Ignore> ignores_of(const Document& document) {
  std::vector<Ignore> out;
  for (const Comment& comment : document.comments) {
    std::string_view text = document.raw(comment.range);
    const std::size_t at = text.find("shardlint:");
    if (at == std::string_view::npos || text.substr(0, at).find_first_not_of("#/ \t") != std::string_view::npos) continue;
    text = trim(text.substr(at + 10));
    if (!text.starts_with("ignore")) continue;
    Ignore ignore;
    ignore.place = document.place(comment.range);
    const Position position = document.source->position(comment.range.begin);
    const std::string_view before = document.source->text({position.offset - (position.column - 1), position.offset});
    const bool alone = trim(before).empty();
    std::tie(ignore.first, ignore.last) = joined_lines(*document.source, alone ? position.line + 1 : position.line);
    text = trim(text.substr(6));
    const std::size_t close = text.find(']');
    if (!text.starts_with('[') || close == std::string_view::npos) {
      ignore.well_formed = false;
    } else {
      std::string_view names = text.substr(1, close - 1);
      while (!names.empty()) {
        const std::size_t comma = names.find(',');
        ignore.names.emplace_back(trim(names.substr(0, comma)));
        names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 1);
      }
      ignore.reason = !trim(text.substr(close + 1)).empty();
    }
    out.push_back(std::move(ignore));
  }
  return out;
}

std::size_t suppress(const std::vector<DocumentPtr>& documents, const std::vector<DocumentPtr>& included, std::vector<Finding>& findings,
                     bool judged) {
  std::vector<Ignore> ignores;
  for (const DocumentPtr& document : documents)
    for (Ignore& ignore : ignores_of(*document)) ignores.push_back(std::move(ignore));
  for (const DocumentPtr& document : included)
    for (Ignore& ignore : ignores_of(*document)) ignore.included = true, ignores.push_back(std::move(ignore));
  if (ignores.empty()) return 0;
  const std::size_t silenced = std::erase_if(findings, [&](const Finding& finding) {
    for (Ignore& ignore : ignores)
      if (covers(ignore, finding)) return ignore.used = true;
    return false;
  });
  for (const Ignore& ignore : ignores) {
    if (ignore.included) continue;
    if (!ignore.well_formed)
      findings.push_back(
          about(ignore, hygiene::kIgnoreWithoutReason, "this ignore names nothing", "write: shardlint: ignore[NAME] reason"));
    else if (!ignore.reason)
      findings.push_back(
          about(ignore, hygiene::kIgnoreWithoutReason, "this ignore gives no reason", "it silences nothing until one stands behind it"));
    else if (!ignore.used && judged)
      findings.push_back(about(ignore, hygiene::kUnusedIgnore, "this ignore silences nothing", "it can go"));
  }
  return silenced;
}

}  // namespace shardlint
