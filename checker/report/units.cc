#include "checker/report/units.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "checker/diag/finding.h"

namespace shardlint {

std::string bytes_text(double bytes) {
  static constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return fmt::format("{} {}", bytes < 9.95 && unit ? fmt::format("{:.1f}", bytes) : fmt::format("{:.0f}", bytes), kUnits[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 600) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.3g} h", seconds / 3600);
}

std::string count_text(double count) {
  if (count >= 999.5e9) return fmt::format("{:.3g} T", count / 1e12);
  if (count >= 999.5e6) return fmt::format("{:.3g} B", count / 1e9);
  if (count >= 999.5e3) return fmt::format("{:.3g} M", count / 1e6);
  return with_commas(grouped(std::llround(count)));
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string days_text(double days) {
  if (days >= 730) return fmt::format("{} years", with_commas(grouped(std::llround(days / 365.25))));
  if (days < 2) return fmt::format("{:.3g} hours", days * 24);
  return fmt::format("{:.3g} days", days);
}

std::string_view link_text(Link link) { return link == Link::NVLink ? "NVLink" : link == Link::Network ? "network" : "none"; }

}  // namespace shardlint
