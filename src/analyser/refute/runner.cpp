// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Words through a spec, with memoised steps.
#include "refute/runner.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "refute/moment.hpp"

namespace twofold::analyser {

using namespace refuting;

namespace {

constexpr std::size_t max_window = 5;  // letters; keys of memo and classes pack them, eight bits each

using memo_key = std::array<std::uint64_t, 3>;
struct memo_hash {
  std::size_t operator()(const memo_key& k) const { return mix_hash(mix_hash(k[0] * 0x9e3779b97f4a7c15ULL, k[1]), k[2]); }
};

//! Terms of one extent, evaluated together: all scalars are one block, every vector is one.
template <class System>
struct block {
  bound_program<System> program;
  std::vector<std::size_t> targets;  // where each root's first component goes in the flat tuple
  std::vector<type> types;           // of the roots, and of what is computed on the way to them
  std::size_t extent = 1;
};

//! The terms, and every signed number on the way to them that may overflow: ℤ is what the loop computes only as long as none does (D4).
std::vector<term> with_operations(std::vector<term> roots) {
  const auto bound = [](const node& n) { return n.is_symbol(symbol_kind::accumulator) || n.is_symbol(symbol_kind::inner_index); };
  std::set<term> found;
  for (term t : roots)
    static_cast<void>(contains(t, [&](const node& n) {
      const bool grows = n.is(op::add) || n.is(op::mul) || n.is(op::neg) || n.is(op::abs) || n.is(op::shift_left);
      if (grows && n.type.kind == sort::integer && n.type.is_signed && !contains(term(&n), bound)) found.insert(term(&n));
      return false;
    }));
  roots.insert(roots.end(), found.begin(), found.end());
  return roots;
}
std::vector<type> types_of(const std::vector<term>& terms, std::vector<type> r) {  // the first are given
  for (std::size_t i = r.size(); i < terms.size(); ++i) r.push_back(terms[i]->type);
  return r;
}

bool admissible(const exact& v, type t) {
  if (v.kind == exact::kind::nan) return false;
  if (t.kind != sort::integer || v.kind != exact::kind::finite) return true;
  mpz_class high = 1;
  high <<= t.is_signed ? t.bits - 1 : t.bits;
  return v.value < high && v.value >= (t.is_signed ? mpz_class(-high) : mpz_class(0));
}

bool admissible(const enclosure& v, type t) { return v.thick ? t.kind == sort::real : admissible(v.v, t); }
bool is_nan(const exact& v) { return v.kind == exact::kind::nan; }
bool is_nan(const enclosure& v) { return !v.thick && is_nan(v.v); }
bool is_false(const exact& v) { return v.value == 0; }
bool is_false(const enclosure& v) { return is_false(v.v); }

template <class System>
struct compiled_pass {
  std::vector<block<System>> init, step;
  std::vector<bound_program<System>> outputs;
  std::size_t size = 0, offset = 0;  // components, and where they begin among all results
  bool backwards = false;            // walks the word from its end
  bool uses_index = false, uses_length = false;
};

}  // namespace

template <class System, class Value>
struct basic_word_runner<System, Value>::implementation {
  using block = analyser::block<System>;
  using bound_program = refuting::bound_program<System>;
  using compiled_pass = analyser::compiled_pass<System>;
  using moment = refuting::moment<Value>;

  const spec& source;
  setting fixed;
  const alphabet& letters;
  letters_as<Value> entries;  // of the letters
  bool reversed = false;      // every pass walks down: words are written in the order of the walk
  long low = 0, high = 0;     // offsets of reads, in the order of the word
  long begin = 0;             // of the range
  std::vector<compiled_pass> passes;
  std::vector<slice> slices;  // of every result
  std::vector<bool> observable, wanted;
  std::vector<block> finals;
  std::size_t final_size = 0;
  tuple_table<Value> states, keys;
  std::unordered_map<memo_key, int, memo_hash> steps, inits;
  std::vector<int> key_of, observed;   // by state
  std::vector<letter_id> path_string;  // the last word
  std::vector<int> path;               // and its states
  place path_place;
  tuple_table<Value> observations;
  std::size_t evaluated = 0;
  bool length_in_outputs = false, powers_of_two = false;
  std::optional<std::pair<std::string, long>> range_end;  // the parameter, and how much more than the number of iterations it is

