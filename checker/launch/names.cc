#include "checker/launch/names.h"

#include <algorithm>

namespace shardlint::launch {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
bool letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

// The number at `at`, which moves behind it; 0 if there is none of a sensible size.
i64 number(std::string_view name, std::size_t& at) {
  i64 out = 0;
  std::size_t digits = 0;
  for (; at < name.size() && digit(name[at]); ++at, ++digits) out = digits < 6 ? out * 10 + (name[at] - '0') : out;
  return digits > 0 && digits <= 6 ? out : 0;
}

}  // namespace

std::vector<std::pair<std::string_view, i64>> counts_in(std::string_view name) {
  std::vector<std::pair<std::string_view, i64>> out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char before = i == 0 ? '-' : name[i - 1];
    if (digit(name[i]) && !digit(before) && !letter(before) && before != '.') {
      std::size_t at = i;
      const i64 nodes = number(name, at);
      if (nodes == 0 || at >= name.size() || lower(name[at]) != 'n') continue;
      const i64 gpus = number(name, ++at);
      if (gpus == 0 || at >= name.size() || lower(name[at]) != 'g' ||
          (at + 1 < name.size() && (letter(name[at + 1]) || digit(name[at + 1]))))
        continue;
      out.emplace_back("nodes", nodes), out.emplace_back("gpus_per_node", gpus);
    } else if (letter(name[i]) && !letter(before)) {
      for (std::string_view field : {"tp", "pp", "cp", "ep"}) {
        if (i + 2 >= name.size() || lower(name[i]) != field[0] || lower(name[i + 1]) != field[1] || !digit(name[i + 2])) continue;
        std::size_t at = i + 2;
        if (const i64 value = number(name, at); value > 0) out.emplace_back(field, value);
      }
    }
  }
  return out;
}

}  // namespace shardlint::launch
