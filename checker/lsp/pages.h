// The rules' pages as files, so that an editor can open what a link leads to without a network.
#pragma once

#include <string>
#include <string_view>

namespace shardlint::lsp {

// Writes the page below the user's cache folder, once, and returns its URI; empty if there is no page or no such folder.
std::string page_uri(std::string_view rule);
// Any text that a command shows.
std::string file_uri(std::string_view name, std::string_view text);

}  // namespace shardlint::lsp