  implementation(const spec& s, const setting& f, const alphabet& a, bool powers) : source(s), fixed(f), letters(a), powers_of_two(powers) {
    for (const auto& letter : a.letters) {
      entries.emplace_back();
      for (const auto& tape : letter) entries.back().emplace_back(tape.begin(), tape.end());
    }
    reversed = std::all_of(s.passes.begin(), s.passes.end(), [](const pass& p) { return p.reverse; });
    for (const pass& p : s.passes)
      for (const element& e : p.elements) {
        const long o = reversed ? -e.offset : e.offset;
        low = std::min(low, o);
        high = std::max(high, o);
      }
    if (static_cast<std::size_t>(high - low) + 1 > max_window) throw limit_error("an iteration reads more than five neighbouring elements");
    if (a.letters.size() > 255) throw limit_error("more than 255 letters");
    dictionary earlier;
    bind_range(earlier);
    std::size_t total = 0;
    for (const pass& p : s.passes) compile(p, earlier, total);
    compile_outputs(earlier);
    find_observable();
    wanted = observable;
    if (const term b = s.passes.front().begin)
      if (const std::optional<exact> v = evaluate(b, fixed.scalars); v && v->kind == exact::kind::finite)
        begin = v->value.get_num().get_si();
  }

  //! The parameter that ends the range follows from the number of iterations; others that bound it (a first index) are 0.
  void bind_range(dictionary& names) {
    const pass& first = source.passes.front();
    std::vector<term> open;
    for (term n : range_symbols(source)) {
      if (n->is_symbol(symbol_kind::length)) names[n] = {meaning::kind::length, {}, 0, 0};
      else if (first.end && contains(first.end, [&](const node& u) { return term(&u) == n; }) && (open.empty() || n == first.end))
        open.assign(1, n);
    }
    for (term n : range_symbols(source))
      if (!names.contains(n) && (open.empty() || n != open[0])) fixed.scalars[n] = integer(0);
    if (open.empty()) return;
    const auto iterations = [&](const pass& p, long n) {
      exact_environment env = fixed.scalars;
      env[open[0]] = integer(n);
      const std::optional<exact> b = evaluate(p.begin ? p.begin : number(0, long_type), env), e = evaluate(p.end, env);
      if (!b || !e) throw limit_error("a range whose length is not a number");
      return mpq_class(e->value - b->value);
    };
    const mpq_class shift = 100 - iterations(first, 100);
    for (const pass& p : source.passes)
      for (long n : {100L, 117L})
        if (iterations(p, n) != n - shift) throw limit_error("passes over different ranges");
    range_end = {open[0]->name, shift.get_num().get_si()};
    names[open[0]] = {meaning::kind::length, {}, 0, shift.get_num().get_si()};
  }

  std::size_t extent(term e) const {
    if (!e) return 1;
    const std::optional<exact> v = evaluate(e, fixed.scalars);
    if (!v || v->kind != exact::kind::finite || v->value < 0 || v->value > 64) throw limit_error("a vector whose extent is not known");
    return v->value.get_num().get_ui();
  }

