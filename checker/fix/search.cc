#include "checker/fix/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "checker/fix/files.h"
#include "checker/fix/writer.h"

namespace shardlint {

namespace {

constexpr std::size_t kTries = 64;
constexpr std::size_t kAlternatives = 3;

// One place that could be changed: a written fact, or a key that nobody wrote.
struct Target {
  std::optional<std::uint32_t> fact;
  Slot slot = kNoSlot;
  const KeySpec* spec = nullptr;
  Value now;
};

// What a judgement says, reduced to what a fix of `rule` must not make worse: errors, warnings, advice that more certainty would make an error,
// and what is not evaluated.
struct Outcome {
  std::map<std::string, int> findings;
  std::set<std::string_view> open;

  Outcome(const Judgement& judgement, const std::string& rule) {
    for (const Violation& violation : judgement.violations)
      if (violation.severity != Severity::Info || violation.certain_by != kNoSlot || violation.rule == rule) ++findings[violation.rule];
    for (const NotEvaluated& entry : judgement.not_evaluated) open.insert(entry.rule);
  }
  // Where a value was refused, nothing that rests on it was asked for: spelled right, it may well bring up what is not known.
  bool mends(const std::string& rule, const Outcome& before, bool respelled) const {
    const auto count = [](const Outcome& o, const std::string& name) {
      const auto at = o.findings.find(name);
      return at == o.findings.end() ? 0 : at->second;
    };
    if (count(*this, rule) >= count(before, rule)) return false;
    for (const auto& [name, number] : findings)
      if (number > count(before, name)) return false;
    return respelled || std::includes(before.open.begin(), before.open.end(), open.begin(), open.end());
  }
  std::vector<std::string> gone(const Outcome& before) const {
    std::vector<std::string> out;
    for (const auto& [name, number] : before.findings)
      if (const auto at = findings.find(name); at == findings.end() || at->second < number) out.push_back(name);
    return out;
  }
};

class Search {
 public:
  Search(const Job& job, Judgement& judgement, const Violation& violation, std::size_t& budget)
      : job_(job),
        schema_(*job.schema),
        evaluation_(judgement.of(violation)),
        violation_(violation),
        before_(judgement, violation.rule),
        budget_(budget) {}

  std::vector<FoundFix> run() {
    for (const Proposal& proposal : violation_.proposals) consider(proposal.changes, proposal.safety, proposal.title, true);
    // A key that should not stand there at all: no value of another one mends what its author meant.
    if (violation_.clause && std::any_of(violation_.clause->candidates.begin(), violation_.clause->candidates.end(), [&](ExprId candidate) {
          const ExprNode& node = schema_.nodes[candidate];
          return node.op == Op::Const && schema_.constants[node.a].kind == Value::Kind::Null;
        })) {
      collect_targets(false);
      removals();
      if (!fixes_.empty()) return std::move(fixes_);
    }
    proposals();
    // First what the law would rather change and what it blames; only if that leads nowhere, whatever else it read.
    collect_targets(false);
    search();
    if (fixes_.empty()) {
      collect_targets(true);
      search();
    }
    if (fixes_.size() < kAlternatives) removals();
    return std::move(fixes_);
  }

 private:
  // The law names the values: each goes where the field's own value stands, or to the key that would hold it.
  void proposals() {
    for (const auto& values : violation_.together) {
      std::vector<Change> changes;
      for (const auto& [slot, value] : values)
        if (auto made = change_of(slot, value)) changes.push_back(std::move(*made));
      if (changes.size() == values.size() && open()) consider(changes, Safety::Unsafe, "");
    }
  }

