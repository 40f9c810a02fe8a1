// Changes to a script's words, written where their bytes stand: in the command, in an array, in a string variable, in a here-document.
//
// Every edit is tried before it is given out: the changed text must parse as well as before, and quotes are left as they are. Whether the
// script then means what was meant is the caller's to see, by evaluating it again: a literal may serve several commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/fact.h"
#include "checker/shell/script.h"

namespace shardlint::shell {

// Writes `to` in the place of `part`, a text or a slice of one (the "8" of "--tp=8"). Only where its bytes stand literally.
std::optional<std::vector<Edit>> write_text(const Text& part, std::string_view to);
// Adds words behind argv[at], with the indentation and continuation that stand there.
std::optional<std::vector<Edit>> insert_words(const Command& command, std::size_t at, const std::vector<std::string>& words);
// Writes a line of its own in front of the command, with the command's indentation.
std::optional<std::vector<Edit>> insert_before(const Command& command, std::string_view line);
// Removes argv[first, first + count) with the blanks before them.
std::optional<std::vector<Edit>> remove_words(const Command& command, std::size_t first, std::size_t count);
// A directive's comment ("#SBATCH --nodes=4"): writes a line of its own below it.
std::optional<std::vector<Edit>> insert_line(const Comment& below, std::string_view line);

// A flag in a command's argv as a fact that the writers can change: `--flag value`, `--flag=value`, `--flag`.
struct Flag {
  std::shared_ptr<const Command> command;
  std::size_t first = 0;  // argv index of the flag, or of the first word that is its own
  std::size_t count = 1;  // words, the flag included
  Text value;             // empty for a bare flag
};
// Sets the fact's place, key place, chain and writer; `open` and by-default steps too. Path, spelling and value are the caller's.
void locate(Fact& fact, const Flag& flag);

}  // namespace shardlint::shell
