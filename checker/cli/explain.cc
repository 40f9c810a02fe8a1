// `explain NAME`: a rule's page, or the page that a framework's constraint makes.
#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/plan/rule.h"
#include "checker/report/paint.h"

namespace shardlint {

namespace {

// A message's expressions as names: "{global_batch} sequences" becomes "`global_batch` sequences".
class Placeholders {
 public:
  explicit Placeholders(const Schema& schema) : schema_(schema) {}

  std::string text(std::span<const Segment> message) const {
    std::string out;
    for (const Segment& segment : message) {
      out += segment.text;
      if (segment.expr != kNoExpr) out += expression(segment.expr, true);
    }
    return out;
  }

 private:
  std::string expression(ExprId id, bool outermost) const {
    const ExprNode& node = schema_.nodes[id];
    std::vector<ExprId> children;
    if (node.op != Op::Const && node.op != Op::Read)
      for (ExprId child = node.a; child != kNoExpr; child = schema_.nodes[child].next) children.push_back(child);
    if (node.op == Op::Const) return to_string(schema_.constants[node.a].value());
    if (node.op == Op::Read)
      return outermost ? fmt::format("`{}`", schema_.slot_name(node.slot)) : std::string(schema_.slot_name(node.slot));
    // A conditional word: both words say enough.
    if (node.op == Op::Call && node.function == Function::If && outermost)
      return fmt::format("{}/{}", expression(children[1], true), expression(children[2], true));
    if (node.op == Op::Call && node.function == Function::Plural && outermost) return counted(children);
    std::string out;
    if (node.op == Op::Call) {
      std::string arguments;
      for (ExprId child : children) arguments += (arguments.empty() ? "" : ", ") + expression(child, false);
      out = fmt::format("{}({})", function_name(node.function), arguments);
    } else if (children.size() == 2) {
      out = fmt::format("{} {} {}", expression(children[0], false), operator_name(node.op), expression(children[1], false));
      if (!outermost) out = "(" + out + ")";
    } else {
      for (ExprId child : children) out += (out.empty() ? "" : ", ") + expression(child, false);
      if (node.op == Op::MakeList)
        out = "[" + out + "]";
      else
        out = (node.op == Op::Neg ? "-" : "not ") + out;
    }
    return outermost ? "`" + out + "`" : out;
  }

  // plural(global_batch, "sequence"): "`global_batch` sequences".
  std::string counted(std::span<const ExprId> children) const {
    const std::string word = expression(children.back(), false);
    return fmt::format("{} {}", expression(children[0], true), children.size() > 2 ? word : many_of(word));
  }

  static std::string_view function_name(Function function) {
    for (const FunctionInfo& info : functions())
      if (info.function == function) return info.name;
    return "";
  }

  static std::string_view operator_name(Op op) {
    switch (op) {
      case Op::Add: return "+";
      case Op::Sub: return "-";
      case Op::Mul: return "*";
      case Op::Div: return "/";
      case Op::FloorDiv: return "//";
      case Op::Mod: return "%";
      case Op::Eq: return "==";
      case Op::Ne: return "!=";
      case Op::Lt: return "<";
      case Op::Le: return "<=";
      case Op::Gt: return ">";
      case Op::Ge: return ">=";
      case Op::In: return "in";
      case Op::NotIn: return "not in";
      case Op::And: return "and";
      case Op::Or: return "or";
      case Op::Implies: return "=>";
      default: return "";
    }
  }

  const Schema& schema_;
};

std::string constraint_page(const Schema& schema, const Clause& clause) {
  const Placeholders names(schema);
  std::string out = fmt::format("# {}\n\n", clause.name);
  out += fmt::format("{} in family {}, of {}", name(clause.severity), clause.family, schema.title);
  if (!clause.since.empty()) out += fmt::format(", since version {}", clause.since);
  if (!clause.until.empty()) out += fmt::format(", until version {}", clause.until);
  out += ".\n\n## What it says\n\n" + names.text(clause.says) + "\n";
  if (const std::string effect = names.text(clause.effect); !effect.empty()) out += "\n" + effect + "\n";
  if (clause.rewrite) out += fmt::format("\n{} changes `{}` by itself.\n", schema.title, schema.slot_name(clause.set));
  if (!clause.why.empty()) out += fmt::format("\n## Why it matters\n\n{}\n", clause.why);
  if (!clause.source.empty()) out += fmt::format("\n## Where {} does it\n\n{} in {}\n", schema.title, clause.source, schema.source);
  if (!clause.same_as.empty()) out += fmt::format("\n## See also\n\n{}\n", clause.same_as);
  return out;
}

std::string page_of(std::string_view name) {
  if (const std::string_view written = page(name); !written.empty()) return std::string(written);
  for (const RuleInfo* rule : rule_infos())
    if (rule->name == name) return fmt::format("# {}\n\n## What it checks\n\nThis finds {}.\n", name, rule->summary);
  for (const Schema* schema : schemas())
    for (const Clause& clause : schema->law)
      if (clause.name == name && !clause.inherited) return constraint_page(*schema, clause);
  return "";
}

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
        rows.push_back({clause.name, clause.severity, Placeholders(*schema).text(clause.says)});
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
  if (const std::string page = page_of(name); !page.empty()) {
    out.output = rendered(page, style);
    return out;
  }
  if (const std::string list = family_page(name, style); !list.empty()) {
    out.output = list;
    return out;
  }
  // People leave the family out, or name the wrong one.
  std::vector<std::string_view> near = nearest(name, rule_names());
  for (std::string_view candidate : rule_names())
    if (near.size() < 3 && std::find(near.begin(), near.end(), candidate) == near.end() &&
        candidate.substr(candidate.find('/') + 1) == std::string_view(name).substr(name.find('/') + 1))
      near.push_back(candidate);
  std::string hint = near.empty() ? "; `shardlint rules` lists them" : fmt::format("; did you mean `{}`?", fmt::join(near, "` or `"));
  out.remarks.push_back(fmt::format("shardlint: no rule `{}`{}", name, hint));
  out.exit = kUsage;
  return out;
}

}  // namespace shardlint
