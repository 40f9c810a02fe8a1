// The evaluator's insides: the state a script builds up, and what runs, expands and decides over it. Private to checker/shell/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/value.h"
#include "checker/shell/code.h"
#include "checker/shell/script.h"
#include "checker/shell/text.h"

namespace shardlint::shell {

// An array's element or a positional argument; with Count::Any it stands for a row of unknown length.
struct Element {
  Text text;
  Word::Count count = Word::Count::One;
  bool pattern = false;
  Place token;  // as the array's literal has it
};
using Elements = std::vector<Element>;

struct Variable {
  enum class Kind { Scalar, Indexed, Associative };
  Kind kind = Kind::Scalar;
  bool set = true;  // `declare x` and `local x` set nothing
  bool exported = false, integer = false;
  Text text;
  std::map<i64, Element> items;       // Indexed
  std::map<std::string, Text> table;  // Associative
  HolePtr open;                       // Indexed, Associative: why the content is not known at all
};
using VariablePtr = std::shared_ptr<const Variable>;

struct Called {
  const Code* code = nullptr;
  const Statement* body = nullptr;
};

// The outcome of a condition or the exit status of a command.
struct Truth {
  enum class Is { No, Yes, Maybe };
  Is is = Is::Yes;
  bool presumed = false;                                         // Maybe; a command of unknown outcome, which succeeds as a rule
  Outside outside;                                               // No, Yes: by default only
  HolePtr because;                                               // Maybe
  std::optional<std::pair<std::string, std::string>> setting;    // a variable from outside that makes it true
  std::optional<std::pair<std::string, std::string>> unsetting;  // ... false

  static Truth yes(Outside outside = nullptr) { return {Is::Yes, false, std::move(outside), nullptr, {}, {}}; }
  static Truth no(Outside outside = nullptr) { return {Is::No, false, std::move(outside), nullptr, {}, {}}; }
  static Truth of(bool is, Outside outside = nullptr) { return is ? yes(std::move(outside)) : no(std::move(outside)); }
  static Truth maybe(HolePtr because) { return {Is::Maybe, false, nullptr, std::move(because), {}, {}}; }
  static Truth command() { return {Is::Maybe, true, nullptr, nullptr, {}, {}}; }
  bool certain() const { return is != Is::Maybe && !outside; }
};
Truth operator!(Truth truth);
Truth both(const Truth& a, const Truth& b);
Truth either(const Truth& a, const Truth& b);

// A number of $(( )).
struct Number {
  std::optional<i64> value;
  HolePtr because;  // if there is no value
  Outside outside;
  std::vector<Text> from;
};

using Written = std::map<std::string, Text>;

struct State {
  std::map<std::string, VariablePtr> variables;  // a name that is not there may come from outside
  std::map<std::string, Called> functions;
  Elements arguments;
  Text name;    // $0
  Text folder;  // empty: where the script was started
  std::shared_ptr<const Written> written;
  Truth status;
  std::set<std::string> exports;  // names that are exported once they are set
  bool elsewhere = false;         // a file was sourced that is not there to be read: it may have set anything
  bool all_exported = false;      // set -a
};

enum class Flow { Next, Break, Continue, Return, Exit };

// What an expansion leaves before it is split into words.
struct Part {
  Text text;
  bool quoted = false;
  bool split = false;  // an unquoted expansion
  bool cut = false;    // between two elements of a list
  Word::Count count = Word::Count::One;
  Place token;  // of an element that is a word of its own
};
using Parts = std::vector<Part>;

// How the bytes of a word are to be read.
enum class Quoting {
  Bare,    // as a word
  Value,   // behind NAME=: no splitting
  Double,  // inside "..."
  Here,    // a here-document, an arithmetic expression: " is a plain character
};

// One character of a glob.
struct Glob {
  enum class Kind { Char, One, Many, Class } kind = Kind::Char;
  char c = 0;
  bool negated = false;
  std::string members;  // Class
};

// The path below which a script's file is found: from where the script runs, else beside the script.
std::optional<std::string> locate(const Files& files, const std::string& workspace, const std::string& folder, const std::string& script,
                                  const std::string& name);

class Evaluator {
 public:
  explicit Evaluator(const Input& input);
  Script run();

