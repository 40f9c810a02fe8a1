// Compiler of the constraint language: a hand-written lexer, one recursive function a precedence level, types checked on the way up.
#include "checker/schema/expr.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "checker/schema/models.h"
#include "checker/schema/schema.h"

namespace shardlint {

namespace type {
std::string describe(TypeSet types) {
  if (types == Any) return "anything";
  std::string out;
  for (unsigned bit = 0; bit < 7; ++bit)
    if (types & (1u << bit)) {
      static constexpr std::string_view kNames[] = {"null", "bool", "int", "real", "text", "list", "table"};
      out += (out.empty() ? "" : " or ") + std::string(kNames[bit]);
    }
  return out.empty() ? "nothing" : out;
}
}  // namespace type

Value Const::value() const {
  switch (kind) {
    case Value::Kind::Bool: return integer != 0;
    case Value::Kind::Int: return integer;
    case Value::Kind::Real: return real;
    case Value::Kind::Str: return text;
    default: return Null{};
  }
}

bool Const::is(const Value& other) const {
  if (kind == Value::Kind::Str) return other.text() && *other.text() == text;
  if (kind == Value::Kind::Null) return other.is_null();
  return value() == other;
}

std::string_view sign(Op op) {
  switch (op) {
    case Op::Add: return "+";
    case Op::Sub: return "-";
    case Op::Mul: return "*";
    case Op::Div: return "/";
    case Op::FloorDiv: return "//";
    case Op::Mod: return "%";
    case Op::Eq: return "==";
    case Op::Ne: return "!=";
    case Op::Lt: return "<";
    case Op::Le: return "<=";
    case Op::Gt: return ">";
    case Op::Ge: return ">=";
    case Op::In: return "in";
    case Op::NotIn: return "not in";
    case Op::And: return "and";
    case Op::Or: return "or";
    case Op::Implies: return "=>";
    default: return "";
  }
}

std::span<const FunctionInfo> functions() {
  static constexpr FunctionInfo kFunctions[] = {
      {"divides", Function::Divides, 2, 2},
      {"exact", Function::Exact, 2, 2},
      {"ceil_div", Function::CeilDiv, 2, 2},
      {"min", Function::Min, 1, 8},
      {"max", Function::Max, 1, 8},
      {"abs", Function::Abs, 1, 1},
      {"round", Function::Round, 1, 1},
      {"floor", Function::Floor, 1, 1},
      {"if", Function::If, 3, 3},
      {"written", Function::Written, 1, 1},
      {"overridden", Function::Overridden, 1, 1},
      {"started", Function::Started, 0, 0},
      {"known", Function::Known, 1, 1},
      {"set", Function::Set, 1, 1},
      {"default", Function::Default, 2, 2},
      {"len", Function::Len, 1, 1},
      {"sum", Function::Sum, 1, 1},
      {"unique", Function::Unique, 1, 1},
      {"count", Function::Count, 2, 2},
      {"at", Function::At, 2, 2},
      {"each", Function::Each, 1, 1},
      {"lower", Function::Lower, 1, 1},
      {"upper", Function::Upper, 1, 1},
      {"starts_with", Function::StartsWith, 2, 2},
      {"ends_with", Function::EndsWith, 2, 2},
      {"contains", Function::Contains, 2, 2},
      {"split", Function::Split, 2, 2},
      {"strip", Function::Strip, 1, 1},
      {"int", Function::ToInt, 1, 1},
      {"real", Function::ToReal, 1, 1},
      {"digits", Function::Digits, 1, 1},
      {"str", Function::Str, 1, 1},
      {"plural", Function::Plural, 2, 3},
      {"lookup", Function::Lookup, 3, 5},
      {"shape", Function::Shape, 2, 2},
      {"variant", Function::Variant, 1, 1},
      {"form", Function::Form, 1, 1},
      {"layout", Function::Layout, 1, 1},
      {"join", Function::Join, 2, 2},
      {"except", Function::Except, 2, 2},
      {"where", Function::Where, 2, 2},
      {"only", Function::Only, 2, 2},
      {"items", Function::Items, 1, 1},
      {"step_starts", Function::StepStarts, 2, 2},
      {"step_sizes", Function::StepSizes, 1, 1},
  };
  return kFunctions;
}

namespace {

struct Term {
  std::uint32_t node = kNoExpr;
  TypeSet types = type::Any;
};

// Thrown inside the compiler only; compile() turns it into an ExprError.
struct Failure {
  std::string message;
  std::size_t column;
};

class Compiler {
 public:
  Compiler(std::string_view text, const Names& names, ExprPool& pool) : Compiler(text, names, pool, pool.nodes.size(), 0) {}

