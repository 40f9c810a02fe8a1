// `lsp`: the language server on standard input and output.
#include <cstdio>

#include <unistd.h>

#include <llvm/Support/raw_ostream.h>

#include "checker/cli/commands.h"
#include "checker/lsp/server.h"

namespace shardlint {

int run_lsp() {
  // Nothing else may write to standard output: it is the protocol's.
  llvm::raw_fd_ostream out(STDOUT_FILENO, false);
  return lsp::Server(stdin, out).run();
}

}  // namespace shardlint
