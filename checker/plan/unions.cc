#include "checker/plan/unions.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace shardlint {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool equal(std::string_view a, std::string_view b, bool any_case) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return any_case ? lower(x) == lower(y) : x == y; });
}

bool has(std::span<const std::string_view> list, std::string_view word) { return std::find(list.begin(), list.end(), word) != list.end(); }

bool below(std::string_view path, std::string_view section) {
  return path.size() > section.size() && path.starts_with(section) && (path[section.size()] == '.' || path[section.size()] == '[');
}

// What keeps a section from one class.
struct Trial {
  std::vector<std::uint32_t> foreign, unfit;
  std::vector<std::string_view> missing;
  std::size_t misfits() const { return foreign.size() + unfit.size() + missing.size(); }
};

class Reader {
 public:
  Reader(const Schema& schema, const Facts& facts, const std::vector<KeyFact>& keys) : schema_(schema), facts_(facts) {
    for (const KeyFact& key : keys) {  // the last one wins
      const auto [at, fresh] = at_.try_emplace(key.path);
      at->second.fact = key.fact;
      if (fresh) at->second.key = schema.find_key(key.path);
    }
    out_.variants.resize(schema.unions.size());
  }

  Unions run() {
    for (std::size_t u = 0; u < schema_.unions.size(); ++u) {
      bool first = true;
      for (const auto& [path, written] : at_) {
        const auto& [fact, key] = written;
        if (!key || key->path != schema_.unions[u].at || !facts_[fact].value.map()) continue;
        const std::string_view member = section(schema_.unions[u], path, fact);
        if (!first && out_.variants[u] != member) out_.variants[u] = {};
        if (first) out_.variants[u] = member;
        first = false;
      }
    }
    return std::move(out_);
  }

 private:
  // The facts below `path` that a class has to take: what lies below a key that it does not take is not looked at.
  template <class Visit>
  void each_below(std::string_view path, Visit visit) {
    std::unordered_set<std::string_view> skipped;
    const auto inside_skipped = [&](std::string_view key) {
      for (std::size_t dot = key.find('.', path.size() + 1); dot != std::string_view::npos; dot = key.find('.', dot + 1))
        if (skipped.contains(key.substr(0, dot))) return true;
      return false;
    };
    for (auto it = at_.upper_bound(path); it != at_.end() && it->first.starts_with(path); ++it) {
      if (!below(it->first, path) || inside_skipped(it->first)) continue;
      if (it->first.find('[', path.size()) != std::string_view::npos) continue;  // a list's items were looked at with the list
      const auto& [fact, key] = it->second;
      if (key && key->open()) continue;
      if (!visit(it->first, fact, key)) skipped.insert(it->first);
    }
  }

  Trial trial(const UnionSpec& spec, std::string_view path, std::string_view member) {
    Trial out;
    each_below(path, [&](std::string_view, std::uint32_t fact, const KeySpec* key) {
      if (!key)
        out.unfit.push_back(fact);
      else if (!has(key->members, member))
        out.foreign.push_back(fact);
      else if (!takes(*key, facts_[fact].value))
        out.unfit.push_back(fact);
      else
        return true;
      return false;
    });
    for (std::uint16_t needed : schema_.needed_keys)
      if (const KeySpec& key = schema_.keys[needed]; key.required && has(key.members, member) && direct(key.path, spec.at) &&
                                                     !at_.contains(std::string(path) + std::string(key.path.substr(spec.at.size()))))
        out.missing.push_back(key.path);
    return out;
  }
  static bool direct(std::string_view key, std::string_view section) {
    return below(key, section) && key.find_first_of(".[", section.size() + 1) == std::string_view::npos;
  }

  // Whether the fallback takes the mapping as it is: it must know the keys at the top, and some keys it takes only as null.
  bool falls_back(const UnionSpec& spec, std::string_view path, std::optional<std::uint32_t>& barred) {
    if (spec.fallback.empty()) return false;
    bool fits = true;
    each_below(path, [&](std::string_view at, std::uint32_t fact, const KeySpec* key) {
      fits &= key && has(key->members, spec.fallback);
      const Value& value = facts_[fact].value;
      const bool null = value.is_null() || (value.map() && value.map()->size == 0);
      if (!null && has(spec.fallback_needs_null, at.substr(path.size() + 1))) barred = fact;
      return false;
    });
    if (!fits) barred.reset();
    return fits && !barred;
  }

  std::string_view section(const UnionSpec& spec, std::string_view path, std::uint32_t fact) {
    std::vector<Trial> trials;
    for (std::string_view member : spec.members) {
      trials.push_back(trial(spec, path, member));
      if (trials.back().misfits() == 0) return member;
    }
    if (trials.empty()) return {};
    std::optional<std::uint32_t> barred;
    if (falls_back(spec, path, barred)) {
      for (auto it = at_.upper_bound(path); it != at_.end() && it->first.starts_with(path); ++it)
        if (below(it->first, path)) out_.readings[it->second.fact] = Unions::Reading::Unchecked;
      return spec.fallback;
    }
    const auto nearest =
        std::min_element(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.misfits() < b.misfits(); });
    UnionMisfit& misfit = out_.misfits.emplace_back();
    misfit.section = fact, misfit.path = path, misfit.spec = &spec, misfit.barred = barred;
    misfit.nearest = spec.members[static_cast<std::size_t>(nearest - trials.begin())];
    misfit.foreign = nearest->foreign, misfit.missing = nearest->missing;
    for (std::uint32_t foreign : nearest->foreign) out_.readings[foreign] = Unions::Reading::Foreign;
    const auto only_missing = [&](const Trial& t) { return t.missing.size() == nearest->misfits() && t.misfits() == t.missing.size(); };
    if (std::count_if(trials.begin(), trials.end(), only_missing) > 1) {
      misfit.undecided = true;
      for (const Trial& t : trials)
        for (std::string_view key : t.missing)
          if (only_missing(t) && !has(misfit.alone, key)) misfit.alone.push_back(key);
    }
    return misfit.nearest;
  }

  const Schema& schema_;
  const Facts& facts_;
  struct Written {
    std::uint32_t fact = 0;
    const KeySpec* key = nullptr;
  };
  std::map<std::string_view, Written> at_;
  Unions out_;
};

}  // namespace

bool takes(const KeySpec& key, const Value& value) {
  if (!(key.types & type::of(value.kind()))) return false;
  if (const ValueList* list = value.list())
    return std::all_of(list->begin(), list->end(), [&](const Value& item) { return key.item_types & type::of(item.kind()); });
  if (key.choices.empty() || key.choices_offered || value.is_null()) return true;
  const std::string text = to_string(value);
  return std::any_of(key.choices.begin(), key.choices.end(),
                     [&](std::string_view choice) { return equal(choice, text, key.choices_any_case); });
}

Unions read_unions(const Schema& schema, const Facts& facts, const std::vector<KeyFact>& keys) { return Reader(schema, facts, keys).run(); }

}  // namespace shardlint
