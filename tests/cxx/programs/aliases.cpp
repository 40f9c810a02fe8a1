// Other names for a plan, or for a part of it: what is written through them is written.
#include <functional>
#include "quarry.h"
struct Holder {
  quarry::Plan &plan;
  void widen() { plan.wide = 16; }
  void touch();
};
// expect: held tp=16 pp=1
quarry::Plan held() {
  quarry::Plan p;
  Holder holder{p};
  holder.widen();
  return p;
}
// expect: touched tp=? pp=?
quarry::Plan touched() {
  quarry::Plan p;
  Holder holder{p};
  holder.touch();
  return p;
}
// expect: bound tp=16
quarry::Plan bound() {
  quarry::Plan p;
  auto &[wide, deep, ring, crew, floors, beams, inner, chunks, plain, order] = p;
  wide = 16;
  return p;
}
// expect: member tp=?
quarry::Plan member(int quarry::Plan::*which) {
  quarry::Plan p;
  p.*which = 4;
  return p;
}
// expect: indexed tp=16 pp=1
quarry::Plan indexed() {
  quarry::Plan p;
  quarry::Plan *all = &p;
  all[0].wide = 16;
  return p;
}
// expect: p tp=?
// expect: other tp=?
// expect: either tp=?
quarry::Plan either(bool which) {
  quarry::Plan p{.wide = 8};
  quarry::Plan other;
  quarry::Plan *one = which ? &p : &other;
  one->wide = 4;
  return which ? p : p;
}
struct Registry {
  quarry::Plan *plan = nullptr;
};
Registry &registry();
void run_registered();
// expect: registered tp=?
quarry::Plan registered() {
  quarry::Plan p{.wide = 8};
  registry().plan = &p;
  run_registered();
  return p;
}
struct Guard {
  std::function<void()> last;
  ~Guard() { last(); }
};
// expect: guarded tp=?
quarry::Plan guarded() {
  quarry::Plan p{.wide = 8};
  Guard guard{[&] { p.wide = 4; }};
  quarry::from_outside();
  return p;
}
// expect: again tp=?
quarry::Plan again() {
  quarry::Plan p{.wide = 8};
  try {
    p.wide = 4;
    quarry::from_outside();
    p.wide = 8;
  } catch (int) {
  }
  return p;
}
// expect: entered tp=?
quarry::Plan entered(int n) {
  quarry::Plan p{.wide = 8};
  switch (n) {
    case 0:
      p.wide = 4;
      if (n) {
        case 1: p.deep = 2;
      }
  }
  return p;
}
// expect: lasting tp=8 pp=2
int lasting() {
  static constexpr quarry::Plan p{.wide = 8, .deep = 2};
  return quarry::launch(p);
}
