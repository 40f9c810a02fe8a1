// A rule of rules/: a constant that says who it is and a free function from a plan to violations.
//
//   constexpr RuleInfo kInfo{"topology/...", "topology", Severity::Error, "0.1", "world_size is not a multiple of tp * pp * cp"};
//   void check(const Plan& plan, Sink& sink) {
//     const auto values = counts(plan.world_size, plan.tp);
//     if (!values) return sink.missing(kInfo, plan.world_size, plan.tp);
//     const auto [world, tp] = *values;
//     if (world % tp == 0) return;
//     sink.report(kInfo, "{} ranks cannot be ...", world).blame(plan.world_size, plan.tp).rather_change(plan.tp);
//   }
//   extern constinit const Rule the_rules_name{&kInfo, check};        // listed in rules/all.cc
#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "checker/plan/plan.h"
#include "checker/plan/violation.h"

namespace shardlint {

class Sink {
 public:
  class Report {
   public:
    explicit Report(Violation& violation) : violation_(violation) {}
    // In the order in which a user's file would be blamed; the others become notes.
    template <class... T>
    Report& blame(const PlanField<T>&... fields) {
      (violation_.blame.push_back(slot(fields.field)), ...);
      violation_.reads = violation_.blame;
      return *this;
    }
    template <class... T>
    Report& rather_change(const PlanField<T>&... fields) {
      (violation_.rather_change.push_back(slot(fields.field)), ...);
      return *this;
    }
    // Fields that it rests on too, and that nobody is blamed for.
    template <class... T>
    Report& rests_on(const PlanField<T>&... fields) {
      (violation_.reads.push_back(slot(fields.field)), ...);
      return *this;
    }
    // What will happen, said under the caret.
    template <class... Args>
    Report& effect(std::string_view format, const Args&... args) {
      violation_.effect = Sink::text(format, args...);
      return *this;
    }
    // Milder or louder than the rule usually is.
    Report& as(Severity severity) {
      violation_.severity = severity;
      return *this;
    }
    // See Violation::certain_by.
    Report& certain_by(Slot field) {
      violation_.certain_by = field;
      return *this;
    }
    Report& try_first(std::initializer_list<i64> values) {
      for (i64 value : values) violation_.candidates.emplace_back(value);
      return *this;
    }
    // What would mend it: a value for each field, together. Several proposals are tried in turn.
    Report& propose(std::initializer_list<std::pair<Field, Value>> values) {
      auto& proposal = violation_.together.emplace_back();
      for (const auto& [field, value] : values) proposal.emplace_back(slot(field), value);
      return *this;
    }

   private:
    Violation& violation_;
  };

  explicit Sink(std::vector<Violation>& out) : out_(out) {}

  // The message holds the numbers; integers get their thousands separators.
  template <class... Args>
  Report report(const RuleInfo& info, std::string_view format, const Args&... args) {
    Violation violation;
    violation.rule = info.name;
    violation.family = info.family;
    violation.severity = info.severity;
    violation.message = text(format, args...);
    out_.push_back(std::move(violation));
    return Report(out_.back());
  }

  // A field that the rule would have needed; the summary counts it.
  template <class... T>
  void missing(const RuleInfo& info, const PlanField<T>&... fields) {
    NotEvaluated entry{info.name, {}};
    ((fields ? void() : entry.because.push_back(slot(fields.field))), ...);
    not_evaluated.push_back(std::move(entry));
  }
  std::vector<NotEvaluated> not_evaluated;

 private:
  template <class T>
  static auto printable(const T& value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return grouped(static_cast<i64>(value));
    else
      return value;
  }
  template <class... Args>
  static std::string text(std::string_view format, const Args&... args) {
    return fmt::format(fmt::runtime(format), printable(args)...);
  }

  std::vector<Violation>& out_;
};

// Counts are above zero (what is not has its own rules) and small enough that sums of a few of them, and of a product, fit.
inline bool is_count(const PlanField<i64>& field) { return field && *field > 0 && *field < i64{1} << 40; }

// The values, where all are counts.
template <std::same_as<i64>... T>
auto counts(const PlanField<T>&... fields) -> decltype(known(fields...)) {
  if ((is_count(fields) && ...)) return known(fields...);
  return std::nullopt;
}
inline i64 count_or(const PlanField<i64>& field, i64 otherwise) { return is_count(field) ? *field : otherwise; }

// Nothing if it is too large to reckon with.
inline std::optional<i64> product(std::initializer_list<i64> factors) {
  i64 out = 1;
  for (i64 factor : factors)
    if (__builtin_mul_overflow(out, factor, &out) || out > i64{1} << 61) return std::nullopt;
  return out;
}

inline bool on(const PlanField<bool>& field) { return field.value_or(false); }
// Known to be off: a null boolean counts as false.
inline bool off(const PlanField<bool>& field) { return field.stated && !on(field); }

struct Rule {
  const RuleInfo* info = nullptr;
  void (*check)(const Plan&, Sink&) = nullptr;
};

// Every rule, in the order of reports: rules/all.cc.
std::span<const Rule* const> all_rules();
// The Markdown page of a rule (generated from rules/*/NAME.md); empty if there is none.
std::string_view page(std::string_view rule);

}  // namespace shardlint