  std::optional<Change> change_of(Slot slot, const Value& value) {
    targets_.clear();
    for (std::uint32_t fact : evaluation_.root_facts(slot)) add_fact(fact);
    std::erase_if(targets_, [&](const Target& target) { return !(target.now == evaluation_.at(slot).value); });
    if (targets_.empty())
      for (Slot key : evaluation_.unwritten_keys(slot)) add_key(key);
    std::optional<Change> out;
    for (const Target& target : targets_) {
      // A switch may stand for a count of one.
      const bool is_switch = target.spec && !(target.spec->types & type::of(value.kind())) && target.spec->types & type::Bool;
      const Value wanted = is_switch && value == Value(i64{1}) ? Value(true) : value;
      if (!out && fits(target, wanted)) out = change(target, wanted);
    }
    targets_.clear();
    return out;
  }

  bool open() const { return tries_ < kTries && fixes_.size() < kAlternatives; }

  void search() {
    std::vector<std::vector<Value>> values;
    for (const Target& target : targets_) values.push_back(candidates(target));
    taken_.assign(targets_.size(), 0);
    // Nearest values of the first target before far ones of the second: two of each in turn.
    for (std::size_t round = 0; round < 16 && open(); ++round)
      for (std::size_t t = 0; t < targets_.size() && open(); ++t)
        for (std::size_t i = round * 2; i < std::min(values[t].size(), round * 2 + 2) && open(); ++i)
          if (taken_[t] < 2) taken_[t] += consider({change(targets_[t], values[t][i])}, Safety::Unsafe, "");
    if (fixes_.empty()) pairs(values);
  }

  // ---- where a change could be made

  void collect_targets(bool wide) {
    std::vector<Slot> order(violation_.rather_change);
    order.insert(order.end(), violation_.blame.begin(), violation_.blame.end());
    if (wide || order.empty()) order.insert(order.end(), violation_.reads.begin(), violation_.reads.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::uint32_t fact : evaluation_.root_facts(order[i])) add_fact(fact);
      // A key is only added where the law says that it would be changed: rather_change, or what is blamed where there is none.
      if (wide || violation_.rather_change.empty() || i < violation_.rather_change.size())
        for (Slot key : evaluation_.unwritten_keys(order[i]))
          if (!written_nearby(order, key)) add_key(key);
      if (i == 0 && !wide) first_ = targets_.size();
    }
  }

  // Is the value written under the same name in a section around the key's, or inside it? Nobody writes it twice.
  bool written_nearby(const std::vector<Slot>& order, Slot key) {
    const KeySpec* spec = schema_.key_of(key);
    if (!spec) return false;
    const auto split = [](std::string_view path) {
      const std::size_t dot = path.rfind('.');
      return dot == path.npos ? std::pair(std::string_view(), path) : std::pair(path.substr(0, dot + 1), path.substr(dot + 1));
    };
    const auto [section, name] = split(spec->path);
    for (Slot slot : order)
      for (std::uint32_t fact : evaluation_.root_facts(slot)) {
        const auto [its, own] = split(job_.facts[fact].path);
        if (own == name && its != section && (its.starts_with(section) || section.starts_with(its))) return true;
      }
    return false;
  }

  void add_fact(std::uint32_t index) {
    const Fact& fact = job_.facts[index];
    // Settings say what the cluster is; an override that is written in a file is that file's to change.
    // A computed value is changed where its parts are written.
    if (fact.formula) {
      for (const std::string& path : fact.formula->reads)
        for (std::uint32_t i = 0; i < job_.facts.size(); ++i)
          if (job_.facts[i].path == path && !job_.facts[i].formula) add_fact(i);
      return;
    }
    if (!fact.open.empty() || (fact.of_code() && !fact.spot)) return;
    const bool elsewhere = fact.way == Way::Override && (!fact.place || fact.place.source->path().starts_with('<'));
    if (fact.way == Way::Setting || elsewhere || fact.value.map() || targets_.size() >= 8) return;
    for (const Target& target : targets_)
      if (target.fact == index) return;
    Target target{index, kNoSlot, nullptr, fact.value};
    for (Slot slot = 0; slot < schema_.slot_count(); ++slot) {
      const SlotState& state = evaluation_.at(slot);
      if (schema_.key_of(slot) && std::find(state.facts.begin(), state.facts.end(), index) != state.facts.end()) {
        target.slot = slot, target.spec = schema_.key_of(slot);
        if (!target.spec->per_item() && state.origin == SlotState::Origin::Written) target.now = state.value;
        break;
      }
    }
    targets_.push_back(std::move(target));
  }

