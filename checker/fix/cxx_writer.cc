// Writes a value into C++: one literal or one enumerator in the place of another. Its suffix, base, separators and quotes stay.
#include <algorithm>

#include <fmt/format.h>

#include "checker/fix/writer.h"

namespace shardlint {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "1'024" keeps its separators, "0x10" its base, "8u" its suffix.
std::optional<std::string> spell_integer(std::string_view now, i64 value) {
  const bool negative = now.starts_with('-');
  std::string_view digits = now.substr(negative ? 1 : 0);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  if (digits.empty() || !is_digit(digits[0])) return std::nullopt;
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X"), binary = digits.starts_with("0b") || digits.starts_with("0B");
  const std::size_t begin = hex || binary ? 2 : 0;
  const auto belongs = [&](char c) { return is_digit(c) || c == '\'' || (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))); };
  std::size_t end = begin;
  while (end < digits.size() && belongs(digits[end])) ++end;
  const std::string_view suffix = digits.substr(end);
  if (suffix.find_first_not_of("uUlLzZ") != std::string_view::npos) return std::nullopt;
  if (value < 0 && suffix.find_first_of("uU") != std::string_view::npos) return std::nullopt;
  const std::string_view body = digits.substr(begin, end - begin);
  if (!hex && !binary && body.size() > 1 && body[0] == '0') return std::nullopt;  // octal: nobody wants another
  if (value == INT64_MIN) return std::nullopt;
  const i64 size = value < 0 ? -value : value;
  std::string out = hex ? fmt::format("{:x}", size) : binary ? fmt::format("{:b}", size) : fmt::format("{}", size);
  if (hex && body.find_first_of("ABCDEF") != std::string_view::npos)
    for (char& c : out)
      if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 0x20);
  if (const std::size_t mark = body.rfind('\''); mark != std::string_view::npos) {
    const std::size_t group = body.size() - mark - 1;
    for (std::size_t i = out.size(); group > 0 && i > group; i -= group) out.insert(i - group, "'");
  }
  return fmt::format("{}{}{}{}", value < 0 ? "-" : "", digits.substr(0, begin), out, suffix);
}

std::optional<std::string> spell_real(std::string_view now, double value) {
  const std::size_t end = now.find_last_not_of("fFlL");
  if (now.starts_with("0x") || now.starts_with("-0x") || end == std::string_view::npos) return std::nullopt;
  std::string out = to_string(Value(value));
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out + std::string(now.substr(end + 1));
}

std::optional<std::string> spell(std::string_view now, const Value& value, const CodeSpelling& code) {
  if (value.boolean()) {
    const bool wanted = *value.boolean() != code.inverted;
    if (now == "true" || now == "false") return wanted ? "true" : "false";
    if (now == "0" || now == "1") return wanted ? "1" : "0";
    return std::nullopt;
  }
  if (value.text()) {
    std::string word = *value.text();
    if (!code.words.empty()) {
      const auto found = code.words.find(word);
      if (found == code.words.end()) return std::nullopt;
      word = found->second;
    }
    if (const std::size_t open = now.find('"'); open != std::string_view::npos) {
      if (now.ends_with("\"") && now.substr(0, open).find('R') == std::string_view::npos &&
          word.find_first_of("\"\\\n") == std::string::npos)
        return fmt::format("{}\"{}\"", now.substr(0, open), word);
      return std::nullopt;
    }
    if (code.words.empty()) return std::nullopt;
    const std::size_t colon = now.rfind("::");
    return fmt::format("{}{}", colon == std::string_view::npos ? std::string_view() : now.substr(0, colon + 2), word);
  }
  if (value.integer()) {
    if (now == "true" || now == "false")
      return *value.integer() == 0 || *value.integer() == 1 ? std::optional<std::string>(*value.integer() ? "true" : "false")
                                                            : std::nullopt;
    if (now.find('.') != std::string_view::npos) return spell_real(now, static_cast<double>(*value.integer()));
    return spell_integer(now, *value.integer());
  }
  if (value.real()) return spell_real(now, *value.real());
  return std::nullopt;
}

class CodeSpot : public Spot {
 public:
  explicit CodeSpot(CodeSpelling code) : code_(std::move(code)) {}
  Place written() const override { return code_.insert ? code_.insert : code_.literal; }
  std::optional<std::vector<Edit>> write(const Value& to) const override {
    std::optional<std::string> text = spell(code_.literal.source->text(code_.literal.range), to, code_);
    if (!code_.insert) {
      if (!text) return std::nullopt;
      return std::vector<Edit>{{code_.literal.source, code_.literal.range, *text}};
    }
    // Spelled as the default is, where that is one word.
    if (!text && to.integer()) text = to_string(to);
    if (!text) return std::nullopt;
    return std::vector<Edit>{{code_.insert.source, code_.insert.range, code_.before + *text + code_.after}};
  }
  std::optional<std::vector<Edit>> remove() const override { return std::nullopt; }
  std::optional<std::vector<Edit>> rename(std::string_view) const override { return std::nullopt; }

 private:
  CodeSpelling code_;
};

}  // namespace

std::shared_ptr<const Spot> code_spot(CodeSpelling code) {
  return code.literal ? std::make_shared<const CodeSpot>(std::move(code)) : nullptr;
}

}  // namespace shardlint
