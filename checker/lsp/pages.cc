#include "checker/lsp/pages.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "checker/engine/rule_page.h"
#include "checker/fix/files.h"
#include "checker/lsp/uri.h"
#include "checker/text/files.h"

namespace shardlint::lsp {

namespace {

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache && *cache == '/') return join(cache, "shardlint/" SHARDLINT_VERSION);
  return home && *home == '/' ? join(home, ".cache/shardlint/" SHARDLINT_VERSION) : "";
}

}  // namespace

std::string file_uri(std::string_view name, std::string_view text) {
  const std::string cache = cache_folder();
  if (cache.empty()) return "";
  const std::string path = join(cache, name);
  const Files::Read there = Disk().read(path);
  if (there.text && *there.text == text) return uri_of(path);
  std::error_code error;
  std::filesystem::create_directories(folder_of(path), error);
  return !error && !write_atomically(path, text) ? uri_of(path) : "";
}

std::string page_uri(std::string_view rule) {
  static std::mutex mutex;
  static std::map<std::string, std::string, std::less<>> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(rule); found != known.end()) return found->second;
  const std::string page = rule_page(rule);
  return known[std::string(rule)] = page.empty() ? "" : file_uri(std::string(rule) + ".md", page);
}

}  // namespace shardlint::lsp
