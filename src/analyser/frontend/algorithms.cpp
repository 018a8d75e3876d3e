// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file <algorithm> and <numeric> over whole ranges: loops like any other, written here as their bodies.
#include <set>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {

value executor::fold_range(const value& first, const value& last, const value& init, const std::string& name, source at,
                           clang::QualType element, const folder& f, const value* second) {
  const place it{new_cell(first, "", at), {}, {}}, acc{new_cell(init, name, at), {}, {}};
  const place other{second ? new_cell(*second, "", at) : -1, {}, {}};
  const bool seconds = second != nullptr;
  loop_form l{.at = at, .index_name = "i"};
  l.condition = [=, this] { return compare_pointers(clang::BO_NE, memory_.cells.at(it.object), last, at); };
  l.body = [=, this] {
    const value x = load(dereference(memory_.cells.at(it.object), at), element, at);
    const value y = seconds ? load(dereference(memory_.cells.at(other.object), at), element, at) : value{};
    value next = f(memory_.cells.at(acc.object), x, y);
    const value& old = memory_.cells.at(acc.object);
    if (old.what == value::kind::scalar && next.what == value::kind::scalar) next = value::of(convert_to(next.scalar, old.type, at));
    memory_.cells.at(acc.object) = std::move(next);
  };
  l.increment = [=, this] {
    for (const place& p : {it, other})
      if (p.valid()) store(p, pointer_step(memory_.cells.at(p.object), number(1L, long_type), false, at), at);
  };
  run_loop(l);
  value r = memory_.cells.at(acc.object);
  for (const place& p : {it, acc, other}) memory_.cells.erase(p.object);
  return r;
}

