// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Statements.
#include <clang/AST/DeclTemplate.h>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {

using clang::dyn_cast;

term executor::stopped() {
  const frame& f = frames_.back();
  term stop = memory_.cells.at(f.returned).scalar;
  for (const auto& [broken, continued] : f.exits)
    for (int flag : {broken, continued})
      if (flag >= 0) stop = logical_or(stop, memory_.cells.at(flag).scalar);
  return stop;
}

//! Executes `what` unless the iteration, loop or function was left; then, memory stays as it is.
void executor::unless_stopped(source at, const std::function<void()>& what) {
  const term stop = stopped();
  if (is_number(stop, 1)) return;
  if (is_number(stop, 0)) return what();
  const memory left = memory_;
  const auto flags = [&](const std::function<void(int)>& f) {
    f(frames_.back().returned);
    for (const auto& [broken, continued] : frames_.back().exits)
      for (int flag : {broken, continued})
        if (flag >= 0) f(flag);
  };
  flags([&](int flag) { memory_.cells.at(flag).scalar = boolean(false); });
  what();
  const memory after = std::move(memory_);
  join(stop, left, after, at);
  // A flag that was up implies `stop`, which keeps the merged flags simple.
  flags([&](int flag) {
    const term was = left.cells.at(flag).scalar, now = after.cells.at(flag).scalar;
    memory_.cells.at(flag).scalar = logical_or(was, was == stop ? now : logical_and(logical_not(stop), now));
  });
}

void executor::raise(int flag) { memory_.cells.at(flag).scalar = boolean(true); }

void executor::execute_all(const std::vector<const clang::Stmt*>& list, std::size_t from) {
  for (std::size_t i = from; i < list.size(); ++i) {
    if (i + 1 < list.size() && is_unrolled(list[i], list[i + 1])) {
      if (const auto* counted = clang::dyn_cast<clang::ForStmt>(list[i]); counted && counted->getInit()) execute(counted->getInit());
      continue;
    }
    execute(list[i]);
    const term stop = stopped();
    if (is_number(stop, 1)) return;
    if (!stop->is(op::number) && i + 1 < list.size()) {
      const depth_guard guard(statement_depth_);
      return unless_stopped(list[i + 1]->getBeginLoc(), [&] { execute_all(list, i + 1); });
    }
  }
}

void executor::declare(const clang::VarDecl* v) {
  const source at = v->getLocation();
  const clang::QualType t = v->getType();
  if (t.isVolatileQualified())
    refuse("TF4004", at, "a volatile variable", "every access of a volatile object is an effect of its own", "drop volatile");
  check_class(t, at);
  if (v->isStaticLocal()) {
    if (!t.isConstQualified() && !v->isConstexpr())
      refuse("TF4009", at, "the static variable '" + v->getNameAsString() + "'", "its value survives from call to call",
             "make it a parameter or a local variable");
    return;
  }
  const std::string outer_hint = name_hint_;
  name_hint_ = v->getNameAsString();
  const clang::Expr* init = v->getInit();
  const bool array_of_variable_length = t->isVariableArrayType();
  if (t->isReferenceType()) {
    if (!init) refuse("TF4001", at, "a reference without an initialiser", "it refers to nothing", "bind it");
    const place p = locate(init);
    // A reference to an expiring value keeps it alive under the variable's own name.
    if (objects_[p.object].name.empty()) objects_[p.object].name = v->getNameAsString();
    frames_.back().variables[v] = p;
  } else if (array_of_variable_length) {
    const auto* a = context_.getAsVariableArrayType(t);
    array_info info{.name = name_hint_,
                    .element = need_scalar_type(a->getElementType(), at),
                    .extents = {scalar(a->getSizeExpr())},
                    .where = where(at)};
    const term extent = info.extents[0];
    const int id = new_array(std::move(info));
    frames_.back().variables[v] = {new_cell(value::view({id, {number(0L, long_type)}, {}}, extent, true), name_hint_, at), {}, {}};
  } else {
    const bool plain = !init || (clang::isa<clang::CXXConstructExpr>(init) && dyn_cast<clang::CXXConstructExpr>(init)->getNumArgs() == 0 &&
                                 dyn_cast<clang::CXXConstructExpr>(init)->getConstructor()->isTrivial() &&
                                 dyn_cast<clang::CXXConstructExpr>(init)->getConstructor()->isDefaultConstructor());
    value x;
    if (plain) x = zero(t, at, true);
    else x = evaluate(init);
    if (x.what == value::kind::view && x.owner && !plain && init->isGLValue()) x = copy(x, at);
    const place p{new_cell(std::move(x), name_hint_, at), {}, {}};
    objects_[p.object].type = t;
    frames_.back().variables[v] = p;
  }
  name_hint_ = outer_hint;
}

