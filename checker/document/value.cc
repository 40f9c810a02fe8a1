#include "checker/document/value.h"

#include <fmt/format.h>

namespace shardlint {

const ValueList* Value::list() const {
  const auto* list = std::get_if<std::shared_ptr<const ValueList>>(&data_);
  return list ? list->get() : nullptr;
}

double Value::number() const {
  switch (kind()) {
    case Kind::Bool: return *boolean() ? 1 : 0;
    case Kind::Int: return static_cast<double>(*integer());
    case Kind::Real: return *real();
    default: return 0;
  }
}

bool operator==(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.integer() && b.integer()) return *a.integer() == *b.integer();  // exact beyond 2^53
    return a.number() == b.number();
  }
  if (a.kind() != b.kind()) return false;
  if (a.list()) return *a.list() == *b.list();
  return a.data_ == b.data_;
}

std::string to_string(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Null: return "null";
    case Value::Kind::Bool: return *value.boolean() ? "true" : "false";
    case Value::Kind::Int: return fmt::format("{}", *value.integer());
    case Value::Kind::Real: return fmt::format("{}", *value.real());
    case Value::Kind::Str: return *value.text();
    case Value::Kind::Map: return value.map()->size ? "{...}" : "{}";
    case Value::Kind::List: break;
  }
  std::string out = "[";
  for (const Value& item : *value.list()) out += (out.size() > 1 ? ", " : "") + to_string(item);
  return out + "]";
}

std::string_view describe(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::Null: return "empty";
    case Value::Kind::Bool: return "true or false";
    case Value::Kind::Int: return "an integer";
    case Value::Kind::Real: return "a real number";
    case Value::Kind::Str: return "text";
    case Value::Kind::List: return "a list";
    case Value::Kind::Map: return "a table";
  }
  return "";
}

}  // namespace shardlint
