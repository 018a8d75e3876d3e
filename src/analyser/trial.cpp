// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Small runs of a loop and of its merge by the machine interpreter.
#include "trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace twofold::analyser {
namespace {

std::vector<term> values_of(const std::vector<output>& outputs) {
  std::vector<term> r;
  for (const output& o : outputs) r.push_back(o.value);
  return r;
}

template <class Part>
std::vector<term> terms_of(const decision& d, Part part) {
  std::vector<term> r;
  for (const merged_variable& v : d.state) r.push_back(v.*part);
  return r;
}

machine starting_value(type t) {
  if (t.kind == sort::real) return {0.5};
  if (t.kind == sort::boolean || !t.is_signed) return {std::uint64_t{t.kind == sort::boolean ? 1U : 2U}};
  return {std::int64_t{2}};
}

//! Only numbers, one by one: no rows, tables, vectors or neighbours.
bool is_plain(const spec& s, const decision& d) {
  const auto beyond = [](const node& n) {
    return n.is(op::read) || n.is(op::inner_fold) || n.is_symbol(symbol_kind::component) || n.is_symbol(symbol_kind::array);
  };
  std::vector<term> all;
  for (const pass& p : s.passes) {
    if (p.reverse || !p.begin || !is_number(p.begin, 0)) return false;
    for (const element& e : p.elements)
      if (e.row_extent || e.offset != 0) return false;
    for (const state_variable& v : p.state) {
      if (v.extent) return false;
      all.insert(all.end(), {v.init, v.step});
    }
  }
  for (const merged_variable& v : d.state) {
    if (v.extent || !v.lift || !v.step || !v.merge) return false;
    all.insert(all.end(), {v.lift, v.step, v.merge});
  }
  for (const auto* outputs : {&s.outputs, &d.finalize})
    for (const output& o : *outputs) {
      if (o.extent) return false;
      all.push_back(o.value);
    }
  return std::none_of(all.begin(), all.end(), [&](term t) { return t && contains(t, beyond); });
}

}  // namespace

struct trial::implementation {
  const spec* loop;
  std::vector<term> elements, index, lengths, states, lefts, rights;
  std::vector<std::pair<std::string, machine>> parameters;
  std::vector<std::pair<term, machine>> parameter_values;
  struct pass_programs {
    machine_program init, step;
  };
  std::vector<pass_programs> passes;
  std::unique_ptr<machine_program> outputs, lift, step, merge, finalize;

  void set_common(machine_program& m, std::size_t length) const {
    for (const auto& [symbol, v] : parameter_values) m.set(symbol, v);
    for (const term n : lengths) m.set(n, convert({static_cast<std::int64_t>(length)}, n->type));
  }
  void set_iteration(machine_program& m, const reading& x, std::size_t k) const {
    for (std::size_t e = 0; e < elements.size(); ++e) m.set(elements[e], x[e]);
    for (const term i : index) m.set(i, convert({static_cast<std::int64_t>(k)}, i->type));
  }
  static machine_state values(machine_program& m, std::size_t count) {
    m.run();
    machine_state r;
    for (std::size_t i = 0; i < count; ++i) r.push_back(m.value(i));
    return r;
  }
};

trial::trial() : p_(std::make_unique<implementation>()) {}
trial::~trial() = default;

std::unique_ptr<trial> trial::of(const spec& s, const decision& d) {
  if (!is_plain(s, d)) return nullptr;
  std::unique_ptr<trial> r(new trial);
  implementation& p = *r->p_;
  p.loop = &s;
  for (const pass& q : s.passes) {
    for (const element& e : q.elements)
      if (std::find(p.elements.begin(), p.elements.end(), e.symbol) == p.elements.end()) p.elements.push_back(e.symbol);
    for (const type t : {int_type, long_type, type{sort::integer, 64, false}, type{sort::integer, 32, false}})
      p.index.push_back(symbol(symbol_kind::index, q.index, t));
    std::vector<term> inits, steps;
    for (const state_variable& v : q.state) inits.push_back(v.init), steps.push_back(v.step);
    p.passes.push_back({machine_program(inits), machine_program(steps)});
  }
  for (const parameter& q : s.parameters) {
    const term symbol_of = symbol(symbol_kind::parameter, q.name, q.element);
    if (q.role == parameter_role::length) p.lengths.push_back(symbol_of);
    if (q.role != parameter_role::scalar) continue;
    p.parameters.emplace_back(q.name, starting_value(q.element));
    p.parameter_values.emplace_back(symbol_of, p.parameters.back().second);
  }
  p.outputs = std::make_unique<machine_program>(values_of(s.outputs));
  p.lift = std::make_unique<machine_program>(terms_of(d, &merged_variable::lift));
  p.step = std::make_unique<machine_program>(terms_of(d, &merged_variable::step));
  p.merge = std::make_unique<machine_program>(terms_of(d, &merged_variable::merge));
  p.finalize = std::make_unique<machine_program>(values_of(d.finalize));
  for (const merged_variable& v : d.state) {
    p.states.push_back(symbol(symbol_kind::state, v.name, v.type));
    p.lefts.push_back(symbol(symbol_kind::left, v.name, v.type));
    p.rights.push_back(symbol(symbol_kind::right, v.name, v.type));
  }
  return r;
}

