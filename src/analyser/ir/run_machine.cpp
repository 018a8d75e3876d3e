// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Runs a whole spec the way the compiled function would: pass by pass, iteration by iteration.
#include <algorithm>
#include <limits>

#include "ir/evaluate.hpp"

namespace twofold::analyser {
namespace {

using machines = std::vector<machine>;
constexpr std::int64_t longest_output = std::int64_t{1} << 24;

//! What every term may see: parameters, arrays with their shapes, results of earlier passes, the length.
struct surroundings {
  machine_environment scalars;
  machine_arrays arrays;
  array_shapes shapes;

  void give(machine_program& p) const {
    for (term s : p.inputs())
      if (auto it = scalars.find(s); it != scalars.end()) p.set(s, it->second);
    for (term a : p.arrays())
      if (auto it = arrays.find(a); it != arrays.end()) {
        auto shape = shapes.find(a);
        p.set_array(a, it->second, shape == shapes.end() ? std::vector<std::size_t>{} : shape->second);
      }
  }
  machine value(term t) const {
    machine_program p({t});
    give(p);
    p.run();
    return p.value(0);
  }
  std::int64_t integer(term t) const {
    const machine m = convert(value(t), long_type);
    return std::get<std::int64_t>(m.value);
  }
  std::size_t size(term t) const {
    const std::int64_t v = integer(t);
    if (v < 0) throw evaluation_error("a negative extent");
    return static_cast<std::size_t>(v);
  }
};

//! Whether all scalars of `t` have values.
bool known(const surroundings& all, term t) {
  for (term s : symbols(t))
    if (!all.scalars.contains(s)) return false;
  return true;
}

//! Lengths that were not given follow from the sizes of the arrays, e.g. n from x of extents [n, d] once d is known.
void infer_lengths(const spec& s, const run_inputs& in, surroundings& all) {
  for (std::size_t round = 0; round < s.parameters.size() + 1; ++round)
    for (const parameter& p : s.parameters) {
      auto a = in.arrays.find(p.name);
      if (a == in.arrays.end()) continue;
      std::size_t product = 1, open = 0;
      term unknown;
      for (term e : p.extents) {
        if (!e) continue;
        if (known(all, e)) product *= all.size(e);
        else {
          unknown = e;
          ++open;
        }
      }
      if (open == 1 && unknown->is(op::symbol) && product > 0)
        all.scalars[unknown] = convert({static_cast<std::int64_t>(a->second.size() / product)}, unknown->type);
    }
}

surroundings prepare(const spec& s, const run_inputs& in) {
  surroundings all;
  for (const parameter& p : s.parameters)
    if (auto it = in.scalars.find(p.name); it != in.scalars.end()) {
      all.scalars[symbol(symbol_kind::parameter, p.name, p.element)] = convert(it->second, p.element);
      all.scalars[symbol(symbol_kind::length, p.name, p.element)] = convert(it->second, p.element);
    }
  infer_lengths(s, in, all);
  for (const parameter& p : s.parameters) {
    auto it = in.arrays.find(p.name);
    if (it == in.arrays.end()) continue;
    const term array = symbol(symbol_kind::array, p.name, p.element);
    machines& entries = all.arrays[array];
    for (const machine& m : it->second) entries.push_back(convert(m, p.element));
    std::vector<std::size_t> shape;
    for (term e : p.extents) shape.push_back(e && known(all, e) ? all.size(e) : std::numeric_limits<std::size_t>::max());
    if (shape.size() > 1) all.shapes[array] = std::move(shape);
  }
  return all;
}

//! The greatest or least integer of a type.
machine extreme(type t, bool greatest) {
  const unsigned unused = 64u - t.bits;
  if (!t.is_signed) return {greatest ? ~std::uint64_t{0} >> unused : std::uint64_t{0}};
  const std::int64_t high = std::numeric_limits<std::int64_t>::max() >> unused;
  return {greatest ? high : -high - 1};
}

//! One pass: the state as one flat vector of components, stepped simultaneously.
class pass_runner {
 public:
  pass_runner(const spec& s, const pass& p, const surroundings& all) : pass_(p), all_(all) {
    for (const state_variable& v : p.state) {
      programs_.emplace_back(machine_program({v.step}));
      extents_.push_back(v.extent ? all.size(v.extent) : 1);
      state_.push_back(initial(v, extents_.back()));
    }
    for (const element_output& o : p.outputs) output_programs_.emplace_back(machine_program({o.value}));
    for (machine_program& g : programs_) all_.give(g);
    for (machine_program& g : output_programs_) all_.give(g);
    for (const element& e : p.elements) sources_.push_back(source_of(s, e));
    outputs_.resize(p.outputs.size());
  }

