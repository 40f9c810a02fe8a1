#include "checker/engine/what_if.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "checker/engine/settings.h"
#include "checker/fix/search.h"

namespace shardlint {

WhatIf::WhatIf(std::shared_ptr<const Job> job, std::size_t plan)
    : job_(std::move(job)), plan_(plan), as_is_(std::make_unique<Judgement>(judge(*job_))) {}
WhatIf::~WhatIf() = default;

WhatIf WhatIf::again() const {
  auto own = std::make_shared<Job>(*job_);
  own->near = std::make_shared<std::map<std::string, std::vector<std::string_view>>>();
  return {std::move(own), plan_};
}

std::optional<Slot> WhatIf::slot_named(std::string_view name) const {
  if (const auto field = field_named(name)) return slot(*field);
  const Schema& schema = *job_->schema;
  std::optional<Slot> by_end;
  bool unique = true;
  for (std::size_t i = 0; i < schema.keys.size(); ++i) {
    const std::string_view path = schema.keys[i].path;
    if (path == name) return schema.key_slot(i);
    if (path.ends_with(name) && path.size() > name.size() && path[path.size() - name.size() - 1] == '.')
      unique = !by_end, by_end = schema.key_slot(i);
  }
  for (const FlagSpec& flag : schema.flags)
    if (flag.spelling == name || (flag.spelling.starts_with("--") && flag.spelling.substr(2) == name)) return schema.key_slot(flag.key);
  return unique ? by_end : std::nullopt;
}

std::string WhatIf::name_error(std::string_view name) const {
  if (slot_named(name)) return "";
  std::vector<std::string_view> names;
  for (const FieldInfo& info : fields()) names.push_back(info.name);
  for (const KeySpec& key : job_->schema->keys) names.push_back(key.path);
  return fmt::format("`{}` is no field of the plan and no key of {}{}", name, job_->schema->title, did_you_mean(name, names));
}

Variant WhatIf::with(std::vector<Supposed> supposed) const {
  Variant out;
  std::vector<Change> changes;
  std::vector<Fact> beside;
  Evaluation& now = *as_is_->plan(plan_);
  for (const auto& [name, value] : supposed) {
    const Slot named = *slot_named(name);
    const Slot key = named < kFieldCount && now.alias(named) != kNoSlot ? now.alias(named) : named;
    const std::vector<std::uint32_t>& set = now.at(named).facts;
    const std::vector<std::uint32_t>& written = set.empty() ? now.at(key).facts : set;
    if (!written.empty()) {
      changes.push_back({Change::Kind::Set, written.back(), kNoSlot, "", value});
    } else if (key >= kFieldCount) {
      changes.push_back({Change::Kind::Insert, 0, key, document_path(*job_, key), value});
    } else {
      Fact fact;
      fact.path = fact.spelled = name, fact.value = value, fact.way = Way::Setting;
      beside.push_back(std::move(fact));
    }
  }
  Job job = *job_;
  job.facts = with_changes(*job_, changes);
  job.facts.insert(job.facts.end(), beside.begin(), beside.end());
  Judgement judged = judge(job);
  for (const Violation& violation : judged.violations) {
    out.errors += violation.severity == Severity::Error, out.warnings += violation.severity == Severity::Warning;
    if (out.rule.empty() && violation.severity != Severity::Info)
      out.rule = violation.rule, out.message = without_separators(violation.message);
  }
  Evaluation* evaluation = plan_ == 0 || judged.others[plan_ - 1] ? judged.plan(plan_) : nullptr;
  out.plan = std::make_shared<const Plan>(evaluation ? make_plan(*evaluation) : Plan());
  out.costs = costs(*out.plan);
  out.supposed = std::move(supposed);
  return out;
}

std::optional<std::vector<std::vector<Supposed>>> combinations(const Sweep& values, std::size_t most) {
  std::vector<std::vector<Supposed>> out{{}};
  for (const auto& [name, of] : values) {
    if (of.size() > most / out.size()) return std::nullopt;
    std::vector<std::vector<Supposed>> longer;
    for (const std::vector<Supposed>& so_far : out)
      for (const Value& value : of) longer.emplace_back(so_far).emplace_back(name, value);
    out = std::move(longer);
  }
  return out;
}

std::vector<Variant> judge_all(const WhatIf& run, std::vector<std::vector<Supposed>> supposed, unsigned jobs) {
  std::vector<Variant> out(supposed.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr fault;
  std::once_flag once;
  const auto work = [&](const WhatIf& own) {
    try {
      for (std::size_t i = next++; i < out.size(); i = next++) out[i] = own.with(std::move(supposed[i]));
    } catch (...) {
      std::call_once(once, [&] { fault = std::current_exception(); });
      next = out.size();
    }
  };
  const std::size_t threads = std::min<std::size_t>(jobs ? jobs : std::max(1u, std::thread::hardware_concurrency()), out.size() / 64 + 1);
  std::vector<std::thread> pool;
  for (std::size_t i = 1; i < threads; ++i) pool.emplace_back([&] { work(run.again()); });
  work(run);
  for (std::thread& thread : pool) thread.join();
  if (fault) std::rethrow_exception(fault);
  return out;
}

void sort_by_worth(std::vector<Variant>& variants) {
  const auto rank = [](const Variant& variant) {
    const Costs& costs = variant.costs;
    return std::tuple(variant.errors > 0, costs.fit() == Costs::Fit::Over, costs.fit() == Costs::Fit::Tight,
                      costs.seconds.value_or(std::numeric_limits<double>::infinity()), variant.warnings, costs.memory.value_or(0));
  };
  std::stable_sort(variants.begin(), variants.end(), [&](const Variant& a, const Variant& b) { return rank(a) < rank(b); });
}

}  // namespace shardlint
