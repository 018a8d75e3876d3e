// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The two entries: a file's loops as specs, a user's merge as terms.
#include "frontend/frontend.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "frontend/compile.hpp"
#include "frontend/executor.hpp"
#include "frontend/merge.hpp"

namespace twofold::analyser {
namespace {

using frontend::executor;
using frontend::refusal;

bool has_loop(const clang::FunctionDecl* f) {
  struct finder : clang::RecursiveASTVisitor<finder> {
    bool found = false;
    bool VisitForStmt(clang::ForStmt*) { return !(found = true); }
    bool VisitWhileStmt(clang::WhileStmt*) { return !(found = true); }
    bool VisitGotoStmt(clang::GotoStmt*) { return !(found = true); }
    bool VisitDoStmt(clang::DoStmt*) { return !(found = true); }
    bool VisitCXXForRangeStmt(clang::CXXForRangeStmt*) { return !(found = true); }
    bool VisitCallExpr(clang::CallExpr* c) {
      const auto* d = c->getDirectCallee();
      static const std::vector<std::string> walks{
          "accumulate", "reduce", "transform_reduce", "inner_product", "max_element",    "min_element",
          "count_if",   "count",  "all_of",           "any_of",        "none_of",        "for_each",
          "transform",  "find",   "find_if",          "partial_sum",   "inclusive_scan", "exclusive_scan"};
      if (d && d->isInStdNamespace() && d->getIdentifier() && std::find(walks.begin(), walks.end(), d->getName().str()) != walks.end())
        found = true;
      return !found;
    }
  } v;
  v.TraverseStmt(f->getBody());
  return v.found;
}

constexpr std::size_t most_nodes = 100'000;

//! More expressions and statements than a loop that somebody wrote has: reading them would only end at a later limit.
void check_size(const clang::FunctionDecl* f) {
  struct counter : clang::RecursiveASTVisitor<counter> {
    std::size_t nodes = 0;
    bool VisitStmt(clang::Stmt*) { return ++nodes <= most_nodes; }
  } v;
  v.TraverseStmt(f->getBody());
  if (v.nodes > most_nodes) throw limit_error("more than " + std::to_string(most_nodes) + " nodes in the syntax tree of one function");
}

//! Function definitions of the main file, in order; templates by their specialisations.
std::vector<const clang::FunctionDecl*> functions(clang::ASTContext& c) {
  struct finder : clang::RecursiveASTVisitor<finder> {
    std::vector<const clang::FunctionDecl*> all;
    const clang::SourceManager& sources;
    explicit finder(const clang::SourceManager& s) : sources(s) {}
    bool shouldVisitTemplateInstantiations() const { return true; }
    bool TraverseLambdaExpr(clang::LambdaExpr*) { return true; }
    bool VisitFunctionDecl(clang::FunctionDecl* f) {
      if (f->doesThisDeclarationHaveABody() && !f->isDependentContext() && f->getIdentifier() &&
          sources.isInMainFile(sources.getExpansionLoc(f->getLocation())))
        all.push_back(f);
      return true;
    }
  } v(c.getSourceManager());
  for (auto* d : c.getTranslationUnitDecl()->decls())
    if (c.getSourceManager().isInMainFile(c.getSourceManager().getExpansionLoc(d->getLocation()))) v.TraverseDecl(d);
  return v.all;
}

std::string qualified(const clang::FunctionDecl* f) { return f->getQualifiedNameAsString(); }

bool named(const clang::FunctionDecl* f, const std::string& wanted) {
  const std::string q = qualified(f);
  return f->getNameAsString() == wanted || q == wanted || (q.size() > wanted.size() + 2 && q.ends_with("::" + wanted));
}

//! Where a function is defined; the head of the file where there is none.
location place_of(clang::ASTContext& c, const std::string& file, const clang::FunctionDecl* f) {
  if (!f) return {file, 1, 1};
  const clang::SourceLocation at = c.getSourceManager().getExpansionLoc(f->getLocation());
  return {file, static_cast<int>(c.getSourceManager().getSpellingLineNumber(at)),
          static_cast<int>(c.getSourceManager().getSpellingColumnNumber(at))};
}

//! The place is that of the function whose name is nearest to the one wanted: most likely it was meant.
frontend_error absent(clang::ASTContext& c, const std::string& file, const std::string& wanted) {
  std::string list, meant;
  const clang::FunctionDecl* nearest = nullptr;
  unsigned least =
      wanted.size() < 2 ? 0 : static_cast<unsigned>(std::max<std::size_t>(1, wanted.size() / 3)) + 1;  // one letter is near to all
  for (const auto* f : functions(c)) {
    const std::string name = qualified(f);
    if ((", " + list + ",").find(", " + name + ",") == std::string::npos) list += (list.empty() ? "" : ", ") + name;
    const unsigned distance = llvm::StringRef(wanted).edit_distance(f->getNameAsString(), true, least);
    if (!nearest) nearest = f;
    if (distance < least) nearest = f, least = distance, meant = name;
  }
  return {frontend_error::kind::bad_input,
          "TF2104",
          place_of(c, file, nearest),
          "no function '" + wanted + "'",
          list.empty() ? "the file defines no functions" : "the file defines: " + list,
          list.empty()    ? "point at a file with a loop"
          : meant.empty() ? "use one of these names"
                          : "did you mean '" + meant + "', which is defined here?"};
}

frontend_error limit(const location& at, const std::string& which) {
  return {frontend_error::kind::unsupported, "TF4002", at, which, "the size of an analysis is limited", "split the function"};
}

//! Loops with a small constant trip count are unrolled; where no loop remains, they are what is asked about.
spec read_function(clang::ASTContext& c, const clang::FunctionDecl* f) {
  check_size(f);
  try {
    return executor(c, true).run(f);
  } catch (const refusal&) {
    try {
      return executor(c, false).run(f);
    } catch (const refusal&) {
    }
    throw;
  }
}

void read_into(clang::ASTContext& c, const std::string& file, const std::string& function, frontend_result& r) {
  bool found = false;
  for (const auto* f : functions(c)) {
    if (function.empty() ? !has_loop(f) : !named(f, function)) continue;
    found = true;
    try {
      r.specs.push_back(read_function(c, f));
    } catch (const refusal& e) {
      r.errors.push_back(e.error);
    } catch (const limit_error& e) {
      r.errors.push_back(limit({file, static_cast<int>(c.getSourceManager().getExpansionLineNumber(f->getLocation())), 1}, e.what()));
    }
  }
  if (!found && !function.empty()) r.errors.push_back(absent(c, file, function));
  if (!found && function.empty())
    r.errors.push_back({frontend_error::kind::bad_input, "TF2106", place_of(c, file, functions(c).empty() ? nullptr : functions(c).front()),
                        "no function with a loop", "there is nothing to decide", "point at a file with a loop over an array"});
}

}  // namespace

frontend_result read_source(const std::string& file, const std::string& function, const frontend_options& options) {
  frontend_result r;
  if (auto error = frontend::with_ast(file, options, [&](clang::ASTContext& c) { read_into(c, file, function, r); }))
    r.errors.push_back(*error);
  return r;
}

merge_result read_merge(const std::string& file, const std::string& function, const spec& loop, const frontend_options& options) {
  merge_result r;
  const auto use = [&](clang::ASTContext& c) {
    const clang::FunctionDecl* found = nullptr;
    for (const auto* f : functions(c))
      if (named(f, function)) found = f;
    if (!found) {
      r.errors.push_back(absent(c, file, function));
      return;
    }
    try {
      r.merge =
          frontend::merge_reader(c, found, loop.passes.empty() ? std::vector<state_variable>{} : loop.passes.back().state).read_terms();
    } catch (const refusal& e) {
      r.errors.push_back(e.error);
    } catch (const limit_error& e) {
      r.errors.push_back(limit({file, static_cast<int>(c.getSourceManager().getExpansionLineNumber(found->getLocation())), 1}, e.what()));
    }
  };
  if (auto error = frontend::with_ast(file, options, use)) r.errors.push_back(*error);
  return r;
}

}  // namespace twofold::analyser
