// Specialisations are plans, the pattern is none.
#include "quarry.h"
// expect: fill<8> tp=8 pp=2
// expect: fill<4> tp=4 pp=2
template <int Ways>
quarry::Plan fill() {
  quarry::Plan p;
  p.wide = Ways;
  p.deep = 2;
  return p;
}
template <class T>
void set(T &p) {
  p.crew = 16;
}
// expect: through world_size=16
quarry::Plan through() {
  quarry::Plan p;
  set(p);
  return p;
}
// expect: generic world_size=32
quarry::Plan generic() {
  quarry::Plan p;
  [](auto &one) { one.crew = 32; }(p);
  return p;
}
int main() { return quarry::launch(fill<8>()) + quarry::launch(fill<4>()); }
