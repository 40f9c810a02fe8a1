#include "checker/compose/interpolate.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace shardlint::layering {

namespace {

using State = Resolved::State;

constexpr std::size_t kMaxDepthOfReferences = 64;
constexpr std::size_t kMaxSteps = 50'000;
constexpr std::size_t kMaxText = 64u << 10;

bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_char(char c) { return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}
std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

Resolved known(Value value) {
  Resolved out;
  out.value = std::move(value);
  return out;
}
Resolved state(State state, std::string why) {
  Resolved out;
  out.state = state, out.why = std::move(why);
  return out;
}
void take_sources(Resolved& to, const Resolved& from) {
  for (const Step& step : from.sources)
    if (to.sources.size() < 8) to.sources.push_back(step);
  for (const std::string& path : from.reads)
    if (std::find(to.reads.begin(), to.reads.end(), path) == to.reads.end()) to.reads.push_back(path);
}

// ---- Python's arithmetic

Resolved repeated(const std::string& text, i64 times) {
  if (times <= 0) return known("");
  if (text.size() > kMaxText || static_cast<std::size_t>(times) > kMaxText / std::max<std::size_t>(text.size(), 1))
    return state(State::Open, "the text is too long to be made here");
  std::string out;
  for (i64 i = 0; i < times; ++i) out += text;
  return known(std::move(out));
}

i64 whole(const Value& value) { return value.integer() ? *value.integer() : value.boolean() && *value.boolean() ? 1 : 0; }

Resolved arithmetic(std::string_view name, const Value& a, const Value& b) {
  const bool whole_numbers = a.is_number() && b.is_number() && !a.real() && !b.real();
  const auto refuse = [&] { return state(State::Failed, fmt::format("{} cannot take {} and {}", name, to_string(a), to_string(b))); };
  i64 out = 0;
  if (name == "mul" || name == "multiply") {
    if (a.text() && b.is_number() && !b.real()) return repeated(*a.text(), whole(b));
    if (b.text() && a.is_number() && !a.real()) return repeated(*b.text(), whole(a));
    if (!a.is_number() || !b.is_number()) return refuse();
    if (!whole_numbers) return known(a.number() * b.number());
    if (__builtin_mul_overflow(whole(a), whole(b), &out)) return state(State::Open, "the product is too large");
    return known(out);
  }
  if (name == "add" || name == "sum") {
    if (a.text() && b.text()) return known(*a.text() + *b.text());
    if (!a.is_number() || !b.is_number()) return refuse();
    if (!whole_numbers) return known(a.number() + b.number());
    if (__builtin_add_overflow(whole(a), whole(b), &out)) return state(State::Open, "the sum is too large");
    return known(out);
  }
  if (name == "max") {
    if (a.text() && b.text()) return known(*a.text() < *b.text() ? b : a);
    if (!a.is_number() || !b.is_number()) return refuse();
    return known(a.number() < b.number() ? b : a);
  }
  if (!a.is_number() || !b.is_number()) return refuse();
  if (b.number() == 0) return state(State::Failed, fmt::format("{} divides {} by zero", name, to_string(a)));
  if (name == "div") return known(a.number() / b.number());
  if (whole_numbers && (whole(b) != -1)) {
    const i64 quotient = whole(a) / whole(b), rest = whole(a) % whole(b);
    const bool down = rest != 0 && ((rest < 0) != (whole(b) < 0));
    if (name == "divide_floor") return known(down ? quotient - 1 : quotient);
    return known(rest != 0 && !down ? quotient + 1 : quotient);
  }
  const double ratio = a.number() / b.number(), rounded = name == "divide_ceil" ? std::ceil(ratio) : std::floor(ratio);
  if (!(std::fabs(rounded) < 9e15)) return state(State::Open, "the quotient is too large");
  return known(static_cast<i64>(rounded));
}

}  // namespace

// One string under evaluation: a recursive descent that computes as it reads.
class Expression {
 public:
  Expression(Resolver& resolver, const Cell* at, std::string_view text) : resolver_(resolver), at_(at), text_(text) {
    ++resolver_.nesting_;
  }
  ~Expression() { --resolver_.nesting_; }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  Resolved whole() {
    if (resolver_.nesting_ > 2 * static_cast<int>(kMaxDepthOfReferences)) return fail("text is nested too deeply");
    return concatenation([](char) { return false; }, false);
  }
  Resolved argument() {
    if (resolver_.nesting_ > 2 * static_cast<int>(kMaxDepthOfReferences)) return fail("text is nested too deeply");
    Resolved out = element();
    blanks();
    if (pos_ < text_.size()) return state(State::Failed, fmt::format("'{}' does not end here", text_));
    return out;
  }