  void add_key(Slot key) {
    const KeySpec* spec = schema_.key_of(key);
    if (!spec || (is_variable(spec->path) && job_.form->env.empty()) || spec->state != KeyState::Current || targets_.size() >= 8) return;
    for (const Target& target : targets_)
      if (target.slot == key) return;
    const SlotState& state = evaluation_.at(key);
    targets_.push_back({std::nullopt, key, spec, state.known() ? state.value : Value()});
  }

  // ---- which values to try

  void constants(ExprId expr, ValueList& out) const {
    if (expr == kNoExpr) return;
    const ExprNode& node = schema_.nodes[expr];
    if (node.op == Op::Const)
      out.push_back(schema_.constants[node.a].value());
    else if (node.op != Op::Read)
      for (ExprId child = node.a; child != kNoExpr; child = schema_.nodes[child].next) constants(child, out);
  }

  ValueList mentioned() const {
    ValueList out;
    if (violation_.clause) constants(violation_.clause->require, out), constants(violation_.clause->when, out);
    return out;
  }

  std::vector<Value> candidates(const Target& target) {
    std::vector<Value> out;
    const auto add = [&](const Value& value) {
      if (value.is_null() || value == target.now || !fits(target, value)) return;
      if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
    };
    const bool first = &target < targets_.data() + first_;
    if (target.spec && target.now.text())  // "Full" meant "full"
      for (std::string_view choice : nearest(lowered(*target.now.text()), target.spec->choices)) add(Value(choice));
    if (first)
      for (const Value& value : violation_.candidates) add(value);
    const TypeSet types = target.spec ? target.spec->types : type::of(target.now.kind());
    const ValueList said = mentioned();
    // Python takes a boolean for an integer; nobody wants that mended so.
    const bool switches = target.now.boolean() || (types & type::Bool && !(types & (type::Int | type::Real)));
    if (switches) add(target.now.boolean() ? !*target.now.boolean() : true);
    if (target.spec)
      for (std::string_view choice : target.spec->choices)
        add(types & type::Int && !(types & type::Str) ? integer_of(choice) : Value(choice));
    if (types & type::Str)
      for (const Value& value : said)
        if (value.text() && !value.text()->empty()) add(value);
    if (types & type::List && target.now.list()) lists(*target.now.list(), said, add);
    if (types & type::Number && !target.now.boolean()) numbers(target, said, add);
    return out;
  }

  static std::string lowered(std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    return text;
  }

  static Value integer_of(std::string_view text) {
    i64 value = 0;
    for (char c : text) {
      if (c < '0' || c > '9') return Null{};
      value = value * 10 + (c - '0');
    }
    return value;
  }

  bool fits(const Target& target, const Value& value) const {
    if (value.boolean() && target.now.is_number() && !target.now.boolean()) return false;
    if (!target.spec) return value.kind() == target.now.kind() || (value.is_number() && target.now.is_number());
    if (!(target.spec->types & type::of(value.kind()))) return false;
    if (target.spec->choices.empty() || !value.text()) return true;
    return std::find(target.spec->choices.begin(), target.spec->choices.end(), *value.text()) != target.spec->choices.end();
  }

  static void lists(const ValueList& now, const ValueList& said, const auto& add) {
    for (const Value& value : said)
      if (value.text() && std::find(now.begin(), now.end(), value) == now.end()) {
        ValueList longer = now;
        longer.push_back(value);
        add(Value(std::move(longer)));
      }
    for (std::size_t i = 0; i < now.size(); ++i) {
      ValueList shorter = now;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
      add(Value(std::move(shorter)));
    }
  }

