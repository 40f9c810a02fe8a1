// The plan line on top of a document.
#include <set>

#include <fmt/format.h>

#include "checker/lsp/derived.h"
#include "checker/lsp/features.h"

namespace shardlint::lsp {

namespace {

struct Lens {
  std::string title;
  AnalysisPtr analysis;
};

std::vector<Lens> lenses(const std::vector<AnalysisPtr>& analyses) {
  std::vector<Lens> out;
  std::set<std::string> said;
  for (const PlanOf& entry : plans_of(analyses)) {
    std::string title = plan_title(*entry.plan);
    if (title.empty()) continue;
    if (entry.plan->name != "default") title = fmt::format("{}: {}", entry.plan->name, title);
    if (!entry.present) title += " (as last read)";
    if (said.insert(title).second) out.push_back({std::move(title), entry.analysis});
    if (out.size() == 8) break;  // more than a person reads
  }
  return out;
}

}  // namespace

std::string lens_titles(const std::vector<AnalysisPtr>& analyses) {
  std::string out;
  for (const Lens& lens : lenses(analyses)) out += lens.title + "\n";
  return out;
}

llvm::json::Value code_lenses(const Request& request) {
  llvm::json::Array out;
  for (const Lens& lens : lenses(request.analyses()))
    out.push_back(llvm::json::Object{
        {"range", request.range_of({0, 0})},
        {"command",
         llvm::json::Object{
             {"title", lens.title},
             {"command", "shardlint.showPlan"},
             {"arguments", llvm::json::Array{Places(request.client->encoding, request.buffers, request.folder).uri(request.path)}}}}});
  return out;
}

}  // namespace shardlint::lsp
