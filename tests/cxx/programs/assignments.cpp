// The last write counts; a member of a member; compound assignment; increments; chains.
#include "quarry.h"
// expect: make tp=8 pp=6 cp=3 world_size=96 layers=31 micro_batch=4
quarry::Plan make() {
  quarry::Plan p;
  p.wide = 2;
  p.wide = 8;
  p.deep = p.ring = 3;
  p.deep *= 2;
  p.crew = 100;
  p.crew -= 4;
  p.floors = 30;
  ++p.floors;
  p.inner.slab = 4;
  return p;
}
