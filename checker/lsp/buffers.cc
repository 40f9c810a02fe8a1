#include "checker/lsp/buffers.h"

#include <algorithm>

namespace shardlint::lsp {

TextPtr apply_changes(const Text& text, const llvm::json::Array& changes, Encoding encoding) {
  std::string bytes = text.bytes;
  Lines lines = text.lines;
  for (const llvm::json::Value& value : changes) {
    const llvm::json::Object* change = value.getAsObject();
    const std::optional<llvm::StringRef> by = change ? change->getString("text") : std::nullopt;
    if (!by) return nullptr;
    const llvm::json::Value* where = change->get("range");
    if (!where || where->getAsNull()) {
      bytes = by->str();
      lines = Lines(bytes);
      continue;
    }
    mlir::lsp::Range range;
    llvm::json::Path::Root root;
    if (!fromJSON(*where, range, root)) return nullptr;
    std::uint32_t begin = lines.offset(bytes, range.start, encoding), end = lines.offset(bytes, range.end, encoding);
    if (begin > end) std::swap(begin, end);
    bytes.replace(begin, end - begin, by->data(), by->size());
    lines.replaced(bytes, {begin, end}, {by->data(), by->size()});
  }
  return std::make_shared<const Text>(std::move(bytes), std::move(lines));
}

Files::Read World::read(const std::string& path) const {
  const std::string whole = absolute(path);
  if (const auto open = buffers_->find(whole); open != buffers_->end()) {
    read_.insert(whole);
    return {open->second.text->bytes, ""};
  }
  Read out = disk_.read(whole);
  (out.text ? read_ : missing_).insert(whole);
  return out;
}

bool World::exists(const std::string& path) const {
  const std::string whole = absolute(path);
  if (buffers_->contains(whole) || disk_.exists(whole)) return true;
  missing_.insert(whole);
  return false;
}

std::map<std::string, std::string> World::held() const {
  std::map<std::string, std::string> out;
  for (const auto& [path, document] : *buffers_) out.emplace(path, document.text->bytes);
  return out;
}

}  // namespace shardlint::lsp
