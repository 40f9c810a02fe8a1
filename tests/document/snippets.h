// Small helpers of the document tests: texts in, one-line dumps out, ranges marked with [[ ]] in the text itself.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/document.h"

namespace shardlint::test {

inline DocumentPtr parse(std::string text, Format format, bool hjson = false) {
  return read_document(std::make_shared<Source>("test", std::move(text)), format, hjson);
}

// `message <what stands at the range> | context <what stands there>`, one line each.
inline std::string problems(const Document& document) {
  std::string out;
  for (const Problem& problem : document.problems) {
    if (!out.empty()) out += "\n";
    out += problem.message + " <" + std::string(document.raw(problem.range)) + ">";
    if (problem.context_range) out += " | " + problem.context + " <" + std::string(document.raw(*problem.context_range)) + ">";
  }
  return out;
}

// A text with its marks taken out, and the ranges that they held. Of an odd run of closing brackets the first belongs to the text.
struct Annotated {
  std::string text;
  std::vector<Range> ranges;
};

inline Annotated annotated(std::string_view marked) {
  Annotated out;
  std::vector<std::size_t> open;
  while (!marked.empty()) {
    const auto here = static_cast<std::uint32_t>(out.text.size());
    if (marked.starts_with("[[")) {
      open.push_back(out.ranges.size());
      out.ranges.push_back({here, here});
      marked.remove_prefix(2);
    } else if (const std::size_t run = std::min(marked.find_first_not_of(']'), marked.size()); run >= 2 && run % 2 == 0) {
      out.ranges[open.back()].end = here;
      open.pop_back();
      marked.remove_prefix(2);
    } else {
      out.text += marked.front();
      marked.remove_prefix(1);
    }
  }
  return out;
}

// Key and value ranges of the first root in file order, depth first; a range per key, a range per value or item.
inline void collect(const Node& node, std::vector<Range>& out) {
  for (const Entry& entry : node.entries) {
    out.push_back(entry.key_range);
    out.push_back(entry.value_range);
    if (!entry.alias) collect(*entry.value, out);
  }
  for (const Item& item : node.items) {
    out.push_back(item.value_range);
    if (!item.alias) collect(*item.value, out);
  }
}

inline std::string shown(const std::vector<Range>& ranges, std::string_view text) {
  std::string out;
  for (const Range& range : ranges)
    out += std::to_string(range.begin) + "-" + std::to_string(range.end) + " <" +
           std::string(text.substr(range.begin, range.end - range.begin)) + ">\n";
  return out;
}

}  // namespace shardlint::test
