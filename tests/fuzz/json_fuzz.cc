// Any bytes are read as JSON, and as Hjson, which takes comments and missing commas.
#include "tests/fuzz/document.h"

FUZZ_TARGET(json) {
  using namespace shardlint;
  using fuzzing::drive;
  drive(input, Format::Json, false, {Dialect::Json});
  drive(input, Format::Json, true, {Dialect::Hjson});
}
