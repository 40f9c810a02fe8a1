// A training command's words as facts of a framework.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "checker/diag/launch.h"
#include "checker/launch/launch.h"
#include "checker/launch/options.h"
#include "checker/launch/slurm.h"
#include "checker/plan/bind.h"
#include "checker/shell/edit.h"

namespace shardlint::launch {

namespace {

using shell::Text;

bool is_option(const std::string& word) {
  return word.size() > 2 && word.starts_with("--") && word[2] != '-' && word.find_first_of(" \t") == std::string::npos;
}

// An option with the words that are its own.
struct Argument {
  std::string spelled;
  shell::Flag flag;
  std::vector<Text> values;
};

struct Arguments {
  std::vector<Argument> options;
  std::string partial;
};

// The environment of a command: a variable is exported in front of it.
class ExportSpot : public Spot {
 public:
  explicit ExportSpot(std::shared_ptr<const shell::Command> command) : command_(std::move(command)) {}
  std::optional<std::vector<Edit>> write(const Value&) const override { return std::nullopt; }
  std::optional<std::vector<Edit>> remove() const override { return std::nullopt; }
  std::optional<std::vector<Edit>> rename(std::string_view) const override { return std::nullopt; }
  std::optional<std::vector<Edit>> add(std::string_view path, const Value& value) const override {
    const std::string_view name = path.substr(path.rfind('.') + 1);
    if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string_view::npos) return std::nullopt;
    const std::string text = to_string(value);
    if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/-") != std::string::npos)
      return std::nullopt;
    return shell::insert_before(*command_, fmt::format("export {}={}", name, text));
  }

 private:
  std::shared_ptr<const shell::Command> command_;
};

Arguments arguments(const Training& training) {
  Arguments out;
  const std::vector<shell::Word>& argv = training.command->argv;
  for (std::size_t at = training.program; at < argv.size(); ++at) {
    const Text& text = argv[at].text;
    const std::string& flat = text.flat();
    if (!text.known() && text.size() == 1 && argv[at].count != shell::Word::Count::One) {
      const shell::Hole* hole = text.hole();
      if (hole && hole->why == shell::Why::Argument) continue;  // by default a script is started without
      out.partial = hole && !hole->because.empty() ? hole->because : "words of the command are not known";
      continue;
    }
    if (!is_option(flat)) continue;
    Argument argument;
    argument.flag.command = training.command, argument.flag.first = at, argument.flag.count = 1;
    const std::size_t equals = flat.find('=');
    argument.spelled = flat.substr(0, equals);
    if (argument.spelled.find(Text::kHole) != std::string::npos) {
      out.partial = "words of the command are not known";
      continue;
    }
    if (equals != std::string::npos) {
      argument.values.push_back(text.slice(equals + 1, flat.size()));
      argument.flag.value = argument.values[0];
    } else {
      for (; at + 1 < argv.size() && !is_option(argv[at + 1].text.flat()); ++at) {
        const shell::Word& word = argv[at + 1];
        if (!word.text.known() && word.text.size() == 1 && word.count == shell::Word::Count::Any) break;
        argument.values.push_back(word.text);
        ++argument.flag.count;
      }
      if (argument.values.size() == 1) argument.flag.value = argument.values[0];
    }
    out.options.push_back(std::move(argument));
  }
  return out;
}

Value read_plain(const Text& text, Dialect dialect) {
  Node node;
  node.kind = Node::Kind::Scalar, node.style = Style::Plain, node.text = text.flat();
  return read(node, dialect);
}

Fact located(const Argument& argument) {
  Fact fact;
  shell::locate(fact, argument.flag);
  if (argument.values.size() > 1) {
    fact.place = argument.values[0].place() ? argument.values[0].place() : fact.key_place;
    for (const Text& value : argument.values)
      if (const shell::Hole* hole = value.hole())
        fact.open = hole->because.empty() ? "something decides that is not known here" : hole->because;
    fact.spot = nullptr;
  }
  fact.spelled = argument.spelled;
  return fact;
}

// Given twice, the last one counts; where they say different things, somebody is wrong.
void twice(const std::vector<Argument>& options, std::vector<Finding>& findings, std::string_view title) {
  std::map<std::string, const Argument*> last;
  for (const Argument& option : options) {
    const std::string name = dashed(option.spelled);
    const auto [entry, fresh] = last.try_emplace(name, &option);
    if (fresh) continue;
    const Argument& before = *entry->second;
    entry->second = &option;
    if (before.values == option.values || before.values.empty() || option.values.empty()) continue;
    if (!before.values[0].known() || !option.values[0].known()) continue;
    const Fact now = located(option), then = located(before);
    Finding& finding = findings.emplace_back();
    finding.rule = launching::kTwice.name, finding.family = launching::kTwice.family, finding.severity = launching::kTwice.severity;
    finding.message = fmt::format("{} is given twice: {}, and then {}", option.spelled, before.values[0].shown(), option.values[0].shown());
    finding.effect = fmt::format("{} takes the last one and nobody is told", title);
    finding.place = now.place;
    finding.notes.push_back({fmt::format("{} is {} here", before.spelled, before.values[0].shown()), then.place});
  }
}

}  // namespace

