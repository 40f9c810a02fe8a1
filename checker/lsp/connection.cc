#include "checker/lsp/connection.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace shardlint::lsp {

namespace {

constexpr std::size_t kLargest = 256u << 20;  // a message; no editor sends more

}  // namespace

std::optional<std::string> Connection::frame() {
  std::size_t length = 0;
  bool known = false;
  std::string line;
  for (int c = std::getc(in_); c != EOF; c = std::getc(in_)) {
    if (c != '\n') {
      if (line.size() < 4096) line += static_cast<char>(c);
      continue;
    }
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) {
      if (!known) continue;  // blank lines between messages
      std::string body(length, '\0');
      if (std::fread(body.data(), 1, length, in_) != length) return std::nullopt;
      return body;
    }
    const std::size_t colon = line.find(':');
    std::string header = line.substr(0, colon);
    std::transform(header.begin(), header.end(), header.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (colon != std::string::npos && header == "content-length") {
      const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
      if (begin != std::string::npos)
        known = std::from_chars(line.data() + begin, line.data() + line.size(), length).ec == std::errc() && length <= kLargest;
    }
    line.clear();
  }
  return std::nullopt;
}

std::optional<llvm::json::Object> Connection::read() {
  while (const std::optional<std::string> body = frame()) {
    llvm::Expected<llvm::json::Value> message = llvm::json::parse(*body);
    if (!message) {
      fail(nullptr, ErrorCode::ParseError, llvm::toString(message.takeError()));
      continue;
    }
    if (llvm::json::Object* object = message->getAsObject()) return std::move(*object);
    fail(nullptr, ErrorCode::InvalidRequest, "a message is an object");
  }
  return std::nullopt;
}

void Connection::notify(std::string_view method, llvm::json::Value params) {
  const std::lock_guard lock(writing_);
  transport_.notify(llvm::StringRef(method.data(), method.size()), std::move(params));
}

void Connection::reply(const llvm::json::Value& id, llvm::json::Value result) {
  const std::lock_guard lock(writing_);
  transport_.reply(id, std::move(result));
}

void Connection::fail(const llvm::json::Value& id, ErrorCode code, const std::string& message) {
  const std::lock_guard lock(writing_);
  transport_.reply(id, llvm::make_error<mlir::lsp::LSPError>(message, code));
}

void Connection::call(std::string_view method, llvm::json::Value params, std::function<void(llvm::json::Value)> then) {
  const std::lock_guard lock(writing_);
  waiting_[++calls_] = std::move(then);
  transport_.call(llvm::StringRef(method.data(), method.size()), std::move(params), calls_);
}

void Connection::answered(llvm::json::Object& message) {
  std::function<void(llvm::json::Value)> then;
  {
    const std::lock_guard lock(writing_);
    const auto found = waiting_.find(message.getInteger("id").value_or(0));
    if (found == waiting_.end()) return;
    then = std::move(found->second);
    waiting_.erase(found);
  }
  llvm::json::Value* result = message.get("result");
  then(result ? std::move(*result) : llvm::json::Value(nullptr));
}

}  // namespace shardlint::lsp
