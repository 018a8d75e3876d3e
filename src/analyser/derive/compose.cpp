// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The order of attempts on one pass: drop what no output sees, split into strongly connected parts, upstream first, and give
//! each part to the mechanisms in turn.
#include <algorithm>

#include "derive/graph.hpp"
#include "derive/part.hpp"
#include "derive/reduce.hpp"

namespace twofold::analyser::deriving {
namespace {

using mechanism = std::optional<part_result> (*)(const part&, std::vector<std::string>&);
constexpr mechanism mechanisms[] = {accumulator, in_place_of_element, potential, threshold, modular, closure, bounded,
                                    products,    fractional,          galois,    replay,    learned, featured};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

//! A part, and what came of it.
struct merged_part {
  std::vector<const state_variable*> variables;
  part_result result;
  bool closed = false;  // by a summary
};

std::vector<candidate::variable> variables_of(const std::vector<merged_part>& parts) {
  std::vector<candidate::variable> r;
  for (const merged_part& m : parts) append(r, m.result.variables);
  return r;
}

//! Where nothing is read off anything else, a part and the closed parts that it reads must share one summary: two copies of it would be
//! equal on every run, and yet not for the push rule.
std::optional<merged_part> with_closed_upstream(const pass& loop, std::vector<merged_part>& done, const merged_part& last) {
  std::vector<const state_variable*> all = last.variables;
  std::vector<merged_part> others;
  for (std::size_t k = done.size(); k-- > 0;) {
    const bool read = done[k].closed && std::any_of(all.begin(), all.end(), [&](const state_variable* v) {
                        return std::any_of(done[k].variables.begin(), done[k].variables.end(),
                                           [&](const state_variable* u) { return has_symbol(v->step, u->symbol); });
                      });
    if (read) all.insert(all.begin(), done[k].variables.begin(), done[k].variables.end());
    else others.insert(others.begin(), done[k]);
  }
  if (all.size() == last.variables.size()) return std::nullopt;
  const std::vector<candidate::variable> upstream = variables_of(others);
  std::vector<std::string> in_vain;
  auto r = closure({loop, all, upstream, thrift::whole}, in_vain);
  if (!r) return std::nullopt;
  done = others;
  return merged_part{all, *r, true};
}

}  // namespace

std::optional<part_result> all_parts(const pass& loop, const std::vector<term>& observed, std::vector<std::string>& tried, thrift state) {
  std::vector<merged_part> done;
  for (const auto& variables : parts_of(loop, observable(loop, observed))) {
    const std::vector<candidate::variable> upstream = variables_of(done);
    const part p{loop, variables, upstream, state};
    merged_part next{variables, {}, false};
    bool found = false;
    std::vector<std::string> in_vain;
    const bool reads_a_table = std::any_of(done.begin(), done.end(), [&](const merged_part& m) {
      return m.result.whole && std::any_of(m.variables.begin(), m.variables.end(), [&](const state_variable* u) {
               return std::any_of(variables.begin(), variables.end(),
                                  [&](const state_variable* v) { return has_symbol(v->step, u->symbol); });
             });
    });
    if (reads_a_table)
      if (const auto joint = with_closed_upstream(loop, done, next)) {
        done.push_back(*joint);
        continue;
      }
    for (mechanism m : mechanisms)
      if (auto r = m(p, in_vain)) {
        next.closed = m == closure;
        if (next.closed && r->whole)  // a counter between two bounds needs no table
          if (auto fewer = bounded(p, in_vain); fewer && fewer->variables.size() < r->variables.size()) {
            r = fewer;
            next.closed = false;
          }
        next.result = *r;
        found = true;
        const bool adds = std::any_of(r->variables.begin(), r->variables.end(), [](const auto& v) { return v.kind == role::added; });
        if (adds && state != thrift::whole && !r->whole)  // a summary is not always needed
          if (auto bare = learned(p, in_vain)) {
            next.result = *bare;
            next.closed = false;
          }
        break;
      }
    if (!found) {
      append(tried, in_vain);
      return std::nullopt;
    }
    if (next.closed && state == thrift::whole)
      if (const auto joint = with_closed_upstream(loop, done, next)) next = *joint;
    done.push_back(next);
  }
  part_result all;
  std::vector<std::string> used;
  for (const merged_part& m : done) {
    const part_result& r = m.result;
    if (std::find(used.begin(), used.end(), r.mechanism) == used.end()) used.push_back(r.mechanism);
    append(all.variables, r.variables);
    for (term i : r.invariant)
      if (std::find(all.invariant.begin(), all.invariant.end(), i) == all.invariant.end()) all.invariant.push_back(i);
    append(all.coordinates, r.coordinates);
    append(all.bounds, r.bounds);
    append(all.guesses, r.guesses);
    append(all.decode, r.decode);
    append(all.along, r.along);
  }
  for (const auto& m : used) all.mechanism += (all.mechanism.empty() ? "" : ", ") + m;
  return all;
}

std::optional<part_result> across_parts(const part_result& all) {
  std::vector<candidate::variable> own, added;
  for (const auto& v : all.variables) (v.kind == role::added ? added : own).push_back(v);
  const bool vectors = std::any_of(all.variables.begin(), all.variables.end(), [](const auto& v) { return static_cast<bool>(v.extent); });
  if (added.empty() || all.variables.size() < 3 || vectors || !all.along.empty()) return std::nullopt;
  auto r = reduce({}, own, added, all.invariant);
  if (!r || r->variables.size() >= all.variables.size()) return std::nullopt;
  const auto kept = [&](term s) {
    return std::any_of(r->variables.begin(), r->variables.end(), [&](const auto& v) { return v.symbol == s; });
  };
  for (const auto& [from, to] : all.decode)
    for (term s : symbols(to))
      if (s->is_symbol(symbol_kind::state) && !kept(s)) return std::nullopt;
  r->decode = all.decode;
  r->mechanism = all.mechanism;
  return r;
}

}  // namespace twofold::analyser::deriving
