// One run's values under evaluation: every slot of a schema, computed when first read, with where it came from.
//
// The order is: what is written (facts bound to keys), else the key's default, else the field's mapping or derivation. Unknown spreads:
// a value that rests on an unknown one is unknown, and remembers through which slots. A rewrite replaces a slot's value and makes all
// that was computed from it stale. Deterministic, no I/O, not thread-safe; one object per judgement.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checker/document/fact.h"
#include "checker/schema/models.h"
#include "checker/schema/schema.h"

namespace shardlint {

// A fact that a schema's key (or, for settings, a canonical field) took up.
struct Binding {
  Slot slot = kNoSlot;
  std::uint32_t fact = 0;  // index into the job's facts
  std::int32_t item = -1;  // index of a [*] key
  Value value;             // as the program would hold it, after the dialect's conversion
  bool open = false;       // written, but its value is decided elsewhere: ${TOKENIZER_TYPE}
};

// Why a slot or an expression has no value.
enum class Missing : std::uint8_t {
  No,         // it has one
  NotStated,  // nobody says, and there is no default
  Absent,     // arithmetic on null, division by zero, overflow, a value of the wrong kind: the condition does not apply
  Inexact,    // exact(a, b) with a remainder
  Spoiled,    // a finding made it meaningless
};

// A model that lies in a folder: its shape, and which key of which file says each number of it, where one does.
struct FolderModel {
  struct Says {
    std::string key;
    Place place;
  };
  ModelShape shape;
  std::array<Says, kShapeColumns> says;
};
using FolderModels = std::map<std::string, FolderModel>;  // by the folder's name, as the user gives it

struct SlotState {
  enum class Origin : std::uint8_t { Nothing, Default, Written, Setting, Derived, Rewritten };
  Value value;
  Missing missing = Missing::NotStated;
  Origin origin = Origin::Nothing;
  bool ready = false, busy = false;
  std::vector<std::uint32_t> facts;         // that say it; the last one wins
  std::vector<Slot> deps;                   // that it was computed from
  const Clause* by = nullptr;               // the rewrite that set it, or the finding that spoiled it
  Value before;                             // Rewritten: what it was
  std::string_view model;                   // Derived: the public model whose known shape says it, as the user names it
  const FolderModel::Says* says = nullptr;  // where that model's own file says it

  bool known() const { return missing == Missing::No; }
};

struct Result {
  Value value;
  Missing missing = Missing::No;
  bool known() const { return missing == Missing::No; }
  bool is(bool wanted) const { return known() && value.boolean() && *value.boolean() == wanted; }
};

// A condition's answer, without the room that a value takes.
struct Truth {
  enum Is : std::uint8_t { No, Yes, Null, Other } is = No;
  Missing missing = Missing::No;
  bool known() const { return missing == Missing::No; }
};

class Evaluation {
 public:
  // `bindings` in the order of writing. `environment_known`: variables that are not bound are unset, not unknown.
  // `partial`: keys that are not bound (of one section, or any) may be written in a layer that was not read, so they have no default.
  // `plan`: whose mapping of fields holds. `models`: shapes that are known by a folder's name; they outlive the evaluation.
  // `variants`: the member that each of the schema's unions was read as; empty where it is not there.
  Evaluation(const Schema& schema, std::shared_ptr<const std::vector<Binding>> bindings, const Facts& facts, bool environment_known,
             std::vector<std::string_view> variants, std::string_view form = {}, bool partial = false, std::string_view partial_below = {},
             std::size_t plan = 0, const FolderModels* models = nullptr);

  const Schema& schema() const { return *schema_; }
  std::size_t plan() const { return plan_; }  // of the schema's plans
  Slot alias(Slot field) const { return schema_->alias(field, plan_); }
  const SlotState& at(Slot slot) {
    const SlotState* state = states_[slot];
    return state && (state->ready || state->busy) ? *state : computed(slot);
  }
  const SlotState& at(Field field) { return at(slot(field)); }
  // `reads` collects the slots read, once each, in order.
  Result evaluate(ExprId expr, std::vector<Slot>* reads = nullptr);
  Truth holds(ExprId condition, std::vector<Slot>* reads = nullptr);
  // The text of a message with its expressions' values; an unknown one prints as ?.
  std::string format(std::span<const Segment> message);

