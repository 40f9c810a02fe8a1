// Reads many nodes of one document: lists are shared, not built again for every alias and every level. Private to document/.
#pragma once

#include <unordered_map>

#include "checker/document/dialect.h"

namespace shardlint {

class Valuation {
 public:
  explicit Valuation(Dialect dialect) : dialect_(dialect) {}
  Value read(const Node& node);

 private:
  struct Sized {
    Value value;
    std::size_t size = 1;  // values in all, itself included
    int height = 0;        // levels of lists
  };
  Sized sized(const Node& node, int depth);

  Dialect dialect_;
  std::unordered_map<const Node*, Sized> lists_;
};

}  // namespace shardlint
