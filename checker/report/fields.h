// A field of a plan as the reports show it. Private to report/.
#pragma once

#include <string>
#include <vector>

#include "checker/report/result.h"

namespace shardlint {

// A field without a value is null ("no experts"), which somebody or some default says, or nobody knows it: then this is true.
bool is_unknown(const FieldReport& field);

// "5,120", "none", "bf16"
std::string field_text(const FieldReport& field);

// What was found in a plan.
std::vector<const Finding*> findings_about(const CheckResult& result, const PlanReport& plan);

}  // namespace shardlint
