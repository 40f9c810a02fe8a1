// Any text is a pipeline layout, or none: never longer than promised, and without the signs that only order it.
#include "checker/plan/layout.h"
#include "tests/fuzz/promise.h"

FUZZ_TARGET(layout) {
  using namespace shardlint;
  const auto chunks = pipeline_layout(input);
  if (!chunks) return;
  std::size_t letters = 0;
  for (const std::string& chunk : *chunks) {
    letters += chunk.size();
    for (const char c : chunk) fuzzing::require((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
  }
  fuzzing::require(letters <= 100'000);
}
