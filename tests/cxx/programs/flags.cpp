// Flags of a library that is not installed: the stand-in keeps their defaults. One that the program writes is nobody's default.
#include <gflags/gflags.h>
DEFINE_int32(voices, 8, "tensor ways");
DEFINE_int32(rows, 2 * 2, "stages");
DEFINE_uint32(bars, 4096, "tokens");
DEFINE_int32(choir, 64, "ranks");
DEFINE_bool(hushed, true, "split the sequence");
DEFINE_string(tone, "low", "type");
namespace chorus {
struct Score {
  int voices = 1, rows = 1, choir = 1;
};
int sing(const Score &score);
}  // namespace chorus
// expect: flags tp=8 pp=4 global_batch_tokens=4096 world_size=? sp=true precision=bf16
// expect: main tp=8 pp=4 world_size=?
int main(int argc, char **argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  FLAGS_choir = 32;
  chorus::Score score;
  score.voices = FLAGS_voices;
  score.rows = static_cast<int>(FLAGS_rows);
  score.choir = FLAGS_choir;
  return chorus::sing(score);
}