 private:
  bool more() const { return pos_ < text_.size(); }
  char now() const { return more() ? text_[pos_] : '\0'; }
  bool at_interpolation() const { return text_.substr(pos_).starts_with("${"); }
  void blanks() {
    while (more() && space(now())) ++pos_;
  }

  // Text and interpolations up to `stop`. One interpolation alone keeps its type; `typed` text alone is a literal.
  template <class Stop>
  Resolved concatenation(Stop stop, bool typed) {
    Resolved joined;
    std::string text;
    std::optional<Resolved> only;
    std::size_t parts = 0;
    bool words = false;
    while (more() && !stop(now())) {
      if (at_interpolation()) {
        Resolved part = interpolation();
        if (part.state == State::Failed && broken_) return part;
        ++parts;
        if (joined.state == State::Known && part.state != State::Known && part.state != State::Container)
          joined.state = part.state, joined.why = part.why;
        take_sources(joined, part);
        if (part.state == State::Known) text += python_text(part.value);
        only = std::move(part);
      } else {
        // \${ is a literal ${; the backslashes before it halve.
        if (now() == '\\') {
          std::size_t end = pos_;
          while (end < text_.size() && text_[end] == '\\') ++end;
          if (text_.substr(end).starts_with("${")) {
            const std::size_t count = end - pos_;
            text.append(count / 2, '\\');
            pos_ = end;
            if (count % 2) text += "${", pos_ += 2;
            words = true;
            continue;
          }
        }
        text += text_[pos_++];
        words = true;
      }
      if (text.size() > kMaxText) return state(State::Open, "the text is too long to be made here");
    }
    if (typed) {
      const std::string_view inner = trim(text);
      if (parts == 0) return known(literal(inner));
      // Blanks around a lone interpolation do not count.
      if (parts == 1 && only->state == State::Known && inner == trim(python_text(only->value))) return std::move(*only);
      text = inner;
    }
    if (parts == 1 && (!words || (typed && only->state == State::Container))) return std::move(*only);
    if (joined.state != State::Known) return joined;
    if (only && only->state == State::Container) return state(State::Open, "it holds a whole table as text");
    joined.value = std::move(text);
    return joined;
  }

  Resolved fail(std::string message) {
    broken_ = true;
    return state(State::Failed, std::move(message));
  }

  Resolved interpolation() {
    if (++depth_ > 32) return fail("interpolations are nested too deeply");
    pos_ += 2;
    blanks();
    // name: or name.part: makes a resolver.
    std::size_t end = pos_;
    while (end < text_.size() && (word_char(text_[end]) || text_[end] == '.')) ++end;
    Resolved out;
    if (end > pos_ && end < text_.size() && text_[end] == ':') {
      const std::string name(text_.substr(pos_, end - pos_));
      pos_ = end + 1;
      out = call(name);
    } else {
      out = node();
    }
    --depth_;
    return out;
  }

  Resolved node() {
    std::size_t dots = 0;
    const std::size_t begin = pos_;
    while (now() == '.') ++dots, ++pos_;
    std::vector<std::string> segments;
    Resolved inner;  // nested interpolations that the key is made of
    while (more() && now() != '}') {
      std::string segment;
      if (now() == '[') {
        const std::size_t close = text_.find(']', pos_);
        if (close == std::string_view::npos) return fail(fmt::format("'{}' has no closing bracket", text_));
        segment = trim(text_.substr(pos_ + 1, close - pos_ - 1));
        pos_ = close + 1;
      } else {
        while (more() && now() != '}' && now() != '.' && now() != '[') {
          if (at_interpolation()) {
            Resolved part = interpolation();
            if (part.state != State::Known) return part;
            take_sources(inner, part);
            segment += python_text(part.value);
          } else {
            if (now() == '{' || now() == '$' || now() == ',') return fail(fmt::format("'{}' is no interpolation", text_));
            segment += text_[pos_++];
          }
        }
      }
      segment = trim(segment);
      if (segment.empty()) return fail(fmt::format("'{}' is no interpolation", text_));
      segments.push_back(std::move(segment));
      if (now() == '.') ++pos_;
    }
    if (!more()) return fail(fmt::format("'{}' is never closed", text_));
    const std::string shown(text_.substr(begin, pos_ - begin));
    ++pos_;
    const Cell* from = resolver_.world_.root;
    if (dots > 0) {
      from = at_;
      for (std::size_t i = 0; i < dots && from; ++i) from = from->up;
      if (!from) return state(State::Failed, fmt::format("'{}' climbs above the root", shown));
    }
    if (segments.empty() && dots == 0) return fail("an empty interpolation");
    Resolved out = resolver_.walk(from, segments, shown);
    take_sources(out, inner);
    return out;
  }

