// Statements: branches are run side by side and joined; what a loop writes is unknown.
#include <clang/AST/StmtCXX.h>

#include "checker/cxx/interpreter.h"

namespace shardlint::cxx {

using namespace clang;

// Whether control may jump in ways that are not followed.
bool Interpreter::jumps(const Stmt* s) {
  if (!s) return false;
  switch (s->getStmtClass()) {
    case Stmt::GotoStmtClass:
    case Stmt::IndirectGotoStmtClass:
    case Stmt::LabelStmtClass:
    case Stmt::GCCAsmStmtClass:
    case Stmt::MSAsmStmtClass:
    case Stmt::CoroutineBodyStmtClass: return true;
    case Stmt::LambdaExprClass: return false;
    case Stmt::SwitchStmtClass: {
      // Labels inside other statements: control enters these from outside.
      const auto* body = dyn_cast_or_null<CompoundStmt>(cast<SwitchStmt>(s)->getBody());
      if (!body) return true;
      std::size_t top = 0, all = 0;
      for (const Stmt* inner : body->body())
        for (const auto* label = dyn_cast<SwitchCase>(inner); label; label = dyn_cast<SwitchCase>(label->getSubStmt())) ++top;
      for (const SwitchCase* label = cast<SwitchStmt>(s)->getSwitchCaseList(); label; label = label->getNextSwitchCase()) ++all;
      if (top != all) return true;
      break;
    }
    case Stmt::CallExprClass:
      if (const FunctionDecl* callee = cast<CallExpr>(s)->getDirectCallee())
        if (callee->getIdentifier() && (callee->getName() == "setjmp" || callee->getName() == "_setjmp" || callee->getName() == "longjmp"))
          return true;
      break;
    default: break;
  }
  for (const Stmt* child : s->children())
    if (jumps(child)) return true;
  return false;
}

void Interpreter::run(const Stmt* s) {
  if (!s || !state_.live || !steps_left()) return;
  switch (s->getStmtClass()) {
    case Stmt::CompoundStmtClass:
      for (const Stmt* inner : cast<CompoundStmt>(s)->body()) run(inner);
      return;
    case Stmt::DeclStmtClass:
      for (const Decl* declaration : cast<DeclStmt>(s)->decls())
        if (const auto* variable = dyn_cast<VarDecl>(declaration)) declare(*variable);
      return;
    case Stmt::NullStmtClass: return;
    case Stmt::AttributedStmtClass: return run(cast<AttributedStmt>(s)->getSubStmt());
    case Stmt::ReturnStmtClass: return leave(*cast<ReturnStmt>(s));
    case Stmt::IfStmtClass: {
      const auto& choice = *cast<IfStmt>(s);
      if (choice.isConsteval()) return run(choice.isNonNegatedConsteval() ? choice.getElse() : choice.getThen());
      run(choice.getInit());
      if (choice.getConditionVariable()) declare(*choice.getConditionVariable());
      const Val condition = value(choice.getCond());
      if (decides(condition)) return run(condition.integer ? choice.getThen() : choice.getElse());
      State before = state_;
      run(choice.getThen());
      State after = std::exchange(state_, std::move(before));
      run(choice.getElse());
      state_ = join(std::move(after), std::move(state_));
      return;
    }
    case Stmt::SwitchStmtClass: return choose(*cast<SwitchStmt>(s));
    case Stmt::CaseStmtClass: return run(cast<CaseStmt>(s)->getSubStmt());
    case Stmt::DefaultStmtClass: return run(cast<DefaultStmt>(s)->getSubStmt());
    case Stmt::ForStmtClass:
    case Stmt::WhileStmtClass:
    case Stmt::DoStmtClass:
    case Stmt::CXXForRangeStmtClass: return loop(*s);
    case Stmt::BreakStmtClass:
      if (!breaks_.empty()) breaks_.back()->push_back(state_);
      state_.live = false;
      return;
    case Stmt::ContinueStmtClass:
      if (!continues_.empty()) continues_.back()->push_back(state_);
      state_.live = false;
      return;
    case Stmt::CXXTryStmtClass: {
      const auto& attempt = *cast<CXXTryStmt>(s);
      State before = state_;
      run(attempt.getTryBlock());
      State after = state_;
      // A handler may begin after any of the block's writes.
      state_ = before;
      const bool quiet = std::exchange(quiet_, true);
      ++loop_depth_;
      std::vector<State> ignored;
      breaks_.push_back(&ignored), continues_.push_back(&ignored);
      const std::size_t returns = frame_ ? frame_->returns.size() : 0;
      run(attempt.getTryBlock());
      State thrown = std::move(state_);
      for (State& state : ignored) thrown = join(std::move(thrown), std::move(state));
      for (std::size_t i = returns; frame_ && i < frame_->returns.size(); ++i) thrown = join(std::move(thrown), frame_->returns[i].second);
      if (frame_) frame_->returns.resize(returns);
      breaks_.pop_back(), continues_.pop_back();
      --loop_depth_;
      quiet_ = quiet;
      thrown = join(std::move(thrown), std::move(before));
      for (unsigned i = 0; i < attempt.getNumHandlers(); ++i) {
        state_ = thrown;
        if (const VarDecl* caught = attempt.getHandler(i)->getExceptionDecl(); caught && frame_)
          frame_->variables[caught] = temporary(open_object(caught->getType(), "an exception"));
        run(attempt.getHandler(i)->getHandlerBlock());
        after = join(std::move(after), std::move(state_));
      }
      state_ = std::move(after);
      return;
    }
    default: break;
  }
  if (const auto* e = dyn_cast<Expr>(s)) {
    if (isa<CXXThrowExpr>(e->IgnoreParens())) {
      state_.live = false;
      return;
    }
    if (e->isGLValue())
      place(e);
    else
      value(e);
    // A call that never returns.
    if (const auto* ended = dyn_cast<CallExpr>(e->IgnoreImplicit()))
      if (const FunctionDecl* callee = ended->getDirectCallee(); callee && callee->isNoReturn()) state_.live = false;
    return;
  }
  // What is not known to be harmless may have written anything that has an address.
  for (const Stmt* child : s->children()) run(child);
  outside();
}

void Interpreter::declare(const VarDecl& variable) {
  if (!frame_) return;
  if (variable.isInvalidDecl()) {
    frame_->variables[&variable] = temporary(open_object(variable.getType(), "its declaration has errors"));
    return;
  }
  const QualType type = variable.getType();
  const Expr* init = variable.getInit();
  const TypeRow* row = row_of(type.getNonReferenceType()->getAsCXXRecordDecl());
  if (variable.isStaticLocal() || variable.hasExternalStorage()) {
    if (type.isConstQualified() || variable.isConstexpr()) {  // read like any constant
      global(&variable);
      if (const auto fixed = globals_.find(&variable); row && frame_->top && !quiet_ && fixed != globals_.end())
        made_.push_back({&variable, fixed->second, row, {}, {}});
      return;
    }
    frame_->variables[&variable] = temporary(open_object(type, "it keeps what an earlier call left"));
  } else if (type->isReferenceType()) {
    const int cells = next_cell_;
    Where where = init ? place(init) : Where{};
    if (!where.known() && where.cell > -2) {
      where = temporary(open_object(type.getNonReferenceType(), "what it refers to is not certain"));
      escape(where);
    }
    frame_->variables[&variable] = where;
    // A reference to something of its own is a name for it.
    if (where.cell < cells) row = nullptr;
    if (init && isa<ConditionalOperator>(init->IgnoreParenImpCasts())) row = nullptr;
    if (init && isa<CallExpr>(init->IgnoreImplicit()) && type.getNonReferenceType().isConstQualified() && where.path.size()) row = nullptr;
    if (row && frame_->top && !quiet_) made_.push_back({&variable, where, row, {}, {}});
    return;
  } else {
    Val to = init ? fitted(value(init), type) : fresh(type, false);
    if (to.kind == Val::Kind::Pointer || type->isPointerType()) {
      const TypeRow* pointed = type->isPointerType() ? row_of(type->getPointeeType()->getAsCXXRecordDecl()) : nullptr;
      if (to.kind == Val::Kind::Pointer && frame_->top && !quiet_) {
        const Val* target = state_.find(to.target);
        if (!pointed && target) pointed = row_of(target->record);
        // A plan of its own on the heap or elsewhere; a pointer to a variable or into one is only another name.
        const bool own = target && to.target.path.empty() &&
                         std::none_of(frame_->variables.begin(), frame_->variables.end(),
                                      [&](const auto& v) { return v.second.cell == to.target.cell; });
        if (pointed && own && !std::any_of(made_.begin(), made_.end(), [&](const Made& m) { return m.where == to.target; }))
          made_.push_back({&variable, to.target, pointed, {}, {}});
      }
    }
    if (to.kind == Val::Kind::Object && !to.record) to.record = type->getAsCXXRecordDecl();
    if (!to.known()) to.record = type->getAsCXXRecordDecl();
    if (type.isVolatileQualified()) to = unknown("it is volatile");
    frame_->variables[&variable] = temporary(std::move(to));
  }
  if (!frame_->top || quiet_) return;
  const Where where = frame_->variables[&variable];
  if (row) made_.push_back({&variable, where, row, {}, {}});
}

// Twice over the body: once to see what it writes, then with all that unknown.
void Interpreter::loop(const Stmt& s) {
  const Expr* condition = nullptr;
  const Stmt* body = nullptr;
  const Expr* step = nullptr;
  bool once = false;
  if (const auto* counted = dyn_cast<ForStmt>(&s)) {
    run(counted->getInit());
    condition = counted->getCond(), body = counted->getBody(), step = counted->getInc();
  } else if (const auto* ranged = dyn_cast<CXXForRangeStmt>(&s)) {
    run(ranged->getInit());
    run(ranged->getRangeStmt());
    const VarDecl* item = ranged->getLoopVariable();
    if (const Expr* range = ranged->getRangeInit(); range && item) {
      // Items may be written through a reference to one of them.
      if (item->getType()->isReferenceType() && !item->getType().getNonReferenceType().isConstQualified() && range->isGLValue())
        havoc(place(range), "its items may be written in a loop");
    }
    body = ranged->getBody();
  } else if (const auto* first = dyn_cast<DoStmt>(&s)) {
    condition = first->getCond(), body = first->getBody(), once = true;
  } else {
    condition = cast<WhileStmt>(s).getCond(), body = cast<WhileStmt>(s).getBody();
  }
  if (!state_.live) return;
  (void)once;  // what it sets is set in a loop all the same
  const bool quiet = quiet_;
  State before = state_;
  for (int pass = 0; pass < 2; ++pass) {
    quiet_ = quiet || pass == 0;
    ++loop_depth_;
    std::vector<State> left, again;
    breaks_.push_back(&left), continues_.push_back(&again);
    const std::size_t returns = frame_ ? frame_->returns.size() : 0;
    if (const auto* ranged = dyn_cast<CXXForRangeStmt>(&s); ranged && ranged->getLoopVariable() && frame_)
      frame_->variables[ranged->getLoopVariable()] = temporary(open_object(ranged->getLoopVariable()->getType(), "one of several items"));
    if (const auto* waiting = dyn_cast<WhileStmt>(&s); waiting && waiting->getConditionVariable())
      declare(*waiting->getConditionVariable());
    if (condition && pass == 1) value(condition);
    run(body);
    for (State& state : again) state_ = join(std::move(state_), std::move(state));
    if (step && state_.live) step->isGLValue() ? void(place(step)) : void(value(step));
    if (condition && state_.live) value(condition);
    for (State& state : left) state_ = join(std::move(state_), std::move(state));
    breaks_.pop_back(), continues_.pop_back();
    --loop_depth_;
    state_ = join(std::move(state_), before);
    if (pass == 0) {
      if (frame_) frame_->returns.resize(returns);
      before = state_;
    }
  }
  quiet_ = quiet;
}

void Interpreter::choose(const SwitchStmt& s) {
  run(s.getInit());
  if (s.getConditionVariable()) declare(*s.getConditionVariable());
  const Val condition = value(s.getCond());
  const auto* body = dyn_cast_or_null<CompoundStmt>(s.getBody());
  if (!body) {
    outside();
    return;
  }
  // The statements where each label stands.
  struct Label {
    std::size_t at;
    const SwitchCase* label;
  };
  std::vector<const Stmt*> statements(body->body_begin(), body->body_end());
  std::vector<Label> labels;
  bool otherwise = false;
  for (std::size_t i = 0; i < statements.size(); ++i)
    for (const auto* label = dyn_cast<SwitchCase>(statements[i]); label; label = dyn_cast<SwitchCase>(label->getSubStmt())) {
      labels.push_back({i, label});
      otherwise |= isa<DefaultStmt>(label);
    }
  std::vector<State> left;
  const State before = state_;
  const auto run_from = [&](std::size_t at) {
    state_ = before;
    breaks_.push_back(&left);
    for (std::size_t i = at; i < statements.size(); ++i) run(statements[i]);
    breaks_.pop_back();
    left.push_back(state_);
  };
  if (decides(condition)) {
    const Label* chosen = nullptr;
    for (const Label& label : labels) {
      if (isa<DefaultStmt>(label.label)) {
        if (!chosen) chosen = &label;
        continue;
      }
      const Val low = value(cast<CaseStmt>(label.label)->getLHS());
      const Expr* high = cast<CaseStmt>(label.label)->getRHS();
      if (high || !low.is_number()) {
        chosen = nullptr;
        break;
      }
      if (low.integer == condition.integer) {
        chosen = &label;
        break;
      }
    }
    if (chosen)
      run_from(chosen->at);
    else
      left.push_back(before);
  } else {
    std::size_t last = statements.size();
    for (const Label& label : labels)
      if (label.at != last) run_from(last = label.at);
    if (!otherwise) left.push_back(before);
  }
  State after;
  after.live = false;
  for (State& state : left) after = join(std::move(after), std::move(state));
  state_ = std::move(after);
}

void Interpreter::leave(const ReturnStmt& s) {
  const Expr* e = s.getRetValue();
  Val out = unset();
  if (e) {
    if (frame_ && frame_->by_reference)
      out = pointer(place(e));
    else
      out = value(e);
  }
  if (frame_ && frame_->top && !quiet_ && e && !frame_->by_reference) {
    // The variable that is returned, whether it is copied, moved or neither.
    const Expr* inner = e->IgnoreImplicit();
    const VarDecl* variable = nullptr;
    for (int i = 0; i < 8 && inner; ++i) {
      inner = inner->IgnoreParens()->IgnoreImplicit();
      if (const auto* made = dyn_cast<CXXConstructExpr>(inner);
          made && made->getNumArgs() == 1 && made->getConstructor()->isCopyOrMoveConstructor())
        inner = made->getArg(0);
      else if (const auto* moved = dyn_cast<CallExpr>(inner);
               moved && moved->getNumArgs() == 1 && moved->getDirectCallee() && moved->getDirectCallee()->isInStdNamespace() &&
               moved->getDirectCallee()->getIdentifier() && moved->getDirectCallee()->getName() == "move")
        inner = moved->getArg(0);
      else
        break;
    }
    if (const auto* reference = dyn_cast_or_null<DeclRefExpr>(inner)) variable = dyn_cast<VarDecl>(reference->getDecl());
    const auto made = std::find_if(made_.begin(), made_.end(), [&](const Made& m) { return m.variable && m.variable == variable; });
    if (made != made_.end()) {
      made->returned = made->returned ? join(*made->returned, out) : out;
    } else if (out.kind == Val::Kind::Object || out.kind == Val::Kind::Unknown) {
      const TypeRow* row = row_of(out.record);
      if (!row) row = row_of(frame_->function->getReturnType()->getAsCXXRecordDecl());
      if (row && row->role != Role::Builder) {
        Val whole = out;
        if (!whole.known()) whole = open_object(frame_->function->getReturnType(), out.text);
        if (!whole.origin.spelled.isValid()) whole.origin.spelled = e->getSourceRange();
        returned_ = returned_ ? join(*returned_, whole) : whole;
        returned_row_ = row;
      }
      if (out.keyed) returned_maps_.push_back(out);
    }
  }
  if (frame_) frame_->returns.emplace_back(std::move(out), state_);
  state_.live = false;
}

}  // namespace shardlint::cxx
