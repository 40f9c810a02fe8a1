#include "checker/report/json_parts.h"

#include <cmath>

#include <fmt/format.h>

#include "checker/text/files.h"

namespace shardlint {

std::string JsonParts::utf8(std::string_view text) { return llvm::json::isUTF8(text) ? std::string(text) : llvm::json::fixUTF8(text); }

void JsonParts::file(std::string_view path) { text("file", shown(path, working_folder_)); }

void JsonParts::value(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Null: return json_.value(nullptr);
    case Value::Kind::Bool: return json_.value(*value.boolean());
    case Value::Kind::Int: return json_.value(*value.integer());
    case Value::Kind::Str: return json_.value(utf8(*value.text()));
    case Value::Kind::Map: return json_.object([] {});
    case Value::Kind::List:
      return json_.array([&] {
        for (const Value& item : *value.list()) this->value(item);
      });
    case Value::Kind::Real: break;
  }
  // JSON has no infinity; and 1e-05 is not to come out with seventeen digits.
  if (!std::isfinite(*value.real())) return json_.value(to_string(value));
  const std::string digits = fmt::format("{}", *value.real());
  const bool whole = digits.find_first_not_of("-0123456789") == std::string::npos;
  json_.rawValue(whole ? digits + ".0" : digits);
}

void JsonParts::value(std::string_view key, const Value& value) {
  json_.attributeBegin(utf8(key));
  this->value(value);
  json_.attributeEnd();
}

void JsonParts::position(std::string_view key, Position position) {
  json_.attributeObject(key, [&] {
    json_.attribute("line", position.line);
    json_.attribute("column", position.column);
    json_.attribute("offset", position.offset);
  });
}

void JsonParts::place(const Place& place) {
  if (place)
    file(place.source->path());
  else
    json_.attribute("file", nullptr);
  range(place);
}

void JsonParts::range(const Place& place) {
  if (!place) return json_.attribute("range", nullptr);
  json_.attributeObject("range", [&] {
    position("start", place.source->position(place.range.begin));
    position("end", place.source->position(place.range.end));
  });
}

}  // namespace shardlint
