// A text as a shell script makes it: its bytes know where they were written, through which variables they came, and which of them nobody
// can know.
//
// A Text is a row of runs. A literal run stands in a source; if it is verbatim, byte i of it is byte i of its place, so a piece that is
// cut out of it keeps an exact place, however often the text was joined, split or handed on. A computed run ("$((A * B))") has the place
// of what computes it. A hole stands for bytes that are unknown and says why. Texts are values: cutting and joining make new ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/fact.h"
#include "checker/text/source.h"

namespace shardlint::shell {

enum class Why {
  Environment,   // a variable that the script does not set
  Argument,      // a positional parameter that the caller gives
  Substitution,  // the output of a command
  Branch,        // which way an `if` or `case` goes
  Loop,          // how often a loop runs
  File,          // what a file holds, or which files there are
  Unreadable,    // no valid bash
  Other,         // a construct that is not followed; a limit
};

struct Hole {
  Why why = Why::Other;
  std::string name;                  // Environment: the variable. Argument: "1", "@".
  std::string because;               // "the environment variable FOO decides", for people
  Place place;                       // of what is unknown
  bool many = false;                 // it may be any number of words or none ("$@"), not merely a text
  std::vector<std::string> choices;  // Branch: the texts it may be, if they are few and known
};
using HolePtr = std::shared_ptr<const Hole>;

// How a value came here: this step, then those it rests on. Shared between texts, and no longer than a person would read.
class Trail;
using TrailPtr = std::shared_ptr<const Trail>;
class Trail {
 public:
  Step step;
  std::vector<TrailPtr> from;
  std::size_t depth = 1;

  static TrailPtr make(Step step, std::vector<TrailPtr> from = {});
};

// The name of a variable or of an argument ("1", "@") that the world outside the script may give.
using Outside = std::shared_ptr<const std::string>;

struct Run {
  std::string text;  // empty for a hole
  Place place;       // empty: nobody wrote it
  bool verbatim = false;
  Outside outside;  // not null: it holds by default only, if nobody gives this from outside
  TrailPtr trail;   // null: written here and used here
  HolePtr hole;

  std::size_t size() const { return hole ? 1 : text.size(); }
};

class Text {
 public:
  // In `flat`, a hole is this one byte. It is no hole's proof: a script may hold the byte itself.
  static constexpr char kHole = '\x1a';

  Text() = default;
  static Text of(const SourcePtr& source);               // a whole file
  static Text of(const SourcePtr& source, Range range);  // a part of it, verbatim
  static Text given(std::string text, Place place);      // computed, or known from outside: as a whole from `place`
  static Text unknown(Hole hole);

  bool known() const { return holes_ == 0; }
  bool empty() const { return runs_.empty(); }  // known to be the empty text
  std::size_t size() const { return flat_.size(); }
  const std::string& flat() const { return flat_; }  // the bytes; each hole is one kHole
  bool is_hole(std::size_t at) const;
  std::optional<std::string> str() const;             // none unless known
  std::string shown(std::size_t longest = 40) const;  // for people: holes as "?", cut if it is long
  const std::vector<Run>& runs() const { return runs_; }

  Text slice(std::size_t begin, std::size_t end) const;
  void append(const Text& other);
  void append(Run run);

  // The first reason for which it is not known; null if it is.
  const Hole* hole() const;
  Outside by_default() const;  // not null: some of it holds only if this is not given from outside

  // Where it is written: the range of its literal bytes if they stand in one row in one source, else of the first thing that it was made
  // of. Empty for an empty text.
  Place place() const;
  // The range whose bytes are exactly this text and nothing else: what an edit would replace. None if it was computed, put together
  // from several places, or is not known.
  std::optional<Place> literal() const;
  // Nearest first: "TP is 8 here", "8 by default, if NODES is not set outside".
  std::vector<Step> chain() const;

  // The same text, come here through one step more.
  Text via(Step step) const;
  Text unless(const Outside& given) const;  // the same, known by default only; null changes nothing

  friend bool operator==(const Text& a, const Text& b);  // same bytes, same reasons for the unknown ones; places do not count

 private:
  std::size_t run_at(std::size_t at) const;  // the index of the run that holds the byte

  std::vector<Run> runs_;
  std::vector<std::size_t> begins_;  // of each run in `flat_`
  std::string flat_;
  std::size_t holes_ = 0;
};

// The trail of something computed from `texts`.
TrailPtr computed(Step step, const std::vector<const Text*>& texts);

}  // namespace shardlint::shell
