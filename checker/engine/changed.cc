#include "checker/engine/changed.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/engine/process.h"

namespace shardlint {

namespace {

constexpr int kPatience = 120'000;                    // milliseconds; a cold index of a very large repository takes seconds
constexpr std::size_t kMost = std::size_t{64} << 20;  // bytes of names

class Git {
 public:
  explicit Git(std::string folder) : program_(program_beside("git")), folder_(std::move(folder)) {}

  bool installed() const { return !program_.empty(); }
  void enter(std::string folder) { folder_ = std::move(folder); }

  // What it prints, without a last line end; nothing if it fails.
  std::optional<std::string> operator()(std::vector<std::string> words) const {
    // Of what a repository's own settings can have git start, its programs that watch files are what these commands would come by.
    words.insert(words.begin(), {program_, "-C", folder_, "-c", "core.fsmonitor=false"});
    Ran ran = run_process(words, "", kPatience, kMost);
    if (ran.how != Ran::How::Ended || ran.code != 0) return std::nullopt;
    if (ran.output.ends_with('\n')) ran.output.pop_back();
    return std::move(ran.output);
  }

 private:
  std::string program_, folder_;
};

}  // namespace

Checked<std::set<std::string>> changed_since(const std::string& working_folder, const std::string& revision) {
  Git git(working_folder);
  const auto failed = [](std::string why) { return Checked<std::set<std::string>>{std::nullopt, std::move(why)}; };
  if (!git.installed()) return failed("--changed-since asks git, which is not installed");
  const std::optional<std::string> root = git({"rev-parse", "--show-toplevel"});
  if (!root) return failed(fmt::format("--changed-since asks git, and {} is in no repository that git opens", working_folder));
  const std::optional<std::string> commit = git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!commit)
    return failed(fmt::format("git knows no revision `{}`; a shallow clone lacks it (actions/checkout: fetch-depth: 0)", revision));
  const std::optional<std::string> base = git({"merge-base", *commit, "HEAD"});
  if (!base)
    return failed(fmt::format(
        "git knows no common past of `{}` and this branch; a shallow clone lacks it (actions/checkout: fetch-depth: 0)", revision));
  git.enter(*root);
  const std::optional<std::string> differ = git({"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", *base, "--"});
  const std::optional<std::string> fresh = git({"ls-files", "--others", "--exclude-standard", "-z"});
  if (!differ || !fresh) return failed(fmt::format("git could not say what changed since `{}`", revision));

  std::set<std::string> out;
  for (std::string_view rest : {std::string_view(*differ), std::string_view(*fresh)})
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\0'), rest.size());
      out.insert(join(*root, rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  return {std::move(out), ""};
}

const std::string& Watch::asked(const std::string& path) const {
  asked_.insert(join(working_folder(), path));
  return path;
}

bool Watch::touched(const std::set<std::string>& paths) const {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return asked_.contains(path); });
}

}  // namespace shardlint
