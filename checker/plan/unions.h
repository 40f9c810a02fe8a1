// Sections that a typed loader reads as one of several classes: which class takes each, or what keeps it from the nearest one.
//
// A class takes a section as a whole: one key that it does not have, one value of a wrong type or one missing key is a misfit. The classes
// are tried in the schema's order. If none fits, the schema's fallback takes the section as it is, when it knows all its keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checker/document/fact.h"
#include "checker/schema/schema.h"

namespace shardlint {

struct UnionMisfit {
  std::uint32_t section = 0;  // the fact that holds the section
  std::string path;           // of the section
  const UnionSpec* spec = nullptr;
  std::string_view nearest;               // the class with the fewest misfits, of which the report speaks
  std::vector<std::uint32_t> foreign;     // facts whose keys only other classes have
  std::vector<std::string_view> missing;  // keys that the class wants and nobody wrote
  std::vector<std::string_view> alone;    // keys, any one of which would make another class fit
  bool undecided = false;                 // several classes are equally near and want nothing but keys
  std::optional<std::uint32_t> barred;    // the fact that alone keeps the fallback from taking the section as it is
};

struct Unions {
  enum class Reading : std::uint8_t { Checked, Unchecked, Foreign };
  std::vector<std::string_view> variants;  // by union of the schema; empty where it is not there, or where its items differ
  std::vector<UnionMisfit> misfits;
  std::unordered_map<std::uint32_t, Reading> readings;  // of the facts in such sections; Checked where nothing is said
};

// `path_of` gives a fact's path as the schema spells it, or nothing for facts that are not the schema's.
struct KeyFact {
  std::string_view path;
  std::uint32_t fact = 0;
};
Unions read_unions(const Schema& schema, const Facts& facts, const std::vector<KeyFact>& keys);

// Whether a key takes a value: its type, its items' types, its choices.
bool takes(const KeySpec& key, const Value& value);

}  // namespace shardlint
