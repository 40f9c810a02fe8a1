// What the editor can do, as it says at the start, and the places of our findings in its terms.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <llvm/Support/JSON.h>

#include "checker/lsp/buffers.h"

namespace shardlint::lsp {

struct Client {
  Encoding encoding = Encoding::Utf16;
  bool related = false, tags = false, links = false;     // diagnostics: related places, tags, a link behind the rule's name
  bool document_changes = false, creates_files = false;  // edits: with versions, and of files that are not there yet
  bool resolves_edits = false;                           // code actions: their edits may come later
  bool markdown = false, tree_of_symbols = false;
  bool selects = false;  // has a command of its own that selects a range: an option of ours
  bool progress = false, shows_documents = false, watches = false, asks_settings = false;
  bool refreshes_lenses = false, refreshes_hints = false;
};
Client client_of(const llvm::json::Object& initialize);

// Turns places into ranges and locations of the editor. Keeps the line tables that it made; for one answer.
class Places {
 public:
  Places(Encoding encoding, BuffersPtr buffers, std::string folder)
      : encoding_(encoding), buffers_(std::move(buffers)), folder_(std::move(folder)) {}

  llvm::json::Value range(const SourcePtr& source, Range range);
  llvm::json::Value location(const Place& place);  // "uri" and "range"
  std::string path(const SourcePtr& source) const { return join(folder_, source->path()); }
  std::string uri(const std::string& path) const;  // as the editor spells it, if it has it open
  // Whether it lies in a file that a person can open, not on a command line.
  bool is_file(const Place& place) const;
  // The edits as a WorkspaceEdit; nothing if a file that they change is another by now.
  std::optional<llvm::json::Value> edit(const std::vector<Edit>& edits, const Client& client);

 private:
  const Lines& lines(const SourcePtr& source);

  Encoding encoding_;
  BuffersPtr buffers_;
  std::string folder_;
  std::map<const Source*, Lines> lines_;
};

}  // namespace shardlint::lsp
