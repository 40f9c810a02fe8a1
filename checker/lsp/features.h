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

// The titles of the document's lenses, a line each: what changes when its jobs do.
std::string lens_titles(const std::vector<AnalysisPtr>& analyses);

}  // namespace shardlint::lsp
