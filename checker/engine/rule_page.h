// What there is to read of a rule, as Markdown.
#pragma once

#include <string>
#include <string_view>

#include "checker/schema/schema.h"

namespace shardlint {

// A rule's page, or the page that a framework's constraint makes; empty if nothing has this name.
std::string rule_page(std::string_view name);
// What a constraint says, with names where its message has values.
std::string says_in_words(const Schema& schema, const Clause& clause);

}  // namespace shardlint
