// [[ ]], [ ] and patterns: true, false, by default, or unknown because of something.

#include <algorithm>

#include "checker/shell/evaluator.h"

namespace shardlint::shell {

Truth operator!(Truth truth) {
  if (truth.is == Truth::Is::Maybe) {
    truth.presumed = false;
  } else {
    truth.is = truth.is == Truth::Is::Yes ? Truth::Is::No : Truth::Is::Yes;
  }
  std::swap(truth.setting, truth.unsetting);
  return truth;
}

Truth both(const Truth& a, const Truth& b) {
  const auto settles = [](const Truth& t) { return t.is == Truth::Is::No; };
  if (settles(a) && !a.outside) return a;
  if (settles(b) && !b.outside) return b;
  if (settles(a)) return a;
  if (settles(b)) return b;
  if (a.is == Truth::Is::Maybe) return a;
  if (b.is == Truth::Is::Maybe) return b;
  return a.outside ? a : b;
}

Truth either(const Truth& a, const Truth& b) { return !both(!a, !b); }

namespace {

// The variable from outside that this text is, as a whole.
std::optional<std::string> outside_name(const Text& text) {
  std::optional<std::string> name;
  for (const Run& run : text.runs()) {
    std::string own;
    if (run.hole && (run.hole->why == Why::Environment || run.hole->why == Why::Argument)) own = run.hole->name;
    if (run.outside) own = *run.outside;
    if (own.empty() || (name && *name != own)) return std::nullopt;
    name = own;
  }
  return name;
}

bool is_unary(std::string_view op) {
  return op.size() == 2 && op[0] == '-' && std::string_view("abcdefghknoprstuvwxzGLNORS").find(op[1]) != std::string_view::npos;
}
bool is_binary(std::string_view op) {
  static constexpr std::string_view kAll[] = {"=",   "==",  "!=",  "<",   ">",   "=~",  "-eq", "-ne",
                                              "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
  return std::find(std::begin(kAll), std::end(kAll), op) != std::end(kAll);
}

}  // namespace

// Reads an expression over tokens; for [[ ]] they are source text, for [ ] expanded words.
class Tests {
 public:
  struct Token {
    Text text;        // as written
    bool op = false;  // an operator of [[ ]], or any word of [ ]
  };
  Tests(Evaluator& evaluator, std::vector<Token> tokens, bool modern)
      : evaluator_(evaluator), tokens_(std::move(tokens)), modern_(modern) {}

  Truth whole() {
    if (tokens_.empty()) return Truth::no();
    Truth out = any();
    if (at_ < tokens_.size() || failed_) return vague();
    return out;
  }

 private:
  static constexpr int kDeepest = 50;

  Truth vague() {
    failed_ = true;
    Hole hole;
    hole.because = "this test is not followed";
    hole.place = tokens_.empty() ? Place{} : tokens_.front().text.place();
    return Truth::maybe(std::make_shared<const Hole>(std::move(hole)));
  }
  bool is(std::size_t at, std::string_view what) const { return at < tokens_.size() && tokens_[at].text.flat() == what; }
  bool take(std::string_view modern, std::string_view old) {
    if (!is(at_, modern_ ? modern : old)) return false;
    ++at_;
    return true;
  }

  Truth any() {
    Truth left = all();
    while (!failed_ && take("||", "-o")) left = either(left, all());
    return left;
  }
  Truth all() {
    Truth left = one();
    while (!failed_ && take("&&", "-a")) left = both(left, one());
    return left;
  }
  Truth one() {
    if (++depth_ > kDeepest || at_ >= tokens_.size()) return vague();
    Truth out;
    const bool has_binary = at_ + 2 < tokens_.size() && is_binary(tokens_[at_ + 1].text.flat());
    if (is(at_, "!") && at_ + 1 < tokens_.size() && !(has_binary && !modern_)) {
      ++at_;
      out = !one();
    } else if (is(at_, "(") && !has_binary) {
      ++at_;
      out = any();
      if (!is(at_, ")")) return vague();
      ++at_;
    } else if (has_binary) {
      const Text& left = tokens_[at_].text;
      const std::string op = tokens_[at_ + 1].text.flat();
      const Text& right = tokens_[at_ + 2].text;
      at_ += 3;
      out = binary(left, op, right);
    } else if (at_ + 1 < tokens_.size() && is_unary(tokens_[at_].text.flat()) && !is(at_ + 1, "&&") && !is(at_ + 1, "||")) {
      const std::string op = tokens_[at_].text.flat();
      out = evaluator_.unary(op, operand(tokens_[at_ + 1].text));
      at_ += 2;
    } else {
      out = evaluator_.unary("-n", operand(tokens_[at_].text));
      ++at_;
    }
    --depth_;
    return out;
  }

