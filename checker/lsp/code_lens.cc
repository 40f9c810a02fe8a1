// The plan line on top of a document.
#include <set>

#include <fmt/format.h>

#include "checker/lsp/derived.h"
#include "checker/lsp/features.h"

namespace shardlint::lsp {

namespace {

constexpr std::size_t kShown = 4;  // plans; more nobody reads

struct Lens {
  std::string title;
  std::string run;  // of a settings file: the run whose plan it is
};

std::vector<Lens> lenses(const std::vector<AnalysisPtr>& analyses, const std::string& path) {
  const bool settings = base_name(path) == "shardlint.toml";
  std::vector<Lens> out;
  std::set<std::string> said;
  std::size_t more = 0;
  for (const PlanOf& entry : plans_of(analyses)) {
    const Root& root = entry.analysis->root;
    // Every job reads the settings; the runs are written there.
    if (settings && (root.kind != Root::Kind::Run || root.path != folder_of(path))) continue;
    std::string title = plan_title(*entry.plan);
    if (title.empty()) continue;
    std::string whose = entry.plan->name == "default" ? "" : entry.plan->name;
    if (root.kind != Root::Kind::Run && join(root.folder, entry.plan->file) != path)
      whose = entry.plan->file + (whose.empty() ? "" : " ") + whose;
    if (!whose.empty()) title = fmt::format("{}: {}", whose, title);
    if (!entry.present) title += " (as last read)";
    if (!said.insert(title).second) continue;
    if (settings || out.size() < kShown)
      out.push_back({std::move(title), root.run});
    else
      ++more;
  }
  if (more > 0) out.push_back({fmt::format("and {}", plural(static_cast<i64>(more), "more plan", "more plans")), ""});
  return out;
}

// Where a settings file writes a run; its first byte if that cannot be said.
Range place_of(const std::string& run, const DocumentPtr& settings) {
  const Node* root = settings && !settings->roots.empty() ? settings->roots[0] : nullptr;
  const Entry* runs = root ? settings->find(*root, "run") : nullptr;
  if (runs)
    for (const Item& item : runs->value->items)
      if (const Entry* name = settings->find(*item.value, "name"); name && name->value->text == run) return name->key_range;
  return {0, 0};
}

}  // namespace

std::string lens_titles(const std::vector<AnalysisPtr>& analyses, const std::string& path) {
  std::string out;
  for (const Lens& lens : lenses(analyses, path)) out += lens.title + "\n";
  return out;
}

llvm::json::Value code_lenses(const Request& request) {
  llvm::json::Array out;
  const std::string uri = Places(request.client->encoding, request.buffers, request.folder).uri(request.path);
  const DocumentPtr settings = base_name(request.path) == "shardlint.toml" ? document_of(request) : nullptr;
  for (const Lens& lens : lenses(request.analyses(), request.path))
    out.push_back(llvm::json::Object{
        {"range", request.range_of(place_of(lens.run, settings))},
        {"command", llvm::json::Object{{"title", lens.title}, {"command", kPlanCommand}, {"arguments", llvm::json::Array{uri}}}}});
  return out;
}

}  // namespace shardlint::lsp
