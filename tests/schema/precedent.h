// What the law says of small runs: the examples that stand beside each clause, and those of schemas/NAME/examples.tsv.
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checker/plan/law.h"
#include "tests/schema/example.h"
#include "tests/where.h"

namespace shardlint::test {

struct Precedent {
  std::string verdict;  // fires, silent, open (it cannot be evaluated); of a rewrite also "becomes VALUE"
  std::vector<std::string_view> lines;
};

// The rows of a schema's examples.tsv by the clause's name without its framework.
inline const std::multimap<std::string, Precedent, std::less<>>& filed_precedents(const Schema& schema) {
  static std::map<std::string_view, std::multimap<std::string, Precedent, std::less<>>> read;
  static std::vector<std::unique_ptr<std::string>> kept;
  const auto [entry, first] = read.try_emplace(schema.name);
  if (!first) return entry->second;
  std::ifstream in(fmt::format("{}/schemas/{}/examples.tsv", SHARDLINT_ROOT, schema.name));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::string_view rest = *kept.emplace_back(std::make_unique<std::string>(line));
    std::vector<std::string_view> cells;
    for (std::size_t end = 0; end != rest.npos; rest.remove_prefix(end == rest.npos ? 0 : end + 1))
      end = rest.find('\t'), cells.push_back(rest.substr(0, end));
    if (cells.size() < 2) cells.resize(2);
    entry->second.emplace(std::string(cells[0]), Precedent{std::string(cells[1]), {cells.begin() + 2, cells.end()}});
  }
  return entry->second;
}

inline std::string_view short_name(const Clause& clause) { return clause.name.substr(clause.name.find('/') + 1); }

inline std::vector<Precedent> precedents(const Schema& schema, const Clause& clause) {
  std::vector<Precedent> out = {{"fires", {clause.fires.begin(), clause.fires.end()}},
                                {"silent", {clause.quiet.begin(), clause.quiet.end()}}};
  const auto& filed = filed_precedents(schema);
  for (auto [row, end] = filed.equal_range(short_name(clause)); row != end; ++row) out.push_back(row->second);
  return out;
}

// A version of the framework in which the clause holds: the newest, unless it is older law.
inline std::string version_for(const Schema& schema, const Clause& clause) {
  for (auto version = schema.versions.rbegin(); version != schema.versions.rend(); ++version)
    if ((clause.since.empty() || !version_less(*version, clause.since)) && (clause.until.empty() || version_less(*version, clause.until)))
      return std::string(*version);
  return std::string(clause.since);
}

// Something is wrong with keys or values themselves, so the example is none. It need not be a whole run.
inline bool misspelt(const Judgement& judgement, const Clause& clause) {
  return std::any_of(judgement.violations.begin(), judgement.violations.end(), [&](const Violation& violation) {
    return violation.clause != &clause && violation.family == "hygiene" && violation.severity > Severity::Info &&
           violation.rule != "hygiene/deprecated-key" && violation.rule != "hygiene/missing-key";
  });
}

// fires, silent or open.
inline std::string_view verdict(const Judgement& judgement, const Clause& clause) {
  for (const Violation& violation : judgement.violations)
    if (violation.clause == &clause) return "fires";
  for (const NotEvaluated& entry : judgement.not_evaluated)
    if (entry.rule == clause.name) return "open";
  if (!clause.rewrite) return "silent";
  Evaluation* const evaluation = clause.plan == 0 ? judgement.evaluation.get() : judgement.others[clause.plan - 1u].get();
  if (!evaluation) return "silent";
  const SlotState& state = evaluation->at(clause.set);  // a rewrite of what nobody wrote is not told of
  return state.origin == SlotState::Origin::Rewritten && state.by == &clause ? "fires" : "silent";
}

}  // namespace shardlint::test
