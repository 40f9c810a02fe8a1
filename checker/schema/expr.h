// The constraint language: small, typed, three-valued.
//
//   bare words   canonical fields (tp, overlap.p2p) and the schema's own [let] names       integers, reals, "text", true, false, null, [lists]
//   'quotes'     the framework's own keys ('parallelism.tensor_parallel_degree')           + - * / // %   == != < <= > >=   in, not in
//   and or not =>                                                                            function(arguments), listed in kFunctions
//
// Integers are 64 bits and checked; // and % round down as Python's do. A comparison with an unknown value is unknown; `and`, `or` and
// `=>` are Kleene's: false and unknown is false. Arithmetic on null, division by zero and overflow give unknown.
//
// An expression is compiled once, when shardlint is built (or, for a team's own constraints, when its settings are read), into nodes of a
// flat table. A name that the schema does not have or a type that does not fit is an error with its column: nothing can be registered
// and never fire.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/value.h"

namespace shardlint {

// The kinds a value may have, as a set.
using TypeSet = std::uint8_t;
namespace type {
inline constexpr TypeSet Null = 1, Bool = 2, Int = 4, Real = 8, Str = 16, List = 32, Map = 64;
inline constexpr TypeSet Number = Bool | Int | Real, Any = 127;
constexpr TypeSet of(Value::Kind kind) { return static_cast<TypeSet>(1u << static_cast<unsigned>(kind)); }
std::string describe(TypeSet types);  // "integer or null"
}  // namespace type

// A slot holds one value of a plan under evaluation: first the canonical fields, then a schema's [let] names, then its keys.
using Slot = std::uint16_t;
inline constexpr Slot kNoSlot = 0xffff;

using ExprId = std::uint32_t;
inline constexpr ExprId kNoExpr = 0xffffffff;

// Kindred names share a line.
// clang-format off
enum class Op : std::uint8_t {
  Const, Read, MakeList,
  Add, Sub, Mul, Div, FloorDiv, Mod, Neg,
  Eq, Ne, Lt, Le, Gt, Ge, In, NotIn,
  And, Or, Not, Implies,
  Call,
};

enum class Function : std::uint8_t {
  Divides,     // divides(a, b): b is a multiple of a
  Exact,       // exact(a, b): a / b; unknown when b does not divide a, because someone must say so first
  CeilDiv, Min, Max, Abs, Round, Floor,
  If,          // if(condition, then, else)
  Written,     // written('key'): a user's file sets it
  Overridden,  // overridden('key'): a word of the command line, or of a run's overrides, sets it
  Started,     // started(): the files and words of this run are all that it is started with
  Known,       // known(x): it has a value
  Set,         // set(x): known and not null
  Default,     // default(x, y): x, or y where x is null
  Len, Sum,
  Unique,      // unique(list): no two of its items are equal; null is no item
  Count,       // count(list, x)
  At,          // at(list, i): item i, from 0; negative from the end; null outside
  Each,        // each(condition): true for every index of the [*] keys in it
  Lower, Upper, StartsWith, EndsWith, Contains, Split, Strip,
  ToInt,       // int(text): null if it is none
  ToReal,      // real(text): the number that Python's float() makes of it; null if it is none
  Digits,      // digits(text): not empty, only 0-9
  Str,         // str(x): as text
  Plural,      // plural(n, "replica"): "1 replica", "2,500 replicas"; a third argument is the word of many
  Lookup,      // lookup("table", "column", key...): a cell of a schema's table; null if the row is not there
  Shape,       // shape(name, "column"): a number of a public model, from schemas/models.toml; unknown if the name is no model's there
  Variant,     // variant('section'): the union member that the section was read as
  Form,        // form("name"): whether the file has this form of the schema
  Layout,      // layout(text): the stages of a pipeline layout such as "Et|(tt|)*2L", each as its letters; null if malformed
  Join,        // join(list, separator): its items as one text
  Except,      // except(list, list): the items of the first that the second does not have
  Where,       // where(list, text): the places, from 0, of the items that contain the text
  Only,        // only(text, letters): it holds none but these letters
  Items,       // items(text): the list that a Python expression such as "([0]*3+[1])*2" stands for; null if malformed
  StepStarts,  // step_starts(text, unit): where the steps of "0:64 1B:128" begin, in units (rounded down), in order; null if malformed
  StepSizes,   // step_sizes(text): what the steps hold, in the same order; null if malformed
};
// clang-format on

struct FunctionInfo {
  std::string_view name;
  Function function;
  std::uint8_t min_args, max_args;
};
std::span<const FunctionInfo> functions();

// How an operator of two sides is written: "<=", "not in"; empty for what is none.
std::string_view sign(Op op);

// One node; its children are linked through `next`. `a` is the index of a constant, the first child, or the slot, by `op`.
struct ExprNode {
  Op op = Op::Const;
  Function function = Function::Divides;
  std::uint16_t slot = kNoSlot;
  std::uint32_t a = kNoExpr;     // Const: index of the constant; else first child
  std::uint32_t next = kNoExpr;  // next sibling
};

// A constant that can stand in a table of the binary.
struct Const {
  Value::Kind kind = Value::Kind::Null;
  i64 integer = 0;
  double real = 0;
  std::string_view text = {};
  Value value() const;
  bool is(const Value& other) const;  // value() == other, without making it
};

// What a name means to the compiler.
struct Name {
  Slot slot = kNoSlot;
  TypeSet types = type::Any;
  bool per_item = false;  // a [*] key: a list, or one item of it inside each(...)
};

class Names {
 public:
  virtual ~Names() = default;
  virtual std::optional<Name> field(std::string_view name) const = 0;                                   // a bare word
  virtual std::optional<Name> key(std::string_view path) const = 0;                                     // 'quoted'
  virtual bool has_table(std::string_view table, std::string_view column, std::size_t keys) const = 0;  // the column stands behind the keys
  virtual bool has_form(std::string_view name) const = 0;
  virtual std::string nearest(std::string_view name) const = 0;  // for "did you mean"; empty if nothing is near
};

// Where compiled expressions live while they are being made.
struct ExprPool {
  std::vector<ExprNode> nodes;
  std::vector<Value> constants;
};

struct ExprError {
  std::string message;
  std::size_t column = 0;  // from 0, in the expression's text
};

struct Compiled {
  ExprId id = kNoExpr;
  TypeSet types = type::Any;
  std::vector<Slot> slots;  // the slots that it reads, in order of appearance
};

// Compiles `text` into `pool`. `wanted` are the types the whole may have: a condition must be Bool.
std::optional<Compiled> compile(std::string_view text, const Names& names, ExprPool& pool, TypeSet wanted, ExprError& error);

}  // namespace shardlint
