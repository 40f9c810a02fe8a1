// Configurations made by chance, from a seed: the same on every machine. A configuration is a list of keys with values, which can be
// written down in several ways that all say the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/engine/check.h"

namespace shardlint::test {

// SplitMix64: the standard library's distributions differ from one library to the next.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t roll() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(roll() % n); }
  bool once_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  }

 private:
  std::uint64_t state_;
};

struct Setting {
  std::string section, key, value;  // the value as the syntax writes it; text has its quotes
};

struct Config {
  std::string framework;
  bool toml = false;
  std::vector<Setting> settings;
  std::optional<int> world;  // --world-size
};

// How a configuration is written down.
struct Writing {
  bool shuffled = false, comments = false, quotes = false;  // quotes: the other ones that the syntax has
};
std::string written(const Config& config, const Writing& how, Dice& dice);

// Numbers that mostly fit together, with a few that do not, for one of the frameworks.
Config config_by_chance(Dice& dice);

// The same plan, for each framework that can say it.
struct Numbers {
  int tp = 1, pp = 1, cp = 1, dp = 1, layers = 32, hidden = 4096, heads = 32, sequence = 2048, micro_batch = 1, batches = 8;
};
Numbers numbers_by_chance(Dice& dice);
std::vector<Config> in_all_frameworks(const Numbers& numbers);

// The flags of Megatron-LM as a launch script gives them, each with its value but for one, which a variable holds that nobody has set.
Config flags_by_chance(Dice& dice);
std::string launched(const Config& config, std::optional<std::size_t> unknown);

std::string name_of_file(const Config& config);

// All that a check of one text says, without what depends on where it stands: "error rule: message", sorted.
std::vector<std::string> said(const Config& config, const std::string& text, unsigned jobs = 1);
CheckResult check_text(const Config& config, const std::string& text, bool fixes, unsigned jobs = 1);
CheckOptions options_for(const Config& config, bool fixes, unsigned jobs = 1);

}  // namespace shardlint::test
