// TOML: trees in file order, exact ranges, and both places of what is written twice.
#include <gtest/gtest.h>

#include "tests/document/snippets.h"

namespace shardlint::test {
namespace {

TEST(Toml, Trees) {
  const struct {
    std::string_view input, dump;
  } cases[] = {
      {"", ""},
      {"# c\n", ""},
      {"b = 1\na = 1_000\nc = 1e-5", "{b: 1, a: 1_000, c: 1e-5}"},
      {"\xEF\xBB\xBF"
       "a = 1\r\n[t]\r\nb = true\r\n",
       "{a: 1, t: {b: true}}"},
      {"[b.c]\nx = 1\n[a]\n[b]\ny = 2\n", "{b: {c: {x: 1}, y: 2}, a: {}}"},
      {"a.b.c = 1\na.d = 'x'\n", "{a: {b: {c: 1}, d: \"x\"}}"},
      {"a = [1, {b = 2}, []]\n", "{a: [1, {b: 2}, []]}"},
      {"[[l]]\nn = 1\n[[l]]\n[l.sub]\nx = inf\n", "{l: [{n: 1}, {sub: {x: inf}}]}"},
      {"a = \"\"\"\nx\n\"y\"\"\"\"\nb = '''z'''\nc = \"\\u00e9\"\n", "{a: \"x\\n\\\"y\\\"\", b: \"z\", c: \"\xC3\xA9\"}"},
      {"d = 2020-01-01\nt = 07:30:00\n\"k k\" = 0x10\n", "{d: 2020-01-01, t: 07:30:00, k k: 0x10}"},
  };
  for (const auto& [input, expected] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Toml);
    EXPECT_EQ(dump(*document), expected) << input;
    EXPECT_EQ(problems(*document), "") << input;
  }
}

TEST(Toml, Ranges) {
  const std::string_view cases[] = {
      "[[a]] = [[1]] # c\n[[\"b c\"]] = [['x']]\n",
      "\xEF\xBB\xBF[[a]] = [[\"\xC3\xBC\"]]\r\n[[b]] = [[{ [[x]] = [[\"\xF0\x9F\x98\x80\"]], [[y]] = [[2.5]] }]]\r\n",
      "[[a]] = [[[ [[1]], # one\n  [[2]],\n]]]\n[[b]] = [[\"\"\"\nx\n\"\"\"]]\n",
  };
  for (const std::string_view marked : cases) {
    const auto [text, expected] = annotated(marked);
    const DocumentPtr document = parse(text, Format::Toml);
    ASSERT_EQ(document->roots.size(), 1u) << marked;
    std::vector<Range> ranges;
    collect(*document->roots[0], ranges);
    EXPECT_EQ(shown(ranges, text), shown(expected, text)) << marked;
  }
}

TEST(Toml, HeadersAndDottedKeys) {
  const DocumentPtr document = parse("[a.b]\nx.y = 1\n[[l]]\nn = 1\n[[l]]\n", Format::Toml);
  const auto raw = [&](Range range) { return std::string(document->raw(range)); };
  const Entry* a = document->find(*document->roots[0], "a");
  const Entry* b = document->find(*a->value, "b");
  const Entry* x = document->find(*b->value, "x");
  const Entry* y = document->find(*x->value, "y");
  EXPECT_EQ(raw(a->key_range), "a");
  EXPECT_EQ(raw(b->key_range), "b");
  EXPECT_EQ(raw(b->value_range), "[a.b]");
  EXPECT_EQ(raw(x->key_range), "x");
  EXPECT_EQ(raw(y->key_range), "y");
  EXPECT_EQ(raw(y->value_range), "1");
  EXPECT_FALSE(b->value->flow);
  const Entry* l = document->find(*document->roots[0], "l");
  ASSERT_EQ(l->value->items.size(), 2u);
  EXPECT_FALSE(l->value->flow);
  EXPECT_EQ(l->value->items[1].value_range.begin, 26u);
  EXPECT_EQ(raw(l->value->items[1].value_range), "[[l]]");
  EXPECT_TRUE(document->find(*parse("v = [{a = 1}]", Format::Toml)->roots[0], "v")->value->flow);
}

TEST(Toml, ScalarStyles) {
  const DocumentPtr document = parse("a = 'x'\nb = \"x\"\nc = '''x'''\nd = \"\"\"x\"\"\"\ne = 3\nf = true\ng = 2020-01-01\n", Format::Toml);
  const auto node = [&](std::string_view key) { return document->find(*document->roots[0], key)->value; };
  EXPECT_EQ(node("a")->style, Style::SingleQuoted);
  EXPECT_EQ(node("b")->style, Style::DoubleQuoted);
  EXPECT_EQ(node("c")->style, Style::Literal);
  EXPECT_EQ(node("d")->style, Style::Literal);
  EXPECT_EQ(node("e")->style, Style::Plain);
  EXPECT_EQ(*node("e")->value, Value(3));
  EXPECT_EQ(*node("f")->value->boolean(), true);
  EXPECT_EQ(*node("g")->value, Value("2020-01-01"));
}

TEST(Toml, Comments) {
  const auto [text, expected] =
      annotated("[[# a]]\na = \"# no\" [[# b]]\r\n[t] [[# c]]\nl = ['#', [[# d]]\n 1] [[#e]]\nm = '''\n# no'''\n[[#]]");
  const DocumentPtr document = parse(text, Format::Toml);
  std::vector<Range> ranges;
  for (const Comment& comment : document->comments) ranges.push_back(comment.range);
  EXPECT_EQ(shown(ranges, text), shown(expected, text));
}

TEST(Toml, Problems) {
  const struct {
    std::string_view input, dump, problems;
  } cases[] = {
      {"a = 1\na = 2\nb = 3\n", "{a: 1, b: 3}", "`a` is written twice, which TOML refuses <a> | first written here <a>"},
      {"[t]\na = 1\n[u]\n[t]\nb = 2\n[v]\n", "{t: {a: 1}, u: {}, v: {}}",
       "`t` is written twice, which TOML refuses <t> | first written here <t>"},
      {"a = {x = 1, 'x' = 2}\nb = 1\n", "{b: 1}", "`x` is written twice, which TOML refuses <'x'> | first written here <x>"},
      {"[[l]]\na = 1\n[[l]]\na = 1\na = 2\n", "{l: [{a: 1}, {a: 1}]}",
       "`a` is written twice, which TOML refuses <a> | first written here <a>"},
      {"a.b = 1\n[a.b]\nc = 1\n", "{a: {b: 1}}", "`b` is written twice, which TOML refuses <b> | first written here <b>"},
      {"a = 1\na.b = 2\n", "{a: 1}",
       "`b` does not agree with what is written before: one is a table, the other is not <b> | written before here <a>"},
      {"x = 1\na = [1, 2\nb = 3\n", "{x: 1}", "a comma or `]` was expected here <b> | opened here <[>"},
      {"x = 1\na = [1, 2\n", "{x: 1}", "this list is never closed <2> | opened here <[>"},
      {"a = True\nb = yes\nc = 1\n", "{c: 1}", "a TOML boolean is spelled `true` <True>\nthis is no TOML value; text needs quotes <yes>"},
      {"a = llama3\n", "", "this is no TOML value; text needs quotes <llama3>"},
      {"a = \"x\nb = 1\n", "{b: 1}", "this quoted text is never closed <\"x>"},
      {"a =\nb = 1\n", "{b: 1}", "a value is missing here <=>"},
      {"a = # one\nb = 1\n", "{b: 1}", "a value is missing here <#>"},
      {"a = 1 2\nb = 1\n", "{b: 1}", "only a comment may stand behind a value; text needs quotes <2>"},
      {"a: 1\n", "", "`=` was expected here; TOML writes `key = value` <:>"},
      {"a\rb = 1\nc = 1\n", "{c: 1}", "a carriage return alone ends no line in TOML <a>"},
      {"a = 01\n", "", "a TOML number begins with no zeros <01>"},
      {"a = 10k\n", "", "this is no TOML number; text needs quotes <10k>"},
      {"a = 1.\n", "", "this is no TOML number; text needs quotes <1.>"},
      {"[a\nb = 1\n", "", "this header is never closed <a>"},
      {"= 1\n", "", "a key or a header in brackets was expected here <=>"},
      {"a = {b = 1,}\n", "", "no comma may stand before the end of a table in braces <}>"},
      {"a = 'x\nb = 1\n", "{b: 1}", "this quoted text is never closed <'x>"},
      {"a = \"\\q\"\n", "", "TOML knows no such escape; text in single quotes takes a backslash as it is <q>"},
      {"a = 2020-13-01\n", "", "this is no date or time <2020-13-01>"},
      {"a = 99999999999999999999\n", "", "this number does not fit into 64 bits <99999999999999999999>"},
  };
  for (const auto& [input, expected, said] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Toml);
    EXPECT_EQ(problems(*document), said) << input;
    EXPECT_EQ(dump(*document), expected) << input;
  }
}

TEST(Toml, DuplicateKeyPlaces) {
  const DocumentPtr document = parse("x = 1\n\xC3\xBC = '\xC3\xBC'\n\"k\" = 1\nk = 2\n", Format::Toml);
  // A bare key cannot be ü; the line is refused and the rest is read.
  ASSERT_EQ(document->duplicates.size(), 1u);
  EXPECT_EQ(document->duplicates[0].key, "k");
  EXPECT_EQ(document->raw(document->duplicates[0].first), "\"k\"");
  EXPECT_EQ(document->raw(document->duplicates[0].second), "k");
}

}  // namespace
}  // namespace shardlint::test
