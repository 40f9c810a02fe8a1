// Names that are looked up much more often than they are made: paths of keys, in a schema's tables and in one run.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace shardlint {

// Depends on the byte order: the tables that schemac writes are for the machine that the program is built for.
inline std::uint32_t hash_of(std::string_view name) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = (name.size() + 1) * kOdd;
  const auto mix = [&](const char* from, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, size);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  };
  const char *at = name.data(), *end = at + name.size();
  for (; end - at > 8; at += 8) mix(at, 8);
  // The last eight bytes, of which some may have been counted; of a short name each byte by itself.
  if (name.size() >= 8)
    mix(end - 8, 8);
  else
    for (; at != end; ++at) mix(at, 1);
  return static_cast<std::uint32_t>(hash);
}

// A table of numbers by name, half empty: `name_of(number)` is the name of one. A slot holds a number + 1, or 0.
inline std::size_t table_size(std::size_t names) { return std::bit_ceil(2 * names + 1); }
template <class Slots, class NameOf>
std::size_t place_in(const Slots& slots, std::string_view name, NameOf name_of) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash_of(name) & mask;
  while (slots[at] != 0 && name_of(slots[at] - 1u) != name) at = (at + 1) & mask;
  return at;
}

// A set of names that others hold.
class NameSet {
 public:
  explicit NameSet(std::size_t most = 0) : slots_(table_size(most)) { names_.reserve(most); }

  bool insert(std::string_view name) {
    if (table_size(names_.size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = slots_[find(name)];
    if (slot != 0) return false;
    names_.push_back(name);
    slot = static_cast<std::uint32_t>(names_.size());
    return true;
  }
  bool contains(std::string_view name) const { return slots_[find(name)] != 0; }
  const std::vector<std::string_view>& names() const { return names_; }  // in the order of coming

 private:
  std::size_t find(std::string_view name) const {
    return place_in(slots_, name, [&](std::uint32_t i) { return names_[i]; });
  }
  void grow() {
    slots_.assign(table_size(2 * names_.size() + 1), 0);
    for (std::uint32_t i = 0; i < names_.size(); ++i) slots_[find(names_[i])] = i + 1;
  }

  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace shardlint
