#include "checker/plan/bind.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "checker/diag/hygiene.h"
#include "checker/plan/rule.h"
#include "checker/plan/unions.h"

namespace shardlint {

namespace {

using namespace hygiene;

std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}
// "stages[0]" -> "stages[*]"
std::string with_stars(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    out += path[i];
    const std::size_t close = path[i] == '[' ? path.find(']', i) : std::string_view::npos;
    if (close == std::string_view::npos) continue;
    out += '*';
    i = close - 1;
  }
  return out;
}
// "pipe-parallel-size" -> "pipe_parallel_size" where the framework takes both; what stands below is left alone.
std::string without_dashes(std::string_view path) {
  std::string out(path);
  std::replace(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(std::min(out.find_first_of(".["), out.size())), '-', '_');
  return out;
}
std::string without_dashes(const Schema& schema, std::string_view path) { return schema.dashes ? without_dashes(path) : std::string(path); }
std::string_view parent_of(std::string_view path) {
  std::size_t cut = path.size();  // by hand: this is asked of every key of a schema, and find_last_of is slow for two letters
  while (cut > 0 && path[cut - 1] != '.' && path[cut - 1] != '[') --cut;
  return path.substr(0, cut > 0 ? cut - 1 : 0);
}

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

// Python's int() and float() on a command-line word.
// Blanks around a number and single underscores between its digits count for nothing.
std::string python_digits(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  text = text.substr(first, text.find_last_not_of(' ') - first + 1);
  const auto digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '_' || i == 0 || !digit(i - 1) || !digit(i + 1)) out += text[i];
  if (out.starts_with('+')) out.erase(0, out.size() > 1 && out[1] != '-' ? 1 : 0);
  return out;
}
Value python_int(std::string_view text) {
  const std::string digits = python_digits(text);
  i64 out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? Value(out) : Value();
}
Value python_float(std::string_view text) {
  const std::string digits = lower(python_digits(text));
  double out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? Value(out) : Value();
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (char c : text) {
    if (c == ' ' || c == '\t' || c == '\n') {
      if (!word.empty()) out.push_back(std::move(word));
      word.clear();
    } else
      word += c;
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

// Numbers hold no blanks: "2 2" is two of them, with or without brackets.
ValueList split(const ValueList& items) {
  ValueList out;
  for (const Value& item : items)
    if (!item.text() || item.text()->find(' ') == std::string::npos)
      out.push_back(item);
    else
      for (std::string& word : words(*item.text())) out.emplace_back(std::move(word));
  return out;
}

// What one word of a command line becomes under a key's types; null if it cannot be converted.
Value convert(const std::string& word, TypeSet types) {
  if (types & type::Int)
    if (Value value = python_int(word); !value.is_null()) return value;
  if (types & type::Real)
    if (Value value = python_float(word); !value.is_null()) return value;
  if (types & type::Bool) {
    if (word == "true" || word == "True" || word == "1") return true;
    if (word == "false" || word == "False" || word == "0") return false;
  }
  if (types & type::Str) return word;
  return Null{};
}

// What pydantic makes of a scalar in its lax mode: what it cannot convert stays as it is. A value that fits one of the types is left alone.
Value pydantic(const Value& value, TypeSet types, std::span<const std::string_view> choices) {
  const std::string* text = value.text();
  const bool taken = (types & type::of(value.kind())) != 0;
  if (types == type::Any) return value;
  if (text) {
    // A free text that looks like a number is one to whoever takes both.
    const bool chosen =
        choices.empty() ? taken && !(types & type::Real) : taken && std::find(choices.begin(), choices.end(), *text) != choices.end();
    if (chosen) return value;
    if (types & type::Int)
      if (Value whole = python_int(*text); !whole.is_null()) return whole;
    if (const Value real = types & type::Number & ~type::Bool ? python_float(*text) : Value(); real.real()) {
      if (types & type::Real) return real;
      if (std::floor(*real.real()) == *real.real() && std::fabs(*real.real()) < 1e15 && text->find_first_of("eE") == std::string::npos)
        return static_cast<i64>(*real.real());
    }
    if (types & type::Bool) {
      std::string small = *text;
      for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
      for (std::string_view yes : {"1", "on", "t", "true", "y", "yes"})
        if (small == yes) return true;
      for (std::string_view no : {"0", "off", "f", "false", "n", "no"})
        if (small == no) return false;
    }
    return value;
  }
  if (taken) return value;
  if (value.boolean() && (types & type::Int)) return static_cast<i64>(*value.boolean());
  if (const double* real = value.real(); real && std::floor(*real) == *real && std::fabs(*real) < 1e15) {
    if (types & type::Int) return static_cast<i64>(*real);
    if ((types & type::Bool) && (*real == 0 || *real == 1)) return *real == 1;
  }
  if (const i64* whole = value.integer(); whole && !value.boolean() && (types & type::Bool) && (*whole == 0 || *whole == 1))
    return *whole == 1;
  return value;
}
Value pydantic(const Value& value, const KeySpec& spec) {
  if (value.boolean() && spec.strict && !(spec.types & type::Bool)) return value;  // a strict number is no switch
  const ValueList* list = value.list();
  if (!list || spec.item_types == type::Any) return pydantic(value, spec.types, spec.choices);
  ValueList out;
  for (const Value& item : *list) out.push_back(pydantic(item, spec.item_types, {}));
  return out;
}

// What a program takes for a boolean or a list though it is none.
Value as_used(const Value& value, const KeySpec& spec) {
  if (spec.types & type::of(value.kind())) return value;
  if (const i64* whole = value.integer(); whole && (spec.types & type::Bool) && (*whole == 0 || *whole == 1)) return *whole == 1;
  const bool item = !value.is_null() && !value.list() && !value.map() && (spec.item_types & type::of(value.kind()));
  return item && (spec.types & type::List) ? Value(ValueList{value}) : value;
}

class Binder {
 public:
  explicit Binder(const Job& job) : job_(job), schema_(*job.schema), form_(*job.form) {}

  Bound run() {
    out_.environment_known = false;
    out_.partial = !job_.partial.empty() || !whole();
    forms();
    twice();
    switches();
    for (std::uint32_t i = 0; i < job_.facts.size(); ++i) take(i);
    move_together();
    required();
    complete();
    misfits();
    report_missing();
    return std::move(out_);
  }

 private:
  // The path below the form's root; nothing if the fact stands outside.
  std::optional<std::string_view> below(std::string_view path, std::string_view root) const {
    if (root.empty()) return path;
    if (path.size() <= root.size() + 1 || !path.starts_with(root) || path[root.size()] != '.') return std::nullopt;
    return path.substr(root.size() + 1);
  }

  // The path as keys.tsv has it: what stands in one of the form's sections counts as if it stood at the root. A section itself is no key.
  std::optional<std::string_view> known_path(std::string_view path) const {
    if (!form_.under.empty()) return *under_.insert(fmt::format("{}.{}", form_.under, path)).first;
    if (form_.sections.empty()) return path;
    if (const PlaceSpec* place = schema_.find_place(path)) return schema_.keys[place->key].path;
    for (std::string_view section : form_.sections) {
      if (path == section) return std::nullopt;
      if (const auto inner = below(path, section); inner && !schema_.find_key(path) && schema_.find_key(*inner)) return inner;
    }
    return path;
  }
  // The path of a fact as keys.tsv has it; nothing if it stands outside.
  std::optional<std::string_view> own_path(const Fact& fact) const {
    const auto path = fact.way == Way::Override ? std::optional<std::string_view>(fact.path) : below(fact.path, form_.root);
    return path ? known_path(*path) : path;
  }
  const KeySpec* known_key(std::string_view path) const {
    const auto known = form_.under.empty() ? known_path(path) : path;
    return known ? schema_.find_key(*known) : nullptr;
  }

  void take(std::uint32_t index) {
    const Fact& fact = job_.facts[index];
    if (fact.way == Way::Setting || fact.attached) return setting(index);
    if (fact.of_code()) return code(index);
    if (fact.way != Way::Override) {
      if (!form_.env.empty()) {
        if (fact.path == form_.env) out_.environment_known = !form_.env_adds;
        if (const auto variable = below(fact.path, form_.env)) return environment(index, *variable);
      }
      const auto path = below(fact.path, form_.root);
      if (!path) return;
      if (form_.flags) return flag(index, *path);
    } else if (fact.path.starts_with("--"))
      return flag(index, fact.path);
    const auto path = own_path(fact);
    if (path && schema_.dashes)
      key(index, without_dashes(schema_, *path));
    else if (path)
      key(index, *path);
  }

  // The same key in two files of one run, or once with dashes and once without.
  void twice() {
    if (!schema_.dashes && schema_.duplicate_across_files == Policy::Ignore) return;
    std::unordered_map<std::string, const Fact*> first;
    for (std::uint32_t i = 0; i < job_.facts.size(); ++i) {
      const Fact& fact = job_.facts[i];
      if (!fact.document || fact.path.find_first_of(".[") != std::string::npos) continue;
      const std::string path = without_dashes(schema_, fact.path);
      const auto [entry, fresh] = first.try_emplace(path, &fact);
      if (fresh) continue;
      const Fact& other = *entry->second;
      const bool across = fact.document != other.document;
      // The later key is looked up as it is written: one with dashes passes, and wins.
      const bool refused = across && schema_.duplicate_across_files == Policy::Error && fact.path == path;
      Violation& violation = report(kDuplicateKey, i, true,
                                    across ? fmt::format("{} stands in two files of this run", fact.spelled)
                                           : fmt::format("{} and {} are the same key", other.spelled, fact.spelled),
                                    refused ? fmt::format("{} refuses to merge them", schema_.title) : "this one wins and nobody is told");
      violation.severity = refused ? Severity::Error : Severity::Warning;
      violation.notes.push_back({fmt::format("{} stands here too", other.spelled), other.key_place});
      violation.proposals.push_back({fmt::format("remove {}", fact.spelled), Safety::Unsafe, {{Change::Kind::Remove, i, kNoSlot, "", {}}}});
    }
  }

  // C++ says what a canonical field is, or that nobody can know it.
  void code(std::uint32_t index) {
    const Fact& fact = job_.facts[index];
    if (const auto field = field_named(fact.path)) out_.bindings.push_back({slot(*field), index, -1, fact.value, !fact.open.empty()});
  }

  void setting(std::uint32_t index) {
    const Fact& fact = job_.facts[index];
    auto field = field_named(fact.path);
    // Of a run with several plans, what is said of the cluster is what they share.
    if (field && !schema_.plans.empty())
      field = *field == Field::nodes           ? Field::job_nodes
              : *field == Field::gpus_per_node ? Field::job_gpus_per_node
              : *field == Field::world_size    ? Field::job_gpus
                                               : *field;
    if (field)
      out_.bindings.push_back({slot(*field), index, -1, fact.value, !fact.open.empty()});
    else if (const KeySpec* spec = schema_.find_key(fact.path))
      add(schema_.key_slot(schema_.index_of(*spec)), index, fact.value);
  }

  void environment(std::uint32_t index, std::string_view variable) {
    const Fact& fact = job_.facts[index];
    if (const KeySpec* spec = schema_.find_key(fmt::format("env.{}", variable)))
      add(schema_.key_slot(schema_.index_of(*spec)), index,
          fact.node && fact.node->kind == Node::Kind::Scalar ? Value(fact.node->text) : Value(to_string(fact.value)));
  }

  void add(Slot slot, std::uint32_t fact, Value value, std::int32_t item = -1) {
    out_.bindings.push_back({slot, fact, item, std::move(value)});
  }

  Violation& report(const RuleInfo& info, std::uint32_t fact, bool at_key, std::string message, std::string effect) {
    Violation& violation = out_.violations.emplace_back();
    violation.rule = info.name, violation.family = info.family, violation.severity = info.severity;
    violation.message = std::move(message), violation.effect = std::move(effect);
    violation.fact = fact, violation.at_key = at_key;
    return violation;
  }
  Policy unknown_policy(std::string_view path) const {
    const SectionSpec* section = schema_.section_at(parent_of(path));
    return section ? section->unknown_key : form_.unknown_key;
  }
  Policy type_policy(const KeySpec& spec) const {
    const SectionSpec* section = schema_.section_at(spec.path);
    return section ? section->wrong_type : form_.wrong_type;
  }
  static Severity as_severity(Policy policy) { return policy == Policy::Error ? Severity::Error : Severity::Warning; }

  // ---- flags: the key is spelled as on a command line, the value is its words

  void flag(std::uint32_t index, std::string_view path) {
    const Fact& fact = job_.facts[index];
    // `--x=y` brings its value along.
    const std::size_t equals = path.find('=');
    const FlagSpec* flag = path.ends_with(']') ? nullptr : schema_.find_flag(path.substr(0, equals));
    // An item of a list was looked at with its flag; what stands below one was reported with it.
    if (!flag && fact.way != Way::Override && path.find_first_of(".[") != std::string_view::npos) return;
    const std::string spelling(path.substr(0, equals));
    if (!flag) return unknown_flag(index, spelling);
    const KeySpec& spec = schema_.keys[flag->key];
    state(index, spec);
    const Slot slot = schema_.key_slot(flag->key);
    const bool scalar = fact.node ? fact.node->kind == Node::Kind::Scalar : fact.value.text() != nullptr;
    const ValueList* list = fact.value.list();
    // A list of words for an option that takes any words, as it stands: there may be thousands.
    const bool words_alone = list && (spec.types & type::List) && spec.item_types == type::Str && spec.choices.empty() &&
                             flag->constant == kNoExpr && fact.open.empty() && !list->empty() &&
                             std::all_of(list->begin(), list->end(),
                                         [](const Value& item) { return item.text() && item.text()->find("${") == std::string::npos; });
    if (words_alone) return add(slot, index, fact.value);
    const std::string text = equals != path.npos   ? std::string(path.substr(equals + 1))
                             : fact.node && scalar ? fact.node->text
                                                   : to_string(fact.value);
    // The environment of the job decides; what it will hold is not written here.
    if (!fact.open.empty() || text.find("${") != std::string::npos) {
      out_.bindings.push_back({slot, index, -1, {}, true});
      return;
    }
    const bool quoted = fact.node && fact.node->style != Style::Plain;
    const bool bare = text == "true" && !quoted && equals == path.npos;
    if (flag->constant != kNoExpr) {
      // A switch: its presence is the value.
      const Value constant = schema_.constants[schema_.nodes[flag->constant].a].value();
      // The launcher's tools compare the word, quoted or not.
      if (equals == path.npos && (text == "true" || text == "True" || text.empty() || fact.value.boolean())) {
        if (fact.value.boolean() && !*fact.value.boolean()) return;  // a fix that takes the switch away again
        return add(slot, index, constant);
      }
      Violation& violation = report(kWrongType, index, false, fmt::format("{} takes no value, and '{}' is one", spelling, text),
                                    fmt::format("{} stops at its command line", schema_.title));
      violation.proposals.push_back({fmt::format("remove {}", spelling), Safety::Unsafe, {{Change::Kind::Remove, index, kNoSlot, "", {}}}});
      out_.rejected.push_back(slot);
      return;
    }
    ValueList items;
    if (list) items = *list;
    const bool bracketed = scalar && text.size() >= 2 && text.front() == '[' && text.back() == ']';
    if (items.empty() && bracketed)
      for (std::string& word : words(std::string_view(text).substr(1, text.size() - 2))) items.emplace_back(std::move(word));
    if (spec.types & type::List) {
      if (items.empty() && !bracketed && !fact.value.list()) {
        // Plain words stand for several values; what is quoted is one.
        if (quoted)
          items.emplace_back(text);
        else
          for (std::string& word : words(text)) items.emplace_back(std::move(word));
      }
      if (!(spec.item_types & type::Str)) items = split(items);
      for (Value& item : items) {
        const Value converted = item.text() ? convert(*item.text(), spec.item_types) : item;
        if (converted.is_null()) return wrong_word(index, slot, spelling, to_string(item), spec.item_types);
        if (!choice(index, spec, converted)) return out_.rejected.push_back(slot);
        item = converted;
      }
      return add(slot, index, std::move(items));
    }
    if (bare && !(spec.types & (type::Bool | type::Str))) {
      report(kWrongType, index, false, fmt::format("{} needs a value, and here it stands bare", spelling),
             fmt::format("{} stops at its command line", schema_.title));
      return out_.rejected.push_back(slot);
    }
    if (!items.empty() && !(spec.types & type::Str)) return wrong_word(index, slot, spelling, text, spec.types);
    // A number that a fix put here is converted already.
    const Value value = fact.value.is_number() && (spec.types & type::of(fact.value.kind())) && !fact.value.boolean()
                            ? fact.value
                            : convert(text, spec.types);
    if (value.is_null()) return wrong_word(index, slot, spelling, text, spec.types);
    if (!choice(index, spec, value)) return out_.rejected.push_back(slot);
    add(slot, index, value);
  }

  void unknown_flag(std::uint32_t index, const std::string& spelling) {
    if (form_.unknown_key == Policy::Ignore) return;
    Violation& violation = report(kUnknownKey, index, true, fmt::format("{} has no option {}", schema_.title, spelling),
                                  fmt::format("{} stops at its command line", schema_.title));
    violation.severity = as_severity(form_.unknown_key);
    for (std::string_view near : near_flags(spelling))
      violation.proposals.push_back(
          {fmt::format("{}", near), Safety::Unsafe, {{Change::Kind::Rename, index, kNoSlot, std::string(near), {}}}});
    if (violation.proposals.empty()) return;
    const std::string& nearest = violation.proposals[0].title;
    violation.message += fmt::format("; the nearest is {}", nearest);
    meant(schema_.keys[schema_.find_flag(nearest)->key].path);
  }

  void wrong_word(std::uint32_t index, Slot slot, const std::string& spelling, const std::string& text, TypeSet types) {
    Violation& violation =
        report(kWrongType, index, false, fmt::format("'{}' is no value for {}, which takes {}", text, spelling, wanted(types)),
               fmt::format("{} stops at its command line", schema_.title));
    out_.rejected.push_back(slot);
    if ((types & type::Int) && !(types & type::Str))
      if (const Value real = python_float(text); real.real() && std::floor(*real.real()) == *real.real() && std::fabs(*real.real()) < 1e15)
        violation.proposals.push_back({"", Safety::Safe, {{Change::Kind::Set, index, kNoSlot, "", Value(static_cast<i64>(*real.real()))}}});
  }

  // ---- keys under their own names

  void key(std::uint32_t index, std::string_view path) {
    const Fact& fact = job_.facts[index];
    const bool override_of = fact.way == Way::Override;  // which no reported section holds: it is taken up or refused by itself
    if (path.starts_with("env.") && (is_variable(path) || !schema_.find_key("env"))) {
      if (override_of) unknown_key(index, path);
      return;
    }
    const std::string parent(parent_of(path));
    if (!parent.empty() && lost_.contains(parent) && !override_of) {
      lost_.insert(std::string(path));
      return;
    }
    const KeySpec* spec = schema_.find_key(path);
    if (!spec) {
      if ((path.ends_with(']') && !override_of) || in_free_list(path)) return;  // a list was looked at with its key
      if (const auto reading = unions_.readings.find(index);
          reading != unions_.readings.end() && reading->second == Unions::Reading::Unchecked)
        return;
      lost_.insert(std::string(path));
      // It is taken away before the names are looked at.
      if (const SectionSpec* section = schema_.section_at(path); section && section->lax && is_filled(fact)) return;
      return unknown_key(index, path);
    }
    if (spec->open()) {
      // What the framework does not know is the user's own here, unless it is a known name with a slip in it.
      const std::vector<std::string_view>* near = spec->strict ? &near_siblings(path) : nullptr;
      if (near && !near->empty() && one_slip(last_part(path), near->front())) unknown_key(index, path, Policy::Warning);
      return;
    }
    state(index, *spec);
    if (!fact.open.empty()) {
      out_.bindings.push_back({schema_.key_slot(schema_.index_of(*spec)), index, item_of(path), {}, true});
      return;
    }
    const Slot slot = schema_.key_slot(schema_.index_of(*spec));
    // Whoever calls the framework puts a value in its place.
    if (!(spec->types & type::Str) && is_filled(fact)) {
      out_.bindings.push_back({slot, index, item_of(path), {}, true});
      return;
    }
    const SectionSpec* section = schema_.section_at(path);
    const bool null_word = fact.value.text() && is_null_word(*fact.value.text());
    const bool lax = schema_.coerce == Coercion::Pydantic || (section && section->lax);
    Value value = null_word                            ? Value()
                  : lax                                ? pydantic(fact.value, *spec)
                  : schema_.coerce == Coercion::Python ? as_used(fact.value, *spec)
                                                       : fact.value;
    const bool unread = switched_off(path) && !value.map() && !is_switch(*spec);
    if (unread || takes_as_read(index, path, *spec, value)) return add(slot, index, std::move(value), item_of(path));
    lost_.insert(std::string(path));
    if (!is_foreign(index)) out_.rejected.push_back(slot);
  }

  bool is_filled(const Fact& fact) const { return !schema_.filled.empty() && fact.value.text() && *fact.value.text() == schema_.filled; }

  // Inside the items of a list whose items the schema says nothing about.
  bool in_free_list(std::string_view path) const {
    for (std::size_t open = path.find('['); open != std::string_view::npos; open = path.find('[', open + 1)) {
      const KeySpec* list = schema_.find_key(path.substr(0, open));
      if (!list || !(list->types & type::List)) continue;
      const std::string items = fmt::format("{}[*].", list->path);
      if (std::none_of(schema_.keys.begin(), schema_.keys.end(), [&](const KeySpec& key) { return key.path.starts_with(items); }))
        return true;
    }
    return false;
  }

  // ---- sections with a switch: where it is off, nothing else in them is looked at

  void switches() {
    std::unordered_set<std::string_view> switchable;
    for (std::uint16_t key : schema_.needed_keys)
      if (const KeySpec& spec = schema_.keys[key]; !spec.required_if.empty()) switchable.insert(parent_of(spec.path));
    if (switchable.empty()) return;
    std::map<std::string_view, std::vector<std::string_view>> sections;  // by the schema's spelling, as written
    for (const Fact& fact : job_.facts) {
      const auto path = fact.way == Way::Setting ? std::nullopt : own_path(fact);
      if (!path) continue;
      const bool off = !fact.open.empty() || fact.value.is_null() || (fact.value.boolean() && !*fact.value.boolean());
      off ? void(on_.erase(std::string(*path))) : void(on_.insert(std::string(*path)));
      if (fact.value.map())
        if (const KeySpec* section = schema_.find_key(*path); section && switchable.contains(section->path))
          sections[section->path].push_back(*path);
    }
    for (std::uint16_t key : schema_.needed_keys) {
      const KeySpec& spec = schema_.keys[key];
      if (const auto found = sections.find(parent_of(spec.path)); !spec.required_if.empty() && found != sections.end())
        for (std::string_view section : found->second)
          if (!wanted_in(spec, fmt::format("{}.", section))) off_.insert(std::string(section));
    }
  }
  bool wanted_in(const KeySpec& spec, const std::string& prefix) const {
    return spec.required_if.empty() || std::any_of(spec.required_if.begin(), spec.required_if.end(),
                                                   [&](std::string_view sibling) { return on_.contains(prefix + std::string(sibling)); });
  }
  // A key that others wait for is looked at even where it says no.
  bool is_switch(const KeySpec& spec) const {
    const std::string_view name = last_part(spec.path), section = parent_of(spec.path);
    return std::any_of(schema_.needed_keys.begin(), schema_.needed_keys.end(), [&](std::uint16_t key) {
      const KeySpec& other = schema_.keys[key];
      return std::find(other.required_if.begin(), other.required_if.end(), name) != other.required_if.end() &&
             parent_of(other.path) == section;
    });
  }
  // Whether a section with its switch off holds it; the switch itself is looked at all the same.
  bool switched_off(std::string_view path) const {
    if (off_.empty()) return false;
    for (std::string_view holder = parent_of(path); !holder.empty(); holder = parent_of(holder))
      if (off_.contains(std::string(holder))) return true;
    return false;
  }

  // ---- sections that are read as one of several classes

  void forms() {
    std::vector<KeyFact> keys;
    if (!schema_.unions.empty() && !form_.flags)
      for (std::uint32_t i = 0; i < job_.facts.size(); ++i) {
        const Fact& fact = job_.facts[i];
        if (fact.way == Way::Setting || fact.attached) continue;
        if (const auto path = own_path(fact)) keys.push_back({*path, i});
      }
    unions_ = read_unions(schema_, job_.facts, keys);
    out_.variants = unions_.variants;
  }

  bool is_null_word(std::string_view text) const {
    const std::string_view word = schema_.null_word;
    return !word.empty() && text.size() == word.size() &&
           std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a | 0x20 : a) == b; });
  }

  bool takes_as_read(std::uint32_t index, std::string_view path, const KeySpec& spec, const Value& value) {
    const auto reading = unions_.readings.find(index);
    if (reading == unions_.readings.end() || reading->second == Unions::Reading::Checked) return check_type(index, path, spec, value);
    if (reading->second == Unions::Reading::Foreign) return false;  // said with the section
    const Fact& fact = job_.facts[index];
    if (!takes(spec, fact.value) && !(spec.types & type::of(fact.value.kind())))
      report(kWrongType, index, false,
             fmt::format("{} takes {}, and this is {}", fact.spelled, wanted(spec.types), describe(fact.value.kind())),
             fmt::format("{} lets it pass here and may fail where it is used", schema_.title))
          .severity = Severity::Warning;
    return true;
  }

  bool is_foreign(std::uint32_t index) const {
    const auto reading = unions_.readings.find(index);
    return reading != unions_.readings.end() && reading->second == Unions::Reading::Foreign;
  }

  void misfits() {
    for (const UnionMisfit& misfit : unions_.misfits) {
      const std::string_view section = last_part(misfit.path);
      for (std::uint32_t fact : misfit.foreign) {
        const std::string& name = job_.facts[fact].spelled;
        Violation& violation = report(kFitsNoForm, fact, true,
                                      fmt::format("{} does not go with the other keys of {}, which fit {}", name, section, misfit.nearest),
                                      fmt::format("{} refuses the file: no form of {} has all these keys", schema_.title, section));
        violation.proposals.push_back({fmt::format("remove {}", name), Safety::Unsafe, {{Change::Kind::Remove, fact, kNoSlot, "", {}}}});
      }
      if (misfit.undecided) {
        std::string keys;
        for (std::string_view key : misfit.alone)
          keys += (keys.empty() ? "" : key == misfit.alone.back() ? " or " : ", ") + std::string(last_part(key));
        report(kFitsNoForm, misfit.section, true, fmt::format("{} says nothing that tells its form: {}", section, keys),
               effect_of_unknown(unknown_policy(fmt::format("{}.", misfit.path))));
        continue;
      }
      for (std::string_view key : misfit.missing) missing(fmt::format("{}.{}", misfit.path, last_part(key)), misfit.section);
      // Whatever is said of this section rests on how it is read.
      for (Violation& violation : out_.violations) {
        if (!violation.fact || !inside(job_.facts[*violation.fact], misfit.path)) continue;
        if (misfit.barred)
          violation.notes.push_back(
              {fmt::format("with {}, {} takes {} only if every key fits", job_.facts[*misfit.barred].spelled, schema_.title, section),
               job_.facts[*misfit.barred].key_place});
        else
          violation.notes.push_back(
              {fmt::format("{} is read as {}, the nearest of its forms", section, misfit.nearest), job_.facts[misfit.section].key_place});
      }
    }
  }
  bool inside(const Fact& fact, std::string_view section) const {
    const auto path = own_path(fact);
    return path && path->size() > section.size() && path->starts_with(section) &&
           ((*path)[section.size()] == '.' || (*path)[section.size()] == '[');
  }

  static std::int32_t item_of(std::string_view path) {
    const std::size_t open = path.find('[');
    if (open == std::string_view::npos) return -1;
    std::int32_t out = -1;
    std::from_chars(path.data() + open + 1, path.data() + path.size(), out);
    return out;
  }

  // Keys that were left behind when a section moved go to their new home together: one alone may not fit there.
  void move_together() {
    std::map<std::string_view, std::vector<std::size_t>> by_home;
    for (std::size_t i = 0; i < out_.violations.size(); ++i) {
      const Violation& violation = out_.violations[i];
      if (violation.rule != kWrongParent.name || violation.proposals.size() != 1) continue;
      by_home[parent_of(schema_.key_of(violation.proposals[0].changes[1].slot)->path)].push_back(i);
    }
    for (const auto& [home, movers] : by_home) {
      if (movers.size() < 2) continue;
      Proposal together{fmt::format("move them to {}", written_at(home)), Safety::Safe, {}};
      for (std::size_t i : movers)
        for (const Change& change : out_.violations[i].proposals[0].changes) together.changes.push_back(change);
      for (std::size_t i : movers) {
        together.safety = out_.violations[i].proposals[0].safety;
        out_.violations[i].proposals = {together};
      }
    }
  }

  // A path as the file has it: without the name under which keys.tsv keeps this form's keys.
  std::string_view shown(std::string_view path) const {
    if (form_.under.empty() || !path.starts_with(form_.under)) return path;
    return path.size() == form_.under.size() ? "" : path[form_.under.size()] == '.' ? path.substr(form_.under.size() + 1) : path;
  }
  // The same of a section that composition has moved.
  std::string written_at(std::string_view section) const {
    for (const auto& [from, to] : job_.moved)
      if (section == from || section.starts_with(from + ".")) return to + std::string(section.substr(from.size()));
    return std::string(shown(section));
  }
  static std::string standing(std::string_view section) { return section.empty() ? "at the top" : fmt::format("under {}", section); }

  // A letter too many, missing or wrong, or two that changed places, in a word that is long enough to be recognised.
  static bool one_slip(std::string_view word, std::string_view other) {
    if (word.size() > other.size()) std::swap(word, other);
    if (word.size() < 6 || other.size() - word.size() > 1) return false;
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto [a, b] = std::mismatch(word.begin(), word.end(), other.begin());
    if ((a != word.end() && digit(*a)) || digit(*b)) return false;  // img_2 beside img_1
    if (b == other.end()) return false;
    const std::string_view rest(a, word.end()), others(b, other.end());
    if (word.size() != other.size()) return rest == others.substr(1);
    if (rest.substr(1) == others.substr(1)) return true;
    return rest.size() > 1 && rest[0] == others[1] && rest[1] == others[0] && rest.substr(2) == others.substr(2);
  }

  // What the framework does with a name that it does not know in this place: a strict section takes no other keys than its own.
  Policy unknown_here(std::string_view path) const {
    const Policy otherwise = unknown_policy(path);
    for (path = parent_of(path); !path.empty(); path = parent_of(path))
      if (const KeySpec* section = schema_.find_key(path)) return section->strict ? Policy::Error : otherwise;
    return otherwise;
  }

  void unknown_key(std::uint32_t index, std::string_view path) { unknown_key(index, path, unknown_here(path)); }
  void unknown_key(std::uint32_t index, std::string_view path, Policy policy) {
    if (policy == Policy::Ignore) return;
    // Nobody reads thousands of them; the gravest has been said.
    if (unknown_ >= kDescribed && (refused_ || policy != Policy::Error)) return void(++out_.more);
    ++unknown_;
    refused_ |= policy == Policy::Error;
    const Fact& fact = job_.facts[index];
    if (fact.way == Way::Override && (path.starts_with('.') || path.ends_with('.') || path.find("..") != std::string_view::npos)) {
      report(kUnknownKey, index, true, fmt::format("{} names nothing between two of its dots or at an end", path),
             effect_of_unknown(policy))
          .severity = as_severity(policy);
      return;
    }
    const std::string_view name = last_part(path), parent = shown(parent_of(path));
    const std::vector<std::string_view>& near = near_siblings(path);
    const std::vector<std::string_view> elsewhere = near.empty() ? homes_of(name) : std::vector<std::string_view>();
    // Any name may be written here; only one that looks like a slip is worth a word.
    if (policy == Policy::Near && near.empty() && elsewhere.size() != 1) return;
    if (!elsewhere.empty()) {
      if (elsewhere.size() == 1) meant(elsewhere[0], policy);
      std::string homes;
      for (std::size_t i = 0; i < std::min<std::size_t>(3, elsewhere.size()); ++i)
        homes += fmt::format("{}{}", i ? " or " : "", standing(written_at(parent_of(elsewhere[i]))));
      Violation& violation =
          report(kWrongParent, index, true, fmt::format("{} belongs {}, not {}", name, homes, standing(parent)), effect_of_unknown(policy));
      violation.severity = as_severity(policy);
      // Where the name has several homes, nobody knows which was meant.
      const Safety safety = elsewhere.size() == 1 && policy == Policy::Error ? Safety::Safe : Safety::Unsafe;
      for (std::string_view home : elsewhere) {
        const KeySpec* target = schema_.find_key(home);
        if (!target || target->per_item()) continue;
        const Slot slot = schema_.key_slot(schema_.index_of(*target));
        violation.proposals.push_back(
            {fmt::format("move it to {}", written_at(home)),
             safety,
             {{Change::Kind::Remove, index, kNoSlot, "", {}}, {Change::Kind::Insert, 0, slot, document_path(job_, slot), fact.value}}});
      }
      return;
    }
    Violation& violation =
        report(kUnknownKey, index, true,
               written_at(parent).empty() ? fmt::format("{} has no key {}", schema_.title, name)
                                          : fmt::format("{} has no key {} in {}", schema_.title, name, written_at(parent)),
               effect_of_unknown(policy));
    violation.severity = as_severity(policy);
    if (!near.empty()) violation.message += fmt::format("; the nearest is {}", near[0]);
    if (const std::string_view whole = parent_of(path); !near.empty())
      meant(whole.empty() ? std::string(near[0]) : fmt::format("{}.{}", whole, near[0]), policy);
    for (std::string_view candidate : near)
      violation.proposals.push_back(
          {std::string(candidate), Safety::Unsafe, {{Change::Kind::Rename, index, kNoSlot, std::string(candidate), {}}}});
    violation.proposals.push_back({fmt::format("remove {}", name), Safety::Unsafe, {{Change::Kind::Remove, index, kNoSlot, "", {}}}});
  }

  // Where else in the schema a key of this name stands.
  std::vector<std::string_view> homes_of(std::string_view name) {
    if (by_name_.empty())
      for (const KeySpec& spec : schema_.keys) by_name_[last_part(spec.path)].push_back(&spec);
    std::vector<std::string_view> out;
    if (const auto found = by_name_.find(name); found != by_name_.end())
      for (const KeySpec* spec : found->second)
        if (!spec->open() && schema_.has(form_, *spec) && !is_variable(spec->path) &&
            (!form_.sections.empty() || !schema_.find_place(spec->path)))
          out.push_back(spec->path);
    return out;
  }

  static constexpr std::size_t kDescribed = 5'000;

  // Whoever has misspelled so many names has not misspelled them; looking for what each was meant to be takes minutes.
  bool too_many_names() const { return job_.near->size() >= 1'000; }

  const std::vector<std::string_view>& near_flags(const std::string& flag) {
    static const std::vector<std::string_view> kNone;
    if (too_many_names() && !job_.near->contains(flag)) return kNone;
    const auto [entry, fresh] = job_.near->try_emplace(flag);
    if (!fresh) return entry->second;
    std::vector<std::string_view> all;
    for (const FlagSpec& spec : schema_.flags) all.push_back(spec.spelling);
    return entry->second = nearest(flag, all);
  }

  const std::vector<std::string_view>& near_siblings(std::string_view path) {
    static const std::vector<std::string_view> kNone;
    if (too_many_names() && !job_.near->contains(std::string(path))) return kNone;
    const auto [entry, fresh] = job_.near->try_emplace(std::string(path));
    if (!fresh) return entry->second;
    const KeySpec* section = schema_.find_key(parent_of(path));
    const std::string parent = section ? std::string(section->path) : with_stars(parent_of(path));
    // Those that stand under the parent lie together in the order of paths; of two that are as near, the table's first is taken.
    std::vector<std::uint16_t> children;
    auto at = std::lower_bound(schema_.keys_by_path.begin(), schema_.keys_by_path.end(), parent,
                               [&](std::uint16_t key, std::string_view wanted) { return schema_.keys[key].path < wanted; });
    for (; at != schema_.keys_by_path.end() && schema_.keys[*at].path.starts_with(parent); ++at)
      if (parent_of(schema_.keys[*at].path) == parent) children.push_back(*at);
    std::sort(children.begin(), children.end());
    std::vector<std::string_view> siblings;
    for (std::uint16_t key : children) siblings.push_back(last_part(schema_.keys[key].path));
    for (const PlaceSpec& place : schema_.places)
      if (!form_.sections.empty() && parent_of(place.path) == parent) siblings.push_back(last_part(place.path));
    return entry->second = nearest(last_part(path), siblings);
  }

  // A refused key stands for another one: that one and what holds it are not missing, and have no default that anybody would want.
  void meant(std::string_view path) { meant(path, unknown_policy(path)); }
  void meant(std::string_view path, Policy policy) {
    if (policy != Policy::Error) return;
    if (const KeySpec* key = known_key(path)) out_.rejected.push_back(schema_.key_slot(schema_.index_of(*key)));
    for (; !path.empty(); path = parent_of(path)) meant_.insert(std::string(path));
  }

  std::string effect_of_unknown(Policy policy) const {
    return policy == Policy::Error ? fmt::format("{} refuses the file", schema_.title) : fmt::format("{} ignores it", schema_.title);
  }

  // ---- types and choices

  bool check_type(std::uint32_t index, std::string_view path, const KeySpec& spec, const Value& value) {
    const Fact& fact = job_.facts[index];
    const Value::Kind kind = value.kind();
    const bool fits = (spec.types & type::of(kind)) || (form_.nulls && kind == Value::Kind::Null);
    // Text and null that a key takes are none.
    const bool may_surprise = fact.node && fact.way == Way::Scalar && !(fits && (value.text() || value.is_null()));
    const std::optional<Trap> surprise = may_surprise ? trap(*fact.node, form_.loader) : std::nullopt;
    if (!fits) {
      const bool number_wanted = (spec.types & type::Number) && !(spec.types & type::Str);
      const bool as_text = surprise && surprise->reads_as.text() && number_wanted &&
                           (spec.types & type::of(surprise->meant_value.kind())) && finite(surprise->meant_value);
      const std::string name(fact.spelled.empty() ? last_part(path) : fact.spelled);
      Violation& violation =
          as_text ? report(kNumberAsText, index, false, fmt::format("{} is text here, not a number", name), surprise->message)
                  : report(kWrongType, index, value.map() != nullptr,
                           fmt::format("{} takes {}, and this is {}", name, wanted(spec.types), describe(kind)),
                           type_policy(spec) == Policy::Error
                               ? fmt::format("{} refuses the file", schema_.title)
                               : fmt::format("{} does not convert it and fails where it is used", schema_.title));
      // A strict key refuses what is no number at all; a number of another kind passes as far as elsewhere.
      const bool refused = spec.strict && !((spec.types & type::Number) && (type::of(kind) & type::Number));
      if (refused) violation.effect = fmt::format("{} does not convert it and refuses to start", schema_.title);
      if (!as_text) violation.severity = refused ? Severity::Error : as_severity(type_policy(spec));
      propose_conversion(violation, index, spec, surprise);
      return type_policy(spec) != Policy::Error && kind != Value::Kind::Null && !(spec.types & type::Map);
    }
    // `on` for a switch is no surprise, also for one that takes words as well.
    const bool meant_so = surprise && surprise->reads_as.boolean() && (spec.types & type::Bool) && spec.types != type::Any;
    if (surprise && !meant_so && kind == fact.value.kind() && !surprise->reads_as.text() && !surprise->reads_as.is_null()) {
      Violation& violation =
          report(kSurprising, index, false, fmt::format("'{}' reads as {} here", fact.node->text, to_string(surprise->reads_as)),
                 surprise->message);
      if (!surprise->meant.empty())
        violation.proposals.push_back({surprise->meant, Safety::Unsafe, {{Change::Kind::Set, index, kNoSlot, "", surprise->meant_value}}});
    }
    if (const ValueList* list = value.list(); list && spec.item_types != type::Any)
      for (const Value& item : *list)
        if (!(spec.item_types & type::of(item.kind()))) {
          Violation& violation = report(kWrongType, index, false,
                                        fmt::format("an item of {} is {}, and {} is {}", fact.spelled, wanted(spec.item_types),
                                                    to_string(item), describe(item.kind())),
                                        "");
          violation.severity = as_severity(type_policy(spec));
          return type_policy(spec) != Policy::Error;
        }
    return choice(index, spec, value);
  }

  static bool finite(const Value& value) { return value.is_number() && std::isfinite(value.number()); }

  static std::string wanted(TypeSet types) {
    static constexpr Value::Kind kKinds[] = {Value::Kind::Int, Value::Kind::Real, Value::Kind::Bool,
                                             Value::Kind::Str, Value::Kind::List, Value::Kind::Map};
    std::string out;
    for (Value::Kind kind : kKinds) {
      if (!(types & type::of(kind)) || (kind == Value::Kind::Int && (types & type::Real))) continue;
      if (kind == Value::Kind::Bool && (types & type::Int)) continue;  // Python's booleans are integers; nobody means one
      out += (out.empty() ? "" : " or ") + std::string(describe(kind));
    }
    return out;
  }

  // "8" where 8 is meant, 8.0 where 8, "true" where true.
  void propose_conversion(Violation& violation, std::uint32_t index, const KeySpec& spec, const std::optional<Trap>& surprise) const {
    const auto propose = [&](Value value, Safety safety = Safety::Safe) {
      violation.proposals.push_back({"", safety, {{Change::Kind::Set, index, kNoSlot, "", std::move(value)}}});
    };
    const bool too_large = surprise && surprise->meant_value.is_number() && !finite(surprise->meant_value);  // 1e400: nobody means infinity
    const std::string* word = surprise ? surprise->meant_value.text() : nullptr;
    const bool none_of_them =
        word && spec.strict && !spec.choices.empty() && std::find(spec.choices.begin(), spec.choices.end(), *word) == spec.choices.end();
    if (surprise && !surprise->meant.empty() && !too_large && !none_of_them && (spec.types & type::of(surprise->meant_value.kind())))
      return propose(surprise->meant_value);
    const Value& value = job_.facts[index].value;
    if (const std::string* text = value.text()) {
      Value meant = spec.types & type::Int ? python_int(*text) : Value();
      if (meant.is_null() && spec.types & type::Real) meant = python_float(*text);
      const bool yes = *text == "true" || *text == "True", no = *text == "false" || *text == "False";
      if (meant.is_null() && spec.types & type::Bool && (yes || no)) meant = yes;
      if (!meant.is_null()) return propose(std::move(meant));
    }
    if (const double* real = value.real(); real && (spec.types & type::Int) && std::floor(*real) == *real && std::fabs(*real) < 1e15)
      return propose(static_cast<i64>(*real));
    if (spec.choices.empty() && value.is_number() && !value.boolean() && (spec.types & type::Str)) return propose(to_string(value));
    for (std::string_view choice : spec.choices)
      if (spec.types & type::Str && violation.proposals.size() < 4) propose(Value(choice), Safety::Unsafe);
  }

  bool choice(std::uint32_t index, const KeySpec& spec, const Value& value) {
    if (spec.ranged && value.is_number() && !value.boolean() && (value.number() < spec.least || value.number() > spec.most))
      return out_of_range(index, spec, value);
    if (spec.choices.empty() || spec.choices_offered || value.is_null() || value.list()) return true;
    if (!value.text() && (spec.types & type::Str)) return true;  // the choices are words, and this is none
    const std::string text = to_string(value);
    for (std::string_view choice : spec.choices)
      if (spec.choices_any_case ? lower(choice) == lower(text) : choice == text) return true;
    const Fact& fact = job_.facts[index];
    std::string list;
    for (std::string_view choice : spec.choices) list += (list.empty() ? "" : ", ") + std::string(choice);
    Violation& violation = report(kNotAChoice, index, false, fmt::format("'{}' is no value for {}: it takes {}", text, fact.spelled, list),
                                  type_policy(spec) == Policy::Error ? fmt::format("{} refuses it", schema_.title) : "");
    violation.severity = as_severity(type_policy(spec));
    const std::string small = lower(text);
    auto near = nearest(small, spec.choices);
    for (std::string_view choice : spec.choices)
      if (std::find(near.begin(), near.end(), choice) == near.end() && near.size() < 4) near.push_back(choice);
    for (std::string_view choice : near) {
      Value converted = value.text() ? Value(choice) : convert(std::string(choice), spec.types);
      violation.proposals.push_back({"", Safety::Unsafe, {{Change::Kind::Set, index, kNoSlot, "", std::move(converted)}}});
    }
    return type_policy(spec) != Policy::Error;
  }

  bool out_of_range(std::uint32_t index, const KeySpec& spec, const Value& value) {
    const auto bound = [&](double number) { return spec.types & type::Real ? Value(number) : Value(static_cast<i64>(number)); };
    const auto plain = [](double number) { return fmt::format("{}", number); };
    const bool low = value.number() < spec.least, open = spec.most == std::numeric_limits<double>::max();
    Violation& violation = report(
        kNotAChoice, index, false,
        fmt::format("{} takes {}, and this is {}", job_.facts[index].spelled,
                    open ? fmt::format("{} or more", plain(spec.least)) : fmt::format("{} to {}", plain(spec.least), plain(spec.most)),
                    to_string(value)),
        type_policy(spec) == Policy::Error ? fmt::format("{} refuses it", schema_.title) : "");
    violation.severity = as_severity(type_policy(spec));
    violation.proposals.push_back({"", Safety::Unsafe, {{Change::Kind::Set, index, kNoSlot, "", bound(low ? spec.least : spec.most)}}});
    return type_policy(spec) != Policy::Error;
  }

  // ---- the state of keys, required keys

  // A key as this form spells it: where keys are flags, the flag that takes a value or says the plainest yes.
  std::string as_written(std::string_view key) const {
    if (form_.flags)
      if (const KeySpec* spec = schema_.find_key(key))
        for (const FlagSpec& flag : schema_.flags)
          if (flag.key == schema_.index_of(*spec)) return std::string(flag.spelling);
    return std::string(last_part(key));
  }

  void state(std::uint32_t index, const KeySpec& spec) {
    const std::string version = job_.version.empty() ? std::string(schema_.versions.empty() ? "" : schema_.versions.back()) : job_.version;
    const Fact& fact = job_.facts[index];
    const bool gone = !spec.until.empty() && !version_less(version, spec.until);
    const bool early = !spec.since.empty() && version_less(version, spec.since);
    if (early || (gone && spec.state == KeyState::Current)) {
      Violation& violation =
          report(kUnknownKey, index, true,
                 early ? fmt::format("{} came with {} {}; this run uses {}", fact.spelled, schema_.title, spec.since, version)
                       : fmt::format("{} left {} with {}; this run uses {}", fact.spelled, schema_.title, spec.until, version),
                 effect_of_unknown(unknown_policy(spec.path)));
      violation.severity = as_severity(unknown_policy(spec.path));
      return;
    }
    if (spec.state == KeyState::Current || (spec.state == KeyState::Deprecated && must_be_there(spec))) return;
    if (spec.state == KeyState::Deprecated && fact.value.is_null()) return;  // an old key that says nothing
    // Null is what such a key has when nobody gives it.
    if (form_.nulls && fact.value.is_null() && fact.open.empty() && spec.state != KeyState::Ignored) return;
    const bool refused = spec.state == KeyState::Removed || (spec.state == KeyState::Renamed && unknown_policy(spec.path) == Policy::Error);
    const bool advice = spec.instead.starts_with('(');
    const std::string instead = spec.instead.empty() ? ""
                                : advice             ? fmt::format(": {}", spec.instead.substr(1, spec.instead.size() - 2))
                                                     : fmt::format("; {} takes its place", as_written(spec.instead));
    static constexpr std::string_view kWords[] = {"", "is deprecated", "was renamed", "was removed", "is ignored"};
    Violation& violation =
        report(kDeprecated, index, true, fmt::format("{} {}{}", fact.spelled, kWords[static_cast<int>(spec.state)], instead),
               refused                           ? fmt::format("{} refuses it", schema_.title)
               : spec.state == KeyState::Ignored ? fmt::format("{} does not read it", schema_.title)
                                                 : "");
    violation.severity = refused ? Severity::Error : Severity::Warning;
    if (!spec.instead.empty() && !advice && parent_of(spec.instead) == parent_of(spec.path))
      violation.proposals.push_back(
          {as_written(spec.instead), Safety::Safe, {{Change::Kind::Rename, index, kNoSlot, as_written(spec.instead), {}}}});
    violation.proposals.push_back({fmt::format("remove {}", fact.spelled),
                                   spec.state == KeyState::Ignored ? Safety::Safe : Safety::Unsafe,
                                   {{Change::Kind::Remove, index, kNoSlot, "", {}}}});
  }

  // Of a program that this file only changes nobody here knows the rest.
  bool whole() const {
    if (!schema_.composition.base_in_code) return true;
    if (std::any_of(job_.facts.begin(), job_.facts.end(),
                    [](const Fact& fact) { return fact.way == Way::Setting && fact.path == kStarted; }))
      return true;
    return std::all_of(schema_.composition.whole.begin(), schema_.composition.whole.end(), [&](std::string_view key) {
      return std::any_of(job_.facts.begin(), job_.facts.end(), [&](const Fact& fact) { return fact.path == key; });
    });
  }

  void required() {
    if (!schema_.required || form_.flags || form_.part || (!job_.partial.empty() && job_.partial_below.empty())) return;
    // The sections that are there, with the path under which they stand: every mapping is a fact of its own.
    struct Section {
      std::string_view path;
      std::string shape;  // as the schema spells it; of a list's item its own path with [*]
      std::uint32_t fact = 0;
    };
    std::vector<Section> there;
    NameSet written(job_.facts.size());
    for (std::uint32_t i = 0; i < job_.facts.size(); ++i) {
      const Fact& fact = job_.facts[i];
      if (fact.way == Way::Setting || fact.attached) continue;
      const auto path = own_path(fact);
      if (!path) continue;
      written.insert(*path);
      if (!fact.value.map()) continue;
      if (const KeySpec* section = schema_.find_key(*path))
        there.push_back({*path, std::string(section->path), i});
      else if (path->ends_with(']'))
        there.push_back({*path, std::string(path->substr(0, path->rfind('['))) + "[*]", i});
    }
    for (std::uint16_t wanted : schema_.needed_keys) {
      const KeySpec& spec = schema_.keys[wanted];
      if (!spec.required || !spec.members.empty() || spec.open() || !schema_.has(form_, spec)) continue;
      if (!job_.partial.empty() && spec.path.starts_with(job_.partial_below + ".")) continue;
      const std::string_view generic = parent_of(spec.path), name = last_part(spec.path);
      if (generic.empty()) {
        if (!written.contains(name) && !job_.facts.empty() && wanted_in(spec, "")) missing(std::string(name), std::nullopt);
        continue;
      }
      const std::string_view holder = spec.path.substr(0, spec.path.rfind('.'));
      for (const auto& [path, shape, fact] : there) {
        if (shape != generic && shape != holder) continue;
        const std::string key = fmt::format("{}.{}", path, name);
        if (!written.contains(key) && !lost_.contains(std::string(path)) && wanted_in(spec, fmt::format("{}.", path)) &&
            !switched_off(path))
          missing(key, fact);
      }
    }
  }

  void missing(const std::string& path, std::optional<std::uint32_t> section) {
    if (const KeySpec* key = known_key(path)) out_.rejected.push_back(schema_.key_slot(schema_.index_of(*key)));
    if (meant_.contains(path)) return;  // it is there under another name or in another place, which was said
    missing_[section].push_back(path);
  }

  bool must_be_there(const KeySpec& spec) const {
    const PlaceSpec* place = form_.complete ? schema_.find_place(schema_.path_in(form_, spec)) : nullptr;
    return place && !place->optional;
  }

  // Sections that must hold every key that has its place there.
  void complete() {
    // What a section must hold is known of the covered versions alone.
    if (!form_.complete ||
        (!job_.version.empty() && std::find(schema_.versions.begin(), schema_.versions.end(), job_.version) == schema_.versions.end()))
      return;
    NameSet written(job_.facts.size());
    std::map<std::string_view, std::uint32_t> there;
    for (std::uint32_t i = 0; i < job_.facts.size(); ++i) {
      const Fact& fact = job_.facts[i];
      const auto path = fact.way == Way::Setting || fact.attached ? std::nullopt
                        : fact.way == Way::Override               ? std::optional<std::string_view>(fact.path)
                                                                  : below(fact.path, form_.root);
      if (!path) continue;
      for (std::string_view section : form_.sections) {
        if (*path == section) there.insert({section, i});
        if (!below(*path, section)) continue;
        if (const auto known = known_path(*path)) written.insert(*known);
      }
    }
    for (std::string_view section : form_.sections)
      if (!there.contains(section)) missing(std::string(section), std::nullopt);
    for (const PlaceSpec& place : schema_.places) {
      const auto section = there.find(place.path.substr(0, place.path.find('.')));
      if (!place.optional && section != there.end() && !written.contains(schema_.keys[place.key].path))
        missing(std::string(place.path), section->second);
    }
  }

  // One finding a section, however much it lacks.
  void report_missing() {
    for (const auto& [section, paths] : missing_) {
      static constexpr std::size_t kNamed = 8;  // more would not be read
      const std::size_t named = paths.size() <= kNamed ? paths.size() : kNamed - 2;
      const std::string_view join = section ? " or " : " and ";
      std::string names;
      for (std::size_t i = 0; i < named; ++i)
        names += fmt::format("{}{}",
                             i == 0                 ? ""
                             : i + 1 < paths.size() ? ", "
                                                    : join,
                             section ? last_part(paths[i]) : std::string_view(paths[i]));
      if (named < paths.size()) names += fmt::format("{}{} more", join, paths.size() - named);
      Violation violation;
      violation.rule = kMissingKey.name, violation.family = kMissingKey.family, violation.severity = Severity::Error;
      const std::string_view them = paths.size() == 1 ? "it" : "them", are = paths.size() == 1 ? "is" : "are";
      if (section) {
        const std::string& spelled = job_.facts[*section].spelled;
        violation.message = fmt::format("{} has no {}, and {} gives {} no default", spelled.empty() ? parent_of(paths[0]) : spelled, names,
                                        schema_.title, them);
      } else {
        violation.message = fmt::format("{} {} missing, and {} gives {} no default", names, are, schema_.title, them);
      }
      violation.effect = fmt::format("{} refuses the file", schema_.title);
      violation.fact = section, violation.at_key = true;
      if (!section)
        for (const Fact& fact : job_.facts)
          if (fact.document) {
            violation.place = {fact.place.source, {0, 0}};
            break;
          }
      out_.violations.push_back(std::move(violation));
    }
  }

  const Job& job_;
  const Schema& schema_;
  const FormSpec& form_;
  Bound out_;
  Unions unions_;
  std::map<std::optional<std::uint32_t>, std::vector<std::string>> missing_;  // by the fact of the section; none: the root
  mutable std::unordered_set<std::string> under_;                             // paths as keys.tsv has them, where the file's are shorter
  std::unordered_set<std::string> meant_;                                     // paths that a misspelled or misplaced key stands for
  std::unordered_set<std::string> on_, off_;  // paths that are written and say yes; sections whose switch says no
  std::size_t unknown_ = 0;                   // unknown keys so far
  bool refused_ = false;                      // one of them is refused
  std::unordered_set<std::string> lost_;      // paths below which nothing more is said
  std::unordered_map<std::string_view, std::vector<const KeySpec*>>
      by_name_;  // the schema's keys by their last part, once one is asked for
};

}  // namespace

