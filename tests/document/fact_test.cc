// Facts: order, paths, places.
#include "checker/document/fact.h"

#include <gtest/gtest.h>

#include "tests/document/snippets.h"

namespace shardlint::test {
namespace {

std::string lines(const Facts& facts) {
  std::string out;
  for (const Fact& fact : facts)
    out += fact.path + " = " + to_string(fact.value) + " <" + std::string(fact.place.source->text(fact.place.range)) + ">" +
           (fact.way == Way::Container ? " +" : "") + "\n";
  return out;
}

Facts facts(std::string text, Format format, Dialect dialect) {
  const DocumentPtr document = parse(std::move(text), format);
  return facts_of(document, *document->roots.at(0), dialect);
}

TEST(Facts, Yaml) {
  EXPECT_EQ(lines(facts("t: {a: 1e-5, l: [x, {n: on}]}\nempty:\nt2: 'q'\n", Format::Yaml, Dialect::PyYaml)),
            "t = {...} <{a: 1e-5, l: [x, {n: on}]}> +\n"
            "t.a = 1e-5 <1e-5>\n"
            "t.l = [x, {...}] <[x, {n: on}]> +\n"
            "t.l[0] = x <x>\n"
            "t.l[1] = {...} <{n: on}> +\n"
            "t.l[1].n = true <on>\n"
            "empty = null <empty>\n"
            "t2 = q <'q'>\n");
}

TEST(Facts, MergesAndAliasesAndShadows) {
  EXPECT_EQ(lines(facts("base: &b {x: 1, y: 2}\nz:\n  <<: *b\n  y: 3\n  w: *b\nk: 1\nk: 2\n", Format::Yaml, Dialect::OmegaConf)),
            "base = {...} <&b {x: 1, y: 2}> +\nbase.x = 1 <1>\nbase.y = 2 <2>\n"
            "z = {...} <<<: *b\n  y: 3\n  w: *b> +\nz.y = 3 <3>\nz.w = {...} <*b> +\nz.w.x = 1 <1>\nz.w.y = 2 <2>\nz.x = 1 <1>\n"
            "k = 2 <2>\n");
}

TEST(Facts, Toml) {
  const Facts all = facts("[p.q]\nd = 8\n[[s]]\nn = 'x'\n", Format::Toml, Dialect::Toml);
  EXPECT_EQ(lines(all),
            "p = {...} <[p.q]> +\np.q = {...} <[p.q]> +\np.q.d = 8 <8>\n"
            "s = [{...}] <[[s]]> +\ns[0] = {...} <[[s]]> +\ns[0].n = x <'x'>\n");
  EXPECT_EQ(all[2].spelled, "d");
  EXPECT_EQ(all[4].spelled, "s[0]");
  EXPECT_EQ(all[2].parent, all[1].node);
  EXPECT_EQ(all[2].document->raw(all[2].key_place.range), "d");
}

TEST(Facts, ScalarRootHasNone) { EXPECT_TRUE(facts("5", Format::Yaml, Dialect::PyYaml).empty()); }

}  // namespace
}  // namespace shardlint::test
