#include "checker/engine/findings.h"

#include <algorithm>

#include <fmt/format.h>

namespace shardlint {

namespace {

std::string shown(const Value& value) {
  if (value.integer()) return grouped(*value.integer());
  if (value.is_null()) return "not set";
  if (value.text()) return value.text()->empty() ? "''" : *value.text();
  return to_string(value);
}

class Explainer {
 public:
  Explainer(const Job& job, Judgement& judgement, const Violation& violation)
      : job_(job), evaluation_(judgement.of(violation)), violation_(violation) {
    for (Slot slot : violation.blame) add(slots_, slot);
    for (Slot slot : violation.reads) add(slots_, slot);
  }

  // The first slot in blame order that stands in a user's file gives the range. Else the settings, else the run's first file.
  Place blamed() {
    if (violation_.place) return violation_.place;
    if (violation_.fact) return of(*violation_.fact, violation_.at_key);
    // What was said last is what a person would change: an override, then a file of the run's own, then one that it includes, which others
    // may include too. A number that is only known because the model is named comes last: nobody chose it. What only chooses between
    // the values that count, a switch or a section that is there, is blamed where there is nothing else.
    std::optional<std::uint32_t> setting, overriding, own, inherited, holder;
    const auto first = [](std::optional<std::uint32_t>& at, std::uint32_t fact) {
      if (!at) at = fact;
    };
    for (const bool known_shapes : {false, true}) {
      if (overriding || own || inherited) break;
      for (Slot slot : slots_) {
        if (evaluation_.at(slot).model.empty() == known_shapes) continue;
        for (std::uint32_t index : evaluation_.root_facts(slot)) {
          const Fact& fact = job_.facts[index];
          if (!fact.place && !fact.key_place) continue;
          if (fact.way == Way::Setting)
            first(setting, index);
          else if (fact.value.map() || (fact.value.boolean() && !is_key(slot) && !is_code(slot, index)))
            first(holder, index);
          else
            first(fact.way == Way::Override ? overriding : fact.inherited && !fact.attached ? inherited : own, index);
        }
      }
    }
    for (const auto& found : {overriding, own, inherited, holder})
      if (found) return of(*found, job_.facts[*found].value.map() != nullptr);
    // Nobody wrote any of it: what is missing is missing in the section that would hold it.
    for (Slot slot : slots_)
      for (Slot key : evaluation_.unwritten_keys(slot)) {
        const KeySpec* spec = job_.schema->key_of(key);
        std::string section = document_path(job_, key);
        for (std::size_t cut = section.rfind('.'); cut != std::string::npos; cut = section.rfind('.')) {
          section.resize(cut);
          for (const Fact& fact : job_.facts)
            if (fact.path == section && fact.document && spec) return fact.key_place;
        }
      }
    if (setting) return job_.facts[*setting].place;
    for (bool inherited_too : {false, true})
      for (const Fact& fact : job_.facts)
        if (fact.document && (inherited_too || !fact.inherited)) return {fact.place.source, {0, 0}};
    return {};
  }

  std::vector<Note> notes() {
    const Place at = blamed();
    for (Slot slot : slots_) explain(slot, at, 0);
    return std::move(notes_);
  }

  std::vector<std::pair<std::string, Value>> values() {
    std::vector<std::pair<std::string, Value>> out;
    std::vector<Slot> closure;
    const auto visit = [&](auto& self, Slot slot) -> void {
      if (!add(closure, slot)) return;
      const std::vector<Slot> deps = evaluation_.at(slot).deps;
      for (Slot dep : deps) self(self, dep);
    };
    for (Slot slot : slots_) visit(visit, slot);
    for (Slot slot : closure) {
      const SlotState& state = evaluation_.at(slot);
      const bool asked = std::find(slots_.begin(), slots_.end(), slot) != slots_.end();
      const bool field = slot < kFieldCount;
      if (state.known() && (field || (asked && job_.schema->key_of(slot)))) out.emplace_back(job_.schema->slot_name(slot), state.value);
    }
    return out;
  }

