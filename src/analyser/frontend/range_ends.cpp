// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Two pointer parameters that are one range: `f(const T* first, const T* last)`. The one that is only ever compared with the other
//! (or with a cursor that starts there), or handed to an algorithm beside it, is where its array ends.
#include "frontend/range_ends.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include <set>

namespace twofold::analyser::frontend {
namespace {

using clang::dyn_cast;
using pointer_parameter = const clang::ParmVarDecl*;

class range_visitor : public clang::RecursiveASTVisitor<range_visitor> {
 public:
  std::set<std::pair<pointer_parameter, pointer_parameter>> compared;  // in either order
  std::set<pointer_parameter> used;                                    // moved, read through, or handed to something unknown

  bool VisitBinaryOperator(clang::BinaryOperator* e) {
    if (!e->isComparisonOp() && e->getOpcode() != clang::BO_Sub) return true;
    meet(e->getLHS(), e->getRHS());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* e) {
    const auto* f = e->getDirectCallee();
    if (f && f->isInStdNamespace() && e->getNumArgs() >= 2) meet(e->getArg(0), e->getArg(1));
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* e) {
    if (pointer_parameter p = pointer(e->getSubExpr())) used.insert(p);
    return true;
  }
  bool VisitCompoundAssignOperator(clang::CompoundAssignOperator* e) {
    if (pointer_parameter p = pointer(e->getLHS())) used.insert(p);
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* e) {
    if (pointer_parameter p = pointer(e->getBase())) used.insert(p);
    return true;
  }

 private:
  //! The pointer parameter that e names, or that the local cursor e was initialised with.
  static pointer_parameter pointer(const clang::Expr* e) {
    e = e->IgnoreParenImpCasts();
    if (const auto* step = dyn_cast<clang::UnaryOperator>(e); step && step->isIncrementDecrementOp())
      e = step->getSubExpr()->IgnoreParenImpCasts();
    const auto* name = dyn_cast<clang::DeclRefExpr>(e);
    if (!name || !name->getType()->isPointerType()) return nullptr;
    if (const auto* p = dyn_cast<clang::ParmVarDecl>(name->getDecl())) return p;
    const auto* local = dyn_cast<clang::VarDecl>(name->getDecl());
    if (!local || !local->hasInit()) return nullptr;
    const auto* from = dyn_cast<clang::DeclRefExpr>(local->getInit()->IgnoreParenImpCasts());
    return from ? dyn_cast<clang::ParmVarDecl>(from->getDecl()) : nullptr;
  }
  void meet(const clang::Expr* a, const clang::Expr* b) {
    const pointer_parameter p = pointer(a), q = pointer(b);
    if (p && q && p != q && p->getType().getCanonicalType().getUnqualifiedType() == q->getType().getCanonicalType().getUnqualifiedType())
      compared.insert({p, q});
  }
};

}  // namespace

std::map<pointer_parameter, pointer_parameter> range_ends(const clang::FunctionDecl* f) {
  range_visitor v;
  v.TraverseStmt(f->getBody());
  std::map<pointer_parameter, pointer_parameter> ends;
  for (const auto& [p, q] : v.compared)
    for (const auto& [end, first] : {std::pair{p, q}, std::pair{q, p}})
      if (!v.used.contains(end) && first->getFunctionScopeIndex() < end->getFunctionScopeIndex() && !ends.contains(first))
        ends.try_emplace(end, first);
  return ends;
}

}  // namespace twofold::analyser::frontend
