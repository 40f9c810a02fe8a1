#include "checker/schema/schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "checker/text/names.h"

namespace shardlint {

namespace {
inline constexpr TypeSet kInt = type::Int | type::Null, kReal = type::Int | type::Real | type::Null, kBool = type::Bool | type::Null,
                         kStr = type::Str | type::Null, kAny = type::Any;

constexpr FieldInfo kFields[] = {
#define FIELD(member, name, type, derivation, doc) {name, k##type, derivation, doc},
#include "checker/plan/fields.def"
#undef FIELD
};
}  // namespace

std::span<const FieldInfo> fields() { return kFields; }

std::optional<Field> field_named(std::string_view name) {
  for (Slot i = 0; i < kFieldCount; ++i)
    if (kFields[i].name == name) return static_cast<Field>(i);
  return std::nullopt;
}

const KeySpec* Schema::key_of(Slot slot) const {
  const std::size_t first = kFieldCount + lets.size();
  return slot >= first && slot < slot_count() ? &keys[slot - first] : nullptr;
}

Slot Schema::resolve(Field field) const {
  const Slot own = slot(field);
  return field_alias[own] == kNoSlot ? own : field_alias[own];
}

std::string_view Schema::slot_name(Slot slot) const {
  if (slot < kFieldCount) return kFields[slot].name;
  if (slot < kFieldCount + lets.size()) return lets[slot - kFieldCount].name;
  const KeySpec* key = key_of(slot);
  return key ? key->path : "";
}

const KeySpec* Schema::find_key(std::string_view path) const {
  const auto exact = [&](std::string_view wanted) -> const KeySpec* {
    if (key_table.empty()) return nullptr;
    const std::uint16_t found = key_table[place_in(key_table, wanted, [&](std::size_t i) { return keys[i].path; })];
    return found ? &keys[found - 1u] : nullptr;
  };
  const bool plain = path.find('[') == std::string_view::npos;
  if (const KeySpec* key = plain ? exact(path) : nullptr) return key;
  std::string generic;  // indices become [*]
  for (std::size_t i = 0; i < path.size(); ++i) {
    generic += path[i];
    if (path[i] != '[') continue;
    const std::size_t close = path.find(']', i);
    if (close == std::string_view::npos) break;
    generic += "*]";
    i = close;
  }
  if (const KeySpec* key = plain ? nullptr : exact(generic)) return key;
  // One free segment: a.<any>.b is written a.<name>.b in the table; a free-form section covers all that lies below it.
  for (std::size_t dot = generic.rfind('.'); dot != std::string::npos; dot = dot ? generic.rfind('.', dot - 1) : std::string::npos) {
    if (const KeySpec* key = exact(generic.substr(0, dot) + ".*")) return key;
    const std::size_t before = dot ? generic.rfind('.', dot - 1) : std::string::npos;
    if (before != std::string::npos)
      if (const KeySpec* key = exact(generic.substr(0, before) + ".<name>" + generic.substr(dot))) return key;
  }
  return nullptr;
}

std::vector<std::uint16_t> table_of(std::span<const KeySpec> keys) {
  std::vector<std::uint16_t> out(table_size(keys.size()));
  for (std::size_t key = 0; key < keys.size(); ++key)
    out[place_in(out, keys[key].path, [&](std::size_t i) { return keys[i].path; })] = static_cast<std::uint16_t>(key + 1);
  return out;
}

const FlagSpec* Schema::find_flag(std::string_view spelling) const {
  const auto at =
      std::lower_bound(flags.begin(), flags.end(), spelling, [](const FlagSpec& flag, std::string_view w) { return flag.spelling < w; });
  return at != flags.end() && at->spelling == spelling ? &*at : nullptr;
}

const PlaceSpec* Schema::find_place(std::string_view path) const {
  const auto at =
      std::lower_bound(places.begin(), places.end(), path, [](const PlaceSpec& place, std::string_view w) { return place.path < w; });
  return at != places.end() && at->path == path ? &*at : nullptr;
}

const SectionSpec* Schema::section_at(std::string_view path) const {
  const SectionSpec* best = nullptr;
  for (const SectionSpec& section : sections) {
    const std::size_t size = section.at.size();
    if (!path.starts_with(section.at) || (path.size() > size && path[size] != '.' && path[size] != '[')) continue;
    if (!best || best->at.size() < size) best = &section;
  }
  return best;
}

bool Schema::has(const FormSpec& form, const KeySpec& key) const {
  const auto below = [&](std::string_view name) {
    return key.path.size() > name.size() && key.path.starts_with(name) && key.path[name.size()] == '.';
  };
  if (!form.under.empty()) return below(form.under);
  return std::none_of(forms.begin(), forms.end(),
                      [&](const FormSpec& other) { return !other.part && !other.under.empty() && below(other.under); });
}

std::string_view Schema::path_in(const FormSpec& form, const KeySpec& key) const {
  if (!form.under.empty() && has(form, key)) return key.path.substr(form.under.size() + 1);
  for (const PlaceSpec& place : places)
    if (&keys[place.key] == &key)
      for (std::string_view section : form.sections)
        if (place.path.size() > section.size() && place.path.starts_with(section) && place.path[section.size()] == '.') return place.path;
  return key.path;
}

bool is_variable(std::string_view path) {
  return path.starts_with("env.") && path.size() > 4 &&
         path.substr(4).find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == path.npos;
}

bool version_less(std::string_view a, std::string_view b) {
  const auto part = [](std::string_view& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::size_t dot = text.find('.');
    text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    return error == std::errc() ? value : 0;
  };
  while (!a.empty() || !b.empty()) {
    const int x = part(a), y = part(b);
    if (x != y) return x < y;
  }
  return false;
}

namespace {
// Optimal string alignment distance, cut off above `limit`. `rows` is room for three rows.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit, std::vector<std::size_t>& rows) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  const std::size_t width = b.size() + 1;
  if (rows.size() < 3 * width) rows.resize(3 * width);
  std::size_t *before = rows.data(), *last = before + width, *now = last + width;
  std::iota(last, last + width, std::size_t{0});
  std::size_t least_before = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t least = now[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
      least = std::min(least, now[j]);
    }
    // A row rests on the two before it.
    if (least > limit && least_before > limit) return limit + 1;
    least_before = least;
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}
}  // namespace

std::vector<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates, std::size_t limit) {
  const std::size_t reach = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> found;
  std::vector<std::size_t> rows;
  for (std::string_view candidate : candidates)
    if (const std::size_t d = distance(word, candidate, reach, rows); d <= reach) found.push_back({d, candidate});
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> out;
  for (const auto& [d, candidate] : found)
    if (out.size() < limit) out.push_back(candidate);
  return out;
}

}  // namespace shardlint
