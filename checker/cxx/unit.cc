// A unit: which of its objects are plans, at which point they are whole, and what they are called.
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringExtras.h>

#include "checker/cxx/interpreter.h"

namespace shardlint::cxx {

using namespace clang;

// ---- what is read in passing

namespace {

// The variable that an lvalue is a part of.
const VarDecl* base_of(const Expr* e) {
  while (e) {
    e = e->IgnoreParenImpCasts();
    if (const auto* reference = dyn_cast<DeclRefExpr>(e)) return dyn_cast<VarDecl>(reference->getDecl());
    if (const auto* member = dyn_cast<MemberExpr>(e))
      e = member->isArrow() ? nullptr : member->getBase();
    else if (const auto* item = dyn_cast<ArraySubscriptExpr>(e))
      e = item->getBase();
    else
      return nullptr;
  }
  return nullptr;
}

class Surveyor : public RecursiveASTVisitor<Surveyor> {
 public:
  Surveyor(ASTContext& context, const Bindings& bindings, Survey& out)
      : sources_(context.getSourceManager()), bindings_(bindings), out_(out) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }

  bool VisitExpr(Expr* e) {
    if (e->containsErrors() && e->getBeginLoc().isValid()) {
      const unsigned first = sources_.getExpansionLineNumber(e->getBeginLoc()), last = sources_.getExpansionLineNumber(e->getEndLoc());
      for (unsigned line = first; line <= last && line < first + 200; ++line) out_.kept_errors.insert(line);
    }
    // The default of a flag that a macro makes: the whole expression that its argument became.
    if (!out_.made.empty() && e->getBeginLoc().isMacroID())
      for (FlagMacro& flag : out_.made)
        if (!flag.value && sources_.getSpellingLoc(e->getBeginLoc()) == flag.otherwise.getBegin() &&
            sources_.getSpellingLoc(e->getEndLoc()) == flag.otherwise.getEnd() && !e->isTypeDependent() && !e->isValueDependent())
          flag.value = e;
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* e) {
    if (const auto* variable = dyn_cast<VarDecl>(e->getDecl());
        variable && sources_.isInMainFile(sources_.getExpansionLoc(e->getLocation()))) {
      ++out_.uses[variable->getCanonicalDecl()];
      out_.mentions[variable->getCanonicalDecl()].insert(sources_.getExpansionLineNumber(e->getLocation()));
    }
    return true;
  }
  bool VisitVarDecl(VarDecl* variable) {
    if (const llvm::StringRef name = variable->getIdentifier() ? variable->getName() : "";
        name.starts_with("FLAGS_") && variable->isFileVarDecl())
      flag(name.drop_front(6).str(), variable);
    if (variable->isFileVarDecl() && variable->getLocation().isMacroID())
      for (const FlagMacro& made : out_.made)
        if (sources_.getExpansionLoc(variable->getLocation()) == made.at && !variable->getType().isConstQualified())
          flag(made.name, variable);
    const QualType type = variable->getType();
    if (type->isReferenceType() && !type.getNonReferenceType().isConstQualified() && variable->getInit()) written(variable->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* e) {
    if (e->isAssignmentOp()) written(e->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* e) {
    // What has errors may have an address of no pointer's type.
    const QualType pointed = e->getOpcode() == UO_AddrOf ? e->getType()->getPointeeType() : QualType();
    if (e->isIncrementDecrementOp() || (e->getOpcode() == UO_AddrOf && (pointed.isNull() || !pointed.isConstQualified())))
      written(e->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr* e) {
    const FunctionDecl* callee = e->getDirectCallee();
    unsigned skip = 0;
    if (callee && e->getNumArgs() > 0)
      for (const FlagsRow& row : bindings_.flags)
        if (!row.set.empty() && qualified(*callee) == row.set) written(e->getArg(0));
    if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(e); operation && isa_and_nonnull<CXXMethodDecl>(callee)) {
      skip = 1;
      if (!cast<CXXMethodDecl>(callee)->isConst() && e->getNumArgs() > 0) written(e->getArg(0));
    }
    for (unsigned i = skip; i < e->getNumArgs(); ++i) {
      const bool named = callee && i - skip < callee->getNumParams();
      const QualType type = named ? callee->getParamDecl(i - skip)->getType() : QualType();
      if (named ? type->isReferenceType() && !type.getNonReferenceType().isConstQualified() : e->getArg(i)->isLValue())
        written(e->getArg(i));
    }
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr* e) {
    if (const CXXMethodDecl* method = e->getMethodDecl(); !method || !method->isConst()) written(e->getImplicitObjectArgument());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* e) {
    for (unsigned i = 0; i < e->getNumArgs() && i < e->getConstructor()->getNumParams(); ++i)
      if (const QualType type = e->getConstructor()->getParamDecl(i)->getType();
          type->isReferenceType() && !type.getNonReferenceType().isConstQualified())
        written(e->getArg(i));
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl* f) {
    if (f->isMain() && f->hasBody() && sources_.isInMainFile(sources_.getExpansionLoc(f->getLocation()))) main_ = f;
    return true;
  }
  void finish() {
    if (!main_) return;
    out_.arguments_unread = true;
    for (const ParmVarDecl* parameter : main_->parameters())
      if (parameter->isReferenced() || parameter->isUsed() || out_.uses.contains(parameter->getCanonicalDecl()))
        out_.arguments_unread = false;
  }

 private:
  void flag(const std::string& name, const VarDecl* variable) {
    const auto [known, fresh] = out_.flags.try_emplace(name, variable);
    if (!fresh && variable->getInit()) known->second = variable;
  }
  void written(const Expr* e) {
    const VarDecl* variable = e ? base_of(e) : nullptr;
    // What the macro that makes a flag does to register it is no write.
    if (variable && variable->getLocation().isMacroID() && e->getBeginLoc().isMacroID() &&
        sources_.getExpansionLoc(variable->getLocation()) == sources_.getExpansionLoc(e->getBeginLoc()))
      return;
    if (variable) {
      out_.written.insert(variable), out_.written.insert(variable->getCanonicalDecl());
      if (const VarDecl* definition = variable->getDefinition()) out_.written.insert(definition);
    }
  }

  const SourceManager& sources_;
  const Bindings& bindings_;
  Survey& out_;
  const FunctionDecl* main_ = nullptr;
};

}  // namespace

Survey survey(ASTContext& context, const std::vector<Decl*>& own, const Bindings& bindings, std::vector<FlagMacro> made) {
  Survey out;
  out.made = std::move(made);
  Surveyor surveyor(context, bindings, out);
  for (Decl* declaration : own) surveyor.TraverseDecl(declaration);
  surveyor.finish();
  return out;
}

// ---- which types are bound

Interpreter::Interpreter(ASTContext& context, const Request& request, Survey survey)
    : context_(context),
      sources_(context.getSourceManager()),
      bindings_(request.bindings),
      survey_(std::move(survey)),
      started_(request.started),
      command_line_(request.words, [this](const std::string& name) -> std::optional<bool> {
        const auto flag = survey_.flags.find(name);
        if (flag == survey_.flags.end()) return std::nullopt;
        return flag_type(*flag->second)->isBooleanType();
      }) {}

const TypeRow* Interpreter::row_of(const CXXRecordDecl* record) const {
  if (!record) return nullptr;
  record = record->getCanonicalDecl();
  if (const auto known = rows_.find(record); known != rows_.end()) return known->second;
  rows_[record] = nullptr;
  const std::string name = qualified(*record);
  const TypeRow* found = nullptr;
  for (const TypeRow& row : bindings_.types)
    if (row.name == name && !found) found = &row;
  if (const CXXRecordDecl* definition = record->getDefinition(); !found && definition && !record->isInStdNamespace())
    for (const CXXBaseSpecifier& base : definition->bases())
      if (const TypeRow* inherited = row_of(base.getType()->getAsCXXRecordDecl()); inherited && !found) found = inherited;
  return rows_[record] = found;
}

bool Interpreter::in_main_file(SourceLocation at) const { return at.isValid() && sources_.isInMainFile(sources_.getExpansionLoc(at)); }

// ---- the walk

void Interpreter::unit(const std::vector<Decl*>& own) {
  for (const Decl* declaration : own) visit(*declaration);
  join_plans();
}

void Interpreter::visit_all(const DeclContext& context) {
  for (const Decl* declaration : context.decls()) visit(*declaration);
}

void Interpreter::visit(const Decl& declaration) {
  // Instantiations stand where their pattern does.
  if (const auto* pattern = dyn_cast<FunctionTemplateDecl>(&declaration)) {
    for (const FunctionDecl* made : pattern->specializations()) visit(*made);
    return;
  }
  if (const auto* pattern = dyn_cast<ClassTemplateDecl>(&declaration)) {
    if (in_main_file(pattern->getLocation()))
      for (const ClassTemplateSpecializationDecl* made : pattern->specializations()) visit_all(*made);
    return;
  }
  if (const auto* space = dyn_cast<NamespaceDecl>(&declaration)) return visit_all(*space);
  if (const auto* linkage = dyn_cast<LinkageSpecDecl>(&declaration)) return visit_all(*linkage);
  if (declaration.isInvalidDecl() || !in_main_file(declaration.getLocation())) return;
  if (const auto* record = dyn_cast<CXXRecordDecl>(&declaration)) {
    if (record->isThisDeclarationADefinition() && !record->isDependentContext()) visit_all(*record);
    return;
  }
  if (const auto* f = dyn_cast<FunctionDecl>(&declaration)) return function(*f);
  if (const auto* variable = dyn_cast<VarDecl>(&declaration)) return namespace_variable(*variable);
  if (const auto* name = dyn_cast<TypedefNameDecl>(&declaration)) return alias(*name);
}

// The class inside what holds plans: a table, a list, a pointer.
static QualType held(QualType type) {
  for (int depth = 0; depth < 4; ++depth) {
    type = type.getNonReferenceType().getCanonicalType();
    if (type->isArrayType())
      type = QualType(type->getArrayElementTypeNoTypeQual(), 0);
    else if (type->isPointerType())
      type = type->getPointeeType();
    else if (const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
             special && special->isInStdNamespace()) {
      const llvm::StringRef name = special->getName();
      const unsigned which = name == "map" || name == "unordered_map" || name == "pair" ? 1 : 0;
      if (special->getTemplateArgs().size() <= which || special->getTemplateArgs()[which].getKind() != TemplateArgument::Type) return type;
      type = special->getTemplateArgs()[which].getAsType();
    } else
      return type;
  }
  return type;
}

void Interpreter::namespace_variable(const VarDecl& variable) {
  if (!variable.hasInit() || variable.getType()->isDependentType() || isa<ParmVarDecl>(variable) || variable.isLocalVarDecl()) return;
  const CXXRecordDecl* record = held(variable.getType())->getAsCXXRecordDecl();
  if (!record || record->isInStdNamespace()) return;
  // Only where a plan can be inside is it worth looking.
  const auto holds = [&](const auto& self, const CXXRecordDecl* one, int depth) -> bool {
    if (row_of(one)) return true;
    if (depth > 3 || !one->getDefinition()) return false;
    for (const FieldDecl* field : one->getDefinition()->fields())
      if (const CXXRecordDecl* inner = held(field->getType())->getAsCXXRecordDecl();
          inner && !inner->isInStdNamespace() && self(self, inner, depth + 1))
        return true;
    return false;
  };
  if (!holds(holds, record, 0)) return;
  exhausted_ = false, steps_ = 0;
  Val value = global(&variable);
  if (exhausted_) value = unknown("the program is too large to follow");
  if (!value.known() || (value.kind == Val::Kind::Object && !value.keyed && !value.record)) {
    value.record = variable.getType()->getAsCXXRecordDecl();
    if (row_of(value.record) && value.kind == Val::Kind::Unknown) value = open_object(variable.getType(), value.text);
  }
  collect(value, variable.getType(), qualified(variable), variable.getNameAsString(), variable.getSourceRange());
}

void Interpreter::collect(const Val& value, QualType type, const std::string& name, const std::string& table, SourceRange place,
                          int depth) {
  if (depth > 4) return;
  if (const TypeRow* row = value.record ? row_of(value.record) : nullptr) {
    if (row->role == Role::Plan || row->role == Role::Model || row->role == Role::Part)
      add_plan(name, *row, value, value.origin.spelled.isValid() ? value.origin.spelled : place);
    return;
  }
  if (value.kind == Val::Kind::List) {
    for (std::size_t i = 0; i < value.items.size() && i < 1000; ++i) {
      const Val& item = value.items[i];
      std::string key = std::to_string(i);
      // A row of a table that is called by its first text.
      if (item.kind == Val::Kind::Object && item.record && !row_of(item.record) && item.record->getDefinition())
        for (const FieldDecl* field : item.record->getDefinition()->fields())
          if (const auto member = item.members.find(field->getNameAsString());
              member != item.members.end() && member->second.kind == Val::Kind::Str) {
            key = member->second.text;
            break;
          }
      collect(item, type, table + "[" + key + "]", table + "[" + key + "]", place, depth + 1);
    }
    return;
  }
  if (value.kind != Val::Kind::Object) return;
  std::size_t plans_inside = 0;
  for (const auto& [key, member] : value.members) plans_inside += member.record && row_of(member.record) != nullptr;
  for (const auto& [key, member] : value.members) {
    const bool row_of_table = !value.keyed && depth > 0 && plans_inside == 1;
    const std::string inner = value.keyed ? table + "[" + key + "]" : row_of_table ? name : name + "." + key;
    collect(member, type, inner, inner, place, depth + 1);
  }
}

void Interpreter::alias(const TypedefNameDecl& alias) {
  const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(alias.getUnderlyingType()->getAsCXXRecordDecl());
  const TypeRow* row = special ? row_of(special) : nullptr;
  if (!row || row->template_map.empty()) return;
  Val object;
  object.kind = Val::Kind::Object, object.record = special->getCanonicalDecl();
  add_plan(qualified(alias), *row, placed_alias(object, alias), alias.getSourceRange());
}

// The values of the arguments, at the places where the alias spells them.
Val Interpreter::placed_alias(Val object, const TypedefNameDecl& alias) const {
  TypeLoc written = alias.getTypeSourceInfo() ? alias.getTypeSourceInfo()->getTypeLoc() : TypeLoc();
  if (!written.isNull()) {
    if (const auto elaborated = written.getAs<ElaboratedTypeLoc>()) written = elaborated.getNamedTypeLoc();
    if (const auto spelled = written.getAs<TemplateSpecializationTypeLoc>())
      for (unsigned i = 0; i < spelled.getNumArgs(); ++i) {
        const SourceRange range = spelled.getArgLoc(i).getSourceRange();
        const Expr* e = spelled.getArgLoc(i).getArgument().getKind() == TemplateArgument::Expression
                            ? spelled.getArgLoc(i).getSourceExpression()
                            : nullptr;
        Val& at = object.members["#" + std::to_string(i)];
        at.origin.spelled = at.origin.used = range;
        at.origin.literal = e && isa<IntegerLiteral>(e->IgnoreParenImpCasts());
        if (const auto* reference = dyn_cast_or_null<DeclRefExpr>(e ? e->IgnoreParenImpCasts() : nullptr))
          if (const auto* constant = dyn_cast<VarDecl>(reference->getDecl()); constant && constant->getInit()) {
            at.origin.constant = constant;
            at.origin.spelled = constant->getInit()->getSourceRange();
            at.origin.literal = isa<IntegerLiteral>(constant->getInit()->IgnoreParenImpCasts());
          }
      }
  }
  return object;
}

std::vector<Reading> Interpreter::readings(const TypeRow& row, const Val& value) const {
  std::vector<Reading> out;
  std::set<std::string> told;
  const Val nothing = unknown(value.text.empty() ? "nobody has set it here" : value.text);
  const auto add = [&](std::string name, const Target& target, Val of) {
    if (target.is.empty() || !told.insert(target.is).second) return;
    out.push_back({std::move(name), &target, std::move(of)});
  };
  // Template parameters are fixed by the type itself.
  if (const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(value.record); special && !row.template_map.empty()) {
    const TemplateParameterList* parameters = special->getSpecializedTemplate()->getTemplateParameters();
    for (unsigned i = 0; i < parameters->size() && i < special->getTemplateArgs().size(); ++i) {
      const std::string name = parameters->getParam(i)->getNameAsString();
      auto target = row.template_map.find(name);
      if (target == row.template_map.end()) target = row.template_map.find("#" + std::to_string(i));
      if (target == row.template_map.end() && i < row.template_params.size()) target = row.template_map.find(row.template_params[i]);
      if (target == row.template_map.end()) continue;
      const TemplateArgument& argument = special->getTemplateArgs()[i];
      Val of = unknown("it depends on what is not known here");
      if (argument.getKind() == TemplateArgument::Integral && argument.getAsIntegral().isRepresentableByInt64())
        of = number(argument.getAsIntegral().getExtValue(), argument.getIntegralType());
      if (const auto at = value.members.find("#" + std::to_string(i)); at != value.members.end())
        of.origin = at->second.origin;
      else
        of.origin.spelled = of.origin.used = value.origin.spelled;
      add(name, target->second, std::move(of));
    }
  }
  for (const auto& [member, target] : row.fields) {
    // A member that this version of the class does not have says nothing; neither does one that a bound call set otherwise.
    Val of = read(value, row, target, member);
    if (of.kind == Val::Kind::Unknown && value.record && row.accessors != Accessors::Message && !value.canonical.contains(target.is) &&
        !has_member(value.record, member))
      continue;
    add(member, target, std::move(of));
  }
  static const std::vector<CallRow> kNone;
  for (const std::vector<CallRow>* rows : {&row.constructors, &row.factories})
    for (const CallRow& call : *rows)
      for (const auto& [parameter, target] : call.map)
        if (const auto set = value.canonical.find(target.is); set != value.canonical.end()) add(parameter, target, set->second);
  for (const MethodRow& method : row.methods)
    if (const auto set = value.canonical.find(method.target.is); set != value.canonical.end()) add(method.name, method.target, set->second);
  // What a factory leaves to the run, and what a builder's methods said of the plan.
  for (const auto& [canonical, of] : value.canonical)
    if (!told.contains(canonical)) {
      static std::map<std::string, Target> targets;
      Target& target = targets[canonical];
      target.is = canonical;
      add(canonical, target, of);
    }
  // Bound, and out of sight: unknown, not left out.
  for (const std::vector<CallRow>* rows : {&row.constructors})
    for (const CallRow& call : *rows)
      for (const auto& [parameter, target] : call.map)
        if (value.open && row.fields.empty()) add(parameter, target, nothing);
  return out;
}

bool Interpreter::has_member(const CXXRecordDecl* record, const std::string& path) const {
  const CXXRecordDecl* at = record ? record->getDefinition() : nullptr;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(path).split(parts, '.');
  for (llvm::StringRef part : parts) {
    if (!at) return true;  // out of sight
    const FieldDecl* found = nullptr;
    const auto look = [&](const auto& self, const CXXRecordDecl* in, int depth) -> void {
      if (!in || depth > 16) return;
      for (const FieldDecl* field : in->fields())
        if (field->getName() == part) found = field;
      for (const CXXBaseSpecifier& base : in->bases())
        if (!found)
          if (const CXXRecordDecl* inner = base.getType()->getAsCXXRecordDecl()) self(self, inner->getDefinition(), depth + 1);
    };
    look(look, at, 0);
    if (!found) return false;
    const CXXRecordDecl* inner = found->getType().getNonReferenceType()->getAsCXXRecordDecl();
    at = inner ? inner->getDefinition() : nullptr;
  }
  return true;
}

void Interpreter::add_plan(std::string name, const TypeRow& row, const Val& value, SourceRange place) {
  FoundPlan plan;
  plan.name = std::move(name), plan.path = row.path, plan.place = place;
  plan.role = row.role == Role::Model ? "model" : "plan";
  plan.readings = readings(row, value);
  if (row.role == Role::Part) {
    plan.role = "part", plan.name = row.plan;
    parts_.push_back(std::move(plan));
    return;
  }
  plans.push_back(std::move(plan));
}

// Whether the compiler dropped a statement of this function that names the variable: nobody knows what stood there. A line that only
// assigns a member loses that member.
bool Interpreter::lost_to_errors(const FunctionDecl& f, const VarDecl& variable, Val& whole) const {
  const llvm::StringRef name = variable.getName();
  static const std::set<unsigned> kNone;
  const auto told = survey_.mentions.find(variable.getCanonicalDecl());
  const std::set<unsigned>& mentions = told == survey_.mentions.end() ? kNone : told->second;
  const unsigned first = sources_.getExpansionLineNumber(f.getBody()->getBeginLoc()),
                 last = sources_.getExpansionLineNumber(f.getBody()->getEndLoc());
  const llvm::StringRef text = sources_.getBufferData(sources_.getMainFileID());
  const auto error = survey_.errors.lower_bound(first);
  if (error == survey_.errors.end() || *error > last) return false;
  const unsigned declared = sources_.getExpansionLineNumber(variable.getLocation());
  for (unsigned line = first; line <= last; ++line) {
    // What the tree still holds, with its errors marked, was looked at with the rest.
    if (line == declared || mentions.contains(line) || survey_.kept_errors.contains(line)) continue;
    const SourceLocation begin = sources_.translateLineCol(sources_.getMainFileID(), line, 1);
    const llvm::StringRef content = text.substr(sources_.getFileOffset(begin)).split('\n').first;
    for (std::size_t at = content.find(name); at != llvm::StringRef::npos; at = content.find(name, at + 1)) {
      const auto word = [](char c) { return llvm::isAlnum(c) || c == '_'; };
      if ((at > 0 && word(content[at - 1])) || (at + name.size() < content.size() && word(content[at + name.size()]))) continue;
      // Only read, if members lead from it to something that is neither called nor assigned.
      llvm::StringRef rest = content.substr(at + name.size()).ltrim(), before = content.substr(0, at).rtrim();
      bool member = false;
      Val* at_member = &whole;
      while (rest.consume_front(".") || rest.consume_front("->")) {
        member = true;
        rest = rest.ltrim();
        if (at_member && at_member->kind == Val::Kind::Object) {
          const auto inner = at_member->members.find(rest.take_while(word).str());
          at_member = inner == at_member->members.end() ? nullptr : &inner->second;
        } else {
          at_member = nullptr;
        }
        rest = rest.drop_while(word).ltrim();
      }
      const bool assigned = (rest.starts_with("=") && !rest.starts_with("==")) || rest.starts_with("++") || rest.starts_with("--") ||
                            (rest.size() > 1 && rest[1] == '=' && llvm::StringRef("+-*/%&|^").contains(rest[0])) ||
                            rest.starts_with("<<=") || rest.starts_with(">>=");
      if (member && assigned && at_member) {
        *at_member = unknown("the statement that sets it has errors");
        continue;
      }
      if (!member || assigned || rest.starts_with("(") || before.ends_with("&") || before.ends_with("++") || before.ends_with("--") ||
          before.ends_with(">>"))
        return true;
    }
  }
  return false;
}

void Interpreter::function(const FunctionDecl& f) {
  const FunctionDecl* definition = nullptr;
  if (!f.doesThisDeclarationHaveABody() || !f.hasBody(definition) || definition != &f || f.isDependentContext() || f.hasSkippedBody() ||
      f.isDefaulted() || !f.getBody())
    return;
  if (isa<CXXConstructorDecl>(f) || isa<CXXDestructorDecl>(f)) return;
  // A bound class's own functions say how plans are made, and make none.
  if (const auto* method = dyn_cast<CXXMethodDecl>(&f); method && row_of(method->getParent())) return;
  state_ = {}, made_.clear(), returned_.reset(), returned_row_ = nullptr, returned_maps_.clear();
  steps_ = 0, exhausted_ = false, loop_depth_ = 0, calls_deep_ = 0, quiet_ = false;
  cell_depth_.clear(), taken_.clear();
  breaks_.clear(), continues_.clear();
  const std::size_t plans_before = plans.size(), parts_before = parts_.size();
  Frame frame;
  frame.function = &f, frame.top = true, frame.by_reference = f.getReturnType()->isReferenceType();
  frame_ = &frame;
  for (const ParmVarDecl* parameter : f.parameters()) {
    const QualType type = parameter->getType();
    Val given = open_object(type, "its caller decides");
    given.shared = type->isReferenceType();
    if (type->isPointerType()) {
      Val target = open_object(type->getPointeeType(), "its caller decides");
      target.shared = true;
      given = target.kind == Val::Kind::Object ? pointer(temporary(std::move(target))) : unknown("its caller decides");
      if (given.kind == Val::Kind::Pointer) escape(given.target);
    }
    const Where where = temporary(std::move(given));
    frame.variables[parameter] = where;
    if (type->isReferenceType()) escape(where);
    // A plan that is handed in by value and handed out again is this function's own.
    if (const TypeRow* row = type->isReferenceType() ? nullptr : row_of(type->getAsCXXRecordDecl()); row && row->role != Role::Builder)
      made_.push_back({parameter, where, row, {}, {}});
  }
  if (const auto* method = dyn_cast<CXXMethodDecl>(&f); method && !method->isStatic()) {
    Val object;
    object.kind = Val::Kind::Object, object.record = method->getParent()->getCanonicalDecl(), object.open = true,
    object.text = "its caller decides", object.shared = true;
    frame.self = temporary(std::move(object));
    escape(frame.self);
  }
  const bool lost = jumps(f.getBody());
  run(f.getBody());
  State end = std::move(state_);
  for (auto& [value, state] : frame.returns) end = join(std::move(end), std::move(state));
  state_ = std::move(end);
  frame_ = nullptr;

  std::erase_if(made_, [](const Made& made) { return made.variable && isa<ParmVarDecl>(made.variable) && !made.returned; });
  std::erase_if(made_, [](const Made& made) { return made.row->role == Role::Builder; });
  const std::size_t own =
      static_cast<std::size_t>(std::count_if(made_.begin(), made_.end(), [](const Made& m) { return m.row->role != Role::Part; })) +
      (returned_ ? 1 : 0);
  std::string called = f.getNameAsString();
  if (const TemplateArgumentList* arguments = f.getTemplateSpecializationArgs()) {
    called += "<";
    for (unsigned i = 0; i < arguments->size(); ++i) {
      std::string text;
      llvm::raw_string_ostream out(text);
      arguments->get(i).print(context_.getPrintingPolicy(), out, false);
      called += (i ? ", " : "") + text;
    }
    called += ">";
  }
  const auto spoilt = [&](const TypeRow& row, const Val& value) {
    Val out;
    out.kind = Val::Kind::Object, out.record = value.record, out.open = true;
    out.text = lost ? "the program jumps here in ways that are not followed" : "the program is too large to follow";
    out.origin = value.origin;
    (void)row;
    return out;
  };
  for (const Made& made : made_) {
    Val whole = made.returned ? *made.returned : made.moved ? *made.moved : load(made.where);
    if (!whole.record) whole.record = made.variable->getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (lost || exhausted_ || lost_to_errors(f, *made.variable, whole)) whole = spoilt(*made.row, whole);
    add_plan(own == 1 ? called : made.variable->getNameAsString(), *made.row, whole, made.variable->getSourceRange());
  }
  if (returned_ && returned_row_) {
    Val whole = *returned_;
    if (lost || exhausted_) whole = spoilt(*returned_row_, whole);
    add_plan(called, *returned_row_, whole, whole.origin.spelled);
  }
  // Functions that return a bound map.
  for (const StringMapRow& row : bindings_.string_maps) {
    if (std::find(row.sinks.begin() + static_cast<std::ptrdiff_t>(row.takes), row.sinks.end(), qualified(f)) == row.sinks.end()) continue;
    FoundPlan plan;
    plan.role = "map", plan.path = row.path, plan.place = f.getSourceRange(), plan.name = called;
    std::optional<Val> map;
    for (const auto& [value, state] : frame.returns) {
      Val one = value;
      if (lost || exhausted_) one = unknown("the program is too large to follow");
      map = map ? join(*map, one) : one;
    }
    if (!map) continue;
    for (const auto& [key, target] : row.keys) {
      const auto entry = map->members.find(key);
      plan.readings.push_back(
          {key, &target, entry == map->members.end() ? unknown(map->known() ? "the map does not have it" : map->text) : entry->second});
    }
    plans.push_back(std::move(plan));
  }
  if (lost || exhausted_) {
    for (std::size_t i = parts_before; i < parts_.size(); ++i)
      for (Reading& reading : parts_[i].readings) reading.value = unknown("the program is too large to follow");
    (void)plans_before;
  }
}

// Flags, bound calls and parts become one plan each by the name that they join.
void Interpreter::join_plans() {
  std::map<std::string, std::vector<const FoundPlan*>> by_name;
  std::string joined;
  for (const FoundPlan& part : parts_) {
    const std::string name = !part.name.empty() ? part.name : bindings_.flags.empty() ? "program" : "flags";
    by_name[name].push_back(&part);
    if (name != "flags") joined = joined.empty() ? name : joined;
  }
  // The flags themselves, where this unit defines any of them.
  std::vector<FoundPlan> flags;
  for (const FlagsRow& row : bindings_.flags) {
    FoundPlan plan;
    plan.role = "flags", plan.path = row.path;
    for (const auto& [name, target] : row.map) {
      const auto found = survey_.flags.find(name);
      const VarDecl* variable = found == survey_.flags.end() ? nullptr : found->second->getDefinition();
      // One that is defined elsewhere is of interest where the command line gives it.
      if (!variable && found != survey_.flags.end() && command_line_.find(name)) variable = found->second;
      if (!variable || !in_main_file(variable->getLocation())) continue;
      frame_ = nullptr, steps_ = 0, exhausted_ = false;
      Val value = flag(variable);
      if (!plan.place.isValid()) plan.place = variable->getSourceRange();
      plan.readings.push_back({name, &target, std::move(value)});
    }
    if (!plan.readings.empty()) flags.push_back(std::move(plan));
  }
  for (const FoundPlan& one : flags) by_name[joined.empty() ? "flags" : joined].push_back(&one);
  for (const auto& [name, sources] : by_name) {
    FoundPlan plan;
    plan.name = name, plan.role = name == "flags" ? "flags" : "program", plan.path = sources[0]->path, plan.place = sources[0]->place;
    // Calls decide over flags, which only feed them; several that disagree leave it unknown.
    std::map<std::string, Reading> readings;
    std::map<std::string, bool> by_call;
    for (const bool calls : {true, false})
      for (const FoundPlan* source : sources) {
        if ((source->role != "flags") != calls) continue;
        for (const Reading& reading : source->readings) {
          const auto [entry, fresh] = readings.try_emplace(reading.target->is, reading);
          if (fresh) {
            by_call[reading.target->is] = calls;
            continue;
          }
          if (calls) {
            entry->second.value = join(entry->second.value, reading.value);
          } else if (by_call[reading.target->is] && same(entry->second.value, reading.value)) {
            entry->second = reading;  // the flag is where people know it
          }
        }
      }
    for (auto& [canonical, reading] : readings) plan.readings.push_back(std::move(reading));
    plans.push_back(std::move(plan));
  }
}

}  // namespace shardlint::cxx
