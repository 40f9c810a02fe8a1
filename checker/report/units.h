// Quantities as people read them. Private to report/, cli/ and lsp/.
#pragma once

#include <string>
#include <string_view>

#include "checker/plan/network.h"

namespace shardlint {

std::string bytes_text(double bytes);      // 2.2 GB, 48 MB, 1.1 TB
std::string seconds_text(double seconds);  // 33.6 ms, 8.12 s, 2.4 h
std::string count_text(double count);      // 70.6 B, 1.29 M, 512: parameters, tokens
std::string percent_text(double share);    // 17.9 %
std::string days_text(double days);        // 11.3 days, 3.2 years, 5.1 hours
std::string_view link_text(Link link);     // NVLink, network, none

}  // namespace shardlint
