// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file References that mean one object or another: `c ? a : b`, what std::min, max and clamp return, pointers to copies.
//!
//! Such a glvalue is a cell that stands for the two objects, with the condition from when it was bound. A read chooses between
//! what they hold now, a write changes the one that was meant. That is what C++ does; a copy made when binding would lose both.
#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

place part_of(place p, const std::vector<step>& path) {
  p.path.insert(p.path.end(), path.begin(), path.end());
  return p;
}

}  // namespace

place executor::stand_for(stand_in s, source at) {
  const place p = temporary(value{}, at);
  stand_ins_.emplace(p.object, std::move(s));
  return p;
}

//! A copy of something in `source`: right as long as that is not written.
place executor::stand_for_copy(value v, int source_object, source at) {
  const place p = temporary(std::move(v), at);
  stand_in s{.copy_of = source_object};
  if (auto a = memory_.arrays.find(source_object); a != memory_.arrays.end()) s.array = a->second;
  if (auto c = memory_.cells.find(source_object); c != memory_.cells.end()) s.cell = c->second;
  stand_ins_.emplace(p.object, std::move(s));
  return p;
}

place executor::locate_conditional(const clang::ConditionalOperator* e) {
  const source at = e->getExprLoc();
  const term c = condition(e->getCond());
  if (c->is(op::number)) return locate(is_number(c, 0) ? e->getFalseExpr() : e->getTrueExpr());
  // A cell made on one side only would not survive the merge of the sides.
  std::map<int, value> made;
  const std::function<void(const place&)> keep = [&](const place& p) {
    if (auto v = memory_.cells.find(p.object); v != memory_.cells.end()) made.emplace(*v);
    if (auto s = stand_ins_.find(p.object); s != stand_ins_.end()) keep(s->second.then), keep(s->second.otherwise);
  };
  stand_in s{.condition = c};
  conditionally(
      c, at, [&] { keep(s.then = locate(e->getTrueExpr())); }, [&] { keep(s.otherwise = locate(e->getFalseExpr())); });
  memory_.cells.merge(made);
  if (s.then == s.otherwise) return s.then;
  for (const place& p : {s.then, s.otherwise})
    if (auto a = arrays_.find(p.object); a != arrays_.end() && p.index.size() < a->second.rank())
      refuse("TF4010", at, "a reference to one array or another", "what it refers to must not depend on the data",
             "use one array and an index, or a number chosen by ?:");
  return stand_for(std::move(s), at);
}

//! std::min, std::max and std::clamp return a reference to one of their arguments.
std::optional<place> executor::locate_choice(const clang::CallExpr* e) {
  const auto* f = e->getDirectCallee();
  if (!f || !f->isInStdNamespace() || !f->getIdentifier() || !e->isGLValue()) return std::nullopt;
  const std::string name = f->getName().str();
  const bool clamp = name == "clamp", is_max = name == "max";
  const unsigned n = e->getNumArgs(), operands = clamp ? 3 : 2;
  if ((!clamp && !is_max && name != "min") || n < 2 || (clamp && n != 3) || !scalar_type(e->getArg(0)->getType())) return std::nullopt;
  const source at = e->getExprLoc();
  std::vector<place> places;
  std::vector<term> held;
  for (unsigned i = 0; i < operands; ++i) {
    places.push_back(locate(e->getArg(i)));
    held.push_back(load(places[i], e->getArg(i)->getType(), at).scalar);
  }
  if (clamp) {
    const term low = held[1], high = held[2], below = min(held[0], high);
    const place inner = stand_for({.condition = compare(clang::BO_LT, high, held[0]),
                                   .then = places[2],
                                   .otherwise = places[0],
                                   .first = high,
                                   .second = held[0],
                                   .chosen = below},
                                  at);
    return stand_for({.condition = compare(clang::BO_LT, held[0], low),
                      .then = places[1],
                      .otherwise = inner,
                      .first = low,
                      .second = below,
                      .chosen = min(max(held[0], low), high)},
                     at);
  }
  const term a = held[0], b = held[1];
  term second = is_max ? compare(clang::BO_LT, a, b) : compare(clang::BO_LT, b, a), chosen = is_max ? max(a, b) : min(a, b);
  if (n == 3) {
    const value less_than = evaluate(e->getArg(2));
    second =
        truth((is_max ? invoke(less_than, {value::of(a), value::of(b)}, at) : invoke(less_than, {value::of(b), value::of(a)}, at)).scalar);
    chosen = select(second, b, a);
  }
  return stand_for({.condition = second, .then = places[1], .otherwise = places[0], .first = b, .second = a, .chosen = chosen}, at);
}

value executor::load_choice(const stand_in& s, const place& p, clang::QualType t, source at) {
  if (!s.condition) {
    const auto a = memory_.arrays.find(s.copy_of);
    const auto c = memory_.cells.find(s.copy_of);
    const bool same = a != memory_.arrays.end() ? a->second == s.array : c == memory_.cells.end() || c->second == s.cell;
    if (!same && !exploring_)
      refuse("TF4010", at, "a read through a pointer to the largest or smallest entry of an array that was written since",
             "which entry it points to depends on the data", "read the entry into a variable first");
    return memory_.cells.at(p.object);
  }
  const value then = load(part_of(s.then, p.path), t, at), otherwise = load(part_of(s.otherwise, p.path), t, at);
  if (s.chosen && p.path.empty() && then.scalar == s.first && otherwise.scalar == s.second) return value::of(s.chosen);
  constexpr int chosen = -2;
  conditionally(
      s.condition, at, [&] { memory_.cells[chosen] = then; }, [&] { memory_.cells[chosen] = otherwise; });
  value r = memory_.cells.at(chosen);
  memory_.cells.erase(chosen);
  return r;
}

void executor::store_choice(const stand_in& s, const place& p, const value& v, source at) {
  if (!s.condition)
    refuse("TF4010", at, "a write through a pointer to the largest or smallest entry", "which entry changes depends on the data",
           "find its index, and write at the index");
  // On each side it is known which of the two was read for the new value.
  const auto knowing = [&](bool which, term held) {
    value known = v;
    if (v.what != value::kind::scalar || !v.scalar) return known;
    known.scalar = substitute(v.scalar, {{s.condition, boolean(which)}});
    if (s.chosen) known.scalar = substitute(known.scalar, {{s.chosen, held}});
    return known;
  };
  conditionally(
      s.condition, at, [&] { store(part_of(s.then, p.path), knowing(true, s.first), at); },
      [&] { store(part_of(s.otherwise, p.path), knowing(false, s.second), at); });
}

}  // namespace twofold::analyser::frontend
