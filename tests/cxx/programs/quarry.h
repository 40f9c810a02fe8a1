#pragma once
#include <optional>
namespace quarry {
enum class Order { kFill, kTurns, kOther };
struct Inner {
  int slab = 1;
};
struct Plan {
  int wide = 1;
  int deep = 1;
  int ring = 1;
  int crew = 8;
  int floors = 24;
  int beams = 16;
  Inner inner;
  std::optional<int> chunks;
  bool plain = true;
  Order order = Order::kFill;
};
int launch(const Plan& plan);
void opaque(Plan& plan);
Plan* elsewhere();
int from_outside();
}  // namespace quarry
