// $(( )) and (( )): 64-bit integers, checked. What bash would wrap around is unknown here: nobody means it.

#include <algorithm>
#include <limits>

#include "checker/shell/evaluator.h"

namespace shardlint::shell {

// One expression, after its parameters are expanded. Precedence climbing; what is not evaluated (the other side of ?:) changes nothing.
class Arithmetic {
 public:
  Arithmetic(Evaluator& evaluator, Text text, std::size_t depth)
      : evaluator_(evaluator), text_(std::move(text)), s_(text_.flat()), depth_(depth) {}

  Number whole() {
    skip();
    if (at_ >= s_.size()) return exactly(0);
    Number result = comma();
    skip();
    if (at_ < s_.size()) return unknown("this arithmetic is not followed: " + text_.shown());
    return result;
  }

 private:
  static constexpr std::size_t kDeepest = 60;

  static Number exactly(i64 value) {
    Number out;
    out.value = value;
    return out;
  }
  Number unknown(std::string because) {
    Number out;
    failed_ = true;
    Hole hole;
    hole.because = std::move(because);
    hole.place = text_.place();
    out.because = std::make_shared<const Hole>(std::move(hole));
    return out;
  }
  void skip() {
    while (at_ < s_.size() && (scan::space(s_[at_]) || s_[at_] == '"' || s_[at_] == '\'' || s_[at_] == '\r' ||
                               (s_[at_] == '\\' && at_ + 1 < s_.size() && s_[at_ + 1] == '\n')))
      ++at_;
  }
  bool take(std::string_view op) {
    skip();
    if (s_.compare(at_, op.size(), op) != 0) return false;
    at_ += op.size();
    return true;
  }
  bool live() const { return dead_ == 0 && !failed_; }

  Number comma() {
    Number left = assign_or_choose();
    while (!failed_ && take(",")) left = assign_or_choose();
    return left;
  }

  // name = value, name += value; only a name at the start can be assigned.
  Number assign_or_choose() {
    if (++nested_ + depth_ > kDeepest) {
      --nested_;
      return unknown("this arithmetic is nested too deeply");
    }
    skip();
    const std::size_t begin = at_, end = scan::name_end(s_, at_);
    Number out;
    bool done = false;
    if (end > begin) {
      std::size_t after = end;
      std::string index;
      if (after < s_.size() && s_[after] == '[') {
        const std::size_t close = scan::bracket_end(s_, after);
        index = s_.substr(after + 1, close - after - 2);
        after = close;
      }
      while (after < s_.size() && scan::space(s_[after])) ++after;
      static constexpr std::string_view kOps[] = {"<<=", ">>=", "**=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
      std::string_view op;
      for (const std::string_view candidate : kOps)
        if (s_.compare(after, candidate.size(), candidate) == 0) op = candidate;
      const bool plain = op.empty() && after < s_.size() && s_[after] == '=' && !(after + 1 < s_.size() && s_[after + 1] == '=');
      if (plain || (!op.empty() && op != "**=")) {
        at_ = after + (plain ? 1 : op.size());
        const std::string name = s_.substr(begin, end - begin);
        Number value = assign_or_choose();
        if (!plain) value = combine(op.substr(0, op.size() - 1), variable(name, index), value);
        store(name, index, value);
        out = value;
        done = true;
      }
    }
    if (!done) out = choose();
    --nested_;
    return out;
  }

  Number choose() {
    Number condition = binary(0);
    if (failed_ || !take("?")) return condition;
    const bool yes = condition.value && *condition.value != 0, no = condition.value && *condition.value == 0;
    dead_ += yes ? 0 : 1;
    Number first = assign_or_choose();
    dead_ -= yes ? 0 : 1;
    if (!take(":")) return unknown("this arithmetic is not followed: " + text_.shown());
    dead_ += no ? 0 : 1;
    Number second = assign_or_choose();
    dead_ -= no ? 0 : 1;
    if (!condition.value) return first.value && second.value && *first.value == *second.value ? first : condition;
    Number& chosen = yes ? first : second;
    note(chosen, condition);
    return chosen;
  }

  struct Operator {
    std::string_view text;
    int level;
  };
  // The operator at the cursor, the longest first; empty if there is none. Not those that assign.
  Operator next() {
    static constexpr Operator kAll[] = {{"**", 11}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6},
                                        {"&&", 2},  {"||", 1}, {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},
                                        {"<", 7},   {">", 7},  {"&", 5},  {"^", 4},  {"|", 3}};
    skip();
    for (const Operator& op : kAll)
      if (s_.compare(at_, op.text.size(), op.text) == 0) return op;
    return {"", -1};
  }

  Number binary(int lowest) {
    Number left = unary();
    while (!failed_) {
      const Operator op = next();
      if (op.level < 0 || op.level < lowest) break;
      at_ += op.text.size();
      const bool settled = left.value && ((op.text == "&&" && *left.value == 0) || (op.text == "||" && *left.value != 0));
      if (settled) ++dead_;
      if (++nested_ + depth_ > kDeepest) return unknown("this arithmetic is nested too deeply");
      const Number right = binary(op.text == "**" ? op.level : op.level + 1);
      --nested_;
      if (settled) --dead_;
      left = settled ? (left.value = op.text == "||" ? 1 : 0, left) : combine(op.text, left, right);
    }
    return left;
  }

