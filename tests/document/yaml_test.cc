// YAML: what the tree holds, where it stands, and what is said of files that cannot be read.
#include <gtest/gtest.h>

#include "tests/document/snippets.h"

namespace shardlint::test {
namespace {

struct Case {
  std::string_view input;
  std::string_view dump;
};

TEST(Yaml, Trees) {
  const Case cases[] = {
      {"", ""},
      {"# only a comment\n", ""},
      {"\xEF\xBB\xBF", ""},
      {"a: 1", "{a: 1}"},
      {"\xEF\xBB\xBF"
       "a: 1\n",
       "{a: 1}"},
      {"a: 1\r\nb: 2\r\n", "{a: 1, b: 2}"},
      {"a: 1e-5\nb: on\nc: ~\nd:\n", "{a: 1e-5, b: on, c: ~, d: }"},
      {"a: 'it''s'\nb: \"x\\n\\u00e9\\\"\"\n", "{a: \"it's\", b: \"x\\n\xC3\xA9\\\"\"}"},
      {"a: {b: [1, 'x', {c: }], d: }\n", "{a: {b: [1, \"x\", {c: }], d: }}"},
      {"[a, b: 1, ? c : d]", "[a, {b: 1}, {c: d}]"},
      {"- 1\n-\n- - 2\n  - 3\n", "[1, , [2, 3]]"},
      {"a:\n- 1\n- 2\nb: x\n", "{a: [1, 2], b: x}"},
      {"a: |\n  x\n    y\n\nb: >-\n  x\n  y\n", "{a: \"x\\n  y\\n\", b: \"x y\"}"},
      {"a: |+\n  x\n\n", "{a: \"x\\n\\n\"}"},
      {"a: one\n  two\n", "{a: one two}"},
      {"a: &x [1]\nb: *x\n", "{a: [1], b: *}"},
      {"a: &x 1\n*x : 2\n", "{a: 1, 1: 2}"},
      {"a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: *}"},
      {"a: &m {x: 1}\nb: {<<: *m, y: 2}\n", "{a: {x: 1}, b: {<<: *, y: 2}}"},
      {"a: !!str 5\nb: !local x\nc: !!seq [1]\n", "{a: !!str 5, b: !local x, c: !!seq [1]}"},
      {"a: 1\n---\nb: 2\n...\n---\nc\n", "{a: 1} --- {b: 2} --- c"},
      {"---\n---\n", " --- "},
      {"a: 1\na: 2\nb: 3\na: 4\n", "{!a: 1, !a: 2, b: 3, a: 4}"},
      {"\"\": 1\n? k\n: v\n? w\n", "{: 1, k: v, w: }"},
      {"a: http://x#y # z\n", "{a: http://x#y}"},
      {"\xC3\xBC: \xF0\x9F\x98\x80\n", "{\xC3\xBC: \xF0\x9F\x98\x80}"},
      {"a:\t1\n", "{a: 1}"},
      {"[{a:}, {b:, c:[1]}, d:]", "[{a: }, {b: , c: [1]}, {d: }]"},
      {"{\"a\":1,\"b\":[true,null]}", "{a: 1, b: [true, null]}"},
      {"%YAML 1.1\n---\na: 1\n", "{a: 1}"},
  };
  for (const auto& [input, expected] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Yaml);
    EXPECT_EQ(dump(*document), expected) << input;
    EXPECT_EQ(problems(*document), "") << input;
  }
}

// In the order of collect(): every key, its value, then what the value holds.
TEST(Yaml, Ranges) {
  const std::string_view cases[] = {
      "[[a]]: [[1]]   # not this\n[[b c]]: [['x ''y']]\n",
      "[[\"a\"]]: [[\"q\"]]\n[[b]]:[[]]\n[[c]]: [[~]]\n",
      "[[a]]: [[{[[b]]: [[1]], [[c]]:[[]]}]]\n",
      "[[a]]:\n  [[[[b]]: [[1]]\n  [[c]]: [[2]]]]\n# tail\n\n[[d]]: [[3]]\n",
      "[[a]]:\n[[- [[1]]\n- [[two words]]]]\n\n[[b]]: [[x]]\n",
      "[[a]]: [[|  # header\n  x\n  # text\n\n    y]]\n\n\n[[b]]: [[>-\n  z]]\n# tail\n",
      "[[\xC3\xA4]]: [['\xF0\x9F\x98\x80']]  # \xC3\xA4\n[[b]]: [[\xC3\xBC x]]\n",
      "\xEF\xBB\xBF[[\xC3\xA4]]: [[1]]\r\n[[b]]: [[x]]\r\n",
      "[[a]]: &anchor [[1]]\n[[b]]: !!str [[2]]\n[[c]]: [[*anchor]]\n[[d]]: &empty[[]]\n",
      "[[a]]: [[one\n  two]]\n",
      "[[a]]: [['x\xE2\x80\xA8y']] # \xE2\x80\xA8\n[[b]]: [[1]]\n",  // U+2028
      "[[a]]: [[{[[b]]: [[{[[c]]:[[]]}]], [[\xC3\xA4]]:[[]], [[e]]:[[[ [[1]] ]]]}]] # x\n[[f]]: [[2]]\n",
      "[[a]]: [[[ [[1]],\n [[{[[b]]: [[2]]}]]  ]]]\n",
  };
  for (const std::string_view marked : cases) {
    const auto [text, expected] = annotated(marked);
    const DocumentPtr document = parse(text, Format::Yaml);
    ASSERT_EQ(document->roots.size(), 1u) << marked;
    std::vector<Range> ranges;
    collect(*document->roots[0], ranges);
    EXPECT_EQ(shown(ranges, text), shown(expected, text)) << marked;
    EXPECT_EQ(problems(*document), "") << marked;
  }
}

TEST(Yaml, Comments) {
  const std::string_view cases[] = {
      "[[# a]]\na: 1 [[# b]]\nb: x#y [[# c 'd' # e]]\r\n",
      "a: '# no'\nb: \"# no\" [[#c]]\nc: |  [[# header]]\n  # text\n[[# after]]\nd: [1,[[#x]]\n 2] [[# e]]\n",
      "a: &x 1 [[# a]]\nb: *x [[# b]]\n[[# end]]",
      "[[# only]]",
      "a: !tag x\n--- [[# doc]]\nb: 1\n",
  };
  for (const std::string_view marked : cases) {
    const auto [text, expected] = annotated(marked);
    const DocumentPtr document = parse(text, Format::Yaml);
    std::vector<Range> ranges;
    for (const Comment& comment : document->comments) ranges.push_back(comment.range);
    EXPECT_EQ(shown(ranges, text), shown(expected, text)) << marked;
  }
}

TEST(Yaml, Problems) {
  struct {
    std::string_view input, dump, problems;
  } const cases[] = {
      {"a:\n\tb: 1\n", "{a: }", "a tab indents this line, which YAML forbids <\t>"},
      {"a:\n  b: 1\n\tc: 2\n", "{a: {b: }}", "a tab indents this line, which YAML forbids <\t>"},
      {"a: [1, 2\nb: 3\n", "{a: [1, 2 b]}", "a comma or `]` was expected here <:> | opened here <[>"},
      {"a: [1, 2\n", "{a: [1, 2]}", "this list is never closed <2> | opened here <[>"},
      {"a: {b: 1\n", "{a: {b: 1}}", "this mapping is never closed <1> | opened here <{>"},
      {"a: [1}\n", "{a: [1]}", "a comma or `]` was expected here <}> | opened here <[>"},
      {"a: \"x\nb: 1\n", "{a: }", "this quoted text is never closed <1> | opened here <\">"},
      {"a: 1\n  b: 2\n", "{a: 1 b}",
       "a key cannot stand here: the value before it has ended, or this line is indented deeper than its block <:>"},
      {"a:\n  b: 1\n c: 2\n", "{a: {b: 1}}",
       "this does not fit the block it stands in: a key was expected, at the indentation of the keys above <c>"
       " | the block begins here <a>"},
      {"a: 1\nfoo\nc: 2\n", "{a: 1}", "this key has no `: ` behind it <foo>"},
      {"a: @x\n", "{a: }", "`@` cannot begin a value; quote the text <@x>"},
      {"a: *b\nc: 1\n", "{a: !!null , c: 1}", "no `&b` stands before this alias <*b>"},
      {"a: &a [1, *a]\n", "{a: [1, !!null ]}", "`*a` stands inside the value that it repeats <*a> | `&a` begins here <&a>"},
      {"a: {{ x }}\nb: 1\n", "{a: {{ x }: }, b: 1}", "a mapping cannot be a key; quote the text if braces are meant <{ x }>"},
      {"[a]: 1\n", "{[a]: 1}", "a list cannot be a key; quote the text if brackets are meant <[a]>"},
      {"a: \"\\q\"\n", "{a: }", "this escape does not exist in double-quoted text; a backslash itself is written `\\\\` <\\q>"},
      {"a: 1\nb: \x01\n", "{}", "this control character is not allowed in YAML <\x01>"},
  };
  for (const auto& [input, expected, said] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Yaml);
    EXPECT_EQ(problems(*document), said) << input;
    if (expected != "{}") {
      EXPECT_EQ(dump(*document), expected) << input;
    }
  }
}

