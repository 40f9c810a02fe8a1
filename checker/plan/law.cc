#include "checker/plan/law.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "checker/diag/hygiene.h"
#include "checker/plan/rule.h"

namespace shardlint {

namespace {

class Court {
 public:
  Court(const Job& job, Judgement& out, Evaluation& evaluation) : job_(job), schema_(*job.schema), out_(out), evaluation_(evaluation) {
    version_ = !job.version.empty() ? job.version : schema_.versions.empty() ? "" : schema_.versions.back();
  }

  void run() {
    open_keys();
    for (const Clause& clause : schema_.law)
      if (in_force(clause)) hold(clause);
    run_rules();
  }

 private:
  // A form may have a start of its own, which checks less.
  bool in_form(const Clause& clause) const {
    const auto listed = [&](std::string_view name) {
      return std::any_of(job_.form->law.begin(), job_.form->law.end(),
                         [&](std::string_view wanted) { return wanted.ends_with('*') ? name.starts_with(wanted.substr(0, wanted.size() - 1)) : name == wanted; });
    };
    return job_.form->law.empty() || listed(clause.name.substr(schema_.name.size() + 1)) || std::any_of(clause.rows.begin(), clause.rows.end(), listed);
  }
  bool in_force(const Clause& clause) const {
    if (!in_form(clause)) return false;
    if (version_.empty()) return true;
    return (clause.since.empty() || !version_less(version_, clause.since)) && (clause.until.empty() || version_less(version_, clause.until));
  }

  // Where the config brings its own classes, a key that is not in the table may well be known.
  void open_keys() {
    if (schema_.open_when == kNoExpr || !evaluation_.evaluate(schema_.open_when).is(true)) return;
    std::erase_if(out_.violations, [](const Violation& v) { return v.rule == hygiene::kUnknownKey.name || v.rule == hygiene::kWrongParent.name; });
  }

  void hold(const Clause& clause) {
    std::vector<Slot> reads;
    if (clause.when != kNoExpr) {
      const Result when = evaluation_.evaluate(clause.when, &reads);
      if (!when.known()) return not_evaluated(clause.name, reads);
      if (!when.is(true)) {
        ++out_.checks;
        return;
      }
    }
    if (clause.rewrite) return rewrite(clause, reads);
    const Result holds = evaluation_.evaluate(clause.require, &reads);
    if (!holds.known()) return not_evaluated(clause.name, reads);
    ++out_.checks;
    if (!holds.is(false) && !holds.value.is_null()) return;
    Violation& violation = broken(clause, std::move(reads));
    violation.blame.assign(clause.blame.begin(), clause.blame.end());
    violation.rather_change.assign(clause.rather_change.begin(), clause.rather_change.end());
    for (ExprId candidate : clause.candidates)
      if (const Result value = evaluation_.evaluate(candidate); value.known()) violation.candidates.push_back(value.value);
    for (Slot spoiled : clause.spoils) evaluation_.spoil(spoiled, &clause);
  }

  void rewrite(const Clause& clause, std::vector<Slot>& reads) {
    const Result to = evaluation_.evaluate(clause.to, &reads);
    if (!to.known()) return not_evaluated(clause.name, reads);
    ++out_.checks;
    const SlotState& state = evaluation_.at(clause.set);
    if (state.known() && state.value == to.value) return;
    if (!clause.silent && evaluation_.user_wrote(clause.set)) {
      Violation& violation = broken(clause, reads);
      violation.blame = {clause.set};
      violation.rather_change = {clause.set};
      violation.candidates = {to.value};
    }
    evaluation_.rewrite(clause.set, to.value, clause, reads);
  }

  Violation& broken(const Clause& clause, std::vector<Slot> reads) {
    Violation& violation = out_.violations.emplace_back();
    violation.rule = clause.name, violation.family = clause.family, violation.severity = clause.severity;
    violation.message = evaluation_.format(clause.says);
    violation.effect = evaluation_.format(clause.effect);
    violation.clause = &clause, violation.same_as = clause.same_as;
    violation.reads = std::move(reads);
    return violation;
  }