  void compile(const pass& p, dictionary& earlier, std::size_t& total) {
    compiled_pass c;
    dictionary here = earlier;
    c.offset = total;
    for (const state_variable& v : p.state) {
      const slice where{c.size, extent(v.extent), bool(v.extent)};
      here[v.symbol] = {meaning::kind::state, where, 0, 0};
      c.size += where.extent;
    }
    for (const element& e : p.elements) {
      const auto t = std::find_if(letters.tapes.begin(), letters.tapes.end(), [&](const tape& x) { return x.array == e.array; });
      here[e.symbol] = {
          meaning::kind::element, {}, static_cast<std::size_t>(t - letters.tapes.begin()), (reversed ? -e.offset : e.offset) - low};
    }
    const auto note = [&](term t) {
      for (term u : symbols(t)) {
        if (u->is_symbol(symbol_kind::index)) here[u] = {meaning::kind::index, {}, 0, 0};
        if (u->is_symbol(symbol_kind::length)) here[u] = earlier[u] = {meaning::kind::length, {}, 0, 0};
      }
    };
    for (const state_variable& v : p.state) {
      note(v.init);
      note(v.step);
    }
    for (const element_output& o : p.outputs) note(o.value);
    c.init = blocks(p, here, [](const state_variable& v) { return v.init; });
    c.step = blocks(p, here, [](const state_variable& v) { return v.step; });
    for (const element_output& o : p.outputs) c.outputs.emplace_back(std::vector<term>{o.value}, here, fixed, powers_of_two);
    for (const auto* list : {&c.init, &c.step})
      for (const block& b : *list) {
        c.uses_index |= b.program.uses(meaning::kind::index);
        c.uses_length |= b.program.uses(meaning::kind::length);
      }
    for (const bound_program& o : c.outputs) length_in_outputs |= o.uses(meaning::kind::length);
    c.backwards = p.reverse && !reversed;
    std::size_t at = total;
    for (const state_variable& v : p.state) {
      const slice where{at, extent(v.extent), bool(v.extent)};
      if (slices.size() < source.results.size()) earlier[source.results[slices.size()]] = {meaning::kind::result, where, 0, 0};
      slices.push_back(where);
      at += where.extent;
    }
    total = at;
    passes.push_back(std::move(c));
  }

  template <class Select>
  std::vector<block> blocks(const pass& p, const dictionary& here, Select select) const {
    std::vector<block> r;
    std::vector<term> roots;
    std::vector<std::size_t> targets;
    std::vector<type> types;
    std::size_t at = 0;
    for (const state_variable& v : p.state) {
      if (v.extent) {
        const std::vector<term> all = with_operations({select(v)});
        r.push_back({bound_program(all, here, fixed, powers_of_two), {at}, types_of(all, {v.type}), extent(v.extent)});
      } else {
        roots.push_back(select(v));
        targets.push_back(at);
        types.push_back(v.type);
      }
      at += extent(v.extent);
    }
    roots = with_operations(roots);
    if (!roots.empty()) r.push_back({bound_program(roots, here, fixed, powers_of_two), targets, types_of(roots, types), 1});
    return r;
  }

  void compile_outputs(dictionary& names) {
    for (const output& o : source.outputs) {
      for (term u : symbols(o.value))
        if (u->is_symbol(symbol_kind::length)) names[u] = {meaning::kind::length, {}, 0, 0};
      const std::vector<term> all = with_operations({o.value});
      finals.push_back({bound_program(all, names, fixed, powers_of_two), {final_size}, types_of(all, {o.type}), extent(o.extent)});
      final_size += finals.back().extent;
      length_in_outputs |= finals.back().program.uses(meaning::kind::length);
    }
  }

  //! Variables that no output can see, however many steps later, are not part of the state.
  void find_observable() {
    std::map<term, std::vector<std::size_t>> by_symbol;
    std::vector<const state_variable*> variables;
    for (const pass& p : source.passes)
      for (const state_variable& v : p.state) {
        const std::size_t k = variables.size();
        by_symbol[v.symbol].push_back(k);
        if (k < source.results.size()) by_symbol[source.results[k]].push_back(k);
        variables.push_back(&v);
      }
    observable.assign(variables.size(), false);
    std::vector<term> todo;
    for (const output& o : source.outputs) todo.push_back(o.value);
    for (const pass& p : source.passes)
      for (const element_output& o : p.outputs) todo.push_back(o.value);
    while (!todo.empty()) {
      const term t = todo.back();
      todo.pop_back();
      for (term u : symbols(t))
        for (std::size_t k : by_symbol[u]) {
          if (observable[k]) continue;
          observable[k] = true;
          todo.push_back(variables[k]->step);
          todo.push_back(variables[k]->init);
        }
    }
  }

