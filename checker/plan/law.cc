#include "checker/plan/law.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/diag/hygiene.h"
#include "checker/plan/rule.h"

namespace shardlint {

namespace {

class Court {
 public:
  Court(const Job& job, Judgement& out, Evaluation& evaluation) : job_(job), schema_(*job.schema), out_(out), evaluation_(evaluation) {
    for (std::size_t i = 0; i < schema_.forms.size(); ++i)
      if (schema_.forms[i].name == job.form->name) form_ = 1u << i;
    version_ = !job.version.empty() ? job.version : schema_.versions.empty() ? "" : schema_.versions.back();
  }

  void run() {
    if (evaluation_.plan() == 0) open_keys();
    const bool part = job_.form->part;
    if (part && job_.form->law.empty()) return;
    for (const Clause& clause : schema_.law)
      if (in_force(clause) && concerns(clause)) hold(clause);
    if (!part) run_rules();
  }

 private:
  bool in_force(const Clause& clause) const {
    if (!(clause.forms & form_)) return false;
    if (version_.empty()) return true;
    return (clause.since.empty() || !version_less(version_, clause.since)) &&
           (clause.until.empty() || version_less(version_, clause.until));
  }

  // A constraint is about one plan. What the framework changes in the file's keys, it changes for all.
  bool concerns(const Clause& clause) const { return clause.plan == evaluation_.plan() || (clause.rewrite && clause.set >= kFieldCount); }

  // Where the config brings its own classes, a key that is not in the table may well be known.
  void open_keys() {
    if (schema_.open_when == kNoExpr || !evaluation_.evaluate(schema_.open_when).is(true)) return;
    std::erase_if(out_.violations,
                  [](const Violation& v) { return v.rule == hygiene::kUnknownKey.name || v.rule == hygiene::kWrongParent.name; });
  }

