// The parts of a document that no syntax owns: telling formats apart, refusing bytes that are no text, looking entries up, dumping.
#include "checker/document/document.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "checker/document/readers.h"

namespace shardlint {
namespace {

constexpr std::size_t kMaxBytes = 64u << 20;
constexpr std::size_t kMaxMerged = 100'000;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The length of the UTF-8 sequence at `at`; 0 if there is none (overlong forms, surrogates and what lies beyond U+10FFFF included).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !tail(1)) return 0;
  if (first < 0xE0) return 2;
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || !tail(2)) return 0;
  if (first < 0xF0) return 3;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F) || !tail(3)) return 0;
  return 4;
}

std::size_t first_invalid_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (!length) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string_view wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return "UTF-16";
  // Without a mark: an ASCII character and a NUL, either way round.
  if (text.size() >= 4 && (text[0] == 0) != (text[1] == 0) && (text[0] == 0) == (text[2] == 0) && (text[1] == 0) == (text[3] == 0))
    return "UTF-16";
  return {};
}

void read_text(Document& document, Input input, bool hjson) {
  switch (document.format) {
    case Format::Toml: return read_toml(document, input);
    case Format::Yaml: return read_yaml(document, input);
    case Format::Json: return read_json(document, input, hjson);
    case Format::Cpp: return read_cpp(document);
  }
}

bool is_merge(const Document& document, const Entry& entry) {
  return document.format == Format::Yaml && entry.key == "<<" && document.raw(entry.key_range) == "<<";
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  out += '"';
}

void append(std::string& out, const Node& node) {
  if (!node.tag.empty()) {
    constexpr std::string_view standard = "tag:yaml.org,2002:";
    const std::string_view tag = node.tag;
    out += tag.starts_with(standard) ? fmt::format("!!{} ", tag.substr(standard.size())) : fmt::format("{} ", tag);
  }
  std::string_view comma;
  switch (node.kind) {
    case Node::Kind::Scalar:
      if (node.style == Style::Plain)
        out += node.text;
      else
        append_quoted(out, node.text);
      break;
    case Node::Kind::Sequence:
      out += '[';
      for (const Item& item : node.items) {
        out += comma;
        if (item.alias)
          out += '*';
        else
          append(out, *item.value);
        comma = ", ";
      }
      out += ']';
      break;
    case Node::Kind::Mapping:
      out += '{';
      for (const Entry& entry : node.entries) {
        out += comma;
        if (entry.shadowed) out += '!';
        out += entry.key;
        out += ": ";
        if (entry.alias)
          out += '*';
        else
          append(out, *entry.value);
        comma = ", ";
      }
      out += '}';
      break;
  }
}

}  // namespace

Range token_at(std::string_view text, std::size_t offset) {
  constexpr std::string_view marks = "[]{},:\"'=#";
  const auto blank = [&](std::size_t i) { return text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'; };
  const auto range = [](std::size_t begin, std::size_t end) {
    return Range{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  };
  const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0u) == 0x80u; };
  offset = std::min(offset, text.size());
  if (offset == text.size() || blank(offset)) {
    while (offset > 0 && blank(offset - 1)) --offset;
    if (offset == 0) return {};
    std::size_t begin = offset - 1;
    while (begin > 0 && continues(begin)) --begin;
    return range(begin, offset);
  }
  std::size_t end = offset + 1;
  if (marks.find(text[offset]) == std::string_view::npos)
    while (end < text.size() && !blank(end) && marks.find(text[end]) == std::string_view::npos) ++end;
  return range(offset, end);
}

void mark_duplicates(Document& document, Node& mapping, bool (*same)(const Document&, const Entry&, const Entry&)) {
  std::unordered_map<std::string_view, const Entry*> last;
  std::vector<Duplicate> found;
  for (auto entry = mapping.entries.rbegin(); entry != mapping.entries.rend(); ++entry) {
    if (is_merge(document, *entry)) continue;
    const auto [winner, fresh] = last.try_emplace(entry->key, &*entry);
    if (fresh || (same && !same(document, *entry, *winner->second))) continue;
    entry->shadowed = true;
    found.push_back({entry->key, entry->key_range, winner->second->key_range});
  }
  document.duplicates.insert(document.duplicates.end(), found.rbegin(), found.rend());
}

