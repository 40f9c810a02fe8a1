// Runs a unit's functions over three values: what is the same on every path is known, what the program leaves empty is unset, all else is
// unknown. Nothing is ever guessed: a call whose body is out of sight, a loop, a cast that could alias make unknown what they may write.
//
// The work is dealt over four files: values (expressions), calls, statements, unit (which objects are plans, and what they are called).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include "checker/cxx/bindings.h"
#include "checker/cxx/value.h"

namespace shardlint::cxx {

struct Frame {
  const clang::FunctionDecl* function = nullptr;
  std::map<const clang::ValueDecl*, Where> variables;
  std::shared_ptr<Frame> outer;  // of a lambda: where it was made
  Where self;                    // *this
  std::vector<std::pair<Val, State>> returns;
  bool by_reference = false;  // what it returns
  bool top = false;           // analysed for its own sake
};

// One canonical quantity of a plan as the program leaves it.
struct Reading {
  std::string name;  // the member, parameter or flag
  const Target* target = nullptr;
  Val value;
};

struct FoundPlan {
  std::string name, role, path;  // path: of the row that binds it
  clang::SourceRange place;
  std::vector<Reading> readings;
  Val text;  // role "text"
};

// One use of a macro that a binding says makes flags: MACRO(type, name, default, help).
struct FlagMacro {
  std::string name;
  clang::SourceLocation at;            // of the macro's name
  clang::SourceRange otherwise;        // the default, as it is written
  const clang::Expr* value = nullptr;  // the expression that it became
};

// What was read in passing, before any function is run.
struct Survey {
  std::map<const clang::VarDecl*, int> uses;                     // in the main file
  std::set<const clang::VarDecl*> written;                       // somewhere in the unit
  std::map<std::string, const clang::VarDecl*> flags;            // by the flag's name, definitions before declarations
  std::vector<FlagMacro> made;                                   // flags that a macro of the team's own makes
  std::set<unsigned> errors;                                     // lines of the main file with an error of the compiler's
  std::set<unsigned> kept_errors;                                // lines of expressions that the tree keeps in spite of their errors
  std::map<const clang::VarDecl*, std::set<unsigned>> mentions;  // lines of the main file where the tree names a variable
  bool arguments_unread = false;                                 // there is a main, and it never looks at its arguments
};
// `own`: what stands in the main file. Headers are looked into only by name: a preamble that is kept would have to be read whole.
Survey survey(clang::ASTContext& context, const std::vector<clang::Decl*>& own, const Bindings& bindings, std::vector<FlagMacro> made);

// Names of the bindings that a unit should have and has not: message, path of the row, the nearest name.
void find_mistakes(clang::ASTContext& context, const std::vector<clang::Decl*>& own, const Bindings& bindings,
                   const std::function<void(const std::string&, const std::string&, const std::string&)>& tell);

// What a flag's variable holds: of a class that wraps it, its only argument.
clang::QualType flag_type(const clang::VarDecl& variable);

// The words of the command that starts the program, taken apart as flag libraries do: --name=value, --name value, --name, --noname, with one
// dash or two; the last one counts.
class CommandLine {
 public:
  struct Given {
    std::optional<std::string> text;  // none: nobody knows
    int word = -1;                    // that holds the value, or the flag alone
    bool negated = false;
  };
  CommandLine() = default;
  // `is_switch`: whether a flag takes no word of its own.
  CommandLine(const std::vector<Request::CommandWord>& words, const std::function<std::optional<bool>(const std::string&)>& is_switch);
  // What the words say of a flag; null if they do not name it.
  const Given* find(const std::string& name) const;
  bool open() const { return open_; }  // there may be more words than are known

 private:
  std::map<std::string, Given> given_;
  bool open_ = false;
};

// Names as people write them: no inline and no unnamed namespaces.
std::string qualified(const clang::NamedDecl& declaration);

class Interpreter {
 public:
  Interpreter(clang::ASTContext& context, const Request& request, Survey survey);

  void unit(const std::vector<clang::Decl*>& own);
  std::vector<FoundPlan> plans;

  // The row that binds a class, or one of its bases; null if none does.
  const TypeRow* row_of(const clang::CXXRecordDecl* record) const;

 private:
  struct Made {
    const clang::VarDecl* variable = nullptr;
    Where where;
    const TypeRow* row = nullptr;
    std::optional<Val> returned, moved;
  };
  struct Argument {
    const clang::Expr* expression = nullptr;
    Val value;    // by value
    Where where;  // by reference
    bool reference = false;
  };

  // ---- values
  Val value(const clang::Expr* e);
  Val evaluate(const clang::Expr* e);
  Where place(const clang::Expr* e);
  void spoil(const clang::Stmt* s);
  Val constant(const clang::Expr* e) const;
  Val from(const clang::APValue& value, clang::QualType type) const;
  Val number(std::int64_t value, clang::QualType type) const;
  Val cast_of(const clang::CastExpr& e);
  Val unary(const clang::UnaryOperator& e);
  Val binary(const clang::BinaryOperator& e);
  Val arithmetic(clang::BinaryOperatorKind op, const Val& a, const Val& b, clang::QualType type) const;
  Val list(const clang::InitListExpr& e);
  void left_out(Val& value, const clang::InitListExpr& list, const clang::FieldDecl& field) const;
  Val construct(const clang::CXXConstructExpr& e);
  Val constructed_standard(const clang::CXXConstructExpr& e, llvm::StringRef name);
  Val fresh(clang::QualType type, bool zero, int depth = 0);
  Val fresh(const clang::CXXRecordDecl* record, bool zero, int depth = 0);
  Val default_member(const clang::FieldDecl& field);
  Val open_object(clang::QualType type, std::string why) const;
  // A value in another type, or in so many bits of it.
  Val fitted(Val value, clang::QualType type, unsigned bits = 0) const;
  Val fitted(Val value, const clang::FieldDecl& field) const;
  Val global(const clang::VarDecl* variable);
  static Val keyed(const Val& pairs);
  Val pointer(Where where) const;
  static Val placed(Val value, const clang::Expr* e, bool literal);
  Val used_at(Val value, const clang::Expr* e) const;
  static std::string key_of(const Val& value);

