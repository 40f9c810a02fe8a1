// Whatever a loop writes is unknown, before and behind it.
#include "quarry.h"
// expect: counted tp=? pp=2 world_size=8
quarry::Plan counted(int n) {
  quarry::Plan p{.wide = 1, .deep = 2};
  for (int i = 0; i < n; ++i) p.wide *= 2;
  return p;
}
// expect: always tp=? pp=1
quarry::Plan always() {
  quarry::Plan p;
  do {
    p.wide = 8;
  } while (quarry::from_outside());
  return p;
}
// expect: inner tp=? pp=4
void inner(int n) {
  for (int i = 0; i < n; ++i) {
    quarry::Plan p{.wide = i + 1, .deep = 4};
    quarry::launch(p);
  }
}
// expect: many tp=? pp=?
quarry::Plan many() {
  quarry::Plan plans[2];
  for (auto &one : plans) one.wide = 4;
  return plans[0];
}
