// JSON, and Hjson as DeepSpeed reads it: all of it stands between brackets, so only the spelling is its own.

#include <cmath>

#include "checker/fix/writer_syntax.h"

namespace shardlint::writer::json {
namespace {

// `"a":1` or `"a": 1`, as the table's first entry, or the root's, has it.
std::string colon(const Document& document, const Node& table) {
  const Node& model = table.entries.empty() ? *document.roots.front() : table;
  if (model.kind != Node::Kind::Mapping || model.entries.empty()) return ": ";
  const Entry& entry = model.entries.front();
  return colon_end(document.source->text(), entry.key_range) == entry.value_range.begin ? ":" : ": ";
}

}  // namespace

std::optional<std::string> spell(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Null:
    case Value::Kind::Bool:
    case Value::Kind::Int: return to_string(value);
    case Value::Kind::Real: return std::isfinite(*value.real()) ? std::optional(spell_real(*value.real())) : std::nullopt;
    case Value::Kind::Str: return double_quoted(*value.text());
    case Value::Kind::Map: return value.map()->size == 0 ? std::optional<std::string>("{}") : std::nullopt;
    case Value::Kind::List: break;
  }
  std::string out;
  for (const Value& item : *value.list()) {
    const std::optional<std::string> text = spell(item);
    if (!text) return std::nullopt;
    out += (out.empty() ? "" : ", ") + *text;
  }
  return "[" + out + "]";
}

Edits insert(const Document& document, const Target& target, const Value& value) {
  const Node& table = *target.table;
  const std::optional<std::string> spelled = spell(value);
  if (!spelled || table.kind != Node::Kind::Mapping) return std::nullopt;
  const std::string between = colon(document, table);
  std::string open, close;
  for (std::size_t i = 0; i < target.missing.size(); ++i) {
    open += (i ? "{" : "") + double_quoted(target.missing[i]) + between;
    close += i ? "}" : "";
  }
  return insert_in_brackets(document, table, open + *spelled + close);
}

}  // namespace shardlint::writer::json
