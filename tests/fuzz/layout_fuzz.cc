// Any text is a pipeline layout, or none: never longer than promised, and without the signs that only order it.
#include "checker/plan/layout.h"
#include "tests/fuzz/promise.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardlint;
  const auto chunks = pipeline_layout(fuzzing::text_of(data, size));
  if (!chunks) return 0;
  std::size_t letters = 0;
  for (const std::string& chunk : *chunks) {
    letters += chunk.size();
    fuzzing::require(chunk.find_first_not_of("EtmL") == std::string::npos);
  }
  fuzzing::require(letters <= 100'000);
  return 0;
}
