// A key in words: what hover and completion say of it.
#pragma once

#include <string>
#include <vector>

#include "checker/schema/schema.h"

namespace shardlint::lsp {

// "integer, default 1"
std::string type_and_default(const Schema& schema, const KeySpec& key);
// The default, where it is a constant: "1", "\"llama3\"". Empty else.
std::string default_text(const Schema& schema, const KeySpec& key);
// The canonical fields that a key is, in one of the schema's plans.
std::vector<Field> fields_of(const Schema& schema, Slot key, std::size_t plan);
// Markdown: note, type, default, choices, versions, state, canonical names.
std::string key_page(const Schema& schema, const KeySpec& key, const std::vector<Field>& fields);

}  // namespace shardlint::lsp
