// Programs of a team's own, which no interpreter starts: which of a script's commands run one, what the team's own launcher says of the
// cluster, and the words that the program gets.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/document/fact.h"

namespace shardlint::launch {

struct Training;

// A launcher that a binding describes: its options, then `--`, then the program and its words.
struct OwnLauncher {
  std::string program;                                     // its name
  std::vector<std::pair<std::string, std::string>> flags;  // option -> canonical field
};

struct Programs {
  std::vector<OwnLauncher> launchers;
  // Whether a command that begins with this word runs a program of the team's own. Empty: none does.
  std::function<bool(const std::string& word)> trains;

  const OwnLauncher* launcher(std::string_view name) const;
};

// The words behind the program's name, as the program receives them.
struct ProgramWord {
  std::optional<std::string> text;  // none: any number of words, or one that nobody knows
  bool open = false;                // `text` is only how it begins, up to the equals sign
};
std::vector<ProgramWord> program_words(const Training& training);

// Which word gives a flag its value, and how the program spells that value.
struct FlagWord {
  std::size_t word = 0;  // index in program_words(): of the value, or of the flag where it holds both or has none
  bool direct = false;   // the value stands there as the program takes it, and can be changed there
  bool negated = false;  // --noflag
  bool inverted = false;
  std::map<std::string, std::string> spellings;  // canonical word -> the program's
};
// Sets the fact's place, spelling, chain and writer, and why it is open if it is.
void locate(Fact& fact, const Training& training, const FlagWord& word);

// Variables of the command's environment as canonical fields: variable -> field. Those that it does not set are left out.
Facts environment_facts(const Training& training, const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace shardlint::launch
