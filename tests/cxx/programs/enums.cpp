// Enumerators by the binding's table; one that is not listed is unknown. A switch that says "no" is turned over.
#include "quarry.h"
// expect: turns schedule=interleaved linear_bias=true
quarry::Plan turns() { return {.plain = false, .order = quarry::Order::kTurns}; }
// expect: other schedule=?
quarry::Plan other() { return {.order = quarry::Order::kOther}; }
// expect: numbered schedule=interleaved
quarry::Plan numbered() { return {.order = static_cast<quarry::Order>(1)}; }
