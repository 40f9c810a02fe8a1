// What a script's names hold, and what becomes of them where two ways through the script meet.

#include <algorithm>

#include "checker/shell/evaluator.h"

namespace shardlint::shell {
namespace {

constexpr std::size_t kMostChoices = 8;
constexpr std::size_t kLongestSaid = 40;

bool worth_saying(const Text& text) {
  return !text.empty() && text.size() <= kLongestSaid && text.flat().find_first_of(" \t\n") == std::string::npos;
}

// From both texts the beginning they share, up to a blank; what follows is one of several or nothing.
Text either_text(const Text& a, const Text& b, const Hole& why) {
  const std::string &x = a.flat(), &y = b.flat();
  std::size_t same = 0;
  while (same < x.size() && same < y.size() && x[same] == y[same] && a.is_hole(same) == b.is_hole(same)) ++same;
  std::size_t cut = same;
  const auto ends_word = [&](std::size_t at) { return (at == x.size() || scan::space(x[at])) && (at == y.size() || scan::space(y[at])); };
  while (cut > 0 && !ends_word(cut)) --cut;
  Hole hole = why;
  hole.many = cut > 0 || x.find(' ') != std::string::npos || y.find(' ') != std::string::npos;
  const auto choose = [&](const Text& text) {
    std::vector<std::string> out;
    if (text.known())
      out = {text.flat()};
    else if (text.runs().size() == 1)
      out = text.runs().front().hole->choices;
    return out;
  };
  if (cut == 0) {
    const std::vector<std::string> first = choose(a), second = choose(b);
    if (!first.empty() && !second.empty()) {
      hole.choices = first;
      for (const std::string& text : second)
        if (std::find(hole.choices.begin(), hole.choices.end(), text) == hole.choices.end()) hole.choices.push_back(text);
      if (hole.choices.size() > kMostChoices) hole.choices.clear();
    }
  }
  Text out = a.slice(0, cut);
  // A blank in front, so that what may follow does not stick to the last word.
  if (cut > 0 && cut < std::max(x.size(), y.size())) out.append(Text::given(" ", {}));
  out.append(Text::unknown(std::move(hole)));
  return out;
}

bool same(const Element& a, const Element& b) { return a.count == b.count && a.text == b.text; }

bool same(const Variable& a, const Variable& b) {
  if (a.kind != b.kind || a.set != b.set || a.exported != b.exported || a.open != b.open || !(a.text == b.text) || a.table != b.table)
    return false;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); });
}

}  // namespace

VariablePtr Evaluator::find(const std::string& name) const {
  const auto found = state_.variables.find(name);
  return found == state_.variables.end() ? nullptr : found->second;
}

Variable& Evaluator::change(const std::string& name) {
  VariablePtr& slot = state_.variables[name];
  if (slot) spend((slot->items.size() + slot->table.size()) / 8, 0);  // an endless loop that appends would copy without end
  auto copy = slot ? std::make_shared<Variable>(*slot) : std::make_shared<Variable>();
  if (!slot) copy->set = false, copy->exported = state_.all_exported || state_.exports.count(name) > 0;
  if (copy->exported) exported_ = nullptr;
  Variable& out = *copy;
  slot = std::move(copy);
  return out;
}

Text Evaluator::marked(Text text) const {
  for (std::size_t i = 0; i < defaults_.size() && i < default_outsides_.size(); ++i) {
    if (!default_outsides_[i] || text.by_default()) continue;
    text = text.via({defaults_[i].says, defaults_[i].place}).unless(default_outsides_[i]);
  }
  return text;
}