Bound bind(const Job& job) { return Binder(job).run(); }

std::string spelling(const Job& job, Slot key) {
  const KeySpec* spec = job.schema->key_of(key);
  if (!spec) return std::string(job.schema->slot_name(key));
  if (job.form && job.form->flags && !spec->flags.empty()) return std::string(spec->flags[0]);
  return std::string(last_part(job.form ? job.schema->path_in(*job.form, *spec) : spec->path));
}

std::string document_path(const Job& job, Slot key) {
  const KeySpec& spec = *job.schema->key_of(key);
  const std::string prefix = job.form->root.empty() ? "" : fmt::format("{}.", job.form->root);
  if (is_variable(spec.path) && !job.form->env.empty()) return fmt::format("{}.{}", job.form->env, spec.path.substr(4));
  if (job.form->flags && !spec.flags.empty()) return prefix + std::string(spec.flags[0]);
  // A section that is there keeps its spelling.
  if (const std::size_t dot = spec.path.find('.'); job.schema->dashes && dot != std::string_view::npos)
    for (const Fact& fact : job.facts)
      if (fact.document && without_dashes(*job.schema, fact.path) == spec.path.substr(0, dot))
        return fact.path + std::string(spec.path.substr(dot));
  return prefix + std::string(job.schema->path_in(*job.form, spec));
}

