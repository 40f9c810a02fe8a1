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

std::vector<const Finding*> findings_about(const CheckResult& result, const PlanReport& plan) {
  std::vector<const Finding*> out;
  for (const Finding& finding : result.findings) {
    const bool here = finding.run.empty() ? finding.place.source && finding.place.source->path() == plan.file : finding.run == plan.file;
    if (here && (finding.plan.empty() || finding.plan == plan.name)) out.push_back(&finding);
  }
  return out;
}

}  // namespace shardlint
