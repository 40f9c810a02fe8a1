#include "checker/engine/settings.h"
#include "checker/engine/settings_values.h"

#include <fmt/format.h>

namespace shardlint {

std::string glob_error(std::string_view glob) {
  if (glob.empty()) return "an empty glob matches nothing";
  if (glob.starts_with('/') || glob.starts_with("../"))
    return fmt::format("`{}` matches nothing: globs are relative to the folder of shardlint.toml", glob);
  if (glob.ends_with('/')) return fmt::format("`{0}` matches no file; did you mean `{0}**`?", glob);
  for (std::size_t open = glob.find('['); open != std::string_view::npos;) {
    const std::size_t close = glob.find(']', open + 2);
    if (close == std::string_view::npos) return fmt::format("`{}` is no glob: its `[` is never closed", glob);
    open = glob.find('[', close);
  }
  return "";
}

namespace {

// One character of a path against what stands at glob[g]; `next` is behind that.
bool one_fits(std::string_view glob, std::size_t g, char c, std::size_t& next) {
  next = g + 1;
  if (glob[g] == '?') return c != '/';
  const std::size_t close = glob[g] == '[' ? glob.find(']', g + 2) : std::string_view::npos;
  if (close == std::string_view::npos) return glob[g] == c;
  next = close + 1;
  const bool negated = glob[g + 1] == '!' || glob[g + 1] == '^';
  bool inside = false;
  for (std::size_t i = g + 1 + negated; i < close; ++i) {
    const bool span = i + 2 < close && glob[i + 1] == '-';
    inside |= span ? glob[i] <= c && c <= glob[i + 2] : glob[i] == c;
    if (span) i += 2;
  }
  return inside != negated && c != '/';
}

}  // namespace

// A star that took too little takes one more. Only the last `*` and the last `**` need another try, because what stood before them fits
// whatever they take: the time is bounded by the product of both lengths, for each `**` once.
bool glob_matches(std::string_view glob, std::string_view path) {
  constexpr std::size_t none = std::string_view::npos;
  struct Star {
    std::size_t glob = none, path = 0;
    bool folders = false;  // `**/` takes whole folders
  } one, many;
  std::size_t g = 0, p = 0;
  while (p < path.size() || g < glob.size()) {
    if (glob.substr(g).starts_with("**")) {
      const bool folders = glob.substr(g + 2).starts_with('/') && (p == 0 || path[p - 1] == '/');
      g += folders ? 3 : 2;
      many = {g, p, folders};
      one = {};
      continue;
    }
    if (g < glob.size() && glob[g] == '*') {
      one = {++g, p};
      continue;
    }
    std::size_t next = 0;
    if (g < glob.size() && p < path.size() && one_fits(glob, g, path[p], next)) {
      g = next;
      ++p;
    } else if (one.glob != none && one.path < path.size() && path[one.path] != '/') {
      g = one.glob;
      p = ++one.path;
    } else if (many.glob != none && many.path < path.size()) {
      const std::size_t slash = many.folders ? path.find('/', many.path) : many.path;
      if (slash == none) return false;
      g = many.glob;
      p = many.path = slash + 1;
      one = {};
    } else
      return false;
  }
  return true;
}

}  // namespace shardlint