void Evaluator::assign_text(const std::string& name, Text text, bool append) {
  if (!spend(1, weight(text))) text = hole(Why::Other, "the script makes more text than is read", text.place());
  const VariablePtr before = find(name);
  if (append && !before) {
    Text whole = value_of(name, text.place());
    whole.append(text);
    text = std::move(whole);
  }
  const bool list = before && before->kind == Variable::Kind::Indexed && !before->open;
  if (!list && before && before->integer && text.known()) {
    const Text written = text;
    if (append) {
      Text sum = before->text;
      sum.append(Text::given("+(", {}));
      sum.append(text);
      sum.append(Text::given(")", {}));
      text = std::move(sum);
      append = false;
    }
    const Number n = number(text, true);  // may assign to this very variable
    text = n.value && std::to_string(*n.value) == text.flat() ? text : number_text(n, written);
  }
  Variable& variable = change(name);
  if (list) {
    Element& element = variable.items[0];
    Text whole = append ? element.text : Text();
    whole.append(marked(std::move(text)));
    element = {std::move(whole), Word::Count::One, false, {}};
    variable.set = true;
    return;
  }
  variable.kind = Variable::Kind::Scalar;
  variable.open = nullptr;
  variable.set = true;
  if (append && before) {
    Text whole = variable.text;
    whole.append(marked(std::move(text)));
    if (whole.size() > input_.limits.text || !spend(0, weight(whole)))
      whole = hole(Why::Other, name + " grows beyond what is read", whole.place());
    variable.text = std::move(whole);
  } else {
    variable.text = marked(std::move(text));
  }
}

void Evaluator::assign_list(const std::string& name, const Elements& elements, bool append) {
  Variable& variable = change(name);
  if (!append || variable.kind != Variable::Kind::Indexed) {
    variable.items.clear();
    if (append && variable.set && variable.kind == Variable::Kind::Scalar) variable.items[0] = {variable.text, Word::Count::One, false, {}};
    if (!append) variable.open = nullptr;
    variable.kind = Variable::Kind::Indexed;
    variable.text = {};
  }
  variable.set = true;
  i64 at = variable.items.empty() ? 0 : variable.items.rbegin()->first + 1;
  for (const Element& element : elements) {
    Element own = element;
    own.text = marked(std::move(own.text));
    variable.items[at++] = std::move(own);
    if (!spend(1, element.text.size())) break;
  }
}

void Evaluator::assign_at(const std::string& name, const Text& index, Text text, bool append) {
  const VariablePtr before = find(name);
  if (before && before->kind == Variable::Kind::Associative) {
    const Text key = value(index, Quoting::Value);
    Variable& variable = change(name);
    variable.set = true;
    if (const auto known = key.str()) {
      Text whole = append ? variable.table[*known] : Text();
      whole.append(marked(std::move(text)));
      variable.table[*known] = std::move(whole);
    } else {
      variable.open = std::make_shared<const Hole>(*key.hole());
    }
    return;
  }
  const Number n = number(index);
  Variable& variable = change(name);
  if (variable.kind == Variable::Kind::Scalar) {
    if (variable.set) variable.items[0] = {variable.text, Word::Count::One, false, {}};
    variable.kind = Variable::Kind::Indexed;
    variable.text = {};
  }
  variable.set = true;
  i64 at = n.value.value_or(0);
  if (n.value && at < 0) at = variable.items.empty() ? -1 : variable.items.rbegin()->first + 1 + at;
  if (!n.value || at < 0) {
    Hole why;
    if (n.because) why = *n.because;
    variable.open = std::make_shared<const Hole>(std::move(why));
    return;
  }
  Text whole = append ? variable.items[at].text : Text();
  whole.append(marked(std::move(text)));
  variable.items[at] = {std::move(whole), Word::Count::One, false, {}};
}