  Resolved call(const std::string& name) {
    std::vector<Resolved> arguments;
    blanks();
    while (more() && now() != '}') {
      arguments.push_back(element());
      if (broken_) return arguments.back();
      blanks();
      if (now() == ',') {
        ++pos_;
        blanks();
        if (now() == '}') arguments.push_back(known(""));
      } else if (now() != '}') {
        return fail(fmt::format("'{}' is no call of a resolver", text_));
      }
    }
    if (!more()) return fail(fmt::format("'{}' is never closed", text_));
    ++pos_;
    Resolved out = apply(name, arguments);
    for (const Resolved& argument : arguments) take_sources(out, argument);
    return out;
  }

  Resolved apply(const std::string& name, const std::vector<Resolved>& arguments) {
    const auto text_of = [&](std::size_t i) { return python_text(arguments[i].value); };
    const bool lazy_default = name == "oc.env" || name == "oc.select";
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].state != State::Known && !(lazy_default && i == 1)) {
        if (arguments[i].state == State::Container) return state(State::Open, fmt::format("the resolver {} takes a whole table", name));
        Resolved out = state(arguments[i].state, arguments[i].why);
        return out;
      }
    if (name == "oc.env") {
      if (arguments.empty() || arguments.size() > 2) return state(State::Failed, "oc.env takes a name and perhaps a default");
      const auto& environment = resolver_.world_.environment;
      if (const auto found = environment.find(text_of(0)); found != environment.end()) return known(found->second);
      if (arguments.size() == 1) return state(State::Open, fmt::format("the environment variable {} decides", text_of(0)));
      if (arguments[1].state != State::Known) return state(arguments[1].state, arguments[1].why);
      return arguments[1].value.is_null() ? known(Null{}) : known(text_of(1));
    }
    if (name == "oc.select") {
      if (arguments.empty() || arguments.size() > 2) return state(State::Failed, "oc.select takes a key and perhaps a default");
      Resolved found = select(text_of(0));
      if (found.state != State::Missing) return found;
      if (!resolver_.world_.partial.empty()) return state(State::Open, resolver_.world_.partial);
      return arguments.size() == 2 ? arguments[1] : known(Null{});
    }
    if (name == "oc.decode") {
      if (arguments.size() != 1) return state(State::Failed, "oc.decode takes one text");
      if (!arguments[0].value.text()) return arguments[0].value.is_null() ? known(Null{}) : state(State::Failed, "oc.decode takes text");
      const std::string inner = *arguments[0].value.text();
      return Expression(resolver_, at_, inner).argument();
    }
    const auto& registered = resolver_.world_.resolvers;
    if (std::find(registered.begin(), registered.end(), name) != registered.end()) {
      if (!computed_resolver(name)) return state(State::Open, fmt::format("the resolver {} decides", name));
      if (arguments.size() != 2) return state(State::Failed, fmt::format("{} takes two values", name));
      return arithmetic(name, arguments[0].value, arguments[1].value);
    }
    if (!resolver_.world_.strict || name.starts_with("oc.") || name == "hydra" || name == "now")
      return state(State::Open, fmt::format("the resolver {} decides", name));
    return state(State::Failed, fmt::format("nobody registers a resolver {}", name));
  }

  Resolved select(const std::string& key) {
    std::vector<std::string> segments;
    std::string segment;
    for (char c : key) {
      if (c == '.' || c == '[') {
        if (!segment.empty()) segments.push_back(std::move(segment));
        segment.clear();
      } else if (c != ']')
        segment += c;
    }
    if (!segment.empty()) segments.push_back(std::move(segment));
    return resolver_.walk(resolver_.world_.root, segments, key);
  }

  // An argument: quoted text, a list, a map, or words.
  Resolved element() {
    blanks();
    if (now() == '"' || now() == '\'') return quoted();
    if (now() == '[' || now() == '{') return bracketed();
    return concatenation([](char c) { return c == ',' || c == '}' || c == ']'; }, true);
  }

  Resolved quoted() {
    const char quote = now();
    std::string inner;
    for (++pos_; more() && now() != quote; ++pos_) {
      if (now() == '\\' && pos_ + 1 < text_.size() && text_[pos_ + 1] == quote) ++pos_;
      inner += now();
    }
    if (!more()) return fail(fmt::format("'{}' has an open quote", text_));
    ++pos_;
    if (inner.find("${") == std::string::npos) return known(std::move(inner));
    return Expression(resolver_, at_, inner).whole();
  }

  Resolved bracketed() {
    const bool list = now() == '[';
    const char close = list ? ']' : '}';
    ++pos_;
    if (++depth_ > 32) return fail("brackets are nested too deeply");
    ValueList items;
    Resolved out;
    blanks();
    while (more() && now() != close) {
      if (!list)  // the key of a map
        while (more() && now() != ':') ++pos_;
      if (!list && more()) ++pos_;
      Resolved item = element();
      if (broken_) return item;
      if (item.state != State::Known && out.state == State::Known) out.state = State::Open, out.why = item.why;
      take_sources(out, item);
      items.push_back(item.value);
      blanks();
      if (now() == ',')
        ++pos_, blanks();
      else if (now() != close)
        return fail(fmt::format("'{}' has an open bracket", text_));
    }
    if (!more()) return fail(fmt::format("'{}' has an open bracket", text_));
    ++pos_, --depth_;
    if (out.state == State::Known) out.value = list ? Value(std::move(items)) : Value(Map{items.size()});
    return out;
  }

  Resolver& resolver_;
  const Cell* at_;
  std::string_view text_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  bool broken_ = false;  // the grammar itself: nothing behind it can be read
};

