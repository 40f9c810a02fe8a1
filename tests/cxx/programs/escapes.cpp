// Once others hold a reference, whatever they are called for may write.
#include <functional>
#include <thread>
#include <vector>
#include "quarry.h"
void keep(std::function<void()> f);
void tick();
// expect: stored tp=? pp=?
quarry::Plan stored() {
  quarry::Plan p;
  std::function<void()> f = [&] { p.wide = 4; };
  f();
  p.deep = 2;
  tick();
  return p;
}
// expect: passed tp=?
quarry::Plan passed() {
  quarry::Plan p;
  keep([&p] { p.wide = 4; });
  return p;
}
// expect: called tp=4 pp=2
quarry::Plan called() {
  quarry::Plan p;
  const auto set = [&p](int n) { p.wide = n; };
  set(4);
  p.deep = 2;
  return p;
}
// expect: copied tp=1
quarry::Plan copied() {
  quarry::Plan p;
  auto set = [p]() mutable { p.wide = 4; };
  set();
  return p;
}
// expect: at_once tp=8
quarry::Plan at_once() {
  const quarry::Plan p = [] {
    quarry::Plan q;
    q.wide = 8;
    return q;
  }();
  return p;
}
// expect: aliased tp=8 pp=2
quarry::Plan aliased() {
  quarry::Plan p;
  quarry::Plan &same = p;
  quarry::Plan *also = &p;
  same.wide = 8;
  also->deep = 2;
  return p;
}
// expect: p tp=? pp=?
// expect: q tp=? pp=?
quarry::Plan slot(bool which) {
  quarry::Plan p, q;
  quarry::Plan &one = which ? p : q;
  one.wide = 8;
  return p;
}
