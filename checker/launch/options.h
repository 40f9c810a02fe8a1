// The options that stand in front of a program, as a launcher reads them.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "checker/launch/slurm.h"

namespace shardlint::launch {

using CommandPtr = std::shared_ptr<const shell::Command>;

// Launchers take either: nproc_per_node is nproc-per-node.
std::string dashed(std::string name);
bool one_of(std::string_view word, std::initializer_list<std::string_view> words);

struct Options {
  std::map<std::string, Count> by_name;  // with dashes, without the leading ones; of several the last
  std::size_t next = 0;                  // the first word behind them

  const Count* find(std::string_view name) const {
    const auto found = by_name.find(std::string(name));
    return found == by_name.end() ? nullptr : &found->second;
  }
  // The first of several spellings that is there.
  const Count* any(std::initializer_list<std::string_view> names) const {
    for (std::string_view name : names)
      if (const Count* found = find(name)) return found;
    return nullptr;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
};

// Reads from argv[at] up to the first word that is no option. `bare`: the options that take no value.
Options options_of(const CommandPtr& command, std::size_t at, const std::function<bool(const std::string& name)>& bare);

}  // namespace shardlint::launch