  void not_evaluated(std::string_view rule, const std::vector<Slot>& reads) {
    NotEvaluated entry{rule, {}};
    for (Slot slot : reads)
      for (Slot root : evaluation_.missing_roots(slot))
        if (std::find(entry.because.begin(), entry.because.end(), root) == entry.because.end()) entry.because.push_back(root);
    // Nothing to state: the condition does not apply, or another finding has said why.
    if (!entry.because.empty()) out_.not_evaluated.push_back(std::move(entry));
  }

  void run_rules() {
    const Plan plan = make_plan(evaluation_);
    std::set<std::string_view> said;
    for (const Violation& violation : out_.violations)
      for (std::string_view rest = violation.same_as; !rest.empty();) {  // several names, separated by spaces
        const std::size_t end = std::min(rest.find(' '), rest.size());
        said.insert(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    for (const Rule* rule : all_rules()) {
      std::string_view level;
      for (const RuleOverride& entry : schema_.rules)
        if (entry.rule == rule->info->name) level = entry.level;
      if (level == "off" || said.contains(rule->info->name)) continue;
      const std::size_t before = out_.violations.size();
      Sink sink(out_.violations);
      rule->check(plan, sink);
      if (sink.not_evaluated.empty()) ++out_.checks;
      for (NotEvaluated& entry : sink.not_evaluated) not_evaluated(entry.rule, std::vector(entry.because));
      for (std::size_t i = before; i < out_.violations.size() && !level.empty(); ++i)
        out_.violations[i].severity = level == "error" ? Severity::Error : level == "info" ? Severity::Info : Severity::Warning;
    }
  }

  const Job& job_;
  const Schema& schema_;
  Judgement& out_;
  Evaluation& evaluation_;
  std::string_view version_;
};

}  // namespace

Judgement judge(const Job& job) {
  Judgement out;
  Bound bound = bind(job);
  out.violations = std::move(bound.violations);
  out.evaluation = std::make_unique<Evaluation>(*job.schema, std::move(bound.bindings), job.facts, bound.environment_known, std::move(bound.variants), job.form->name);
  for (Slot slot : bound.rejected) out.evaluation->spoil(slot, nullptr);
  Court(job, out, *out.evaluation).run();
  std::stable_sort(out.violations.begin(), out.violations.end(), [](const Violation& a, const Violation& b) { return a.severity > b.severity; });
  return out;
}

std::vector<std::uint32_t> written_roots(const Job& job, Evaluation& evaluation, const Violation& violation) {
  std::vector<std::uint32_t> out;
  if (violation.fact) out.push_back(*violation.fact);
  const auto take = [&](Slot slot) {
    for (std::uint32_t fact : evaluation.root_facts(slot))
      if (job.facts[fact].way != Way::Setting && std::find(out.begin(), out.end(), fact) == out.end()) out.push_back(fact);
  };
  for (Slot slot : violation.blame) take(slot);
  for (Slot slot : violation.reads) take(slot);
  return out;
}

std::vector<std::size_t> fold(const Job& job, Judgement& judgement, const std::vector<bool>& visible) {
  std::vector<std::size_t> out;
  std::vector<std::vector<std::uint32_t>> roots;
  for (std::size_t i = 0; i < judgement.violations.size(); ++i) {
    roots.push_back(written_roots(job, *judgement.evaluation, judgement.violations[i]));
    std::sort(roots[i].begin(), roots[i].end());
    out.push_back(i);
    if (roots[i].empty() || (judgement.violations[i].fact && judgement.violations[i].at_key)) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (out[j] != j || !visible[j] || judgement.violations[i].severity > judgement.violations[j].severity) continue;
      // What is wrong with the spelling of one value hangs under what that value breaks.
      const bool same_value = judgement.violations[i].fact && std::binary_search(roots[j].begin(), roots[j].end(), *judgement.violations[i].fact);
      if (roots[i] == roots[j] || same_value) {
        out[i] = j;
        break;
      }
    }
  }
  return out;
}

}  // namespace shardlint
