// What loaders make of scalars, pattern by pattern as their sources have them.
//
// The patterns are matched by hand: std::regex recurses on long texts, and these run for every scalar. Integers beyond 64 bits become
// reals (Python keeps them exact; a real of their size compares and divides like them, and nothing overflows).
#include "checker/document/dialect.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "checker/document/readers.h"
#include "checker/document/valuation.h"

namespace shardlint {
namespace {

constexpr std::size_t kMaxItems = 100'000;

struct DialectName {
  std::string_view name;
  Dialect dialect;
};
constexpr DialectName kDialects[] = {{"toml", Dialect::Toml},        {"pyyaml", Dialect::PyYaml}, {"omegaconf", Dialect::OmegaConf},
                                     {"yaml12", Dialect::Yaml12},    {"json", Dialect::Json},     {"hjson", Dialect::Hjson},
                                     {"argparse", Dialect::Argparse}};

template <std::size_t... kSizes>
bool one_of(std::string_view text, const char (&... words)[kSizes]) {
  return ((text == std::string_view(words, kSizes - 1)) || ...);
}

bool digit(char c) { return c >= '0' && c <= '9'; }
bool digit_or_bar(char c) { return digit(c) || c == '_'; }
bool octal_or_bar(char c) { return (c >= '0' && c <= '7') || c == '_'; }
bool binary_or_bar(char c) { return c == '0' || c == '1' || c == '_'; }
bool hex_or_bar(char c) { return digit_or_bar(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Eats a text from the left; every function says whether or how much it ate.
struct Cursor {
  std::string_view rest;

  bool done() const { return rest.empty(); }
  bool eat(std::string_view any_of) {
    if (rest.empty() || any_of.find(rest[0]) == std::string_view::npos) return false;
    rest.remove_prefix(1);
    return true;
  }
  bool word(std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  }
  template <class Is>
  std::size_t run(Is is) {
    std::size_t n = 0;
    while (n < rest.size() && is(rest[n])) ++n;
    rest.remove_prefix(n);
    return n;
  }
  // A digit, then digits and underscores.
  bool number() { return !rest.empty() && digit(rest[0]) && run(digit_or_bar) > 0; }
  // [0-9]+(_[0-9]+)*
  bool grouped_number() {
    if (!run(digit)) return false;
    while (rest.size() > 1 && rest[0] == '_' && digit(rest[1])) {
      rest.remove_prefix(1);
      run(digit);
    }
    return true;
  }
  enum class Sign { Needed, Optional };
  bool exponent(Sign sign) { return eat("eE") && (eat("+-") || sign == Sign::Optional) && run(digit) > 0; }
  // (:[0-5]?[0-9])+
  bool sixties() {
    std::size_t n = 0;
    for (; eat(":"); ++n)
      if (!(eat("012345") ? (eat("0123456789"), true) : eat("6789"))) return false;
    return n > 0;
  }
};

bool is_null_word(std::string_view text) { return one_of(text, "", "~", "null", "Null", "NULL"); }

// YAML 1.1's boolean words. The three casings are the only ones.
std::optional<bool> boolean_word(std::string_view text) {
  if (one_of(text, "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")) return true;
  if (one_of(text, "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")) return false;
  return std::nullopt;
}

bool is_special_float(std::string_view text) {
  if (one_of(text, ".nan", ".NaN", ".NAN")) return true;
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return one_of(text, ".inf", ".Inf", ".INF");
}

bool is_pyyaml_float(std::string_view text) {
  if (is_special_float(text)) return true;
  Cursor plain{text};
  if (plain.eat(".")) return plain.number() && (plain.done() || (plain.exponent(Cursor::Sign::Needed) && plain.done()));
  plain.eat("+-");
  if (!plain.number()) return false;
  Cursor base60 = plain;
  if (plain.eat(".")) {
    plain.run(digit_or_bar);
    return plain.done() || (plain.exponent(Cursor::Sign::Needed) && plain.done());
  }
  return base60.sixties() && base60.eat(".") && (base60.run(digit_or_bar), base60.done());
}

bool is_pyyaml_int(std::string_view text) {
  Cursor cursor{text};
  cursor.eat("+-");
  if (cursor.rest == "0") return true;
  if (cursor.word("0b")) return cursor.run(binary_or_bar) > 0 && cursor.done();
  if (cursor.word("0x")) return cursor.run(hex_or_bar) > 0 && cursor.done();
  if (cursor.eat("0")) return cursor.run(octal_or_bar) > 0 && cursor.done();
  if (!cursor.number()) return false;
  return cursor.done() || (cursor.sixties() && cursor.done());
}

// The pattern that OmegaConf adds to PyYAML's.
bool is_omegaconf_float(std::string_view text) {
  Cursor cursor{text};
  if (cursor.eat(".")) return cursor.grouped_number() && (cursor.done() || (cursor.exponent(Cursor::Sign::Needed) && cursor.done()));
  cursor.eat("+-");
  if (!cursor.grouped_number()) return false;
  Cursor base60 = cursor;
  if (cursor.eat(".")) {
    cursor.run(digit_or_bar);
    return cursor.done() || (cursor.exponent(Cursor::Sign::Optional) && cursor.done());
  }
  if (cursor.exponent(Cursor::Sign::Optional) && cursor.done()) return true;
  return base60.sixties() && base60.eat(".") && (base60.run(digit_or_bar), base60.done());
}

// [-+]? ( \.[0-9]+ | [0-9]+(\.[0-9]*)? ) ([eE][-+]?[0-9]+)?, which takes integers too.
bool is_core_number(std::string_view text) {
  Cursor cursor{text};
  cursor.eat("+-");
  const std::size_t whole = cursor.run(digit);
  const std::size_t fraction = cursor.eat(".") ? cursor.run(digit) : 0;
  if (whole + fraction == 0) return false;
  return cursor.done() || (cursor.exponent(Cursor::Sign::Optional) && cursor.done());
}

std::string without_bars(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '_') out += c;
  return out;
}

// Digits of a base, without sign.
std::optional<Value> integer_of(std::string_view digits, unsigned base, bool negative) {
  if (digits.empty()) return std::nullopt;
  i64 exact = 0;
  double rounded = 0;
  bool fits = true;
  for (const char c : digits) {
    const unsigned value = digit(c) ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a') + 10;
    if (value >= base) return std::nullopt;
    const i64 step = negative ? -static_cast<i64>(value) : static_cast<i64>(value);
    fits = fits && !__builtin_mul_overflow(exact, static_cast<i64>(base), &exact) && !__builtin_add_overflow(exact, step, &exact);
    rounded = rounded * base + value;
  }
  if (fits) return Value(exact);
  return Value(base == 10 ? (negative ? -real_of(digits) : real_of(digits)) : (negative ? -rounded : rounded));
}

// Parts in base 60; the last may have a fraction.
Value sexagesimal(std::string_view text, bool negative, bool real) {
  i64 exact = 0;
  double rounded = 0;
  bool fits = !real;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    rounded = rounded * 60 + real_of(part);
    i64 value = 0;
    if (fits) {
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
      fits = error == std::errc() && !__builtin_mul_overflow(exact, i64{60}, &exact) && !__builtin_add_overflow(exact, value, &exact);
    }
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (fits) return Value(negative ? -exact : exact);
  return Value(negative ? -rounded : rounded);
}

// PyYAML's construct_yaml_int, on any text; empty where Python raises.
std::optional<Value> pyyaml_int(std::string_view written) {
  const std::string clean = without_bars(written);
  std::string_view text = clean;
  const bool negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Value(0);
  if (text.starts_with("0b")) return integer_of(text.substr(2), 2, negative);
  if (text.starts_with("0x")) return integer_of(text.substr(2), 16, negative);
  if (text.starts_with('0')) return integer_of(text, 8, negative);
  Cursor cursor{text};
  if (!cursor.number()) return std::nullopt;
  if (cursor.done()) return integer_of(text, 10, negative);
  return cursor.sixties() && cursor.done() ? std::optional(sexagesimal(text, negative, false)) : std::nullopt;
}

std::optional<Value> pyyaml_float(std::string_view written) {
  const std::string clean = without_bars(written);
  std::string_view text = clean;
  const bool negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (one_of(text, ".inf", ".Inf", ".INF")) return Value((negative ? -1 : 1) * std::numeric_limits<double>::infinity());
  if (one_of(text, ".nan", ".NaN", ".NAN")) return Value(std::numeric_limits<double>::quiet_NaN());
  if (text.find(':') != std::string_view::npos) {
    const std::size_t dot = text.find('.');
    Cursor cursor{text.substr(0, dot)};
    if (!cursor.number() || !cursor.sixties() || !cursor.done()) return std::nullopt;
    return sexagesimal(text, negative, true);
  }
  if (!is_core_number(text) || text.starts_with('+') || text.starts_with('-')) return std::nullopt;
  return Value(negative ? -real_of(text) : real_of(text));
}

// Most words cannot be anything else: no number, boolean or null begins so.
bool begins_a_word(char c) {
  return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/') && std::string_view("nNyYtToOfF").find(c) == std::string_view::npos;
}

Value pyyaml_plain(std::string_view text, bool omegaconf) {
  if (!text.empty() && begins_a_word(text[0])) return text;
  if (is_null_word(text)) return Null{};
  if (const auto truth = boolean_word(text)) return *truth;
  if (is_pyyaml_float(text) || (omegaconf && is_omegaconf_float(text))) {
    if (auto value = pyyaml_float(text)) return *value;
  } else if (is_pyyaml_int(text)) {
    if (auto value = pyyaml_int(text)) return *value;  // `0b_` and `0x_` match the pattern and then fail to load: text
  }
  return text;
}

Value core_plain(std::string_view text) {
  if (!text.empty() && begins_a_word(text[0])) return text;
  if (is_null_word(text)) return Null{};
  if (one_of(text, "true", "True", "TRUE")) return true;
  if (one_of(text, "false", "False", "FALSE")) return false;
  if (is_special_float(text)) return *pyyaml_float(text);
  for (const auto& [prefix, base] : {std::pair<std::string_view, unsigned>{"0o", 8u}, {"0x", 16u}})
    if (text.starts_with(prefix))
      if (auto value = integer_of(text.substr(2), base, false)) return *value;
  if (!is_core_number(text)) return text;
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (digits.find_first_not_of("0123456789") == std::string_view::npos) return *integer_of(digits, 10, negative);
  return negative ? -real_of(digits) : real_of(digits);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// An explicit tag decides, whatever the style. What it cannot make of the text stays text; so do the tags that no one here reads.
Value tagged(const Node& node) {
  constexpr std::string_view standard = "tag:yaml.org,2002:";
  const std::string_view tag = node.tag;
  if (!tag.starts_with(standard)) return node.text;
  const std::string_view type = tag.substr(standard.size());
  std::optional<Value> value;
  if (type == "int") value = pyyaml_int(node.text);
  if (type == "float") value = pyyaml_float(node.text);
  if (type == "null") value = Value();
  if (type == "bool")
    if (const auto truth = boolean_word(lower(node.text))) value = Value(*truth);
  return value ? *value : Value(node.text);
}

Value scalar(const Node& node, Dialect dialect) {
  if (dialect == Dialect::Argparse) return node.text;
  if (node.value) return *node.value;
  if (!node.tag.empty()) return tagged(node);
  if (node.style != Style::Plain) return node.text;
  switch (dialect) {
    case Dialect::PyYaml: return pyyaml_plain(node.text, false);
    case Dialect::OmegaConf: return pyyaml_plain(node.text, true);
    default: return core_plain(node.text);  // also for a YAML file read by a framework that is described as reading TOML or JSON
  }
}

// A number as people write it, with what PyYAML's patterns ask for: a digit before the dot, a dot, a sign in the exponent.
std::optional<std::string> evident_float(std::string_view text) {
  const std::string_view sign = text.substr(0, text.starts_with('+') || text.starts_with('-') ? 1 : 0);
  Cursor cursor{text.substr(sign.size())};
  const std::string_view from = cursor.rest;
  cursor.run(digit_or_bar);
  const std::string_view whole = from.substr(0, from.size() - cursor.rest.size());
  std::string_view fraction;
  if (cursor.eat(".")) {
    fraction = cursor.rest;
    cursor.run(digit_or_bar);
    fraction = fraction.substr(0, fraction.size() - cursor.rest.size());
  }
  const auto digits = [](std::string_view part) { return part.empty() || digit(part[0]); };
  if ((whole.empty() && fraction.empty()) || !digits(whole) || !digits(fraction)) return std::nullopt;
  std::string out = fmt::format("{}{}.{}", sign, whole.empty() ? "0" : whole, fraction.empty() ? "0" : fraction);
  if (cursor.done()) return out;
  const std::string_view exponent = cursor.rest;
  if (!cursor.exponent(Cursor::Sign::Optional) || !cursor.done()) return std::nullopt;
  const bool has_sign = exponent[1] == '+' || exponent[1] == '-';
  return fmt::format("{}e{}{}", out, has_sign ? "" : "+", exponent.substr(1));
}

std::string_view reader(Dialect dialect) {
  switch (dialect) {
    case Dialect::PyYaml: return "PyYAML";
    case Dialect::OmegaConf: return "OmegaConf";
    default: return "YAML 1.2";
  }
}

}  // namespace

// from_chars leaves the value alone on overflow; Python says inf or 0.
double real_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  const std::size_t exponent = text.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos ? text.substr(exponent).find('-') != std::string_view::npos : text.starts_with("0.");
  return tiny ? 0.0 : std::numeric_limits<double>::infinity();
}

std::optional<Dialect> dialect_named(std::string_view wanted) {
  for (const auto& [name, dialect] : kDialects)
    if (name == wanted) return dialect;
  return std::nullopt;
}

std::string_view name(Dialect dialect) {
  for (const auto& [name, candidate] : kDialects)
    if (candidate == dialect) return name;
  return "";
}

Valuation::Sized Valuation::sized(const Node& node, int depth) {
  if (node.kind == Node::Kind::Scalar) return {scalar(node, dialect_), 1, 0};
  if (node.kind == Node::Kind::Mapping) return {Map{node.entries.size()}, 1, 0};
  if (const auto known = lists_.find(&node); known != lists_.end()) return known->second;
  Sized list;
  ValueList items;
  for (const Item& item : node.items) {
    if (depth >= kMaxDepth || list.size >= kMaxItems) break;
    Sized below = sized(*item.value, depth + 1);
    if (list.size + below.size > kMaxItems || below.height >= kMaxDepth) break;
    list.size += below.size;
    list.height = std::max(list.height, below.height + 1);
    items.push_back(std::move(below.value));
  }
  list.value = Value(std::move(items));
  return lists_.try_emplace(&node, std::move(list)).first->second;
}

Value Valuation::read(const Node& node) { return sized(node, 0).value; }

Value read(const Node& node, Dialect dialect) { return Valuation(dialect).read(node); }

std::optional<Trap> trap(const Node& node, Dialect dialect) {
  if (node.kind != Node::Kind::Scalar || node.style != Style::Plain || !node.tag.empty() || node.value) return std::nullopt;
  if (dialect != Dialect::PyYaml && dialect != Dialect::OmegaConf && dialect != Dialect::Yaml12) return std::nullopt;
  const std::string_view text = node.text, loader = reader(dialect);
  // Most are plain decimal numbers, true or false, which surprise nobody.
  const bool plain_number =
      !text.empty() && text.size() < 19 && (text[0] != '0' || text.size() == 1) && std::all_of(text.begin(), text.end(), digit);
  if (plain_number || text == "true" || text == "false") return std::nullopt;
  const Value value = scalar(node, dialect);
  const auto plain = [&](std::string_view spelling) {
    return dialect == Dialect::Yaml12 ? core_plain(spelling) : pyyaml_plain(spelling, dialect == Dialect::OmegaConf);
  };
  const auto surprise = [&](std::string message, std::string meant) { return Trap{std::move(message), meant, value, plain(meant)}; };
  const auto quoted = [&](std::string message) { return Trap{std::move(message), fmt::format("\"{}\"", text), value, Value(text)}; };

  if (text.empty()) return Trap{"nothing is written here, which reads as null", "", value, Null{}};
  if (value.text()) {
    if (const auto meant = evident_float(text); meant && plain(*meant).real()) {
      if (const std::size_t exponent = text.find_first_of("eE"); exponent != std::string_view::npos) {
        const bool sign = text[exponent + 1] == '+' || text[exponent + 1] == '-', dot = text.find('.') != std::string_view::npos;
        return surprise(fmt::format("{} wants {}: this is text, not a number", loader,
                                    dot && sign ? "a digit before the dot"
                                    : dot       ? "a sign in the exponent"
                                    : sign      ? "a dot before the exponent"
                                                : "a dot and a sign in the exponent"),
                        *meant);
      }
      if (text.find('.') != std::string_view::npos)
        return surprise(fmt::format("{} wants a digit before the dot: this is text, not a number", loader), *meant);
    }
    const bool signs = text.starts_with('-') || text.starts_with('+');
    const std::string_view digits = text.substr(signs ? 1 : 0);
    const std::string sign = text.starts_with('-') ? "-" : "";
    if (text == "None") return surprise("`None` is text in YAML; the null value is spelled `null`", "null");
    if (const std::string word = lower(digits); word == "inf" || (word == "nan" && !signs))
      return surprise(fmt::format("`{}` is text in YAML; the number is spelled `{}.{}`", text, sign, word), sign + "." + word);
    if (digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of("0123456789") == std::string_view::npos) {
      const std::size_t first = digits.find_first_not_of('0');
      return surprise(fmt::format("a leading zero makes an octal number in {}, and this is none: it is text", loader),
                      sign + std::string(digits.substr(first)));
    }
    if (digits.starts_with("0o") && dialect != Dialect::Yaml12)
      if (const auto octal = integer_of(digits.substr(2), 8, !sign.empty()); octal && octal->integer())
        return surprise(fmt::format("`0o` is not read by {}: this is text, not a number", loader), to_string(*octal));
    if (const auto truth = boolean_word(text))
      return surprise(fmt::format("`{}` is text in YAML 1.2; a boolean is `true` or `false`", text), *truth ? "true" : "false");
    return std::nullopt;
  }
  if (value.boolean() && !one_of(lower(text), "true", "false"))
    return quoted(fmt::format("{} reads `{}` as the boolean {}", loader, text, to_string(value)));
  if (dialect == Dialect::Yaml12) return std::nullopt;
  if (text.find(':') != std::string_view::npos)
    return quoted(fmt::format("{} reads `{}` in base 60, as {}", loader, text, to_string(value)));
  const bool negative = text.starts_with('-');
  const std::string digits = without_bars(text.substr(negative || text.starts_with('+') ? 1 : 0));
  if (value.integer() && digits.size() > 1 && digits[0] == '0' && digit(digits[1])) {
    const std::size_t first = digits.find_first_not_of('0');
    if (first == std::string::npos) return std::nullopt;  // 00 is zero either way
    return surprise(fmt::format("a leading zero makes {} read `{}` as octal: {}", loader, text, to_string(value)),
                    (negative ? "-" : "") + digits.substr(first));
  }
  return std::nullopt;
}

}  // namespace shardlint
