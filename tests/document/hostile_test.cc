// Bytes that no one should write: every reader answers, soon, and says what is wrong. Whoever breaks one of these hangs or crashes here.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "checker/document/fact.h"
#include "tests/document/snippets.h"

namespace shardlint::test {
namespace {

constexpr Format kFormats[] = {Format::Yaml, Format::Toml, Format::Json};

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Everything that the rest of shardlint asks of a document.
DocumentPtr survive(std::string text, Format format, bool hjson = false) {
  const auto size = text.size();
  const DocumentPtr document = parse(std::move(text), format, hjson);
  dump(*document);
  for (const Node* root : document->roots)
    for (const Dialect dialect : {Dialect::PyYaml, Dialect::OmegaConf})
      for (const Fact& fact : facts_of(document, *root, dialect)) {
        EXPECT_LE(fact.place.range.begin, fact.place.range.end);
        EXPECT_LE(fact.place.range.end, size);
        if (fact.node->kind == Node::Kind::Scalar) trap(*fact.node, dialect);
      }
  for (const Problem& problem : document->problems) {
    EXPECT_FALSE(problem.message.empty());
    EXPECT_LE(problem.range.begin, problem.range.end);
    EXPECT_LE(problem.range.end, size);
  }
  return document;
}

TEST(Hostile, Encodings) {
  using namespace std::string_literals;
  for (const Format format : kFormats) {
    EXPECT_EQ(problems(*survive("\xFF\xFE"
                                "a\0:\0"s,
                                format)),
              "this file is UTF-16; save it as UTF-8 <\xFF\xFE>");
    EXPECT_EQ(problems(*survive("\xFF\xFE\0\0a\0\0\0"s, format)), "this file is UTF-32; save it as UTF-8 <\xFF\xFE>");
    EXPECT_EQ(survive("\0a\0:\0 \0b"s, format)->problems.size(), 1u);
    for (const std::string& bad : {"\xFF"s, "\xC3"s, "\xE2\x82"s, "\xC0\x80"s, "\xED\xA0\x80"s, "\xF4\x90\x80\x80"s}) {
      const DocumentPtr document = survive("# one\n# two " + bad, format);
      ASSERT_EQ(document->problems.size(), 1u);
      EXPECT_EQ(document->problems[0].range, (Range{12, 13}));
    }
    survive("\xEF\xBB\xBF", format);
    survive("\xEF\xBB\xBF{\"a\": [1, [", format);
    survive("\xEF\xBB\xBF\xEF\xBB\xBF", format);
    survive(std::string(1000, '\0'), format);
    survive("a\0b"s, format);
  }
  EXPECT_EQ(dump(*survive("a: 1\nb: \xFF\n", Format::Yaml)), "{a: 1}");
  EXPECT_EQ(dump(*survive("a = 1\nb = '\xFF'\n", Format::Toml)), "{a: 1}");
  EXPECT_EQ(problems(*parse("a: 1\nb: \xFF\n", Format::Yaml)), "byte 0xFF is not valid UTF-8 here <\xFF>");
}

TEST(Hostile, Nesting) {
  constexpr std::string_view too_deep = "this is nested deeper than 200 levels";
  for (const Format format : kFormats) {
    const std::string begin = format == Format::Toml ? "a = " : format == Format::Yaml ? "a: " : "";
    for (const std::string_view bracket : {"[", "{", "{\"a\":", "[{\"a\":", "{a=", "[{a = [", "- ", "? ", "]", "}"})
      survive(begin + repeated(bracket, 100'000), format);
    const DocumentPtr closed = survive(begin + repeated("[", 100'000) + repeated("]", 100'000), format);
    ASSERT_FALSE(closed->problems.empty());
    EXPECT_EQ(closed->problems[0].message, too_deep);
    EXPECT_TRUE(survive(begin + repeated("[", 190) + repeated("]", 190), format)->problems.empty());
  }
  const std::string dotted = repeated("a.", 40'000) + "a";
  for (const std::string& text : {"[" + dotted + "]\n", dotted + " = 1\n", "a = {" + dotted + " = 1}\n", "[[" + dotted + "]]\n",
                                  "a = " + repeated("{" + repeated("b.", 150) + "b = ", 200)})
    EXPECT_EQ(survive(text, Format::Toml)->problems.at(0).message, too_deep);
  EXPECT_EQ(dump(*survive("x = 1\n[" + dotted + "]\n", Format::Toml)), "{x: 1}");
}

TEST(Hostile, Bombs) {
  const auto chain = [](std::string_view first, std::string_view next, int times) {
    std::string out = fmt::format("a0: &a0 {}\n", first);
    for (int i = 1; i < times; ++i) {
      std::string line(next);
      for (std::size_t at; (at = line.find('@')) != std::string::npos;) line.replace(at, 1, fmt::format("*a{}", i - 1));
      out += fmt::format("a{}: &a{} {}\n", i, i, line);
    }
    return out;
  };
  EXPECT_EQ(survive(chain("[x, x, x, x, x]", "[@, @, @, @, @, @, @, @, @]", 12), Format::Yaml)->problems.size(), 0u);
  survive(chain("{k: v}", "{a: @, b: @, c: @, d: @, e: @}", 12), Format::Yaml);
  survive(chain("{k: v}", "{<<: [@, @]}", 1000), Format::Yaml);
  survive(chain("{k: v}", "{<<: @, <<: @, n: 1}", 200), Format::Yaml);
  survive(chain("[x]", "[@]", 20'000), Format::Yaml);
  survive(chain("[x]", "[@, @]", 20'000), Format::Yaml);
  survive("a: &a {<<: *a, b: 1}\n", Format::Yaml);
  const DocumentPtr doubling = survive(chain("{k: v}", "{<<: [@, @]}", 1000), Format::Yaml);
  EXPECT_EQ(doubling->find(*doubling->roots[0]->entries.back().value, "k")->value->text, "v");
}

TEST(Hostile, LongLinesAndManyThings) {
  for (const Format format : kFormats) {
    const std::string begin = format == Format::Toml ? "a = [" : format == Format::Yaml ? "a: [" : "[";
    EXPECT_EQ(survive(begin + repeated("1,", 500'000) + "1]", format)->problems.size(), 0u);
    EXPECT_EQ(survive(begin + "\"\xC3\xBC\"," + repeated("1,", 200'000) + "1]", format)->problems.size(), 0u);
    for (const std::string_view piece :
         {"\n",   "#",     "#\n",   " ",       "\t",     "\"",     "'",     ":",    ": ",    ",",  "=",  "\\",  "&a ", "*a ",  "!",  "|",
          "%a\n", "---\n", "[a]\n", "[[a]]\n", "a = \n", "a: 1\n", "[a:],", "{a:}", "\"\\u", "/*", "//", "{\"", "a.",  "<<: ", "'''"})
      survive(repeated(piece, 50'000), format);
  }
  for (const Format format : kFormats)
    for (const std::string_view end : {"\"\\", "a = \"\\", "\"\"\"\\", "a = \"\"\"\\", "'\\", " \"\\\" \\", "[\"\\", "a = {\"\\"})
      survive(std::string(end), format, true);
  survive("'''" + std::string(100'000, '\n'), Format::Json, true);
  survive("a: " + repeated("x ", 100'000), Format::Json, true);
  EXPECT_EQ(parse(std::string((64u << 20) + 1, ' '), Format::Yaml)->problems.size(), 1u);
}

// Every prefix of, and every one-byte change to, a text that uses most of a syntax.
TEST(Hostile, Mutations) {
  const struct {
    Format format;
    bool hjson;
    std::string_view text;
  } seeds[] = {
      {Format::Yaml, false,
       "%YAML 1.1\n---\na: &x {b: [1, 'q', \"\\u00e9\"], ? c : d}\n"
       "# c\ne: *x\nf: |+\n  t\n\ng: !!str >-\n  u\n<<: *x\n- \n...\n\xC3\xBC: 1:30\n"},
      {Format::Toml, false,
       "a.b = 1 # c\n[t.\"u\"]\nx = [1, {y = 'z', w.v = 2}, ]\n"
       "[[l]]\ns = \"\"\"\n\xC3\xBC\"\"\"\nd = 2020-01-01\n[[l]]\ns = '''q'''\n"},
      {Format::Json, false, "{\"a\": [1, -2.5e3, true, null, \"\\ud83d\\ude00\"], \"b\": {\"c\": {}, \"c\": 1}, \"\xC3\xBC\": \"\\n\"}"},
      {Format::Json, true, "# c\na: 1\nb: hello, world\nc: [1\n 2, 'x', ] // d\ne: '''\n  f\n  '''\n\"g\": {h: null}\n/* i */"},
  };
  for (const auto& [format, hjson, text] : seeds) {
    for (std::size_t length = 0; length <= text.size(); ++length) survive(std::string(text.substr(0, length)), format, hjson);
    for (std::size_t at = 0; at < text.size(); ++at)
      for (const char c : std::string_view("\0\n\t \"'[]{}:,#&*!|=.-\\\xC3\xFF", 24)) {
        std::string changed(text);
        changed[at] = c;
        survive(changed, format, hjson);
        changed.insert(at, 1, c);
        survive(changed, format, hjson);
      }
  }
}

}  // namespace
}  // namespace shardlint::test