  // ---- flags
  Val flag(const clang::VarDecl* variable);
  Val flag_default(const std::string& name, const clang::VarDecl& definition);
  Val flag_given(const CommandLine::Given& given, clang::QualType type) const;
  const clang::FieldDecl* flag_keeper(llvm::StringRef name) const;
  // A call that reads a flag through its library; nothing if it is none.
  std::optional<Val> flag_read(const clang::FunctionDecl& callee, const clang::CallExpr& e);

  // ---- memory
  int cell(Val value);
  Val load(const Where& where) const;
  void store(const Where& where, Val value);
  void havoc(const Where& where, const std::string& why);
  void escape(const Where& where);
  void outside();  // a call that nobody sees into
  // Whatever a value leads to may be written by others from now on.
  void reach(const Val& value, const std::string& why, int depth = 0);
  const Where* variable(const clang::ValueDecl* declaration) const;
  Where temporary(Val value);

  // ---- calls
  Val call(const clang::CallExpr& e);
  Val call_method(const clang::CXXMemberCallExpr& e);
  Val call_operator(const clang::CXXOperatorCallExpr& e);
  std::optional<Val> standard(const clang::CallExpr& e, const clang::FunctionDecl& callee);
  std::optional<Val> standard_method(const clang::CallExpr& e, const clang::CXXMethodDecl& method, const Where& self, llvm::StringRef type,
                                     llvm::ArrayRef<const clang::Expr*> arguments);
  std::vector<Argument> arguments(const clang::FunctionDecl& callee, llvm::ArrayRef<const clang::Expr*> expressions);
  Val invoke(const clang::FunctionDecl& callee, const Where& self, std::vector<Argument> given, std::shared_ptr<Frame> outer = nullptr,
             const clang::Stmt* body = nullptr);
  Val opaque(const clang::FunctionDecl* callee, const Where* self, std::vector<Argument>& given, clang::QualType result);
  const clang::FunctionDecl* body_of(const clang::FunctionDecl& callee) const;
  void run_constructor(const clang::CXXConstructorDecl& constructor, const Where& self, std::vector<Argument> given);
  const CallRow* matching(const std::vector<CallRow>& rows, const clang::FunctionDecl& callee, bool by_name) const;
  std::vector<Reading> readings_of(const CallRow& row, const clang::FunctionDecl& callee, const std::vector<Argument>& given);
  void write(const Where& object, const TypeRow& row, const Target& target, Val value);
  Val read(const Val& object, const TypeRow& row, const Target& target, const std::string& member) const;
  const TypeRow* through(const TypeRow& row, const clang::CXXRecordDecl* record) const;
  void note_call(const clang::FunctionDecl& callee, const std::vector<Argument>& given, const clang::CallExpr& e);
  bool steps_left();

  // ---- statements
  void run(const clang::Stmt* s);
  void declare(const clang::VarDecl& variable);
  void loop(const clang::Stmt& s);
  void choose(const clang::SwitchStmt& s);
  void leave(const clang::ReturnStmt& s);
  static bool jumps(const clang::Stmt* s);

  // ---- the unit
  void visit_all(const clang::DeclContext& context);
  void visit(const clang::Decl& declaration);
  void function(const clang::FunctionDecl& f);
  void namespace_variable(const clang::VarDecl& variable);
  void alias(const clang::TypedefNameDecl& alias);
  Val placed_alias(Val object, const clang::TypedefNameDecl& alias) const;
  bool lost_to_errors(const clang::FunctionDecl& f, const clang::VarDecl& variable, Val& whole) const;
  bool has_member(const clang::CXXRecordDecl* record, const std::string& path) const;
  void collect(const Val& value, clang::QualType type, const std::string& name, const std::string& table, clang::SourceRange place,
               int depth = 0);
  void add_plan(std::string name, const TypeRow& row, const Val& value, clang::SourceRange place);
  void join_plans();
  std::vector<Reading> readings(const TypeRow& row, const Val& value) const;
  bool in_main_file(clang::SourceLocation at) const;

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const Bindings& bindings_;
  Survey survey_;
  const bool started_;  // the command that starts the program is known:
  CommandLine command_line_;
  State state_;
  Frame* frame_ = nullptr;
  std::vector<Val> fixed_;  // constants: their cells are negative from -2 on
  std::map<const clang::VarDecl*, Where> globals_;
  std::set<const clang::VarDecl*> in_progress_;
  std::vector<Where> taken_;  // places whose address somebody has: what is written through an unknown pointer may be one of them
  std::map<int, int> cell_depth_;
  int next_cell_ = 0, loop_depth_ = 0, calls_deep_ = 0;
  std::size_t steps_ = 0;
  bool exhausted_ = false, quiet_ = false;
  std::vector<std::vector<State>*> breaks_, continues_;
  std::vector<Made> made_;
  std::optional<Val> returned_;
  const TypeRow* returned_row_ = nullptr;
  std::vector<Val> returned_maps_;
  std::vector<FoundPlan> parts_;  // that join a plan: by its name
  mutable std::map<const clang::CXXRecordDecl*, const TypeRow*> rows_;
};

}  // namespace shardlint::cxx
