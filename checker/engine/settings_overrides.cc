// Overrides of the framework as people type them.
#include "checker/engine/settings.h"
#include "checker/engine/settings_values.h"

#include <algorithm>

#include <fmt/format.h>

namespace shardlint {

namespace {

bool is_option(std::string_view word) {
  if (word.starts_with("--")) return word.size() > 2;
  return word.size() > 1 && word[0] == '-' && ((word[1] | 0x20) >= 'a' && (word[1] | 0x20) <= 'z') && word != "-inf" && word != "-nan";
}

// `trainer.num_nodes=4` and no value that happens to hold an equals sign.
bool is_assignment(std::string_view word) {
  while (word.starts_with('+')) word.remove_prefix(1);
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || (alphanumeric(word[0]) && word[0] <= '9')) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return alphanumeric(c) || c == '_' || c == '.' || c == '-' || c == '[' || c == ']'; });
}

}  // namespace

Checked<Facts> read_overrides(std::span<const OverrideWord> words, std::size_t* wrong) {
  Facts out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    const Place& place = words[at].place;
    const bool option = is_option(text);
    // `--key value` in one item of a list.
    const std::size_t mark = option ? text.find_first_of("= ") : text.find('=');
    std::string_view key = text.substr(0, mark);
    while (key.starts_with('+')) key.remove_prefix(1);            // Hydra: add a key, or add or change it
    const bool removal = key.starts_with('~') && key.size() > 1;  // Hydra: ~key or ~key=value
    if ((mark == std::string_view::npos && !option && !removal) || key.empty()) {
      if (wrong) *wrong = at;
      return {std::nullopt, fmt::format("`{}` is no override; one is written as `key=value`, `--key=value` or `--key value`", text)};
    }
    Fact& fact = out.emplace_back();
    fact.path = key;
    fact.spelled = option ? key : key.substr(key.rfind('.') + 1);
    fact.place = fact.key_place = place;
    fact.way = Way::Override;
    if (!option) fact.word = text;
    // Escapes move what stands behind them.
    if (place && place.source->text(place.range) == text) {
      const auto begin = place.range.begin + static_cast<std::uint32_t>(key.data() - text.data());
      fact.key_place.range = {begin, begin + static_cast<std::uint32_t>(key.size())};
    }
    if (mark != std::string_view::npos) {
      const std::size_t value = text[mark] == ' ' ? text.find_first_not_of(' ', mark) : mark + 1;
      fact.value = value == std::string_view::npos ? Value(true) : read_plain(text.substr(value));
      continue;
    }
    if (removal) continue;
    ValueList values;
    for (; at + 1 < words.size() && !is_option(words[at + 1].text) && !is_assignment(words[at + 1].text); ++at) {
      values.push_back(read_plain(words[at + 1].text));
      if (values.size() == 1 && words[at + 1].text.find('=') == std::string::npos) fact.place = words[at + 1].place;
    }
    fact.value = values.empty() ? Value(true) : values.size() == 1 ? values[0] : Value(values);
    if (values.size() != 1) fact.place = place;
  }
  return {std::move(out), ""};
}

Fact in_form(Fact fact, const Schema& schema, const FormSpec& form) {
  if (form.flags || !fact.path.starts_with('-')) return fact;
  // An option of the command line that sets a key of the file under another name.
  const FlagSpec* flag = schema.find_flag(fact.path);
  if (!flag) {
    std::string spelling = fact.path;
    std::replace(spelling.begin() + 2, spelling.end(), '-', '_');
    flag = schema.find_flag(spelling);
  }
  if (flag) {
    fact.path = schema.keys[flag->key].path;
    if (flag->constant != kNoExpr && fact.value == Value(true)) fact.value = schema.constants[schema.nodes[flag->constant].a].value();
    return fact;
  }
  const auto dashes = static_cast<std::uint32_t>(fact.path.find_first_not_of('-'));
  fact.path.erase(0, dashes);
  if (fact.key_place && fact.key_place.source->text(fact.key_place.range) == fact.spelled) fact.key_place.range.begin += dashes;
  if (!schema.find_key(fact.path)) std::replace(fact.path.begin(), fact.path.end(), '-', '_');
  const std::size_t name = fact.path.rfind('.') + 1;
  const std::string positive = fact.path.substr(0, name) + fact.path.substr(std::min(name + 3, fact.path.size()));
  if (const KeySpec* key = schema.find_key(positive); key && !schema.find_key(fact.path) && fact.path.substr(name).starts_with("no_") &&
                                                      (key->types & type::Bool) && fact.value == Value(true)) {
    fact.path = positive;
    fact.value = false;
  }
  fact.spelled = fact.path.substr(fact.path.rfind('.') + 1);
  return fact;
}

}  // namespace shardlint
