// What the plan's axes divide and pay with, and one rank's partners, as text and JSON. Private to report/.
#pragma once

#include <string>

#include "checker/plan/axes.h"
#include "checker/plan/ranks.h"
#include "checker/report/json_parts.h"
#include "checker/report/paint.h"

namespace shardlint {

std::string axes_text(const std::vector<AxisShare>& axes, const Paint& paint);
void axes_json(JsonParts& parts, const std::vector<AxisShare>& axes);

// Servers and cards are counted from 0, as ranks are.
std::string rank_text(const Plan& plan, i64 rank, const Paint& paint);
void rank_json(JsonParts& parts, const Plan& plan, i64 rank);

}  // namespace shardlint
