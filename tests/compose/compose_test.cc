// Composition as tables over the dump of the composed facts. The results were measured with the frameworks' own libraries.
#include "checker/compose/compose.h"

#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace shardlint {
namespace {

constexpr std::string_view kResolvers[] = {"mul", "multiply", "sum", "add", "div", "max", "divide_ceil", "divide_floor", "gpu_name"};
constexpr std::string_view kBuiltin[] = {"base.yml"};
constexpr std::string_view kPrimusFolders[] = {"primus/configs"};

struct Given {
  Layering style = Layering::Inherit;
  bool eager = true;
  std::vector<std::pair<std::string, std::string>> files = {};  // the first is the run's own
  std::vector<std::string> words = {};
  std::map<std::string, std::string> environment = {};
  std::size_t own = 1;
  bool complete = false;
  bool builtin = false;  // base.yml is the framework's own
};

Composed composed(const Given& given) {
  Overlay files;
  for (const auto& [path, text] : given.files) files.put(path, text);
  Schema schema;
  schema.name = "some", schema.title = "Some";
  schema.composition = {given.style, kPrimusFolders, kResolvers, given.eager, false, {}};
  static const std::vector<KeySpec> kKeys = [] {
    std::vector<KeySpec> out(1);
    out[0].path = "megatron";
    return out;
  }();
  static const std::vector<std::uint16_t> kTable = table_of(kKeys);
  if (given.style == Layering::Primus) schema.keys = kKeys, schema.key_table = kTable;
  if (given.builtin) schema.composition.builtin = kBuiltin;
  const bool plain = given.style == Layering::Primus || given.style == Layering::Base;
  Layers layers{&schema, plain ? Dialect::PyYaml : Dialect::OmegaConf, {}, {}, given.environment, ".", true, given.complete};
  for (std::size_t i = 0; i < given.own; ++i)
    layers.documents.push_back(read_document(std::make_shared<const Source>(given.files[i].first, given.files[i].second), Format::Yaml));
  for (const std::string& word : given.words) {
    Fact fact;
    fact.word = word;
    fact.way = Way::Override;
    fact.place = fact.key_place = {std::make_shared<const Source>("<words>", word), {0, static_cast<std::uint32_t>(word.size())}};
    layers.overrides.push_back(std::move(fact));
  }
  return compose(files, layers);
}

// "a=1 b='x'", without places; findings as they are.
std::string values(const Given& given) {
  std::string out, line;
  const std::string all = dump(composed(given));
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = all.find('\n', begin);
    line = all.substr(begin, end - begin);
    if (!line.starts_with('!')) line = line.substr(0, line.find(" @"));
    out += (out.empty() ? "" : " ") + line;
    begin = end + 1;
  }
  return out;
}

struct Row {
  std::string text, expected;
};

// ---- interpolation, on one document

class Interpolations : public testing::TestWithParam<Row> {};
TEST_P(Interpolations, Resolve) {
  EXPECT_EQ(values({.style = Layering::OmegaConf, .files = {{"m.yaml", GetParam().text}}}), GetParam().expected);
}