  // Is it what the key has by itself, or one of the values that it is said to take?
  bool of_the_key(const Target& target, i64 value) const {
    if (!target.spec) return false;
    const auto& choices = target.spec->choices;
    if (std::find(choices.begin(), choices.end(), std::to_string(value)) != choices.end()) return true;
    return target.spec->has_default && std::any_of(target.spec->defaults.begin(), target.spec->defaults.end(), [&](ExprId id) {
             const ExprNode& node = schema_.nodes[id];
             return node.op == Op::Const && schema_.constants[node.a].value() == Value(value);
           });
  }

  // Divisors, multiples, products and quotients of the numbers in play, and neighbours; by how far they are from what is written.
  void numbers(const Target& target, const ValueList& said, const auto& add) {
    std::set<i64> in_play{1};
    const auto play = [&](const Value& value) {
      if (value.integer() && *value.integer() > 0 && *value.integer() < (i64{1} << 50)) in_play.insert(*value.integer());
    };
    std::vector<Slot> closure;
    const auto visit = [&](auto& self, Slot slot, int depth) -> void {
      if (std::find(closure.begin(), closure.end(), slot) != closure.end() || closure.size() > 40) return;
      closure.push_back(slot);
      const SlotState& state = evaluation_.at(slot);
      if (state.known()) play(state.value);
      const std::vector<Slot> deps = state.deps;
      if (depth < 4)
        for (Slot dep : deps) self(self, dep, depth + 1);
    };
    for (Slot slot : violation_.blame) visit(visit, slot, 0);
    for (Slot slot : violation_.reads) visit(visit, slot, 0);
    std::vector<double> reals;
    for (const Value& value : said) {
      play(value);
      if (value.integer()) play(*value.integer() + 1), play(*value.integer() - 1);
      if (value.is_number()) reals.push_back(value.number());
    }
    const double now = target.now.is_number() ? target.now.number() : 1;
    // What may be either is a count, unless a fraction is written.
    const bool fraction = target.spec ? (target.spec->types & type::Real) && (target.now.real() || !(target.spec->types & type::Int))
                                      : target.now.real() != nullptr;
    if (fraction && !target.now.integer()) {
      if (now < 0) add(Value(-now));
      for (double real : reals)
        for (double value : {real, real / 2, real + 1, std::nextafter(real, 0.0)}) add(Value(value));
      for (double value : {0.1, 0.5, 0.9, 1.0, 0.0, now / 10, now / 100}) add(Value(value));
      return;
    }
    // What lies beyond is no count of anything, and sums and products of what lies below stay within 64 bits.
    constexpr i64 kFar = i64{1} << 50;
    const i64 written = target.now.integer() ? *target.now.integer() : 1;
    const i64 v = std::clamp(written, -kFar, kFar);
    std::set<i64> values;
    const auto try_value = [&](i64 value) {
      if (value != written && value > -kFar && value < kFar) values.insert(value);
    };
    const std::vector<i64> play_list(in_play.begin(), in_play.end());
    for (i64 n : play_list) {
      try_value(n);
      if (n > 1 && v > 0) {
        try_value(v / n * n), try_value((v / n + 1) * n);
        if (n % v == 0 || v % n == 0) try_value(std::max(n, v) / std::min(n, v));
      }
      for (i64 d = 1; d * d <= n && d < 4096; ++d)
        if (n % d == 0) try_value(d), try_value(n / d);
      for (i64 m : play_list) {
        if (play_list.size() > 24) break;
        i64 product = 0;
        if (!__builtin_mul_overflow(n, m, &product) && product < kFar) {
          try_value(product);
          if (product > 1 && v > 0) try_value(v / product * product), try_value((v / product + 1) * product);
        }
      }
    }
    for (i64 step : {i64{1}, i64{-1}, v, -v / 2}) try_value(v + step);
    if (v <= 0) try_value(1), try_value(-v), try_value(0);
    // Nothing and less than nothing are no counts, unless the law or the key itself speaks of them.
    std::erase_if(values, [&](i64 value) {
      return value <= 0 && std::find(said.begin(), said.end(), Value(value)) == said.end() && !of_the_key(target, value);
    });
    std::vector<i64> order(values.begin(), values.end());
    // A ratio is how plans are felt: 8 is as far from 4 as from 16. Negative values and zero come last unless the value is one.
    const auto distance = [&](i64 value) {
      if (value <= 0 || v <= 0) return std::fabs(static_cast<double>(value - std::max<i64>(v, 1))) + (value <= 0 ? 1000.0 : 0.0);
      return std::fabs(std::log(static_cast<double>(value) / static_cast<double>(v)));
    };
    std::stable_sort(order.begin(), order.end(), [&](i64 a, i64 b) { return distance(a) < distance(b); });
    // In code a count stays a count.
    const bool count = target.fact && job_.facts[*target.fact].of_code() && v > 0;
    for (i64 value : order)
      if (value > 0 || !count) add(Value(value));
  }

