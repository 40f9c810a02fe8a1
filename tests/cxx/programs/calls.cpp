// By reference into a body in sight: followed. By const reference or by value: nothing changes. Out of sight: all of it unknown.
#include "quarry.h"
namespace {
void widen(quarry::Plan &p, int ways) { p.wide = ways; }
quarry::Plan deeper(quarry::Plan p) {
  p.deep = 4;
  return p;
}
int look(const quarry::Plan &p) { return p.wide; }
void twice(quarry::Plan *p) { p->wide *= 2; }
}  // namespace
// expect: deeper tp=? pp=4
// expect: first tp=16 pp=1 world_size=8
// expect: second tp=1 pp=1
// expect: third tp=16 pp=4
// expect: lost tp=? pp=? world_size=? layers=?
// expect: far tp=8 pp=? world_size=?
int main() {
  quarry::Plan first;
  widen(first, 8);
  twice(&first);
  look(first);
  quarry::Plan second;
  quarry::Plan third = deeper(first);
  quarry::launch(second);
  quarry::Plan lost;
  lost.wide = 8;
  quarry::opaque(lost);
  quarry::Plan *far = quarry::elsewhere();
  far->wide = 8;
  return second.wide + third.wide;
}