  void run(std::int64_t begin, std::int64_t end) {
    const std::int64_t n = std::max<std::int64_t>(0, end - begin);
    for (auto* list : {&programs_, &output_programs_})
      for (machine_program& g : *list)
        for (term t : g.inputs())
          if (t->is_symbol(symbol_kind::length) && !all_.scalars.contains(t)) g.set(t, {n});
    if (begin < 0 && n > 0 && !outputs_.empty()) throw evaluation_error("an output written before its first entry");
    for (std::size_t o = 0; o < outputs_.size(); ++o) outputs_[o] = before_the_loop(pass_.outputs[o], std::max(begin, end));
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t i = pass_.reverse ? end - 1 - k : begin + k;
      load(i);
      for (std::size_t o = 0; o < outputs_.size(); ++o) outputs_[o].at(static_cast<std::size_t>(i)) = evaluate_output(o);
      step();
    }
  }

  const std::vector<machines>& state() const { return state_; }
  const std::vector<machines>& outputs() const { return outputs_; }

 private:
  struct source {
    std::span<const machine> entries;
    std::size_t row;
  };

  machines initial(const state_variable& v, std::size_t extent) const {
    machine_program p({v.init});
    all_.give(p);
    machines r;
    for (std::size_t j = 0; j < extent; ++j) {
      if (v.component) p.set(v.component, {static_cast<std::int64_t>(j)});
      give_components(p, j);
      // "nothing yet" of an integer maximum is the least integer
      if (v.type.kind == sort::integer && (v.init->is(op::infinity) || v.init->is(op::minus_infinity))) {
        r.push_back(extreme(v.type, v.init->is(op::infinity)));
        continue;
      }
      p.run();
      r.push_back(convert(p.value(0), v.type));
    }
    return r;
  }
  //! A vector-valued result of an earlier pass stands for its component j where it is written without an index.
  void give_components(machine_program& p, std::size_t j) const {
    for (term t : p.inputs())
      if (auto it = all_.arrays.find(t); it != all_.arrays.end() && j < it->second.size()) p.set(t, it->second[j]);
  }

  source source_of(const spec& s, const element& e) const {
    for (const parameter& p : s.parameters)
      if (p.name == e.array) {
        auto it = all_.arrays.find(symbol(symbol_kind::array, p.name, p.element));
        if (it != all_.arrays.end()) return {it->second, e.row_extent ? all_.size(e.row_extent) : 0};
      }
    throw evaluation_error("no entries were given for the array " + e.array);
  }

  void load(std::int64_t i) {
    for (std::size_t e = 0; e < pass_.elements.size(); ++e) {
      const element& read = pass_.elements[e];
      const std::int64_t at = i + read.offset;
      const std::size_t width = read.row_extent ? sources_[e].row : 1;
      if (at < 0 || (static_cast<std::size_t>(at) + 1) * width > sources_[e].entries.size())
        throw evaluation_error("the loop reads " + read.array + " outside of its entries");
      const std::span<const machine> row = sources_[e].entries.subspan(static_cast<std::size_t>(at) * width, width);
      for (auto* list : {&programs_, &output_programs_})
        for (machine_program& g : *list) {
          if (read.row_extent) g.set_array(read.symbol, row);
          else g.set(read.symbol, row[0]);
        }
    }
    for (auto* list : {&programs_, &output_programs_})
      for (machine_program& g : *list) {
        for (term t : g.inputs())
          if (t->is_symbol(symbol_kind::index)) g.set(t, {i});
        for (std::size_t v = 0; v < state_.size(); ++v) {
          if (!pass_.state[v].extent) g.set(pass_.state[v].symbol, state_[v][0]);
          g.set_array(pass_.state[v].symbol, state_[v]);
        }
      }
  }

