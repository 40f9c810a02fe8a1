#include "checker/diag/finding.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardlint {

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::Info: return "info";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  return "";
}

std::string_view name(Safety safety) { return safety == Safety::Safe ? "safe" : "unsafe"; }

std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, 1, kThousands);
  return digits;
}

std::string many_of(std::string_view noun) {
  const auto ends = [&](std::string_view end) { return noun.ends_with(end); };
  if (ends("ch") || ends("sh") || ends("x") || ends("s")) return fmt::format("{}es", noun);
  const bool vowel = noun.size() > 1 && std::string_view("aeiou").find(noun[noun.size() - 2]) != std::string_view::npos;
  if (ends("y") && !vowel) return fmt::format("{}ies", noun.substr(0, noun.size() - 1));
  return fmt::format("{}s", noun);
}

std::string plural(std::int64_t number, std::string_view noun, std::string_view many) {
  const bool one = number == 1 || number == -1;
  return fmt::format("{} {}", grouped(number), one ? std::string(noun) : many.empty() ? many_of(noun) : std::string(many));
}

std::string with_commas(std::string_view message) {
  std::string out(message);
  for (char& c : out)
    if (c == kThousands) c = ',';
  return out;
}

std::string without_separators(std::string_view message) {
  std::string out(message);
  std::erase(out, kThousands);
  return out;
}

bool means(std::string_view name, std::string_view rule, std::string_view family, const std::vector<std::string>& also) {
  return name == rule || name == family || (rule.starts_with(name) && rule.substr(name.size()).starts_with('/')) ||
         std::find(also.begin(), also.end(), name) != also.end();
}

}  // namespace shardlint