  Text operand(const Text& written) { return modern_ ? evaluator_.value(written, Quoting::Value) : written; }

  Truth binary(const Text& left, const std::string& op, const Text& right) {
    if (modern_ && (op == "==" || op == "=" || op == "!=")) {
      const Text subject = operand(left);
      const Parts parts = evaluator_.parts(right, Quoting::Bare);
      std::vector<Glob> pattern;
      const bool known = Evaluator::glob(parts, pattern);
      const Truth fits = evaluator_.matches(subject, pattern, known, evaluator_.joined(parts));
      return op == "!=" ? !fits : fits;
    }
    if (modern_ && op.starts_with('-') && op != "-nt" && op != "-ot" && op != "-ef") {  // arithmetic expressions stand there
      const Number a = evaluator_.number(left), b = evaluator_.number(right);
      return evaluator_.compare(op, evaluator_.number_text(a, left), evaluator_.number_text(b, right));
    }
    return evaluator_.compare(op, operand(left), operand(right));
  }

  Evaluator& evaluator_;
  std::vector<Token> tokens_;
  bool modern_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

Truth Evaluator::test(const Code& code, scan::Span expression) {
  const std::string_view s = code.bytes().substr(0, expression.end);
  std::vector<Tests::Token> tokens;
  std::size_t at = expression.begin;
  while (at < s.size() && spend(1)) {
    if (scan::space(s[at])) {
      ++at;
      continue;
    }
    if (s[at] == '\\' && at + 1 < s.size() && s[at + 1] == '\n') {
      at += 2;
      continue;
    }
    std::size_t end = at;
    const std::string_view two = s.substr(at, 2);
    const bool regex = !tokens.empty() && tokens.back().text.flat() == "=~";
    if (regex) {
      for (int level = 0; end < s.size() && (level > 0 || !scan::space(s[end]));) {
        level += s[end] == '(' ? 1 : s[end] == ')' ? -1 : 0;
        end = scan::construct_end(s, end);
      }
    } else if (two == "&&" || two == "||") {
      end += 2;
    } else if (s[at] == '(' || s[at] == ')' || s[at] == '<' || s[at] == '>') {
      ++end;
    } else {
      while (end < s.size() && !scan::space(s[end]) && s[end] != ')' && s[end] != '<' && s[end] != '>' && s.substr(end, 2) != "&&" &&
             s.substr(end, 2) != "||") {
        // @(a|b) and its like
        const bool extended = s[end] == '(' && end > at && std::string_view("@?*+!").find(s[end - 1]) != std::string_view::npos;
        if (s[end] == '(' && !extended) break;
        end = extended ? scan::bracket_end(s, end) : scan::construct_end(s, end);
      }
      if (end == at) ++end;
    }
    tokens.push_back({code.text.slice(at, end), false});
    at = end;
  }
  return Tests(*this, std::move(tokens), true).whole();
}

Truth Evaluator::test(const std::vector<Word>& words) {
  std::vector<Tests::Token> tokens;
  for (const Word& word : words) {
    if (word.count == Word::Count::Any) return Truth::maybe(word.text.hole() ? std::make_shared<const Hole>(*word.text.hole()) : nullptr);
    tokens.push_back({word.text, false});
  }
  return Tests(*this, std::move(tokens), false).whole();
}

Truth Evaluator::unary(std::string_view op, const Text& operand) {
  const auto because = [&](Why why, std::string text) {
    Hole hole;
    hole.why = why;
    hole.because = std::move(text);
    hole.place = operand.place();
    return Truth::maybe(std::make_shared<const Hole>(std::move(hole)));
  };
  if (op == "-z" || op == "-n") {
    const auto answer = [&](bool empty, Outside outside = nullptr) { return Truth::of(empty == (op == "-z"), std::move(outside)); };
    if (operand.known()) return answer(operand.empty(), operand.by_default());
    if (std::any_of(operand.runs().begin(), operand.runs().end(), [](const Run& run) { return !run.hole; })) return answer(false);
    // Nothing but what the world outside gives: empty if it gives nothing.
    if (const auto name = outside_name(operand)) return answer(true, std::make_shared<const std::string>(*name));
    return Truth::maybe(std::make_shared<const Hole>(*operand.hole()));
  }
  if (!operand.known()) return Truth::maybe(std::make_shared<const Hole>(*operand.hole()));
  if (op == "-v") {
    const VariablePtr variable = find(operand.flat());
    if (variable) return Truth::of(variable->set);
    return Truth::no(std::make_shared<const std::string>(operand.flat()));
  }
  if ((op == "-f" || op == "-e" || op == "-r" || op == "-s") && state_.written && state_.written->count(normal(operand.flat())) > 0)
    return Truth::yes();
  if (op == "-t" || op == "-o") return because(Why::Other, "how it is started decides");
  return because(Why::File, "the file " + operand.shown() + " decides");
}

Truth Evaluator::compare(std::string_view op, const Text& left, const Text& right) {
  if (op == "=" || op == "==" || op == "!=" || op == "<" || op == ">") {
    if (op == "<" || op == ">") {
      if (left.known() && right.known())
        return Truth::of(op == "<" ? left.flat() < right.flat() : left.flat() > right.flat(),
                         left.by_default() ? left.by_default() : right.by_default());
      return Truth::maybe(std::make_shared<const Hole>(*(left.known() ? right : left).hole()));
    }
    std::vector<Glob> literal;
    if (right.known())
      for (const char c : right.flat()) literal.push_back({Glob::Kind::Char, c, false, {}});
    const Truth same = matches(left, literal, right.known(), right);
    return op == "!=" ? !same : same;
  }
  if (op == "=~" || op == "-nt" || op == "-ot" || op == "-ef") {
    if (const Hole* unknown = left.hole()) return Truth::maybe(std::make_shared<const Hole>(*unknown));
    Hole hole;
    hole.because = op == "=~" ? "the regular expression " + right.shown() + " decides" : "files decide";
    hole.place = right.place();
    return Truth::maybe(std::make_shared<const Hole>(std::move(hole)));
  }
  const Number a = number(left, true), b = number(right, true);
  if (!a.value || !b.value) {
    Truth out = Truth::maybe(a.value ? b.because : a.because);
    if (op == "-eq" && b.value)
      if (const auto name = outside_name(left)) out.setting = {{*name, std::to_string(*b.value)}};
    return out;
  }
  const i64 x = *a.value, y = *b.value;
  const bool is = op == "-eq" ? x == y : op == "-ne" ? x != y : op == "-lt" ? x < y : op == "-le" ? x <= y : op == "-gt" ? x > y : x >= y;
  return Truth::of(is, a.outside ? a.outside : b.outside);
}

Truth Evaluator::matches(const Text& subject, const std::vector<Glob>& glob, bool known_glob, const Text& pattern) {
  const bool literal = known_glob && std::all_of(glob.begin(), glob.end(), [](const Glob& g) { return g.kind == Glob::Kind::Char; });
  Truth out;
  if (!known_glob) {
    // Unknown texts may still be the same one.
    if (subject == pattern && pattern.known()) return Truth::yes();
    const Hole* unknown = pattern.hole() ? pattern.hole() : subject.hole();
    Hole own;
    own.because = "the pattern " + pattern.shown() + " is not followed";
    own.place = pattern.place();
    out = Truth::maybe(std::make_shared<const Hole>(unknown ? *unknown : own));
  } else if (!glob.empty() && std::all_of(glob.begin(), glob.end(), [](const Glob& g) { return g.kind == Glob::Kind::Many; })) {
    return Truth::yes();
  } else if (subject.known()) {
    out = Truth::of(fits(subject.flat(), glob), subject.by_default() ? subject.by_default() : pattern.by_default());
  } else {
    out = Truth::maybe(std::make_shared<const Hole>(*subject.hole()));
    for (std::size_t i = 0; i < subject.size() && i < glob.size() && !subject.is_hole(i) && glob[i].kind == Glob::Kind::Char; ++i)
      if (glob[i].c != subject.flat()[i]) return Truth::no();
  }
  if (literal) {
    if (const auto name = outside_name(subject)) {
      std::string value;
      for (const Glob& g : glob) value += g.c;
      if (!out.certain() && out.is != Truth::Is::Yes) out.setting = {{*name, value}};
    }
  }
  return out;
}

bool Evaluator::glob(const Parts& parts, std::vector<Glob>& out) {
  for (const Part& part : parts) {
    if (part.cut) return false;
    if (!part.text.known()) return false;
    const std::string& s = part.text.flat();
    for (std::size_t i = 0; i < s.size(); ++i) {
      const char c = s[i];
      if (part.quoted) {
        out.push_back({Glob::Kind::Char, c, false, {}});
      } else if (c == '*') {
        if (i + 1 < s.size() && s[i + 1] == '(') return false;
        if (out.empty() || out.back().kind != Glob::Kind::Many) out.push_back({Glob::Kind::Many, 0, false, {}});
      } else if (c == '?') {
        if (i + 1 < s.size() && s[i + 1] == '(') return false;
        out.push_back({Glob::Kind::One, 0, false, {}});
      } else if ((c == '@' || c == '+' || c == '!') && i + 1 < s.size() && s[i + 1] == '(') {
        return false;
      } else if (c == '[') {
        const std::size_t close = s.find(']', i + 2);
        if (close == std::string::npos) {
          out.push_back({Glob::Kind::Char, c, false, {}});
          continue;
        }
        Glob set{Glob::Kind::Class, 0, false, {}};
        std::size_t m = i + 1;
        if (s[m] == '!' || s[m] == '^') set.negated = true, ++m;
        if (s.find("[:", m) < close) return false;
        for (; m < close; ++m) {
          if (m + 2 < close && s[m + 1] == '-') {
            for (int member = static_cast<unsigned char>(s[m]); member <= static_cast<unsigned char>(s[m + 2]); ++member)
              set.members += static_cast<char>(member);
            m += 2;
          } else {
            set.members += s[m];
          }
        }
        out.push_back(std::move(set));
        i = close;
      } else {
        out.push_back({Glob::Kind::Char, c, false, {}});
      }
    }
  }
  return true;
}

// With one point to return to, so that it takes at most the product of both lengths.
bool Evaluator::fits(std::string_view text, const std::vector<Glob>& glob) {
  std::size_t t = 0, g = 0, star = std::string::npos, star_text = 0;
  while (t < text.size()) {
    const bool one = g < glob.size() && glob[g].kind != Glob::Kind::Many &&
                     (glob[g].kind == Glob::Kind::One || (glob[g].kind == Glob::Kind::Char && glob[g].c == text[t]) ||
                      (glob[g].kind == Glob::Kind::Class && (glob[g].members.find(text[t]) != std::string::npos) != glob[g].negated));
    if (one) {
      ++t, ++g;
    } else if (g < glob.size() && glob[g].kind == Glob::Kind::Many) {
      star = g++;
      star_text = t;
    } else if (star != std::string::npos) {
      g = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g].kind == Glob::Kind::Many) ++g;
  return g == glob.size();
}

}  // namespace shardlint::shell
