// `explain NAME`: a rule's page, or the page that a framework's constraint makes.
#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/engine/rule_page.h"
#include "checker/plan/rule.h"
#include "checker/report/paint.h"

namespace shardlint {

namespace {

// `code`, **strong** and [links](where). Without colours code keeps its marks, or nobody could tell a name from a word.
std::string inline_styles(std::string_view line, const Paint& paint) {
  std::string out;
  while (!line.empty()) {
    const bool strong = line.starts_with("**");
    if (strong || line[0] == '`') {
      const std::string_view mark = strong ? "**" : "`";
      if (const std::size_t end = line.find(mark, mark.size()); end != std::string_view::npos) {
        const std::string_view inner = line.substr(mark.size(), end - mark.size());
        out += strong ? paint.bold(inner) : paint.on() ? paint.in("36", inner) : fmt::format("`{}`", inner);
        line.remove_prefix(end + mark.size());
        continue;
      }
    }
    if (line[0] == '[') {
      const std::size_t middle = std::min(line.find("]("), line.size()), end = line.find(')', middle);
      if (end != std::string_view::npos && line.find(']') == middle) {
        out += fmt::format("{} ({})", line.substr(1, middle - 1), line.substr(middle + 2, end - middle - 2));
        line.remove_prefix(end + 1);
        continue;
      }
    }
    out += line[0];
    line.remove_prefix(1);
  }
  return out;
}

// How far the text of a list's item is indented; 0 for what is none.
std::size_t hanging_of(std::string_view line) {
  const std::size_t mark = std::min(line.find_first_not_of(' '), line.size());
  if (line.substr(mark).starts_with("- ") || line.substr(mark).starts_with("* ")) return mark + 2;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789", mark), line.size());
  return digits > mark && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

// Breaks a paragraph at spaces; what follows the first line is indented like its text.
std::string wrapped(std::string_view line, std::size_t width) {
  std::string out;
  const std::size_t hanging = hanging_of(line);
  while (line.size() > width) {
    std::size_t cut = line.rfind(' ', width);
    if (cut == std::string_view::npos || cut <= hanging) cut = line.find(' ', width);
    if (cut == std::string_view::npos) break;
    out += std::string(line.substr(0, cut)) + "\n" + std::string(hanging, ' ');
    line.remove_prefix(cut + 1);
  }
  return out + std::string(line);
}

// Markdown as a terminal can show it: headings stand out, code is indented, paragraphs are broken anew.
std::string rendered(std::string_view markdown, const TextStyle& style) {
  const Paint paint(style.color);
  const std::size_t width = std::min<std::size_t>(style.width, 120);
  std::string out, paragraph;
  const auto flush = [&] {
    if (!paragraph.empty()) out += inline_styles(wrapped(paragraph, width), paint) + '\n';
    paragraph.clear();
  };
  bool code = false;
  for (std::size_t begin = 0; begin < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', begin), markdown.size());
    const std::string_view line = markdown.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    const bool heading = level > 0 && line.substr(level).starts_with(' ');
    if (code && !line.starts_with("```")) {
      out += (line.empty() ? "" : "    " + std::string(line)) + '\n';
    } else if (line.starts_with("```")) {
      flush();
      code = !code;
    } else if (line.empty() || heading || line.starts_with('|')) {
      flush();
      out += (heading ? paint.bold(line.substr(level + 1)) : inline_styles(line, paint)) + '\n';
    } else {
      const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
      if (hanging_of(line)) flush();
      paragraph += paragraph.empty() ? std::string(line) : " " + std::string(text);
    }
  }
  flush();
  return out;
}

// What is looked for in a family, or for a framework: a line a rule.
std::string family_page(std::string_view family, const TextStyle& style) {
  const Paint paint(style.color);
  struct Row {
    std::string_view name;
    Severity severity;
    std::string says;
  };
  std::vector<Row> rows;
  for (const RuleInfo* rule : rule_infos())
    if (rule->family == family) rows.push_back({rule->name, rule->severity, std::string(rule->summary)});
  for (const Schema* schema : schemas())
    for (const Clause& clause : schema->law)
      if (!clause.silent && !clause.inherited && (clause.family == family || schema->framework == family))
        rows.push_back({clause.name, clause.severity, says_in_words(*schema, clause)});
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  std::string out;
  for (const Row& row : rows) out += fmt::format("{}  {:<7}  {}\n", paint.bold(padded(row.name, width)), name(row.severity), row.says);
  return out;
}

}  // namespace

Outcome run_explain(const Options& options, const TextStyle& style) {
  const std::string& name = *options.topic;
  Outcome out;
  const auto laws = own_laws(Disk(), options.check);
  for (const auto& law : laws)
    for (const OwnLaw::Listed& own : law->listed())
      if (own.clause->name == name) {
        out.output = rendered(law->page(own), style);
        return out;
      }
  if (const std::string page = rule_page(name); !page.empty()) {
    out.output = rendered(page, style);
    return out;
  }
  if (const std::string list = family_page(name, style); !list.empty()) {
    out.output = list;
    return out;
  }
  // People leave the family out, or name the wrong one.
  std::vector<std::string_view> names = rule_names();
  for (const auto& law : laws)
    for (const OwnLaw::Listed& own : law->listed()) names.push_back(own.clause->name);
  std::vector<std::string_view> near = nearest(name, names);
  for (std::string_view candidate : names)
    if (near.size() < 3 && std::find(near.begin(), near.end(), candidate) == near.end() &&
        candidate.substr(candidate.find('/') + 1) == std::string_view(name).substr(name.find('/') + 1))
      near.push_back(candidate);
  std::string hint = near.empty() ? "; `shardlint rules` lists them" : fmt::format("; did you mean `{}`?", fmt::join(near, "` or `"));
  out.remarks.push_back(fmt::format("shardlint: no rule `{}`{}", name, hint));
  out.exit = kUsage;
  return out;
}

}  // namespace shardlint