  void hold(const Clause& clause) {
    std::vector<Slot>& reads = reads_;
    reads.clear();
    if (clause.when != kNoExpr) {
      const Truth when = evaluation_.holds(clause.when, &reads);
      if (!when.known()) return not_evaluated(clause.name, reads);
      if (when.is != Truth::Yes) {
        ++out_.checks;
        return;
      }
    }
    if (clause.rewrite) return rewrite(clause, reads);
    const Truth holds = evaluation_.holds(clause.require, &reads);
    if (!holds.known()) return not_evaluated(clause.name, reads);
    ++out_.checks;
    if (holds.is != Truth::No && holds.is != Truth::Null) return;
    Violation& violation = broken(clause, reads);
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
    if (!clause.silent && clause.plan == evaluation_.plan() && evaluation_.user_wrote(clause.set)) {
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
    violation.clause = &clause, violation.same_as = clause.same_as, violation.plan = evaluation_.plan();
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
    std::set<std::string, std::less<>> said;
    for (const Violation& violation : out_.violations)
      if (violation.plan == evaluation_.plan())
        for (std::string& name : names_in(violation.same_as)) said.insert(std::move(name));
    for (const Rule* rule : all_rules()) {
      std::string_view level;
      for (const RuleOverride& entry : schema_.rules)
        if (entry.rule == rule->info->name) level = entry.level;
      if (said.contains(rule->info->name)) propose(*rule, plan);
      if (level == "off" || said.contains(rule->info->name)) continue;
      const std::size_t before = out_.violations.size();
      Sink sink(out_.violations);
      rule->check(plan, sink);
      // A rule that takes an unknown value for an absent one is silenced here, whichever rule it is.
      if (const std::vector<Slot> unknown = guessed(plan); !unknown.empty() && out_.violations.size() > before) {
        out_.violations.erase(out_.violations.begin() + static_cast<std::ptrdiff_t>(before), out_.violations.end());
        not_evaluated(rule->info->name, unknown);
        continue;
      }
      for (std::size_t i = before; i < out_.violations.size(); ++i) out_.violations[i].plan = evaluation_.plan();
      if (sink.not_evaluated.empty()) ++out_.checks;
      for (NotEvaluated& entry : sink.not_evaluated) not_evaluated(entry.rule, std::vector(entry.because));
      for (std::size_t i = before; i < out_.violations.size() && !level.empty(); ++i)
        out_.violations[i].severity = level == "error" ? Severity::Error : level == "info" ? Severity::Info : Severity::Warning;
    }
  }

  // A framework says the same in its own words; what the rule would do about it holds there too.
  void propose(const Rule& rule, const Plan& plan) {
    std::vector<Violation> own;
    Sink sink(own);
    rule.check(plan, sink);
    guessed(plan);  // whatever it took for granted: what it proposes is tried before it is offered
    if (own.empty()) return;
    for (Violation& violation : out_.violations) {
      const std::vector<std::string> names = names_in(violation.same_as);
      if (violation.plan == evaluation_.plan() && std::find(names.begin(), names.end(), rule.info->name) != names.end())
        violation.together = own[0].together;
    }
  }

  const Job& job_;
  const Schema& schema_;
  Judgement& out_;
  Evaluation& evaluation_;
  std::string_view version_;
  std::uint32_t form_ = ~0u;  // its bit of Clause::forms
  std::vector<Slot> reads_;   // of the clause that is being held: one list for all of them
};

// A value of the wrong type is no value: whatever else is said of it follows.
bool untrusted(const Violation& violation) { return violation.fact && !violation.at_key && violation.rule == hygiene::kWrongType.name; }

// It is as grave as the gravest that follows, so that the cause comes first.
void raise_causes(const Job& job, Judgement& judgement) {
  if (std::none_of(judgement.violations.begin(), judgement.violations.end(), untrusted)) return;
  std::map<std::uint32_t, const Violation*> follows;  // the gravest that rests on a fact
  for (const Violation& violation : judgement.violations)
    if (!violation.fact)
      for (std::uint32_t fact : written_roots(job, judgement.of(violation), violation))
        if (const auto [entry, first] = follows.try_emplace(fact, &violation); !first && violation.severity > entry->second->severity)
          entry->second = &violation;
  for (Violation& cause : judgement.violations) {
    const auto found = untrusted(cause) ? follows.find(*cause.fact) : follows.end();
    if (found == follows.end() || found->second->severity <= cause.severity) continue;
    const Violation& other = *found->second;
    cause.severity = other.severity;
    // What would mend the consequence is worth a try: the value that rests on this one alone.
    for (const std::vector<Slot>* slots : {&other.blame, &other.reads})
      for (Slot slot : *slots)
        if (cause.rather_change.empty() && judgement.of(other).root_facts(slot) == std::vector{*cause.fact})
          cause.rather_change = {slot}, cause.candidates = other.candidates;
  }
}

// Settings of the command line stand in a source of no file.
bool said_of_this_run(const Fact& fact) { return fact.way != Way::Setting || (fact.place && fact.place.source->path().starts_with('<')); }

}  // namespace

std::vector<std::string> names_in(std::string_view same_as) {
  std::vector<std::string> out;
  while (!same_as.empty()) {
    const std::size_t end = std::min(same_as.find(' '), same_as.size());
    if (end > 0) out.emplace_back(same_as.substr(0, end));
    same_as.remove_prefix(std::min(end + 1, same_as.size()));
  }
  return out;
}

Judgement judge(const Job& job) {
  Judgement out;
  Bound bound = bind(job);
  out.violations = std::move(bound.violations);
  out.more = bound.more;
  const auto bindings = std::make_shared<const std::vector<Binding>>(std::move(bound.bindings));
  const auto evaluation = [&](std::size_t plan) {
    auto made = std::make_unique<Evaluation>(*job.schema, bindings, job.facts, bound.environment_known, bound.variants, job.form->name,
                                             bound.partial, job.partial_below, plan, job.models.get());
    for (Slot slot : bound.rejected) made->spoil(slot, nullptr);
    return made;
  };
  out.evaluation = evaluation(0);
  Court(job, out, *out.evaluation).run();
  for (std::size_t plan = 1; plan < job.schema->plan_count(); ++plan) {
    // Whether there is one is told by the keys as the framework left them.
    const ExprId when = job.schema->plans[plan].when;
    const bool there = when == kNoExpr || out.evaluation->evaluate(when).is(true);
    out.others.push_back(there ? evaluation(plan) : nullptr);
    if (there) Court(job, out, *out.others.back()).run();
  }
  raise_causes(job, out);
  // A command line may say otherwise than a flag's default.
  for (Violation& violation : out.violations)
    if (violation.severity == Severity::Error) {
      const std::vector<std::uint32_t> roots = written_roots(job, out.of(violation), violation);
      if (std::any_of(roots.begin(), roots.end(), [&](std::uint32_t fact) { return job.facts[fact].way == Way::FlagDefault; }))
        violation.severity = Severity::Warning,
        violation.notes.push_back({"defaults of flags are taken here, which a command line may change", {}});
    }
  for (Violation& violation : out.violations) {
    if (violation.severity != Severity::Error || violation.certain_by == kNoSlot) continue;
    const std::vector<std::uint32_t> roots = out.of(violation).root_facts(violation.certain_by);
    if (std::none_of(roots.begin(), roots.end(), [&](std::uint32_t fact) { return said_of_this_run(job.facts[fact]); }))
      violation.severity = Severity::Warning;
  }
  // A warning that rests on included files alone is said where they are checked, once, and not in each run that includes them.
  std::erase_if(out.violations, [&](const Violation& violation) {
    if (violation.severity == Severity::Error) return false;
    const std::vector<std::uint32_t> roots = written_roots(job, out.of(violation), violation);
    return !roots.empty() && std::all_of(roots.begin(), roots.end(),
                                         [&](std::uint32_t fact) { return job.facts[fact].inherited && !job.facts[fact].of_code(); });
  });
  const auto graver = [](const Violation& a, const Violation& b) { return a.severity > b.severity; };
  if (!std::is_sorted(out.violations.begin(), out.violations.end(), graver))
    std::stable_sort(out.violations.begin(), out.violations.end(), graver);
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
  // The first that stands for itself, by all that it rests on and by each of it. Those before are the more severe ones.
  std::map<std::vector<std::uint32_t>, std::size_t> by_roots;
  std::map<std::uint32_t, std::size_t> by_fact, untrusted_by_fact;
  for (std::size_t i = 0; i < judgement.violations.size(); ++i) {
    roots.push_back(written_roots(job, judgement.of(judgement.violations[i]), judgement.violations[i]));
    std::sort(roots[i].begin(), roots[i].end());
    out.push_back(i);
    const Violation& violation = judgement.violations[i];
    if (!roots[i].empty() && !(violation.fact && violation.at_key)) {
      const auto same = by_roots.find(roots[i]);
      if (same != by_roots.end()) out[i] = same->second;
      // What is wrong with the spelling of one value hangs under what that value breaks.
      if (violation.fact)
        if (const auto broken = by_fact.find(*violation.fact); broken != by_fact.end()) out[i] = std::min(out[i], broken->second);
      // What rests on a value of the wrong type hangs under that.
      for (std::uint32_t fact : roots[i])
        if (const auto cause = untrusted_by_fact.find(fact); cause != untrusted_by_fact.end()) out[i] = std::min(out[i], cause->second);
    }
    if (out[i] != i || !visible[i]) continue;
    by_roots.try_emplace(roots[i], i);
    for (std::uint32_t fact : roots[i]) by_fact.try_emplace(fact, i);
    if (untrusted(violation)) untrusted_by_fact.try_emplace(*violation.fact, i);
  }
  return out;
}

}  // namespace shardlint