  Number unary() {
    if (++nested_ + depth_ > kDeepest) return unknown("this arithmetic is nested too deeply");
    skip();
    Number out;
    if (s_.compare(at_, 2, "++") == 0 || s_.compare(at_, 2, "--") == 0) {
      const char op = s_[at_];
      const std::size_t name_at = at_ + 2 < s_.size() ? s_.find_first_not_of(" \t\n", at_ + 2) : std::string::npos;
      const std::size_t end = name_at == std::string::npos ? 0 : scan::name_end(s_, name_at);
      if (name_at != std::string::npos && end > name_at) {
        at_ = end;
        const std::string name = s_.substr(name_at, end - name_at);
        out = combine(op == '+' ? "+" : "-", variable(name, ""), exactly(1));
        store(name, "", out);
        --nested_;
        return out;
      }
    }
    if (take("-"))
      out = combine("-", exactly(0), unary());
    else if (take("+"))
      out = unary();
    else if (s_.compare(at_, 2, "!=") != 0 && take("!"))
      out = combine("==", unary(), exactly(0));
    else if (take("~"))
      out = combine("^", unary(), exactly(-1));
    else
      out = primary();
    --nested_;
    return out;
  }

  Number primary() {
    skip();
    if (at_ >= s_.size()) return unknown("this arithmetic is not followed: " + text_.shown());
    if (take("(")) {
      Number inside = comma();
      if (!failed_ && !take(")")) return unknown("this arithmetic is not followed: " + text_.shown());
      return inside;
    }
    if (text_.is_hole(at_)) {
      const Text piece = text_.slice(at_, at_ + 1);
      ++at_;
      if (at_ < s_.size() && (scan::name_char(s_[at_]) || text_.is_hole(at_))) return unknown("part of a number is unknown");
      Number out;
      out.because = std::make_shared<const Hole>(*piece.hole());
      return out;
    }
    if (scan::digit(s_[at_])) return literal();
    const std::size_t begin = at_, end = scan::name_end(s_, at_);
    if (end == begin) return unknown("this arithmetic is not followed: " + text_.shown());
    at_ = end;
    const std::string name = s_.substr(begin, end - begin);
    std::string index;
    if (at_ < s_.size() && s_[at_] == '[') {
      const std::size_t close = scan::bracket_end(s_, at_);
      index = s_.substr(at_ + 1, close - at_ - 2);
      at_ = close;
    }
    Number out = variable(name, index);
    if (s_.compare(at_, 2, "++") == 0 || s_.compare(at_, 2, "--") == 0) {
      store(name, index, combine(s_[at_] == '+' ? "+" : "-", out, exactly(1)));
      at_ += 2;
    }
    return out;
  }

  Number literal() {
    const std::size_t begin = at_;
    while (at_ < s_.size() && (scan::name_char(s_[at_]) || s_[at_] == '#' || s_[at_] == '@')) ++at_;
    if (text_.is_hole(at_)) return unknown("part of a number is unknown");
    std::string digits = s_.substr(begin, at_ - begin);
    const Text written = text_.slice(begin, at_);
    unsigned base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16, digits.erase(0, 2);
    } else if (const std::size_t hash = digits.find('#'); hash != std::string::npos) {
      base = hash < 3 ? static_cast<unsigned>(std::stoul("0" + digits.substr(0, hash).substr(0, 2))) : 0;
      digits.erase(0, hash + 1);
    } else if (digits.size() > 1 && digits[0] == '0') {
      base = 8;
    }
    if (base < 2 || base > 36 || digits.empty()) return unknown("no number: " + written.shown());
    i64 value = 0;
    for (const char c : digits) {
      const unsigned digit = scan::digit(c)         ? static_cast<unsigned>(c - '0')
                             : c >= 'a' && c <= 'z' ? static_cast<unsigned>(c - 'a') + 10
                             : c >= 'A' && c <= 'Z' ? static_cast<unsigned>(c - 'A') + 10
                                                    : 99;
      if (digit >= base) return unknown("no number: " + written.shown());
      if (__builtin_mul_overflow(value, static_cast<i64>(base), &value) || __builtin_add_overflow(value, static_cast<i64>(digit), &value))
        return unknown("a number that 64 bits do not hold: " + written.shown());
    }
    Number out = exactly(value);
    out.outside = written.by_default();
    out.from.push_back(written);
    return out;
  }