const Row kInterpolations[] = {
    // a list counts as a container
    {"i: 6\nl: [2, {x: '${..0}', y: '${...i}', z: '${.w}', w: 5}]", "i=6 l=[2, {...}] l[1].x=2 l[1].y=6 l[1].z=5 l[1].w=5"},
    {"i: 6\nq: \"v=${i}\"", "i=6 q='v=6'"},
    {"i: 6\nr: ${multiply:3, ${.i}}", "i=6 r=18"},
    {"i: 6\nd: ${div:${i},3}", "i=6 d=2"},
    {"a: true\nb: null\nc: 1.0e-5\nd: 2.0\nt: '${a} ${b} ${c} ${d}'", "a=true b=null c=1e-05 d=2 t='True None 1e-05 2.0'"},
    {"a: 3\nb: ${a}\nc: ${b}", "a=3 b=3 c=3"},
    {"a: {b: {c: 4}}\nx: ${a.b[c]}\nl: [7, 8]\ny: ${l[1]}\nz: ${l.0}", "a.b.c=4 x=4 l=[7, 8] y=8 z=7"},
    {"a: c\nb: {c: 9}\nx: ${b.${a}}", "a='c' b.c=9 x=9"},
    {"a: '\\${x}'", "a='${x}'"},
    {"a: ${oc.env:NOWHERE,8}", "a='8'"},
    {"a: ${oc.env:NOWHERE,null}", "a=null"},
    {"a: ${oc.env:NOWHERE}\nb: 2", "a=? (the environment variable NOWHERE decides) b=2"},
    {"a: ${oc.env:NOWHERE}\nb: x/${a}", "a=? (the environment variable NOWHERE decides) b=? (the environment variable NOWHERE decides)"},
    {"a: ${oc.decode:${oc.env:NOWHERE,8}}", "a=8"},
    {"a: ${mul:${oc.env:NOWHERE,12},4}", "a='12121212'"},
    {"a: ${mul:ab,3}", "a='ababab'"},
    {"a: ${oc.select:b.c,5}\nd: ${oc.select:b.c}\ne: ???\nf: ${oc.select:e,6}\ng: ${oc.select:f,0}",
     "a=5 d=null e=? (it is ???, for somebody to give) f=6 g=6"},
    {"a: ${max:3,7}\nb: ${add:1,2}\nc: ${sum:0.5,1}\nd: ${divide_ceil:7,2}\ne: ${divide_floor:-7,2}", "a=7 b=3 c=1.5 d=4 e=-4"},
    {"a: ${add:1e3,0}\nb: ${oc.decode:'on'}\nc: ${oc.decode:'0x10'}\nd: ${oc.decode:'TRUE'}\ne: ${oc.decode:'[1, a]'}",
     "a=1000 b='on' c='0x10' d=true e=[1, a]"},
    {"a: ${gpu_name:}", "a=? (the resolver gpu_name decides)"},
    {"a: {x: 1, y: '${.x}'}\nb: ${a}", "a.x=1 a.y=1 b.x=1 b.y=1"},
    // what cannot be resolved
    {"a: ${b}",
     "a=? (its interpolation cannot be resolved) ! composition/bad-interpolation: 'b' names nothing: there is no b at the top @m.yaml:1"},
    {"a: ${b}\nb: ${a}",
     "a=? (its interpolation cannot be resolved) b=? (its interpolation cannot be resolved) "
     "! composition/bad-interpolation: a rests on itself: a -> b -> a @m.yaml:1"},
    {"a: ${b", "a=? (its interpolation cannot be resolved) ! composition/bad-interpolation: '${b' is never closed @m.yaml:1"},
    {"a: ${nope:1}",
     "a=? (its interpolation cannot be resolved) ! composition/bad-interpolation: nobody registers a resolver nope @m.yaml:1"},
    {"a: ${div:1,0}", "a=? (its interpolation cannot be resolved) ! composition/bad-interpolation: div divides 1 by zero @m.yaml:1"},
    {"a: ???\nb: ${a}",
     "a=? (it is ???, for somebody to give) b=? (its interpolation cannot be resolved) "
     "! composition/bad-interpolation: 'a' leads to a, which is ??? and nobody gives it @m.yaml:2"},
};
INSTANTIATE_TEST_SUITE_P(, Interpolations, testing::ValuesIn(kInterpolations));

TEST(Compose, TheEnvironmentThatIsKnownIsUsed) {
  EXPECT_EQ(values({.style = Layering::OmegaConf,
                    .files = {{"m.yaml", "a: ${oc.env:A,1}\nb: ${oc.decode:${oc.env:A}}"}},
                    .environment = {{"A", "3"}}}),
            "a='3' b=3");
}

TEST(Compose, LazyFrameworksMayLeaveAKeyToOthers) {
  const std::string text = "run: {x: 1}\na: ${base_dir}\nb: ${run.y}";
  EXPECT_EQ(values({.style = Layering::OmegaConf, .eager = false, .files = {{"m.yaml", text}}}),
            "run.x=1 a=? (its interpolation cannot be resolved) b=? (its interpolation cannot be resolved) "
            "! composition/bad-interpolation: 'run.y' names nothing: there is no y in run @m.yaml:3");
}

// ---- how one layer lies over another

