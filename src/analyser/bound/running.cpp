// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Runs a decision over balls.
#include "bound/running.hpp"

#include <algorithm>
#include <memory>

namespace twofold::analyser::bounding {
namespace {

using balls = std::vector<ball>;
using state = std::vector<balls>;  // by variable, by component

//! One term with what it reads: compiled once, set for every evaluation.
class evaluator {
 public:
  evaluator(term t, const loop_data& data, precision p) : program_({regauged(t)}, ball_domain(p)) {
    for (term s : program_.inputs())
      if (auto it = data.scalars.find(s); it != data.scalars.end()) program_.set(program_.find(s), it->second);
      else if (s->is_symbol(symbol_kind::length)) program_.set(program_.find(s), {0, 0, data.last - data.first, sort::integer, true});
    for (term a : program_.arrays())
      if (auto it = data.arrays.find(a); it != data.arrays.end()) {
        auto shape = data.shapes.find(a);
        program_.set_array(a, it->second, shape == data.shapes.end() ? std::vector<std::size_t>{} : shape->second);
      }
  }
  void set(term symbol, const ball& v) { program_.set(program_.find(symbol), v); }
  void set_array(term symbol, std::span<const ball> entries) { program_.set_array(symbol, entries, {}); }
  ball value(type t) {
    program_.run();
    const ball_slot& r = program_.result(0);
    if (!r.defined) throw no_bound(r.fault);
    if (r.v.kind == t.kind) return r.v;
    ball_slot out;
    ball_domain(precision::machine).assign(out, r.v, t);
    if (!out.defined) throw no_bound(out.fault);
    return out.v;
  }
  [[nodiscard]] const std::vector<term>& inputs() const { return program_.inputs(); }

 private:
  ball_program program_;
};

class runner {
 public:
  runner(const spec& s, const decision& d, const loop_data& data, precision p) : spec_(s), decision_(d), data_(data), precision_(p) {
    for (const pass& each : s.passes) reverse_ = each.reverse;
    for (const merged_variable& v : d.state) {
      from_start_ = from_start_ && v.init && v.step;
      extents_.push_back(v.extent ? size_of(v.extent) : 1);
    }
    for (const merged_variable& v : d.state) {
      steps_.push_back(made(v.step));
      lifts_.push_back(made(v.lift));
      merges_.push_back(made(v.merge));
      if (!v.merge || !(v.step || v.lift)) throw no_bound("a variable without a formula");
    }
    find_elements();
  }

  state over(const bracket& b) {
    if (b.parts.empty()) return leaf(b.first, b.last);
    state s = over(b.parts.front());
    for (std::size_t k = 1; k < b.parts.size(); ++k) s = merged(s, over(b.parts[k]));
    return s;
  }

  std::vector<bounded_answer> answers(const state& s) {
    std::vector<bounded_answer> all;
    for (const output& o : decision_.finalize) {
      evaluator e(o.value, data_, precision_);
      const std::size_t extent = o.extent ? size_of(o.extent) : 1;
      bounded_answer a{o.name, {}};
      for (std::size_t j = 0; j < extent; ++j) {
        give(e, s, symbol_kind::state, j, o.component);
        a.values.push_back(e.value(o.type));
      }
      all.push_back(std::move(a));
    }
    if (!decision_.finalize.empty()) return all;
    for (std::size_t v = 0; v < s.size(); ++v) all.push_back({decision_.state[v].name, s[v]});
    return all;
  }

 private:
  struct read_element {
    term symbol;
    const balls* entries;
    std::size_t row;  // 0: a scalar
    long offset;
  };

  std::unique_ptr<evaluator> made(term t) const { return t ? std::make_unique<evaluator>(t, data_, precision_) : nullptr; }

  std::size_t size_of(term extent) const {
    evaluator e(extent, data_, precision_);
    const ball b = e.value(long_type);
    if (b.i < 0) throw no_bound("a negative extent");
    return static_cast<std::size_t>(b.i);
  }

  void find_elements() {
    for (const pass& p : spec_.passes)
      for (const element& e : p.elements) {
        const parameter* from = nullptr;
        for (const parameter& q : spec_.parameters)
          if (q.name == e.array) from = &q;
        if (from == nullptr) throw no_bound("an array that is no parameter");
        const auto it = data_.arrays.find(symbol(symbol_kind::array, from->name, from->element));
        if (it == data_.arrays.end()) throw no_bound("an array without entries");
        elements_.push_back({e.symbol, &it->second, e.row_extent ? size_of(e.row_extent) : 0, e.offset});
      }
  }

