#include "checker/report/ci_parts.h"

#include <map>

#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/MD5.h>

#include "checker/report/text.h"
#include "checker/text/files.h"

namespace shardlint {

namespace {

bool on_command_line(const Place& place) { return place.source->path() == "<command line>"; }

// Columns of a position in characters, from 1.
std::uint32_t column_of(const Source& source, const Position& at) {
  const std::string_view line = source.line(at.line);
  std::uint32_t column = 1;
  for (char c : line.substr(0, std::min<std::size_t>(at.column - 1, line.size())))
    column += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  return column;
}

// The line that a finding stands on; of an option its name and the message without its numbers.
std::string stable_text(const Finding& finding) {
  if (finding.place && !on_command_line(finding.place)) {
    std::string_view line = finding.place.source->line(finding.place.source->position(finding.place.range.begin).line);
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    line.remove_prefix(begin);
    return std::string(line.substr(0, line.find_last_not_of(" \t") + 1));
  }
  std::string text = finding.place ? place_line(finding.place, "", false) + " " : "";
  for (char c : finding.message)
    if ((c < '0' || c > '9') && c != kThousands) text += c;
  return text;
}

}  // namespace

Region region_of(const Place& place, std::string_view working_folder) {
  Region out;
  if (!place || on_command_line(place)) return out;
  const Source& source = *place.source;
  const Position begin = source.position(place.range.begin), end = source.position(place.range.end);
  out.file = shown(source.path(), working_folder);
  out.line = begin.line, out.column = column_of(source, begin);
  out.end_line = end.line, out.end_column = column_of(source, end);
  return out;
}

Region region_of(const Finding& finding, std::string_view working_folder) {
  Region out = region_of(finding.place, working_folder);
  if (out.file.empty() && !finding.run.empty()) out.file = shown(finding.run, working_folder);
  return out;
}

std::string one_line(const Finding& finding) {
  std::string out = finding.place && on_command_line(finding.place) ? place_line(finding.place, "", false) + ": " : "";
  out += with_commas(finding.message);
  if (!finding.effect.empty()) out += "; " + with_commas(finding.effect);
  return out;
}

std::string all_lines(const Finding& finding, std::string_view working_folder) {
  std::string out = finding.place && on_command_line(finding.place) ? place_line(finding.place, "", false) + ": " : "";
  out += with_commas(finding.message);
  if (!finding.effect.empty()) out += "\n" + with_commas(finding.effect);
  for (const Note& note : finding.notes) {
    out += "\n= " + with_commas(note.message);
    if (note.place) out += fmt::format(" ({})", place_line(note.place, working_folder, false));
  }
  for (const Fix& fix : finding.fixes)
    out += fmt::format("\nfix ({}): {}", fix.safety == Safety::Safe ? "safe" : "checked", with_commas(fix.title));
  return out;
}

std::vector<std::string> fingerprints(const std::vector<Finding>& findings, std::string_view working_folder) {
  std::vector<std::string> out;
  std::map<std::string, int> seen;
  for (const Finding& finding : findings) {
    std::string text = finding.rule;
    for (const std::string& part : {region_of(finding, working_folder).file, finding.plan, stable_text(finding)}) text += '\0' + part;
    text += '\0' + std::to_string(++seen[text]);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    out.emplace_back(llvm::MD5::hash(llvm::ArrayRef<std::uint8_t>(bytes, text.size())).digest().str());
  }
  return out;
}

std::string xml(std::string_view text) {
  const std::string valid = llvm::json::isUTF8(text) ? std::string(text) : llvm::json::fixUTF8(text);
  std::string out;
  for (char c : valid) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;  // a reader of attributes would make a space of it
      case '\t': out += "&#9;"; break;
      case '\r': out += "&#13;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? std::string("\xEF\xBF\xBD") : std::string(1, c);
    }
  }
  return out;
}

}  // namespace shardlint
