// How editors name files: URIs. Each side keeps its own spelling; a document that lies in no file (`untitled:`, `git:`) is a file of its
// own in memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardlint::lsp {

// The absolute, normal path behind a `file:` URI; nothing for any other scheme.
std::optional<std::string> path_of(std::string_view uri);
std::string path_in(std::string_view uri);  // of any scheme; empty if it has no absolute path
std::string uri_of(std::string_view path);  // "file:///a/b%20c"

// A name without a folder for a document of another scheme, with the ending that its language has: "Untitled-1.yaml".
std::string name_of(std::string_view uri, std::string_view language);

}  // namespace shardlint::lsp