class Merges : public testing::TestWithParam<std::array<std::string, 3>> {};
TEST_P(Merges, AsOmegaConf) {
  EXPECT_EQ(values({.style = Layering::OmegaConf, .files = {{"a.yaml", GetParam()[0]}, {"b.yaml", GetParam()[1]}}, .own = 2}),
            GetParam()[2]);
}
INSTANTIATE_TEST_SUITE_P(, Merges,
                         testing::Values(std::array<std::string, 3>{"m: {x: 1, y: 2}", "m: {y: 3}", "m.x=1 m.y=3"},  //
                                         std::array<std::string, 3>{"l: [1, 2]", "l: [3]", "l=[3]"},                 //
                                         std::array<std::string, 3>{"m: {x: 1}", "m: 4", "m=4"},                     //
                                         std::array<std::string, 3>{"m: {x: 1}", "m: null", "m=null"},               //
                                         std::array<std::string, 3>{"m: 4", "m: {x: 1}", "m.x=1"},                   //
                                         std::array<std::string, 3>{"m: {x: 1}", "m: {}", "m.x=1"},                  //
                                         std::array<std::string, 3>{"m: 4", "m: ???", "m=4"},                        //
                                         std::array<std::string, 3>{"m: {x: 1}\nn: 2", "m: ${n}", "m=2 n=2"},        //
                                         std::array<std::string, 3>{"a: {x: 1}\nm: ${a}", "m: {y: 2}", "a.x=1 m.x=1 m.y=2"}));

// ---- command-line words

struct Words {
  std::vector<std::string> words;
  std::string expected;
};
class Overrides : public testing::TestWithParam<Words> {};
TEST_P(Overrides, Apply) {
  EXPECT_EQ(values({.style = Layering::OmegaConf, .files = {{"m.yaml", "a: {b: 1, l: [1, 2]}\nn: null"}}, .words = GetParam().words}),
            GetParam().expected);
}
const Words kWords[] = {
    {{"a.b=2"}, "a.b=2 a.l=[1, 2] n=null"},
    {{"a.b=1e-5"}, "a.b=1e-05 a.l=[1, 2] n=null"},
    {{"a.b='5'"}, "a.b='5' a.l=[1, 2] n=null"},
    {{"a.b=on"}, "a.b='on' a.l=[1, 2] n=null"},
    {{"a.b=0x10"}, "a.b='0x10' a.l=[1, 2] n=null"},
    {{"a.b=TRUE"}, "a.b=true a.l=[1, 2] n=null"},
    {{"a.b="}, "a.b='' a.l=[1, 2] n=null"},
    {{"a.l=[7]"}, "a.b=1 a.l=[7] n=null"},
    {{"a.l.0=7"}, "a.b=1 a.l=[7, 2] n=null"},
    {{"+a={c: 3}"}, "a.b=1 a.l=[1, 2] a.c=3 n=null"},
    {{"a={b: 3}"}, "a.b=3 a.l=[1, 2] n=null"},
    {{"+a.c=4", "a.c=5"}, "a.b=1 a.l=[1, 2] a.c=5 n=null"},
    {{"++a.b=6", "++x.y=1"}, "a.b=6 a.l=[1, 2] n=null x.y=1"},
    {{"~a.b"}, "a.l=[1, 2] n=null"},
    {{"~a.b=1"}, "a.l=[1, 2] n=null"},
    {{"+n=1"}, "a.b=1 a.l=[1, 2] n=1"},
    {{"n=${a.b}"}, "a.b=1 a.l=[1, 2] n=1"},
    {{"n=1", "n=2"}, "a.b=1 a.l=[1, 2] n=2"},
    {{"a.c=1"}, "a.b=1 a.l=[1, 2] n=null ! composition/override-of-missing-key: a.c is not there: a has no c; the nearest is b @<words>:1"},
    {{"n.x=1"}, "a.b=1 a.l=[1, 2] n=null ! composition/override-of-missing-key: n.x is not there: n has no x @<words>:1"},
    {{"+a.b=1"}, "a.b=1 a.l=[1, 2] n=null ! composition/override-of-missing-key: +a.b adds a key, and it is there already @<words>:1"},
    {{"~a.c"}, "a.b=1 a.l=[1, 2] n=null ! composition/override-of-missing-key: ~a.c deletes a key that is not there @<words>:1"},
    {{"~a.b=2"}, "a.b=1 a.l=[1, 2] n=null ! composition/override-of-missing-key: ~a.b deletes only that value, and it is 1 @<words>:1"},
    {{"a.b=1,2"},
     "a.b=1 a.l=[1, 2] n=null ! composition/override-of-missing-key: several values with commas are a sweep, which only --multirun takes "
     "@<words>:1"},
    {{"a.l[0]=1"},
     "a.b=1 a.l=[1, 2] n=null ! composition/override-of-missing-key: 'a.l[0]' is no key: it is names with dots between them @<words>:1"},
};
INSTANTIATE_TEST_SUITE_P(, Overrides, testing::ValuesIn(kWords));

