// What a team says of its own types, as the front end uses it: binding files after reading. No Clang here.
//
// Every named thing keeps the number of its file and the path of its row there ("@0.type[0].fields.tensor_ways"), so that a mistake can
// be placed and a plan knows whose it is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlint::cxx {

// A constant of a binding file; nothing where none is given.
using Word = std::variant<std::monostate, std::int64_t, bool, double, std::string>;

// What a member, a parameter or a flag is.
struct Target {
  std::string is;  // the canonical name; empty: no fact (a value that is already divided by the ranks)
  Word unset;      // what "nothing" and the sentinels mean: "unknown", a canonical name, or a value
  std::vector<std::int64_t> sentinels;
  bool invert = false;
  bool has_values = false;
  std::map<std::string, std::string> values;  // enumerators or strings -> canonical words
  std::string path;
};

// A constructor, a factory or a function, chosen by the names of its parameters.
struct CallRow {
  std::string name;  // empty for constructors
  std::vector<std::string> params;
  std::map<std::string, Target> map;   // parameter, or "#0", -> what it is
  std::map<std::string, Word> unset;   // what an omitted argument means where it is not its default
  std::map<std::string, Word> always;  // canonical name -> what the call fixes, mostly "unknown"
  std::string plan;                    // that the arguments join; empty: the flags' plan, else "program"
  std::string path;
};

struct MethodRow {
  std::string name;
  unsigned arg = 0;
  Target target;
  std::string path;
};

enum class Role { Plan, Part, Builder, Model };
enum class Accessors { None, SameName, Message };

struct TypeRow {
  std::string name;  // qualified
  Role role = Role::Plan;
  Accessors accessors = Accessors::None;
  std::map<std::string, Target> fields;  // member, a dot reaches inside
  std::vector<CallRow> constructors, factories;
  std::vector<MethodRow> methods;
  std::vector<std::string> template_params;
  std::map<std::string, Target> template_map;
  std::string finish, fields_through, plan;
  std::string path;
};

struct FlagsRow {
  std::string style;  // gflags absl define-macro object-macro
  std::string macro, get, set;
  std::optional<std::vector<std::string>> parse;  // the functions that read a command line; none given: any may
  std::map<std::string, Target> map;
  std::string path;
};

struct StringMapRow {
  std::vector<std::string> sinks;  // functions that take the map, then those that return one
  std::size_t takes = 0;           // how many of them take it
  unsigned arg = 0;
  std::map<std::string, Target> keys;
  std::string path;
};

struct TextRow {
  std::string format, sink;
  unsigned arg = 0;
  std::map<std::string, Target> keys;
  std::string path;
};

struct Bindings {
  std::vector<TypeRow> types;
  std::vector<CallRow> functions;
  std::vector<FlagsRow> flags;
  std::vector<StringMapRow> string_maps;
  std::vector<TextRow> texts;
};

// From the JSON of the request: the tables of the TOML files as they stand.
struct Request {
  std::string file;       // absolute, or relative to `directory`
  std::string text;       // its content
  std::string directory;  // that relative paths of the flags start from
  std::vector<std::string> flags;
  Bindings bindings;
  std::map<std::string, std::string> texts;  // other files that the caller holds, by path
  bool keep = false;                         // it is likely to be asked for again: what it includes is worth keeping
  // The words of the command that starts the program, without its name; none for one that is not known. `started`: there is a command.
  struct CommandWord {
    std::optional<std::string> text;
    bool open = false;  // `text` is only how it begins: "--flag="
  };
  std::vector<CommandWord> words;
  bool started = false;
};
std::optional<Request> read_request(std::string_view json, std::string& error);

}  // namespace shardlint::cxx