void Evaluator::assign(const Code& code, const scan::Assignment& assignment, bool associative) {
  const std::string name(code.bytes().substr(assignment.name.begin, assignment.name.end - assignment.name.begin));
  const std::string_view bytes = code.bytes();
  const bool list = !assignment.value.empty() && bytes[assignment.value.begin] == '(' && !assignment.indexed;
  if (!list) {
    Text text = value(code.at(assignment.value), Quoting::Value);
    if (assignment.indexed) return assign_at(name, code.at(assignment.index), std::move(text), assignment.append);
    return assign_text(name, std::move(text), assignment.append);
  }
  const std::size_t close = bytes[assignment.value.end - 1] == ')' ? assignment.value.end - 1 : assignment.value.end;
  const VariablePtr before = find(name);
  associative |= before && before->kind == Variable::Kind::Associative;
  struct Entry {
    bool keyed = false;
    Text key, text;
    Elements elements;
  };
  std::vector<Entry> entries;  // all are expanded before the array changes: A=("${A[@]}" more)
  for (const scan::Span span : scan::words(bytes, assignment.value.begin + 1, close, true)) {
    Entry entry;
    const std::size_t key_end = bytes[span.begin] == '[' ? scan::bracket_end(bytes.substr(0, span.end), span.begin) : span.end;
    if (key_end < span.end && bytes[key_end] == '=') {
      entry.keyed = true;
      entry.key = code.at({span.begin + 1, key_end - 1});
      entry.text = value(code.at({key_end + 1, span.end}), Quoting::Value);
    } else {
      for (Word& word : words(code, {span})) {
        if (word.count == Word::Count::Some) word.count = Word::Count::Any;
        entry.elements.push_back({std::move(word.text), word.count, word.pattern, word.token});
      }
    }
    entries.push_back(std::move(entry));
  }
  if (!assignment.append) {
    Variable& variable = change(name);
    variable.items.clear(), variable.table.clear(), variable.open = nullptr, variable.text = {};
    variable.kind = associative ? Variable::Kind::Associative : Variable::Kind::Indexed;
    variable.set = true;
  }
  for (Entry& entry : entries) {
    if (entry.keyed)
      assign_at(name, entry.key, std::move(entry.text), false);
    else if (!associative)
      assign_list(name, entry.elements, true);
  }
  if (assignment.append && entries.empty()) assign_list(name, {}, true);
}

bool Evaluator::from_outside(const std::string& name) const { return find(name) == nullptr; }

Text Evaluator::value_of(const std::string& name, Place use) {
  const VariablePtr variable = find(name);
  if (!variable) {
    if (name == "PWD" || name == "OLDPWD") {
      if (name == "OLDPWD") return hole(Why::Other, "the folder before decides", use);
      return state_.folder.empty() ? Text::given(".", use) : state_.folder;
    }
    if (name == "BASH_SOURCE" && !codes_.empty()) return state_.name.known() ? Text::given(codes_.front()->path, use) : state_.name;
    static constexpr std::string_view kRuntime[] = {"RANDOM",     "SECONDS", "LINENO", "PPID",         "BASHPID",      "FUNCNAME",
                                                    "HOSTNAME",   "UID",     "EUID",   "BASH_VERSION", "EPOCHSECONDS", "BASH_REMATCH",
                                                    "PIPESTATUS", "OPTIND",  "OPTARG", "REPLY"};
    if (std::find(std::begin(kRuntime), std::end(kRuntime), name) != std::end(kRuntime))
      return hole(Why::Other, "$" + name + " is known only when it runs", use);
    return hole(Why::Environment, "the environment variable " + name + " decides", use, name);
  }
  if (variable->open) return Text::unknown(*variable->open);
  Text text = variable->text;
  if (variable->kind == Variable::Kind::Indexed) {
    if (variable->items.empty()) return {};
    const Element& first = variable->items.begin()->second;
    if (first.count != Word::Count::One) {
      Hole why = first.text.hole() ? *first.text.hole() : Hole{};
      why.many = false;
      return Text::unknown(std::move(why));
    }
    const auto zero = variable->items.find(0);
    text = zero == variable->items.end() ? Text() : zero->second.text;
  } else if (variable->kind == Variable::Kind::Associative) {
    const auto zero = variable->table.find("0");
    text = zero == variable->table.end() ? Text() : zero->second;
  }
  if (!text.known() || !worth_saying(text)) return text;
  const Place place = text.place();
  if (!place) return text;
  return text.via({name + " is " + text.flat() + " here", place});
}

