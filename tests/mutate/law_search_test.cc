// Looks for runs that tell a clause from its living mutants, and writes them as rows of examples.tsv: whether the law is right about them
// is for whoever reads them. Disabled, because it proposes and does not judge:
//
//   SHARDLINT_PROPOSALS=FOLDER [SHARDLINT_ONLY=megatron] [SHARDLINT_TRIES=3000] shardlint_tests --gtest_also_run_disabled_tests
//                                                                                            --gtest_filter=*ProposesExamples
//
// It begins with the clause's own examples and changes what the clause reads, directly or through names and fields, to values near the
// integers that stand there, to what the key allows, and to what other examples say. A run in which some part of the clause comes out as
// never before is changed further.
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/mutate/law_mutants.h"
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

using Lines = std::vector<std::string>;

// Of an assignment, or the option that a word of the command line is.
std::string_view key_of(std::string_view line) { return line.substr(0, line.starts_with("--") ? line.find(' ') : line.find(" = ")); }

bool below(std::string_view key, std::string_view parent) {
  return key.starts_with(parent) && key.size() > parent.size() && (key[parent.size()] == '.' || key[parent.size()] == '[');
}

// The values that examples of this schema give to each key or field, as JSON.
std::map<std::string, std::set<std::string>, std::less<>> said_in_examples(const Schema& schema) {
  std::map<std::string, std::set<std::string>, std::less<>> out;
  const auto take = [&](std::string_view line) {
    const std::string_view key = key_of(line);
    if (line.starts_with("--"))
      out[std::string(key)].insert(std::string(line.substr(key.size())));
    else if (key.size() < line.size() && key != "form")
      out[std::string(key)].insert(std::string(line.substr(key.size() + 3)));
  };
  for (const Clause& clause : schema.law)
    for (const auto lines : {clause.fires, clause.quiet})
      for (std::string_view line : lines) take(line);
  for (const auto& [name, precedent] : filed_precedents(schema))
    for (std::string_view line : precedent.lines) take(line);
  for (const Assignment& minimal : schema.minimal) out[std::string(minimal.key)].insert(std::string(minimal.value));
  return out;
}

// What a clause reads, and the constants on the way there.
struct Reach {
  std::map<Slot, int> slots;  // with the number of names between
  std::set<i64> integers;
  std::set<double> reals;
  std::set<std::string> texts;

  void visit(const Schema& schema, const Clause& clause, ExprId id, int depth) {
    if (id == kNoExpr) return;
    const ExprNode& node = schema.nodes[id];
    if (node.op == Op::Const) {
      const Const& constant = schema.constants[node.a];
      if (constant.kind == Value::Kind::Int && depth < 3) integers.insert(constant.integer);
      if (constant.kind == Value::Kind::Real && depth < 3) reals.insert(constant.real);
      if (constant.kind == Value::Kind::Str && depth < 3 && !constant.text.empty()) texts.insert(std::string(constant.text));
    } else if (node.op == Op::Read) {
      const auto [entry, first] = slots.try_emplace(node.slot, depth);
      if (!first && entry->second <= depth) return;
      entry->second = depth;
      if (depth > 6) return;
      if (node.slot < kFieldCount) {
        if (const Slot same = schema.alias(node.slot, clause.plan); same != kNoSlot)
          slots.try_emplace(same, depth);
        else
          visit(schema, clause, schema.mapping(node.slot, clause.plan), depth + 1);
        visit(schema, clause, schema.field_derivation[node.slot], depth + 1);
      } else if (const std::size_t let = node.slot - kFieldCount; let < schema.lets.size()) {
        visit(schema, clause, schema.lets[let].expr, depth + 1);
      } else if (const KeySpec* key = schema.key_of(node.slot); key && !key->defaults.empty()) {
        if (const Op op = schema.nodes[key->defaults[0]].op; op == Op::Read || op == Op::Call)
          visit(schema, clause, key->defaults[0], depth + 1);
      }
    } else {
      for (ExprId child = node.a; child != kNoExpr; child = schema.nodes[child].next) visit(schema, clause, child, depth);
    }
  }
};

