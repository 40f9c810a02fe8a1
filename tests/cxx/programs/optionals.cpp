// Empty, set, emplaced, reset, a sentinel, a default asked for.
#include "quarry.h"
// expect: empty vpp=1
quarry::Plan empty() { return {}; }
// expect: set vpp=2
quarry::Plan set() { return {.chunks = 2}; }
// expect: emplaced vpp=3
quarry::Plan emplaced() {
  quarry::Plan p;
  p.chunks.emplace(3);
  return p;
}
// expect: reset vpp=1
quarry::Plan reset() {
  quarry::Plan p{.chunks = 4};
  p.chunks.reset();
  return p;
}
// expect: cleared vpp=1
quarry::Plan cleared() {
  quarry::Plan p{.chunks = 4};
  p.chunks = std::nullopt;
  return p;
}
// expect: meant vpp=1
quarry::Plan meant() { return {.chunks = -1}; }
// expect: asked tp=2 pp=5
quarry::Plan asked() {
  std::optional<int> some = 2, nothing;
  return {.wide = some.value_or(7), .deep = nothing.value_or(5)};
}
// expect: outside vpp=?
quarry::Plan outside(std::optional<int> n) { return {.chunks = n}; }