  Compiled run(TypeSet wanted) {
    const Term term = implication();
    if (token_.kind != Token::End) fail(fmt::format("'{}' is not expected here", token_.text));
    if (!overlap(term.types, wanted))
      throw Failure{fmt::format("this is {}, but {} is wanted here", type::describe(term.types), type::describe(wanted)), 0};
    return {term.node, term.types, std::move(slots_)};
  }

 private:
  struct Token {
    enum Kind { End, Number, Text, Key, Word, Sign } kind = End;
    std::string text;
    std::size_t column = 0;
    Value number;
  };

  Compiler(std::string_view text, const Names& names, ExprPool& pool, std::size_t begin, int depth)
      : text_(text), names_(names), pool_(pool), begin_(begin), depth_(depth) {
    advance();
  }

  [[noreturn]] void fail(std::string message) const { throw Failure{std::move(message), token_.column}; }

  // Both bounds are far above what anybody writes; they keep hostile settings from exhausting the stack, here or where it is evaluated.
  static constexpr int kMaxDepth = 100;
  static constexpr std::size_t kMaxNodes = 4000;

  struct Level {
    Compiler& compiler;
    explicit Level(Compiler& c) : compiler(c) {
      if (++compiler.depth_ > kMaxDepth) compiler.fail("this nests too deeply");
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --compiler.depth_; }
  };

  // Nearly everything may be null, so that null in common says nothing, unless it is all that one side can be.
  static bool overlap(TypeSet a, TypeSet b) {
    const TypeSet common = a & b;
    return (common & ~type::Null) || (common && (a == type::Null || b == type::Null));
  }

  // ---- lexer

  static bool word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool digit(char c) { return c >= '0' && c <= '9'; }

  void advance() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    token_ = {Token::End, "", at_, {}};
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    if (c == '"' || c == '\'') return quoted(c);
    if (digit(c)) return number();
    if (word_start(c)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() &&
             (word_start(text_[at_]) || digit(text_[at_]) || (text_[at_] == '.' && at_ + 1 < text_.size() && word_start(text_[at_ + 1]))))
        ++at_;
      token_.kind = Token::Word;
      token_.text = text_.substr(begin, at_ - begin);
      return;
    }
    static constexpr std::string_view kSigns[] = {"==", "!=", "<=", ">=", "=>", "//", "<", ">", "+",
                                                  "-",  "*",  "/",  "%",  "(",  ")",  "[", "]", ","};
    for (std::string_view sign : kSigns)
      if (text_.substr(at_).starts_with(sign)) {
        token_.kind = Token::Sign;
        token_.text = sign;
        at_ += sign.size();
        return;
      }
    fail(fmt::format("'{}' has no meaning here", c));
  }