class Search {
 public:
  Search(const Schema& schema, const Clause& clause, const std::map<std::string, std::set<std::string>, std::less<>>& said)
      : schema_(schema), clause_(clause), said_(said), mutated_(schema, clause), alive_(mutated_.mutants().size(), true) {}

  std::string run(std::size_t tries) {
    std::vector<Lines> begin = {{}};
    for (const Precedent& precedent : precedents(schema_, clause_)) {
      begin.emplace_back(precedent.lines.begin(), precedent.lines.end());
      Job job = job_of(schema_, make_example(schema_, precedent.lines), version_for(schema_, clause_));
      Judgement before = mutated_.before(job);
      for (std::size_t i = 0; i < alive_.size(); ++i) alive_[i] = alive_[i] && mutated_.mutant(before, i).is(precedent.verdict);
    }
    if (std::none_of(alive_.begin(), alive_.end(), [](bool alive) { return alive; })) return {};
    open_ = alive_;
    find_changes(begin);
    for (const Lines& lines : begin) ask(lines, true);
    for (std::size_t base = 0, single = 0; base < begin.size(); ++base)
      for (const Change& change : changes_) {
        if (++single > tries) break;
        ask(changed(begin[base], change.key, change.value), false);
      }
    std::mt19937 random(7);
    const auto below_of = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    // A while longer when all are killed: shorter and saner ones may come.
    for (std::size_t i = 0; i < (done() ? tries / 4 : tries) && !changes_.empty(); ++i) {
      Lines lines =
          pool_[random() % 3 == 0 ? below_of(pool_.size()) : pool_.size() - 1 - below_of(std::min<std::size_t>(pool_.size(), 12))];
      for (std::size_t n = 1 + random() % 3; n > 0; --n) {
        const std::string& key = keys_[below_of(keys_.size())];
        const auto& values = by_key_[key];
        lines = changed(lines, key, values[below_of(values.size())]);
      }
      ask(lines, false);
    }
    return proposals();
  }

 private:
  struct Change {
    std::string key, value;
  };
  struct Kill {
    Lines lines;
    std::vector<bool> kills;
    std::string verdict;
    int oddity = 0;  // the less, the sooner a person would write it
  };

  static bool whole(std::string_view value) { return value.find_first_not_of("0123456789") == value.npos; }

  int oddity(const Lines& lines, std::string_view said, const Judgement& full) const {
    int out = said == "open" ? 6 : 0;
    for (const std::string& line : lines) {
      const std::string_view value = std::string_view(line).substr(std::min(line.size(), line.find(" = ") + 3));
      const KeySpec* key = schema_.find_key(key_of(line));
      out += 4;
      if (value.starts_with('-')) out += 5;
      if (value == "\"\"" || value == "<unset>") out += 3;
      if (value == "0" || value == "null" || value == "\"x\"") out += 2;
      if ((value == "true" || value == "false") && (!key || (key->types & type::Int))) out += 4;
      if (whole(value) && value.size() > 2) out += value.ends_with("00") || value.ends_with("24") || value.ends_with("48") ? 1 : 2;
    }
    for (const Violation& violation : full.violations)
      if (violation.clause != &clause_ && violation.rule != "hygiene/missing-key")
        out += violation.severity == Severity::Error ? 6 : violation.severity == Severity::Warning ? 1 : 0;
    return out;
  }

  bool done() const {
    return std::none_of(open_.begin(), open_.end(), [](bool open) { return open; });
  }

  // The last word on a key; "<absent>" takes it away.
  Lines changed(const Lines& before, const std::string& key, const std::string& value) const {
    Lines out;
    for (const std::string& line : before)
      if (key_of(line) != key && !below(key_of(line), key) && !below(key, key_of(line))) out.push_back(line);
    const auto same = [&](const Assignment& minimal) { return minimal.key == key; };
    if (value != "<absent>")
      out.push_back(key + (key.starts_with("--") ? "" : " = ") + value);
    else if (std::any_of(schema_.minimal.begin(), schema_.minimal.end(), same) && key != kStarted)
      out.push_back(key + " = <unset>");
    return out;
  }

