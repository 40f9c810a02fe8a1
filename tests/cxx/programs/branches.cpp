// Equal on every way: known. Set on some ways, or differently: unknown.
#include "quarry.h"
// expect: by_if tp=? pp=2 cp=1 world_size=? layers=24
quarry::Plan by_if(bool big) {
  quarry::Plan p;
  if (big) {
    p.wide = 8;
    p.deep = 2;
    p.crew = 64;
  } else {
    p.wide = 4;
    p.deep = 2;
  }
  return p;
}
// expect: by_switch tp=? pp=4 world_size=?
quarry::Plan by_switch(int kind) {
  quarry::Plan p;
  p.deep = 4;
  switch (kind) {
    case 0: p.wide = 2; break;
    case 1: p.wide = 4; [[fallthrough]];
    case 2: p.crew = 16; break;
    default: break;
  }
  return p;
}
// expect: by_choice tp=? pp=3
quarry::Plan by_choice(bool big) {
  quarry::Plan p;
  p.wide = big ? 8 : 4;
  p.deep = big ? 3 : 3;
  return p;
}
// expect: by_returns tp=? pp=2
quarry::Plan by_returns(bool big) {
  if (big) return {.wide = 8, .deep = 2};
  return {.wide = 4, .deep = 2};
}
// expect: early tp=8 pp=?
quarry::Plan early(bool done) {
  quarry::Plan p{.wide = 8};
  if (done) return p;
  p.deep = 4;
  return p;
}
// expect: decided tp=8
quarry::Plan decided() {
  quarry::Plan p;
  constexpr bool kBig = true;
  if (kBig) p.wide = 8;
  else p.wide = 4;
  return p;
}
// expect: refuses tp=8 pp=2
quarry::Plan refuses(int n) {
  quarry::Plan p{.wide = 8};
  if (n > 3) throw n;
  p.deep = 2;
  return p;
}