Elements Evaluator::list_of(const std::string& name, bool& is_list) const {
  Elements out;
  const VariablePtr variable = find(name);
  is_list = variable && !variable->open;
  if (!is_list || !variable->set) return out;
  switch (variable->kind) {
    case Variable::Kind::Scalar: out.push_back({variable->text, Word::Count::One, false, {}}); break;
    case Variable::Kind::Indexed:
      for (const auto& [key, element] : variable->items) out.push_back(element);
      break;
    case Variable::Kind::Associative:
      for (const auto& [key, text] : variable->table) out.push_back({text, Word::Count::One, false, {}});
      break;
  }
  return out;
}

Text Evaluator::argument(std::size_t index, Place use) const {
  for (std::size_t i = 0; i < state_.arguments.size() && i < index; ++i) {
    const Element& element = state_.arguments[i];
    if (element.count == Word::Count::One) {
      if (i + 1 == index) return element.text;
      continue;
    }
    const Hole* unknown = element.text.hole();
    if (unknown && unknown->why == Why::Argument)
      return hole(Why::Argument, "argument " + std::to_string(index - i) + " decides", use, std::to_string(index));
    Hole why = unknown ? *unknown : Hole{};
    why.many = false;
    return Text::unknown(std::move(why));
  }
  return {};
}

Text Evaluator::argument_count(Place use) const {
  std::size_t known = 0;
  Outside outside;
  for (const Element& element : state_.arguments) {
    if (element.count == Word::Count::One) {
      ++known;
      continue;
    }
    const Hole* unknown = element.text.hole();
    if (!unknown || unknown->why != Why::Argument) return unknown ? Text::unknown(*unknown) : Text();
    outside = std::make_shared<const std::string>("@");
  }
  return Text::given(std::to_string(known), use).unless(outside);
}

