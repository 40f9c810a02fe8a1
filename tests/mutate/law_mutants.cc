#include "tests/mutate/law_mutants.h"

#include "checker/plan/rule.h"
#include "tests/mutate/law_equal.h"
#include "tests/schema/small.h"

namespace shardlint::test {

namespace {

std::vector<Op> instead_of(Op op) {
  switch (op) {
    case Op::Lt: return {Op::Le, Op::Gt};
    case Op::Le: return {Op::Lt, Op::Ge};
    case Op::Gt: return {Op::Ge, Op::Lt};
    case Op::Ge: return {Op::Gt, Op::Le};
    case Op::Eq: return {Op::Ne};
    case Op::Ne: return {Op::Eq};
    case Op::In: return {Op::NotIn};
    case Op::NotIn: return {Op::In};
    case Op::And: return {Op::Or};
    case Op::Or: return {Op::And};
    case Op::Add: return {Op::Sub};
    case Op::Sub: return {Op::Add};
    case Op::Mul: return {Op::Add};
    case Op::FloorDiv: return {Op::Mul};
    default: return {};
  }
}

}  // namespace

MutatedClause::MutatedClause(const Schema& schema, const Clause& clause)
    : clause_(clause),
      schema_(schema),
      nodes_(schema.nodes.begin(), schema.nodes.end()),
      constants_(schema.constants.begin(), schema.constants.end()) {
  schema_.law = schema.law.first(static_cast<std::size_t>(&clause - schema.law.data()));
  for (const Rule* rule : all_rules()) no_rules_.push_back({rule->info->name, "off"});
  schema_.rules = no_rules_;
  const auto collect = [&](auto& self, ExprId Mutant::*part, ExprId root, ExprId node, ExprId parent) -> void {
    if (node == kNoExpr) return;
    mutate(part, root, node, parent);
    if (const Op op = schema.nodes[node].op; op == Op::Const || op == Op::Read) return;
    for (ExprId child = schema.nodes[node].a; child != kNoExpr; child = schema.nodes[child].next) self(self, part, root, child, node);
  };
  for (const auto& [part, root] :
       {std::pair(&Mutant::when, clause.when), std::pair(&Mutant::require, clause.require), std::pair(&Mutant::to, clause.to)})
    collect(collect, part, root, root, kNoExpr);
  schema_.nodes = nodes_, schema_.constants = constants_;
  for (std::vector<Mutant>* mutants : {&mutants_, &idle_})
    for (Mutant& mutant : *mutants)
      mutant.told = mutant.when != clause.when         ? "when: " + written(schema_, mutant.when)
                    : mutant.require != clause.require ? "require: " + written(schema_, mutant.require)
                                                       : "to: " + written(schema_, mutant.to);
}

void MutatedClause::mutate(ExprId Mutant::*part, ExprId root, ExprId node, ExprId parent) {
  const auto add = [&](const ExprNode& instead, const Change& change) {
    Mutant mutant{clause_.when, clause_.require, clause_.to, {}};
    mutant.*part = copy(root, node, instead);
    schema_.nodes = nodes_, schema_.constants = constants_;
    const bool idle = cannot_be_noticed(schema_, {clause_.when, clause_.require, clause_.to, clause_.set},
                                        {mutant.when, mutant.require, mutant.to, clause_.set}, change);
    (idle ? idle_ : mutants_).push_back(std::move(mutant));
  };
  ExprNode instead = nodes_[node];
  if (instead.op == Op::Const) {
    Const constant = constants_[instead.a];
    if (constant.kind != Value::Kind::Int) return;
    ++constant.integer;
    instead.a = static_cast<std::uint32_t>(constants_.size());
    constants_.push_back(constant);
    return add(instead, {node, parent, {}});
  }
  for (const Op op : instead_of(instead.op)) {
    instead.op = op;
    add(instead, {node, parent, op});
  }
}

// The tree below `root` anew, with `instead` at `node`. Siblings of the root are none of it.
ExprId MutatedClause::copy(ExprId root, ExprId node, const ExprNode& instead) {
  ExprNode made = root == node ? instead : nodes_[root];
  if (made.op != Op::Const && made.op != Op::Read) {
    ExprId* link = &made.a;
    std::vector<ExprId> children;
    for (ExprId child = made.a; child != kNoExpr; child = nodes_[child].next) children.push_back(copy(child, node, instead));
    for (std::size_t i = 0; i + 1 < children.size(); ++i) nodes_[children[i]].next = children[i + 1];
    *link = children.empty() ? kNoExpr : children[0];
  }
  made.next = kNoExpr;
  nodes_.push_back(made);
  return static_cast<ExprId>(nodes_.size() - 1);
}

// As checker/plan/law.cc holds a clause.
Saying MutatedClause::say(Judgement& before, const Mutant& mutant) const {
  if (clause_.plan > 0 && !before.others[clause_.plan - 1u]) return {"silent", {}};
  Evaluation& evaluation = *before.plan(clause_.plan);
  std::vector<Slot> reads;
  const auto open = [&] {
    for (Slot slot : reads)
      if (!evaluation.missing_roots(slot).empty()) return Saying{"open", {}};
    return Saying{"silent", {}};
  };
  if (mutant.when != kNoExpr) {
    const Result when = evaluation.evaluate(mutant.when, &reads);
    if (!when.known()) return open();
    if (!when.is(true)) return {"silent", {}};
  }
  const Result result = evaluation.evaluate(clause_.rewrite ? mutant.to : mutant.require, &reads);
  if (!result.known()) return open();
  if (!clause_.rewrite) return {result.is(false) || result.value.is_null() ? "fires" : "silent", {}};
  const SlotState& state = evaluation.at(clause_.set);
  if (state.known() && state.value == result.value) return {"silent", {}};
  return {"fires", shown(result.value)};
}

std::string MutatedClause::told_apart(Judgement& before) const {
  const Saying own = original(before);
  for (const Mutant& mutant : idle_) {
    const Saying other = say(before, mutant);
    const bool fires = own.verdict == "fires", also = other.verdict == "fires";
    if (fires != also || (fires && own.becomes != other.becomes)) return mutant.told;
  }
  return {};
}

std::string MutatedClause::trace(Judgement& before) const {
  std::string out;
  if (clause_.plan > 0 && !before.others[clause_.plan - 1u]) return out;
  Evaluation& evaluation = *before.plan(clause_.plan);
  const auto visit = [&](auto& self, ExprId id) -> void {
    if (id == kNoExpr) return;
    const ExprNode& node = schema_.nodes[id];
    if (node.op == Op::Const) return;
    const Result result = evaluation.evaluate(id);
    out += !result.known() ? '?' : result.value.is_null() ? '0' : result.is(true) ? 'T' : result.is(false) ? 'F' : '.';
    if (node.op == Op::Read) return;
    for (ExprId child = node.a; child != kNoExpr; child = schema_.nodes[child].next) self(self, child);
  };
  for (ExprId id : {clause_.when, clause_.require, clause_.to}) visit(visit, id);
  return out;
}

std::string written(const Schema& schema, ExprId id) {
  const ExprNode& node = schema.nodes[id];
  std::vector<std::string> children;
  if (node.op != Op::Const && node.op != Op::Read)
    for (ExprId child = node.a; child != kNoExpr; child = schema.nodes[child].next) {
      const Op op = schema.nodes[child].op;
      const bool bare =
          op == Op::Const || op == Op::Read || op == Op::Call || op == Op::MakeList || node.op == Op::Call || node.op == Op::MakeList;
      children.push_back(bare ? written(schema, child) : fmt::format("({})", written(schema, child)));
    }
  switch (node.op) {
    case Op::Const: return shown(schema.constants[node.a].value());
    case Op::Read:
      return schema.key_of(node.slot) ? fmt::format("'{}'", schema.slot_name(node.slot)) : std::string(schema.slot_name(node.slot));
    case Op::MakeList: return fmt::format("[{}]", fmt::join(children, ", "));
    case Op::Neg: return "-" + children[0];
    case Op::Not: return "not " + children[0];
    case Op::Call: {
      const auto known = functions();
      const auto info = std::find_if(known.begin(), known.end(), [&](const FunctionInfo& f) { return f.function == node.function; });
      return fmt::format("{}({})", info->name, fmt::join(children, ", "));
    }
    default: return fmt::format("{}", fmt::join(children, fmt::format(" {} ", sign(node.op))));
  }
}

}  // namespace shardlint::test