  //! Evaluates blocks into a flat tuple; false where a value is missing or does not fit.
  bool fill(std::vector<block>& list, const moment& now, std::vector<Value>& out) {
    for (block& b : list)
      for (std::size_t j = 0; j < b.extent; ++j) {
        b.program.run(now, entries, j);
        for (std::size_t r = 0; r < b.targets.size(); ++r) {
          const Value* v = b.program.value(r);
          if (!v || !admissible(*v, b.types[r])) return false;
          out[b.targets[r] + j] = *v;
        }
        for (std::size_t r = b.targets.size(); r < b.types.size(); ++r)
          if (const Value* v = b.program.value(r); v && !admissible(*v, b.types[r])) return false;
      }
    ++evaluated;
    return true;
  }

  //! All outputs but those of single iterations.
  std::vector<std::optional<Value>> outputs_at(const moment& now) {
    std::vector<std::optional<Value>> r;
    for (block& b : finals)
      for (std::size_t j = 0; j < b.extent; ++j) {
        b.program.run(now, entries, j);
        const Value* v = b.program.value(0);
        for (std::size_t k = 1; k < b.types.size(); ++k)
          if (const Value* w = b.program.value(k); w && !admissible(*w, b.types[k])) v = nullptr;
        r.push_back(v && !is_nan(*v) ? std::optional(*v) : std::nullopt);
      }
    return r;
  }

  int initial(std::size_t p, int earlier, const moment& now) {
    const memo_key k{static_cast<std::uint64_t>(earlier), p, static_cast<std::uint64_t>(passes[p].uses_length ? now.length : 0)};
    if (auto it = inits.find(k); it != inits.end()) return it->second;
    std::vector<Value> out(passes[p].size);
    const int r = fill(passes[p].init, now, out) ? states.number(std::move(out)) : none;
    inits.emplace(k, r);
    return r;
  }

  int step(std::size_t p, int earlier, int state, moment& now) {
    std::uint64_t window = 0;
    for (long k = 0; k <= high - low; ++k) window = window << 8 | now.string[static_cast<std::size_t>(now.at + k)];
    const std::uint64_t index = passes[p].uses_index ? static_cast<std::uint64_t>(now.index) & 0xffff : 0;
    const std::uint64_t length = passes[p].uses_length ? static_cast<std::uint64_t>(now.length) & 0xffff : 0;
    const memo_key k{static_cast<std::uint64_t>(earlier) << 32 | static_cast<std::uint32_t>(state), window, p << 32 | index << 16 | length};
    if (auto it = steps.find(k); it != steps.end()) return it->second;
    now.state = &states[state];
    std::vector<Value> out(passes[p].size);
    const int r = fill(passes[p].step, now, out) ? states.number(std::move(out)) : none;
    steps.emplace(k, r);
    return r;
  }

  //! One pass in the order of the word: its state after each letter of the word before is known, and the next word mostly begins alike.
  bool is_plain() const { return passes.size() == 1 && !passes[0].backwards; }
  int run_plain(std::span<const letter_id> string, place where) {
    const long window = high - low, n = static_cast<long>(string.size()) - window;
    const bool same_place = !path.empty() && (!passes[0].uses_index || where.first == path_place.first) &&
                            (!passes[0].uses_length || where.length == path_place.length);
    long known = 0;
    if (same_place) {
      const auto most = static_cast<long>(std::min(string.size(), path_string.size()));
      long alike = 0;
      while (alike < most && string[static_cast<std::size_t>(alike)] == path_string[static_cast<std::size_t>(alike)]) ++alike;
      known = std::min(std::max(0L, alike - window), static_cast<long>(path.size()) - 1);
    }
    const int empty = states.number({});
    moment now{string, 0, 0, where.length, nullptr, &states[empty]};
    path_place = where;
    path_string.assign(string.begin(), string.end());
    path.resize(static_cast<std::size_t>(known) + 1);
    if (known == 0) path[0] = initial(0, empty, now);
    for (long t = known; t < n; ++t) {
      if (path.back() == none) return none;
      now.at = t;
      now.index = where.first + (reversed ? -t : t);
      path.push_back(step(0, empty, path.back(), now));
    }
    return path.back();
  }