void executor::execute_return(const clang::ReturnStmt* s) {
  frame& f = frames_.back();
  if (const auto* e = s->getRetValue()) {
    value v;
    if (f.function && f.function->getReturnType()->isReferenceType()) v = value::pointer(locate(e));
    else v = evaluate(e);
    memory_.cells.at(frames_.back().result) = std::move(v);
  }
  raise(frames_.back().returned);
}

void executor::execute_switch(const clang::SwitchStmt* s) {
  if (s->getInit()) execute(s->getInit());
  if (s->getConditionVariable()) declare(s->getConditionVariable());
  const term x = scalar(s->getCond());
  const auto* body = dyn_cast<clang::CompoundStmt>(s->getBody());
  if (!body) refuse("TF4001", s->getBeginLoc(), "a switch without braces", "its cases cannot be told apart", "use braces");
  // Which label is taken: default if no other is.
  term any = boolean(false);
  const auto matches = [&](const clang::CaseStmt* c) {
    const auto value_of = [&](const clang::Expr* e) { return convert_to(scalar(e), x->type, e->getExprLoc()); };
    const term low = value_of(c->getLHS());
    return c->getRHS() ? logical_and(less_equal(low, x), less_equal(x, value_of(c->getRHS()))) : equal(x, low);
  };
  for (const auto* c = s->getSwitchCaseList(); c; c = c->getNextSwitchCase())
    if (const auto* k = dyn_cast<clang::CaseStmt>(c)) any = logical_or(any, matches(k));
  const int broken = new_cell(value::of(boolean(false)), "", s->getBeginLoc());
  frames_.back().exits.emplace_back(broken, -1);
  term entered = boolean(false);
  for (const clang::Stmt* child : body->body()) {
    while (const auto* label = dyn_cast<clang::SwitchCase>(child)) {
      const auto* k = dyn_cast<clang::CaseStmt>(label);
      entered = logical_or(entered, k ? matches(k) : logical_not(any));
      child = label->getSubStmt();
    }
    const clang::Stmt* statement = child;
    conditionally(
        entered, child->getBeginLoc(), [&] { unless_stopped(statement->getBeginLoc(), [&] { execute(statement); }); }, [] {});
  }
  frames_.back().exits.pop_back();
}

void executor::execute_for_range(const clang::CXXForRangeStmt* s) {
  if (s->getInit()) execute(s->getInit());
  execute(s->getRangeStmt());
  execute(s->getBeginStmt());
  execute(s->getEndStmt());
  loop_form f{.at = s->getForLoc(), .index_name = "i"};
  f.condition = [=, this] { return condition(s->getCond()); };
  f.body = [=, this] {
    execute(s->getLoopVarStmt());
    execute(s->getBody());
  };
  f.increment = [=, this] { evaluate(s->getInc()); };
  run_loop(f);
}

