// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What classes do beyond holding their fields: destructors, copy constructors, bit-fields.
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

const clang::CXXRecordDecl* class_of(const clang::ASTContext& c, clang::QualType t) {
  const auto* r = c.getBaseElementType(t)->getAsCXXRecordDecl();
  return r && r->hasDefinition() && !r->isLambda() ? r->getDefinition() : nullptr;
}

//! Pairs and arrays are read as their fields; the other classes of the library are known by what they do.
bool is_opaque(const clang::ASTContext& c, const clang::CXXRecordDecl* r) {
  if (!c.getSourceManager().isInSystemHeader(r->getLocation())) return false;
  return !r->getIdentifier() || (r->getName() != "pair" && r->getName() != "array");
}

bool does_nothing(const clang::CXXDestructorDecl* d) {
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(d->getBody());
  return body && body->body_empty();
}

}  // namespace

//! Objects of the class come and go without an effect of their own, and their fields hold what is written to them.
void executor::check_class(clang::QualType t, source at) const {
  const auto* r = t.isNull() || t->isReferenceType() || t->isDependentType() ? nullptr : class_of(context_, t);
  if (!r || is_opaque(context_, r)) return;
  if (const auto* d = r->getDestructor(); d && d->isUserProvided() && !does_nothing(d))
    refuse("TF4003", at, "an object of type '" + r->getNameAsString() + "', whose destructor does something",
           "what runs at the end of its life is not followed", "call a function where the object would end");
  for (const auto* f : r->fields()) {
    if (f->isBitField())
      refuse("TF4003", at, "the bit-field '" + f->getNameAsString() + "' of '" + r->getNameAsString() + "'",
             "it keeps only some bits of what is written", "use a whole integer, and a mask where bits are meant to go");
    check_class(f->getType(), at);
  }
}

//! Is a copy of the object a copy of its fields' values?
bool executor::copies_plainly(clang::QualType t) const {
  const auto* r = class_of(context_, t);
  if (!r || is_opaque(context_, r)) return true;
  for (const auto* c : r->ctors())
    if (c->isCopyOrMoveConstructor() && c->isUserProvided()) return false;
  for (const auto* f : r->fields())
    if (!f->getType()->isReferenceType() && !copies_plainly(f->getType())) return false;
  return true;
}

}  // namespace twofold::analyser::frontend
