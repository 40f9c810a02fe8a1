// Any bytes are a script: reading them must end, and every place must lie inside the text.
//
// The script is read as a file is, then every script that it starts, and every word is edited and the result read again.
#include <memory>
#include <string>

#include "checker/shell/edit.h"
#include "checker/shell/script.h"
#include "tests/fuzz/promise.h"

namespace shardlint::shell {
namespace {

using fuzzing::require;

void require_inside(const Place& place) {
  if (place) require(place.range.begin <= place.range.end && place.range.end <= place.source->text().size());
}

void walk(const Text& text) {
  std::size_t size = 0;
  for (const Run& run : text.runs()) {
    require_inside(run.place);
    if (run.verbatim) require(run.place.source->text(run.place.range) == run.text);
    size += run.size();
  }
  require(size == text.size());
  require_inside(text.place());
  if (const std::optional<Place> literal = text.literal()) require(literal->source->text(literal->range) == text.flat());
  for (const Step& step : text.chain()) require_inside(step.place);
}

void drive(const Input& input, int depth) {
  const Script script = evaluate(input);
  dump(script);
  for (const Remark& remark : script.remarks) require_inside(remark.place);
  for (const Comment& comment : script.comments) require_inside(comment.place);
  std::size_t tries = 0;
  for (const Command& command : script.commands) {
    require(!command.argv.empty());
    require_inside(command.place);
    for (const Word& word : command.argv) {
      walk(word.text);
      require_inside(word.place);
      require_inside(word.token);
    }
    for (const Redirection& redirection : command.redirections) walk(redirection.text);
    if (++tries > 20) continue;
    for (std::size_t i = 0; i < command.argv.size() && i < 5; ++i) {
      write_text(command.argv[i].text, "8");
      insert_words(command, i, {"--x"});
      remove_words(command, i, 1);
    }
    if (depth < 2)
      if (const std::optional<Input> inner = inner_script(input, command, 0)) drive(*inner, depth + 1);
  }
}

}  // namespace
}  // namespace shardlint::shell

FUZZ_TARGET(shell) {
  using namespace shardlint;
  const auto source = std::make_shared<const Source>("input", std::string(input));
  shell::Input script;
  script.code = shell::Text::of(source);
  script.path = "input";
  script.limits.steps = 20'000;
  script.limits.total = 4u << 20;
  shell::drive(script, 0);
}
