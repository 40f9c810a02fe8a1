#include "checker/text/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shardlint {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = 64u << 20;  // as document/ has it; a device or a pipe may never end

std::string reason(int error) {
  switch (error) {
    case ENOENT: return "no such file";
    case EACCES: return "permission denied";
    case EISDIR: return "this is a folder";
    default: return std::strerror(error);
  }
}

Files::Read read_all(int descriptor, std::size_t expected) {
  std::string text;
  text.reserve(expected);
  char block[1 << 16];
  while (true) {
    const ssize_t got = ::read(descriptor, block, sizeof block);
    if (got == 0) return {std::move(text), ""};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {std::nullopt, reason(errno)};
    const std::size_t size = text.size() + static_cast<std::size_t>(got);
    if (size > text.capacity()) {  // std::string would double to twice what may be read
      std::string larger;
      larger.reserve(std::max(size, std::min(text.capacity() * 2, kMaxBytes + sizeof block)));
      text = std::move(larger.append(text));
    }
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > kMaxBytes) return {std::nullopt, "larger than 64 MiB"};
  }
}

Files::Read read_file(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return {std::nullopt, reason(errno)};
  if (S_ISDIR(status.st_mode)) return {std::nullopt, reason(EISDIR)};
  if (!S_ISREG(status.st_mode)) return {std::nullopt, "this is no regular file"};
  const auto size = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  if (size > kMaxBytes) return {std::nullopt, "larger than 64 MiB"};
  return read_all(descriptor, size + 1);
}

}  // namespace

std::string Files::real(const std::string& path) const { return join(working_folder(), path); }

std::string Disk::real(const std::string& path) const {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(join(working_folder(), path), error);
  return error ? "" : real.string();  // what leads nowhere lies nowhere
}

Files::Read read_input() { return read_all(STDIN_FILENO, 0); }

Files::Read Disk::read(const std::string& path) const {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer would never open
  if (descriptor < 0) return {std::nullopt, reason(errno)};
  Read result = read_file(descriptor);
  ::close(descriptor);
  return result;
}

bool Disk::is_folder(const std::string& path) const {
  std::error_code error;
  return fs::is_directory(path.empty() ? "." : path, error);
}

bool Disk::exists(const std::string& path) const {
  std::error_code error;
  return fs::exists(path.empty() ? "." : path, error);
}

