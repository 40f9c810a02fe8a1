#include "checker/lsp/settings_completion.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "checker/engine/settings.h"
#include "checker/engine/settings_values.h"
#include "checker/plan/rule.h"

namespace shardlint::lsp {

namespace {

using mlir::lsp::CompletionItemKind;

// What may stand where, as README.md lists it; a test holds it against what read_settings() takes.
struct Row {
  std::string_view table, key, value, says;
};
constexpr Row kRows[] = {
    {"", "required-version", "\">=" SHARDLINT_VERSION "\"", "the shardlint that the project needs"},
    {"", "framework", "", "forces a framework: NAME or NAME@VERSION"},
    {"", "constraints", "[]", "files with constraints of your own"},
    {"", "baseline", "\"\"", "a file with findings that are known"},
    {"cluster", "nodes", "", "servers in the job"},
    {"cluster", "gpus_per_node", "8", "GPUs in one server"},
    {"cluster", "world_size", "", "ranks: processes that each drive one GPU"},
    {"cluster", "nvlink_domain", "8", "GPUs joined by NVLink: 8 in a server, 72 in an NVL72 rack"},
    {"cluster", "gpu", "", "GPU model"},
    {"cluster", "gpu_memory_gib", "", "memory of one GPU in GiB"},
    {"cluster", "cuda_capability", "", "CUDA compute capability: 9.0 for H100"},
    {"run[0]", "name", "\"\"", "what the run is called in findings"},
    {"run[0]", "files", "[]", "configs or a launch script, in the order of merging"},
    {"run[0]", "overrides", "[]", "key=value, --key=value or --key, value"},
    {"cxx", "bindings", "[]", "files that say what a team's own C++ types mean"},
    {"cxx", "flags", "[]", "for the compiler where there is no compile_commands.json"},
    {"rules", "select", "[]", "only these rules, families or frameworks"},
    {"rules", "ignore", "[]", "all but these"},
    {"rules", "severity", "{}", "NAME = \"warning\""},
    {"rules", "preview", "true", "rules and constraints that are new are judged too"},
    {"rules", "fail-on", "\"error\"", "from which level on the exit code is 1"},
    {"per-path[0]", "files", "[]", "globs: * stays inside a folder, ** does not"},
    {"per-path[0]", "framework", "", "forces a framework for these files"},
    {"per-path[0]", "cluster", "{}", "what their cluster has"},
    {"per-path[0]", "versions", "{}", "NAME = \"VERSION\""},
    {"per-path[0]", "env", "{}", "their environment variables"},
    {"per-path[0]", "rules", "{}", "their rules"},
    {"constraint[0]", "name", "\"\"", "what is flagged; findings are called team/NAME"},
    {"constraint[0]", "framework", "", "whose runs it holds for; without it all"},
    {"constraint[0]", "family", "", "of which kind it is"},
    {"constraint[0]", "when", "\"\"", "a condition: the law holds only then"},
    {"constraint[0]", "require", "\"\"", "a condition that must hold: \"tp <= 4\", \"divides(dp, global_batch)\""},
    {"constraint[0]", "severity", "", "how loudly"},
    {"constraint[0]", "says", "\"\"", "the finding's first line; {tp} is its value"},
    {"constraint[0]", "effect", "\"\"", "what happens to the run"},
    {"constraint[0]", "why", "\"\"", "the page: why it matters"},
    {"constraint[0]", "blame", "[]", "the fields whose places are shown, the first that is written before the others"},
    {"constraint[0]", "rather_change", "[]", "where the search for a fix begins"},
    {"constraint[0]", "candidates", "[]", "values that a fix tries first"},
    {"constraint[0]", "same_as", "\"\"", "the rule that says the same: one finding for both"},
    {"constraint[0]", "since", "\"\"", "from which version of the framework on"},
    {"constraint[0]", "until", "\"\"", "the first version that it no longer holds for"},
    {"constraint[0]", "source", "\"\"", "where it is written down"},
    {"constraint[0]", "preview", "true", "judged with preview alone"},
};
constexpr std::pair<std::string_view, std::string_view> kTables[] = {
    {"cluster", "what the cluster has"},
    {"gpus.NAME", "a card of your own, or what you know better of one"},
    {"versions", "which version of a framework is used"},
    {"env", "environment variables of the job"},
    {"run", "files and overrides of one run"},
    {"cxx", "how C++ is read"},
    {"rules", "which findings are shown"},
    {"rules.severity", "how loudly: NAME = \"warning\""},
    {"per-path", "settings for some files"},
    {"constraint", "a law of your own"},
};

// The rows of [cluster] and its like hold in [per-path.cluster] too.
std::string_view table_of(std::string_view parent) {
  for (const std::string_view holder : {"per-path[0].", "per-path."})
    if (parent.starts_with(holder)) return parent.substr(holder.size());
  return parent;
}

// Of the jobs that are known: configs and launch scripts, from the settings file's folder.
std::set<std::string> files_of_jobs(const Request& request) {
  std::set<std::string> out;
  const std::string folder = folder_of(request.path) + "/";
  const auto add = [&](const std::string& path) {
    if (path.starts_with(folder) && path != request.path) out.insert(path.substr(folder.size()));
  };
  for (const AnalysisPtr& analysis : request.workspace->all())
    if (analysis->judged) {
      if (analysis->root.kind != Root::Kind::Run) add(analysis->root.path);
      for (const std::string& path : analysis->reads) add(path);
    }
  return out;
}

std::vector<std::string_view> frameworks() {
  std::set<std::string_view> out;
  for (const Schema* schema : schemas()) out.insert(schema->framework);
  return {out.begin(), out.end()};
}

}  // namespace

llvm::json::Array settings_completion(const Request& request, const Cursor& cursor) {
  llvm::json::Array out;
  const auto add = [&](std::string_view label, const std::string& text, CompletionItemKind kind, std::string_view detail) {
    out.push_back(llvm::json::Object{{"label", std::string(label)},
                                     {"kind", static_cast<int>(kind)},
                                     {"detail", std::string(detail)},
                                     {"filterText", cursor.quoted ? text : std::string(label)},
                                     {"sortText", fmt::format("{:05}", out.size())},
                                     {"textEdit", llvm::json::Object{{"range", request.range_of(cursor.word)}, {"newText", text}}}});
  };
  const auto words = [&](const std::vector<std::string_view>& list) {
    for (std::string_view word : list) add(word, fmt::format("\"{}\"", word), CompletionItemKind::EnumMember, "");
  };
  if (cursor.place == Cursor::Place::Header) {
    for (const auto& [table, says] : kTables) {
      const bool list = table == "run" || table == "per-path" || table == "constraint";
      const bool doubled = cursor.word.begin >= 2 && request.text->bytes[cursor.word.begin - 2] == '[';
      const bool closed = cursor.word.end < request.text->bytes.size() && request.text->bytes[cursor.word.end] == ']';
      add(table,
          fmt::format("{}{}{}", list && !doubled ? "[" : "", table,
                      closed ? list && !doubled ? "]" : ""
                      : list ? "]]"
                             : "]"),
          CompletionItemKind::Module, says);
    }
    return out;
  }
  const std::string_view table = table_of(cursor.parent);
  if (cursor.place == Cursor::Place::Key) {
    for (const Row& row : kRows)
      if (row.table == table)
        add(row.key, fmt::format("{}{}{}", row.key, cursor.colon ? "" : " = ", cursor.colon ? "" : row.value), CompletionItemKind::Property,
            row.says);
    const auto names = [&](const std::vector<std::string_view>& list, std::string_view detail) {
      for (std::string_view name : list) {
        const bool bare = name.find('/') == std::string_view::npos;
        add(name, fmt::format("{}{}", bare ? std::string(name) : fmt::format("\"{}\"", name), cursor.colon ? "" : " = "),
            CompletionItemKind::Property, detail);
      }
    };
    if (table == "versions") names(frameworks(), "");
    if (table == "rules.severity") names({std::begin(kFamilies), std::end(kFamilies)}, "family"), names(rule_names(), "");
    if (table.starts_with("gpus.")) names(gpu_columns(), "");
    return out;
  }
  const std::string path = table.empty() ? cursor.key : fmt::format("{}.{}", table, cursor.key);
  if (cursor.key == "framework") words(frameworks());
  if (path == "cluster.gpu") words(gpu_models());
  if (path == "rules.fail-on") words({"error", "warning", "never"});
  if (path == "constraint[0].severity" || table == "rules.severity") words({"error", "warning", "info"});
  if (path == "constraint[0].family") words({std::begin(kFamilies), std::end(kFamilies)});
  if (path == "rules.preview" || path == "constraint[0].preview")
    for (const char* word : {"true", "false"}) add(word, word, CompletionItemKind::Value, "");
  if (path == "run[0].files") {
    const std::set<std::string> files = files_of_jobs(request);
    words({files.begin(), files.end()});
  }
  if (path == "rules.select" || path == "rules.ignore") {
    words({std::begin(kFamilies), std::end(kFamilies)});
    words(rule_names());
  }
  if (table == "versions")
    if (const Schema* schema = schema_named(cursor.key)) words({schema->versions.begin(), schema->versions.end()});
  return out;
}

}  // namespace shardlint::lsp
