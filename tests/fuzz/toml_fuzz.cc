// Any bytes are read as TOML.
#include "tests/fuzz/document.h"

FUZZ_TARGET(toml) {
  using namespace shardlint;
  using fuzzing::drive;
  drive(input, Format::Toml, false, {Dialect::Toml});
}
