// JSON, strict and as Hjson.
#include <gtest/gtest.h>

#include <cmath>

#include "checker/document/dialect.h"
#include "tests/document/snippets.h"

namespace shardlint::test {
namespace {

TEST(Json, Trees) {
  const struct {
    std::string_view input, dump;
  } cases[] = {
      {"{}", "{}"},
      {" [ ] ", "[]"},
      {"5", "5"},
      {"\xEF\xBB\xBF{\"a\": 1}\r\n", "{a: 1}"},
      {"{\"a\": [1, -2.5e3, true, false, null, \"x\"], \"b\": {\"c\": {}}}", "{a: [1, -2.5e3, true, false, null, \"x\"], b: {c: {}}}"},
      {"[\"\\u00e9\\ud83d\\ude00\\n\\/\\\"\"]", "[\"\xC3\xA9\xF0\x9F\x98\x80\\n/\\\"\"]"},
      {"[\"\\ud83d\"]", "[\"\xEF\xBF\xBD\"]"},
      {"{\"a\": 1, \"a\": 2}", "{!a: 1, a: 2}"},
      {"[NaN, -Infinity]", "[NaN, -Infinity]"},
      {"{\"a\"\n:\t1}", "{a: 1}"},
  };
  for (const auto& [input, expected] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Json);
    EXPECT_EQ(dump(*document), expected) << input;
    EXPECT_EQ(problems(*document), "") << input;
  }
}

TEST(Json, Values) {
  const DocumentPtr document =
      parse("[1, -0, 1.0, 1e5, 9223372036854775807, 9223372036854775808, -1e999, \"1\", true, null]", Format::Json);
  const Value expected[] = {1, 0, 1.0, 1e5, i64{9223372036854775807}, 9223372036854775808.0, -INFINITY, "1", true, Null{}};
  const Node& list = *document->roots[0];
  ASSERT_EQ(list.items.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const Value value = read(*list.items[i].value, Dialect::Json);
    EXPECT_EQ(value, expected[i]) << i;
    EXPECT_EQ(value.kind(), expected[i].kind()) << i;
  }
}

TEST(Json, Ranges) {
  const auto [text, expected] =
      annotated("{ [[\"a\"]] : [[1]],\r\n [[\"\xC3\xBC\"]]: [[{[[\"b\"]]:[[\"x\"]]}]], [[\"c\"]]: [[[ [[null]] ]]] }");
  const DocumentPtr document = parse(text, Format::Json);
  std::vector<Range> ranges;
  collect(*document->roots[0], ranges);
  EXPECT_EQ(shown(ranges, text), shown(expected, text));
}

TEST(Json, Problems) {
  const struct {
    std::string_view input, dump, problems;
  } cases[] = {
      {"", "", "a JSON file needs a value, and this one is empty <>"},
      {"{\"a\": {\"b\": 1\n", "{a: {b: 1}}", "this object is never closed <1> | opened here <{>"},
      {"{\"a\": [1, 2", "{a: [1, 2]}", "this list is never closed <2> | opened here <[>"},
      {"{\"a\": [1, 2}", "{a: [1, 2]}", "a comma or `]` was expected here <}> | opened here <[>"},
      {"{\"a\": 1 \"b\": 2}", "{a: 1, b: 2}", "a comma was expected before this <\">"},
      {"{\"a\": 1,}", "{a: 1}", "JSON allows no comma before `}` <,>"},
      {"[1,,2]", "[1, , 2]", "a value was expected here <,>"},
      {"{\"a\": 1 // one\n, /* two */ \"b\": 2}", "{a: 1, b: 2}", "JSON has no comments <// one>"},
      {"{a: 1}", "{a: 1}", "a JSON key needs double quotes <a>"},
      {"{\"a\": 'x'}", "{a: \"x\"}", "JSON text needs double quotes <'x'>"},
      {"{\"a\": True, \"b\": None}", "{a: True, b: None}",
       "`True` is spelled `true` in JSON <True>\n`None` is spelled `null` in JSON <None>"},
      {"{\"a\": auto}", "{a: auto}", "this is no JSON value; text needs double quotes <auto>"},
      {"[01, .5, 1.]", "[01, .5, 1.]", "this is no JSON number <01>\nthis is no JSON number <.5>\nthis is no JSON number <1.>"},
      {"{\"a\" 1}", "{a: 1}", "a `:` was expected before this <1>"},
      {"{\"a\", \"b\": 1}", "{a: , b: 1}", "a `:` and a value were expected behind this key <\"a\">"},
      {"{\"a\": \"x\n, \"b\": 1}", "{a: \"x\", b: 1}", "this quoted text is never closed <\"x>"},
      {"[\"a\rb\"]", "[\"a\\rb\"]", "a control character inside JSON text is written `\\u000d` <\r>"},
      {"[\"a\tb\"]", "[\"a\\tb\"]", "a tab inside JSON text is written `\\t` <\t>"},
      {"[\"\\q\"]", "[\"q\"]", "this escape does not exist in JSON; a backslash itself is written `\\\\` <\\q>"},
      {"{} {}", "{}", "nothing may follow the value that a JSON file holds <{>"},
  };
  for (const auto& [input, expected, said] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Json);
    EXPECT_EQ(problems(*document), said) << input;
    EXPECT_EQ(dump(*document), expected) << input;
  }
}

TEST(Hjson, Trees) {
  const struct {
    std::string_view input, dump;
  } cases[] = {
      {"", ""},
      {"{\n  a: 1 # one\n  b: hello, world\n  // two\n  c: [1, 2,\n 3\n x\n ] /* three */\n}", "{a: 1, b: hello, world, c: [1, 2, 3, x]}"},
      {"{\"a\": 1, \"b\": {\"c\": 2,},}", "{a: 1, b: {c: 2}}"},
      {"a: true,\nb: it is so\n", "{a: true, b: it is so}"},
      {"{a: 'x', b:\n   '''\n   one\n    two\n   '''}", "{a: \"x\", b: \"one\\n two\"}"},
      {"{a: 5 apples\n b: 5}", "{a: 5 apples, b: 5}"},
      {"{a: 1\n a: 2}", "{!a: 1, a: 2}"},
  };
  for (const auto& [input, expected] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Json, true);
    EXPECT_EQ(dump(*document), expected) << input;
    EXPECT_EQ(problems(*document), "") << input;
  }
  EXPECT_EQ(problems(*parse("{a: 1\n b: {c: 2\n", Format::Json, true)), "this object is never closed <2> | opened here <{>");
  EXPECT_EQ(problems(*parse("{a: }", Format::Json, true)), "a value was expected here <}>");
}

TEST(Json, DuplicateKeys) {
  const auto [text, marks] = annotated("{[[\"a\"]]: {\"b\": 1}, [[\"a\"]]: 2}");
  const DocumentPtr document = parse(text, Format::Json);
  ASSERT_EQ(document->duplicates.size(), 1u);
  EXPECT_EQ(document->duplicates[0].first, marks[0]);
  EXPECT_EQ(document->duplicates[0].second, marks[1]);
}

}  // namespace
}  // namespace shardlint::test