  void find_changes(const std::vector<Lines>& begin) {
    Reach reach;
    for (ExprId id : {clause_.when, clause_.require, clause_.to}) reach.visit(schema_, clause_, id, 0);
    if (clause_.set != kNoSlot) reach.slots.try_emplace(clause_.set, 0);
    // Integers that stand in the clause or that it reads, and their neighbours.
    std::set<i64> numbers = {0, 1, 2, 3, 4, 8};
    for (i64 n : reach.integers)
      for (i64 d : {-1, 0, 1, 2}) numbers.insert(n + d);
    for (const Lines& lines : begin) {
      const std::vector<std::string_view> views(lines.begin(), lines.end());
      Job job = job_of(schema_, make_example(schema_, views), version_for(schema_, clause_));
      Judgement before = mutated_.before(job);
      if (clause_.plan > 0 && !before.others[clause_.plan - 1u]) continue;
      for (const auto& [slot, depth] : reach.slots)
        if (const i64* n = before.plan(clause_.plan)->at(slot).value.integer(); n && std::abs(*n) < 1'000'000'000 && depth < 3)
          for (i64 other : {*n - 1, *n, *n + 1, *n * 2, *n / 2}) numbers.insert(other);
    }
    for (const auto& [slot, depth] : reach.slots) {
      const KeySpec* key = schema_.key_of(slot);
      if (!key && (slot >= kFieldCount || schema_.alias(slot, 0) != kNoSlot || schema_.mapping(slot, 0) != kNoExpr)) continue;
      std::set<std::string> paths;
      const std::string generic(key ? key->path : fields()[slot].name);
      for (const auto& [path, values] : said_)
        if (key ? schema_.find_key(path) == key || below(path, generic) : path == generic) paths.insert(path);
      if (generic.find('*') == generic.npos) {
        paths.insert(generic);
      } else if (generic.find("[*]") != generic.npos && generic.find(".*") == generic.npos) {
        for (const char* index : {"[0]", "[1]"}) {
          std::string path = generic;
          for (std::size_t at = path.find("[*]"); at != path.npos; at = path.find("[*]")) path.replace(at, 3, index);
          paths.insert(path);
        }
      }
      for (const std::string& path : paths)
        add_values(path, key && schema_.find_key(path) == key ? key : schema_.find_key(path), slot, numbers, reach, depth);
    }
    if (std::none_of(begin.begin(), begin.end(), [](const Lines& lines) {
          return std::any_of(lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with("--"); });
        }))
      return;
    for (const auto& [word, values] : said_)
      if (word.starts_with("--")) add(word, values, 1);
  }

