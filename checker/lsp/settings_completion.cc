#include "checker/lsp/settings_completion.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "checker/engine/settings.h"
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
};
constexpr std::pair<std::string_view, std::string_view> kTables[] = {
    {"cluster", "what the cluster has"},
    {"gpus.NAME", "a card of your own, or what you know better of one"},
    {"versions", "which version of a framework is used"},
    {"env", "environment variables of the job"},
    {"run", "files and overrides of one run"},
    {"cxx", "how C++ is read"},
    {"rules", "which findings are shown"},
    {"per-path", "settings for some files"},
    {"constraint", "a law of your own"},
};

std::vector<std::string_view> gpu_models() {
  for (const Schema* schema : schemas())
    for (const TableSpec& table : schema->tables)
      if (table.name == "gpus" && !table.columns.empty()) {
        std::vector<std::string_view> out;
        for (std::size_t i = 0; i < table.cells.size(); i += table.columns.size()) out.push_back(table.cells[i]);
        return out;
      }
  return {};
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
  if (cursor.place == Cursor::Place::Key) {
    for (const Row& row : kRows)
      if (row.table == cursor.parent)
        add(row.key, fmt::format("{}{}{}", row.key, cursor.colon ? "" : " = ", cursor.colon ? "" : row.value), CompletionItemKind::Property,
            row.says);
    if (cursor.parent == "versions")
      for (std::string_view framework : frameworks())
        add(framework, fmt::format("{}{}", framework, cursor.colon ? "" : " = "), CompletionItemKind::Property, "");
    return out;
  }
  const std::string path = cursor.parent.empty() ? cursor.key : fmt::format("{}.{}", cursor.parent, cursor.key);
  if (cursor.key == "framework") words(frameworks());
  if (path == "cluster.gpu") words(gpu_models());
  if (path == "rules.fail-on") words({"error", "warning", "never"});
  if (path == "rules.select" || path == "rules.ignore") {
    words({std::begin(kFamilies), std::end(kFamilies)});
    words(rule_names());
  }
  if (cursor.parent == "versions")
    if (const Schema* schema = schema_named(cursor.key)) words({schema->versions.begin(), schema->versions.end()});
  return out;
}

}  // namespace shardlint::lsp
