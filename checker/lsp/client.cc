#include "checker/lsp/client.h"

#include "checker/lsp/uri.h"

namespace shardlint::lsp {

namespace {

const llvm::json::Value* at(const llvm::json::Object* object, std::initializer_list<const char*> path) {
  const llvm::json::Value* value = nullptr;
  for (const char* key : path) {
    if (!object) return nullptr;
    value = object->get(key);
    object = value ? value->getAsObject() : nullptr;
  }
  return value;
}

bool on(const llvm::json::Object* object, std::initializer_list<const char*> path) {
  const llvm::json::Value* value = at(object, path);
  return value && value->getAsBoolean().value_or(false);
}

bool there(const llvm::json::Object* object, std::initializer_list<const char*> path) {
  const llvm::json::Value* value = at(object, path);
  return value && !value->getAsNull();
}

bool lists(const llvm::json::Value* value, llvm::StringRef wanted) {
  const llvm::json::Array* array = value ? value->getAsArray() : nullptr;
  if (array)
    for (const llvm::json::Value& item : *array)
      if (item.getAsString() == wanted) return true;
  return false;
}

}  // namespace

Client client_of(const llvm::json::Object& initialize) {
  const llvm::json::Object* can = initialize.getObject("capabilities");
  Client out;
  // Bytes are what we have; a client that leads with anything else would rather not count them, but offers no price for that.
  const llvm::json::Value* encodings = at(can, {"general", "positionEncodings"});
  if (lists(encodings, "utf-8"))
    out.encoding = Encoding::Utf8;
  else if (encodings && !lists(encodings, "utf-16") && lists(encodings, "utf-32"))
    out.encoding = Encoding::Utf32;
  const llvm::json::Value* publish = at(can, {"textDocument", "publishDiagnostics"});
  const llvm::json::Object* published = publish ? publish->getAsObject() : nullptr;
  out.related = on(published, {"relatedInformation"});
  out.tags = there(published, {"tagSupport"});
  out.links = on(published, {"codeDescriptionSupport"});
  out.document_changes = on(can, {"workspace", "workspaceEdit", "documentChanges"});
  out.creates_files = lists(at(can, {"workspace", "workspaceEdit", "resourceOperations"}), "create");
  out.resolves_edits = lists(at(can, {"textDocument", "codeAction", "resolveSupport", "properties"}), "edit");
  const llvm::json::Value* formats = at(can, {"textDocument", "hover", "contentFormat"});
  out.markdown = lists(formats, "markdown");
  out.tree_of_symbols = on(can, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"});
  out.progress = on(can, {"window", "workDoneProgress"});
  out.shows_documents = on(can, {"window", "showDocument", "support"});
  out.watches = on(can, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  out.asks_settings = on(can, {"workspace", "configuration"});
  out.refreshes_lenses = on(can, {"workspace", "codeLens", "refreshSupport"});
  out.refreshes_hints = on(can, {"workspace", "inlayHint", "refreshSupport"});
  out.selects = on(initialize.getObject("initializationOptions"), {"selects"});
  return out;
}

const Lines& Places::lines(const SourcePtr& source) {
  const auto found = lines_.find(source.get());
  return found != lines_.end() ? found->second : lines_.emplace(source.get(), Lines(source->text())).first->second;
}

llvm::json::Value Places::range(const SourcePtr& source, Range range) {
  return toJSON(lines(source).range(source->text(), range, encoding_));
}

std::string Places::uri(const std::string& path) const {
  const auto open = buffers_->find(path);
  return open != buffers_->end() ? open->second.uri : uri_of(path);
}

llvm::json::Value Places::location(const Place& place) {
  return llvm::json::Object{{"uri", uri(path(place.source))}, {"range", range(place.source, place.range)}};
}

bool Places::is_file(const Place& place) const { return place && !place.source->path().starts_with('<'); }

std::optional<llvm::json::Value> Places::edit(const std::vector<Edit>& edits, const Client& client) {
  std::map<std::string, llvm::json::Array> by_path;
  for (const Edit& edit : edits) {
    const std::string path = this->path(edit.source);
    if (const auto open = buffers_->find(path); open != buffers_->end() && open->second.text->bytes != edit.source->text())
      return std::nullopt;
    by_path[path].push_back(llvm::json::Object{{"range", range(edit.source, edit.range)}, {"newText", edit.text}});
  }
  if (!client.document_changes) {
    llvm::json::Object changes;
    for (auto& [path, list] : by_path) changes[uri(path)] = std::move(list);
    return llvm::json::Object{{"changes", std::move(changes)}};
  }
  llvm::json::Array changes;
  for (auto& [path, list] : by_path) {
    const auto open = buffers_->find(path);
    llvm::json::Object document{{"uri", uri(path)}, {"version", nullptr}};
    if (open != buffers_->end()) document["version"] = open->second.version;
    changes.push_back(llvm::json::Object{{"textDocument", std::move(document)}, {"edits", std::move(list)}});
  }
  return llvm::json::Object{{"documentChanges", std::move(changes)}};
}

}  // namespace shardlint::lsp
