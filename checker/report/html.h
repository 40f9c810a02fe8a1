// The plan as a picture: one self-contained HTML file, a section a plan. It needs no network and no script to be read; the script only adds
// what a pointer or the arrow keys ask for.
//
// Whatever shows a number of the plan carries `data-path`, where `plan --format json` has it below its plan, and `data-value`.
#pragma once

#include <string>
#include <string_view>

#include "checker/report/result.h"

namespace shardlint {

std::string plan_html(const CheckResult& result, std::string_view working_folder);

}  // namespace shardlint