  //! What iteration k of the run reads.
  void load(evaluator& e, std::int64_t k) const {
    const std::int64_t i = reverse_ ? data_.last - 1 - k : data_.first + k;
    for (const read_element& r : elements_) {
      const std::size_t width = std::max<std::size_t>(1, r.row);
      const std::int64_t at = i + r.offset;
      if (at < 0 || (static_cast<std::size_t>(at) + 1) * width > r.entries->size()) throw no_bound("a read outside of an array");
      const std::span<const ball> row = std::span<const ball>(*r.entries).subspan(static_cast<std::size_t>(at) * width, width);
      if (r.row > 0) e.set_array(r.symbol, row);
      else e.set(r.symbol, row[0]);
    }
    for (term t : e.inputs())
      if (t->is_symbol(symbol_kind::index)) e.set(t, {0, 0, i, sort::integer, true});
  }

  //! A state under symbols of one kind, at component j.
  void give(evaluator& e, const state& s, symbol_kind kind, std::size_t j, term component) const {
    for (std::size_t v = 0; v < s.size(); ++v) {
      const merged_variable& variable = decision_.state[v];
      const term name = symbol(kind, variable.name, variable.type);
      e.set(name, s[v][variable.extent ? std::min(j, s[v].size() - 1) : 0]);
      e.set_array(name, s[v]);
    }
    const ball at{0, 0, static_cast<std::int64_t>(j), sort::integer, true};
    if (component) e.set(component, at);
    for (term t : e.inputs())
      if (t->is_symbol(symbol_kind::component)) e.set(t, at);
  }

  state start() {
    state s;
    for (std::size_t v = 0; v < decision_.state.size(); ++v) {
      const merged_variable& variable = decision_.state[v];
      evaluator e(variable.init, data_, precision_);
      s.emplace_back();
      for (std::size_t j = 0; j < extents_[v]; ++j) {
        if (variable.component) e.set(variable.component, {0, 0, static_cast<std::int64_t>(j), sort::integer, true});
        s.back().push_back(e.value(variable.type));
      }
    }
    return s;
  }

  state leaf(std::int64_t first, std::int64_t last) {
    state s;
    std::int64_t k = first;
    if (from_start_) s = start();
    else s = lifted(k++);
    for (; k < last; ++k) s = stepped(s, k);
    return s;
  }

  state lifted(std::int64_t k) {
    state s;
    for (std::size_t v = 0; v < decision_.state.size(); ++v) {
      if (!lifts_[v]) throw no_bound("a variable whose state of one element has no formula");
      load(*lifts_[v], k);
      s.emplace_back();
      for (std::size_t j = 0; j < extents_[v]; ++j) {
        give(*lifts_[v], {}, symbol_kind::state, j, decision_.state[v].component);
        s.back().push_back(lifts_[v]->value(decision_.state[v].type));
      }
    }
    return s;
  }

  state stepped(const state& before, std::int64_t k) {
    state s;
    for (std::size_t v = 0; v < decision_.state.size(); ++v) {
      if (!steps_[v]) return merged(before, lifted(k));
      load(*steps_[v], k);
      s.emplace_back();
      for (std::size_t j = 0; j < extents_[v]; ++j) {
        give(*steps_[v], before, symbol_kind::state, j, decision_.state[v].component);
        s.back().push_back(steps_[v]->value(decision_.state[v].type));
      }
    }
    return s;
  }

  state merged(const state& a, const state& b) {
    state s;
    for (std::size_t v = 0; v < decision_.state.size(); ++v) {
      s.emplace_back();
      for (std::size_t j = 0; j < extents_[v]; ++j) {
        give(*merges_[v], a, symbol_kind::left, j, decision_.state[v].component);
        give(*merges_[v], b, symbol_kind::right, j, decision_.state[v].component);
        s.back().push_back(merges_[v]->value(decision_.state[v].type));
      }
    }
    return s;
  }

  const spec& spec_;
  const decision& decision_;
  const loop_data& data_;
  precision precision_;
  bool reverse_ = false, from_start_ = true;
  std::vector<std::size_t> extents_;
  std::vector<std::unique_ptr<evaluator>> steps_, lifts_, merges_;
  std::vector<read_element> elements_;
};

term regauged(term t, std::map<term, term>& done) {
  if (auto it = done.find(t); it != done.end()) return it->second;
  term result = t;
  if (!t->args.empty()) {
    std::vector<term> args;
    for (term a : t->args) args.push_back(regauged(a, done));
    result = rebuild(t, args);
  }
  if (result->is(op::add) && result->type.kind == sort::real)
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const term x = result->args[side], other = result->args[1 - side];
      if (!other->is(op::neg) || !other->args[0]->is(op::max)) continue;
      const term most = other->args[0];
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
        if (most->args[k] == x && x->type == result->type) result = min(number(0, result->type), sub(x, most->args[1 - k]));
      if (!result->is(op::add)) break;
    }
  done.emplace(t, result);
  return result;
}

}  // namespace

term regauged(term t) {
  std::map<term, term> done;
  return regauged(t, done);
}

std::vector<bounded_answer> run_bounded(const spec& s, const decision& d, const loop_data& data, const bracket& how, precision p) {
  runner r(s, d, data, p);
  return r.answers(r.over(how));
}

}  // namespace twofold::analyser::bounding
