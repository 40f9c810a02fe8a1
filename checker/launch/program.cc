#include "checker/launch/program.h"

#include <algorithm>

#include "checker/launch/launch.h"
#include "checker/launch/slurm.h"
#include "checker/shell/edit.h"

namespace shardlint::launch {

namespace {

using shell::Text;

// Writes values as the program spells them.
class SpelledSpot : public Spot {
 public:
  SpelledSpot(std::shared_ptr<const Spot> word, FlagWord how) : word_(std::move(word)), how_(std::move(how)) {}

  Place written() const override { return word_->written(); }
  std::optional<std::vector<Edit>> write(const Value& to) const override {
    if (const bool* yes = to.boolean()) return word_->write(*yes != how_.inverted);
    if (how_.spellings.empty()) return word_->write(to);
    const auto spelling = to.text() ? how_.spellings.find(*to.text()) : how_.spellings.end();
    return spelling == how_.spellings.end() ? std::nullopt : word_->write(spelling->second);
  }
  std::optional<std::vector<Edit>> remove() const override { return word_->remove(); }
  std::optional<std::vector<Edit>> rename(std::string_view spelled) const override { return word_->rename(spelled); }

 private:
  std::shared_ptr<const Spot> word_;
  FlagWord how_;
};

// A switch that stands alone: --split, --nosplit. What it is without the word its default says, so the word stays.
class SwitchSpot : public Spot {
 public:
  SwitchSpot(Text word, bool negated, bool inverted) : word_(std::move(word)), negated_(negated), inverted_(inverted) {}

  std::optional<std::vector<Edit>> write(const Value& to) const override {
    const bool* yes = to.boolean();
    if (!yes) return std::nullopt;
    const std::string& written = word_.flat();
    const std::size_t dashes = written.starts_with("--") ? 2 : 1;
    std::string name = written.substr(0, dashes) + written.substr(dashes + (negated_ ? 2 : 0));
    return shell::write_text(word_, *yes != inverted_ ? name : name + "=false");
  }
  std::optional<std::vector<Edit>> remove() const override { return std::nullopt; }
  std::optional<std::vector<Edit>> rename(std::string_view) const override { return std::nullopt; }

 private:
  Text word_;
  bool negated_, inverted_;
};

}  // namespace

const OwnLauncher* Programs::launcher(std::string_view name) const {
  const auto found = std::find_if(launchers.begin(), launchers.end(), [&](const OwnLauncher& one) { return one.program == name; });
  return found == launchers.end() ? nullptr : &*found;
}

std::vector<ProgramWord> program_words(const Training& training) {
  std::vector<ProgramWord> out;
  const std::vector<shell::Word>& argv = training.command->argv;
  for (std::size_t i = training.program + 1; i < argv.size(); ++i) {
    const Text& text = argv[i].text;
    ProgramWord& word = out.emplace_back();
    if (std::optional<std::string> known = text.str()) {
      word.text = std::move(known);
      continue;
    }
    if (const shell::Hole* hole = text.hole(); hole && hole->why == shell::Why::Argument && argv[i].count == shell::Word::Count::Any) {
      word.text = "";  // by default a script is started without
      continue;
    }
    const std::size_t equals = text.flat().find('=');
    if (equals == std::string::npos || text.flat()[0] != '-') continue;
    if (std::optional<std::string> name = text.slice(0, equals + 1).str()) word.text = std::move(name), word.open = true;
  }
  return out;
}

void locate(Fact& fact, const Training& training, const FlagWord& word) {
  const std::vector<shell::Word>& argv = training.command->argv;
  const std::size_t at = training.program + 1 + word.word;
  if (at >= argv.size()) return;
  shell::Flag flag;
  flag.command = training.command, flag.first = at;
  const std::string& flat = argv[at].text.flat();
  const std::size_t equals = flat.starts_with('-') ? flat.find('=') : std::string::npos;
  if (equals != std::string::npos) {
    flag.value = argv[at].text.slice(equals + 1, flat.size());
  } else if (!flat.starts_with('-') || (at > training.program + 1 && flat.size() > 1 && flat[1] >= '0' && flat[1] <= '9')) {
    flag.first = at - 1, flag.count = 2, flag.value = argv[at].text;
  }
  shell::locate(fact, flag);
  const std::string& name = argv[flag.first].text.flat();
  fact.spelled = name.substr(0, name.find('='));
  fact.attached = true;
  if (!word.direct)
    fact.spot = nullptr;
  else if (flag.value.empty() && flag.count == 1)
    fact.spot = std::make_shared<SwitchSpot>(argv[at].text, word.negated, word.inverted);
  else if (fact.spot)
    fact.spot = std::make_shared<SpelledSpot>(std::move(fact.spot), word);
}

Facts environment_facts(const Training& training, const std::vector<std::pair<std::string, std::string>>& variables) {
  Facts out;
  for (const auto& [variable, field] : variables) {
    const auto set = training.command->environment->find(variable);
    if (set == training.command->environment->end()) continue;
    Count count;
    count.said = true, count.text = set->second, count.value = whole(set->second);
    Fact& fact = out.emplace_back(count.fact(field));
    fact.spelled = variable;
  }
  return out;
}

}  // namespace shardlint::launch