std::vector<std::string> Disk::list(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code unreadable;
    if (name.starts_with('.') || (at->is_symlink(unreadable) && at->is_directory(unreadable))) continue;
    if (at->is_regular_file(unreadable) || at->is_directory(unreadable)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Disk::Disk() {
  std::error_code error;
  working_folder_ = fs::current_path(error).string();
}

std::string Disk::why_closed(const std::string& folder) const {
  std::error_code error;
  const fs::directory_iterator open(folder.empty() ? "." : folder, error);
  return error ? reason(error.value()) : "";
}

void Overlay::put(std::string_view path, std::string text) { texts_[normal(path)] = std::move(text); }

Files::Read Overlay::read(const std::string& path) const {
  if (const auto found = texts_.empty() ? texts_.end() : texts_.find(normal(path)); found != texts_.end()) return {found->second, ""};
  if (below_) return below_->read(path);
  return {std::nullopt, reason(is_folder(path) ? EISDIR : ENOENT)};
}

bool Overlay::is_folder(const std::string& path) const {
  if (texts_.empty() && below_) return below_->is_folder(path);
  const std::string folder = normal(path);
  if (folder == ".") return true;
  const auto inside = texts_.lower_bound(folder + "/");
  if (inside != texts_.end() && inside->first.starts_with(folder + "/")) return true;
  return below_ && below_->is_folder(path);
}

bool Overlay::exists(const std::string& path) const {
  if (texts_.empty() && below_) return below_->exists(path);
  return texts_.contains(normal(path)) || is_folder(path) || (below_ && below_->exists(path));
}

std::vector<std::string> Overlay::list(const std::string& folder) const {
  std::vector<std::string> names = below_ ? below_->list(folder) : std::vector<std::string>();
  const std::string inside = normal(folder) == "." ? "" : normal(folder) + "/";
  for (const auto& [path, text] : texts_) {
    if (!path.starts_with(inside)) continue;
    std::string name = path.substr(inside.size(), path.find('/', inside.size()) - inside.size());
    if (!name.empty() && !name.starts_with('.')) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string Overlay::why_closed(const std::string& folder) const {
  return below_ && below_->is_folder(folder) ? below_->why_closed(folder) : "";
}

std::map<std::string, std::string> Overlay::held() const {
  std::map<std::string, std::string> out = texts_;
  if (below_) out.merge(below_->held());
  return out;
}

std::string Overlay::real(const std::string& path) const { return below_ ? below_->real(path) : Files::real(path); }

std::string Overlay::working_folder() const { return below_ ? below_->working_folder() : ""; }

Files::Read Alone::read(const std::string& path) const {
  if (exists(path)) return world_.read(path);
  return {std::nullopt, "no such file"};
}
bool Alone::exists(const std::string& path) const {
  return std::find(paths_.begin(), paths_.end(), path) != paths_.end() && world_.exists(path);
}

// By hand, as std::filesystem::path::lexically_normal says it: that one makes a string of every part, for every file of a folder.
std::string normal(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::string out(absolute ? "/" : "");
  out.reserve(path.size());
  std::size_t fixed = out.size();  // the root, or the `..` at the front: what no `..` takes away
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part == ".." && out.size() > fixed) {
      const std::size_t cut = out.rfind('/');
      out.resize(cut == std::string::npos || cut < fixed ? fixed : cut);
      continue;
    }
    if (part == ".." && absolute) continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
    if (part == "..") fixed = out.size();
  }
  return out.empty() ? "." : out;
}

std::string join(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return normal(name);
  std::string whole(folder);
  whole += '/';
  whole += name;
  return normal(whole);
}

std::string folder_of(std::string_view path) {
  std::size_t cut = path.rfind('/');
  if (cut == std::string_view::npos) return "";
  while (cut > 0 && path[cut - 1] == '/') --cut;
  return std::string(path.substr(0, std::max<std::size_t>(cut, 1)));
}

namespace {

bool below(const std::string& name, const std::string& root) {
  return name == root || name.starts_with(root.ends_with('/') ? root : root + "/");
}

}  // namespace

Inside::Inside(const Files& files, std::string_view folder)
    : files_(files), working_(files.working_folder()), root_(join(working_, folder)) {}

bool Inside::by_name(std::string_view path) const {
  const std::string absolute = join(working_, path);
  return root_ == "." ? !absolute.starts_with("..") && !absolute.starts_with('/') : below(absolute, root_);
}

bool Inside::operator()(std::string_view path) const {
  if (!by_name(path)) return false;
  if (root_ == ".") return true;
  if (!real_root_) real_root_ = files_.real(root_);
  return below(files_.real(join(working_, path)), *real_root_);
}

bool Inside::has(std::string_view path) const { return by_name(path) && files_.exists(std::string(path)) && (*this)(path); }

std::optional<std::string> found_above(const Files& files, std::string_view folder, std::string_view workspace, std::string_view named) {
  if (named.empty() || named.starts_with('~')) return std::nullopt;
  const Inside inside(files, workspace.empty() ? "." : workspace);
  std::string at = normal(folder.empty() ? "." : folder);
  for (int level = 0; level < 64 && inside.by_name(at); ++level) {
    const std::string path = join(at == "." ? "" : at, named);
    if (inside.has(path)) return path;
    if (named.starts_with('/') || at == "." || at == "/") break;
    const std::string above = folder_of(at);
    at = above.empty() ? "." : above;
  }
  return std::nullopt;
}

std::string shown(std::string_view path, std::string_view working_folder) {
  if (path.empty() || path.starts_with('<') || working_folder.empty()) return std::string(path);
  const std::string absolute = join(working_folder, path);
  const std::string inside = working_folder == "/" ? "/" : std::string(working_folder) + "/";
  return absolute.starts_with(inside) ? absolute.substr(inside.size()) : absolute;
}

}  // namespace shardlint
