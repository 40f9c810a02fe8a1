#include "checker/shell/code.h"

#include <algorithm>

namespace shardlint::shell {
namespace {

using Kind = Statement::Kind;
using scan::Span;

constexpr std::size_t kDeepest = 60;

class Descent {
 public:
  explicit Descent(Code& code) : code_(code), s_(code.bytes()) {}

  void read() {
    code_.root = {};
    code_.root.span = {0, s_.size()};
    while (at_ < s_.size()) {
      sequence(code_.root);
      if (at_ < s_.size()) lose_line();  // a `fi`, `done`, `)` without its beginning
    }
  }

 private:
  struct Pending {
    std::size_t op;
    std::string delimiter;
    bool tabs;
  };

  void lose_line() {
    const std::size_t end = std::min(scan::line_end(s_, at_) + 1, s_.size());
    code_.unreadable.push_back({at_, end});
    at_ = end;
  }

  std::string_view word() const { return s_.substr(at_, scan::word_end(s_, at_) - at_); }
  bool is(std::string_view text) const { return s_.substr(at_, text.size()) == text; }

  void newline() {
    ++at_;
    for (const Pending& here : pending_) {
      const std::size_t begin = at_;
      std::size_t body_end = s_.size();
      while (at_ < s_.size()) {
        std::size_t from = at_;
        const std::size_t end = scan::line_end(s_, at_);
        while (here.tabs && from < end && s_[from] == '\t') ++from;
        const bool last = s_.substr(from, end - from) == here.delimiter;
        if (last) body_end = at_;
        at_ = std::min(end + 1, s_.size());
        if (last) break;
      }
      code_.here.push_back({here.op, {begin, std::max(begin, body_end)}});
    }
    pending_.clear();
  }

  // Over blanks and comments, and over ends of lines if `lines`.
  void skip(bool lines) {
    while (true) {
      at_ = scan::skip_blanks(s_, at_);
      if (at_ >= s_.size()) return;
      if (s_[at_] == '#') {
        const std::size_t end = scan::line_end(s_, at_);
        code_.comments.push_back({at_, end});
        at_ = end;
      } else if (s_[at_] == '\n' && lines) {
        newline();
      } else {
        return;
      }
    }
  }

  static bool closes(std::string_view word) {
    static constexpr std::string_view kAll[] = {"then", "else", "elif", "fi", "do", "done", "esac", "}"};
    return std::find(std::begin(kAll), std::end(kAll), word) != std::end(kAll);
  }

  // Up to a word or operator that closes something; that is not taken.
  void sequence(Statement& into) {
    const std::size_t begin = at_;
    while (true) {
      skip(true);
      if (at_ >= s_.size() || s_[at_] == ')' || is(";;") || is(";&") || closes(word())) break;
      if (s_[at_] == ';' || s_[at_] == '&' || s_[at_] == '|') {  // nothing stands before it
        lose_line();
        continue;
      }
      const std::size_t before = at_;
      Statement next = list();
      skip(false);
      if (at_ < s_.size() && s_[at_] == '&') {
        next.background = true;
        ++at_;
      } else if (at_ < s_.size() && s_[at_] == ';' && !is(";;") && !is(";&")) {
        ++at_;
      }
      into.children.push_back(std::move(next));
      if (at_ == before) lose_line();
    }
    into.span = {begin, at_};
  }

  Statement list() {
    Statement out;
    out.kind = Kind::List;
    out.span.begin = at_;
    out.children.push_back(pipeline());
    out.or_else.push_back(false);
    while (true) {
      skip(false);
      if (!is("&&") && !is("||")) break;
      const bool or_else = is("||");
      at_ += 2;
      skip(true);
      out.children.push_back(pipeline());
      out.or_else.push_back(or_else);
    }
    return close(std::move(out));
  }