  // ---- trying

  Change change(const Target& target, const Value& value) const {
    if (target.fact) {
      // A switch of a command line is taken away, not set to false.
      const bool off = job_.form->flags && value.boolean() && target.spec && !target.spec->flags.empty();
      if (off && std::any_of(target.spec->flags.begin(), target.spec->flags.end(),
                             [&](std::string_view f) { return schema_.find_flag(f)->constant != kNoExpr; }))
        return {Change::Kind::Remove, *target.fact, kNoSlot, "", {}};
      return {Change::Kind::Set, *target.fact, kNoSlot, "", value};
    }
    Change out{Change::Kind::Insert, 0, target.slot, document_path(job_, target.slot), value};
    if (job_.form->flags && value.boolean())
      for (std::string_view spelling : target.spec->flags) {
        const FlagSpec* flag = schema_.find_flag(spelling);
        if (flag && flag->constant != kNoExpr && schema_.constants[schema_.nodes[flag->constant].a].value() == value) {
          out.path = (job_.form->root.empty() ? "" : std::string(job_.form->root) + ".") + std::string(spelling);
          out.value = true;
        }
      }
    return out;
  }

  bool consider(const std::vector<Change>& changes, Safety safety, const std::string& title, bool respelled = false) {
    if (tries_ >= kTries || fixes_.size() >= kAlternatives || budget_ < job_.facts.size()) return false;
    if (std::any_of(changes.begin(), changes.end(),
                    [&](const Change& change) { return change.kind == Change::Kind::Remove && uncovers(change.fact); }))
      return false;
    ++tries_;
    budget_ -= job_.facts.size();
    const Outcome outcome = tried(changes);
    if (!outcome.mends(violation_.rule, before_, respelled)) return false;
    std::optional<Fix> fix = spell(changes, safety, title);
    if (!fix) return false;
    for (const FoundFix& other : fixes_)
      if (other.fix.title == fix->title) return false;
    fixes_.push_back({std::move(*fix), changes, outcome.gone(before_)});
    return true;
  }

  // What is said of the run with the changes made.
  Outcome tried(const std::vector<Change>& changes) {
    if (trial_.schema == nullptr) {
      trial_ = job_;
      interpolated_ = std::any_of(job_.facts.begin(), job_.facts.end(), [](const Fact& fact) { return fact.formula != nullptr; });
    }
    const auto sets = [](const Change& change) { return change.kind == Change::Kind::Set; };
    if (interpolated_ || !std::all_of(changes.begin(), changes.end(), sets)) {
      Facts facts = std::exchange(trial_.facts, with_changes(job_, changes));
      Outcome outcome(judge(trial_), violation_.rule);
      trial_.facts = std::move(facts);
      return outcome;
    }
    // A run may have very many facts, and these few are all that is different: they are set and set back.
    std::vector<std::pair<Value, const Node*>> were;
    for (const Change& change : changes) {
      Fact& fact = trial_.facts[change.fact];
      were.emplace_back(std::exchange(fact.value, change.value), std::exchange(fact.node, nullptr));
    }
    Outcome outcome(judge(trial_), violation_.rule);
    for (std::size_t i = changes.size(); i-- > 0;)
      std::tie(trial_.facts[changes[i].fact].value, trial_.facts[changes[i].fact].node) = std::move(were[i]);
    return outcome;
  }