 private:
  // Whether a slot is a key of the framework, or a field that is the same as one.
  bool is_key(Slot slot) const { return job_.schema->key_of(slot) || (slot < kFieldCount && evaluation_.alias(slot) != kNoSlot); }
  // C++ says what a field is without a key between them.
  bool is_code(Slot slot, std::uint32_t fact) const {
    const std::vector<std::uint32_t>& facts = evaluation_.at(slot).facts;
    return job_.facts[fact].of_code() && std::find(facts.begin(), facts.end(), fact) != facts.end();
  }
  static bool add(std::vector<Slot>& list, Slot slot) {
    if (std::find(list.begin(), list.end(), slot) != list.end()) return false;
    list.push_back(slot);
    return true;
  }

  Place of(std::uint32_t fact, bool at_key) const {
    const Fact& f = job_.facts[fact];
    // A list of dashes begins below its key, and its first item says little.
    const bool below = f.node && f.node->kind == Node::Kind::Sequence && !f.node->flow;
    return (at_key || below || !f.place) && f.key_place ? f.key_place : f.place;
  }

  // Whether the law itself names this value, as the one to blame or to change.
  bool named(Slot slot) const {
    const auto is = [&](Slot one) { return one == slot || (one < kFieldCount && evaluation_.alias(one) == slot); };
    return std::any_of(violation_.blame.begin(), violation_.blame.end(), is) ||
           std::any_of(violation_.rather_change.begin(), violation_.rather_change.end(), is);
  }

  // One line a value: where it is written, whose default it is, or what it was worked out from and then those.
  void explain(Slot slot, const Place& blamed_at, int depth) {
    if (notes_.size() >= 12 || depth > 6 || !add(told_, slot)) return;
    const SlotState state = evaluation_.at(slot);
    if (!state.known()) return;
    const std::string name = display_name(job_, evaluation_, slot);
    const std::string_view title = job_.schema->title;
    if (state.origin == SlotState::Origin::Rewritten && state.by && state.by != violation_.clause && !state.value.is_null())
      notes_.push_back({state.before.is_null()
                            ? fmt::format("{} is {}, filled in by {}", name, shown(state.value), title)
                            : fmt::format("{} runs as {}: {} changed it from {}", name, shown(state.value), title, shown(state.before)),
                        {}});
    if (!state.facts.empty()) {
      const Fact& fact = job_.facts[state.facts.back()];
      if (fact.value.map() && !named(slot)) return;  // that a section is there explains nothing
      const Place place = of(state.facts.back(), false);
      const bool none = state.origin == SlotState::Origin::Rewritten && state.value.is_null() && !fact.value.is_null();
      const bool blamed = (place.source == blamed_at.source && place.range == blamed_at.range) ||
                          (fact.key_place.source == blamed_at.source && fact.key_place.range == blamed_at.range);
      if (!blamed && none)
        notes_.push_back({fmt::format("{} is {}, which counts as none", name, shown(fact.value)), place});
      else if (!blamed)
        notes_.push_back({fmt::format("{} is {}", name, shown(fact.value.list() || fact.value.map() ? fact.value : state.value)), place});
      if (fact.chain && !fact.value.map())
        for (const Step& step : *fact.chain)
          if (notes_.size() < 12 && step.place) notes_.push_back({step.says, step.place});
      return;
    }
    const bool let = slot >= kFieldCount && !job_.schema->key_of(slot);
    const bool forward = let || (slot < kFieldCount && evaluation_.alias(slot) != kNoSlot && state.deps.size() == 1);
    if (state.says) {
      notes_.push_back({fmt::format("{} is {}", state.says->key, shown(state.value)), state.says->place});
      return;
    }
    if (!let && state.origin == SlotState::Origin::Derived && !state.model.empty() && !state.value.is_null())
      notes_.push_back({fmt::format("{} is {}, the known shape of {}", name, shown(state.value), state.model), {}});
    else if (!forward && state.origin == SlotState::Origin::Derived && !state.value.is_null()) {
      std::string from;
      const std::vector<Slot> inputs = evaluation_.inputs(slot);
      bool same = true;  // worked out from one value that is the same: that one's line says it all
      // A number that is worked out from numbers: a word among them only chose the way.
      const auto counts = [](const SlotState& one) { return one.known() && one.value.is_number() && !one.value.boolean(); };
      const bool numbers =
          counts(state) && std::any_of(inputs.begin(), inputs.end(), [&](Slot dep) { return counts(evaluation_.at(dep)); });
      for (Slot dep : inputs) {
        const SlotState& source = evaluation_.at(dep);
        if (!source.known() || source.value.is_null() || source.value.boolean() || source.value.map()) continue;
        if (numbers && source.value.text()) continue;
        same &= source.value == state.value && from.empty();
        from += fmt::format("{}{} {}", from.empty() ? "" : ", ", display_name(job_, evaluation_, dep), shown(source.value));
      }
      if (!from.empty() && inputs.size() > 1 && !same)
        notes_.push_back({fmt::format("{} is {}, from {}", name, shown(state.value), from), {}});
    }
    // A switch of a command line is given or not: what its absence means is in its name.
    const KeySpec* key = job_.schema->key_of(slot);
    const bool is_switch = key && job_.form->flags && state.value.boolean() && !key->flags.empty();
    if (is_switch && state.origin == SlotState::Origin::Default && (!named(slot) || ++absent_ > 2)) return;
    if (!forward && state.origin == SlotState::Origin::Default && !state.value.is_null() && !state.value.list())
      notes_.push_back(
          {is_switch ? fmt::format("{} is not given", name) : fmt::format("{} is {}, the default of {}", name, shown(state.value), title),
           {}});
    for (Slot dep : state.deps) explain(dep, blamed_at, depth + 1);
  }

