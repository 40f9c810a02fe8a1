// What a loader makes of a scalar. The same bytes are a number to one framework and text to another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checker/document/document.h"

namespace shardlint {

enum class Dialect {
  Toml,       // TOML 1.0: the syntax says it all
  PyYaml,     // PyYAML SafeLoader, YAML 1.1: 1e-5 is text, on/off/yes/no are booleans, 010 is eight, 1:30 is ninety
  OmegaConf,  // PyYAML with OmegaConf's own float pattern (1e-5 is a number) and no dates
  Yaml12,     // YAML 1.2 core schema (ruamel): yes/no/on/off are text, 010 is ten, 0o10 eight
  Json,       // RFC 8259
  Hjson,      // JSON with comments and without commas
  Argparse,   // every scalar reaches the program as text and is converted by the option's type
};

std::optional<Dialect> dialect_named(std::string_view name);  // "toml" "pyyaml" "omegaconf" "yaml12" "json" "hjson" "argparse"
std::string_view name(Dialect dialect);

// A scalar's value. Sequences give a List of their items' values, mappings a Map. Dates come as text.
// Depth and alias expansion are bounded: a list that would exceed 100,000 items in all is cut.
Value read(const Node& node, Dialect dialect);

// A plain scalar that reads otherwise than a person would expect.
struct Trap {
  std::string message;  // "PyYAML wants a dot and a sign in the exponent: this is text, not a number"
  std::string meant;    // the spelling that this dialect reads as evidently meant: "2.0e-5"; empty if there is none
  Value reads_as;
  Value meant_value;
};

// 1e-5 as text; no/off/on/yes as booleans; 010 as eight; 1:30 as ninety; an empty value as null... whatever of these `dialect` does.
std::optional<Trap> trap(const Node& node, Dialect dialect);

}  // namespace shardlint