// ---- NeMo-RL

const std::pair<std::string, std::string> kParent = {
    "p.yaml", "a: 1\nblk: {x: 1, y: [1, 2]}\nlst: [1, 2, 3]\ndep: ${a}\nreq: 5\nsched: {name: cos}\n"};
const std::pair<std::string, std::string> kChild = {
    "q.yaml", "defaults: p.yaml\na: 2\nblk: {y: [9], z: \"${.y}\"}\nlst: [7]\nreq: ???\nsched: {_override_: true, kind: wsd}\n"};

TEST(NemoRl, TheChildLiesOverItsParent) {
  EXPECT_EQ(values({.files = {kChild, kParent}}), "a=2 blk.x=1 blk.y=[9] blk.z=[9] lst=[7] dep=2 req=5 sched.kind='wsd'");
}
TEST(NemoRl, ParentsMergeFromLeftToRight) {
  const std::string all = values({.files = {{"m.yaml", "defaults: [q.yaml, p.yaml]\na: 3\n"}, kChild, kParent}});
  EXPECT_EQ(all, "a=3 blk.x=1 blk.y=[1, 2] blk.z=[1, 2] lst=[1, 2, 3] dep=3 req=5 sched.kind='wsd' sched.name='cos'");
}
TEST(NemoRl, EveryValueKeepsItsChain) {
  EXPECT_EQ(dump(composed({.files = {{"c/q.yaml", "defaults: ../p.yaml\na: 2\n"}, {"p.yaml", "a: 1\nb: ${a}\nc: 3\n"}}, .words = {"c=4"}})),
            "a=2 @c/q.yaml:2 <- a was 1 here, and is overridden @p.yaml:1\n"
            "b=2 @p.yaml:2 <- a is 2 here @c/q.yaml:2 <- a was 1 here, and is overridden @p.yaml:1\n"
            "c=4 @<words>:1 <- c was 3 here, and is overridden @p.yaml:3\n");
}
TEST(NemoRl, AParentThatIsNotThere) {
  const Composed result =
      composed({.files = {{"c/q.yaml", "defaults: [p.yaml, bas.yaml]\na: ${b}\n"}, {"c/p.yaml", "x: 1\n"}, {"c/base.yaml", "b: 1\n"}}});
  EXPECT_EQ(dump(result),
            "x=? (bas.yaml is not there and may set it) @c/p.yaml:1\na=? (bas.yaml is not there and may set it) @c/q.yaml:2\n"
            "! composition/missing-include: bas.yaml is not there; the nearest is base.yaml @c/q.yaml:1\n");
}
TEST(NemoRl, AParentThatIsAFolder) {
  EXPECT_EQ(dump(composed({.files = {{"c/q.yaml", "defaults: dir\na: 1\n"}, {"c/dir/p.yaml", "x: 1\n"}}})),
            "a=1 @c/q.yaml:2\n! composition/missing-include: dir is no file that can be read @c/q.yaml:1\n");
}
TEST(NemoRl, NothingIsReadOutsideTheWorkspace) {
  EXPECT_EQ(
      values({.files = {{"q.yaml", "defaults: [../out.yaml, /etc/passwd]\na: 1\n"}, {"../out.yaml", "b: 2\n"}, {"/etc/passwd", "c: 3\n"}}}),
      "a=1");
}
TEST(NemoRl, CirclesEnd) {
  EXPECT_EQ(values({.files = {{"a.yaml", "defaults: b.yaml\nx: 1\n"}, {"b.yaml", "defaults: ./a.yaml\ny: 2\n"}}}),
            "y=2 x=1 ! composition/include-cycle: a.yaml includes itself @b.yaml:1");
}
TEST(NemoRl, OnlyARunIsComplete) {
  EXPECT_EQ(values({.files = {{"a.yaml", "x: ???\n"}}}), "x=? (it is ???, for somebody to give)");
  EXPECT_EQ(values({.files = {{"a.yaml", "x: ???\n"}}, .complete = true}),
            "x=? (it is ???, for somebody to give) ! composition/mandatory-value-missing: x is ??? and nobody gives it a value @a.yaml:1");
}

