// What must never be guessed.
#include <cstdlib>
#include <cstring>
#include "quarry.h"
extern int g_extern;
int g_mutable = 8;
static int g_own = 8;
static int g_quiet = 8;
void turn() { g_own = 4; }
// expect: globals tp=? pp=? cp=? world_size=8
quarry::Plan globals() { return {.wide = g_extern, .deep = g_mutable, .ring = g_own, .crew = g_quiet}; }
// expect: environment tp=?
quarry::Plan environment() {
  quarry::Plan p;
  if (const char *text = std::getenv("WIDE")) p.wide = std::atoi(text);
  return p;
}
// expect: arithmetic tp=? pp=? cp=?
quarry::Plan arithmetic(int n) {
  quarry::Plan p;
  int zero = 0, large = 2147483647;
  p.wide = 8 / zero;
  p.deep = large + 1;
  p.ring = n * 0;
  return p;
}
// expect: narrowed tp=? pp=44
quarry::Plan narrowed() {
  quarry::Plan p;
  unsigned char small = static_cast<unsigned char>(300);
  long fine = 44;
  p.wide = small;
  p.deep = static_cast<int>(fine);
  return p;
}
// expect: jumps tp=?
quarry::Plan jumps(int n) {
  quarry::Plan p{.wide = 8};
again:
  p.wide *= 2;
  if (p.wide < n) goto again;
  return p;
}
// expect: bytes tp=?
quarry::Plan bytes(const void *from) {
  quarry::Plan p;
  std::memcpy(&p, from, sizeof p);
  return p;
}
// expect: cast tp=?
quarry::Plan cast() {
  quarry::Plan p;
  *reinterpret_cast<int *>(&p) = 4;
  return p;
}
// expect: kept tp=? pp=2
quarry::Plan kept() {
  static quarry::Plan p{.wide = 8};
  p.deep = 2;
  return p;
}
// expect: restless tp=?
quarry::Plan restless() {
  volatile int n = 8;
  quarry::Plan p;
  p.wide = n;
  return p;
}
// expect: thrown tp=? pp=2
quarry::Plan thrown() {
  quarry::Plan p;
  p.deep = 2;
  try {
    p.wide = 4;
    quarry::from_outside();
    p.wide = 8;
  } catch (...) {
  }
  return p;
}
// expect: pointed tp=?
quarry::Plan pointed(int (*f)()) { return {.wide = f()}; }
struct Base {
  virtual ~Base() = default;
  virtual void fill(quarry::Plan &p) const { p.wide = 4; }
};
// expect: dispatched tp=?
quarry::Plan dispatched(const Base &b) {
  quarry::Plan p;
  b.fill(p);
  return p;
}
// expect: assigned tp=8 pp=? world_size=?
quarry::Plan assigned(quarry::Plan *other, int quarry::Plan::*member) {
  quarry::Plan p = *other;
  p.wide = 8;
  return p;
}
