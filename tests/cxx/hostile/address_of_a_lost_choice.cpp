  quarry::Plan &one = which ? p : q;
// expect: aliased tp=8 pp=2
  quarry::Plan p;
}
  p.deep = 2;
  return p;
  quarry::Plan p;
#include "quarry.h"
  return p;
}
void keep(std::function<void()> f);
  same.wide = 8;
  f();
    q.wide = 8;
quarry::Plan stored() {
quarry::Plan copied() {
  return p;
  quarry::Plan p;
  p.deep = 2;
  set(4);
  tick();
quarry:
// expect: stored tp=? pp=?
  quarry::Plan p;
  return p;
  const auto set = [&p](int n) { p.wide = n; };
quarry::Plan passed() {
  }();
}
  return p;
void tick();
// Once others hold a reference, whatever they are called for may write.
// expect: p tp=? pp=?
  set();
  quarry::Plan *also = &p;
// expect: called tp=4 pp=2
// expect: q tp=? pp=?
}
    quarry::Plan q;
  auto set = [p]() mutable { p.wide = 4; };
}
  const quarry::Plan p = [] {
  one.wide = 8;
quarry::Plan aliased() {
quarry::Plan at_once() {
  return p;
  std::function<void()> f = [&] { p.wide = 4; };
  return p;
quarry::Plan slot(bool which) {
// expect: passed tp=?
// expect: at_once tp=8
// expect: copied tp=1
#include <functional>
}
  also->deep = 2;
}
  quarry::Plan p;
    return q;
  quarry::Plan p, q;
  keep([&p] { p.wide = 4; });
#include <thread>
#include <vector>
#pragma once
:Plan called() {
  quarry::Plan &same = p;