Words words_of(const Schema& schema, const Training& training) {
  Words out;
  if (schema.launch.words != LaunchWords::Flags && schema.launch.words != LaunchWords::Names) return out;
  const bool flags = schema.launch.words == LaunchWords::Flags;
  const FormSpec* wanted = nullptr;
  for (const FormSpec& form : schema.forms)
    if (form.name == schema.launch.form) wanted = &form;
  Arguments words = arguments(training);
  const std::string below = wanted && !wanted->root.empty() ? fmt::format("{}.", wanted->root) : "";
  for (const Argument& argument : words.options) {
    Fact fact = located(argument);
    if (flags) {
      fact.path = below + argument.spelled;
      if (argument.values.empty())
        fact.value = true;
      else if (argument.values.size() == 1)
        fact.value = argument.values[0].flat();
      else {
        ValueList list;
        for (const Text& value : argument.values) list.emplace_back(value.flat());
        fact.value = Value(std::move(list));
      }
    } else {
      fact.path = argument.spelled.substr(2);
      if (!schema.find_key(fact.path)) std::replace(fact.path.begin(), fact.path.end(), '-', '_');
      const KeySpec* key = schema.find_key(fact.path);
      const auto value_of = [&](const Text& text) -> Value {
        const bool text_only = key && (key->types & type::Str) && !(key->types & (type::Int | type::Real | type::Bool));
        return text_only ? Value(text.flat()) : read_plain(text, Dialect::OmegaConf);
      };
      if (argument.values.empty())
        fact.value = true;
      else if (argument.values.size() == 1 && !(key && (key->types & type::List) && !(key->types & type::Str)))
        fact.value = value_of(argument.values[0]);
      else {
        ValueList list;
        for (const Text& value : argument.values) list.push_back(value_of(value));
        fact.value = Value(std::move(list));
      }
    }
    out.facts.push_back(std::move(fact));
  }
  out.form = recognise(schema, out.facts);
  // Frameworks share names. Whose command line it is knows most of the words.
  std::size_t known = 0;
  for (std::size_t i = 0; i < words.options.size(); ++i)
    known += flags ? schema.find_flag(words.options[i].spelled) != nullptr : schema.find_key(out.facts[i].path) != nullptr;
  if (known * 2 < words.options.size()) out.form = nullptr;
  if (!out.form || (wanted && out.form != wanted && flags)) {
    out.form = nullptr;
    return out;
  }
  twice(words.options, out.findings, schema.title);
  yaml_words(schema, training, out.findings);
  // The last one counts.
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < out.facts.size(); ++i) last[out.facts[i].path] = i;
  Facts kept;
  for (std::size_t i = 0; i < out.facts.size(); ++i)
    if (last[out.facts[i].path] == i) kept.push_back(std::move(out.facts[i]));
  out.facts = std::move(kept);
  if (!out.form->env.empty()) {
    Fact holder;
    holder.path = holder.spelled = out.form->env;
    holder.way = Way::Word, holder.value = Map{training.command->environment->size()};
    holder.inherited = true;
    if (training.environment_passes) holder.spot = std::make_shared<ExportSpot>(training.command);
    if (training.environment_known && out.form->flags) out.facts.push_back(holder);
    for (const auto& [name, text] : *training.command->environment) {
      if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos) continue;
      if (!schema.find_key(fmt::format("env.{}", name))) continue;
      Fact fact;
      fact.path = fmt::format("{}.{}", out.form->env, name), fact.spelled = name;
      fact.way = Way::Word, fact.place = fact.key_place = text.place();
      if (!text.known())
        fact.open = "the environment decides";
      else
        fact.value = *text.str();
      out.facts.push_back(std::move(fact));
    }
  }
  out.partial = words.partial;
  return out;
}