  Statement pipeline() {
    Statement out;
    out.kind = Kind::Pipeline;
    out.span.begin = at_;
    bool negated = false;
    while (word() == "!") {
      ++at_;
      negated = !negated;
      skip(false);
    }
    const std::size_t begin = at_;
    out.span.begin = begin;
    out.children.push_back(command());
    while (true) {
      skip(false);
      if (!is("|") || is("||")) break;
      at_ += is("|&") ? 2 : 1;
      skip(true);
      out.children.push_back(command());
    }
    Statement made = close(std::move(out));
    if (!negated) return made;
    Statement invert;
    invert.kind = Kind::Not;
    invert.span = made.span;
    invert.children.push_back(std::move(made));
    return invert;
  }

  // One part alone needs no list or pipeline around it.
  static Statement close(Statement statement) {
    if (statement.children.size() == 1) {
      Statement only = std::move(statement.children.front());
      return only;
    }
    statement.span.end = statement.children.back().span.end;
    return statement;
  }

  Statement command() {
    Statement out;
    out.span.begin = at_;
    if (++depth_ > kDeepest) {
      code_.too_deep = true;
      out.kind = Kind::Other;
      at_ = s_.size();
      out.span.end = at_;
      --depth_;
      return out;
    }
    const std::string_view first = word();
    bool compound = true;
    if (is("((") && arithmetic(out)) {
    } else if (is("(")) {
      out.kind = Kind::Subshell;
      ++at_;
      body(out, ")");
    } else if (first == "{") {
      out.kind = Kind::Group;
      ++at_;
      body(out, "}");
    } else if (first == "[[") {
      test(out);
    } else if (first == "if") {
      branches(out);
    } else if (first == "while" || first == "until") {
      out.kind = Kind::While;
      out.until = first == "until";
      at_ += first.size();
      part(out, "do");
      part(out, "done");
    } else if (first == "for" || first == "select") {
      loop(out, first);
    } else if (first == "case") {
      arms(out);
    } else if (first == "function") {
      at_ += first.size();
      skip(false);
      function(out, at_ + word().size());
    } else if (const std::size_t name = at_ + first.size(); !first.empty() && s_.substr(scan::skip_blanks(s_, name), 1) == "(" &&
                                                            first.find_first_of("=$'\"\\`") == std::string_view::npos) {
      function(out, name);
    } else {
      compound = false;
      simple(out);
    }
    out.span.end = std::max(out.span.begin, at_);
    if (compound && out.kind != Kind::Function) out = redirected(std::move(out));
    --depth_;
    return out;
  }

  void simple(Statement& out) {
    out.kind = Kind::Simple;
    const scan::Simple read = scan::simple(s_, at_, s_.size());
    note(read);
    if (read.last == at_) {  // an operator where a command has to be
      lose_line();
      return;
    }
    at_ = read.end;
    out.span.end = read.last;
    comments_in(out.span);
  }

  // Inside arrays.
  void comments_in(Span span) {
    for (const Span word_span : scan::simple(s_, span.begin, span.end).assignments) {
      scan::Assignment found;
      if (!scan::assignment(s_, word_span, found) || found.value.empty() || s_[found.value.begin] != '(') continue;
      std::size_t at = found.value.begin + 1;
      while (at < found.value.end) {
        if (s_[at] == '#' && scan::space(s_[at - 1])) {
          code_.comments.push_back({at, scan::line_end(s_, at)});
          at = scan::line_end(s_, at);
        } else {
          at = scan::construct_end(s_, at);
        }
      }
    }
  }

  void note(const scan::Simple& read) {
    for (const scan::Redirect& redirect : read.redirects) {
      if (redirect.op != "<<" && redirect.op != "<<-") continue;
      std::string delimiter;
      for (std::size_t i = redirect.target.begin; i < redirect.target.end; ++i)
        if (s_[i] != '\'' && s_[i] != '"' && s_[i] != '\\') delimiter += s_[i];
      pending_.push_back({redirect.all.begin, std::move(delimiter), redirect.op == "<<-"});
    }
  }

