// A tree flattened to facts.
#include "checker/document/fact.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/document/readers.h"
#include "checker/document/valuation.h"

namespace shardlint {
namespace {

// Aliases and merges multiply what a file says; these bounds are far above any configuration and keep bombs harmless.
constexpr std::size_t kMaxFacts = 200'000;
constexpr std::size_t kMaxPathBytes = 16u << 20;

struct Flattening {
  const DocumentPtr& document;
  std::optional<Valuation> valuation;
  Facts facts;
  std::size_t path_bytes = 0;
  Range top = {}, cut = {};  // the key of the root below which it is; the one where there was too much

  void add(std::string path, std::string spelled, const Node& parent, const Node& value, Range value_range, Range key_range, int depth) {
    if (depth == 1) top = key_range;
    path_bytes += path.size() + spelled.size();
    if (facts.size() >= kMaxFacts || path_bytes > kMaxPathBytes || depth > kMaxDepth) {
      if (cut.empty()) cut = top;
      return;
    }
    const bool scalar = value.kind == Node::Kind::Scalar;
    Fact& fact = facts.emplace_back();
    if (valuation) fact.value = valuation->read(value);
    fact.place = document->place(value_range.empty() ? key_range : value_range);
    fact.key_place = document->place(key_range);
    fact.way = scalar ? Way::Scalar : Way::Container;
    fact.document = document;
    fact.node = &value;
    fact.parent = &parent;
    if (scalar) {
      fact.path = std::move(path);
      fact.spelled = std::move(spelled);
      return;
    }
    fact.path = path;
    fact.spelled = spelled;
    below(path, spelled, value, depth);
  }

  void below(const std::string& path, const std::string& spelled, const Node& node, int depth) {
    if (node.kind == Node::Kind::Mapping) {
      for (const Entry* entry : document->entries(node))
        add(path.empty() ? entry->key : path + "." + entry->key, entry->key, node, *entry->value, entry->value_range, entry->key_range,
            depth + 1);
    } else {
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        const Item& item = node.items[i];
        const std::string index = fmt::format("[{}]", i);
        add(path + index, spelled + index, node, *item.value, item.value_range, item.value_range, depth + 1);
      }
    }
  }
};

}  // namespace

Facts facts_of(const DocumentPtr& document, const Node& root, std::optional<Dialect> dialect, Place* cut) {
  Flattening flattening{document, std::nullopt, {}, 0, {}, {}};
  if (dialect) flattening.valuation.emplace(*dialect);
  // Mostly a fact a line. Of many documents in one file none knows its share.
  const std::size_t lines = document->roots.size() == 1 ? document->source->line_count() : 0;
  flattening.facts.reserve(std::min<std::size_t>(kMaxFacts, lines + 16));
  flattening.below("", "", root, 0);
  if (cut && !flattening.cut.empty()) *cut = document->place(flattening.cut);
  return std::move(flattening.facts);
}

void read_values(Facts& facts, Dialect dialect) {
  Valuation valuation(dialect);
  for (Fact& fact : facts)
    if (fact.node) fact.value = valuation.read(*fact.node);
}

}  // namespace shardlint
