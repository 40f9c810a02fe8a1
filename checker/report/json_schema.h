// A framework's keys as a JSON Schema (draft 7), for editors that know nothing of shardlint: completion, hover and types.
//
// It is as open as the framework is: a key that the framework would only ignore is no error, a value that its loader converts is none, and
// what interpolation leaves open may be any text. The law stays in `check`.
#pragma once

#include <string>

#include "checker/schema/schema.h"

namespace shardlint {

// Ends in a newline.
std::string json_schema(const Schema& schema);

}  // namespace shardlint
