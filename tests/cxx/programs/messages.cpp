// Setters as message compilers write them, their bodies elsewhere; maps from words to numbers; text that a parser reads.
#include <map>
#include <string>
#include <string_view>
namespace post {
class Split {
 public:
  int wide() const;
  void set_wide(int n);
  void set_deep(int n);
  void clear_deep();
};
class Job {
 public:
  int crew() const;
  void set_crew(int n);
  const Split &split() const;
  Split *mutable_split();
};
using Knobs = std::map<std::string, int>;
int start(int n, const Knobs &knobs);
int parse(std::string_view text);
// expect: describe world_size=64 tp=8 pp=4
Job describe() {
  Job job;
  job.set_crew(64);
  auto *split = job.mutable_split();
  split->set_wide(8);
  job.mutable_split()->set_deep(4);
  return job;
}
// expect: cleared world_size=? tp=2 pp=?
Job cleared() {
  Job job;
  job.mutable_split()->set_wide(2);
  job.mutable_split()->set_deep(2);
  job.mutable_split()->clear_deep();
  return job;
}
// expect: knobs tp=8 pp=?
Knobs knobs() {
  Knobs k{{"wide", 4}};
  k["wide"] = 8;
  return k;
}
// expect: with_map tp=2 pp=3
int with_map() {
  Knobs k;
  k.insert({"wide", 2});
  k.insert_or_assign("deep", 3);
  k.insert({"wide", 9});
  return start(0, k);
}
// expect: post::kText tp=4 world_size=32
constexpr std::string_view kText = R"({"split": {"wide": 4}, "crew": 32})";
int read() { return parse(kText); }
// expect: spoken tp=16
int spoken() { return parse("{\"split\": {\"wide\": 16}}"); }
}  // namespace post
