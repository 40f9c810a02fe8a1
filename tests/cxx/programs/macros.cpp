// The expanded program counts.
#include "quarry.h"
#define WAYS 8
#define STAGES (WAYS / 2)
#define SET(p, member, value) (p).member = (value)
#ifdef BIG
#define CREW 128
#else
#define CREW 64
#endif
// expect: make tp=8 pp=4 cp=2 world_size=64
quarry::Plan make() {
  quarry::Plan p;
  p.wide = WAYS;
  p.deep = STAGES;
  SET(p, ring, 2);
  p.crew = CREW;
  return p;
}
