// What a run would be if some of its values were others: its facts are judged again, no file is read a second time.
//
// A value is named as a field of the plan (tp) or as the framework spells it (tensor_model_parallel_size, --tensor-model-parallel-size).
// Where the run's files write it, what they write is replaced; else it is said beside them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/plan/law.h"
#include "checker/report/variant.h"

namespace shardlint {

class WhatIf {
 public:
  // `plan`: which of the run's plans.
  WhatIf(std::shared_ptr<const Job> job, std::size_t plan);
  ~WhatIf();

  // What is wrong with a name; empty if nothing.
  std::string name_error(std::string_view name) const;
  Variant with(std::vector<Supposed> supposed) const;
  // The same for another thread: an evaluation remembers what it was asked.
  WhatIf again() const;

 private:
  std::optional<Slot> slot_named(std::string_view name) const;

  std::shared_ptr<const Job> job_;
  std::size_t plan_;
  std::unique_ptr<Judgement> as_is_;
};

// Every one of them, in order. `jobs`: threads; 0: as many as the machine has.
std::vector<Variant> judge_all(const WhatIf& run, std::vector<std::vector<Supposed>> supposed, unsigned jobs);

// Names and the values that each is to take in turn.
using Sweep = std::vector<std::pair<std::string, std::vector<Value>>>;
// Every combination, the last name fastest. Nothing if there are more than `most`.
std::optional<std::vector<std::vector<Supposed>>> combinations(const Sweep& values, std::size_t most);

// The better first: without errors, then what fits, then the shorter step, then fewer warnings, then less memory.
void sort_by_worth(std::vector<Variant>& variants);

}  // namespace shardlint
