#include "checker/lsp/key_text.h"

#include <fmt/format.h>

namespace shardlint::lsp {

namespace {

// The kinds that a value may have, for people: what a null or a boolean counts as in Python is of no interest.
std::string kinds(TypeSet types) {
  if (types == type::Any) return "any value";
  static constexpr std::pair<TypeSet, std::string_view> kWords[] = {{type::Int, "an integer"},     {type::Real, "a number"},
                                                                    {type::Bool, "true or false"}, {type::Str, "text"},
                                                                    {type::List, "a list"},        {type::Map, "a section"}};
  std::string out;
  for (const auto& [kind, word] : kWords) {
    if (!(types & kind) || (kind == type::Int && (types & type::Real))) continue;
    out += (out.empty() ? "" : " or ") + std::string(word);
  }
  if (types & type::Null) out += out.empty() ? "null" : ", or null";
  return out;
}

}  // namespace

std::string default_text(const Schema& schema, const KeySpec& key) {
  if (!key.has_default || key.defaults.empty()) return "";
  const ExprNode& node = schema.nodes[key.defaults[0]];
  if (node.op != Op::Const) return "";
  const Value value = schema.constants[node.a].value();
  return value.text() ? fmt::format("\"{}\"", *value.text()) : to_string(value);
}

std::string type_and_default(const Schema& schema, const KeySpec& key) {
  std::string out = kinds(key.types);
  if (const std::string text = default_text(schema, key); !text.empty()) out += fmt::format(", default {}", text);
  if (key.required) out += ", must be written";
  return out;
}

std::vector<Field> fields_of(const Schema& schema, Slot key, std::size_t plan) {
  std::vector<Field> out;
  for (Slot field = 0; field < kFieldCount; ++field)
    if (schema.alias(field, plan) == key) out.push_back(static_cast<Field>(field));
  return out;
}

std::string key_page(const Schema& schema, const KeySpec& key, const std::vector<Field>& fields) {
  std::string out;
  if (!key.note.empty()) out += fmt::format("{}\n\n", key.note);
  for (Field field : fields) {
    const FieldInfo& info = shardlint::fields()[slot(field)];
    out += fmt::format("In the plan it is `{}`: {}\n\n", info.name, info.doc);
  }
  out += fmt::format("Takes {}", kinds(key.types));
  if (key.types & type::List && key.item_types != type::Any) out += fmt::format(" of {}", kinds(key.item_types));
  if (key.ranged) out += key.most > 1e300 ? fmt::format(", {} or more", key.least) : fmt::format(", {} to {}", key.least, key.most);
  if (const std::string text = default_text(schema, key); !text.empty()) out += fmt::format("; default `{}`", text);
  if (key.required) out += "; must be written";
  out += "\n\n";
  if (!key.choices.empty()) {
    out += key.choices_offered ? "Known values: " : "One of: ";
    for (std::size_t i = 0; i < key.choices.size(); ++i) out += fmt::format("{}`{}`", i ? ", " : "", key.choices[i]);
    out += "\n\n";
  }
  if (!key.since.empty()) out += fmt::format("Since {} {}\n\n", schema.title, key.since);
  if (!key.until.empty()) out += fmt::format("Gone since {} {}\n\n", schema.title, key.until);
  static constexpr std::string_view kStates[] = {"", "Deprecated", "Renamed", "Removed", "Not read"};
  if (key.state != KeyState::Current) {
    const bool advice = key.instead.starts_with('(');
    out += fmt::format("**{}**{}\n\n", kStates[static_cast<int>(key.state)],
                       key.instead.empty() ? ""
                       : advice            ? fmt::format(": {}", key.instead.substr(1, key.instead.size() - 2))
                                           : fmt::format("; `{}` takes its place", key.instead));
  }
  return out;
}

}  // namespace shardlint::lsp