const Resolved& Resolver::resolve(const Cell& cell) {
  if (const auto found = done_.find(&cell); found != done_.end()) return found->second;
  const auto keep = [&](Resolved result) -> const Resolved& { return done_[&cell] = std::move(result); };
  if (!cell.open.empty()) return keep(state(State::Open, cell.open));
  if (!cell.scalar()) {
    Resolved out;
    out.state = State::Container, out.cell = &cell;
    return keep(std::move(out));
  }
  if (changed_)
    if (const auto found = changed_->find(cell.path()); found != changed_->end()) return keep(known(found->second));
  if (cell.text.empty()) return keep(known(cell.value));
  Resolved failed = state(State::Failed, "");
  if (std::find(busy_.begin(), busy_.end(), &cell) != busy_.end()) {
    std::string circle;
    for (auto at = std::find(busy_.begin(), busy_.end(), &cell); at != busy_.end(); ++at) circle += (*at)->path() + " -> ";
    failed.why = fmt::format("{} rests on itself: {}{}", cell.path(), circle, cell.path());
  } else if (busy_.size() >= kMaxDepthOfReferences) {
    failed.why = "interpolations lead on through more than 64 values";
  } else if (++steps_ > kMaxSteps) {
    return keep(state(State::Open, "there are more interpolations than are resolved here"));
  }
  if (!failed.why.empty()) {
    failures_.push_back({&cell, std::move(failed.why)});
    failed.why.clear();
    return keep(std::move(failed));
  }
  const std::size_t said = failures_.size();
  busy_.push_back(&cell);
  Resolved result = Expression(*this, &cell, cell.text).whole();
  busy_.pop_back();
  if (const auto found = done_.find(&cell); found != done_.end() && found->second.state == State::Failed) return found->second;  // a circle
  if (result.state == State::Missing) {
    const bool known_section = result.cell != nullptr;
    result.cell = nullptr;
    result.state = world_.partial.empty() ? State::Failed : State::Open;
    if (world_.partial.empty())
      failures_.push_back({&cell, result.why, true, known_section});
    else
      result.why = world_.partial;
  } else if (result.state == State::Failed && failures_.size() == said && !result.why.empty()) {
    failures_.push_back({&cell, result.why});
  }
  if (result.state == State::Failed) result.why.clear();  // said once; who rests on it stays silent
  return keep(std::move(result));
}

