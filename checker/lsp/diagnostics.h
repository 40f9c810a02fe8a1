// What the editor underlines.
#pragma once

#include <string>
#include <vector>

#include <llvm/Support/JSON.h>

#include "checker/lsp/client.h"
#include "checker/lsp/workspace.h"

namespace shardlint::lsp {

// All that `analyses` say of the file, each thing once, as an array of diagnostics. For a file that other files build upon: also how many
// findings stand in those.
llvm::json::Array diagnostics(const std::string& path, const std::vector<AnalysisPtr>& analyses, const Client& client,
                              const BuffersPtr& buffers);

// A message as an editor shows it, with its effect below.
std::string message_of(const Finding& finding);

}  // namespace shardlint::lsp
