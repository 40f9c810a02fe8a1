// Completion in shardlint.toml.
#pragma once

#include "checker/lsp/cursor.h"
#include "checker/lsp/request.h"

namespace shardlint::lsp {

llvm::json::Array settings_completion(const Request& request, const Cursor& cursor);

}  // namespace shardlint::lsp
