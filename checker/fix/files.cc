// Writing by way of a temporary file beside the real one, and a line diff after Myers (An O(ND) Difference Algorithm, 1986).

#include "checker/fix/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace shardlint {
namespace {

// Removes the temporary file on every way out but the good one.
struct Temporary {
  std::string path;
  int descriptor = -1;

  ~Temporary() {
    if (descriptor >= 0) ::close(descriptor);
    if (!path.empty()) ::unlink(path.c_str());
  }
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The rename itself is durable once the directory is. Not every file system can sync a directory, and by then the text is in place.
void sync_directory(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// ---- diff

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// `before` lines [from, from + removed) give way to `after` lines [to, to + added).
struct Change {
  std::size_t from = 0, removed = 0, to = 0, added = 0;
};

using Lines = std::vector<std::string_view>;

// Beyond this many differing lines the whole differing middle is one change: right, if not the shortest, and bounded in memory.
constexpr std::ptrdiff_t kMaxDistance = 2000;

std::vector<Change> changes_between(const Lines& before, const Lines& after) {
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(before.size(), after.size());
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  const auto n = static_cast<std::ptrdiff_t>(before.size() - head - tail), m = static_cast<std::ptrdiff_t>(after.size() - head - tail);
  if (n == 0 && m == 0) return {};

  const auto a = before.begin() + static_cast<std::ptrdiff_t>(head), b = after.begin() + static_cast<std::ptrdiff_t>(head);
  // reach[k]: how far into `before` a path with so many edits comes on diagonal k = x - y. One snapshot for each number of edits.
  std::vector<std::vector<std::ptrdiff_t>> trace;
  std::ptrdiff_t distance = -1;
  for (std::ptrdiff_t d = 0; d <= std::min(n + m, kMaxDistance) && distance < 0; ++d) {
    std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * d + 1), 0);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      const auto last = [&](std::ptrdiff_t diagonal) { return trace.back()[static_cast<std::size_t>(diagonal + d - 1)]; };
      std::ptrdiff_t x = d == 0 ? 0 : k == -d || (k != d && last(k - 1) < last(k + 1)) ? last(k + 1) : last(k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && a[x] == b[x - k]) ++x;
      reach[static_cast<std::size_t>(k + d)] = x;
      if (x >= n && x - k >= m) distance = d;
    }
    trace.push_back(std::move(reach));
  }
  if (distance < 0) return {{head, static_cast<std::size_t>(n), head, static_cast<std::size_t>(m)}};

  std::vector<Change> changes;  // from the last to the first
  std::ptrdiff_t x = n, y = m;
  for (std::ptrdiff_t d = distance; d > 0; --d) {
    const std::vector<std::ptrdiff_t>& reach = trace[static_cast<std::size_t>(d - 1)];
    const auto last = [&](std::ptrdiff_t diagonal) { return reach[static_cast<std::size_t>(diagonal + d - 1)]; };
    const std::ptrdiff_t k = x - y;
    const bool added = k == -d || (k != d && last(k - 1) < last(k + 1));
    const std::ptrdiff_t from_x = added ? last(k + 1) : last(k - 1);
    const std::ptrdiff_t from_y = from_x - (added ? k + 1 : k - 1);
    const Change step{head + static_cast<std::size_t>(from_x), added ? 0u : 1u, head + static_cast<std::size_t>(from_y), added ? 1u : 0u};
    Change* behind = changes.empty() ? nullptr : &changes.back();
    if (behind && step.from + step.removed == behind->from && step.to + step.added == behind->to)
      *behind = {step.from, step.removed + behind->removed, step.to, step.added + behind->added};
    else
      changes.push_back(step);
    x = from_x, y = from_y;
  }
  std::reverse(changes.begin(), changes.end());
  return changes;
}

void append_line(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

// "12,3" as hunk headers count: from 1, and the line before an empty range.
std::string span_of(std::size_t from, std::size_t count) {
  if (count == 1) return fmt::format("{}", from + 1);
  return fmt::format("{},{}", count == 0 ? from : from + 1, count);
}

// Git's spelling of a name: quoted if it must be, and a tab behind a name with blanks shows `patch` where it ends.
std::string header_name(std::string_view prefix, std::string_view path) {
  std::string name(prefix), quoted;
  name += path.substr(std::min(path.find_first_not_of('/'), path.size()));
  bool plain = true;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\', quoted += c;
    else if (byte < 0x20 || byte == 0x7f) quoted += fmt::format("\\{:03o}", byte);
    else quoted += c;
    plain = plain && c != '"' && c != '\\' && byte >= 0x20 && byte != 0x7f;
  }
  if (!plain) return "\"" + quoted + "\"";
  return name.find(' ') == name.npos ? name : name + "\t";
}

}  // namespace

