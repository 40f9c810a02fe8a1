#include "checker/launch/options.h"

#include <algorithm>

namespace shardlint::launch {

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Options options_of(const CommandPtr& command, std::size_t at, const std::function<bool(const std::string& name)>& bare) {
  Options out;
  const std::vector<shell::Word>& argv = command->argv;
  while (at < argv.size()) {
    const shell::Text& text = argv[at].text;
    const std::string& flat = text.flat();
    if (flat.size() < 2 || flat[0] != '-') {
      // An unknown word that may be nothing, or options.
      if (argv[at].count != shell::Word::Count::One && !text.known() && flat.size() == 1 && at + 1 < argv.size()) {
        ++at;
        continue;
      }
      break;
    }
    if (flat == "--") {
      ++at;
      break;
    }
    Count count;
    count.said = true, count.command = command, count.first = at;
    std::string name;
    const bool longer = flat.starts_with("--");
    const std::size_t equals = flat.find('=');
    if (longer && equals != std::string::npos) {
      name = flat.substr(2, equals - 2);
      count.text = text.slice(equals + 1, flat.size());
    } else {
      name = flat.substr(longer ? 2 : 1);
      if (!longer && flat.size() > 2 && (flat[1] == 'N' || flat[1] == 'n') &&
          flat.find_first_not_of("0123456789", 2) == std::string::npos) {
        name = flat.substr(1, 1);
        count.text = text.slice(2, flat.size());
      } else if (!bare(dashed(name)) && at + 1 < argv.size()) {
        count.text = argv[at + 1].text, count.count = 2;
        ++at;
      }
    }
    count.value = whole(count.text);
    out.by_name.insert_or_assign(dashed(name), std::move(count));
    ++at;
  }
  out.next = at;
  return out;
}

}  // namespace shardlint::launch
