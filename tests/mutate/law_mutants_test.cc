// Do the examples of the law see a change? One comparison, connective or integer of one clause is changed at a time, and the clause's
// examples are asked again: one that fires must be silent then, or the other way round. A mutant that all examples bear is alive: nothing
// says on which side of the limit the law stands.
//
// law_survivors.tsv counts, for each framework, mutants and those alive; a clause that adds to them fails. UPDATE_FIXTURES=1 writes the
// counts anew, and SHARDLINT_SURVIVORS=FILE lists who is alive. law_search_test.cc looks for the examples that kill them.
//
// Nearly all that are alive cannot be told from their clause, though not by a law that law_equal.cc knows: a bound that the schema's own
// names imply (a pipeline has two stages), `set(x) and y > 1` as `or` where the requirement holds at y <= 1, x // 1 * 1, a null that no
// run has there.
#include <cstdlib>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/mutate/law_mutants.h"

namespace shardlint::test {
namespace {

// By framework.
std::map<std::string, std::size_t> allowed(const std::string& file) {
  std::map<std::string, std::size_t> out;
  std::ifstream in(file);
  std::string name;
  for (std::size_t all = 0, alive = 0; in >> name >> all >> alive;) out[name] = alive;
  return out;
}

TEST(Mutants, OfTheLawAreKilledByItsExamples) {
  const std::string file = SHARDLINT_ROOT "/tests/mutate/law_survivors.tsv";
  const auto limits = allowed(file);
  std::ofstream list;
  if (const char* wanted = std::getenv("SHARDLINT_SURVIVORS")) list.open(wanted);
  std::string counts;
  for (const Schema* schema : schemas()) {
    std::size_t all = 0, alive = 0;
    std::string last;
    for (const Clause& clause : schema->law) {
      if (clause.inherited) continue;
      const MutatedClause mutated(*schema, clause);
      std::vector<bool> killed(mutated.mutants().size());
      for (const Precedent& precedent : precedents(*schema, clause)) {
        Job job = job_of(*schema, make_example(*schema, precedent.lines), version_for(*schema, clause));
        Judgement before = mutated.before(job);
        const Saying original = mutated.original(before);
        EXPECT_TRUE(original.is(precedent.verdict))
            << clause.name << " does not hold its example: " << precedent.verdict << " "
            << fmt::format("{}", fmt::join(precedent.lines, "; ")) << "\nit says " << original.verdict << " " << original.becomes;
        EXPECT_EQ(mutated.told_apart(before), "") << clause.name << ": it is counted as one that no run can tell from the clause";
        for (std::size_t i = 0; i < killed.size(); ++i)
          if (!killed[i]) killed[i] = !mutated.mutant(before, i).is(precedent.verdict);
      }
      all += killed.size();
      for (std::size_t i = 0; i < killed.size(); ++i) {
        if (killed[i]) continue;
        ++alive;
        last = fmt::format("{}\t{}", clause.name, mutated.mutants()[i].told);
        if (list) list << last << "\n";
      }
    }
    counts += fmt::format("{}\t{}\t{}\n", schema->name, all, alive);
    if (std::getenv("UPDATE_FIXTURES")) continue;
    const auto limit = limits.find(std::string(schema->name));
    EXPECT_LE(alive, limit == limits.end() ? 0 : limit->second)
        << schema->name << ": more changes of the law go unseen than before, such as " << last << "; an example is missing";
  }
  if (std::getenv("UPDATE_FIXTURES")) std::ofstream(file) << counts;
}

}  // namespace
}  // namespace shardlint::test
