// `init`: a shardlint.toml to begin with.
#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/fix/files.h"

namespace shardlint {

namespace {

constexpr std::string_view kName = "shardlint.toml";

// What the command line says of the cluster, or how it would be said.
std::string cluster(const std::vector<Fact>& facts) {
  if (facts.empty()) return "# nodes = 2\n# gpus_per_node = 8\n# gpu = \"H100\"\n";
  std::string out;
  for (const Fact& fact : facts) {
    const std::string_view quote = fact.value.text() ? "\"" : "";
    out += fmt::format("{0} = {1}{2}{1}\n", fact.path, quote, to_string(fact.value));
  }
  return out;
}

}  // namespace

Outcome run_init(const Options& options, const TextStyle&) {
  Outcome out;
  const std::string path(kName);
  if (Disk().exists(path)) {
    out.remarks.push_back(with_program(path + ": it is there already, and stays as it is"));
    out.exit = kUsage;
    return out;
  }
  const std::string text = fmt::format(
      "# Settings of shardlint, here and below; `shardlint config PATH` shows which hold for a path.\n"
      "required-version = \">={}\"\n\n"
      "[cluster]  # what the files do not say themselves\n{}\n"
      "# [[run]]  # files that make one run, in the order of merging; where there are runs, checking the folder checks exactly those\n"
      "# name = \"pretrain\"\n# files = [\"base.yaml\", \"large.yaml\"]\n# overrides = [\"parallelism.tp=16\"]\n\n"
      "[rules]\n# ignore = [\"hygiene\"]  # rules, families or frameworks; `shardlint rules` lists them\n",
      SHARDLINT_VERSION, cluster(options.check.command_line.facts));
  if (const auto error = write_atomically(path, text)) {
    out.remarks.push_back(with_program(*error));
    out.exit = kUsage;
    return out;
  }
  out.remarks.push_back(fmt::format("shardlint: wrote {}", path));
  return out;
}

}  // namespace shardlint