  Number variable(const std::string& name, const std::string& index) {
    Text value;
    if (index.empty()) {
      value = evaluator_.value_of(name, text_.place());
    } else {
      Parts parts;
      evaluator_.parameter(Text::given("${" + name + "[" + index + "]}", text_.place()), Quoting::Double, parts);
      value = evaluator_.joined(parts);
    }
    Number out;
    if (!value.known()) {
      out.because = std::make_shared<const Hole>(*value.hole());
      return out;
    }
    // A variable holds an expression of its own.
    const std::string& inner = value.flat();
    const bool number = !inner.empty() && std::all_of(inner.begin(), inner.end(), scan::digit) && (inner.size() == 1 || inner[0] != '0');
    if (inner.empty()) {
      out = exactly(0);
    } else if (number || (!inner.empty() && live())) {
      Arithmetic inside(evaluator_, value, depth_ + nested_ + 4);
      if (!evaluator_.spend(2)) return unknown("this arithmetic is too long");
      inside.dead_ = dead_;
      out = inside.whole();
    } else {
      out = exactly(0);
    }
    if (!out.outside) out.outside = value.by_default();
    out.from = {value};
    return out;
  }

  void store(const std::string& name, const std::string& index, const Number& value) {
    if (!live()) return;
    const Text text = evaluator_.number_text(value, text_);
    if (index.empty())
      evaluator_.assign_text(name, text);
    else
      evaluator_.assign_at(name, Text::given(index, text_.place()), text, false);
  }

  void note(Number& out, const Number& other) const {
    if (!out.outside) out.outside = other.outside;
    for (const Text& text : other.from)
      if (out.from.size() < 16) out.from.push_back(text);
  }

  Number combine(std::string_view op, const Number& a, const Number& b) {
    Number out;
    if (!a.value || !b.value) {
      out.because = a.value ? b.because : a.because;
      return out;
    }
    const i64 x = *a.value, y = *b.value;
    i64 r = 0;
    bool overflow = false;
    if (op == "+")
      overflow = __builtin_add_overflow(x, y, &r);
    else if (op == "-")
      overflow = __builtin_sub_overflow(x, y, &r);
    else if (op == "*")
      overflow = __builtin_mul_overflow(x, y, &r);
    else if (op == "/" || op == "%") {
      if (y == 0) {
        if (dead_ > 0) return exactly(0);
        return unknown("a division by zero");
      }
      if (y == -1) {
        if (op == "/") overflow = __builtin_sub_overflow(i64{0}, x, &r);
      } else {
        r = op == "/" ? x / y : x % y;
      }
    } else if (op == "**") {
      if (y < 0) return unknown("a negative exponent");
      r = 1;
      for (i64 n = 0; n < y && !overflow && r != 0 && !(r == 1 && x == 1); ++n) {
        if (x == -1) {
          r = y % 2 == 0 ? 1 : -1;
          break;
        }
        overflow = __builtin_mul_overflow(r, x, &r);
      }
    } else if (op == "<<") {
      const i64 n = y & 63;
      overflow = x < 0 || (n > 0 && (x >> (63 - n)) != 0);
      if (!overflow) r = x << n;
    } else if (op == ">>")
      r = x >> (y & 63);
    else if (op == "<")
      r = x < y;
    else if (op == ">")
      r = x > y;
    else if (op == "<=")
      r = x <= y;
    else if (op == ">=")
      r = x >= y;
    else if (op == "==")
      r = x == y;
    else if (op == "!=")
      r = x != y;
    else if (op == "&")
      r = x & y;
    else if (op == "|")
      r = x | y;
    else if (op == "^")
      r = x ^ y;
    else if (op == "&&")
      r = x != 0 && y != 0;
    else if (op == "||")
      r = x != 0 || y != 0;
    if (overflow) return unknown("a number that 64 bits do not hold");
    out.value = r;
    note(out, a);
    note(out, b);
    return out;
  }

  Evaluator& evaluator_;
  const Text text_;
  const std::string& s_;
  std::size_t depth_, nested_ = 0, at_ = 0;
  int dead_ = 0;
  bool failed_ = false;
};

Number Evaluator::number(const Text& expression, bool expanded) {
  const Deeper deeper(*this);
  Text text = expanded ? expression : value(expression, Quoting::Here);
  if (text.size() > 10'000 || !spend(2, text.size())) text = hole(Why::Other, "this arithmetic is too long", expression.place());
  return Arithmetic(*this, std::move(text), depth_).whole();
}

Text Evaluator::number_text(const Number& number, const Text& written) {
  if (!number.value) {
    Hole hole = number.because ? *number.because : Hole{};
    hole.many = false;
    if (hole.because.empty()) hole.because = "this arithmetic is not followed";
    return Text::unknown(std::move(hole));
  }
  const std::string digits = std::to_string(*number.value);
  Text out = Text::given(digits, written.place());
  std::vector<const Text*> from;
  for (const Text& text : number.from) from.push_back(&text);
  std::string says = written.shown(60);
  if (says.starts_with("$((")) says = says.substr(3, says.ends_with("))") ? says.size() - 5 : std::string::npos);
  while (says.starts_with(' ')) says.erase(0, 1);
  while (says.ends_with(' ')) says.pop_back();
  Run run = out.runs().front();
  run.trail = computed({says + " is " + digits, written.place()}, from);
  run.outside = number.outside;
  Text traced;
  traced.append(std::move(run));
  return traced;
}

Truth Evaluator::truth_of(const Number& number) {
  if (!number.value) return Truth::maybe(number.because);
  return Truth::of(*number.value != 0, number.outside);
}

}  // namespace shardlint::shell
