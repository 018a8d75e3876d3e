// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Is the user's merge right on reachable states? Neighbouring pieces whose merged state is not the loop's, shortest first.
//!
//! Exponentials: e is transcendental, so two rational functions of e with rational coefficients are equal only if they are the same
//! function. If they differ at 2 they are not the same. So values computed with e = 2 may *refute* an equality, as long as
//! every exponent is an integer and no comparison, rounding or other branch looked at a value that contains an exponential.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <sstream>

#include "refute/refute.hpp"
#include "refute/runner.hpp"

namespace twofold::analyser {
namespace {

using clock = std::chrono::steady_clock;
using word = std::vector<letter_id>;

bool is_exponential(const node& n) { return n.is(op::call) && (n.name == "exp" || n.name == "std::exp" || n.name == "expf"); }

//! Whether exponentials only ever enter sums, products and quotients (selects may choose between them).
class exponential_flow {
 public:
  explicit exponential_flow(const pass& p, const std::vector<term>& merge) : pass_(p) {
    for (std::size_t before = 0; before != tainted_.size() || before == 0;) {  // states that contain exponentials
      before = tainted_.size();
      for (std::size_t k = 0; k < p.state.size(); ++k)
        if (contains_exponential(p.state[k].step) || (k < merge.size() && contains_exponential(merge[k]))) taint(p.state[k]);
      if (tainted_.empty()) break;
    }
    any_ = !tainted_.empty();
    for (const state_variable& v : p.state) harmless_ &= is_harmless(v.step);
    for (term t : merge) harmless_ &= is_harmless(t);
  }
  bool any() const { return any_; }
  bool harmless() const { return harmless_; }

 private:
  void taint(const state_variable& v) {
    tainted_.insert(v.symbol);
    tainted_.insert(symbol(symbol_kind::left, v.name, v.type));
    tainted_.insert(symbol(symbol_kind::right, v.name, v.type));
  }
  bool contains_exponential(term t) const {
    return contains(t, [&](const node& n) { return is_exponential(n) || tainted_.contains(term(&n)); });
  }
  bool is_harmless(term t) const {
    return !contains(t, [&](const node& n) {
      switch (n.kind) {
        case op::add:
        case op::mul:
        case op::neg:
        case op::div:
        case op::read:
        case op::inner_fold:
          return false;
        case op::select:
          return contains_exponential(n.args[0]);
        case op::cast:
          return n.type.kind != sort::real && contains_exponential(n.args[0]);
        default:
          return std::any_of(n.args.begin(), n.args.end(), [&](term a) { return contains_exponential(a); });
      }
    });
  }

  const pass& pass_;
  std::set<term> tainted_;
  bool any_ = false, harmless_ = true;
};

std::string decimal(const machine& m) {
  std::ostringstream out;
  std::visit([&](auto v) { out << v; }, m.value);
  return out.str();
}

//! One variable's merge, component by component.
class merge_program {
 public:
  merge_program(const spec& s, const std::vector<term>& merge, const setting& fixed, bool powers) : program_(merge, powers) {
    const std::vector<state_variable>& state = s.passes.back().state;
    for (term u : program_.inputs()) {
      if (auto v = fixed.scalars.find(u); v != fixed.scalars.end()) program_.set(u, v->second);
      if (u->is_symbol(symbol_kind::component)) components_.push_back(program_.slot(u));
      for (std::size_t k = 0; k < state.size(); ++k)
        if ((u->is_symbol(symbol_kind::left) || u->is_symbol(symbol_kind::right)) && u->name == state[k].name)
          inputs_.push_back({program_.slot(u), k, u->is_symbol(symbol_kind::right), bool(state[k].extent)});
    }
    for (term a : program_.arrays())
      if (auto v = fixed.arrays.find(a); v != fixed.arrays.end()) program_.set_array(a, v->second);
  }
  //! The merge of variable k at component j.
  const exact* value(const word_runner& runner, int left, int right, std::size_t k, std::size_t j) {
    for (const input& i : inputs_) {
      const auto [at, count] = runner.range(i.variable);
      program_.set(i.slot, runner.values(i.is_right ? right : left)[at + (i.vector ? std::min(j, count - 1) : 0)]);
    }
    exact component;
    component.value = static_cast<unsigned long>(j);
    for (std::size_t c : components_) program_.set(c, component);
    program_.run();
    return program_.value(k);
  }

 private:
  struct input {
    std::size_t slot, variable;
    bool is_right, vector;
  };
  exact_program program_;
  std::vector<input> inputs_;
  std::vector<std::size_t> components_;
};

class merge_search {
 public:
  merge_search(const spec& s, const std::vector<term>& merge, const setting& fixed, bool powers, clock::time_point deadline)
      : spec_(s),
        merge_(merge),
        fixed_(fixed),
        powers_(powers),
        deadline_(deadline),
        letters_(make_alphabet(s, fixed, 24)),
        runner_(s, fixed, letters_, powers),
        program_(s, merge, fixed, powers) {}