  //! Runs all passes; `visit(pass, moment)` is called before each step.
  template <class Visit>
  int run(std::span<const letter_id> string, place where, Visit visit) {
    const long n = static_cast<long>(string.size()) - (high - low);
    int results = states.number({});
    for (std::size_t p = 0; p < passes.size(); ++p) {
      moment now{string, 0, 0, where.length, nullptr, &states[results]};
      int state = initial(p, results, now);
      for (long t = 0; t < n && state != none; ++t) {
        now.at = passes[p].backwards ? n - 1 - t : t;
        now.index = where.first + (reversed ? -now.at : now.at);
        now.state = &states[state];
        visit(p, now);
        state = step(p, results, state, now);
      }
      if (state == none) return none;
      if (passes.size() == 1) return state;  // all that there is
      std::vector<Value> grown = states[results];
      grown.insert(grown.end(), states[state].begin(), states[state].end());
      results = states.number(std::move(grown));
    }
    return results;
  }
};

template <class System, class Value>
basic_word_runner<System, Value>::basic_word_runner(const spec& s, const setting& fixed, const alphabet& letters, bool powers_of_two)
    : p_(std::make_unique<implementation>(s, fixed, letters, powers_of_two)) {}
template <class System, class Value>
basic_word_runner<System, Value>::~basic_word_runner() = default;

template <class System, class Value>
std::size_t basic_word_runner<System, Value>::before() const {
  return static_cast<std::size_t>(p_->high - p_->low);
}
template <class System, class Value>
bool basic_word_runner<System, Value>::uses_length() const {
  return p_->length_in_outputs || std::any_of(p_->passes.begin(), p_->passes.end(), [](const auto& c) { return c.uses_length; });
}
template <class System, class Value>
bool basic_word_runner<System, Value>::uses_index() const {
  return std::any_of(p_->source.passes.begin(), p_->source.passes.end(), [](const pass& p) { return p.position_aware; }) ||
         std::any_of(p_->passes.begin(), p_->passes.end(), [](const auto& c) { return c.uses_index; });
}
template <class System, class Value>
int basic_word_runner<System, Value>::direction() const {
  return p_->reversed ? -1 : 1;
}
template <class System, class Value>
long basic_word_runner<System, Value>::origin(long length) const {
  return p_->reversed ? p_->begin + length - 1 : p_->begin;
}

template <class System, class Value>
std::optional<std::pair<std::string, long>> basic_word_runner<System, Value>::length_parameter(long iterations) const {
  if (!p_->range_end) return std::nullopt;
  return std::pair(p_->range_end->first, p_->range_end->second + iterations);
}

template <class System, class Value>
int basic_word_runner<System, Value>::run(std::span<const letter_id> string, place where) {
  return p_->is_plain() ? p_->run_plain(string, where) : p_->run(string, where, [](std::size_t, const auto&) {});
}

template <class System, class Value>
int basic_word_runner<System, Value>::observation_of(int state) {
  constexpr int not_asked = -2;
  if (!p_->is_plain() || p_->length_in_outputs || !p_->passes[0].outputs.empty() || state == none) return none;
  if (static_cast<std::size_t>(state) >= p_->observed.size()) p_->observed.resize(static_cast<std::size_t>(state) + 1, not_asked);
  int& known = p_->observed[static_cast<std::size_t>(state)];
  if (known != not_asked) return known;
  std::vector<Value> all;
  for (auto& v : p_->outputs_at({{}, 0, 0, 0, nullptr, &p_->states[state]})) {
    if (!v) return known = none;
    all.push_back(*v);
  }
  return known = p_->observations.number(std::move(all));
}

template <class System, class Value>
int basic_word_runner<System, Value>::key(int state) {
  if (static_cast<std::size_t>(state) >= p_->key_of.size()) p_->key_of.resize(static_cast<std::size_t>(state) + 1, none);
  int& k = p_->key_of[static_cast<std::size_t>(state)];
  if (k != none) return k;
  std::vector<Value> part;
  const std::vector<Value>& all = p_->states[state];
  for (std::size_t v = 0; v < p_->slices.size(); ++v)
    if (p_->wanted[v])
      for (std::size_t j = 0; j < p_->slices[v].extent; ++j) part.push_back(all[p_->slices[v].at + j]);
  return k = p_->keys.number(std::move(part));
}
template <class System, class Value>
void basic_word_runner<System, Value>::restrict_key(std::vector<bool> variables) {
  p_->wanted = std::move(variables);
  p_->key_of.clear();
}

template <class System, class Value>
typename basic_word_runner<System, Value>::observation basic_word_runner<System, Value>::observe(std::span<const letter_id> string,
                                                                                                 place where, std::size_t tail) {
  observation r;
  ++p_->evaluated;
  const long n = static_cast<long>(string.size()) - static_cast<long>(before());
  const auto at_end = [&](long at) { return at == 0 || at >= n - static_cast<long>(tail); };
  std::vector<std::vector<std::pair<long, std::optional<Value>>>> per_element(p_->passes.size());
  const int state = p_->run(string, where, [&](std::size_t p, const auto& now) {
    if (!at_end(now.at)) return;
    for (auto& o : p_->passes[p].outputs) {
      o.run(now, p_->entries, 0);
      const Value* v = o.value(0);
      per_element[p].emplace_back(now.at, v ? std::optional(*v) : std::nullopt);
    }
  });
  if (state == none) return {};
  r = p_->outputs_at({string, 0, 0, where.length, nullptr, &p_->states[state]});
  for (auto& list : per_element) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [at, v] : list) r.push_back(v && !is_nan(*v) ? v : std::nullopt);
  }
  return r;
}

