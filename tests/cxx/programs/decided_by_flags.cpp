// What the default of a flag decides is decided by nobody: a command line may turn it. Both ways count.
#include <gflags/gflags.h>
#include <algorithm>
DEFINE_int32(voices, 8, "tensor ways");
DEFINE_int32(rows, 1, "stages");
DEFINE_bool(hushed, true, "split the sequence");
namespace chorus {
struct Score {
  int voices = 1, rows = 1, choir = 1;
};
int sing(const Score &score);
}  // namespace chorus
constexpr int kRows[] = {1, 2, 4};
// expect: flags tp=8 pp=1 sp=true
// expect: branch tp=? pp=3 world_size=?
int branch() {
  chorus::Score branch;
  branch.rows = 3;
  if (FLAGS_rows > 1) branch.voices = 2;
  branch.choir = FLAGS_hushed ? 16 : 32;
  return chorus::sing(branch);
}
// expect: same tp=2 pp=3 world_size=16
int same() {
  chorus::Score same;
  same.rows = 3;
  if (FLAGS_rows > 1)
    same.voices = 2;
  else
    same.voices = 2;
  same.choir = FLAGS_hushed ? 16 : 16;
  return chorus::sing(same);
}
// expect: item pp=?
int item() {
  chorus::Score item;
  item.rows = kRows[FLAGS_rows];
  return chorus::sing(item);
}
int main(int argc, char **argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  return branch() + same() + item();
}
