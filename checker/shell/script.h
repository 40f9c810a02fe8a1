// What a bash script would do, read without doing it: its commands in order, with their words, environment, redirections, and what each
// of them depends on.
//
// The reader is an evaluator over texts that know their origin (text.h). Where it cannot know (the output of a command, a variable from
// outside, a test of a file), values become holes and branches are read both ways: a command in a branch of unknown outcome says so, a
// variable that both ways leave equal stays known. It executes nothing, opens only files that `source` names inside the workspace, and
// ends on any input: steps, sizes and depths are bounded.
//
// Three strengths of knowledge:
//   certain      `TP=8`; `if [ "$TP" = 8 ]`
//   by default   `${TP:-8}` with TP from outside, `$1` and `$#` of a script that may be called without arguments, and whatever follows
//                from them. Such values are known and marked; such branches are taken and listed as forks, so that a caller can have the
//                script read again with another arm.
//   unknown      a Hole with its reason
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/shell/text.h"
#include "checker/text/files.h"
#include "checker/text/source.h"

namespace shardlint::shell {

using Environment = std::map<std::string, Text>;

// A word of a command as the command receives it: after expansion, splitting and removal of quotes.
struct Word {
  enum class Count {
    One,   // exactly one word
    Some,  // holds an unquoted unknown: one word as a rule, but it may split or vanish
    Any,   // any number of words, none among them: "$@", an array of unknown content
  };
  Text text;
  Place place;  // as the command is written: `"$TP"`, `"${ARGS[@]}"`
  Place token;  // this word alone with its quotes, in the command or in the array that holds it; empty if it was split out of a text
  Count count = Count::One;
  bool pattern = false;  // unquoted * ? [ ]: stays as it is unless files match
  bool quoted = false;   // some of it was in quotes where the command is written
};

// What must hold for something to run.
struct Condition {
  std::string says;  // "[ -f \"$CKPT\" ] holds", "the loop runs"
  Place place;
  friend bool operator==(const Condition& a, const Condition& b) {
    return a.says == b.says && a.place.source == b.place.source && a.place.range == b.place.range;
  }
};

// One turn of a loop over known words.
struct Turn {
  std::string variable;
  std::string value;
  Place place;  // of the value
};

struct Redirection {
  std::string op;       // "<", ">", ">>", "<<", "<<<", ">&", "&>" ...
  int descriptor = -1;  // as written; -1: the operator's own
  Text text;            // the file; for << and <<< what the command reads, expanded unless the delimiter is quoted
  Place place;          // of the whole redirection; for << of the body
};

// NAME=value in front of a command.
struct Setting {
  std::string name;
  Text value;
  Place place;  // the whole assignment
};

struct Command {
  std::vector<Word> argv;  // at least one
  std::vector<Setting> settings;
  std::shared_ptr<const Environment>
      environment;                        // exported at this point, `settings` included; a name that is not there may come from outside
  std::vector<Redirection> redirections;  // of the command, then of the groups around it
  Place place;                            // from its first to its last character in the script
  std::vector<Condition> conditions;      // outermost first; empty: it runs
  std::vector<Condition> defaults;        // what from outside could turn, and holds by default
  std::vector<Turn> turns;                // loops around it, outermost first
  std::vector<std::string> functions;     // the functions it is called through, outermost first
  bool background = false;
  int pipe_index = -1;                                         // its position in a pipeline; -1: in none
  std::shared_ptr<const std::map<std::string, Text>> written;  // files whose content the script wrote before: `cat <<EOF > job.sh`
  Text folder;                                                 // where it runs, relative to where the script was started; "" is there

  bool certain() const { return conditions.empty(); }
};

// A decision that the script takes and that something from outside could turn.
struct Arm {
  std::string name;  // a case pattern, "then", "else"
  Place place;
  std::optional<std::pair<std::string, std::string>> setting;  // the variable from outside that leads here, if it is that simple
  bool ends = false;                                           // it leaves the script: a usage message
};
struct Fork {
  std::string id;       // stable for one text of a script: for Input::take
  std::string subject;  // "SIZE", or the condition's text
  Place place;
  std::vector<Arm> arms;
  int taken = -1;  // -1: unknown, all arms were read
};

struct Comment {
  Text text;  // from the # on
  Place place;
  bool line_start = false;     // nothing stands before it on its line
  bool after_command = false;  // a command line stands before it: sbatch no longer reads there
};

// Something about the script itself that a person should know.
struct Remark {
  enum class Kind {
    BlankAfterBackslash,  // `\ ` at the end of a line continues nothing
    Unreadable,           // no valid bash; read on behind it
    Limit,                // too large, too deep or too long; what follows is unknown
    MissingSource,        // `source FILE` of a file inside the workspace that is not there
  };
  Kind kind;
  std::string message;
  Place place;
};

struct Limits {
  std::size_t bytes = 4u << 20;   // of one script
  std::size_t text = 256u << 10;  // of one value
  std::size_t total = 32u << 20;  // of all values that are made
  std::size_t steps = 200'000;    // commands, assignments, expansions
  std::size_t commands = 10'000;  // that are reported
  std::size_t depth = 120;        // of nested statements, expansions and calls
  std::size_t sources = 64;       // files that are read
};

struct Input {
  Text code;         // Text::of(source) for a file; a here-document's body or a `bash -c` word for a nested script
  std::string path;  // of the script, for $0, ${BASH_SOURCE[0]} and `source`; as the user knows it
  std::optional<std::vector<Text>> arguments;  // none: nobody knows how it is called, and by default without any
  Environment environment;                     // known from outside, such as SLURM_NNODES
  std::map<std::string, Text> written;         // files that are known to be written before it runs
  const Files* files = nullptr;                // for `source`; null: none is read
  std::string workspace;                       // `source` reads nothing outside this folder; empty: the working folder
  std::map<std::string, int> take;             // fork id -> the arm to take
  Limits limits;
};

struct Script {
  std::vector<Command> commands;
  std::vector<Comment> comments;  // of the script itself, not of sourced files
  std::vector<Fork> forks;
  std::vector<Remark> remarks;
  Environment variables;           // scalars at its end, exported or not
  std::vector<SourcePtr> sources;  // files that were read by `source`
};

// Never fails: what cannot be read is a remark.
Script evaluate(const Input& input);

// The script that the words from `first` on start, if they do and its text is known: `bash -c TEXT`, `bash FILE`, `./FILE.sh`, `bash` with
// a here-document. Files are those that the script wrote itself, else those of `outer.files`. sbatch and the like are the caller's.
std::optional<Input> inner_script(const Input& outer, const Command& command, std::size_t first);
// `code` as a script that `command` starts: its exported variables are known, and those files that were written before it.
Input inner_script(const Input& outer, const Command& command, Text code, std::string path, std::optional<std::vector<Text>> arguments);

// For tests: one command a line, `NAME=value argv... <body`, words in single quotes where they need them, unknown ones as ?{because}.
std::string dump(const Script& script);
std::string dump(const Command& command);

}  // namespace shardlint::shell