Resolved Resolver::walk(const Cell* from, std::span<const std::string> segments, const std::string& shown) {
  if (++steps_ > kMaxSteps) return state(State::Open, "there are more interpolations than are resolved here");
  Resolved passed;
  const Cell* cell = from;
  for (const std::string& segment : segments) {
    if (cell->scalar()) {
      const Resolved& inner = resolve(*cell);
      if (inner.state == State::Open || inner.state == State::Failed) return inner;
      take_sources(passed, inner);
      if (inner.state == State::Container) cell = inner.cell;
    }
    const Cell* next = cell->find(segment);
    if (!next) {
      Resolved out = state(State::Missing, fmt::format("'{}' names nothing: there is no {}{}{}", shown, segment,
                                                       cell->up ? " in " : " at the top", cell->path()));
      out.cell = cell->up && !cell->scalar() ? cell : nullptr;  // the section that lacks it
      return out;
    }
    cell = next;
  }
  if (cell->mandatory()) {
    Resolved out = state(State::Missing, fmt::format("'{}' leads to {}, which is ??? and nobody gives it", shown, cell->path()));
    return out;  // whoever starts the run gives it, as a key that is not there
  }
  Resolved out = resolve(*cell);
  Resolved result = out;
  result.sources.clear(), result.reads.clear();
  const std::string path = cell->path();
  const std::string says = out.state == State::Known
                               ? fmt::format("{} is {} here", path, cell->interpolated() ? cell->text : to_string(out.value))
                           : out.state == State::Container ? fmt::format("{} stands here", path)
                                                           : fmt::format("{} is not known", path);
  result.sources.push_back({says, cell->written.place});
  if (!cell->interpolated()) {
    for (const Step& step : cell->chain)
      if (result.sources.size() < 4) result.sources.push_back(step);
    result.reads.push_back(path);
  }
  take_sources(result, out);
  take_sources(result, passed);
  return result;
}

const Cell* Resolver::select(std::string_view path) {
  const Cell* cell = world_.root;
  while (!path.empty() && cell) {
    const std::size_t cut = path.find('.');
    if (cell->scalar()) {
      const Resolved& inner = resolve(*cell);
      cell = inner.state == State::Container ? inner.cell : nullptr;
      if (!cell) break;
    }
    cell = cell->find(path.substr(0, cut));
    path = cut == std::string_view::npos ? std::string_view() : path.substr(cut + 1);
  }
  return cell;
}

Resolved Resolver::text(const std::string& text) { return Expression(*this, world_.root, text).whole(); }

Value literal(std::string_view text) {
  const std::string small = lower(text);
  if (small == "true") return true;
  if (small == "false") return false;
  if (small == "null") return Null{};
  std::string digits;
  std::string_view rest = text;
  const bool minus = rest.starts_with('-');
  if (minus || rest.starts_with('+')) rest.remove_prefix(1);
  const std::string_view body = std::string_view(small).substr(small.size() - rest.size());
  if (body == "inf") return minus ? -HUGE_VAL : HUGE_VAL;
  if (body == "nan") return std::nan("");
  if (body.empty() || (!digit(body[0]) && body[0] != '.')) return text;
  bool real = false, exponent = false;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (digit(c))
      ++seen;
    else if (c == '_' && i > 0 && digit(body[i - 1]) && i + 1 < body.size() && digit(body[i + 1]))
      continue;
    else if (c == '.' && !real && !exponent)
      real = true;
    else if (c == 'e' && seen > 0 && !exponent) {
      exponent = true, seen = 0;
      if (i + 1 < body.size() && (body[i + 1] == '-' || body[i + 1] == '+'))
        digits += c, c == 'e' ? ++i : i, digits += body[i];
      else
        digits += c;
      continue;
    } else
      return text;
    digits += c;
  }
  if (seen == 0) return text;
  const std::size_t point = digits.find_first_of(".e");
  const std::string_view integral = std::string_view(digits).substr(0, point);
  if (integral.size() > 1 && integral[0] == '0') return text;
  std::string plain;  // from_chars knows no plus in an exponent's place but takes one behind the e
  if (minus) plain = "-";
  plain += digits;
  if (!real && !exponent) {
    i64 out = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), out);
    if (error == std::errc()) return out;
  }
  double out = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), out);
  return error == std::errc() && end == plain.data() + plain.size() ? Value(out) : Value(text);
}

std::string python_text(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Null: return "None";
    case Value::Kind::Bool: return *value.boolean() ? "True" : "False";
    case Value::Kind::Real: {
      const double real = *value.real();
      if (std::isnan(real)) return "nan";
      if (std::isinf(real)) return real < 0 ? "-inf" : "inf";
      std::string out = fmt::format("{}", real);
      if (out.find_first_of(".e") == std::string::npos) out += ".0";
      return out;
    }
    case Value::Kind::List: {
      std::string out = "[";
      for (const Value& item : *value.list())
        out += (out.size() > 1 ? ", " : "") + (item.text() ? fmt::format("'{}'", *item.text()) : python_text(item));
      return out + "]";
    }
    default: return to_string(value);
  }
}

bool computed_resolver(std::string_view name) {
  static constexpr std::string_view kNames[] = {"mul", "multiply", "add", "sum", "div", "max", "divide_ceil", "divide_floor"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace shardlint::layering
