// Whatever the compiler can work out is known: functions, lambdas, shifts, tables, sizes, user-defined literals.
#include "quarry.h"
namespace {
constexpr int kBoxes = 4, kPerBox = 8;
constexpr int twice(int n) { return 2 * n; }
consteval int halved(int n) { return n / 2; }
constexpr int operator""_ways(unsigned long long n) { return static_cast<int>(n); }
constexpr int kTable[] = {3, 5, 7};
enum { kLoose = 6 };
struct Holder {
  static constexpr int kInside = 40;
};
}  // namespace
// expect: make tp=8 pp=4 cp=5 world_size=32 layers=40 heads=12 micro_batch=3
quarry::Plan make() {
  const int beams = twice(kLoose);
  return {.wide = 8_ways, .deep = halved(8), .ring = kTable[1], .crew = kBoxes * kPerBox, .floors = Holder::kInside, .beams = beams,
          .inner = {[] { return 1 + 2; }()}};
}
