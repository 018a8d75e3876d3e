// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which pointer parameters are the end of another one's array.
#pragma once

#include <clang/AST/Decl.h>

#include <map>

namespace twofold::analyser::frontend {

//! End → first, for `f(const T* first, const T* last)` where last is only compared with first or a cursor that starts there.
[[nodiscard]] std::map<const clang::ParmVarDecl*, const clang::ParmVarDecl*> range_ends(const clang::FunctionDecl* f);

}  // namespace twofold::analyser::frontend
