// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops: unrolled if short, else one generic iteration is executed until it is known what it carries.
//!
//! 1. Trial iterations with an unknown value in every scalar that changes, until no other one changes.
//! 2. A scalar that grows by the same amount each time and serves as a position, or in the loop's condition, is an induction
//!    variable: it becomes start + amount·k, k being the iteration.
//! 3. Trial iterations again for arrays; then the real one, in which whatever is not understood is refused.
#include <algorithm>

#include "frontend/polynomial.hpp"
#include "frontend/summary.hpp"

namespace twofold::analyser::frontend {
namespace {

constexpr int longest_unrolled = 16;
constexpr int most_trials = 64;

}  // namespace

void executor::run_loop(const loop_form& f) {
  const memory before = memory_;
  const auto recorded = recording_.loops.size();
  const auto again = [&] {
    memory_ = before;
    recording_.loops.resize(recorded);
  };
  if (f.body_first && depth_ > 0) return run_after_body(f, [this](const loop_form& rest) { run_loop(rest); });
  if (unroll_top_ || depth_ > 0) {
    bool finished = false;
    if (f.body_first) run_after_body(f, [&](const loop_form& rest) { finished = unroll(rest, longest_unrolled); });
    else finished = unroll(f, longest_unrolled);
    if (finished) return;
    again();
  }
  if (summarise(f)) return;
  again();
  run_after_body(f, [this](const loop_form& rest) { run_loop(rest); });
}

//! do B while (c): B, then while (c) B.
void executor::run_after_body(const loop_form& f, const std::function<void(const loop_form&)>& run_rest) {
  const int broken = new_cell(value::of(boolean(false)), "", f.at), continued = new_cell(value::of(boolean(false)), "", f.at);
  frames_.back().exits.emplace_back(broken, continued);
  f.body();
  memory_.cells[continued].scalar = boolean(false);
  loop_form rest = f;
  rest.body_first = false;
  unless_stopped(f.at, [&] {
    frames_.back().exits.pop_back();
    run_rest(rest);
    frames_.back().exits.emplace_back(broken, continued);
  });
  frames_.back().exits.pop_back();
}

//! Runs the loop as long as its condition is a constant; false (memory undefined) if it is not, or the loop is long.
bool executor::unroll(const loop_form& f, int limit) {
  const term c = f.condition();
  if (!c->is(op::number)) return false;
  if (is_number(c, 0)) return true;
  if (limit == 0) return false;
  const int broken = new_cell(value::of(boolean(false)), "", f.at), continued = new_cell(value::of(boolean(false)), "", f.at);
  frames_.back().exits.emplace_back(broken, continued);
  f.body();
  if (memory_.cells.contains(continued)) memory_.cells[continued].scalar = boolean(false);
  bool finished = true;
  unless_stopped(f.at, [&] {
    f.increment();
    frames_.back().exits.pop_back();
    finished = unroll(f, limit - 1);
    frames_.back().exits.emplace_back(broken, continued);
  });
  frames_.back().exits.pop_back();
  return finished;
}

//! The condition of do-while, looked at after the body: which induction variables it moves, and by how much. What it reads is read
//! again at the start of the next iteration, and counted there.
void executor::look_after_body(const loop_form& f, const summary& s, iteration& it) {
  const std::size_t reads = old_reads_.size(), positions = index_terms_.size();
  const memory before = memory_;
  f.condition();
  old_reads_.resize(reads);
  index_terms_.resize(positions);
  for (const leaf& l : leaves(before)) {
    const term was = get(before, l), now = get(memory_, l);
    if (was == now) continue;
    const polynomial by = was && now ? to_polynomial(now) - to_polynomial(was) : polynomial{};
    if (s.closed.contains(l) && by.constant()) it.looks[l] = to_term(by, was->type);
    else it.entangled = true;
  }
}

//! One iteration from the present memory: condition, body, increment. Conjuncts of the condition that are not about the range
//! are a break. Of do-while, the condition of an iteration is the one that the iteration before ended with, and the first has none.
executor::iteration executor::iterate(const loop_form& f, const summary& s) {
  const int broken = s.broken, continued = s.continued;
  iteration it;
  it.first_read = old_reads_.size();
  frames_.back().exits.emplace_back(broken, continued);
  const memory before = memory_;
  if (f.body_first)
    for (const auto& [l, by] : s.looks) set(memory_, l, sub(get(memory_, l), by));
  it.condition = f.condition();
  if (f.body_first) memory_ = before;
  const std::vector<leaf> known = leaves(before);
  it.condition_acts = std::any_of(known.begin(), known.end(), [&](const leaf& l) { return get(before, l) != get(memory_, l); });
  split_condition(it, s);
  if (it.condition_acts) {  // i < n && x[i++] != key: within the range, the bounds hold where the condition acts
    substitution hold;
    for (term c : it.bounds) hold[c] = boolean(true);
    for (const leaf& l : leaves(memory_))
      if (const term t = get(memory_, l); t && l.what != leaf::kind::base) set(memory_, l, substitute(t, hold));
  }
  const term first = f.body_first ? equal(s.k, number(0L, long_type)) : boolean(false);
  if (!is_number(it.stay, 1)) memory_.cells[broken].scalar = logical_and(logical_not(first), logical_not(it.stay));
  unless_stopped(f.at, f.body);
  memory_.cells[continued].scalar = boolean(false);
  unless_stopped(f.at, f.increment);
  if (f.body_first) unless_stopped(f.at, [&] { look_after_body(f, s, it); });
  it.exit = stopped();
  frames_.back().exits.pop_back();
  it.after = memory_;
  return it;
}

//! Puts the loop's symbols into the memory of its entry.
void executor::install(const memory& entry, summary& s) {
  memory_ = entry;
  for (auto& [l, by] : s.closed) set(memory_, l, closed_form(entry, l, by, s.k));
  for (const leaf& l : s.carried) {
    if (l.what == leaf::kind::base) set(memory_, l, read(s.symbols.at(l), {position()}, arrays_.at(l.object).element));
    else set(memory_, l, s.symbols.at(l));
  }
}

//! Leaves that the iteration changed and that were not known to change; scalars first. True if there are some.
bool executor::grow(memory& entry, const iteration& it, summary& s) {
  bool grown = false;
  const auto consider = [&](bool arrays) {
    std::vector<leaf> all = leaves(it.after);
    for (const leaf& l : all) {
      const bool in_array = l.what == leaf::kind::base || l.what == leaf::kind::entry;
      if (in_array != arrays || s.closed.contains(l) || std::find(s.carried.begin(), s.carried.end(), l) != s.carried.end()) continue;
      if (!in_array && !entry.cells.contains(l.object)) continue;
      if (in_array && !entry.arrays.contains(l.object)) continue;
      if (l.object == s.broken || l.object == s.continued || l.object == frames_.back().returned) continue;
      if (l.what == leaf::kind::entry && std::any_of(l.index.begin(), l.index.end(), [&](term t) { return mentions(t, s.k); })) continue;
      const term before = get(entry, l), after = get(it.after, l);
      if (before == after) continue;
      if (!before && after && is_constant(after) && !s.pinned.contains(l)) {
        // Indeterminate before the loop, and set to one value only: it may as well have that value from the start.
        s.pinned.insert(l);
        set(entry, l, after);
        grown = true;
        continue;
      }
      s.carried.push_back(l);
      const type t = type_of(it.after, l, arrays_);
      s.symbols[l] = symbol(symbol_kind::state, s.prefix + s.fresh_name(leaf_name(l)), t);
      grown = true;
    }
  };
  consider(false);
  if (!grown && s.settled) consider(true);
  if (!grown && s.settled && s.depth == 0) grown = grow_lags(entry, it, s);
  return grown;
}

//! y[i] = f(y[i - 1]): the entry written by the iteration before is carried.
bool executor::grow_lags(const memory& entry, const iteration& it, summary& s) {
  for (std::size_t i = it.first_read; i < old_reads_.size(); ++i) {
    const old_read& r = old_reads_[i];
    const auto now = it.after.arrays.find(r.object);
    if (now == it.after.arrays.end() || !entry.arrays.contains(r.object) || r.index.size() != 1) continue;
    for (const auto& e : now->second.entries) {
      const auto form = affine_in(to_polynomial(e.index[0]), s.k);
      const auto slope = form ? form->slope.constant() : std::nullopt;
      const auto apart = distance(r.index[0], e.index[0]);
      if (!slope || abs(*slope) != 1 || !apart || *apart * *slope != -1) continue;
      const leaf l{.what = leaf::kind::lag, .object = r.object, .index = {r.index[0]}};
      if (std::find(s.carried.begin(), s.carried.end(), l) != s.carried.end()) continue;
      s.carried.push_back(l);
      s.symbols[l] =
          symbol(symbol_kind::state, s.prefix + s.fresh_name(objects_.at(r.object).name + "_prev"), arrays_.at(r.object).element);
      return true;
    }
  }
  return false;
}

//! Finds induction variables among the carried scalars. True if there is a new one: the trials start again.
bool executor::promote(const memory& entry, const iteration& it, summary& s) {
  bool any = false;
  for (const leaf& l : std::vector<leaf>(s.carried)) {
    const type t = type_of(entry, l, arrays_);
    if (t.kind != sort::integer || (l.what != leaf::kind::scalar && l.what != leaf::kind::pointer) || !get(entry, l)) continue;
    const term x = s.symbols.at(l), after = assume_false(get(it.after, l), it.exit);
    const polynomial by = to_polynomial(after) - to_polynomial(x);
    const bool invariant = std::none_of(by.terms.begin(), by.terms.end(), [&](const auto& m) {
      return std::any_of(m.first.begin(), m.first.end(), [&](term a) { return varies(a, s.k); });
    });
    if (!invariant || by.is_zero()) continue;
    const bool position_or_bound = l.what == leaf::kind::pointer || mentions(it.condition, x) ||
                                   std::any_of(index_terms_.begin(), index_terms_.end(), [&](term i) { return mentions(i, x); });
    if (!position_or_bound) continue;
    s.closed[l] = to_term(by, long_type);
    any = true;
  }
  if (any) {
    s.carried.clear();
    s.symbols.clear();
    s.names.clear();
  }
  return any;
}

namespace {

//! What an iteration must leave as it was, since only numbers are carried: the objects that pointers and views lie in. A pointer's
//! own position may move (it is an induction variable).
bool points_as_before(const value& before, const value& after) {
  if (before.what == value::kind::none) return true;
  if (before.what != after.what) return false;
  switch (before.what) {
    case value::kind::scalar:
      return true;
    case value::kind::aggregate:
      return std::equal(before.children.begin(), before.children.end(), after.children.begin(), after.children.end(), points_as_before);
    case value::kind::pointer:
      return before.at.object == after.at.object && before.at.path == after.at.path && before.at.index.size() == after.at.index.size() &&
             (before.at.path.empty() || before.at.index == after.at.index);
    default:
      return before == after;
  }
}

}  // namespace

//! Only numbers are carried from one iteration to the next: a pointer, view or container that means another object afterwards
//! would be read as what it meant before the loop.
void executor::check_pointers(const loop_form& f, const memory& entry, const iteration& it) {
  for (const auto& [id, v] : entry.cells) {
    const auto after = it.after.cells.find(id);
    if (after == it.after.cells.end() || points_as_before(v, after->second)) continue;
    refuse("TF4010", f.at, "'" + objects_.at(id).name + "', which means another object after an iteration",
           "only numbers are carried from one iteration to the next", "use one array and an index, or copy the values");
  }
}

bool executor::summarise(const loop_form& f) {
  if (depth_ >= 3)
    refuse("TF4015", f.at, "loops nested deeper than three", "only the outermost loop and loops over inner dimensions are read",
           "move the inner loops into the data");
  summary s;
  s.k = iteration_symbol(depth_);
  s.depth = depth_;
  s.prefix = depth_ == 0 ? "" : std::string(static_cast<std::size_t>(depth_), '@');
  s.broken = new_cell(value::of(boolean(false)), "", f.at);
  s.continued = new_cell(value::of(boolean(false)), "", f.at);
  memory entry = memory_;
  const bool was_exploring = exploring_, was_settled = settled_;
  const auto outer_index_terms = index_terms_;
  const auto outer_reads = old_reads_.size();
  ++depth_;
  exploring_ = true;
  iteration it;
  bool done = false;
  for (int trial = 0; trial < most_trials && !done; ++trial) {
    install(entry, s);
    index_terms_.clear();
    old_reads_.resize(outer_reads);
    settled_ = was_settled && s.settled;
    it = iterate(f, s);
    if (grow(entry, it, s)) continue;
    if (promote(entry, it, s)) {
      s.settled = false;
      continue;
    }
    if (s.settled && it.looks == s.looks) done = true;
    if (s.settled) s.looks = it.looks;
    s.settled = true;
  }
  if (f.body_first && it.entangled) {
    --depth_;
    exploring_ = was_exploring, settled_ = was_settled;
    index_terms_ = outer_index_terms;
    old_reads_.resize(outer_reads);
    return false;
  }
  if (!done) refuse("TF4016", f.at, "this loop", "what it carries did not become clear", "simplify the loop");
  install(entry, s);
  exploring_ = was_exploring;
  settled_ = was_settled;
  index_terms_.clear();
  old_reads_.resize(outer_reads);
  const auto is_vector = [](const leaf& l) { return l.what == leaf::kind::base; };
  std::sort(s.carried.begin(), s.carried.end(),
            [&](const leaf& a, const leaf& b) { return is_vector(a) != is_vector(b) ? is_vector(b) : a < b; });
  it = iterate(f, s);
  --depth_;
  find_range(f, entry, it, s);
  if (!exploring_) check_pointers(f, entry, it), check_reads(f, entry, it, s);
  close_states(f, entry, it, s);
  leave(f, entry, it, s);
  index_terms_.insert(index_terms_.end(), outer_index_terms.begin(), outer_index_terms.end());
  return true;
}

//! A name for reports: the variable's, or the field's in a struct.
std::string executor::leaf_name(const leaf& l) const {
  const object_info& o = objects_.at(l.object);
  if (l.object == frames_.back().result) return "result";
  std::string name = o.name.empty() ? "value" : o.name;
  clang::QualType t = o.type;
  for (int i : l.path) {
    if (!t.isNull() && !optional_value(t).isNull()) {
      if (i == 0) name += "_set";
      t = i == 0 ? clang::QualType() : optional_value(t);
      continue;
    }
    const auto* r = t.isNull() ? nullptr : t.getNonReferenceType()->getAsCXXRecordDecl();
    if (r && container_element(t).isNull()) {
      const auto* f = *std::next(r->field_begin(), i);
      name = f->getNameAsString();
      t = f->getType();
    } else {
      name += "_" + std::to_string(i);
      if (!t.isNull()) t = context_.getAsArrayType(t) ? context_.getAsArrayType(t)->getElementType() : container_element(t);
    }
  }
  for (term i : l.index)
    if (!is_number(i, 0)) name += "_" + (i->is(op::number) ? i->value.get_str() : std::string("at"));
  return name;
}

}  // namespace twofold::analyser::frontend