bool is_of(const FormSpec& form, const Schema& schema, std::string_view version) {
  if (version.empty() && !schema.versions.empty()) version = schema.versions.back();
  return (form.since.empty() || !version_less(version, form.since)) && (form.until.empty() || version_less(version, form.until));
}

WrittenPaths::WrittenPaths(const Facts& facts) : all_(facts.size()) {
  for (const Fact& fact : facts) {
    const std::size_t top = std::min(fact.path.find_first_of(".["), fact.path.size());
    // An item's list is there too; of the items nobody asks for more than the first.
    const std::size_t item = fact.path.find('[', top);
    if (item != std::string::npos && fact.path.compare(item, 3, "[0]") != 0) continue;
    all_.insert(fact.path);
    if (fact.path.find('-') < top) undashed_.insert(without_dashes(fact.path));
  }
}

bool WrittenPaths::contain(const Schema& schema, std::string_view wanted) const {
  if (schema.dashes && !undashed_.empty() && undashed_.contains(std::string(wanted))) return true;
  if (!wanted.ends_with('*')) return all_.contains(wanted);
  wanted.remove_suffix(1);
  return std::any_of(all_.names().begin(), all_.names().end(),
                     [&](std::string_view path) { return path.starts_with(wanted) && path.find('[') == std::string_view::npos; });
}

const FormSpec* recognise(const Schema& schema, const WrittenPaths& paths, std::string_view version) {
  for (const FormSpec& form : schema.forms) {
    if (form.recognise.keys.empty() || !is_of(form, schema, version)) continue;
    const auto there = [&](std::string_view key) { return paths.contain(schema, key); };
    const auto& [keys, never, needs, must] = form.recognise;
    std::size_t found = 0;
    for (std::size_t i = 0; i < keys.size() && found < needs && found + keys.size() - i >= needs; ++i) found += there(keys[i]);
    if (found >= needs && std::none_of(never.begin(), never.end(), there) && std::all_of(must.begin(), must.end(), there)) return &form;
  }
  return nullptr;
}

const FormSpec* recognise(const Schema& schema, const Facts& facts, std::string_view version) {
  return recognise(schema, WrittenPaths(facts), version);
}

}  // namespace shardlint