  void add_values(const std::string& path, const KeySpec* key, Slot slot, const std::set<i64>& numbers, const Reach& reach, int depth) {
    std::set<std::string> values;
    if (const auto said = said_.find(path); said != said_.end()) values.insert(said->second.begin(), said->second.end());
    const TypeSet types = key ? key->types : slot < kFieldCount ? fields()[slot].types : type::Any;
    if (key) {
      for (std::string_view choice : key->choices) values.insert(fmt::format("\"{}\"", choice));
      if (types & type::Null) values.insert("null");
    }
    if (types & type::Bool) values.insert({"true", "false"});
    if (types & type::Int)
      for (i64 n : numbers) values.insert(std::to_string(n));
    if (types & type::Real) {
      values.insert({"0.0", "0.5", "1.0", "1.5", "-1.0", "2.0"});
      for (i64 n : reach.integers) values.insert({fmt::format("{}.0", n), fmt::format("{}.5", n)});
      for (double real : reach.reals)
        for (double near : {real, real / 2, real * 2, real - 0.1, real + 0.1}) values.insert(fmt::format("{:.6g}", near));
    }
    if ((types & type::Str) && (!key || key->choices.empty() || key->choices_offered)) {
      for (const std::string& text : reach.texts)
        if (text.find_first_of("\"\\\n\t") == text.npos) values.insert(fmt::format("\"{}\"", text));
      values.insert({"\"x\"", "\"\""});
    }
    if ((types & type::List) && !(types == type::Any)) {
      values.insert("[]");
      const TypeSet items = key ? key->item_types : type::Any;
      if ((items & type::Str))
        for (const std::string& text : reach.texts)
          if (text.find_first_of("\"\\\n\t") == text.npos)
            values.insert({fmt::format("[\"{}\"]", text), fmt::format("[\"{}\", \"x\"]", text)});
      if (items & type::Int)
        for (i64 n : numbers)
          if (n < 20) values.insert({fmt::format("[{}]", n), fmt::format("[{}, {}]", n, n + 1), fmt::format("[{}, {}]", n, n)});
      if (key)
        for (std::string_view choice : key->choices) values.insert(fmt::format("[\"{}\"]", choice));
    }
    if (!values.empty()) add(path, std::move(values), depth);
  }

  void add(const std::string& path, std::set<std::string> values, int depth) {
    values.insert("<absent>");
    by_key_[path].assign(values.begin(), values.end());
    for (int weight = depth == 0 ? 6 : depth == 1 ? 3 : 1; weight > 0; --weight) keys_.push_back(path);
    for (const std::string& value : values) changes_.push_back({path, value});
  }

