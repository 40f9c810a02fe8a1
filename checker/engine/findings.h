// From violations to findings: who is blamed, and why it is believed.
#pragma once

#include "checker/plan/law.h"

namespace shardlint {

// The finding for violation `index`, with its notes and without fixes. `consequences` hang under it as notes.
Finding make_finding(const Job& job, Judgement& judgement, std::size_t index, const std::vector<std::size_t>& consequences);

// Where that finding will stand.
Place blamed_place(const Job& job, Judgement& judgement, std::size_t index);

// How a slot is named to a person: the user's own spelling where it is written, else the key or the field.
std::string display_name(const Job& job, Evaluation& evaluation, Slot slot);

}  // namespace shardlint