void executor::execute(const clang::Stmt* s) {
  if (!s) return;
  const source at = s->getBeginLoc();
  const depth_guard guard(statement_depth_);
  if (statement_depth_ > deepest_nesting)
    refuse("TF4002", at, "statements nested deeper than " + std::to_string(deepest_nesting), "the depth is limited",
           "use a switch, or move some of it into a helper");
  if (const auto* e = dyn_cast<clang::Expr>(s)) {
    evaluate(e);
    return;
  }
  switch (s->getStmtClass()) {
    case clang::Stmt::NullStmtClass:
      return;
    case clang::Stmt::CompoundStmtClass: {
      const auto* c = dyn_cast<clang::CompoundStmt>(s);
      return execute_all({c->body_begin(), c->body_end()}, 0);
    }
    case clang::Stmt::AttributedStmtClass:
      return execute(dyn_cast<clang::AttributedStmt>(s)->getSubStmt());
    case clang::Stmt::DeclStmtClass:
      for (const auto* d : dyn_cast<clang::DeclStmt>(s)->decls()) {
        if (const auto* v = dyn_cast<clang::VarDecl>(d)) declare(v);
        else if (!clang::isa<clang::TypeDecl, clang::UsingDecl, clang::UsingDirectiveDecl, clang::StaticAssertDecl, clang::EmptyDecl,
                             clang::NamespaceAliasDecl>(d))
          refuse("TF4001", at, "this declaration", "it has no reading here", "declare variables only");
      }
      return;
    case clang::Stmt::ReturnStmtClass:
      return execute_return(dyn_cast<clang::ReturnStmt>(s));
    case clang::Stmt::IfStmtClass: {
      const auto* i = dyn_cast<clang::IfStmt>(s);
      if (i->getInit()) execute(i->getInit());
      if (i->getConditionVariable()) declare(i->getConditionVariable());
      if (i->isConsteval()) refuse("TF4001", at, "if consteval", "it has two readings", "use a plain if");
      return conditionally(
          condition(i->getCond()), at, [&] { execute(i->getThen()); }, [&] { execute(i->getElse()); });
    }
    case clang::Stmt::SwitchStmtClass:
      return execute_switch(dyn_cast<clang::SwitchStmt>(s));
    case clang::Stmt::ForStmtClass: {
      const auto* l = dyn_cast<clang::ForStmt>(s);
      if (l->getConditionVariable())
        refuse("TF4001", at, "a loop condition that declares a variable", "it has no reading here", "declare it before the loop");
      execute(l->getInit());
      loop_form f{.at = l->getForLoc(), .index_name = "i"};
      f.condition = [=, this] { return l->getCond() ? condition(l->getCond()) : boolean(true); };
      f.body = [=, this] { execute(l->getBody()); };
      f.increment = [=, this] {
        if (l->getInc()) evaluate(l->getInc());
      };
      return run_loop(f);
    }
    case clang::Stmt::WhileStmtClass: {
      const auto* l = dyn_cast<clang::WhileStmt>(s);
      if (l->getConditionVariable())
        refuse("TF4001", at, "a loop condition that declares a variable", "it has no reading here", "declare it before the loop");
      loop_form f{.at = l->getWhileLoc(), .index_name = "i"};
      f.condition = [=, this] { return condition(l->getCond()); };
      f.body = [=, this] { execute(l->getBody()); };
      f.increment = [] {};
      return run_loop(f);
    }
    case clang::Stmt::DoStmtClass: {
      const auto* l = dyn_cast<clang::DoStmt>(s);
      loop_form f{.at = l->getDoLoc(), .index_name = "i"};
      f.condition = [=, this] { return condition(l->getCond()); };
      f.body = [=, this] { execute(l->getBody()); };
      f.increment = [] {};
      f.body_first = true;
      return run_loop(f);
    }
    case clang::Stmt::CXXForRangeStmtClass:
      return execute_for_range(dyn_cast<clang::CXXForRangeStmt>(s));
    case clang::Stmt::BreakStmtClass:
      for (auto e = frames_.back().exits.rbegin(); e != frames_.back().exits.rend(); ++e)
        if (e->first >= 0) return raise(e->first);
      break;
    case clang::Stmt::ContinueStmtClass:
      for (auto e = frames_.back().exits.rbegin(); e != frames_.back().exits.rend(); ++e)
        if (e->second >= 0) return raise(e->second);
      break;
    case clang::Stmt::GotoStmtClass:
    case clang::Stmt::IndirectGotoStmtClass:
    case clang::Stmt::LabelStmtClass:
      refuse("TF4013", at, "goto", "a jump into or out of a loop has no reading as a step", "use break, continue or return");
    case clang::Stmt::CXXTryStmtClass:
      refuse("TF4012", at, "try", "exceptions leave the loop in a way that no merge can follow", "return a flag instead");
    case clang::Stmt::GCCAsmStmtClass:
    case clang::Stmt::MSAsmStmtClass:
      refuse("TF4014", at, "inline assembly", "its effect is not known", "write it in C++");
    default:
      break;
  }
  refuse("TF4001", at, std::string("a statement of kind ") + s->getStmtClassName(), "it has no reading here",
         "use assignments, if, switch, loops and return");
}

}  // namespace twofold::analyser::frontend