// ---- Hydra

const std::vector<std::pair<std::string, std::string>> kGroups = {
    {"db/small.yaml", "host: small\nport: 1\n"},
    {"db/large.yaml", "defaults: [small, _self_]\nport: 99\n"},
    {"db/glob.yaml", "# @package _global_\nport: 7\ndb: {host: fromglob}\n"},
    {"optim/adam.yaml", "name: adam\nlr: 1e-3\nbetas: [0.9, 0.95]\n"},
    {"act/meg.yaml", "defaults: [../eng@megatron: meg, base, _self_]\nn: 5\nmegatron: {pp: 4}\n"},
    {"act/base.yaml", "n: 1\n"},
    {"eng/meg.yaml", "tp: 1\npp: 1\n"},
    {"mid.yaml", "defaults: [db: small, _self_]\ntrain: {steps: 10}\ntotal: ${multiply:${train.steps},4}\n"},
};
std::string hydra(const std::string& primary, std::vector<std::string> words = {}) {
  Given given{.style = Layering::Hydra, .files = {{"main.yaml", primary}}, .words = std::move(words)};
  given.files.insert(given.files.end(), kGroups.begin(), kGroups.end());
  return values(given);
}
const std::string kMain =
    "defaults: [db: small, optim@train.optim: adam, _self_]\ntrain: {steps: 10, optim: {lr: 3e-4}}\ntotal: ${multiply:${train.steps},4}\n";