  void rewrite(Slot slot, Value value, const Clause& by, std::vector<Slot> deps);
  void spoil(Slot slot, const Clause* by);

  // The written facts (settings too) that a slot rests on, nearest first, once each.
  std::vector<std::uint32_t> root_facts(Slot slot);
  // The slots without a value and without dependencies that `slot` waits for: what a user would have to state.
  std::vector<Slot> missing_roots(Slot slot);
  // The fields and keys that a slot was computed from; a schema's own names are seen through.
  std::vector<Slot> inputs(Slot slot);
  // The keys behind a slot that nobody wrote and that could be written.
  std::vector<Slot> unwritten_keys(Slot slot);
  bool user_wrote(Slot slot);  // in a file of the run itself: not a setting, and not a file that it includes
  // Without a value though something is written: that was refused, or is decided elsewhere.
  bool written_but_unknown(Slot slot);

 private:
  // Written in a file of theirs: neither a setting nor what the framework itself brings.
  bool by_user(std::uint32_t fact) const { return (*facts_)[fact].way != Way::Setting && !(*facts_)[fact].builtin; }
  void compute(Slot slot);
  bool is_identity(ExprId id) const;
  void from_bindings(Slot slot, SlotState& state);
  void from_default(Slot slot, SlotState& state);
  void from_expression(ExprId expr, SlotState& state);
  // Computes one expression by itself, whatever expression asked for it.
  template <class Answer>
  Answer outermost(Answer (Evaluation::*compute)(ExprId), ExprId expr, std::vector<Slot>* reads);
  const SlotState& computed(Slot slot);
  SlotState& state_of(Slot slot);
  Result run(ExprId expr);
  Truth decide(ExprId expr);
  const Value* look(ExprId expr, Result& room);
  Result call(const ExprNode& node);
  Result lookup(std::span<const Value* const> arguments) const;
  Result shape(const Value& name, const Value& column);
  const SlotState& read_whole(Slot slot);
  Result read(Slot slot);
  bool is_written(Slot slot);
  void stale_after(Slot changed);
  // True the first time in a walk over what slots rest on; ++walk_ begins one.
  bool visit_once(Slot slot) { return visited_[slot] != walk_ && (visited_[slot] = walk_, true); }

  const Schema* schema_;
  std::shared_ptr<const std::vector<Binding>> bindings_;
  std::vector<std::uint32_t> first_, next_;  // of a slot, and after a binding: indices into bindings_, from 1; 0 is none
  const Facts* facts_;
  bool environment_known_, partial_;
  std::size_t plan_;
  const FolderModels* models_;
  std::vector<std::string_view> variants_;
  std::string_view form_;
  std::string partial_below_;
  // Of a schema's many slots a run asks for few: a state is made when it is first asked for, and stays where it is.
  static constexpr std::size_t kBlock = 32;
  std::vector<std::unique_ptr<SlotState[]>> blocks_;
  std::vector<SlotState*> states_;  // by slot
  std::size_t made_ = 0;
  std::vector<std::uint32_t> visited_;
  std::uint32_t walk_ = 0;
  std::vector<Slot>* reads_ = nullptr;
  std::vector<std::vector<Slot>> spare_;  // lists for reads, to be used again
  std::int32_t item_ = -1;                // the index inside each(...)
  // What shape(...) last answered in the expression that is being computed, and of which model.
  struct {
    std::string_view model;
    Value value;
    const FolderModel::Says* says = nullptr;
  } shape_;
  std::set<std::string, std::less<>> model_names_;
};

}  // namespace shardlint