  void ask(const Lines& lines, bool keep) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    if (!asked_.insert(all).second) return;
    const std::vector<std::string_view> views(lines.begin(), lines.end());
    const Example example = make_example(schema_, views);
    if (!example.errors.empty()) return;
    Job job = job_of(schema_, example, version_for(schema_, clause_));
    Judgement before = mutated_.before(job);
    if (misspelt(before, clause_)) return;
    if (traces_.insert(mutated_.trace(before)).second || keep) pool_.push_back(lines);
    EXPECT_EQ(mutated_.told_apart(before), "") << clause_.name << " with " << all;
    const Saying original = mutated_.original(before);
    Kill kill{lines, std::vector<bool>(alive_.size()), std::string(original.verdict)};
    for (bool value : {false, true}) {
      if (value && (!clause_.rewrite || original.verdict != "fires")) break;
      if (value) kill.verdict = "becomes " + original.becomes;
      bool any = false;
      for (std::size_t i = 0; i < alive_.size(); ++i) {
        kill.kills[i] = alive_[i] && !mutated_.mutant(before, i).is(kill.verdict);
        any |= kill.kills[i];
      }
      if (!any) continue;
      // The law as a whole says the same.
      job.schema = &schema_;
      const Judgement full = judge(job);
      if (misspelt(full, clause_) || verdict(full, clause_) != original.verdict) return;
      for (std::size_t i = 0; i < alive_.size(); ++i) open_[i] = open_[i] && !kill.kills[i];
      kill.oddity = oddity(lines, kill.verdict, full);
      kills_.push_back(kill);
    }
  }

  // What a run kills if it is an example with this verdict.
  std::optional<Kill> tried(const Lines& lines, std::string_view wanted) {
    const std::vector<std::string_view> views(lines.begin(), lines.end());
    const Example example = make_example(schema_, views);
    if (!example.errors.empty()) return std::nullopt;
    Job job = job_of(schema_, example, version_for(schema_, clause_));
    Judgement before = mutated_.before(job);
    const Saying original = mutated_.original(before);
    std::string said(original.verdict);
    if (wanted.starts_with("becomes ")) {
      if (said != "fires") return std::nullopt;
      said = "becomes " + original.becomes;
    } else if (said != wanted) {
      return std::nullopt;
    }
    Kill kill{lines, std::vector<bool>(alive_.size()), said};
    for (std::size_t i = 0; i < alive_.size(); ++i) kill.kills[i] = alive_[i] && !mutated_.mutant(before, i).is(said);
    job.schema = &schema_;
    const Judgement full = judge(job);
    if (misspelt(full, clause_) || verdict(full, clause_) != original.verdict) return std::nullopt;
    kill.oddity = oddity(lines, said, full);
    return kill;
  }

  // As few runs as kill what can be killed, each as short as it can be.
  std::string proposals() {
    std::string out;
    std::vector<bool> left = alive_;
    for (;;) {
      const Kill* best = nullptr;
      int most = 0;
      for (const Kill& kill : kills_) {
        int count = 0;
        for (std::size_t i = 0; i < left.size(); ++i) count += left[i] && kill.kills[i];
        if (count == 0) continue;
        if (const int worth = 10 * count - kill.oddity; !best || worth > most) best = &kill, most = worth;
      }
      if (!best) break;
      Kill least = *best;
      const std::vector<bool> wanted = best->kills;
      const auto take = [&](const Lines& lines) {
        std::optional<Kill> kill = tried(lines, least.verdict);
        bool enough = kill && kill->oddity <= least.oddity;
        for (std::size_t i = 0; enough && i < left.size(); ++i) enough = !(left[i] && wanted[i]) || kill->kills[i];
        if (enough) least = std::move(*kill);
        return enough;
      };
      for (std::size_t line = 0; line < least.lines.size();) {
        Lines shorter = least.lines;
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(line));
        if (!take(shorter)) ++line;
      }
      for (std::size_t line = 0; line < least.lines.size(); ++line) {
        const std::string before = least.lines[line];
        const std::string_view value = std::string_view(before).substr(std::min(before.size(), before.find(" = ") + 3));
        if (before.starts_with("--") || !(value.starts_with('-') || (whole(value) && (value == "0" || value.size() > 1)))) continue;
        for (const char* plainer : {"1", "2", "3", "4", "8", "16", "32", "64", "100", "1024"}) {
          Lines plain = least.lines;
          plain[line] = fmt::format("{} = {}", key_of(before), plainer);
          if (std::string_view(plainer).size() > value.size() + 1 || take(plain)) break;
        }
      }
      for (std::size_t i = 0; i < left.size(); ++i) left[i] = left[i] && !wanted[i];
      out += fmt::format("{}\t{}", short_name(clause_), least.verdict);
      for (const std::string& line : least.lines) out += "\t" + line;
      out += "\n";
    }
    return out;
  }

  const Schema& schema_;
  const Clause& clause_;
  const std::map<std::string, std::set<std::string>, std::less<>>& said_;
  MutatedClause mutated_;
  std::vector<bool> alive_;  // under the examples that there are
  std::vector<bool> open_;   // and nothing was found that kills them
  std::vector<Change> changes_;
  std::vector<std::string> keys_;  // as often as they are worth a try
  std::map<std::string, std::vector<std::string>> by_key_;
  std::vector<Lines> pool_;
  std::set<std::string> asked_, traces_;
  std::vector<Kill> kills_;
};

TEST(Mutants, DISABLED_ProposesExamples) {
  const char* folder = std::getenv("SHARDLINT_PROPOSALS");
  ASSERT_TRUE(folder) << "SHARDLINT_PROPOSALS names no folder";
  const char* only = std::getenv("SHARDLINT_ONLY");
  const char* tries = std::getenv("SHARDLINT_TRIES");
  for (const Schema* schema : schemas()) {
    if (only && schema->name != only) continue;
    const auto said = said_in_examples(*schema);
    std::ofstream out(fmt::format("{}/{}.tsv", folder, schema->name));
    for (const Clause& clause : schema->law)
      if (!clause.inherited) out << Search(*schema, clause, said).run(tries ? std::strtoul(tries, nullptr, 10) : 3000) << std::flush;
  }
}

}  // namespace
}  // namespace shardlint::test
