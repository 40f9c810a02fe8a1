// A missing header and an error take only what they touch.
#include <no/such/header.h>
#include "quarry.h"
no_such::Type g_lost;
// expect: make tp=8 pp=? world_size=8
quarry::Plan make() {
  quarry::Plan p;
  p.wide = 8;
  p.deep = no_such::call(2);
  LOG_SOMETHING(INFO) << p.wide;
  return p;
}
// expect: behind tp=4
quarry::Plan behind() { return {.wide = 4}; }
// expect: dropped tp=? pp=2
quarry::Plan dropped() {
  quarry::Plan p;
  p.deep = 2;
  p.wide = = 4;
  return p;
}
// expect: swallowed tp=? pp=2
quarry::Plan swallowed() {
  quarry::Plan p;
  p.deep = 2;
  do {
    p.wide = 8;
  } until (p.deep > 3);
  return p;
}