void Evaluator::join(State& into, const State& other, const Hole& why) {
  const auto outside = [&](const std::string& name) {
    Variable variable;
    variable.text = hole(Why::Environment, "the environment variable " + name + " decides", why.place, name);
    return std::make_shared<const Variable>(std::move(variable));
  };
  const auto merge = [&](const std::string& name, VariablePtr a, VariablePtr b) -> VariablePtr {
    if (a == b || (a && b && same(*a, *b))) return a;
    if (!a) a = outside(name);
    if (!b) b = outside(name);
    auto out = std::make_shared<Variable>();
    out->exported = a->exported || b->exported;
    out->set = a->set || b->set;
    if (!a->set) {
      // Set on one way only: as if it were empty on the other.
      Variable empty = *a;
      empty.kind = b->kind, empty.set = true;
      a = std::make_shared<const Variable>(std::move(empty));
    } else if (!b->set) {
      Variable empty = *b;
      empty.kind = a->kind, empty.set = true;
      b = std::make_shared<const Variable>(std::move(empty));
    }
    if (a->kind == Variable::Kind::Associative || b->kind == Variable::Kind::Associative || a->open || b->open) {
      out->kind = Variable::Kind::Indexed;
      if (a->kind == Variable::Kind::Associative && b->kind == a->kind && !a->open && !b->open) {
        out->kind = a->kind;
        for (const auto& [key, text] : a->table) {
          const auto found = b->table.find(key);
          out->table[key] = found == b->table.end() ? either_text(text, Text(), why)
                            : found->second == text ? text
                                                    : either_text(text, found->second, why);
        }
        for (const auto& [key, text] : b->table)
          if (out->table.count(key) == 0) out->table[key] = either_text(Text(), text, why);
        return out;
      }
      out->open = std::make_shared<const Hole>(why);
      return out;
    }
    if (a->kind == Variable::Kind::Scalar && b->kind == Variable::Kind::Scalar) {
      out->text = a->text == b->text ? a->text : either_text(a->text, b->text, why);
      return out;
    }
    const auto items = [](const Variable& variable) {
      std::map<i64, Element> list = variable.items;
      if (variable.kind == Variable::Kind::Scalar && !variable.text.empty()) list[0] = {variable.text, Word::Count::One, false, {}};
      return list;
    };
    const std::map<i64, Element> x = items(*a), y = items(*b);
    out->kind = Variable::Kind::Indexed;
    auto i = x.begin(), j = y.begin();
    i64 next = 0;
    for (; i != x.end() && j != y.end() && i->first == j->first && same(i->second, j->second); ++i, ++j) {
      out->items.insert(*i);
      next = i->first + 1;
    }
    // Elements that the same number of places hold on both ways differ one by one; else the rest is open.
    if (i != x.end() && j != y.end() && std::distance(i, x.end()) == std::distance(j, y.end())) {
      for (; i != x.end(); ++i, ++j) {
        Element element = i->second;
        if (!same(i->second, j->second)) {
          element.text = either_text(i->second.text, j->second.text, why);
          element.count = std::max(i->second.count, j->second.count);
          if (element.count == Word::Count::One && element.text.hole() && element.text.hole()->many) {
            Hole single = *element.text.hole();
            single.many = false;
            element.text = Text::unknown(std::move(single));
          }
        }
        out->items[i->first] = std::move(element);
      }
      return out;
    }
    const Hole* open = out->items.empty() ? nullptr : out->items.rbegin()->second.text.hole();
    const bool said = open && out->items.rbegin()->second.count == Word::Count::Any && open->because == why.because;
    if ((i != x.end() || j != y.end()) && !said) {
      Hole rest = why;
      rest.many = true;
      const auto say = [&](auto from, auto to) {
        std::string words;
        for (; from != to && words.size() < 120; ++from) words += (words.empty() ? "" : " ") + from->second.text.shown();
        return words;
      };
      rest.choices = {say(i, x.end()), say(j, y.end())};
      out->items[next] = {Text::unknown(std::move(rest)), Word::Count::Any, false, {}};
    }
    return out;
  };
  std::map<std::string, VariablePtr> all;
  auto a = into.variables.begin();
  auto b = other.variables.begin();
  while (a != into.variables.end() || b != other.variables.end()) {
    if (b == other.variables.end() || (a != into.variables.end() && a->first < b->first)) {
      all.emplace_hint(all.end(), a->first, merge(a->first, a->second, nullptr));
      ++a;
    } else if (a == into.variables.end() || b->first < a->first) {
      all.emplace_hint(all.end(), b->first, merge(b->first, nullptr, b->second));
      ++b;
    } else {
      all.emplace_hint(all.end(), a->first, merge(a->first, a->second, b->second));
      ++a, ++b;
    }
  }
  into.variables = std::move(all);
  for (const auto& [name, called] : other.functions) into.functions.emplace(name, called);
  const bool same_arguments = std::equal(into.arguments.begin(), into.arguments.end(), other.arguments.begin(), other.arguments.end(),
                                         [](const Element& x, const Element& y) { return same(x, y); });
  if (!same_arguments) {
    Hole rest = why;
    rest.many = true;
    into.arguments = {{Text::unknown(std::move(rest)), Word::Count::Any, false, {}}};
  }
  if (!(into.folder == other.folder)) into.folder = Text::unknown(why);
  if (into.written != other.written) {
    Written merged = into.written ? *into.written : Written{};
    const Written theirs = other.written ? *other.written : Written{};
    for (auto& [path, text] : merged) {
      const auto found = theirs.find(path);
      if (found == theirs.end() || !(found->second == text)) text = Text::unknown(why);
    }
    for (const auto& [path, text] : theirs)
      if (merged.count(path) == 0) merged.emplace(path, Text::unknown(why));
    into.written = std::make_shared<const Written>(std::move(merged));
  }
  into.elsewhere |= other.elsewhere;
  into.status = Truth::maybe(std::make_shared<const Hole>(why));
  exported_ = nullptr;
}

}  // namespace shardlint::shell