TEST(Yaml, DuplicateKeys) {
  const auto [text, marks] = annotated("[[a]]: 1\nb: {[[x]]: 1, [['x']]: 2}\n[[a]]: 2\n[[a]]: 3\n");
  const DocumentPtr document = parse(text, Format::Yaml);
  ASSERT_EQ(document->duplicates.size(), 3u);
  EXPECT_EQ(document->duplicates[0].first, marks[0]);
  EXPECT_EQ(document->duplicates[0].second, marks[4]);
  EXPECT_EQ(document->duplicates[1].key, "x");
  EXPECT_EQ(document->duplicates[1].second, marks[2]);
  EXPECT_EQ(document->duplicates[2].first, marks[3]);
  // Different keys to Python, however alike they look; and `<<` may be written twice.
  EXPECT_TRUE(parse("1: a\n\"1\": b\n", Format::Yaml)->duplicates.empty());
  EXPECT_TRUE(parse("a: &a {x: 1}\nb: {<<: *a, <<: *a}\n", Format::Yaml)->duplicates.empty());
}

std::string seen(const Document& document, std::string_view key) {
  std::string out;
  for (const Entry* entry : document.entries(*document.find(*document.roots[0], key)->value))
    out += (out.empty() ? "" : " ") + entry->key + "=" + entry->value->text;
  return out;
}