  bool late() const { return clock::now() > deadline_ || runner_.steps() > 300'000; }

  //! Words of n iterations, split everywhere.
  std::optional<counterexample> find(std::size_t n) {
    const std::size_t window = runner_.before();
    std::size_t k = letters_.letters.size(), count = 0;
    while (k > 1 && std::pow(static_cast<double>(k), static_cast<double>(n + window)) > 5'000) --k;
    word string(n + window, 0);
    do {
      if ((++count & 0xff) == 0 && late()) return std::nullopt;
      for (std::size_t cut = 1; cut < n; ++cut)
        if (auto found = try_split(string, cut)) return found;
    } while (next(string, k));
    return std::nullopt;
  }

 private:
  static bool next(word& w, std::size_t k) {
    for (std::size_t i = w.size(); i-- > 0;) {
      if (++w[i] < k) return true;
      w[i] = 0;
    }
    return false;
  }

  std::optional<counterexample> try_split(const word& string, std::size_t cut) {
    const std::size_t window = runner_.before(), n = string.size() - window;
    const std::span<const letter_id> all(string);
    const long origin = runner_.origin(static_cast<long>(n)), length = static_cast<long>(n);
    const int whole = runner_.run(all, {origin, length});
    const int left = runner_.run(all.first(window + cut), {origin, length});
    const int right = runner_.run(all.subspan(cut), {origin + runner_.direction() * static_cast<long>(cut), length});
    if (whole == word_runner::none || left == word_runner::none || right == word_runner::none) return std::nullopt;
    for (std::size_t k = 0; k < merge_.size(); ++k) {
      if (!runner_.observable(k)) continue;
      const auto [at, extent] = runner_.range(k);
      for (std::size_t j = 0; j < extent; ++j) {
        const exact* merged = program_.value(runner_, left, right, k, j);
        if (merged && !(*merged == runner_.values(whole)[at + j])) return explain(string, cut, left, right, whole);
      }
    }
    return std::nullopt;
  }

  counterexample explain(const word& string, std::size_t cut, int left, int right, int whole) {
    counterexample c;
    const std::size_t window = runner_.before(), n = string.size() - window;
    for (const element& e : spec_.passes[0].elements)
      c.elements.push_back(e.array + (e.offset == 0  ? "[i]"
                                      : e.offset > 0 ? "[i + " + std::to_string(e.offset) + "]"
                                                     : "[i - " + std::to_string(-e.offset) + "]"));
    for (std::size_t t = 0; t < n; ++t) (t < cut ? c.left : c.right).push_back(tuple(string, t));
    for (const auto& [symbol, v] : fixed_.scalars) c.parameters.emplace_back(symbol->name, to_text(v));
    if (runner_.uses_length())
      if (const auto length = runner_.length_parameter(static_cast<long>(n)))
        c.parameters.emplace_back(length->first, std::to_string(length->second));
    if (powers_ && window == 0) {
      in_decimals(c, string, cut);
      return c;
    }
    c.state = runner_.state_text(whole);
    c.result = merged_text(left, right);
    c.result2 = runner_.state_text(whole);
    return c;
  }

  std::vector<std::string> tuple(const word& string, std::size_t t) const {
    const bool reversed = runner_.direction() < 0;
    long low = 0;
    for (const element& e : spec_.passes[0].elements) low = std::min(low, reversed ? -e.offset : e.offset);
    std::vector<std::string> r;
    for (const element& e : spec_.passes[0].elements) {
      const letter_id l = string[static_cast<std::size_t>(static_cast<long>(t) + (reversed ? -e.offset : e.offset) - low)];
      r.push_back(letters_.text(spec_, e.array, l));
    }
    return r;
  }

  std::string named(const std::vector<std::string>& values) const {
    std::string names, shown;
    for (std::size_t k = 0; k < values.size(); ++k) {
      names += (k ? ", " : "") + spec_.passes[0].state[k].name;
      shown += (k ? ", " : "") + values[k];
    }
    return values.size() == 1 ? names + " = " + shown : "(" + names + ") = (" + shown + ")";
  }

  std::string merged_text(int left, int right) {
    std::vector<std::string> values;
    for (std::size_t k = 0; k < merge_.size(); ++k) {
      const bool truth = spec_.passes[0].state[k].type.kind == sort::boolean;
      const std::size_t extent = runner_.range(k).second;
      std::string text;
      for (std::size_t j = 0; j < extent; ++j) {
        const exact* v = program_.value(runner_, left, right, k, j);
        text += (j ? ", " : "") + (!v ? std::string("undefined") : truth ? std::string(v->value == 0 ? "false" : "true") : to_text(*v));
      }
      values.push_back(spec_.passes[0].state[k].extent ? "[" + text + "]" : text);
    }
    return named(values);
  }

  // --- where exponentials occur, the values are shown as doubles: exact ones would be rational functions of e
  std::vector<std::vector<machine>> machine_states(const word& string, std::size_t from, std::size_t count) const {
    spec states = spec_;
    states.outputs.clear();
    states.passes[0].outputs.clear();
    for (std::size_t k = 0; k < spec_.results.size(); ++k) {
      const state_variable& v = spec_.passes[0].state[k];
      states.outputs.push_back({std::to_string(k), v.type, spec_.results[k], v.extent, v.component});
    }
    run_inputs in;
    const auto as_machine = [](const exact& v) { return machine{v.value.get_d()}; };
    for (std::size_t t = from; t < from + count; ++t)
      for (std::size_t a = 0; a < letters_.tapes.size(); ++a)
        for (const exact& v : letters_.letters[string[t]][a]) in.arrays[letters_.tapes[a].array].push_back(as_machine(v));
    for (const auto& [symbol, v] : fixed_.scalars) in.scalars[symbol->name] = as_machine(v);
    for (const auto& [array, entries] : fixed_.arrays)
      for (const exact& v : entries) in.arrays[array->name].push_back(as_machine(v));
    if (const auto length = runner_.length_parameter(static_cast<long>(count)))
      in.scalars[length->first] = {static_cast<std::int64_t>(length->second)};
    const auto out = run_machine(states, in);
    std::vector<std::vector<machine>> r;
    for (std::size_t k = 0; k < spec_.results.size(); ++k) r.push_back(out.at(std::to_string(k)));
    return r;
  }

  std::string decimals(const std::vector<std::vector<machine>>& state) const {
    std::vector<std::string> values;
    for (std::size_t k = 0; k < state.size(); ++k) {
      std::string text;
      for (std::size_t j = 0; j < state[k].size(); ++j) text += (j ? ", " : "") + decimal(state[k][j]);
      values.push_back(spec_.passes[0].state[k].extent ? "[" + text + "]" : text);
    }
    return named(values);
  }

  void in_decimals(counterexample& c, const word& string, std::size_t cut) const {
    const auto left = machine_states(string, 0, cut), right = machine_states(string, cut, string.size() - cut);
    const auto whole = machine_states(string, 0, string.size());
    std::vector<std::vector<machine>> merged;
    for (std::size_t k = 0; k < merge_.size(); ++k) {
      merged.emplace_back();
      for (std::size_t j = 0; j < whole[k].size(); ++j) merged.back().push_back(machine_merge(left, right, k, j));
    }
    c.state = c.result2 = decimals(whole);
    c.result = decimals(merged);
  }

  machine machine_merge(const std::vector<std::vector<machine>>& left, const std::vector<std::vector<machine>>& right, std::size_t k,
                        std::size_t j) const {
    machine_environment env;
    for (term u : symbols(merge_[k])) {
      if (auto v = fixed_.scalars.find(u); v != fixed_.scalars.end()) env[u] = {v->second.value.get_d()};
      if (u->is_symbol(symbol_kind::component)) env[u] = {static_cast<std::int64_t>(j)};
      for (std::size_t v = 0; v < left.size(); ++v)
        if (u->name == spec_.passes[0].state[v].name && (u->is_symbol(symbol_kind::left) || u->is_symbol(symbol_kind::right))) {
          const std::vector<machine>& from = u->is_symbol(symbol_kind::left) ? left[v] : right[v];
          env[u] = from[std::min(j, from.size() - 1)];
        }
    }
    return evaluate_machine(merge_[k], env);
  }

  const spec& spec_;
  const std::vector<term>& merge_;
  const setting& fixed_;
  const bool powers_;
  const clock::time_point deadline_;
  const alphabet letters_;
  word_runner runner_;
  merge_program program_;
};

}  // namespace

std::optional<counterexample> refute_merge(const spec& s, const std::vector<term>& merge, double seconds, std::size_t longest) {
  if (s.passes.size() != 1 || merge.size() != s.passes[0].state.size()) return std::nullopt;
  const clock::time_point deadline = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
  const exponential_flow flow(s.passes[0], merge);
  const std::vector<setting> choices = settings(s);
  std::vector<std::unique_ptr<merge_search>> searches;
  for (const setting& fixed : choices)
    searches.push_back(std::make_unique<merge_search>(s, merge, fixed, flow.any() && flow.harmless(), deadline));
  for (std::size_t n = 2; n <= longest; ++n)
    for (auto& search : searches) {
      if (search->late()) return std::nullopt;
      if (auto found = search->find(n)) return found;
    }
  return std::nullopt;
}

}  // namespace twofold::analyser
