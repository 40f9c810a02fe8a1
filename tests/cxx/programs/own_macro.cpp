// Flags that a macro of the team's own makes: objects under names of its own, read and written through functions.
#include <string>
namespace vesper {
template <class T>
class Knob {
 public:
  Knob(const char *name, T value, const char *help) : value_(value) { (void)name, (void)help; }
  const T &now() const { return value_; }
  mutable T value_;
};
template <class T>
T turn(const Knob<T> &knob) {
  return knob.now();
}
template <class T>
void put(const Knob<T> &knob, T value) {
  knob.value_ = value;
}
void listen(int argc, char **argv);
struct Song {
  int voices = 1, rows = 1, choir = 1;
};
}  // namespace vesper
#define VESPER_KNOB(type, name, value, help) ::vesper::Knob<type> knob_##name(#name, value, help)
constexpr int kRows = 2;
VESPER_KNOB(int, voices, 8, "tensor ways");
VESPER_KNOB(int, rows, kRows * 2, "stages");
VESPER_KNOB(int, choir, 64, "ranks");
VESPER_KNOB(std::string, tone, "low", "type");
// expect: flags tp=8 pp=4 world_size=? precision=bf16
// expect: main tp=8 pp=4 world_size=?
int main(int argc, char **argv) {
  vesper::listen(argc, argv);
  vesper::put(knob_choir, 32);
  vesper::Song song;
  song.voices = vesper::turn(knob_voices);
  song.rows = vesper::turn(knob_rows);
  song.choir = vesper::turn(knob_choir);
  return song.rows;
}