TEST(Hydra, GroupsArePlacedAtTheirPackages) {
  EXPECT_EQ(
      hydra(kMain),
      "db.host='small' db.port=1 train.optim.name='adam' train.optim.lr=0.0003 train.optim.betas=[0.9, 0.95] train.steps=10 total=40");
}
TEST(Hydra, ChoicesAndValuesFromTheCommandLine) {
  EXPECT_EQ(hydra(kMain, {"db=large", "train.steps=7", "train.optim.lr=1e-5"}),
            "db.host='small' db.port=99 train.optim.name='adam' train.optim.lr=1e-05 train.optim.betas=[0.9, 0.95] train.steps=7 total=28");
  const std::string rest = "train.optim.name='adam' train.optim.lr=0.0003 train.optim.betas=[0.9, 0.95] train.steps=10 total=40";
  EXPECT_EQ(hydra(kMain, {"~db"}), rest);
  EXPECT_EQ(
      hydra(kMain, {"db@train=small"}),
      "db.host='small' db.port=1 " + rest + " ! composition/override-of-missing-key: no item of the defaults lists is db@train @<words>:1");
  EXPECT_EQ(hydra(kMain, {"+db@spare=large", "~optim@train.optim"}),
            "db.host='small' db.port=1 train.steps=10 train.optim.lr=0.0003 total=40 spare.host='small' spare.port=99");
}
TEST(Hydra, SelfDecidesWhoWins) {
  EXPECT_EQ(hydra("defaults: [_self_, db: small]\ndb: {host: main}\n"), "db.host='small' db.port=1");
  EXPECT_EQ(hydra("defaults: [db: small]\ndb: {host: main}\n"), "db.host='main' db.port=1");
}
TEST(Hydra, AFileMayOverrideAChoiceOfAnother) {
  EXPECT_EQ(hydra("defaults: [mid, override db: large, _self_]\ntrain: {steps: 20}\nx: ???\n"),
            "db.host='small' db.port=99 train.steps=20 total=80 x=? (it is ???, for somebody to give)");
}
TEST(Hydra, APackageInTheHeader) { EXPECT_EQ(hydra("defaults: [db: glob]\n"), "port=7 db.host='fromglob'"); }
TEST(Hydra, PackagesAreRelativeToTheListingFile) {
  const std::string primary = "defaults: [act@top.actor: meg, _self_]\ntop: {actor: {lr: 7}}\n";
  EXPECT_EQ(hydra(primary), "top.actor.megatron.tp=1 top.actor.megatron.pp=4 top.actor.n=5 top.actor.lr=7");
  EXPECT_EQ(hydra(primary, {"eng@top.actor.megatron=meg"}),
            "top.actor.megatron.tp=1 top.actor.megatron.pp=4 top.actor.n=5 top.actor.lr=7 "
            "! composition/override-of-missing-key: no item of the defaults lists is eng@top.actor.megatron @<words>:1");
}
TEST(Hydra, AnOptionDeepInItsGroupListsFromTheGroup) {
  Given given{.style = Layering::Hydra,
              .files = {{"main.yaml", "defaults: [training: gpt/large]\n"},
                        {"training/gpt/large.yaml", "defaults: [gpt/sizes, _self_]\nname: large\n"},
                        {"training/gpt/sizes.yaml", "layers: 8\n"}}};
  EXPECT_EQ(values(given), "training.layers=8 training.name='large'");
}
TEST(Hydra, OptionsThatAreNotThere) {
  EXPECT_EQ(hydra("defaults: [db: smal]\n"), "! composition/missing-include: db/smal is not there; the nearest is small.yaml @main.yaml:1");
  EXPECT_EQ(hydra("defaults: [optional db: other]\nx: 1\n"), "x=1");
  EXPECT_EQ(hydra("defaults: [cache: fast, db: null, _self_]\nx: 1\n"),
            "x=1");  // no such group here: it may lie on the program's search path
  EXPECT_EQ(hydra("defaults:\n- db: ???\n- _self_\nx: 1\n"), "x=1");
}
TEST(Hydra, CirclesEnd) {
  EXPECT_EQ(values({.style = Layering::Hydra,
                    .files = {{"main.yaml", "defaults: [a]\n"}, {"a.yaml", "defaults: [b]\nx: 1\n"}, {"b.yaml", "defaults: [a]\ny: 1\n"}}}),
            "y=1 x=1 ! composition/include-cycle: a.yaml includes itself @b.yaml:1");
}

// ---- MaxText

TEST(Base, TheParentStandsBesideTheChildOrInTheFolderOfConfigurations) {
  EXPECT_EQ(values({.style = Layering::Base,
                    .files = {{"m/c.yml", "base_config: base.yml\nx: 2\nl: [1]\n"}, {"m/base.yml", "x: 1\ny: 1e-5\nl: [2, 3]\n"}}}),
            "x=2 y='1e-5' l=[1] base_config='base.yml'");
  EXPECT_EQ(values({.style = Layering::Base, .files = {{"c.yml", "base_config: base.yml\nx: 2\n"}}}), "base_config='base.yml' x=2");
}

TEST(Base, AParentThatTheFrameworkBringsLeavesNothingOpen) {
  Given given{.style = Layering::Base, .files = {{"c.yml", "base_config: base.yml\nx: 2\n"}}};
  EXPECT_EQ(composed(given).partial, "base.yml is not in reach and may set it");
  given.builtin = true;
  EXPECT_EQ(composed(given).partial, "");
  given.files[0].second = "base_config: other.yml\nx: 2\n";
  EXPECT_EQ(composed(given).partial, "other.yml is not in reach and may set it");
  // A copy of it that lies there is read, and marked as nobody's own writing.
  given.files = {{"c.yml", "base_config: base.yml\nx: 2\n"}, {"base.yml", "x: 1\ny: 3\n"}};
  for (const Fact& fact : composed(given).facts) EXPECT_EQ(fact.builtin, fact.path == "y") << fact.path;
}

// ---- Primus

