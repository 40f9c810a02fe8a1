// The texts of schemas/bindings, which the build puts into the binary.
#pragma once

#include <span>
#include <string_view>

namespace shardlint {

struct BuiltinBinding {
  std::string_view path, title, text;
};
std::span<const BuiltinBinding> builtin_bindings();

}  // namespace shardlint
