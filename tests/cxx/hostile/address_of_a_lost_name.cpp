// Once others hold a reference, whatever they are called for may write.
#include <functional>
#include <thread>
#include <vector>
#include "others.h"
void keep(std::function<void()> f);
void tick();
// expect: stored tp=? pp=?
others::Plan stored() {
  others::Plan p;
  std::function<void()> f = [&] { p.wide = 4; };
  f();
  p.deep = 2;
  tick();
  return p;
}
// expect: passed tp=?
others::Plan passed() {
  others::Plan p;
  keep([&p] { p.wide = 4; });
  return p;
}
// expect: called tp=4 pp=2
others::Plan called() {
  others::Plan p;
  const auto set = [&p](int n) { p.wide = n; };
  set(4);
  p.deep = 2;
  return p;
}
// expect: copied tp=1
others::Plan copied() {
  others::Plan p;
  auto set = [p]() mutable { p.wide = 4; };
  set();
  return p;
}
// expect: at_once tp=8
others::Plan at_once() {
  const others::Plan p = [] {
    others::Plan q;
    q.wide = 8;
    return q;
  }();
  return p;
}
// expect: aliased tp=8 pp=2
others::Plan aliased() {
  others::Plan p;
  others::Plan &same = p;
  others::Plan *also = &p;
  same.wide = 8;
  return p;
}
// expect: p tp=? pp=?
// expect: q tp=? pp=?
others::Plan slot(bool which) {
  others::Plan p, q;
  others::Plan &one = which ? p : q;
  one.wide = 8;
  return p;
}