template <class System, class Value>
const std::vector<Value>& basic_word_runner<System, Value>::values(int state) const {
  return p_->states[state];
}
template <class System, class Value>
std::pair<std::size_t, std::size_t> basic_word_runner<System, Value>::range(std::size_t result) const {
  return {p_->slices[result].at, p_->slices[result].extent};
}
template <class System, class Value>
bool basic_word_runner<System, Value>::observable(std::size_t result) const {
  return p_->observable[result];
}
template <class System, class Value>
std::size_t basic_word_runner<System, Value>::steps() const {
  return p_->evaluated;
}

template <class System, class Value>
std::string basic_word_runner<System, Value>::state_text(int state) const {
  std::string names, shown;
  const std::vector<Value>& all = p_->states[state];
  std::size_t v = 0, count = 0;
  for (const pass& p : p_->source.passes)
    for (const state_variable& variable : p.state) {
      const slice where = p_->slices[v];
      if (!p_->wanted[v++]) continue;
      const char* comma = count++ ? ", " : "";
      names += comma + variable.name;
      shown += comma;
      if (where.vector) shown += "[";
      for (std::size_t j = 0; j < where.extent; ++j) {
        const bool truth = variable.type.kind == sort::boolean;
        const Value& e = all[where.at + j];
        shown += (j ? ", " : "") + (truth ? std::string(is_false(e) ? "false" : "true") : to_text(e));
      }
      if (where.vector) shown += "]";
    }
  return count == 1 ? names + " = " + shown : "(" + names + ") = (" + shown + ")";
}

template <class System, class Value>
std::string basic_word_runner<System, Value>::observation_text(const observation& o) const {
  std::string r;
  std::size_t at = 0;
  const auto show = [&](const std::string& name, type t, std::size_t extent, bool vector) {
    if (!r.empty()) r += ", ";
    if (p_->source.outputs.size() + p_->source.passes.back().outputs.size() > 1 || name != "return") r += name + " = ";
    if (vector) r += "[";
    for (std::size_t j = 0; j < extent && at < o.size(); ++j, ++at)
      r += (j ? ", " : "") + (!o[at]                    ? std::string("undefined")
                              : t.kind == sort::boolean ? std::string(is_false(*o[at]) ? "false" : "true")
                                                        : to_text(*o[at]));
    if (vector) r += "]";
  };
  for (std::size_t k = 0; k < p_->finals.size(); ++k)
    show(p_->source.outputs[k].name, p_->source.outputs[k].type, p_->finals[k].extent, bool(p_->source.outputs[k].extent));
  if (at < o.size()) {
    const std::string name = [&] {
      for (const pass& p : p_->source.passes)
        for (const element_output& e : p.outputs) return e.array;
      return std::string("outputs");
    }();
    show(name, double_type, o.size() - at, true);
  }
  return r;
}

template class basic_word_runner<exact_system, exact>;
template class basic_word_runner<enclosure_system, enclosure>;

}  // namespace twofold::analyser