std::optional<std::string> write_atomically(const std::string& path, std::string_view text) {
  const auto failed = [&](std::string_view why) { return fmt::format("cannot write {}: {}", path, why); };
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  struct stat status {};
  const bool exists = resolved != nullptr;
  if (!exists && (errno != ENOENT || ::lstat(path.c_str(), &status) == 0)) return failed(std::strerror(errno ? errno : ENOENT));
  const std::string real = exists ? resolved.get() : path;
  if (exists) {
    if (::stat(real.c_str(), &status) != 0) return failed(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return failed("it is not a regular file");
    if (::access(real.c_str(), W_OK) != 0) return failed(std::strerror(errno));
  }

  const std::size_t slash = real.rfind('/');
  const std::string directory = slash == real.npos ? "." : real.substr(0, slash);
  Temporary temporary;
  for (int attempt = 0; temporary.descriptor < 0; ++attempt) {
    const std::string name = fmt::format("{}/.shardlint-{}-{}", directory, ::getpid(), attempt);
    temporary.descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? 0600 : 0666);
    if (temporary.descriptor >= 0) temporary.path = name;
    else if (errno != EEXIST || attempt == 1000) return failed(std::strerror(errno));
  }
  if (exists) {
    if (::fchown(temporary.descriptor, status.st_uid, status.st_gid) != 0 && status.st_uid != ::geteuid())
      return failed("it belongs to another user");  // who would lose it to us
    if (::fchmod(temporary.descriptor, status.st_mode & 07777) != 0) return failed(std::strerror(errno));
  }
  if (!write_all(temporary.descriptor, text) || ::fsync(temporary.descriptor) != 0) return failed(std::strerror(errno));
  const int descriptor = std::exchange(temporary.descriptor, -1);
  if (::close(descriptor) != 0) return failed(std::strerror(errno));
  if (::rename(temporary.path.c_str(), real.c_str()) != 0) return failed(std::strerror(errno));
  temporary.path.clear();
  sync_directory(directory);
  return std::nullopt;
}

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  const Lines old_lines = lines_of(before), new_lines = lines_of(after);
  const std::vector<Change> changes = changes_between(old_lines, new_lines);
  if (changes.empty()) return "";

  constexpr std::size_t context = 3;
  std::string out = "--- " + header_name("a/", path) + "\n+++ " + header_name("b/", path) + "\n";
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first;  // changes whose contexts touch share a hunk
    while (last + 1 < changes.size() && changes[last + 1].from - changes[last].from - changes[last].removed <= 2 * context) ++last;
    const std::size_t lead = std::min(context, changes[first].from);
    const std::size_t old_end = changes[last].from + changes[last].removed;
    const std::size_t trail = std::min(context, old_lines.size() - old_end);
    const std::size_t old_begin = changes[first].from - lead, new_begin = changes[first].to - lead;
    const std::size_t new_end = changes[last].to + changes[last].added;
    out += fmt::format("@@ -{} +{} @@\n", span_of(old_begin, old_end + trail - old_begin), span_of(new_begin, new_end + trail - new_begin));
    std::size_t at = old_begin;
    for (; first <= last; ++first) {
      const Change& change = changes[first];
      for (; at < change.from; ++at) append_line(out, ' ', old_lines[at]);
      for (; at < change.from + change.removed; ++at) append_line(out, '-', old_lines[at]);
      for (std::size_t i = 0; i < change.added; ++i) append_line(out, '+', new_lines[change.to + i]);
    }
    for (; at < old_end + trail; ++at) append_line(out, ' ', old_lines[at]);
  }
  return out;
}

std::vector<Edit> line_edits(const SourcePtr& source, std::string_view after) {
  const Lines old_lines = lines_of(source->text()), new_lines = lines_of(after);
  std::vector<std::uint32_t> starts{0};
  for (std::string_view line : old_lines) starts.push_back(starts.back() + static_cast<std::uint32_t>(line.size()));
  std::vector<Edit> edits;
  for (const Change& change : changes_between(old_lines, new_lines)) {
    std::string text;
    for (std::size_t i = 0; i < change.added; ++i) text += new_lines[change.to + i];
    edits.push_back({source, {starts[change.from], starts[change.from + change.removed]}, std::move(text)});
  }
  return edits;
}

}  // namespace shardlint
