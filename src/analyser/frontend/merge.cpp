// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A merge written by the user, as one term per state variable over symbols of the left and the right state.
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "frontend/merge.hpp"

namespace twofold::analyser::frontend {
namespace {

term side_symbol(symbol_kind side, const state_variable& v) { return symbol(side, v.name, v.type); }

bool is_record(clang::QualType t) { return t.getNonReferenceType()->isRecordType(); }

//! The same numbers: widths do not matter to ℝ and ℤ; unsigned numbers wrap, and must wrap at the same width.
bool holds_the_same(type a, type b) {
  return a.kind == b.kind && a.is_modular() == b.is_modular() && (!a.is_modular() || a.bits == b.bits);
}

//! Writing through p is seen by the caller.
bool is_output(const clang::ParmVarDecl* p) {
  const clang::QualType t = p->getType();
  if (t->isReferenceType()) return !t.getNonReferenceType().isConstQualified();
  return t->isPointerType() && !t->getPointeeType().isConstQualified();
}

}  // namespace

void merge_reader::mismatch(const std::string& why) const {
  std::string names;
  for (const state_variable& v : state_) names += (names.empty() ? "" : ", ") + v.name;
  throw refusal{{frontend_error::kind::bad_input, "TF2107", run_.where(f_->getLocation()),
                 "'" + f_->getNameAsString() + "' is no merge of this loop's state (" + names + ")", why,
                 "write state f(state a, state b), void f(state& a, const state& b), or scalars f(left…, right…, results&…)"}};
}

void merge_reader::expect_the_same(const state_variable& v, const std::string& field, type leaf) const {
  if (holds_the_same(v.type, leaf)) return;
  mismatch("'" + v.name + "' is " + cpp_name(v.type) + " in the loop, and '" + field + "' is " + cpp_name(leaf) + " in the merge");
}

const state_variable& merge_reader::variable(const std::string& field, std::size_t position) const {
  std::string plain = field;
  std::replace(plain.begin(), plain.end(), '[', '_');
  std::erase(plain, ']');
  for (const state_variable& v : state_)
    if (v.name == plain) return v;
  if (position >= state_.size()) mismatch("it has more fields than the loop has variables");
  return state_[position];
}

//! A parameter's value, its leaves being the symbols of one side.
value merge_reader::symbolic(clang::QualType t, const std::string& name, symbol_kind side, std::size_t& position) {
  t = t.getNonReferenceType();
  return run_.symbolic_value(t, name, [&](const std::string& field, type leaf, bool vector) {
    const state_variable& v = variable(field, position++);
    if (vector != static_cast<bool>(v.extent))
      mismatch("'" + field + "' is " + (vector ? "an array" : "a number") + ", '" + v.name + "' is not");
    expect_the_same(v, field, leaf);
    const term s = side_symbol(side, v);
    return vector ? read(s, {frontend::position()}, v.type) : s;
  });
}

//! The terms that a value holds, by variable.
void merge_reader::collect(clang::QualType t, const value& v, const std::string& name) {
  std::size_t position = 0;
  for (auto& [field, held] : run_.fields_of(t, v)) {
    const state_variable& target = variable(field.empty() ? name : field, position++);
    term r = run_.content_of(held);
    if (!r) mismatch("'" + target.name + "' is not given a value");
    if (r->type.kind == sort::integer) expect_the_same(target, field.empty() ? name : field, r->type);
    for (const symbol_kind side : {symbol_kind::left, symbol_kind::right})
      for (const state_variable& x : state_)
        if (x.extent) r = substitute(r, {{read(side_symbol(side, x), {frontend::position()}, x.type), side_symbol(side, x)}});
    // float literals of another width do not matter to the reals
    result_[target.name] = cast(r, target.type);
  }
}

std::vector<term> merge_reader::read_terms() {
  const auto parameters = f_->parameters();
  std::vector<const clang::ParmVarDecl*> inputs, outputs;
  std::size_t records = 0;
  for (const auto* p : parameters) {
    const clang::QualType t = p->getType()->isPointerType() ? p->getType()->getPointeeType() : p->getType();
    if (is_record(t)) ++records;
  }
  std::vector<std::pair<const clang::ParmVarDecl*, value>> given;
  std::size_t left = 0, right = 0;
  if (records >= 2) {
    // (a, b) → result, or (a&, b), or (a, b, result&)
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto* p = parameters[i];
      const clang::QualType t = p->getType()->isPointerType() ? p->getType()->getPointeeType() : p->getType();
      if (!is_record(t)) given.emplace_back(p, run_.symbolic_parameter(p));
      else if (left == 0) given.emplace_back(p, symbolic(t, "", symbol_kind::left, left));
      else if (right == 0) given.emplace_back(p, symbolic(t, "", symbol_kind::right, right));
      else given.emplace_back(p, run_.blank(t, p));
    }
  } else {
    const std::size_t n = state_.size();
    if (parameters.size() < 2 * n)
      mismatch("it has " + std::to_string(parameters.size()) + " parameters; two states have " + std::to_string(2 * n) + " variables");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto* p = parameters[i];
      if (i < 2 * n) {
        std::size_t at = i % n;
        given.emplace_back(p, run_.symbolic_value(p->getType().getNonReferenceType(), p->getNameAsString(),
                                                  [&](const std::string& field, type leaf, bool vector) {
                                                    const state_variable& v = state_[at];
                                                    if (vector != static_cast<bool>(v.extent))
                                                      mismatch("parameter '" + field + "' does not fit '" + v.name + "'");
                                                    expect_the_same(v, field, leaf);
                                                    const term s = side_symbol(i < n ? symbol_kind::left : symbol_kind::right, v);
                                                    return vector ? read(s, {frontend::position()}, v.type) : s;
                                                  }));
      } else if (is_output(p)) {
        given.emplace_back(p, run_.blank(p->getType().getNonReferenceType(), p));
      } else {
        given.emplace_back(p, run_.symbolic_parameter(p));
      }
    }
  }
  const value returned = run_.call_with(f_, given);
  if (!f_->getReturnType()->isVoidType()) {
    collect(f_->getReturnType(), returned, state_.front().name);
  } else if (records >= 2) {
    const clang::ParmVarDecl* target = nullptr;
    for (const auto* p : parameters)
      if (is_output(p) && is_record(p->getType()->isPointerType() ? p->getType()->getPointeeType() : p->getType())) target = p;
    if (records == 2) target = is_output(parameters[0]) ? parameters[0] : target;
    if (!target) mismatch("it returns nothing and writes to no parameter");
    collect(target->getType()->isPointerType() ? target->getType()->getPointeeType() : target->getType(), run_.value_after(target), "");
  } else {
    std::size_t at = 0;
    for (std::size_t i = 2 * state_.size(); i < parameters.size(); ++i)
      if (is_output(parameters[i]) && at < state_.size()) {
        const term r = run_.content_of(run_.value_after(parameters[i]));
        if (!r) mismatch("'" + parameters[i]->getNameAsString() + "' is not written");
        collect(parameters[i]->getType(), run_.value_after(parameters[i]), state_[at].name);
        ++at;
      }
    // f(m_a&, l_a&, m_b, l_b): the left state is the result
    if (at == 0)
      for (std::size_t i = 0; i < state_.size(); ++i)
        if (is_output(parameters[i])) collect(parameters[i]->getType(), run_.value_after(parameters[i]), state_[i].name);
  }
  std::vector<term> out;
  for (const state_variable& v : state_) {
    if (!result_.contains(v.name)) mismatch("it does not set '" + v.name + "'");
    const term t = result_.at(v.name);
    if (contains(t, [](const node& n) {
          return n.is(op::read) && (n.args[0]->is_symbol(symbol_kind::left) || n.args[0]->is_symbol(symbol_kind::right));
        }))
      mismatch("'" + v.name + "' mixes components of a vector");
    out.push_back(t);
  }
  return out;
}

}  // namespace twofold::analyser::frontend
