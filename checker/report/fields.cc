#include "checker/report/fields.h"

#include "checker/report/excerpt.h"

namespace shardlint {

bool is_unknown(const FieldReport& field) {
  return !field.value && (field.origin.empty() || field.origin == "not stated" || field.origin.starts_with("needs "));
}

std::string field_text(const FieldReport& field) {
  if (!field.value) return "none";
  return field.value->integer() ? with_commas(grouped(*field.value->integer())) : printable(to_string(*field.value));
}

}  // namespace shardlint
