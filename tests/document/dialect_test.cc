// What each dialect makes of a plain scalar, and which readings surprise.
#include "checker/document/dialect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/document/snippets.h"

namespace shardlint::test {
namespace {

std::string typed(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Null: return "null";
    case Value::Kind::Bool: return *value.boolean() ? "true" : "false";
    case Value::Kind::Int: return "i " + to_string(value);
    case Value::Kind::Real: return "r " + to_string(value);
    case Value::Kind::Str: return "t";
    default: return to_string(value);
  }
}

Node plain(std::string_view text) {
  Node node;
  node.text = text;
  return node;
}

TEST(Dialect, PlainScalars) {
  const struct {
    std::string_view text, pyyaml, omegaconf, yaml12;
  } cases[] = {
      {"8", "i 8", "i 8", "i 8"},
      {"-0", "i 0", "i 0", "i 0"},
      {"+12", "i 12", "i 12", "i 12"},
      {"1e-5", "t", "r 1e-05", "r 1e-05"},
      {"1e5", "t", "r 100000", "r 100000"},
      {"1E5", "t", "r 100000", "r 100000"},
      {"1.5e3", "t", "r 1500", "r 1500"},
      {"+1e3", "t", "r 1000", "r 1000"},
      {"1.0e-5", "r 1e-05", "r 1e-05", "r 1e-05"},
      {"1.e-3", "r 0.001", "r 0.001", "r 0.001"},
      {"1.", "r 1", "r 1", "r 1"},
      {".5", "r 0.5", "r 0.5", "r 0.5"},
      {"-.5", "t", "t", "r -0.5"},
      {".5e-1", "r 0.05", "r 0.05", "r 0.05"},
      {".5e1", "t", "t", "r 5"},
      {"._1", "t", "t", "t"},
      {"1e", "t", "t", "t"},
      {"1_0e1_0", "t", "t", "t"},
      {"1_000", "i 1000", "i 1000", "t"},
      {"1_000.5", "r 1000.5", "r 1000.5", "t"},
      {"017", "i 15", "i 15", "i 17"},
      {"08", "t", "t", "i 8"},
      {"0o17", "t", "t", "i 15"},
      {"0x1F", "i 31", "i 31", "i 31"},
      {"-0x1F", "i -31", "i -31", "t"},
      {"0b101", "i 5", "i 5", "t"},
      {"0b_", "t", "t", "t"},
      {"1:30", "i 90", "i 90", "t"},
      {"190:20:30", "i 685230", "i 685230", "t"},
      {"1:30:00.5", "r 5400.5", "r 5400.5", "t"},
      {"00:03:45:00", "t", "t", "t"},
      {"1:60", "t", "t", "t"},
      {"yes", "true", "true", "t"},
      {"Off", "false", "false", "t"},
      {"oN", "t", "t", "t"},
      {"y", "t", "t", "t"},
      {"True", "true", "true", "true"},
      {"FALSE", "false", "false", "false"},
      {"tRue", "t", "t", "t"},
      {"", "null", "null", "null"},
      {"~", "null", "null", "null"},
      {"Null", "null", "null", "null"},
      {"None", "t", "t", "t"},
      {".inf", "r inf", "r inf", "r inf"},
      {"-.Inf", "r -inf", "r -inf", "r -inf"},
      {".NAN", "r nan", "r nan", "r nan"},
      {"nan", "t", "t", "t"},
      {"2001-01-01", "t", "t", "t"},
      {"=", "t", "t", "t"},
      {"9223372036854775807", "i 9223372036854775807", "i 9223372036854775807", "i 9223372036854775807"},
      {"-9223372036854775808", "i -9223372036854775808", "i -9223372036854775808", "i -9223372036854775808"},
      {"9223372036854775808", "r 9.223372036854776e+18", "r 9.223372036854776e+18", "r 9.223372036854776e+18"},
      {"0x10000000000000000", "r 1.8446744073709552e+19", "r 1.8446744073709552e+19", "r 1.8446744073709552e+19"},
      {"1.0e+999", "r inf", "r inf", "r inf"},
      {"1.0e-999", "r 0", "r 0", "r 0"},
  };
  for (const auto& [text, pyyaml, omegaconf, yaml12] : cases) {
    const Node node = plain(text);
    EXPECT_EQ(typed(read(node, Dialect::PyYaml)), pyyaml) << text;
    EXPECT_EQ(typed(read(node, Dialect::OmegaConf)), omegaconf) << text;
    EXPECT_EQ(typed(read(node, Dialect::Yaml12)), yaml12) << text;
    EXPECT_EQ(read(node, Dialect::Argparse), Value(text)) << text;
  }
}

TEST(Dialect, TagsAndQuotes) {
  const struct {
    std::string_view input, value;
  } cases[] = {
      {"!!str 5", "t"},
      {"!!int '017'", "i 15"},
      {"!!float 1e-5", "r 1e-05"},
      {"!!float 3", "r 3"},
      {"!!bool 'yes'", "true"},
      {"!!int x", "t"},
      {"!!null x", "null"},
      {"!custom 5", "t"},
      {"'5'", "t"},
      {"\"true\"", "t"},
      {"|\n  5", "t"},
      {"!!bool maybe", "t"},
      {"!!float '1:30.5'", "r 90.5"},
  };
  for (const auto& [input, expected] : cases) {
    const DocumentPtr document = parse(std::string(input), Format::Yaml);
    EXPECT_EQ(typed(read(*document->roots.at(0), Dialect::PyYaml)), expected) << input;
  }
}

TEST(Dialect, TheSyntaxDecidesInTomlAndJson) {
  const DocumentPtr toml = parse("a = 010.5\n", Format::Toml);
  EXPECT_FALSE(toml->problems.empty());
  const DocumentPtr json = parse("[1e5, \"on\", null]", Format::Json);
  EXPECT_EQ(to_string(read(*json->roots[0], Dialect::PyYaml)), "[100000, on, null]");
  EXPECT_EQ(read(*json->roots[0]->items[0].value, Dialect::Argparse), Value("1e5"));
}

TEST(Dialect, Collections) {
  const DocumentPtr document = parse("a: [1, x, {b: 2, c: 3}, [~]]\n", Format::Yaml);
  EXPECT_EQ(to_string(read(*document->roots[0]->entries[0].value, Dialect::PyYaml)), "[1, x, {...}, [null]]");
  EXPECT_EQ(read(*document->roots[0], Dialect::PyYaml), Value(Map{1}));
}

TEST(Dialect, Names) {
  for (const Dialect dialect :
       {Dialect::Toml, Dialect::PyYaml, Dialect::OmegaConf, Dialect::Yaml12, Dialect::Json, Dialect::Hjson, Dialect::Argparse})
    EXPECT_EQ(dialect_named(name(dialect)), dialect);
  EXPECT_EQ(dialect_named("yaml"), std::nullopt);
}

TEST(Traps, Meant) {
  const struct {
    std::string_view text;
    Dialect dialect;
    std::string_view meant, reads_as, meant_value;  // an empty `reads_as`: no trap
  } cases[] = {
      {"2e-5", Dialect::PyYaml, "2.0e-5", "t", "r 2e-05"},
      {"1e5", Dialect::PyYaml, "1.0e+5", "t", "r 100000"},
      {"1.5E3", Dialect::PyYaml, "1.5e+3", "t", "r 1500"},
      {"-1.e3", Dialect::PyYaml, "-1.0e+3", "t", "r -1000"},
      {".5e3", Dialect::PyYaml, "0.5e+3", "t", "r 500"},
      {"-.5", Dialect::PyYaml, "-0.5", "t", "r -0.5"},
      {"2e-5", Dialect::OmegaConf, "", "", ""},
      {".5e3", Dialect::OmegaConf, "0.5e+3", "t", "r 500"},
      {"2e-5", Dialect::Yaml12, "", "", ""},
      {"1.0e-5", Dialect::PyYaml, "", "", ""},
      {"e5", Dialect::PyYaml, "", "", ""},
      {"1e5x", Dialect::PyYaml, "", "", ""},
      {"1.2.3", Dialect::PyYaml, "", "", ""},
      {"no", Dialect::PyYaml, "\"no\"", "false", "t"},
      {"On", Dialect::OmegaConf, "\"On\"", "true", "t"},
      {"off", Dialect::Yaml12, "false", "t", "false"},
      {"true", Dialect::PyYaml, "", "", ""},
      {"010", Dialect::PyYaml, "10", "i 8", "i 10"},
      {"-0017", Dialect::OmegaConf, "-17", "i -15", "i -17"},
      {"08", Dialect::PyYaml, "8", "t", "i 8"},
      {"0o17", Dialect::PyYaml, "15", "t", "i 15"},
      {"010", Dialect::Yaml12, "", "", ""},
      {"0", Dialect::PyYaml, "", "", ""},
      {"00", Dialect::PyYaml, "", "", ""},
      {"0x10", Dialect::PyYaml, "", "", ""},
      {"0.5", Dialect::PyYaml, "", "", ""},
      {"1:30", Dialect::PyYaml, "\"1:30\"", "i 90", "t"},
      {"1:30", Dialect::Yaml12, "", "", ""},
      {"", Dialect::PyYaml, "", "null", "null"},
      {"~", Dialect::PyYaml, "", "", ""},
      {"None", Dialect::OmegaConf, "null", "t", "null"},
      {"-inf", Dialect::PyYaml, "-.inf", "t", "r -inf"},
      {"nan", Dialect::PyYaml, ".nan", "t", "r nan"},
      {"llama", Dialect::PyYaml, "", "", ""},
      {"2e-5", Dialect::Argparse, "", "", ""},
      {"", Dialect::Toml, "", "", ""},
  };
  for (const auto& [text, dialect, meant, reads_as, meant_value] : cases) {
    const auto found = trap(plain(text), dialect);
    ASSERT_EQ(found.has_value(), !reads_as.empty()) << text << " " << name(dialect);
    if (!found) continue;
    EXPECT_EQ(found->meant, meant) << text;
    EXPECT_EQ(typed(found->reads_as), reads_as) << text;
    EXPECT_EQ(typed(found->meant_value), meant_value) << text;
  }
}

TEST(Traps, OnlyPlainUntaggedScalars) {
  for (const std::string_view input : {"'2e-5'", "\"no\"", "!!float 2e-5", "[2e-5]"}) {
    const DocumentPtr document = parse(std::string(input), Format::Yaml);
    EXPECT_FALSE(trap(*document->roots[0], Dialect::PyYaml)) << input;
  }
  EXPECT_EQ(trap(plain("2e5"), Dialect::PyYaml)->message, "PyYAML wants a dot and a sign in the exponent: this is text, not a number");
  EXPECT_EQ(trap(plain("2e-5"), Dialect::PyYaml)->message, "PyYAML wants a dot before the exponent: this is text, not a number");
  EXPECT_EQ(trap(plain("no"), Dialect::PyYaml)->message, "PyYAML reads `no` as the boolean false");
}

}  // namespace
}  // namespace shardlint::test