  // Without it the value that it overrides would hold again, or an interpolation would lead nowhere: only composing anew could tell.
  bool uncovers(std::uint32_t index) const {
    const Fact& fact = job_.facts[index];
    if (fact.chain) return true;
    return std::any_of(job_.facts.begin(), job_.facts.end(), [&](const Fact& other) {
      return other.formula && std::find(other.formula->reads.begin(), other.formula->reads.end(), fact.path) != other.formula->reads.end();
    });
  }

  void pairs(const std::vector<std::vector<Value>>& values) {
    for (std::size_t a = 0; a < targets_.size() && open() && fixes_.empty(); ++a)
      for (std::size_t b = a + 1; b < targets_.size() && open() && fixes_.empty(); ++b)
        for (std::size_t i = 0; i < std::min<std::size_t>(3, values[a].size()) && fixes_.empty(); ++i)
          for (std::size_t j = 0; j < std::min<std::size_t>(3, values[b].size()) && fixes_.empty(); ++j)
            consider({change(targets_[a], values[a][i]), change(targets_[b], values[b][j])}, Safety::Unsafe, "");
  }

  void removals() {
    const std::size_t extra = tries_ + 8;  // deleting is always worth a look, even when the tries are used up
    for (const Target& target : targets_) {
      if (!target.fact || tries_ >= extra || fixes_.size() >= kAlternatives) continue;
      // Whoever takes out what must be written only meets the next refusal.
      if (target.spec && (target.spec->required || !target.spec->required_if.empty())) continue;
      tries_ = std::min(tries_, kTries - 1);
      consider({{Change::Kind::Remove, *target.fact, kNoSlot, "", {}}}, Safety::Unsafe, "");
    }
  }

  // ---- from changes to edits

  std::optional<Fix> spell(const std::vector<Change>& changes, Safety safety, const std::string& title) const {
    Fix fix{title, safety, {}};
    std::string made;
    const auto inserts = [](const Change& change) { return change.kind == Change::Kind::Insert; };
    const bool in_turn = std::count_if(changes.begin(), changes.end(), inserts) > 1;
    for (const Change& change : changes) {
      made += (made.empty() ? "" : ", ") + told(change);
      if (in_turn) continue;
      const std::optional<std::vector<Edit>> edits = write(change, job_.facts);
      if (!edits) return std::nullopt;
      fix.edits.insert(fix.edits.end(), edits->begin(), edits->end());
    }
    if (in_turn) {
      std::optional<std::vector<Edit>> edits = write_in_turn(changes);
      if (!edits) return std::nullopt;
      fix.edits = std::move(*edits);
    }
    if (changes.size() > 1 && !agree(fix.edits)) return std::nullopt;
    if (fix.title.empty()) fix.title = made;
    return fix;
  }

  std::string told(const Change& change) const {
    if (change.kind == Change::Kind::Insert) {
      const KeySpec* key = job_.schema->key_of(change.slot);
      const bool given = job_.form->flags && key && !key->flags.empty() && change.value == Value(true);  // a switch has no value
      return fmt::format("add {}{}", spelling(job_, change.slot), given ? "" : " = " + to_string(change.value));
    }
    const std::string& name = job_.facts[change.fact].spelled;
    if (change.kind == Change::Kind::Remove) return fmt::format("remove {}", name);
    if (change.kind == Change::Kind::Rename) return fmt::format("{} -> {}", name, change.path);
    return fmt::format("{} = {}", name, to_string(change.value));
  }

