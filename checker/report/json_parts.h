// What the JSON reports share: text that is surely UTF-8, values, and places as lines, columns and offsets. Private to report/.
#pragma once

#include <string>
#include <string_view>

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "checker/document/value.h"
#include "checker/text/source.h"

namespace shardlint {

class JsonParts {
 public:
  // Appends to `out`, which must outlive this.
  JsonParts(std::string& out, std::string_view working_folder) : stream_(out), json_(stream_, 2), working_folder_(working_folder) {}

  llvm::json::OStream& json() { return json_; }
  static std::string utf8(std::string_view text);

  void text(std::string_view key, std::string_view text) { json_.attribute(key, utf8(text)); }
  void item(std::string_view text) { json_.value(utf8(text)); }  // of a list
  void file(std::string_view path);                              // as the attribute `file`
  void value(const Value& value);
  void value(std::string_view key, const Value& value);
  // As the attributes `file` and `range`; both null where nobody wrote it.
  void place(const Place& place);
  void range(const Place& place);
  template <class List, class Write>
  void list(std::string_view key, const List& items, Write write) {
    json_.attributeArray(key, [&] {
      for (const auto& item : items) write(item);
    });
  }

 private:
  void position(std::string_view key, Position position);

  llvm::raw_string_ostream stream_;
  llvm::json::OStream json_;
  std::string_view working_folder_;
};

}  // namespace shardlint