  Statement redirected(Statement inner) {
    const scan::Simple read = scan::simple(s_, at_, s_.size());
    if (read.redirects.empty() || !read.words.empty()) return inner;
    note(read);
    Statement out;
    out.kind = Kind::Redirected;
    out.span = {inner.span.begin, read.last};
    out.children.push_back(std::move(inner));
    at_ = read.last;
    return out;
  }

  bool arithmetic(Statement& out) {
    const std::size_t end = scan::bracket_end(s_, at_);
    if (end < at_ + 4 || s_[end - 1] != ')' || s_[end - 2] != ')' || scan::bracket_end(s_, at_ + 1) != end - 1) return false;
    out.kind = Kind::Arithmetic;
    out.words.push_back({at_ + 2, end - 2});
    at_ = end;
    return true;
  }

  void test(Statement& out) {
    out.kind = Kind::Test;
    std::size_t end = at_ + 2;
    while (end < s_.size() && !(s_.substr(end, 2) == "]]" && scan::space(s_[end - 1]))) end = scan::construct_end(s_, end);
    out.words.push_back({at_ + 2, std::min(end, s_.size())});
    if (end >= s_.size()) {
      out.words.front().end = at_ + 2;
      lose_line();
      return;
    }
    at_ = end + 2;
  }

  // Takes the word that closes what is read. If it is not there, the line where it should be is lost, and what was read stays.
  void expect(std::string_view closing) {
    skip(true);
    if (closing == ")" ? is(")") : word() == closing) {
      at_ += closing.size();
    } else if (at_ < s_.size() && !closes(word()) && !is(")")) {
      lose_line();
    } else {
      code_.unreadable.push_back({std::min(at_, s_.size() - 1), std::min(at_ + 1, s_.size())});
    }
  }
  void body(Statement& out, std::string_view closing) {
    sequence(out);
    expect(closing);
  }
  void part(Statement& out, std::string_view closing) {
    Statement child;
    sequence(child);
    out.children.push_back(std::move(child));
    expect(closing);
  }

  void branches(Statement& out) {
    out.kind = Kind::If;
    at_ += 2;
    while (true) {
      part(out, "then");
      Statement child;
      sequence(child);
      out.children.push_back(std::move(child));
      if (word() != "elif") break;
      at_ += 4;
    }
    if (word() == "else") {
      at_ += 4;
      Statement child;
      sequence(child);
      out.children.push_back(std::move(child));
      out.has_else = true;
    }
    expect("fi");
  }

  void loop(Statement& out, std::string_view keyword) {
    at_ += keyword.size();
    skip(false);
    out.kind = keyword == "select" ? Kind::Other : Kind::For;
    if (is("((")) {
      const std::size_t end = scan::bracket_end(s_, at_);
      out.kind = Kind::Count;
      if (end >= at_ + 4) out.words = scan::split(s_, at_ + 2, end - 2, ';');
      if (out.words.size() != 3) out.kind = Kind::Other;
      at_ = end;
    } else {
      out.name = {at_, scan::name_end(s_, at_)};
      at_ = out.name.end;
      out.all_arguments = true;
      skip(true);
      if (word() == "in") {
        at_ += 2;
        out.all_arguments = false;
        out.words = scan::words(s_, at_, s_.size(), false);
        if (!out.words.empty()) at_ = out.words.back().end;
      }
    }
    skip(false);
    if (is(";") && !is(";;")) ++at_;
    skip(true);
    if (word() == "{") {
      ++at_;
      part(out, "}");
    } else {
      expect("do");
      part(out, "done");
    }
  }