  //! The program's vector-valued symbols at component j.
  void select_component(machine_program& g, std::size_t j) const {
    for (std::size_t v = 0; v < state_.size(); ++v)
      if (pass_.state[v].extent && j < state_[v].size()) g.set(pass_.state[v].symbol, state_[v][j]);
    for (term t : g.inputs())
      if (t->is_symbol(symbol_kind::component)) g.set(t, {static_cast<std::int64_t>(j)});
    give_components(g, j);
  }

  //! What an output array holds where the loop does not write: the caller's entries, else zeros.
  machines before_the_loop(const element_output& o, std::int64_t end) const {
    machines r;
    for (const auto& [array, entries] : all_.arrays)
      if (array->name == o.array) r = entries;
    if (end > longest_output) throw evaluation_error("an output of more entries than are interpreted");
    if (end > 0 && r.size() < static_cast<std::size_t>(end)) r.resize(static_cast<std::size_t>(end), convert({std::int64_t{0}}, o.type));
    return r;
  }

  machine evaluate_output(std::size_t o) {
    machine_program& g = output_programs_[o];
    select_component(g, 0);
    g.run();
    return convert(g.value(0), pass_.outputs[o].type);
  }

  void step() {
    std::vector<machines> next;
    for (std::size_t v = 0; v < state_.size(); ++v) {
      next.emplace_back();
      for (std::size_t j = 0; j < extents_[v]; ++j) {
        select_component(programs_[v], j);
        programs_[v].run();
        next.back().push_back(convert(programs_[v].value(0), pass_.state[v].type));
      }
    }
    state_ = std::move(next);
  }

  const pass& pass_;
  const surroundings& all_;
  std::vector<machine_program> programs_, output_programs_;
  std::vector<std::size_t> extents_;
  std::vector<machines> state_, outputs_;
  std::vector<source> sources_;
};

//! "y[0]": one entry of the array y.
std::pair<std::string, std::size_t> entry_of(const std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos || name.back() != ']' || name.find('[', open + 1) != std::string::npos) return {};
  return {name.substr(0, open), std::stoul(name.substr(open + 1))};
}

}  // namespace

std::map<std::string, std::vector<machine>> run_machine(const spec& s, const run_inputs& in) {
  surroundings all = prepare(s, in);
  std::map<std::string, std::vector<machine>> out;
  std::size_t result = 0;
  for (const pass& p : s.passes) {
    pass_runner runner(s, p, all);
    runner.run(all.integer(p.begin), all.integer(p.end));
    for (std::size_t o = 0; o < p.outputs.size(); ++o) out[p.outputs[o].array] = runner.outputs()[o];
    surroundings grown = all;
    for (std::size_t v = 0; v < p.state.size(); ++v, ++result) {
      const term r = s.results.at(result);
      if (!p.state[v].extent) grown.scalars[r] = runner.state()[v][0];
      grown.arrays[r] = runner.state()[v];
    }
    all = std::move(grown);
  }
  for (const output& o : s.outputs) {
    machine_program p({o.value});
    all.give(p);
    if (const auto [array, at] = entry_of(o.name); out.contains(array) && at < out[array].size()) {
      p.run();
      out[array][at] = convert(p.value(0), o.type);
      continue;
    }
    std::vector<machine>& values = out[o.name];
    values.clear();
    const std::size_t extent = o.extent ? all.size(o.extent) : 1;
    for (std::size_t j = 0; j < extent; ++j) {
      for (term t : p.inputs()) {
        if (o.component && t == o.component) p.set(t, {static_cast<std::int64_t>(j)});
        // scalar results beside the vectors keep their own value
        if (auto it = all.arrays.find(t); it != all.arrays.end() && o.extent && !all.scalars.contains(t)) {
          if (j >= it->second.size()) throw evaluation_error("an output of more entries than the array it is made of");
          p.set(t, it->second[j]);
        }
      }
      p.run();
      values.push_back(convert(p.value(0), o.type));
    }
  }
  return out;
}

}  // namespace twofold::analyser
