// ${...}: defaults, lengths, slices, patterns.

#include <algorithm>

#include "checker/shell/evaluator.h"

namespace shardlint::shell {
namespace {

// Where a text may be empty.
enum class Content { Unset, Empty, Filled, Unknown };

struct Base {
  bool list = false, star = false;
  Elements elements;
  Text text;
  Content content = Content::Filled;
  Outside outside;  // that it is unset or empty holds by default only
  std::string name;
};

// Nothing but what the world outside may give: empty if it gives nothing.
Outside only_outside(const Text& text) {
  Outside out;
  for (const Run& run : text.runs()) {
    if (!run.hole || (run.hole->why != Why::Environment && run.hole->why != Why::Argument) || run.hole->name.empty()) return nullptr;
    out = std::make_shared<const std::string>(run.hole->name);
  }
  return out;
}

void judge(Base& base) {
  if (base.list) {
    base.content = base.elements.empty() ? Content::Unset : Content::Filled;
    if (!base.elements.empty() && std::all_of(base.elements.begin(), base.elements.end(), [](const Element& element) {
          return element.count == Word::Count::Any && only_outside(element.text);
        })) {
      base.content = Content::Unset;
      base.outside = only_outside(base.elements.front().text);
    }
    return;
  }
  if (base.content == Content::Unset) return;
  if (base.text.empty()) {
    base.content = Content::Empty;
  } else if (!base.text.known()) {
    const bool some = std::any_of(base.text.runs().begin(), base.text.runs().end(), [](const Run& run) { return !run.hole; });
    base.outside = only_outside(base.text);
    base.content = base.outside ? Content::Empty : some ? Content::Filled : Content::Unknown;
  } else {
    base.content = Content::Filled;
  }
}

Text changed_case(const Text& text, bool upper, bool all) {
  Text out;
  for (std::size_t i = 0; i < text.runs().size(); ++i) {
    Run run = text.runs()[i];
    if (!run.hole) {
      const std::string before = run.text;
      for (std::size_t c = 0; c < run.text.size() && (all || (i == 0 && c == 0)); ++c) {
        char& letter = run.text[c];
        if (upper && letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
        if (!upper && letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
      }
      if (run.text != before) run.verbatim = false;
    }
    out.append(std::move(run));
  }
  return out;
}

}  // namespace

void Evaluator::plain_parameter(std::string_view name, const Text& written, Quoting quoting, Parts& out) {
  const Place place = written.place();
  if (name == "@" || name == "*") return list_parts(state_.arguments, name == "*", quoting, out);
  if (name == "#") return put(out, argument_count(place), quoting);
  if (name == "0") return put(out, state_.name, quoting);
  if (scan::digit(name.front()))
    return put(out, argument(static_cast<std::size_t>(std::stoul(std::string(name.substr(0, 6)))), place), quoting);
  if (name == "?") {
    if (state_.status.is == Truth::Is::Yes) return put(out, Text::given("0", place).unless(state_.status.outside), quoting);
    return put(out, hole(Why::Substitution, "the exit code of the last command decides", place), quoting);
  }
  if (!scan::name_start(name.front()))
    return put(out, hole(Why::Other, "$" + std::string(name) + " is known only when it runs", place), quoting);
  put(out, value_of(std::string(name), place), quoting);
}

void Evaluator::parameter(const Text& written, Quoting quoting, Parts& out) {
  const std::string& all = written.flat();
  const Place place = written.place();
  const Text inside = written.slice(2, all.ends_with('}') ? all.size() - 1 : all.size());
  const std::string& s = inside.flat();
  const auto unknown = [&] { put(out, hole(Why::Other, written.shown() + " is not followed", place), quoting); };
  if (s.empty()) return unknown();

  std::size_t at = 0;
  const bool length = s[0] == '#' && s.size() > 1 && (scan::name_char(s[1]) || s[1] == '@' || s[1] == '*');
  const bool indirect = s[0] == '!' && s.size() > 1 && scan::name_start(s[1]);
  if (length || indirect) ++at;

  Base base;
  std::size_t end = scan::name_end(s, at);
  if (end == at && at < s.size()) {
    end = at + 1;
    if (scan::digit(s[at]))
      while (end < s.size() && scan::digit(s[end])) ++end;
  }
  base.name = s.substr(at, end - at);
  at = end;
  bool subscript = false, whole = false;
  Text index;
  if (at < s.size() && s[at] == '[' && scan::is_name(base.name)) {
    const std::size_t close = scan::bracket_end(s, at);
    index = inside.slice(at + 1, close - 1);
    whole = index.flat() == "@" || index.flat() == "*";
    base.star = index.flat() == "*";
    subscript = true;
    at = close;
  }

  if (indirect && whole) {  // ${!a[@]}: the keys
    const VariablePtr variable = find(base.name);
    if (!variable || variable->open) return unknown();
    Elements keys;
    for (const auto& [key, element] : variable->items) {
      if (element.count == Word::Count::Any) return unknown();
      keys.push_back({Text::given(std::to_string(key), place), Word::Count::One, false, {}});
    }
    for (const auto& [key, element] : variable->table) keys.push_back({Text::given(key, place), Word::Count::One, false, {}});
    return list_parts(keys, base.star, quoting, out);
  }
  if (indirect) {
    if (at < s.size() && (s[at] == '*' || s[at] == '@')) return unknown();
    const Text name = value_of(base.name, place);
    const auto known = name.str();
    if (!known || !scan::is_name(*known)) {
      if (!known) return put(out, name, quoting);
      return unknown();
    }
    base.name = *known;
  }

  // ---- what it stands for
  if (base.name == "@" || base.name == "*" || whole) {
    base.list = true;
    base.star |= base.name == "*";
    bool is_list = false;
    base.elements = whole ? list_of(base.name, is_list) : state_.arguments;
    if (whole && !is_list) {
      if (from_outside(base.name) && !state_.elsewhere) return;  // no array comes from outside
      if (from_outside(base.name))
        return put(out, hole(Why::Environment, "the environment variable " + base.name + " decides", place, base.name, true), quoting);
      const VariablePtr variable = find(base.name);
      if (variable && variable->open)
        return put(out, hole(variable->open->why, variable->open->because, variable->open->place, "", true), quoting);
    }
  } else if (scan::is_name(base.name)) {
    VariablePtr variable = find(base.name);
    if (subscript) {
      if (!variable && base.name == "BASH_SOURCE") {
        base.text = value_of(base.name, place);
      } else if (!variable) {
        base.content = Content::Unset;
      } else if (variable->open) {
        base.text = Text::unknown(*variable->open);
      } else if (variable->kind == Variable::Kind::Associative) {
        const Text key = value(index, Quoting::Value);
        const auto found = key.str() ? variable->table.find(*key.str()) : variable->table.end();
        if (!key.known())
          base.text = key;
        else if (found == variable->table.end())
          base.content = Content::Unset;
        else
          base.text = found->second;
      } else {
        const Number n = number(index);
        variable = find(base.name);  // the index may have assigned to it
        i64 position = n.value.value_or(0);
        if (!n.value) {
          base.text = Text::unknown(*n.because);
        } else if (variable->kind == Variable::Kind::Scalar) {
          if (position == 0 || position == -1)
            base.text = value_of(base.name, place);
          else
            base.content = Content::Unset;
        } else {
          if (position < 0 && !variable->items.empty()) position += variable->items.rbegin()->first + 1;
          const Element* vague = nullptr;
          for (const auto& [key, element] : variable->items)
            if (element.count != Word::Count::One && (key <= position || *n.value < 0)) vague = &element;
          const auto found = variable->items.find(position);
          if (vague)
            base.text = vague->text.hole() ? Text::unknown([&] {
              Hole h = *vague->text.hole();
              h.many = false;
              return h;
            }())
                                           : vague->text;
          else if (found == variable->items.end())
            base.content = Content::Unset;
          else
            base.text = found->second.text.unless(n.outside);
        }
      }
    } else if (from_outside(base.name)) {
      base.content = Content::Unset;
      base.text = value_of(base.name, place);
      base.outside = std::make_shared<const std::string>(base.name);
      if (base.text.known()) base.content = Content::Filled, base.outside = nullptr;  // PWD and the like
    } else if (variable && !variable->set) {
      base.content = Content::Unset;
    } else {
      base.text = value_of(base.name, place);
    }
  } else if (scan::digit(base.name.front()) && base.name != "0") {
    base.text = argument(static_cast<std::size_t>(std::stoul(base.name.substr(0, 6))), place);
    if (base.text.empty() && static_cast<std::size_t>(std::stoul(base.name.substr(0, 6))) > state_.arguments.size())
      base.content = Content::Unset;
    if ((base.outside = only_outside(base.text)); base.outside) base.content = Content::Unset;
  } else {
    Parts special;
    plain_parameter(base.name, written, Quoting::Double, special);
    base.text = joined(special);
  }
  judge(base);

  const auto put_base = [&] {
    if (base.list)
      list_parts(base.elements, base.star, quoting, out);
    else
      put(out, base.text, quoting);
  };

  if (length) {
    if (base.list) {
      if (whole && std::any_of(base.elements.begin(), base.elements.end(), [](const Element& e) { return e.count != Word::Count::One; }))
        return unknown();
      if (!whole) return put(out, argument_count(place), quoting);
      return put(out, Text::given(std::to_string(base.elements.size()), place), quoting);
    }
    if (base.content == Content::Unset && base.outside) return put(out, Text::given("0", place).unless(base.outside), quoting);
    if (!base.text.known()) return put(out, base.text, quoting);
    return put(out, Text::given(std::to_string(base.text.size()), place).unless(base.text.by_default()), quoting);
  }
  if (at >= s.size()) return put_base();

  // ---- what is done with it
  const bool colon = s[at] == ':' && at + 1 < s.size() && std::string_view("-=+?").find(s[at + 1]) != std::string_view::npos;
  const char op = s[colon ? at + 1 : at];
  const std::size_t rest_at = at + (colon ? 2 : 1);
  const Text rest = inside.slice(rest_at, s.size());
  if (op == '-' || op == '=' || op == '+' || op == '?') {
    const bool missing = base.content == Content::Unset || (colon && base.content == Content::Empty);
    // `x=$FOO; ${x-d}`: x is set, whatever FOO is.
    Outside outside = missing ? base.outside : nullptr;
    if (missing && !outside) outside = base.text.by_default();
    if (op == '?') return put_base();
    if (op == '+') {
      if (missing) return put(out, Text(), quoting);
      if (base.content == Content::Unknown)
        return put(out, hole(Why::Other, "whether " + base.name + " is set decides", place, "", true), quoting);
      Parts instead = parts(rest, quoting);
      for (Part& part : instead) {
        part.text = part.text.unless(base.text.by_default());
        if (!part.quoted && quoting == Quoting::Bare) part.split = true;
      }
      std::move(instead.begin(), instead.end(), std::back_inserter(out));
      return;
    }
    if (!missing) return put_base();
    Parts instead = parts(rest, quoting);
    if (instead.empty()) put(instead, Text(), quoting);
    if (outside) {
      for (Part& part : instead) {
        if (!part.text.empty() && part.text.known())
          part.text = part.text.via(
              {part.text.shown() + " by default, if " +
                   (scan::digit(outside->front()) ? "argument " + *outside + " is not given" : *outside + " is not set outside"),
               rest.place()});
        part.text = part.text.unless(outside);
      }
    }
    for (Part& part : instead)
      if (!part.quoted && quoting == Quoting::Bare) part.split = true;
    if (op == '=' && scan::is_name(base.name)) assign_text(base.name, joined(instead));
    std::move(instead.begin(), instead.end(), std::back_inserter(out));
    return;
  }

  if (op == ':') {  // a slice
    std::vector<scan::Span> both_parts = scan::split(s, rest_at, s.size(), ':');
    const Number from = number(inside.slice(both_parts[0].begin, both_parts[0].end));
    Number count;
    if (both_parts.size() > 1) count = number(inside.slice(both_parts[1].begin, both_parts[1].end));
    if (!from.value || (both_parts.size() > 1 && !count.value))
      return put(out, Text::unknown(from.value ? *count.because : *from.because), quoting);
    Elements positions = base.elements;
    if (base.list && !whole) positions.insert(positions.begin(), Element{state_.name, Word::Count::One, false, {}});
    const auto size = static_cast<i64>(base.list ? positions.size() : base.text.size());
    i64 begin = *from.value < 0 ? size + *from.value : *from.value, end_at = size;
    begin = std::clamp<i64>(begin, 0, size);
    if (count.value) end_at = *count.value < 0 ? size + *count.value : std::min(size, begin + std::min(*count.value, size));
    end_at = std::max(end_at, begin);
    if (!base.list) {
      if (!base.text.known()) return put(out, base.text, quoting);
      return put(out, base.text.slice(static_cast<std::size_t>(begin), static_cast<std::size_t>(end_at)), quoting);
    }
    const auto vague = std::find_if(positions.begin(), positions.end(), [](const Element& e) { return e.count != Word::Count::One; });
    if (vague != positions.end()) {  // from a vague element on, positions mean nothing
      const auto known = static_cast<i64>(vague - positions.begin());
      if (count.value || *from.value < 0) return put(out, vague->text, quoting);
      begin = std::min(begin, known), end_at = size;
    }
    return list_parts(Elements(positions.begin() + begin, positions.begin() + end_at), base.star, quoting, out);
  }

  std::function<Text(const Text&)> change;
  if (op == '^' || op == ',') {
    const bool twice = at + 1 < s.size() && s[at + 1] == op;
    if (at + (twice ? 2U : 1U) < s.size()) return unknown();
    change = [&, twice](const Text& text) { return changed_case(text, op == '^', twice); };
  } else if (op == '#' || op == '%') {
    const bool longest = at + 1 < s.size() && s[at + 1] == op;
    const Parts written_pattern = parts(inside.slice(at + (longest ? 2 : 1), s.size()), Quoting::Bare);
    auto pattern = std::make_shared<std::vector<Glob>>();
    if (!glob(written_pattern, *pattern)) return unknown();
    change = [this, op, longest, pattern, place](const Text& text) -> Text {
      const std::string& t = text.flat();
      if (!text.known()) return Text::unknown(*text.hole());
      for (std::size_t n = 0; n <= t.size(); ++n) {
        const std::size_t cut = longest ? t.size() - n : n;
        const std::string_view part = op == '#' ? std::string_view(t).substr(0, cut) : std::string_view(t).substr(t.size() - cut);
        if (!spend(1, part.size())) return hole(Why::Other, "too long to be matched", place);
        if (fits(part, *pattern)) return op == '#' ? text.slice(cut, t.size()) : text.slice(0, t.size() - cut);
      }
      return text;
    };
  } else if (op == '/') {
    std::size_t pattern_at = at + 1;
    const char mode =
        pattern_at < s.size() && (s[pattern_at] == '/' || s[pattern_at] == '#' || s[pattern_at] == '%') ? s[pattern_at++] : ' ';
    std::size_t slash = pattern_at;
    while (slash < s.size() && s[slash] != '/') slash = scan::construct_end(s, slash);
    auto pattern = std::make_shared<std::vector<Glob>>();
    if (!glob(parts(inside.slice(pattern_at, slash), Quoting::Bare), *pattern)) return unknown();
    const Text with = slash < s.size() ? value(inside.slice(slash + 1, s.size()), Quoting::Value) : Text();
    change = [this, mode, pattern, with, place](const Text& text) -> Text {
      const std::string& t = text.flat();
      if (!text.known()) return Text::unknown(*text.hole());
      if (pattern->empty()) {
        if (mode != '#' && mode != '%') return text;
        Text longer = mode == '#' ? with : text;
        longer.append(mode == '#' ? text : with);
        return longer;
      }
      Text made;
      std::size_t from = 0, i = 0;
      while (i < t.size()) {
        std::size_t length_found = 0;
        for (std::size_t n = t.size() - i; n > 0 && length_found == 0; --n) {
          if (!spend(1, n)) return hole(Why::Other, "too long to be matched", place);
          if (mode == '%' && i + n != t.size()) continue;
          if (fits(std::string_view(t).substr(i, n), *pattern)) length_found = n;
        }
        if (length_found > 0) {
          made.append(text.slice(from, i));
          made.append(with);
          i += length_found;
          from = i;
          if (mode != '/') break;
        } else {
          if (mode == '#') break;
          ++i;
        }
      }
      made.append(text.slice(from, t.size()));
      return made;
    };
  } else {
    return unknown();
  }
  if (base.list) {
    for (Element& element : base.elements) element.text = change(element.text);
  } else {
    base.text = change(base.text);
  }
  put_base();
}

}  // namespace shardlint::shell