std::optional<value> executor::algorithm(const std::string& name, const clang::CallExpr* e) {
  const std::set<std::string> known{"accumulate",  "reduce",         "transform_reduce", "inner_product", "count", "count_if",
                                    "all_of",      "any_of",         "none_of",          "for_each",      "fill",  "max_element",
                                    "min_element", "iota",           "transform",        "copy",          "find",  "find_if",
                                    "partial_sum", "inclusive_scan", "exclusive_scan"};
  const source at = e->getExprLoc();
  const unsigned n = e->getNumArgs();
  if (!known.contains(name) || n < 2) return std::nullopt;
  const auto pointer_argument = [&](unsigned i) {
    const value v = evaluate(e->getArg(i));
    if (v.what != value::kind::pointer)
      refuse("TF4023", at, "a call of std::" + name + " with an execution policy, or on something other than an array",
             "only arrays are walked", "pass iterators of an array");
    return v;
  };
  const value first = pointer_argument(0), last = pointer_argument(1);
  const clang::QualType element =
      e->getArg(0)->getType()->isPointerType() ? e->getArg(0)->getType()->getPointeeType() : clang::QualType(context_.DoubleTy);
  const std::string hint = name_hint_.empty() ? "value" : name_hint_;
  const value plus = [] {
    value v;
    v.what = value::kind::closure, v.name = "plus";
    return v;
  }();
  const value times = [] {
    value v;
    v.what = value::kind::closure, v.name = "multiplies";
    return v;
  }();
  if (name == "accumulate" || name == "reduce") {
    const value init = n > 2 ? evaluate(e->getArg(2)) : value::of(number(0L, need_scalar_type(e->getType(), at)));
    const value f = n > 3 ? evaluate(e->getArg(3)) : plus;
    return fold_range(first, last, init, hint, at, element, [&](const value& a, const value& x, const value&) {
      return invoke(f, {a, x}, at);
    });
  }
  if (name == "inner_product" || (name == "transform_reduce" && (n == 4 || n == 6))) {
    const value second = pointer_argument(2), init = evaluate(e->getArg(3));
    const value f = n > 4 ? evaluate(e->getArg(4)) : plus, g = n > 5 ? evaluate(e->getArg(5)) : times;
    return fold_range(
        first, last, init, hint, at, element,
        [&](const value& a, const value& x, const value& y) {
          return invoke(f, {a, invoke(g, {x, y}, at)}, at);
        },
        &second);
  }
  if (name == "transform_reduce" && n == 5) {
    // (first, last, init, reduce, transform), or (first, last, first2, init, reduce) which does not exist
    const value init = evaluate(e->getArg(2)), f = evaluate(e->getArg(3)), g = evaluate(e->getArg(4));
    return fold_range(first, last, init, hint, at, element, [&](const value& a, const value& x, const value&) {
      return invoke(f, {a, invoke(g, {x}, at)}, at);
    });
  }
  if (name == "count" || name == "count_if") {
    const value what = evaluate(e->getArg(2));
    const type t = need_scalar_type(e->getType(), at);
    return fold_range(first, last, value::of(number(0L, t)), hint, at, element, [&](const value& a, const value& x, const value&) {
      const value equal_to = [] {
        value v;
        v.what = value::kind::closure, v.name = "equal_to";
        return v;
      }();
      const term hit = truth((name == "count" ? invoke(equal_to, {x, what}, at) : invoke(what, {x}, at)).scalar);
      return value::of(select(hit, add(a.scalar, number(1L, t)), a.scalar));
    });
  }
  if (name == "all_of" || name == "any_of" || name == "none_of") {
    const value f = evaluate(e->getArg(2));
    const auto changes_something = [&] {
      refuse("TF4023", at, "a call of std::" + name + " with a function that changes something",
             "it is not called on the elements after the one that decides", "write the loop out, with its break");
    };
    value r =
        fold_range(first, last, value::of(boolean(name == "all_of")), hint, at, element, [&](const value& a, const value& x, const value&) {
          const memory before = memory_;
          const term hit = truth(invoke(f, {x}, at).scalar);
          for (const auto& [id, held] : before.cells)
            if (memory_.cells.at(id) != held) changes_something();
          for (const auto& [id, held] : before.arrays)
            if (memory_.arrays.at(id) != held) changes_something();
          return value::of(name == "all_of" ? logical_and(a.scalar, hit) : logical_or(a.scalar, hit));
        });
    if (name == "none_of") r.scalar = logical_not(r.scalar);
    return r;
  }
  if ((name == "find" || name == "find_if") && n == 3) {  // while (it != last && *it != key) ++it
    const value what = evaluate(e->getArg(2));
    const place it{new_cell(first, hint, at), {}, {}};
    value equal_to;
    equal_to.what = value::kind::closure, equal_to.name = "equal_to";
    loop_form l{.at = at, .index_name = "i"};
    l.condition = [=, this] {
      const term inside = compare_pointers(clang::BO_NE, memory_.cells.at(it.object), last, at);
      term hit = boolean(false);
      conditionally(
          inside, at,
          [&] {
            const value x = load(dereference(memory_.cells.at(it.object), at), element, at);
            hit = truth((name == "find" ? invoke(equal_to, {x, what}, at) : invoke(what, {x}, at)).scalar);
          },
          [] {});
      return logical_and(inside, logical_not(hit));
    };
    l.body = [] {};
    l.increment = [=, this] { store(it, pointer_step(memory_.cells.at(it.object), number(1L, long_type), false, at), at); };
    run_loop(l);
    const value r = memory_.cells.at(it.object);
    memory_.cells.erase(it.object);
    return r;
  }
  if (name == "partial_sum" || name == "inclusive_scan" || name == "exclusive_scan") {
    const bool exclusive = name == "exclusive_scan";
    const value to = pointer_argument(2);
    const unsigned init_at = exclusive ? 3 : 4, f_at = exclusive ? 4 : 3;
    const value f = n > f_at ? evaluate(e->getArg(f_at)) : plus;
    const type t = scalar_type(element) ? *scalar_type(element) : double_type;
    if (n > f_at && n <= init_at && f.name != "plus")  // without a start the first element is one
      refuse("TF4023", at, "a call of std::" + name + " with an operation and no start", "nothing stands for the empty range",
             "pass the start as the last argument");
    const place out{new_cell(to, "", at), {}, {}};
    fold_range(first, last, n > init_at ? evaluate(e->getArg(init_at)) : value::of(number(0L, t)), hint, at, element,
               [&](const value& a, const value& x, const value&) {
                 const value next = invoke(f, {a, x}, at);
                 store(dereference(memory_.cells.at(out.object), at), exclusive ? a : next, at);
                 store(out, pointer_step(memory_.cells.at(out.object), number(1L, long_type), false, at), at);
                 return next;
               });
    memory_.cells.erase(out.object);
    return value{};
  }
  if ((name == "max_element" || name == "min_element") && n == 2) {
    // A pointer to a copy of the extremum: right for the `*std::max_element(…)` that is written most. Its position is kept beside it, for
    // `std::max_element(…) - x`.
    if (!element->isArithmeticType() && !element->isDependentType()) return std::nullopt;
    const value start = load(dereference(first, at), element, at);
    const bool is_max = name == "max_element";
    recording_.assume("the range is not empty");
    const int here = new_cell(value::of(number(0L, long_type)), "i", at), best = new_cell(value::of(number(0L, long_type)), "position", at);
    const value m = fold_range(first, last, value::of(is_max ? minus_infinity(start.type) : infinity(start.type)), hint, at, element,
                               [&](const value& a, const value& x, const value&) {
                                 term &i = memory_.cells.at(here).scalar, &p = memory_.cells.at(best).scalar;
                                 p = select(is_max ? less(a.scalar, x.scalar) : less(x.scalar, a.scalar), i, p);  // the first of equals
                                 i = add(i, number(1L, long_type));
                                 return value::of(is_max ? max(a.scalar, x.scalar) : min(a.scalar, x.scalar));
                               });
    const place copy = stand_for_copy(m, first.at.object, at);
    stand_ins_.at(copy.object).position =
        add(memory_.cells.at(best).scalar, first.at.index.empty() ? number(0L, long_type) : first.at.index.back());
    memory_.cells.erase(here);
    memory_.cells.erase(best);
    return value::pointer(copy);
  }
  if (name == "for_each" || name == "fill" || name == "iota" || name == "transform" || name == "copy") {
    const bool to_second = name == "transform" || name == "copy";
    const place it{new_cell(first, "", at), {}, {}},
        out{to_second ? new_cell(pointer_argument(name == "transform" && n == 5 ? 3 : 2), "", at) : -1, {}, {}};
    const place second{name == "transform" && n == 5 ? new_cell(pointer_argument(2), "", at) : -1, {}, {}};
    const value what = name == "copy" ? value{} : evaluate(e->getArg(n - 1));
    const place counter{name == "iota" ? new_cell(what, "value", at) : -1, {}, {}};
    loop_form l{.at = at, .index_name = "i"};
    l.condition = [=, this] { return compare_pointers(clang::BO_NE, memory_.cells.at(it.object), last, at); };
    l.body = [=, this] {
      const place here = dereference(memory_.cells.at(it.object), at);
      if (name == "fill") return store(here, what, at);
      if (name == "iota") {
        const value now = memory_.cells.at(counter.object);
        store(here, now, at);
        memory_.cells.at(counter.object).scalar = add(now.scalar, number(1L, now.type));
        return;
      }
      if (name == "for_each") {
        invoke(what, {value::pointer(here)}, at);
        return;
      }
      const value x = load(here, element, at);
      value y = x;
      if (name == "transform")
        y = second.valid() ? invoke(what, {x, load(dereference(memory_.cells.at(second.object), at), element, at)}, at)
                           : invoke(what, {x}, at);
      store(dereference(memory_.cells.at(out.object), at), y, at);
    };
    l.increment = [=, this] {
      for (const place& p : {it, out, second})
        if (p.valid()) store(p, pointer_step(memory_.cells.at(p.object), number(1L, long_type), false, at), at);
    };
    run_loop(l);
    return value{};
  }
  return std::nullopt;
}

}  // namespace twofold::analyser::frontend
