// One function for each thing that an editor can ask; each has a file of its own.
#pragma once

#include "checker/lsp/request.h"

namespace shardlint::lsp {

llvm::json::Value hover(const Request& request);
llvm::json::Value inlay_hints(const Request& request);
llvm::json::Value code_lenses(const Request& request);
llvm::json::Value completion(const Request& request);
llvm::json::Value document_symbols(const Request& request);
llvm::json::Value definition(const Request& request);
llvm::json::Value code_actions(const Request& request);
llvm::json::Value resolve_code_action(const Request& request);

// What workspace/executeCommand knows, with one argument each.
inline constexpr const char* kPlanCommand = "shardlint.showPlan";          // a document's URI
inline constexpr const char* kPageCommand = "shardlint.explain";           // a rule's name
inline constexpr const char* kCreateCommand = "shardlint.createSettings";  // the URI of a shardlint.toml that is not there yet
inline constexpr const char* kNewSettings = "[cluster]\nnodes = 1\ngpus_per_node = 8\n";

// The titles of the document's lenses, a line each: what changes when its jobs do.
std::string lens_titles(const std::vector<AnalysisPtr>& analyses, const std::string& path);

}  // namespace shardlint::lsp
