#include "checker/engine/add_ignores.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "checker/diag/hygiene.h"
#include "checker/engine/suppress.h"
#include "checker/launch/launch.h"

namespace shardlint {

namespace {

// The comments of a file as suppress() would see them. `whole`: no fault was found on the way.
struct Comments {
  Document document;
  bool whole = true;
};

Comments comments_of(const std::string& path, const std::string& text, bool hjson) {
  Comments out;
  const auto source = std::make_shared<const Source>(path, text);
  out.document.source = source;
  const Overlay nothing;
  launch::Reading scripts;
  if (const std::optional<Format> format = format_of(path)) {
    const DocumentPtr read = read_document(source, *format, hjson);
    out.document.comments = read->comments;
    out.whole = read->problems.empty();
    if (*format == Format::Yaml && out.whole) scripts = launch::read_manifest(nothing, read, {});
  } else {
    scripts = launch::read(nothing, source, {});
  }
  for (const shell::Comment& comment : scripts.comments)
    if (comment.place.source == source) out.document.comments.push_back({comment.place.range});
  return out;
}

// All findings of one line.
struct Line {
  SourcePtr source;
  std::uint32_t first = 1, last = 1, at = 1;
  std::set<std::string> names;
  std::size_t findings = 0;
};

class Writer {
 public:
  Writer(const SourcePtr& source, const std::string& reason) : source_(source), reason_(reason) {
    // JSON has comments only where its reader is one that takes them.
    const std::string text(source->text());
    hjson_ = !comments_of(source->path(), text, false).whole && comments_of(source->path(), text, true).whole;
    before_ = comments_of(source->path(), text, hjson_);
    mark_ = format_of(source->path()) == Format::Cpp ? "//" : "#";
  }

  bool reads_whole() const { return before_.whole; }
  std::optional<Edit> edit_for(const Line& line) const {
    for (const Ignore& ignore : ignores_of(before_.document))
      if (ignore.well_formed && ignore.reason && ignore.first <= line.at && line.at <= ignore.last) return widened(ignore, line);
    const std::string comment =
        fmt::format("{} shardlint: ignore[{}] {}", mark_, fmt::join(line.names.begin(), line.names.end(), ", "), reason_);
    const Range last = source_->line_range(line.last);
    if (Edit behind{source_, {last.end, last.end}, "  " + comment}; takes(behind, last.end + 2)) return behind;
    const Range first = source_->line_range(line.first);
    const std::string_view text = source_->text(first);
    const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
    Edit above{source_, {first.begin, first.begin}, std::string(text.substr(0, indent)) + comment + "\n"};
    if (takes(above, first.begin + static_cast<std::uint32_t>(indent))) return above;
    return std::nullopt;
  }

 private:
  // Another name in the brackets.
  std::optional<Edit> widened(const Ignore& ignore, const Line& line) const {
    std::string more;
    for (const std::string& name : line.names)
      if (std::find(ignore.names.begin(), ignore.names.end(), name) == ignore.names.end()) more += ", " + name;
    const std::size_t close = source_->text(ignore.place.range).find(']');
    const auto at = ignore.place.range.begin + static_cast<std::uint32_t>(close);
    return Edit{source_, {at, at}, more};
  }

  // Whether the file is still read whole and has a comment there.
  bool takes(const Edit& edit, std::uint32_t begins) const {
    const std::optional<std::string> after = apply(*source_, {edit});
    if (!after) return false;
    const Comments read = comments_of(source_->path(), *after, hjson_);
    return read.whole == before_.whole && std::any_of(read.document.comments.begin(), read.document.comments.end(),
                                                      [&](const Comment& comment) { return comment.range.begin == begins; });
  }

  SourcePtr source_;
  const std::string& reason_;
  Comments before_;
  bool hjson_ = false;
  std::string_view mark_;
};

bool about_an_ignore(const Finding& finding) {
  return finding.rule == hygiene::kUnusedIgnore.name || finding.rule == hygiene::kIgnoreWithoutReason.name;
}

std::string line_name(const Line& line) { return fmt::format("{}:{}", line.source->path(), line.at); }

}  // namespace

AddedIgnores add_ignores(const Files& files, const CheckOptions& options, const CheckResult& result, const std::string& reason) {
  AddedIgnores out;
  std::map<std::string, std::map<std::uint32_t, Line>> lines;  // by file, by first line
  for (const Finding& finding : result.findings) {
    if (finding.severity == Severity::Info || about_an_ignore(finding)) continue;
    if (!finding.place || !files.exists(finding.place.source->path())) {
      out.remarks.push_back(fmt::format("{} stands in no file, so no comment can reach it", finding.rule));
      continue;
    }
    const SourcePtr& source = finding.place.source;
    const std::uint32_t at = source->position(finding.place.range.begin).line;
    const auto [first, last] = joined_lines(*source, at);
    Line& line = lines[source->path()][first];
    line.source = source, line.first = first, line.last = last, line.at = at;
    line.names.insert(finding.rule), ++line.findings;
  }
  Overlay overlay(&files);
  for (const auto& [path, in_file] : lines) {
    const SourcePtr& source = in_file.begin()->second.source;
    const Writer writer(source, reason);
    const bool broken = std::any_of(in_file.begin(), in_file.end(),
                                    [](const auto& entry) { return entry.second.names.contains(std::string(hygiene::kSyntaxError.name)); });
    if (broken && !writer.reads_whole()) {
      out.remarks.push_back(fmt::format("{}: nobody knows what is a comment in what cannot be read; mend its syntax first", path));
      continue;
    }
    std::vector<Edit> edits;
    for (const auto& [first, line] : in_file) {
      if (std::optional<Edit> edit = writer.edit_for(line)) {
        edits.push_back(std::move(*edit)), ++out.comments, out.findings += line.findings;
      } else {
        out.remarks.push_back(fmt::format("{}: no comment can stand here; [[per-path]] or a baseline lets {} stand", line_name(line),
                                          fmt::join(line.names.begin(), line.names.end(), ", ")));
      }
    }
    const std::optional<std::string> after = apply(*source, edits);
    if (!after || edits.empty()) continue;
    out.texts[path] = {std::string(source->text()), *after};
    overlay.put(path, *after);
  }
  // A comment that silences nothing was written to the wrong place.
  std::map<std::string, int> useless;
  const auto count = [&](const std::vector<Finding>& findings, int step) {
    for (const Finding& finding : findings)
      if (finding.place && finding.rule == hygiene::kUnusedIgnore.name) useless[finding.place.source->path()] += step;
  };
  count(result.findings, -1);
  count(check(overlay, options).findings, 1);
  for (const auto& [path, more] : useless)
    if (more > 0 && out.texts.erase(path))
      out.remarks.push_back(fmt::format("{}: comments would not reach all of its findings, so none is written", path));
  return out;
}

}  // namespace shardlint
