// Any bytes are read as YAML, under each of the dialects that frameworks read it in.
#include "tests/fuzz/document.h"

FUZZ_TARGET(yaml) {
  using namespace shardlint;
  using fuzzing::drive;
  drive(input, Format::Yaml, false, {Dialect::PyYaml, Dialect::OmegaConf, Dialect::Yaml12, Dialect::Argparse});
}
