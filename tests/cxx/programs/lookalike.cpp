// The very names of a plan in a class that nobody binds.
#include "quarry.h"
namespace mine {
struct Plan {
  int wide = 7, deep = 5, crew = 6;
};
Plan make() { return {.wide = 3}; }
}  // namespace mine
// expect: none
int use(const quarry::Plan &p) { return p.wide + mine::make().wide; }