const std::vector<std::pair<std::string, std::string>> kPresets = {
    {"primus/configs/modules/megatron/pre_trainer.yaml", "extends: base.yaml\nsp: true\nlr: 1.0e-4\n"},
    {"primus/configs/modules/megatron/base.yaml", "seq_length: 4096\nsp: false\n"},
    {"primus/configs/models/megatron/small.yaml", "num_layers: 32\nseq_length: 2048\n"},
};
std::string primus(const std::string& text, std::vector<std::string> words = {}, std::map<std::string, std::string> environment = {}) {
  Given given{
      .style = Layering::Primus, .files = {{"examples/e.yaml", text}}, .words = std::move(words), .environment = std::move(environment)};
  given.files.insert(given.files.end(), kPresets.begin(), kPresets.end());
  return values(given);
}
TEST(Primus, VariablesAreExpandedAndReadAgain) {
  EXPECT_EQ(primus("a: ${N:8}\nb: \"8\"\nc: ${N:true}\nd: run-${N:x}\ne: ${N:1e-5}\nf: ${N}\ng: ${N:}\n"),
            "a=8 b='8' c=true d='run-x' e=1e-05 f=? (the environment variable N decides) g=''");
  EXPECT_EQ(primus("a: ${N:8}\n", {}, {{"N", "16"}}), "a=16");
}
TEST(Primus, TheModulePresetBeatsTheModelPreset) {
  const std::string text =
      "modules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n    model: small\n    overrides: {lr: 1.0e-5}\n";
  const std::string skeleton =
      "modules.pre_trainer.framework='megatron' modules.pre_trainer.config='pre_trainer.yaml' modules.pre_trainer.model='small' "
      "module.framework='megatron' module.config='pre_trainer.yaml' module.model='small' module.name='pre_trainer' ";
  EXPECT_EQ(primus(text), skeleton + "megatron.seq_length=4096 megatron.sp=true megatron.lr=1e-05 megatron.num_layers=32");
  EXPECT_EQ(primus(text, {"lr=2", "x=1"}),
            skeleton + "megatron.seq_length=4096 megatron.sp=true megatron.lr=2 megatron.num_layers=32 megatron.x=1");
}
TEST(Primus, TheTextNullIsNull) { EXPECT_EQ(primus("a: \"null\"\nb: ${N:null}\nc: x-null\n"), "a=null b=null c='x-null'"); }
TEST(Primus, AFrameworkThatTheSchemaDoesNotKnowStaysWhereItIs) {
  EXPECT_EQ(primus("modules: {a_trainer: {framework: other, overrides: {x: 1}}}\n"),
            "modules.a_trainer.framework='other' modules.a_trainer.overrides.x=1 module.framework='other' module.name='a_trainer'");
}
TEST(Primus, TheModuleThatIsNoTrainerIsShown) {
  EXPECT_EQ(primus("modules: {a_trainer: {framework: x}, b: {framework: y}}\n"),
            "modules.a_trainer.framework='x' modules.b.framework='y' module.framework='y' module.name='b'");
}
TEST(Primus, ThePlatformFileLiesBelowItsOverrides) {
  const Composed out = composed({.style = Layering::Primus,
                                 .files = {{"e.yaml", "platform: {config: here.yaml, overrides: {workspace: ./w}}\n"},
                                           {"primus/configs/platforms/here.yaml", "name: here\nworkspace: ./output\n"}}});
  const std::string all = dump(out);
  EXPECT_NE(all.find("platform.name='here' @primus/configs/platforms/here.yaml:1"), std::string::npos) << all;
  EXPECT_NE(all.find("platform.workspace='./w' @e.yaml:1 <- workspace was ./output here"), std::string::npos) << all;
}
TEST(Primus, WithoutItsPresetsOnlyTheModuleIsOpen) {
  Composed out = composed({.style = Layering::Primus,
                           .files = {{"e.yaml", "modules: {a_trainer: {framework: megatron, config: a, model: b, overrides: {x: 1}}}\n"}}});
  EXPECT_EQ(out.partial_below, "megatron");
  EXPECT_NE(out.partial, "");
}
TEST(Primus, APresetThatIsNotThere) {
  const std::string all = primus("modules: {pre_trainer: {framework: megatron, config: pre_trainer, model: smal, overrides: {}}}\n");
  EXPECT_NE(all.find("! composition/missing-include: smal.yaml is not there; the nearest is small.yaml @examples/e.yaml:1"),
            std::string::npos)
      << all;
}