  void quoted(char quote) {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_];
    }
    if (at_ == text_.size()) fail("this quote is never closed");
    ++at_;
    token_.kind = quote == '"' ? Token::Text : Token::Key;
    token_.text = std::move(out);
  }

  void number() {
    const std::size_t begin = at_;
    bool real = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent_sign = (c == '+' || c == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
      if (c == '.' || c == 'e' || c == 'E')
        real = true;
      else if (!digit(c) && c != '_' && !exponent_sign)
        break;
      ++at_;
    }
    std::string digits(text_.substr(begin, at_ - begin));
    std::erase(digits, '_');
    token_.kind = Token::Number;
    token_.text = digits;
    const char* end = digits.data() + digits.size();
    if (real) {
      double value = 0;
      if (std::from_chars(digits.data(), end, value).ptr != end) fail("this is no number");
      token_.number = value;
    } else {
      i64 value = 0;
      const auto [ptr, error] = std::from_chars(digits.data(), end, value);
      if (ptr != end || error != std::errc()) fail("this integer does not fit 64 bits");
      token_.number = value;
    }
  }

  bool is_sign(std::string_view sign) const { return token_.kind == Token::Sign && token_.text == sign; }
  bool is_word(std::string_view word) const { return token_.kind == Token::Word && token_.text == word; }
  bool take_sign(std::string_view sign) {
    if (!is_sign(sign)) return false;
    advance();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take_sign(sign)) fail(fmt::format("'{}' is missing here", sign));
  }

  // ---- nodes

  std::uint32_t add(ExprNode node) {
    if (pool_.nodes.size() - begin_ >= kMaxNodes) fail("this is too long");
    pool_.nodes.push_back(node);
    return static_cast<std::uint32_t>(pool_.nodes.size() - 1);
  }

  Term constant(Value value) {
    const TypeSet types = type::of(value.kind());
    const auto found = std::find_if(pool_.constants.begin(), pool_.constants.end(),
                                    [&](const Value& v) { return v.kind() == value.kind() && v == value; });
    const auto index = static_cast<std::uint32_t>(found - pool_.constants.begin());
    if (found == pool_.constants.end()) pool_.constants.push_back(std::move(value));
    return {add({Op::Const, {}, kNoSlot, index, kNoExpr}), types};
  }

  std::uint32_t parent(Op op, std::span<const Term> children, Function function = {}) {
    for (std::size_t i = 0; i + 1 < children.size(); ++i) pool_.nodes[children[i].node].next = children[i + 1].node;
    return add({op, function, kNoSlot, children.empty() ? kNoExpr : children[0].node, kNoExpr});
  }

  Term slot(const Name& name) {
    if (std::find(slots_.begin(), slots_.end(), name.slot) == slots_.end()) slots_.push_back(name.slot);
    return {add({Op::Read, {}, name.slot, kNoExpr, kNoExpr}),
            name.per_item && !inside_each_ ? static_cast<TypeSet>(type::List | type::Null) : name.types};
  }

  // ---- grammar, loosest binding first

  void condition(const Term& term, std::size_t column) const {
    if (!(term.types & type::Bool)) throw Failure{fmt::format("this is {}, not a condition", type::describe(term.types)), column};
  }

  Term implication() {
    const Level level(*this);
    const std::size_t column = token_.column;
    Term left = disjunction();
    if (!is_sign("=>")) return left;
    condition(left, column);
    advance();
    const std::size_t right_column = token_.column;
    const Term right = implication();
    condition(right, right_column);
    const Term both[] = {left, right};
    return {parent(Op::Implies, both), type::Bool};
  }

  Term joined(std::string_view word, Op op, Term (Compiler::*tighter)()) {
    std::size_t column = token_.column;
    std::vector<Term> terms{(this->*tighter)()};
    while (is_word(word)) {
      condition(terms.back(), column);
      advance();
      column = token_.column;
      terms.push_back((this->*tighter)());
      condition(terms.back(), column);
    }
    return terms.size() == 1 ? terms[0] : Term{parent(op, terms), type::Bool};
  }
  Term disjunction() { return joined("or", Op::Or, &Compiler::conjunction); }
  Term conjunction() { return joined("and", Op::And, &Compiler::negation); }

  Term negation() {
    if (!is_word("not")) return comparison();
    const Level level(*this);
    advance();
    const std::size_t column = token_.column;
    const Term term[] = {negation()};
    condition(term[0], column);
    return {parent(Op::Not, term), type::Bool};
  }

  std::optional<Op> comparison_sign() {
    for (const Op op : {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge})
      if (is_sign(sign(op))) return op;
    if (is_word("in")) return Op::In;
    if (!is_word("not")) return std::nullopt;
    advance();
    if (!is_word("in")) fail("'in' is missing after 'not'");
    return Op::NotIn;
  }

  // a < b < c means (a < b) and (b < c); the middle is compiled twice because a node has one parent.
  Term comparison() {
    std::vector<Term> parts;
    std::size_t begin = token_.column;
    Term left = sum();
    while (true) {
      const std::size_t column = token_.column;
      const std::optional<Op> op = comparison_sign();
      if (!op) break;
      advance();
      const std::size_t right_begin = token_.column;
      if (!parts.empty()) {
        Compiler again(text_.substr(begin, column - begin), names_, pool_, begin_, depth_);
        again.inside_each_ = inside_each_;
        left = again.sum();
      }
      const Term right = sum();
      check_comparison(*op, left, right, column);
      const Term both[] = {left, right};
      parts.push_back({parent(*op, both), type::Bool});
      begin = right_begin;
      left = right;
    }
    if (parts.empty()) return left;
    return parts.size() == 1 ? parts[0] : Term{parent(Op::And, parts), type::Bool};
  }

  static TypeSet numbers_as_one(TypeSet types) { return static_cast<TypeSet>(types & type::Number ? types | type::Number : types); }

  void check_comparison(Op op, const Term& left, const Term& right, std::size_t column) const {
    const TypeSet a = numbers_as_one(left.types), b = numbers_as_one(right.types);
    bool fits = true;
    if (op == Op::In || op == Op::NotIn)
      fits = (b & type::List) || ((b & type::Str) && (a & type::Str));
    else if (op == Op::Eq || op == Op::Ne)
      fits = overlap(a, b);
    else
      fits = (a & b & type::Number) || (a & b & type::Str);
    if (!fits) throw Failure{fmt::format("{} cannot be compared with {}", type::describe(left.types), type::describe(right.types)), column};
  }

  Term arithmetic(Op op, const Term& left, const Term& right, std::size_t column) {
    const bool text = op == Op::Add && (left.types & right.types & type::Str);
    if (!text && (!(left.types & type::Number) || !(right.types & type::Number)))
      throw Failure{fmt::format("there is no arithmetic on {} and {}", type::describe(left.types), type::describe(right.types)), column};
    TypeSet types = 0;
    if (text) types |= type::Str;
    if (left.types & right.types & (type::Int | type::Bool) ||
        (left.types & (type::Int | type::Bool) && right.types & (type::Int | type::Bool)))
      types |= op == Op::Div ? type::Real : type::Int;
    if ((left.types | right.types) & type::Real) types |= type::Real;
    const Term both[] = {left, right};
    return {parent(op, both), types};
  }

  Term sum() {
    Term left = product();
    while (is_sign("+") || is_sign("-")) {
      const Op op = is_sign("+") ? Op::Add : Op::Sub;
      const std::size_t column = token_.column;
      advance();
      left = arithmetic(op, left, product(), column);
    }
    return left;
  }

  Term product() {
    Term left = unary();
    while (is_sign("*") || is_sign("/") || is_sign("//") || is_sign("%")) {
      const Op op = is_sign("*") ? Op::Mul : is_sign("/") ? Op::Div : is_sign("//") ? Op::FloorDiv : Op::Mod;
      const std::size_t column = token_.column;
      advance();
      left = arithmetic(op, left, unary(), column);
    }
    return left;
  }

  Term unary() {
    const std::size_t column = token_.column;
    if (!take_sign("-")) return primary();
    const Level level(*this);
    if (token_.kind == Token::Number) {
      const Value value = token_.number.integer() ? Value(-*token_.number.integer()) : Value(-token_.number.number());
      advance();
      return constant(value);
    }
    const Term term[] = {unary()};
    if (!(term[0].types & type::Number)) throw Failure{fmt::format("there is no minus of {}", type::describe(term[0].types)), column};
    return {parent(Op::Neg, term), static_cast<TypeSet>(term[0].types & type::Number)};
  }

  Term primary() {
    const Token token = token_;
    switch (token.kind) {
      case Token::Number: advance(); return constant(token.number);
      case Token::Text: advance(); return constant(token.text);
      case Token::Key: {
        const std::optional<Name> name = names_.key(token.text);
        if (!name) unknown(fmt::format("no key '{}'", token.text), token.text);
        advance();
        return slot(*name);
      }
      case Token::Word: return word(token);
      case Token::Sign:
        if (take_sign("(")) {
          const Term inner = implication();
          expect(")");
          return inner;
        }
        if (take_sign("[")) return list();
        break;
      case Token::End: break;
    }
    fail(token.kind == Token::End ? "something is missing at the end" : fmt::format("'{}' is not expected here", token.text));
  }

  [[noreturn]] void unknown(std::string message, std::string_view name) const {
    const std::string near = names_.nearest(name);
    fail(near.empty() ? message : message + fmt::format("; did you mean {}?", near));
  }

  Term list() {
    std::vector<Term> items;
    while (!is_sign("]")) {
      items.push_back(implication());
      if (!take_sign(",")) break;
    }
    expect("]");
    return {parent(Op::MakeList, items), type::List};
  }

  Term word(const Token& token) {
    advance();
    if (token.text == "true" || token.text == "false") return constant(token.text == "true");
    if (token.text == "null") return constant(Null{});
    if (is_sign("(")) return call(token);
    const std::optional<Name> name = names_.field(token.text);
    if (!name) {
      token_ = token;
      unknown(fmt::format("no field {}", token.text), token.text);
    }
    return slot(*name);
  }

  Term call(const Token& name) {
    const auto all = functions();
    const auto info = std::find_if(all.begin(), all.end(), [&](const FunctionInfo& f) { return f.name == name.text; });
    if (info == all.end()) {
      std::vector<std::string_view> known;
      for (const FunctionInfo& f : all) known.push_back(f.name);
      const auto near = nearest(name.text, known, 1);
      throw Failure{fmt::format("no function {}{}", name.text, near.empty() ? "" : fmt::format("; did you mean {}?", near[0])),
                    name.column};
    }
    expect("(");
    const bool each = info->function == Function::Each;
    inside_each_ += each;
    std::vector<Term> arguments;
    while (!is_sign(")")) {
      arguments.push_back(implication());
      if (!take_sign(",")) break;
    }
    inside_each_ -= each;
    expect(")");
    if (arguments.size() < info->min_args || arguments.size() > info->max_args) {
      const std::string wanted = info->min_args == info->max_args
                                     ? fmt::format("{} argument{}", info->min_args, info->min_args == 1 ? "" : "s")
                                     : fmt::format("{} to {} arguments", info->min_args, info->max_args);
      throw Failure{fmt::format("{} takes {}, not {}", name.text, wanted, arguments.size()), name.column};
    }
    const TypeSet types = result(info->function, arguments, name);
    return {parent(Op::Call, arguments, info->function), types};
  }

  TypeSet result(Function function, std::span<const Term> arguments, const Token& name) const {
    const auto want = [&](std::size_t i, TypeSet types) {
      if (i < arguments.size() && !(arguments[i].types & types))
        throw Failure{
            fmt::format("argument {} of {} is {}, not {}", i + 1, name.text, type::describe(arguments[i].types), type::describe(types)),
            name.column};
    };
    const auto is_slot = [&](std::size_t i) { return pool_.nodes[arguments[i].node].op == Op::Read; };
    switch (function) {
      case Function::Divides: want(0, type::Number), want(1, type::Number); return type::Bool;
      case Function::Exact:
      case Function::CeilDiv: want(0, type::Number), want(1, type::Number); return type::Int;
      case Function::Min:
      case Function::Max: {
        TypeSet types = 0;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
          want(i, static_cast<TypeSet>(type::Number | (arguments.size() == 1 ? type::List : 0)));
          types |= static_cast<TypeSet>(arguments[i].types & type::Number);
        }
        return arguments.size() == 1 ? static_cast<TypeSet>(type::Number | type::Str) : types;
      }
      case Function::Abs: want(0, type::Number); return static_cast<TypeSet>(arguments[0].types & type::Number);
      case Function::Round:
      case Function::Floor: want(0, type::Number); return type::Int;
      case Function::If: want(0, type::Bool); return static_cast<TypeSet>(arguments[1].types | arguments[2].types);
      case Function::Default: return static_cast<TypeSet>((arguments[0].types & ~type::Null) | arguments[1].types);
      case Function::Started: return type::Bool;
      case Function::Written:
      case Function::Overridden:
      case Function::Variant:
        if (!is_slot(0)) throw Failure{fmt::format("{} takes a key or a field", name.text), name.column};
        return function == Function::Variant ? static_cast<TypeSet>(type::Str | type::Null) : type::Bool;
      case Function::Form: {
        const ExprNode& node = pool_.nodes[arguments[0].node];
        const std::string* form = node.op == Op::Const ? pool_.constants[node.a].text() : nullptr;
        if (!form || !names_.has_form(*form))
          throw Failure{fmt::format("{} takes the name of one of the schema's forms, in double quotes", name.text), name.column};
        return type::Bool;
      }
      case Function::Known:
      case Function::Set: return type::Bool;
      case Function::Len: want(0, type::List | type::Str | type::Map); return type::Int;
      case Function::Sum: want(0, type::List); return type::Number;
      case Function::Unique: want(0, type::List); return type::Bool;
      case Function::Count: want(0, type::List | type::Str); return type::Int;
      case Function::At: want(0, type::List | type::Str), want(1, type::Int); return type::Any;
      case Function::Each: want(0, type::Bool); return type::Bool;
      case Function::Lower:
      case Function::Upper:
      case Function::Strip: want(0, type::Str); return static_cast<TypeSet>(type::Str | (arguments[0].types & type::Null));
      case Function::StartsWith:
      case Function::EndsWith: want(0, type::Str), want(1, type::Str); return type::Bool;
      case Function::Contains: want(0, type::Str | type::List); return type::Bool;
      case Function::Split: want(0, type::Str), want(1, type::Str); return type::List;
      case Function::ToInt: want(0, type::Str | type::Number); return type::Int | type::Null;
      case Function::ToReal: want(0, type::Str | type::Number); return type::Real | type::Null;
      case Function::Digits: want(0, type::Str); return type::Bool;
      case Function::Str: return type::Str;
      case Function::Plural: want(0, type::Number), want(1, type::Str), want(2, type::Str); return type::Str;
      case Function::Lookup: {
        const auto text = [&](std::size_t i) -> const std::string* {
          const ExprNode& node = pool_.nodes[arguments[i].node];
          return node.op == Op::Const ? pool_.constants[node.a].text() : nullptr;
        };
        if (!text(0) || !text(1)) throw Failure{"lookup takes the table's and the column's name in double quotes first", name.column};
        const std::size_t keys = arguments.size() - 2;
        if (!names_.has_table(*text(0), *text(1), keys))
          throw Failure{fmt::format("no table {} with a column {} behind {} key{}", *text(0), *text(1), keys, keys == 1 ? "" : "s"),
                        name.column};
        return type::Any;
      }
      case Function::Shape: {
        want(0, type::Str | type::Null);
        const ExprNode& node = pool_.nodes[arguments[1].node];
        const std::string* column = node.op == Op::Const ? pool_.constants[node.a].text() : nullptr;
        const auto found = column ? shape_column(*column) : std::nullopt;
        if (!found) throw Failure{"shape takes a model's name and a column of schemas/models.toml in double quotes", name.column};
        return static_cast<TypeSet>(type::Null | (shape_columns()[*found].flag ? type::Bool : type::Int));
      }
      case Function::Layout:
      case Function::Items:
      case Function::StepSizes: want(0, type::Str); return type::List | type::Null;
      case Function::StepStarts: want(0, type::Str), want(1, type::Int); return type::List | type::Null;
      case Function::Join: want(0, type::List), want(1, type::Str); return type::Str;
      case Function::Except: want(0, type::List), want(1, type::List); return type::List;
      case Function::Where: want(0, type::List), want(1, type::Str); return type::List;
      case Function::Only: want(0, type::Str), want(1, type::Str); return type::Bool;
    }
    return type::Any;
  }

  std::string_view text_;
  const Names& names_;
  ExprPool& pool_;
  std::size_t begin_;  // where the whole expression's nodes begin
  int depth_;
  std::size_t at_ = 0;
  Token token_;
  std::vector<Slot> slots_;
  int inside_each_ = 0;
};

}  // namespace

std::optional<Compiled> compile(std::string_view text, const Names& names, ExprPool& pool, TypeSet wanted, ExprError& error) {
  try {
    return Compiler(text, names, pool).run(wanted);
  } catch (const Failure& failure) {
    error = {failure.message, failure.column};
    return std::nullopt;
  }
}

}  // namespace shardlint