 private:
  // ---- statements (statements.cc)
  Flow sequence(const Code& code, const Statement& statement);
  Flow statement(const Code& code, const Statement& statement);
  Flow list(const Code& code, const Statement& statement);
  Flow pipeline(const Code& code, const Statement& statement);
  Flow subshell(const Code& code, const Statement& statement);
  Flow redirected(const Code& code, const Statement& statement);
  Flow if_from(const Code& code, const Statement& statement, std::size_t clause);
  Flow case_of(const Code& code, const Statement& statement);
  Flow for_words(const Code& code, const Statement& statement);
  Flow counting(const Code& code, const Statement& statement);
  Flow loop(const Code& code, const Statement& statement);
  // The body of a loop that runs an unknown number of times.
  Flow vague_loop(const std::function<Flow()>& body, const Hole& why, const Condition& condition);
  // Ways the script may go on, of which exactly one is taken; the states they leave are joined. `fork` is the id to note in which ways end.
  struct Way {
    Condition condition;
    std::function<Flow()> run;
  };
  Flow branch(const std::vector<Way>& ways, const Hole& why, const std::string& fork = "");
  // One way by default, the others if something from outside turns it. A default that ends the script is a usage message: another goes on.
  Flow by_default(const std::vector<Way>& ways, std::size_t chosen, const Outside& outside, const Hole& why, const std::string& fork);
  // Two ways, by a truth; `at` is the place of the decision in `code`.
  Flow decide(const Code& code, scan::Span at, const Truth& truth, const std::function<Flow()>& yes, const std::function<Flow()>& no);
  // The arm that the caller wants taken. Notes the fork under `id`.
  std::optional<int> taken(std::string& id, const Code& code, scan::Span at, std::string subject, std::vector<Arm> arms, int chosen);
  void leave(Flow flow);  // the state leaves the innermost frame of that kind
  void join(State& into, const State& other, const Hole& why);

  // ---- simple commands (commands.cc)
  Flow simple(const Code& code, std::size_t begin);
  Flow command(Command command);
  Flow builtin(const std::string& name, const Command& command, bool& done);
  Flow call(const Called& called, const std::vector<Word>& argv);
  Flow source(const Command& command);
  Flow inner(Text code, std::string path);  // `eval`, `source`: in this very shell
  void declare(const Code& code, const std::vector<scan::Span>& words, std::string_view keyword);
  void unset(const std::vector<Word>& argv);
  void shift(const std::vector<Word>& argv);
  void set_options(const std::vector<Word>& argv);
  void set_arguments(const std::vector<Word>& argv, std::size_t first);
  void read_input(const Command& command);
  void change_folder(const std::vector<Word>& argv);
  std::optional<Text> output_of(const Command& command);
  const Text* input_of(const Command& command) const;  // what it reads, if that is known
  // To a file or to what captures it; no text: unknown.
  void deliver(const std::optional<Text>& output, const std::vector<Redirection>& redirections, const std::string& whose);
  void write_file(const Text& path, const std::optional<Text>& text, bool append);
  std::vector<Redirection> redirections(const Code& code, const std::vector<scan::Redirect>& written);
  void emit(Command command);
  std::shared_ptr<const Environment> environment(const std::vector<Setting>& settings);

  // ---- variables (variables.cc)
  VariablePtr find(const std::string& name) const;  // as it is now, whatever is assigned while it is looked at
  Variable& change(const std::string& name);
  void assign(const Code& code, const scan::Assignment& assignment, bool local_array = false);
  void assign_text(const std::string& name, Text text, bool append = false);
  void assign_list(const std::string& name, const Elements& elements, bool append);
  void assign_at(const std::string& name, const Text& index, Text text, bool append);
  Text marked(Text text) const;                       // with what the branches around it hold by default
  Text value_of(const std::string& name, Place use);  // as $name; the first element of an array
  bool from_outside(const std::string& name) const;   // the script does not set it and nobody told its value
  Elements list_of(const std::string& name, bool& is_list) const;
  Text argument(std::size_t index, Place use) const;
  Text argument_count(Place use) const;

