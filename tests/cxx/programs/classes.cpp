// Classes that keep their numbers to themselves: constructors by the names of their parameters, factories, setters, builders, accessors.
#include <optional>
#include <vector>
namespace mill {
class Grid {
 public:
  explicit Grid(int wide = 1, int deep = 1, int rank = 0, int box = 8);
  static Grid measured(int box = 8, std::optional<int> wide = std::nullopt, std::optional<int> deep = std::nullopt);
  Grid with_deep(int n) const;
  void tell() const;
  void tune();

 private:
  int hidden_;
};
struct Made {
  int wide = 1, deep = 1, other = 0;
};
class Maker {
 public:
  Maker &wide(int n);
  Maker &deep(int n) {
    made_.deep = n;
    return *this;
  }
  Maker &other(int n) {
    made_.other = n;
    return *this;
  }
  Made done() const { return made_; }

 private:
  Made made_;
};
class Knobs {
 public:
  int wide() const;
  Knobs &wide(int n);
  Knobs &deep(int n);

 private:
  int wide_ = 2, deep_ = 3;
};
struct Wheels {
  std::vector<std::vector<int>> wheels;
};
}  // namespace mill
// expect: by_two tp=4 pp=2 gpus_per_node=8
mill::Grid by_two() { return mill::Grid{4, 2}; }
// expect: by_four tp=4 pp=2 gpus_per_node=4
mill::Grid by_four() {
  mill::Grid g(4, 2, 0, 4);
  g.tell();
  return g;
}
// expect: tuned tp=? pp=?
mill::Grid tuned() {
  mill::Grid g(4, 2);
  g.tune();
  return g;
}
// expect: changed tp=4 pp=3
mill::Grid changed() { return mill::Grid(4, 2).with_deep(3); }
// expect: found tp=? pp=1 gpus_per_node=16 world_size=?
mill::Grid found() { return mill::Grid::measured(16); }
// expect: asked tp=2 pp=5 gpus_per_node=16
mill::Grid asked() { return mill::Grid::measured(16, 2, std::make_optional(5)); }
// expect: built tp=4 pp=6
mill::Made built() { return mill::Maker().wide(4).other(1).deep(6).done(); }
// expect: stepwise tp=8 pp=1
mill::Made stepwise() {
  mill::Maker maker;
  maker.wide(4);
  maker.wide(8);
  return maker.done();
}
// expect: turned tp=8 pp=3
mill::Knobs turned() {
  mill::Knobs k;
  k.wide(8);
  return k;
}
// expect: both tp=8 pp=4
mill::Knobs both() {
  mill::Knobs k;
  k.wide(8).deep(4);
  return k;
}
// expect: listed nodes=2 gpus_per_node=4 world_size=8
mill::Wheels listed() { return {.wheels = {{0, 1, 2, 3}, {0, 1, 2, 3}}}; }
// expect: uneven nodes=2 gpus_per_node=? world_size=3
mill::Wheels uneven() {
  std::vector<std::vector<int>> all{{0, 1}};
  all.push_back({0});
  return {all};
}
