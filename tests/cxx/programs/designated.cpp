// Designated initialisers: what is left out keeps the class's own value, nested members too.
#include "quarry.h"
// expect: make tp=8 pp=4 cp=1 world_size=64 layers=24 micro_batch=2 vpp=1 linear_bias=false schedule=gpipe
quarry::Plan make() { return {.wide = 8, .deep = 4, .crew = 64, .inner = {.slab = 2}}; }
int main() { return quarry::launch(make()); }