  // ---- words (words.cc, parameter.cc)
  std::vector<Word> words(const Code& code, const std::vector<scan::Span>& spans);
  std::vector<Word> expand(const Text& word);  // braces, parameters, splitting
  Parts parts(const Text& text, Quoting quoting);
  std::vector<Word> fields(const Parts& parts);
  Text joined(const Parts& parts, std::string_view between = " ");
  Text value(const Text& text, Quoting quoting) { return joined(parts(text, quoting)); }
  std::vector<Text> braces(const Text& word);
  std::size_t dollar(const Text& text, std::size_t at, Quoting quoting, Parts& out);
  void parameter(const Text& text, Quoting quoting, Parts& out);  // ${...}, whole
  void plain_parameter(std::string_view name, const Text& written, Quoting quoting, Parts& out);
  void list_parts(const Elements& elements, bool star, Quoting quoting, Parts& out);
  Text substitution(const Text& inside, const Text& written);
  void put(Parts& out, Text text, Quoting quoting);

  // ---- arithmetic (arithmetic.cc)
  friend class Arithmetic;
  Number number(const Text& expression, bool expanded = false);
  Text number_text(const Number& number, const Text& written);
  Truth truth_of(const Number& number);

  // ---- tests and patterns (test.cc)
  friend class Tests;
  Truth test(const Code& code, scan::Span expression);  // [[ ]]
  Truth test(const std::vector<Word>& words);           // [ ]
  Truth unary(std::string_view op, const Text& operand);
  Truth compare(std::string_view op, const Text& left, const Text& right);
  Truth matches(const Text& subject, const std::vector<Glob>& glob, bool known_glob, const Text& pattern);
  static bool glob(const Parts& parts, std::vector<Glob>& out);  // false if some of it is unknown
  static bool fits(std::string_view text, const std::vector<Glob>& glob);

  // ---- bounds
  static std::size_t weight(const Text& text) { return text.size() + 200 * text.runs().size(); }  // what it costs to make it
  bool spend(std::size_t steps, std::size_t bytes = 0);                                           // false: it has to end
  struct Deeper {
    explicit Deeper(Evaluator& e) : evaluator(e) { ++e.depth_; }
    ~Deeper() { --evaluator.depth_; }
    Evaluator& evaluator;
  };
  // How far a simple command went, whatever it runs on the way: a sourced file or a function has offsets of its own.
  struct Scanned {
    Scanned(Evaluator& e, std::size_t end) : evaluator(e), scanned(end) {}
    ~Scanned() { evaluator.scanned_ = scanned; }
    Evaluator& evaluator;
    std::size_t scanned;
  };
  bool too_deep(Place place);
  void remark(Remark::Kind kind, std::string message, Place place);
  Text hole(Why why, std::string because, Place place, std::string name = "", bool many = false) const;
  std::string line_of(const Place& place) const;
  std::string excerpt(const Code& code, scan::Span span) const;

  const Input& input_;
  Script out_;
  State state_;
  std::vector<CodePtr> codes_;                   // everything that was parsed lives as long as the evaluation
  std::shared_ptr<const Environment> exported_;  // of the state as it is; null after a change

  // What is around the statement that runs.
  std::vector<Condition> conditions_, defaults_;
  std::vector<Outside> default_outsides_;
  std::vector<Turn> turns_;
  std::vector<std::string> calls_;
  std::vector<std::vector<Redirection>> groups_;
  struct Frame {
    enum class Kind { Loop, Function, Script } kind;
    std::vector<State> left;                      // states that may have left it early
    bool broken = false;                          // by a break or return that is not certain
    std::map<std::string, VariablePtr> shadowed;  // Function: what its locals hide; null for what was not set
  };
  std::vector<Frame> frames_;
  int levels_ = 1;                         // of the break or continue under way
  std::size_t scanned_ = 0;                // how far the last simple command went
  std::map<std::string, SourcePtr> read_;  // by path
  int pipe_index_ = -1;
  bool background_ = false;
  struct Capture {
    Text text;
    HolePtr opaque;
  };
  Capture* capture_ = nullptr;
  std::size_t silent_ = 0;  // above 0: what is read is a trial or is not run by this shell
  std::size_t depth_ = 0, steps_ = 0, bytes_ = 0, sources_ = 0;
  bool ended_ = false;  // a limit
};

}  // namespace shardlint::shell
