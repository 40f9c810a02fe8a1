#include "checker/lsp/uri.h"

#include <algorithm>

#include "checker/document/document.h"
#include "checker/text/files.h"

namespace shardlint::lsp {

namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
      out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string path_in(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string_view::npos) return "";
  uri.remove_prefix(colon + 1);
  if (uri.starts_with("//")) {  // the authority is empty or "localhost"
    const std::size_t slash = uri.find('/', 2);
    uri = slash == std::string_view::npos ? std::string_view("/") : uri.substr(slash);
  }
  std::string path = decoded(uri.substr(0, uri.find_first_of("?#")));
  return path.starts_with('/') ? normal(path) : "";
}

std::optional<std::string> path_of(std::string_view uri) {
  if (!uri.starts_with("file:")) return std::nullopt;
  std::string path = path_in(uri);
  return path.empty() ? std::nullopt : std::optional(std::move(path));
}

std::string uri_of(std::string_view path) {
  static constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "file://";
  for (char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%', out += kHex[byte >> 4u], out += kHex[byte & 15u];
  }
  return out;
}

std::string name_of(std::string_view uri, std::string_view language) {
  std::string out = decoded(uri.substr(uri.find(':') == std::string_view::npos ? 0 : uri.find(':') + 1));
  out = out.substr(0, out.find_first_of("?#"));
  while (out.ends_with('/')) out.pop_back();
  out = base_name(out);
  if (out.empty()) out = "untitled";
  if (format_of(out)) return out;
  if (language == "toml" || language == "yaml" || language == "json") return out + "." + std::string(language);
  if (language == "jsonc") return out + ".json";
  if (language == "cpp" || language == "cuda-cpp") return out + ".cc";
  if (language == "shellscript" || language == "sh" || language == "bash") return out.ends_with(".sh") ? out : out + ".sh";
  return out;
}

}  // namespace shardlint::lsp