  // The edits of one change to the files that `facts` were read from.
  std::optional<std::vector<Edit>> write(const Change& change, const Facts& facts) const {
    if (change.kind == Change::Kind::Insert) {
      const auto home = std::find_if(facts.begin(), facts.end(), [](const Fact& f) { return f.document != nullptr && !f.inherited; });
      if (home == facts.end()) {
        // The words of a command: behind the last of them.
        for (auto fact = facts.rbegin(); fact != facts.rend(); ++fact)
          if (fact->spot)
            if (auto edits = fact->spot->add(change.path, change.value)) return edits;
        return std::nullopt;
      }
      if (home->document->roots.empty()) return std::nullopt;
      std::string path = change.path;
      for (const auto& [from, to] : job_.moved)
        if (path.starts_with(from + ".")) path = to.empty() ? path.substr(from.size() + 1) : to + path.substr(from.size());
      return insert_key(home->document, *home->document->roots[0], path, change.value, job_.form->loader);
    }
    const Fact& fact = facts[change.fact];
    if (change.kind == Change::Kind::Set)
      return fact.way == Way::Override ? write_override(fact, change.value) : write_value(fact, change.value, job_.form->loader);
    if (hides_another(fact)) return std::nullopt;
    return change.kind == Change::Kind::Remove ? remove_fact(fact) : rename_key(fact, change.path);
  }

  // Keys that go to one new section must find it made by the first of them: each change is written into what the last one left.
  std::optional<std::vector<Edit>> write_in_turn(std::vector<Change> changes) const {
    const auto home =
        std::find_if(job_.facts.begin(), job_.facts.end(), [](const Fact& f) { return f.document != nullptr && !f.inherited; });
    if (home == job_.facts.end()) return std::nullopt;
    const DocumentPtr original = home->document;
    DocumentPtr document = original;
    for (Change& change : changes) {
      if (document->roots.empty()) return std::nullopt;
      const Facts facts = facts_of(document, *document->roots[0], job_.form->loader);
      if (change.kind != Change::Kind::Insert) {
        if (job_.facts[change.fact].document != original) return std::nullopt;
        const auto at = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.path == job_.facts[change.fact].path; });
        if (at == facts.end()) return std::nullopt;
        change.fact = static_cast<std::uint32_t>(at - facts.begin());
      }
      const std::optional<std::vector<Edit>> edits = write(change, facts);
      const std::optional<std::string> text = edits ? apply(*document->source, *edits) : std::nullopt;
      if (!text) return std::nullopt;
      document = read_document(std::make_shared<const Source>(original->source->path(), *text), original->format);
    }
    return line_edits(original->source, document->source->text());
  }

  // A key that is written twice: without the one that wins, the other would come to count.
  static bool hides_another(const Fact& fact) {
    if (!fact.parent) return false;
    const auto& entries = fact.parent->entries;
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.shadowed && entry.key == fact.spelled; });
  }

  // The writers vouch for each edit by itself; together they may overlap, or make the same table twice.
  static bool agree(const std::vector<Edit>& edits) {
    std::map<SourcePtr, std::vector<Edit>> by_source;
    for (const Edit& edit : edits) by_source[edit.source].push_back(edit);
    return std::all_of(by_source.begin(), by_source.end(), [](const auto& entry) {
      const auto& [source, own] = entry;
      const std::optional<std::string> text = apply(*source, own);
      const std::optional<Format> format = format_of(source->path());
      if (!text || !format) return false;
      const DocumentPtr before = read_document(source, *format),
                        after = read_document(std::make_shared<const Source>(source->path(), *text), *format);
      return after->problems.size() <= before->problems.size() && after->duplicates.size() <= before->duplicates.size();
    });
  }

  // key=value inside the quotes of shardlint.toml.
  static std::optional<std::vector<Edit>> write_override(const Fact& fact, const Value& to) {
    const std::string_view text = fact.place.source->text(fact.place.range);
    const std::size_t equals = text.find('=');
    const std::string value = to_string(to);
    if (equals == std::string_view::npos || to.is_null() || to.list() || value.find_first_of("\"'\\\n") != std::string::npos)
      return std::nullopt;
    const auto begin = fact.place.range.begin + static_cast<std::uint32_t>(equals) + 1;
    return std::vector<Edit>{{fact.place.source, {begin, fact.place.range.end}, value}};
  }

  const Job& job_;
  const Schema& schema_;
  Evaluation& evaluation_;
  const Violation& violation_;
  const Outcome before_;
  std::size_t& budget_;
  std::vector<Target> targets_;
  std::size_t first_ = 0;  // the targets that the first of rather_change rests on; the law's own candidates are meant for them
  std::vector<int> taken_;
  std::vector<FoundFix> fixes_;
  std::size_t tries_ = 0;
  Job trial_;                  // the run as it is, for changes to be tried on
  bool interpolated_ = false;  // a value in it follows from others
};

}  // namespace

