// Any messages are an editor's: each request is answered once, what is sent is JSON in frames, and both sides
// count texts alike.
//
// The input is messages that NULs part, sent behind a greeting and a document that is opened; or, behind a '!', the bytes of the
// connection themselves; or, behind a '?', a text and an edit of it. The server runs as it is, with its threads; a message is sent when all requests before it are answered.
#include <condition_variable>
#include <deque>
#include <mutex>

#include <unistd.h>

#include "checker/lsp/server.h"
#include "checker/lsp/uri.h"
#include "tests/folder.h"
#include "tests/fuzz/promise.h"

namespace shardlint::lsp {
namespace {

using fuzzing::require;
using namespace std::string_literals;
using Json = llvm::json::Value;

std::optional<Json> parsed(const std::string& text) {
  llvm::Expected<Json> value = llvm::json::parse(text);
  if (value) return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

// What the server sends, a frame at a time.
class Sent final : public llvm::raw_ostream {
 public:
  Sent() : llvm::raw_ostream(true) {}

  // Until so many requests were answered. Nobody waits for a minute.
  void wait_for_answers(std::size_t number) {
    std::unique_lock lock(mutex_);
    require(more_.wait_for(lock, std::chrono::minutes(2), [&] { return answers_ >= number; }));
  }
  std::size_t answers() {
    const std::lock_guard lock(mutex_);
    return answers_;
  }

 private:
  void write_impl(const char* bytes, std::size_t size) override {
    const std::lock_guard lock(mutex_);
    waiting_.append(bytes, size), written_ += size;
    while (true) {
      const std::size_t end = waiting_.find("\r\n\r\n");
      if (end == std::string::npos) return;
      require(waiting_.starts_with("Content-Length: "));
      const std::size_t length = std::stoul(waiting_.substr(16));
      if (waiting_.size() < end + 4 + length) return;
      const std::optional<Json> message = parsed(waiting_.substr(end + 4, length));
      require(message && message->getAsObject() && message->getAsObject()->getString("jsonrpc") == llvm::StringRef("2.0"));
      const llvm::json::Object& object = *message->getAsObject();
      if (!object.get("method")) {
        require(object.get("id") && (object.get("result") || object.get("error")));
        ++answers_;
        more_.notify_all();
      }
      waiting_.erase(0, end + 4 + length);
    }
  }
  std::uint64_t current_pos() const override { return written_; }

  std::mutex mutex_;
  std::condition_variable more_;
  std::string waiting_;
  std::size_t answers_ = 0, written_ = 0;
};

// The editor's end: what it says, a message at a time.
struct Editor {
  Sent& sent;
  std::deque<std::string> messages;
  bool raw = false;  // as it is
  std::string rest = {};
  std::size_t requests = 0;

  std::size_t read(char* buffer, std::size_t size) {
    if (rest.empty()) {
      if (!raw) sent.wait_for_answers(requests);
      if (messages.empty()) return 0;
      rest = std::move(messages.front());
      messages.pop_front();
      if (!raw) {
        const std::optional<Json> value = parsed(rest);
        const llvm::json::Object* object = value ? value->getAsObject() : nullptr;
        const llvm::StringRef method = object ? object->getString("method").value_or("") : "";
        // What is no message is answered too; nothing is answered behind the last one.
        if (!object || (object->get("id") && !method.empty() && method != "exit")) ++requests;
        if (method == "exit") messages.clear();
        rest = "Content-Length: " + std::to_string(rest.size()) + "\r\n\r\n" + rest;
      }
    }
    const std::size_t part = std::min(size, rest.size());
    rest.copy(buffer, part);
    rest.erase(0, part);
    return part;
  }
};

ssize_t read_cookie(void* editor, char* buffer, std::size_t size) {
  return static_cast<ssize_t>(static_cast<Editor*>(editor)->read(buffer, size));
}

const std::string kText =
    "MODEL_ARGS:\n  --tensor-model-parallel-size: 3\n  --num-layers: 32\n  --hidden-size: 4096  # \xC3\xA4\xF0\x9F\x98\x80\n"
    "  --num-attention-heads: 33\n  --micro-batch-size: 1\n  --seq-length: 2048\n  --max-position-embeddings: 1024\n";

// A folder for one process, with the job in it. Nothing is written to anybody's cache.
const std::string& workspace() {
  static const test::Folder folder;
  static const bool begun = [] {
    folder.write("job.yaml", kText);
    folder.write("other.yaml", "defaults: [job]\na: ${b}\n");
    folder.write("run.sh", "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --yaml-cfg job.yaml\n");
    return ::unsetenv("XDG_CACHE_HOME") == 0 && ::unsetenv("HOME") == 0;
  }();
  require(begun);
  return folder.path();
}

std::string message(Json value) { return llvm::formatv("{0}", std::move(value)).str(); }

void talk(std::string_view input) {
  Sent sent;
  Editor editor{sent, {}};
  editor.raw = input.starts_with('!');
  if (editor.raw) {
    editor.messages.emplace_back(input.substr(1));
  } else {
    const std::string folder = uri_of(workspace()), document = uri_of(workspace() + "/job.yaml");
    editor.messages.push_back(message(llvm::json::Object{
        {"id", 0},
        {"method", "initialize"},
        {"params", llvm::json::Object{{"rootUri", folder}, {"initializationOptions", llvm::json::Object{{"debounce", 0}}}}}}));
    editor.messages.push_back(message(llvm::json::Object{{"method", "initialized"}, {"params", llvm::json::Object{}}}));
    editor.messages.push_back(message(llvm::json::Object{
        {"method", "textDocument/didOpen"},
        {"params", llvm::json::Object{{"textDocument", llvm::json::Object{{"uri", document}, {"version", 1}, {"text", kText}}}}}}));
    // "$" is the document: a seed knows of no folder.
    while (!input.empty() && editor.messages.size() < 40) {
      std::string next(fuzzing::cut(input));
      for (std::size_t at; (at = next.find("\"$\"")) != std::string::npos;) next.replace(at, 3, "\"" + document + "\"");
      editor.messages.push_back(std::move(next));
    }
  }
  std::FILE* in = ::fopencookie(&editor, "r", {read_cookie, nullptr, nullptr, nullptr});
  require(in != nullptr);
  {
    Server server(in, sent);
    server.run();
  }
  std::fclose(in);
  if (!editor.raw) require(sent.answers() == editor.requests);
}

// Offsets and positions are two names of one place, and a table that was mended is the one that would be made anew.
void count(std::string_view input) {
  const std::string_view text = fuzzing::cut(input);
  const std::string_view by = fuzzing::cut(input);
  if (!llvm::json::isUTF8(llvm::StringRef(text.data(), text.size())) || !llvm::json::isUTF8(llvm::StringRef(by.data(), by.size()))) return;
  const auto size = static_cast<std::uint32_t>(text.size());
  const Lines lines(text);
  const auto at = [&](std::size_t i) { return i < input.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(input[i])) : 0; };
  for (const Encoding encoding : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32}) {
    for (std::uint32_t offset = 0; offset <= std::min<std::uint32_t>(size, 300); ++offset) {
      const mlir::lsp::Position position = lines.position(text, offset, encoding);
      const std::uint32_t back = lines.offset(text, position, encoding);
      require(back <= offset && lines.position(text, back, encoding) == position);
    }
    std::uint32_t begin = lines.offset(text, {static_cast<int>(at(0)), static_cast<int>(at(1))}, encoding);
    std::uint32_t end = lines.offset(text, {static_cast<int>(at(2)), static_cast<int>(at(3))}, encoding);
    if (begin > end) std::swap(begin, end);
    std::string after(text);
    after.replace(begin, end - begin, by);
    Lines mended = lines;
    mended.replaced(after, {begin, end}, by);
    const Lines anew(after);
    require(mended.count() == anew.count());
    for (std::uint32_t line = 0; line < anew.count(); ++line) require(mended.line(after, line) == anew.line(after, line));
  }
}

}  // namespace
}  // namespace shardlint::lsp

FUZZ_TARGET(lsp) {
  if (input.starts_with('?'))
    shardlint::lsp::count(input.substr(1));
  else
    shardlint::lsp::talk(input);
}
