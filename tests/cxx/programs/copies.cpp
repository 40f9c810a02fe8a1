// A copy is a plan of its own, and its writes are its own.
#include <memory>
#include <utility>
#include "quarry.h"
// expect: kBase tp=4 pp=2
constexpr quarry::Plan kBase{.wide = 4, .deep = 2};
// expect: other tp=8 pp=2
quarry::Plan other() {
  auto p = kBase;
  p.wide = 8;
  return p;
}
// expect: moved tp=8
quarry::Plan moved() {
  quarry::Plan p{.wide = 8};
  return std::move(p);
}
// expect: a tp=4 pp=2
// expect: b tp=16 pp=2
void two() {
  quarry::Plan a = kBase, b = a;
  b.wide = 16;
  quarry::launch(a);
}
// expect: heap tp=8
void heap() {
  auto p = std::make_unique<quarry::Plan>();
  p->wide = 8;
  quarry::launch(*p);
}
// expect: raw tp=8 pp=3
void raw() {
  auto *p = new quarry::Plan{.wide = 8};
  p->deep = 3;
}
// expect: named tp=4
void named() {
  const quarry::Plan &same = kBase;
  const quarry::Plan own = same;
  quarry::launch(own);
}