// ---- bounds

TEST(Compose, BombsStaySmall) {
  std::string doubling = "a0: x\n";
  for (int i = 1; i < 60; ++i) doubling += fmt::format("a{}: ${{a{}}}${{a{}}}\n", i, i - 1, i - 1);
  EXPECT_NE(values({.style = Layering::OmegaConf, .files = {{"m.yaml", doubling}}}).find("the text is too long"), std::string::npos);
  std::string containers = "a0: {x: 1, y: 2}\n";
  for (int i = 1; i < 40; ++i) containers += fmt::format("a{}: {{l: '${{a{}}}', r: '${{a{}}}'}}\n", i, i - 1, i - 1);
  EXPECT_LE(composed({.style = Layering::OmegaConf, .files = {{"m.yaml", containers}}}).facts.size(), 200'000u);
  std::string deep = "a: ";
  for (int i = 0; i < 5000; ++i) deep += "${oc.decode:'";
  values({.style = Layering::OmegaConf, .files = {{"m.yaml", deep}}});
  Given chain{.files = {{"f0.yaml", "defaults: f1.yaml\n"}}};
  for (int i = 1; i < 100; ++i) chain.files.push_back({fmt::format("f{}.yaml", i), fmt::format("defaults: f{}.yaml\nx{}: 1\n", i + 1, i)});
  EXPECT_NE(composed(chain).partial, "");
  // Every file includes every later one twice over: what is read and merged stays bounded.
  Given wide{.files = {}};
  for (int i = 0; i < 24; ++i) {
    std::string parents;
    for (int j = i + 1; j < 24; ++j) parents += fmt::format("f{}.yaml, f{}.yaml, ", j, j);
    wide.files.push_back({fmt::format("f{}.yaml", i), fmt::format("defaults: [{}]\nx: 1\n", parents)});
  }
  composed(wide);
}

TEST(Compose, AFormulaFollowsItsSources) {
  const Composed result =
      composed({.style = Layering::OmegaConf, .files = {{"m.yaml", "a: 2\nb: ${a}\nc: ${mul:${b},4}\nd: {e: '${c}'}\n"}}});
  const Fact& fact = result.facts.back();
  ASSERT_EQ(fact.path, "d.e");
  ASSERT_TRUE(fact.formula);
  EXPECT_EQ(fact.formula->reads, std::vector<std::string>{"a"});
  EXPECT_EQ(fact.formula->value({{"a", Value(5)}}), Value(20));
}

// ---- a configuration of the framework's own package

TEST(Compose, ABaseThatLiesInThePackage) {
  static constexpr std::string_view kSet[] = {"actor.strategy=megatron", "actor.tp=2"};
  const BaseSpec bases[] = {{"ppo_megatron", kSet}};
  Schema schema;
  schema.name = "some", schema.title = "Some";
  schema.composition.style = Layering::Hydra;
  schema.bases = bases;
  Overlay files;
  const auto compose_text = [&](const char* text) {
    files.put("run.yaml", text);
    Layers layers{&schema, Dialect::OmegaConf, {}, {}, {}, ".", true, false};
    layers.documents.push_back(read_document(std::make_shared<const Source>("run.yaml", text), Format::Yaml));
    return compose(files, layers);
  };
  const Composed known = compose_text("defaults: [ppo_megatron, _self_]\nactor: {tp: 4}\n");
  EXPECT_EQ(known.partial, "") << "what it sets is known";
  std::string said;
  for (const Fact& fact : known.facts)
    if (!fact.value.map()) said += fact.path + "=" + to_string(fact.value) + " ";
  EXPECT_EQ(said, "actor.strategy=megatron actor.tp=4 ");
  EXPECT_FALSE(known.facts.empty() || known.facts.back().inherited) << "the file's own value is its own";
  EXPECT_NE(compose_text("defaults: [another, _self_]\nactor: {tp: 4}\n").partial, "");
}

}  // namespace
}  // namespace shardlint