const std::vector<term>& trial::elements() const { return p_->elements; }
const std::vector<std::pair<std::string, machine>>& trial::parameters() const { return p_->parameters; }

void trial::set_parameter(const std::string& name, const machine& v) {
  for (auto& [n, old] : p_->parameters)
    if (n == name) old = v;
  for (auto& [n, old] : p_->parameter_values)
    if (n->name == name) old = v;
}

machine_state trial::loop_state(const readings& w) {
  machine_state results;
  const spec& s = *p_->loop;
  for (std::size_t k = 0; k < s.passes.size(); ++k) {
    implementation::pass_programs& programs = p_->passes[k];
    const std::vector<state_variable>& variables = s.passes[k].state;
    for (machine_program* m : {&programs.init, &programs.step}) {
      p_->set_common(*m, w.size());
      for (std::size_t i = 0; i < results.size(); ++i) m->set(s.results[i], results[i]);
    }
    machine_state now = implementation::values(programs.init, variables.size());
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = convert(now[i], variables[i].type);
    for (std::size_t i = 0; i < w.size(); ++i) {
      p_->set_iteration(programs.step, w[i], i);
      for (std::size_t v = 0; v < variables.size(); ++v) programs.step.set(variables[v].symbol, now[v]);
      now = implementation::values(programs.step, variables.size());
    }
    results.insert(results.end(), now.begin(), now.end());
  }
  return results;
}

std::vector<machine> trial::loop_answers(const readings& w) {
  const machine_state results = loop_state(w);
  p_->set_common(*p_->outputs, w.size());
  for (std::size_t i = 0; i < results.size(); ++i) p_->outputs->set(p_->loop->results[i], results[i]);
  return implementation::values(*p_->outputs, p_->loop->outputs.size());
}

machine_state trial::leaf(const readings& w, std::size_t from, std::size_t to) {
  p_->set_common(*p_->lift, w.size());
  p_->set_common(*p_->step, w.size());
  p_->set_iteration(*p_->lift, w[from], from);
  machine_state now = implementation::values(*p_->lift, p_->states.size());
  for (std::size_t k = from + 1; k < to; ++k) {
    p_->set_iteration(*p_->step, w[k], k);
    for (std::size_t v = 0; v < now.size(); ++v) p_->step->set(p_->states[v], now[v]);
    now = implementation::values(*p_->step, p_->states.size());
  }
  return now;
}

machine_state trial::merge(const machine_state& a, const machine_state& b) {
  p_->set_common(*p_->merge, 0);
  for (std::size_t v = 0; v < a.size(); ++v) p_->merge->set(p_->lefts[v], a[v]), p_->merge->set(p_->rights[v], b[v]);
  return implementation::values(*p_->merge, a.size());
}

std::vector<machine> trial::answers(const machine_state& s, std::size_t length) {
  p_->set_common(*p_->finalize, length);
  for (std::size_t v = 0; v < s.size(); ++v) p_->finalize->set(p_->states[v], s[v]);
  return implementation::values(*p_->finalize, p_->loop->outputs.size());
}

std::string to_text(const machine& v, type t, int digits) {
  if (const double* d = std::get_if<double>(&v.value)) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, *d);
    return std::isnan(*d) ? "nan" : text;
  }
  if (const std::int64_t* i = std::get_if<std::int64_t>(&v.value)) return std::to_string(*i);
  const std::uint64_t u = std::get<std::uint64_t>(v.value);
  return t.kind == sort::boolean ? (u != 0 ? "true" : "false") : std::to_string(u);
}

bool same(const machine& a, const machine& b) {
  const double *x = std::get_if<double>(&a.value), *y = std::get_if<double>(&b.value);
  if (x == nullptr || y == nullptr) return a.value == b.value;
  return (std::isnan(*x) && std::isnan(*y)) || std::memcmp(x, y, sizeof *x) == 0;
}

}  // namespace twofold::analyser