Facts pairs_of(const Training& training) {
  Facts out;
  const std::vector<shell::Word>& argv = training.command->argv;
  for (std::size_t at = training.program; at < argv.size(); ++at) {
    const Text& text = argv[at].text;
    const std::string& flat = text.flat();
    const std::size_t equals = flat.find('=');
    if (equals == std::string::npos || equals == 0 || flat.starts_with('-') || flat.find('/') < equals) continue;
    Fact fact;
    std::string_view key = std::string_view(flat).substr(0, equals);
    while (key.starts_with('+')) key.remove_prefix(1);
    if (key.empty() || key.find_first_of(" \t") != std::string_view::npos || key.find(Text::kHole) != std::string_view::npos) continue;
    fact.way = Way::Override;
    fact.path = key, fact.spelled = key.substr(key.rfind('.') + 1);
    const Text value = text.slice(equals + 1, flat.size());
    const Place token = argv[at].token ? argv[at].token : argv[at].place;
    fact.key_place = text.slice(0, equals).literal().value_or(token);
    fact.place = value.place() ? value.place() : token;
    if (std::vector<Step> steps = value.chain(); !steps.empty()) fact.chain = std::make_shared<const std::vector<Step>>(std::move(steps));
    if (const shell::Hole* hole = text.hole()) {
      fact.open = hole->because.empty() ? "something decides that is not known here" : hole->because;
      fact.word = fmt::format("{}=\"{}\"", flat.substr(0, equals), "?");
    } else {
      fact.word = flat;
      fact.value = read_plain(value, Dialect::OmegaConf);
    }
    out.push_back(std::move(fact));
  }
  return out;
}

void yaml_words(const Schema& schema, const Training& training, std::vector<Finding>& findings) {
  const std::vector<shell::Word>& argv = training.command->argv;
  for (std::size_t at = training.program; at < argv.size(); ++at) {
    const std::optional<std::string> word = argv[at].text.str();
    if (!word || word->size() < 2 || !word->ends_with(':')) continue;
    const std::string key = word->substr(0, word->size() - 1);
    const bool flag = key.starts_with("--");
    if (flag ? !schema.find_flag(key) && !schema.find_key(key.substr(2)) : !schema.find_key(key)) continue;
    Finding& finding = findings.emplace_back();
    finding.rule = launching::kYaml.name, finding.family = launching::kYaml.family, finding.severity = launching::kYaml.severity;
    finding.message = fmt::format("{} is written as in YAML, and this is a command line", *word);
    finding.effect = fmt::format("{} takes it for a word of its own and refuses it", schema.title);
    finding.place = argv[at].token ? argv[at].token : argv[at].place;
    const Place value = at + 1 < argv.size() ? argv[at + 1].token : Place();
    if (!value || !argv[at].token || value.source != finding.place.source || argv[at + 1].text.flat().find('=') != std::string::npos)
      continue;
    const Range between{finding.place.range.end, value.range.begin};
    if (between.begin >= between.end || value.source->text(between).find_first_not_of(' ') != std::string_view::npos) continue;
    const std::string_view mark = flag ? " " : "=";
    finding.fixes.push_back({fmt::format("{}{}{}", key, mark, argv[at + 1].text.shown()),
                             Safety::Unsafe,
                             {{value.source, {between.begin - 1, between.end}, std::string(mark)}}});
  }
}

Facts trainer_facts(const Training& training) {
  Facts out;
  const Arguments words = arguments(training);
  for (const Argument& argument : words.options) {
    std::string name = argument.spelled;
    std::replace(name.begin() + 2, name.end(), '-', '_');
    const std::string_view field = name == "--per_device_train_batch_size"   ? "micro_batch"
                                   : name == "--gradient_accumulation_steps" ? "grad_accum"
                                                                             : "";
    if (field.empty() || argument.values.size() != 1) continue;
    Fact fact = located(argument);
    fact.path = field, fact.attached = true;
    if (const auto number = whole(argument.values[0]))
      fact.value = *number;
    else if (fact.open.empty())
      continue;
    out.push_back(std::move(fact));
  }
  return out;
}

}  // namespace shardlint::launch
