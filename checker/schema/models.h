// The shapes of public models, so that a configuration that only names its model has a plan too.
//
// They are written in schemas/models.toml, compiled when shardlint is built, and stand in the binary as the constant tables declared here.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/value.h"

namespace shardlint {

struct ShapeColumn {
  std::string_view name;
  bool flag = false;   // true or false, not a number
  bool every = false;  // every model states it
};
inline constexpr std::size_t kShapeColumns = 22;
std::span<const ShapeColumn, kShapeColumns> shape_columns();
std::optional<std::size_t> shape_column(std::string_view name);

struct ModelShape {
  std::string_view name, source;
  static constexpr i64 kNone = INT64_MIN, kUnknown = INT64_MIN + 1;
  // Flags are 0 and 1. kNone: there are none, as a dense model has no experts. kUnknown: nobody says; only where a folder holds the model.
  std::array<i64, kShapeColumns> cells;

  Value at(std::size_t column) const;
};

// In lower case, without blanks around it.
std::string model_spelling(std::string_view name);

struct ModelName {
  std::string_view spelling;
  std::uint16_t model = 0;  // index into model_shapes()
};

// Generated: the models, and every name of theirs in byte order.
std::span<const ModelShape> model_shapes();
std::span<const ModelName> model_names();

// The model that has exactly this name; case does not count. A path on disk is no name: what lies there is anybody's guess.
inline const ModelShape* model_named(std::string_view name) {
  const std::string wanted = model_spelling(name);
  const auto names = model_names();
  const auto at =
      std::lower_bound(names.begin(), names.end(), wanted, [](const ModelName& a, std::string_view b) { return a.spelling < b; });
  return at != names.end() && at->spelling == wanted ? &model_shapes()[at->model] : nullptr;
}

// What models.toml says. Views point into `strings`.
struct ModelTable {
  std::vector<ModelShape> models;
  std::vector<ModelName> names;
  std::vector<std::string> errors;  // with file and line; a table with errors is of no use
  std::deque<std::string> strings;
};
ModelTable load_models(const std::string& path);

}  // namespace shardlint
