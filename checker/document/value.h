// A value as a framework's loader would hold it: null, boolean, 64-bit integer, real, text, list, or a mapping (opaque here, because
// every entry of a mapping is a fact of its own).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlint {

using i64 = std::int64_t;

class Value;
using ValueList = std::vector<Value>;

struct Null {
  friend bool operator==(Null, Null) = default;
};

// A mapping's size; its entries are separate facts.
struct Map {
  std::size_t size = 0;
  friend bool operator==(Map, Map) = default;
};

class Value {
 public:
  enum class Kind { Null, Bool, Int, Real, Str, List, Map };

  Value() = default;
  Value(Null) {}
  Value(bool value) : data_(value) {}
  Value(i64 value) : data_(value) {}
  Value(int value) : data_(static_cast<i64>(value)) {}
  Value(double value) : data_(value) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(ValueList list) : data_(std::make_shared<const ValueList>(std::move(list))) {}
  Value(Map map) : data_(map) {}

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is_null() const { return kind() == Kind::Null; }
  // Integers, reals and booleans, which Python counts as numbers.
  bool is_number() const { return kind() == Kind::Int || kind() == Kind::Real || kind() == Kind::Bool; }

  // Null unless the value is of exactly that kind.
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const i64* integer() const { return std::get_if<i64>(&data_); }
  const double* real() const { return std::get_if<double>(&data_); }
  const std::string* text() const { return std::get_if<std::string>(&data_); }
  const ValueList* list() const;
  const Map* map() const { return std::get_if<Map>(&data_); }

  // The number behind an integer, real or boolean; 0 otherwise.
  double number() const;

  // Python's equality: 1 == 1.0 == true, text equals only text, null only null.
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<Null, bool, i64, double, std::string, std::shared_ptr<const ValueList>, Map> data_;
};

// The shortest plain spelling: 8, 1e-05, true, null, llama3, [1, 2]. For people and for dumps, not for files.
std::string to_string(const Value& value);
// The name of a kind in the field's words: "an integer", "text", "true or false" ...
std::string_view describe(Value::Kind kind);

}  // namespace shardlint