TEST(Yaml, Merges) {
  const struct {
    std::string_view input, seen;
  } cases[] = {
      {"a: &a {x: 1, y: 2}\nz: {<<: *a, y: 3}\n", "y=3 x=1"},
      {"a: &a {x: 1}\nb: &b {x: 2, w: 0}\nz: {<<: [*a, *b]}\n", "x=1 w=0"},
      {"a: &a {x: 1}\nb: &b {x: 2}\nz: {<<: *a, <<: *b}\n", "x=2"},
      {"a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nz: {<<: *b, q: 0}\n", "q=0 y=2 x=1"},
      {"z: {<<: {x: 1}, y: 2, y: 3}\n", "y=3 x=1"},
      {"a: &a {x: 1}\nz: {\"<<\": *a}\n", "<<="},
      {"z: {<<: 5, y: 1}\n", "y=1"},
  };
  for (const auto& [input, expected] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Yaml);
    EXPECT_EQ(seen(*document, "z"), expected) << input;
  }
  const DocumentPtr document = parse("a: &a {x: 1, y: 2}\nz: {<<: *a, y: 3}\n", Format::Yaml);
  const Node& z = *document->find(*document->roots[0], "z")->value;
  EXPECT_EQ(document->find(z, "x")->value->text, "1");
  EXPECT_EQ(document->find(z, "y")->value->text, "3");
  EXPECT_EQ(document->find(z, "<<"), nullptr);
}

}  // namespace
}  // namespace shardlint::test