Facts with_changes(const Job& job, const std::vector<Change>& changes) {
  Facts facts = job.facts;
  std::vector<std::pair<std::string, Way>> gone;
  std::map<std::string, Value> changed;
  for (const Change& change : changes) {
    switch (change.kind) {
      case Change::Kind::Set:
        facts[change.fact].value = change.value;
        facts[change.fact].node = nullptr;  // the spelling no longer says what the value is
        facts[change.fact].formula = nullptr;
        changed[facts[change.fact].path] = change.value;
        break;
      case Change::Kind::Remove: gone.emplace_back(facts[change.fact].path, facts[change.fact].way); break;
      case Change::Kind::Rename: {
        const std::string old = facts[change.fact].path;
        const std::string renamed = old.substr(0, old.rfind('.') + 1) + change.path;
        for (Fact& fact : facts)
          if (fact.path == old || fact.path.starts_with(old + ".") || fact.path.starts_with(old + "["))
            fact.path = renamed + fact.path.substr(old.size());
        facts[change.fact].spelled = change.path;
        break;
      }
      case Change::Kind::Insert: {
        Fact fact;
        for (const Fact& other : facts)
          if (other.document) {
            fact.document = other.document;
            fact.place = {other.place.source, {0, 0}};
            break;
          }
        // The sections that the writer would make for it.
        for (std::size_t dot = change.path.find('.'); dot != std::string::npos; dot = change.path.find('.', dot + 1)) {
          fact.path = change.path.substr(0, dot);
          if (std::any_of(facts.begin(), facts.end(), [&](const Fact& other) { return other.path == fact.path; })) continue;
          fact.spelled = fact.path.substr(fact.path.rfind('.') + 1);
          fact.value = Map{1};
          fact.way = Way::Container;
          facts.push_back(fact);
        }
        fact.path = change.path;
        fact.spelled = change.path.substr(change.path.rfind('.') + 1);
        fact.value = change.value;
        fact.way = Way::Scalar;
        facts.push_back(std::move(fact));
        break;
      }
    }
  }
  // What was interpolated from a changed value follows it.
  if (!changed.empty())
    for (Fact& fact : facts)
      if (fact.formula && std::any_of(fact.formula->reads.begin(), fact.formula->reads.end(),
                                      [&](const std::string& path) { return changed.contains(path); })) {
        const std::optional<Value> value = fact.formula->value(changed);
        fact.value = value.value_or(Null{});
        fact.node = nullptr;
        if (!value) fact.open = "its interpolation cannot be resolved";
      }
  // What is taken out of a document goes with all that it holds; an override of the same key stays.
  for (const auto& [path, way] : gone)
    std::erase_if(facts, [&](const Fact& fact) {
      const bool same_kind = (fact.way == Way::Override) == (way == Way::Override) && fact.way != Way::Setting;
      return same_kind && (fact.path == path || fact.path.starts_with(path + ".") || fact.path.starts_with(path + "["));
    });
  return facts;
}

std::vector<FoundFix> search_fixes(const Job& job, Judgement& judgement, const Violation& violation, std::size_t& budget) {
  return Search(job, judgement, violation, budget).run();
}

}  // namespace shardlint
