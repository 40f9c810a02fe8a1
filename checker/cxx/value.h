// What the interpreter knows of a value: exactly it, that it is empty, or nothing. And where it came from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <clang/Basic/SourceLocation.h>

namespace clang {
class CXXRecordDecl;
class EnumConstantDecl;
class FieldDecl;
class LambdaExpr;
class VarDecl;
}  // namespace clang

namespace shardlint::cxx {

// Flags come last, and the weaker knowledge behind the stronger: a default that the known command line leaves alone, a word of it, a default
// that some command line may change.
enum class From : std::uint8_t { Code, DefaultMember, DefaultArgument, FlagKept, CommandLine, FlagDefault };

struct Origin {
  clang::SourceRange spelled, used;
  From from = From::Code;
  bool literal = false;  // `spelled` is one literal, which an edit could replace
  bool several = false;  // equal values from several places
  int word = -1;         // CommandLine: the word of the command that holds the value
  bool direct = false;   // CommandLine: it is the flag's value as it stands
  bool negated = false;  // CommandLine: the word is --noflag
  const clang::VarDecl* constant = nullptr;
  // A member that a list of designated initialisers leaves out: it would be written behind (or before) that one.
  const clang::FieldDecl* left_out = nullptr;
  clang::SourceRange beside;
  bool before = false;
};

// A place in memory: a cell, and members inside it.
struct Where {
  int cell = -1;
  std::vector<std::string> path;

  bool known() const { return cell >= 0; }
  Where in(std::string member) const {
    Where out = *this;
    out.path.push_back(std::move(member));
    return out;
  }
  friend bool operator==(const Where&, const Where&) = default;
};

struct Frame;

struct Val {
  enum class Kind : std::uint8_t { Unknown, Unset, Int, Real, Bool, Str, Enum, Object, List, Pointer, Lambda };
  Kind kind = Kind::Unknown;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;  // Str; Unknown: why
  // Unknown: it was known, and its type cannot hold it: "300, which does not fit std::uint8_t (0 to 255): it becomes 44".
  std::string narrowed;
  const clang::EnumConstantDecl* enumerator = nullptr;
  const clang::CXXRecordDecl* record = nullptr;  // Object, and Unknown where the type is known
  std::map<std::string, Val> members;            // Object: by name, bases' too; a map: by key
  std::map<std::string, Val> canonical;          // Object: what a bound call set and no member keeps
  bool open = false;                             // Object: members that are not there are unknown
  bool keyed = false;                            // Object: a map from keys
  bool shared = false;                           // Object: lives elsewhere
  std::vector<Val> items;                        // List
  Where target;                                  // Pointer
  const clang::LambdaExpr* lambda = nullptr;
  std::shared_ptr<Frame> captured;
  Origin origin;

  bool known() const { return kind != Kind::Unknown; }
  bool is_number() const { return kind == Kind::Int || kind == Kind::Bool || kind == Kind::Enum; }
};

inline Val unknown(std::string why) {
  Val out;
  out.text = std::move(why);
  return out;
}
inline Val integer(std::int64_t value) {
  Val out;
  out.kind = Val::Kind::Int, out.integer = value;
  return out;
}
inline Val boolean(bool value) {
  Val out;
  out.kind = Val::Kind::Bool, out.integer = value;
  return out;
}
inline Val string(std::string value) {
  Val out;
  out.kind = Val::Kind::Str, out.text = std::move(value);
  return out;
}
inline Val unset() {
  Val out;
  out.kind = Val::Kind::Unset;
  return out;
}

// The same value, wherever it came from.
bool same(const Val& a, const Val& b);
// What holds on both ways.
Val join(const Val& a, const Val& b);

bool by_flag(const Val& value);
// `out`, which follows from these too: what a flag decides of them decides of it.
Val rests_on(Val out, const Val& a, const Val& b = Val());
// Whether a condition is settled on every run: the default of a flag that a command line may change settles nothing.
inline bool decides(const Val& condition) { return condition.is_number() && condition.origin.from != From::FlagDefault; }

// Memory on one way through the program.
struct State {
  std::map<int, Val> cells;
  std::vector<Where> escaped;  // others may write these whenever they are called
  bool live = true;

  const Val* find(const Where& where) const;
  Val* find(const Where& where);
};
State join(State a, State b);

}  // namespace shardlint::cxx