  const Job& job_;
  Evaluation& evaluation_;
  const Violation& violation_;
  std::vector<Slot> slots_, told_;
  int absent_ = 0;  // switches that are not given and were listed
  std::vector<Note> notes_;
};

}  // namespace

std::string display_name(const Job& job, Evaluation& evaluation, Slot slot) {
  const SlotState& state = evaluation.at(slot);
  if (!state.facts.empty() && !job.facts[state.facts.back()].spelled.empty()) {
    const Fact& fact = job.facts[state.facts.back()];
    // A name that stands in several sections is told with its own.
    const bool several =
        fact.way != Way::Setting && std::any_of(job.facts.begin(), job.facts.end(), [&](const Fact& other) {
          return other.spelled == fact.spelled && other.path != fact.path && other.way != Way::Setting && !other.value.map();
        });
    const std::size_t dot = fact.path.rfind('.'), before = dot == std::string::npos || dot == 0 ? dot : fact.path.rfind('.', dot - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const bool plain = dot != std::string::npos && fact.path.substr(dot + 1) == fact.spelled && fact.path.find('[') == std::string::npos;
    return several && plain ? fact.path.substr(begin) : fact.spelled;
  }
  if (slot < kFieldCount && evaluation.alias(slot) != kNoSlot) return display_name(job, evaluation, evaluation.alias(slot));
  return spelling(job, slot);
}

Place blamed_place(const Job& job, Judgement& judgement, std::size_t index) {
  return Explainer(job, judgement, judgement.violations[index]).blamed();
}

Finding make_finding(const Job& job, Judgement& judgement, std::size_t index, const std::vector<std::size_t>& consequences) {
  const Violation& violation = judgement.violations[index];
  Explainer explainer(job, judgement, violation);
  Finding out;
  out.rule = violation.rule, out.family = violation.family, out.severity = violation.severity;
  out.also = names_in(violation.same_as);
  out.message = violation.message, out.effect = violation.effect;
  out.place = explainer.blamed();
  if (!job.schema->plans.empty() && !violation.fact) out.plan = job.schema->plans[violation.plan].name;
  out.values = explainer.values();
  out.notes = violation.notes;
  for (Note& note : explainer.notes()) out.notes.push_back(std::move(note));
  for (std::size_t i : consequences) {
    const Violation& other = judgement.violations[i];
    out.notes.push_back({fmt::format("with it: {} ({})", other.message, other.rule), blamed_place(job, judgement, i)});
  }
  return out;
}

}  // namespace shardlint
