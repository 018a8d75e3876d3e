// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Source text to Clang's AST, in this process: flags, diagnostics, and a precompiled header of the standard includes.
#pragma once

#include <clang/AST/ASTContext.h>

#include <functional>
#include <optional>

#include "frontend/frontend.hpp"

namespace twofold::analyser::frontend {

//! Parses `file` and hands the AST to `use`, while it is alive. Returns what was wrong instead: unreadable, too large, does not
//! parse (Clang's first error, with its place).
std::optional<frontend_error> with_ast(const std::string& file, const frontend_options& options,
                                       const std::function<void(clang::ASTContext&)>& use);

}  // namespace twofold::analyser::frontend
