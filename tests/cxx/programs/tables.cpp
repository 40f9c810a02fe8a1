// One plan for each entry of a table, by its key; a key that is known when the program runs gives no plan.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "quarry.h"
namespace quarry {
// expect: kByName[big] tp=8 pp=1
// expect: kByName[small] tp=2 pp=1
const std::map<std::string, Plan> kByName = {{"small", {.wide = 2}}, {"big", {.wide = 8}}};
struct Row {
  std::string_view name;
  Plan plan;
};
// expect: kRows[first] tp=3
// expect: kRows[second] tp=5
constexpr Row kRows[] = {{"first", {.wide = 3}}, {"second", {.wide = 5}}};
// expect: kList[0] tp=6
// expect: kList[1] tp=7
const std::vector<Plan> kList{{.wide = 6}, {.wide = 7}};
// expect: kArray[0] tp=9
constexpr std::array<Plan, 1> kArray{Plan{.wide = 9}};
// expect: pick tp=? pp=?
Plan pick(const std::string &name) { return kByName.at(name); }
// expect: big tp=8 pp=2
Plan big() {
  Plan p = kByName.at("big");
  p.deep = 2;
  return p;
}
}  // namespace quarry
