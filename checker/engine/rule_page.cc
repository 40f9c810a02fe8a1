#include "checker/engine/rule_page.h"

#include <fmt/format.h>

#include "checker/engine/previews.h"
#include "checker/engine/settings.h"
#include "checker/plan/rule.h"

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
      out = fmt::format("{} {} {}", expression(children[0], false), sign(node.op), expression(children[1], false));
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

}  // namespace

std::string says_in_words(const Schema& schema, const Clause& clause) { return Placeholders(schema).text(clause.says); }

std::string rule_page(std::string_view name) {
  if (const std::string_view written = page(name); !written.empty())
    return std::string(written) + (is_preview(name) ? "\n## Preview\n\n" + std::string(kPreviewSays) : "");
  for (const RuleInfo* rule : rule_infos())
    if (rule->name == name) return fmt::format("# {}\n\n## What it checks\n\nThis finds {}.\n", name, rule->summary);
  for (const Schema* schema : schemas())
    for (const Clause& clause : schema->law)
      if (clause.name == name && !clause.inherited) return constraint_page(*schema, clause);
  return "";
}

}  // namespace shardlint
