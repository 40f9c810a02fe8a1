// Abseil's flags are objects, read and written through functions.
#include <string>
#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
ABSL_FLAG(int, voices, 8, "tensor ways");
ABSL_FLAG(int, rows, 4, "stages");
ABSL_FLAG(std::string, tone, "high", "type");
namespace chorus {
struct Score {
  int voices = 1, rows = 1;
};
}  // namespace chorus
// expect: flags tp=8 pp=? precision=fp32
// expect: main tp=8 pp=?
int main(int argc, char **argv) {
  absl::ParseCommandLine(argc, argv);
  absl::SetFlag(&FLAGS_rows, 2);
  chorus::Score score;
  score.voices = absl::GetFlag(FLAGS_voices);
  score.rows = absl::GetFlag(FLAGS_rows);
  return score.rows;
}