std::vector<const Entry*> Document::entries(const Node& mapping) const {
  std::vector<const Entry*> out;
  std::unordered_set<std::string_view> keys;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> pending{&mapping};
  // Depth first, the strongest source first; a key or a mapping that was met before has nothing to add. So a chain of doubling merges
  // costs its own length, and a cycle ends.
  while (!pending.empty() && out.size() < std::max(kMaxMerged, mapping.entries.size())) {
    const Node& node = *pending.back();
    pending.pop_back();
    if (!seen.insert(&node).second) continue;
    std::vector<const Node*> sources;  // the weakest first, as a stack wants them
    const bool merging = &node != &mapping;
    for (const Entry& entry : node.entries) {
      if (is_merge(*this, entry)) {
        if (entry.value->kind == Node::Kind::Mapping) sources.push_back(entry.value);
        for (auto item = entry.value->items.rbegin(); item != entry.value->items.rend(); ++item)
          if (item->value->kind == Node::Kind::Mapping) sources.push_back(item->value);
      } else if (!entry.shadowed && (keys.insert(entry.key).second || !merging)) {
        out.push_back(&entry);
      }
    }
    pending.insert(pending.end(), sources.begin(), sources.end());
  }
  return out;
}

const Entry* Document::find(const Node& mapping, std::string_view key) const {
  bool merges = false;
  for (const Entry& entry : mapping.entries) {
    if (is_merge(*this, entry))
      merges = true;
    else if (!entry.shadowed && entry.key == key)
      return &entry;
  }
  if (!merges) return nullptr;
  for (const Entry* entry : entries(mapping))
    if (entry->key == key) return entry;
  return nullptr;
}

Node* Document::make(Node::Kind kind) {
  if (nodes_.empty() || nodes_.back().size() == nodes_.back().capacity())
    nodes_.emplace_back().reserve(std::size_t{16} << std::min<std::size_t>(nodes_.size(), 6));
  Node& node = nodes_.back().emplace_back();
  node.kind = kind;
  return &node;
}

std::optional<Format> format_of(std::string_view path) {
  const auto dot = path.find_last_of("./");
  if (dot == std::string_view::npos || path[dot] != '.') return std::nullopt;
  std::string extension(path.substr(dot + 1));
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (extension == "toml") return Format::Toml;
  if (extension == "yaml" || extension == "yml") return Format::Yaml;
  if (extension == "json") return Format::Json;
  if (extension == "cpp" || extension == "cc" || extension == "cxx" || extension == "cu") return Format::Cpp;
  return std::nullopt;
}

DocumentPtr read_document(SourcePtr source, Format format, bool hjson) {
  auto document = std::make_shared<Document>();
  document->format = format;
  document->source = source;
  const std::string_view text = source->text();
  if (text.size() > kMaxBytes) {
    document->problems.push_back({"this file is larger than 64 MiB and was not read", {0, 0}, {}, {}});
    return document;
  }
  if (format == Format::Cpp) {  // in whatever encoding: its comments are all that is looked at
    read_text(*document, {}, false);
    return document;
  }
  if (const std::string_view encoding = wide_encoding(text); !encoding.empty()) {
    document->problems.push_back({fmt::format("this file is {}; save it as UTF-8", encoding), {0, 2}, {}, {}});
    return document;
  }
  Input input{text, 0};
  if (text.starts_with(kByteOrderMark)) input = {text.substr(kByteOrderMark.size()), static_cast<std::uint32_t>(kByteOrderMark.size())};
  const std::size_t invalid = first_invalid_byte(input.text);
  if (invalid == std::string_view::npos) {
    read_text(*document, input, hjson);
    return document;
  }
  // Whole lines before the bad byte are read; what is wrong with them because they end there is not said.
  const auto place = static_cast<std::uint32_t>(invalid) + input.base;
  const auto byte = static_cast<unsigned char>(input.text[invalid]);
  const std::size_t line = invalid == 0 ? std::string_view::npos : input.text.rfind('\n', invalid - 1);
  input.text = input.text.substr(0, line == std::string_view::npos ? 0 : line + 1);
  read_text(*document, input, hjson);
  document->problems = {{fmt::format("byte 0x{:02X} is not valid UTF-8 here", byte), {place, place + 1}, {}, {}}};
  return document;
}

std::string dump(const Document& document) {
  std::string out;
  for (const Node* root : document.roots) {
    if (root != document.roots.front()) out += " --- ";
    append(out, *root);
  }
  return out;
}

}  // namespace shardlint