  void arms(Statement& out) {
    out.kind = Kind::Case;
    at_ += 4;
    skip(false);
    out.words.push_back({at_, at_ + word().size()});
    at_ = out.words.front().end;
    expect("in");
    while (true) {
      skip(true);
      if (at_ >= s_.size() || word() == "esac") break;
      Statement child;
      if (is("(")) ++at_;
      std::size_t close = at_;
      while (close < s_.size() && s_[close] != ')' && s_[close] != '\n' && s_[close] != ';')
        close = s_[close] == '(' ? scan::bracket_end(s_, close) : scan::construct_end(s_, close);
      if (close >= s_.size() || s_[close] != ')') {
        lose_line();
        continue;
      }
      out.patterns.push_back(scan::split(s_, at_, close, '|'));
      at_ = close + 1;
      sequence(child);
      child.span.begin = close;
      std::string end;
      for (const std::string_view mark : {";;&", ";;", ";&"})
        if (end.empty() && is(mark)) end = mark;
      at_ += end.size();
      out.ends.push_back(end);
      out.children.push_back(std::move(child));
      if (end.empty() && word() != "esac") {
        if (at_ >= s_.size() || closes(word())) break;
        lose_line();
      }
    }
    expect("esac");
  }

  void function(Statement& out, std::size_t name_end) {
    out.kind = Kind::Function;
    out.name = {at_, name_end};
    at_ = name_end;
    skip(false);
    if (is("(")) at_ = scan::bracket_end(s_, at_);
    skip(true);
    if (at_ < s_.size()) out.children.push_back(command());
  }

  Code& code_;
  std::string_view s_;
  std::size_t at_ = 0, depth_ = 0;
  std::vector<Pending> pending_;
};

}  // namespace

CodePtr parse(Text text, std::string path) {
  auto code = std::make_shared<Code>();
  code->text = std::move(text);
  code->path = std::move(path);
  Descent(*code).read();
  std::sort(code->here.begin(), code->here.end(), [](const HereDocument& a, const HereDocument& b) { return a.op < b.op; });
  std::sort(code->comments.begin(), code->comments.end(), [](Span a, Span b) { return a.begin < b.begin; });
  return code;
}

namespace {

void dump_into(const Code& code, const Statement& s, std::string& out, std::size_t depth) {
  static constexpr std::string_view kNames[] = {"sequence", "simple", "list",       "pipeline",   "subshell", "group",
                                                "not",      "test",   "arithmetic", "if",         "case",     "for",
                                                "count",    "while",  "function",   "redirected", "other"};
  out += std::string(depth * 2, ' ') + std::string(kNames[static_cast<std::size_t>(s.kind)]);
  if (s.kind == Kind::Simple) {
    const scan::Simple read = scan::simple(code.bytes(), s.span.begin, code.bytes().size());
    out += " " + std::string(code.bytes().substr(s.span.begin, read.last - s.span.begin));
  }
  for (const scan::Span word : s.words) out += " <" + std::string(code.bytes().substr(word.begin, word.end - word.begin)) + ">";
  for (const auto& patterns : s.patterns)
    for (const scan::Span word : patterns) out += " |" + std::string(code.bytes().substr(word.begin, word.end - word.begin)) + "|";
  for (const std::string& end : s.ends) out += " " + (end == ";;" ? "" : end);
  for (const bool or_else : s.or_else) out += or_else ? " ||" : " &&";
  if (!s.name.empty()) out += " " + std::string(code.bytes().substr(s.name.begin, s.name.end - s.name.begin));
  if (s.until) out += " until";
  if (s.all_arguments) out += " all";
  if (s.has_else) out += " else";
  if (s.background) out += " &";
  out += "\n";
  for (const Statement& child : s.children) dump_into(code, child, out, depth + 1);
}

}  // namespace

std::string dump(const Code& code) {
  std::string out;
  dump_into(code, code.root, out, 0);
  for (const HereDocument& here : code.here)
    out += "<< " + std::string(code.bytes().substr(here.body.begin, here.body.end - here.body.begin)) + "\n";
  for (const scan::Span span : code.comments) out += std::string(code.bytes().substr(span.begin, span.end - span.begin)) + "\n";
  return out;
}

}  // namespace shardlint::shell
