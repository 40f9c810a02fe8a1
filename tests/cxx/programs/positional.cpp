// Positions follow the declaration; a base stands first, in braces.
#include "quarry.h"
namespace quarry {
struct Named : Plan {
  int extra = 0;
};
// expect: quarry::kFirst tp=2 pp=3 cp=4 world_size=48
constexpr Plan kFirst{2, 3, 4, 48};
// expect: quarry::kSecond tp=4 pp=2 cp=1 world_size=8
inline const Named kSecond{{4, 2}, 7};
}  // namespace quarry
