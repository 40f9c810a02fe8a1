// Messages in and out, over two pipes.
//
// MLIR's JSONTransport writes. Reading is ours: the library hands a request to its handler without the id, so that nothing could be
// cancelled, and knows no header but "Content-Length" in exactly that spelling. Writing is safe from any thread, reading is for one.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/Tools/lsp-server-support/Transport.h>

namespace shardlint::lsp {

using mlir::lsp::ErrorCode;

class Connection {
 public:
  Connection(std::FILE* in, llvm::raw_ostream& out) : in_(in), transport_(in, out) {}

  // The next message; nothing at the end of the input. What is no JSON is answered and passed over.
  std::optional<llvm::json::Object> read();

  void notify(std::string_view method, llvm::json::Value params);
  void reply(const llvm::json::Value& id, llvm::json::Value result);
  void fail(const llvm::json::Value& id, ErrorCode code, const std::string& message);
  // `then` gets the client's answer on the thread that reads; null where it answers with an error.
  void call(std::string_view method, llvm::json::Value params, std::function<void(llvm::json::Value)> then);
  // Takes a message that answers one of our calls.
  void answered(llvm::json::Object& message);

 private:
  std::optional<std::string> frame();

  std::FILE* in_;
  std::mutex writing_;
  mlir::lsp::JSONTransport transport_;
  std::int64_t calls_ = 0;
  std::map<std::int64_t, std::function<void(llvm::json::Value)>> waiting_;  // by the call's id
};

}  // namespace shardlint::lsp
