// The documents that are open in the editor, and the world as it is with them: what is open stands before what is on the disk.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include <llvm/Support/JSON.h>

#include "checker/lsp/encoding.h"
#include "checker/text/files.h"

namespace shardlint::lsp {

struct Text {
  std::string bytes;
  Lines lines;
  explicit Text(std::string text) : bytes(std::move(text)), lines(bytes) {}
  Text(std::string text, Lines table) : bytes(std::move(text)), lines(std::move(table)) {}
};
using TextPtr = std::shared_ptr<const Text>;

struct OpenDocument {
  std::string uri;   // as the editor spells it
  std::string path;  // absolute; of a document that lies in no file, where it would be saved
  std::int64_t version = 0;
  TextPtr text;
};

// By path. One state of all buffers, never changed once it is handed out.
using Buffers = std::map<std::string, OpenDocument>;
using BuffersPtr = std::shared_ptr<const Buffers>;

// What the edits of a textDocument/didChange make of a text; null if one of them cannot be read.
TextPtr apply_changes(const Text& text, const llvm::json::Array& changes, Encoding encoding);

// The files below `folder`, which relative paths start from, as one check of them sees them. Remembers what was read and what was asked
// for in vain: a job consists of those files and waits for these.
class World final : public Files {
 public:
  World(std::string folder, BuffersPtr buffers) : folder_(std::move(folder)), buffers_(std::move(buffers)) {}

  Read read(const std::string& path) const override;
  bool is_folder(const std::string& path) const override { return disk_.is_folder(absolute(path)); }
  bool exists(const std::string& path) const override;
  std::vector<std::string> list(const std::string& folder) const override { return disk_.list(absolute(folder)); }
  std::string why_closed(const std::string& folder) const override { return disk_.why_closed(absolute(folder)); }
  std::string working_folder() const override { return folder_; }
  std::map<std::string, std::string> held() const override;
  std::string real(const std::string& path) const override { return disk_.real(absolute(path)); }

  std::string absolute(std::string_view path) const { return join(folder_, path); }
  const std::set<std::string>& read_files() const { return read_; }        // absolute
  const std::set<std::string>& missing_files() const { return missing_; }  // absolute

 private:
  std::string folder_;
  BuffersPtr buffers_;
  Disk disk_;
  mutable std::set<std::string> read_, missing_;
};

}  // namespace shardlint::lsp
