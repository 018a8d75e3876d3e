// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The memory after a loop: results of what it carried, contents of the arrays that it wrote.
#include <algorithm>

#include "frontend/polynomial.hpp"
#include "frontend/summary.hpp"

namespace twofold::analyser::frontend {

//! array[a ± k] = value(k) for all k < count: the contents become value at k = ±(position − a).
void executor::close_write(const loop_form& f, const memory& entry, summary& s, int object, const contents::entry& e) {
  const array_info& info = arrays_.at(object);
  const auto no = [&](std::string why, std::string fix) {
    // In a trial the positions are not known yet: the real iteration will tell.
    if (!exploring_) refuse("TF4022", f.at, "the writes to '" + info.name + "' in this loop", std::move(why), std::move(fix));
  };
  if (!is_number(s.exited, 0)) return no("the loop may be left before all are written", "write the output in a loop that runs to its end");
  if (e.index.size() != 1) return no("rows of an output are not written by a loop over rows", "write one entry per iteration");
  const auto form = affine_in(to_polynomial(e.index[0]), s.k);
  const auto slope = form ? form->slope.constant() : std::nullopt;
  if (!slope || abs(*slope) != 1) return no("the position is not the loop index plus a constant", "write at the loop index");
  for (int d = 0; d < s.depth; ++d)
    if (mentions(form->rest, iteration_symbol(d)))
      return no("rows of an output are not written by a loop over rows", "write one entry per iteration of the outer loop");
  if (std::any_of(form->rest.terms.begin(), form->rest.terms.end(),
                  [&](const auto& m) { return std::any_of(m.first.begin(), m.first.end(), [&](term a) { return varies(a, s.k); }); }))
    return no("the position depends on the data", "write at the loop index");
  contents& now = memory_.arrays[object];
  const contents& before = entry.arrays.at(object);
  const polynomial p = to_polynomial(position()), start = form->rest, one = to_polynomial(number(1L, long_type)), step = form->slope;
  // y[0] = …; for (i = 1; …) y[i] = …
  term head;
  if (!before.entries.empty()) {
    if (before.entries.size() > 1 || s.depth > 0 || !(to_polynomial(before.entries[0].index.at(0)) == start - step))
      return no("it is also written at a fixed place before", "write all entries in the loop");
    head = before.entries[0].value;
  } else if (std::any_of(s.carried.begin(), s.carried.end(),
                         [&](const leaf& l) { return l.what == leaf::kind::lag && l.object == object; })) {
    head = original(info, {to_term(start - step)});  // the entry before the first stays what it was
  }
  const term k_at = *slope == 1 ? to_term(p - start) : to_term(start - p);
  term value = s.depth > 0 ? substitute(e.value, s.prefix_folds(s.depth == 1 ? "t" : "t" + std::to_string(s.depth))) : e.value;
  value = substitute(value, {{s.k, k_at}});
  // Entries that the loop does not reach keep what they held.
  const polynomial low = *slope == -1 ? start - to_polynomial(s.count) + one : head ? start - one : start;
  const polynomial size = head ? to_polynomial(s.count) + one : to_polynomial(s.count);
  if (head) value = select(equal(position(), to_term(start - step)), head, value);
  const term old = before.base ? before.base : original(info, {position()});
  const term extent = info.extents[0];
  const bool whole = low.is_zero() && (!extent || to_polynomial(extent) == size);
  if (!whole && old) {
    if (low.is_zero() && extent && extent->is_symbol(symbol_kind::length)) {
      recording_.assume(info.name + ".size() is the number of iterations");
    } else {
      const term from = to_term(low), to = to_term(low + size);
      value = select(logical_and(less_equal(from, position()), less(position(), to)), value, old);
    }
  }
  if (const auto other = lengths_.find(object);
      other != lengths_.end() && (!extent || extent->is_symbol(symbol_kind::length)) && !(to_polynomial(other->second) == size))
    return no("another loop writes " + to_text(other->second) + " of its entries, this one " + to_text(to_term(size)),
              "write the same entries in both loops");
  written_counts_[object] = to_term(size);
  if (!exploring_) lengths_[object] = to_term(size);
  now.entries.clear();
  if (s.depth == 0) {
    if (contains(e.value, [](const node& n) { return n.is_symbol(symbol_kind::state); }))
      value = symbol(symbol_kind::opaque, info.name + "@" + std::to_string(recording_.loops.size()), info.element);
    s.done.writes.push_back({object, e.index[0], e.value, head, value, objects_.at(object).where});
  }
  now.base = value;
}

void executor::leave_arrays(const loop_form& f, const memory& entry, const iteration& it, summary& s) {
  for (const auto& [id, before] : entry.arrays) {
    const contents& after = it.after.arrays.at(id);
    if (after == before) continue;
    const leaf base{.what = leaf::kind::base, .object = id};
    bool base_carried = s.finals.contains(base);
    if (base_carried) memory_.arrays[id].base = s.finals.at(base);
    std::vector<contents::entry> moving;
    for (const auto& e : after.entries) {
      const leaf l{.what = leaf::kind::entry, .object = id, .index = e.index};
      if (s.finals.contains(l)) {
        set(memory_, l, s.finals.at(l));
      } else if (std::any_of(s.carried.begin(), s.carried.end(), [&](const leaf& c) {
                   return c.what == leaf::kind::lag && c.object == id && distance(c.index[0], e.index[0]) == mpz_class(0);
                 })) {
        continue;  // the old entry; the new one is among the others
      } else if (std::any_of(e.index.begin(), e.index.end(), [&](term t) { return mentions(t, s.k); })) {
        moving.push_back(e);
      }
    }
    if (moving.empty()) {
      if (!base_carried && after.base != before.base && !exploring_)
        refuse("TF4016", f.at, "this loop", "what it carries did not become clear", "simplify the loop");
      continue;
    }
    if (moving.size() > 1 || base_carried || memory_.arrays[id].entries != before.entries) {
      if (exploring_) continue;
      refuse("TF4022", f.at, "the writes to '" + arrays_.at(id).name + "' in this loop", "more than one entry is written per iteration",
             "write one entry per iteration");
    }
    close_write(f, entry, s, id, moving.front());
  }
}

void executor::leave(const loop_form& f, const memory& entry, const iteration& it, summary& s) {
  memory_ = entry;
  // Objects made inside of the loop are gone; what the entry knew is updated.
  for (const auto& [l, t] : s.finals)
    if (l.what == leaf::kind::scalar || l.what == leaf::kind::pointer) set(memory_, l, t);
  for (const auto& [l, by] : s.closed) {
    if (s.finals.contains(l)) continue;
    const type t = get(entry, l)->type;
    if (l.what == leaf::kind::pointer && !exploring_ && s.depth > 0 && !s.count->type.is_modular() && !to_polynomial(s.count).constant())
      recording_.assume(to_text(s.count) + " >= 0");
    const term count = l.what == leaf::kind::pointer || s.count->type.is_modular() || to_polynomial(s.count).constant()
                           ? s.count
                           : max(cast(s.count, long_type), number(0L, long_type));
    set(memory_, l, closed_form(entry, l, by, cast(count, l.what == leaf::kind::pointer ? long_type : t)));
  }
  leave_arrays(f, entry, it, s);
  if (it.condition_acts) {  // the last look at the condition, which ended the loop unless it was left
    const term left = logical_or(memory_.cells.at(s.broken).scalar, memory_.cells.at(frames_.back().returned).scalar);
    conditionally(
        left, f.at, [] {}, [&] { f.condition(); });
  }
  memory_.cells.erase(s.broken);
  memory_.cells.erase(s.continued);
  if (s.depth == 0) {
    s.done.where = where(f.at);
    s.done.count = s.count;
    recording_.loops.push_back(std::move(s.done));
  }
}

}  // namespace twofold::analyser::frontend
