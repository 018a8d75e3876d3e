// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The memory of the symbolic executor: merging of branches, enumeration of what a loop may carry.
#include "frontend/memory.hpp"

#include <algorithm>
#include <tuple>

#include "frontend/polynomial.hpp"

namespace twofold::analyser::frontend {

term position() { return symbol(symbol_kind::component, "j", long_type); }

term choose(term c, term then, term otherwise) {
  if (!then) return otherwise;
  if (!otherwise || then == otherwise) return then;
  return select(c, then, otherwise);
}

term original(const array_info& a, const std::vector<term>& index) {
  if (!a.external) return {};
  return read(symbol(symbol_kind::array, a.name, a.element), index, a.element);
}

namespace {

value merge_values(term c, const value& a, const value& b) {
  if (a == b) return a;
  if (a.what == value::kind::none) return b;
  if (b.what == value::kind::none) return a;
  if (a.what != b.what) throw merge_error{"the branches leave different kinds of objects in one variable"};
  value r = a;
  switch (a.what) {
    case value::kind::scalar:
      r.scalar = choose(c, a.scalar, b.scalar);
      return r;
    case value::kind::aggregate:
      for (std::size_t i = 0; i < r.children.size(); ++i) r.children[i] = merge_values(c, a.children[i], b.children.at(i));
      return r;
    case value::kind::pointer:
      if (a.at.object != b.at.object || a.at.path != b.at.path || a.at.index.size() != b.at.index.size())
        throw merge_error{"a pointer may point into one array or another"};
      for (std::size_t i = 0; i < r.at.index.size(); ++i) r.at.index[i] = choose(c, a.at.index[i], b.at.index[i]);
      return r;
    default:
      throw merge_error{"a view may be of one array or another"};
  }
}

term entry_at(const contents& c, const array_info& info, const std::vector<term>& index) {
  for (auto e = c.entries.rbegin(); e != c.entries.rend(); ++e)
    if (e->index == index) return e->value;
  if (c.base && index.size() == 1) return substitute(c.base, {{position(), index[0]}});
  return c.base ? term{} : original(info, index);
}

contents merge_contents(term c, const contents& a, const contents& b, const array_info& info) {
  if (a == b) return a;
  contents r;
  const auto base = [&](const contents& x) { return x.base || info.rank() != 1 ? x.base : original(info, {position()}); };
  r.base = a.base == b.base ? a.base : choose(c, base(a), base(b));
  for (const contents* side : {&a, &b})
    for (const auto& e : side->entries) {
      if (std::any_of(r.entries.begin(), r.entries.end(), [&](const auto& x) { return x.index == e.index; })) continue;
      r.entries.push_back({e.index, choose(c, entry_at(a, info, e.index), entry_at(b, info, e.index))});
    }
  return r;
}

void collect(const value& v, leaf at, std::vector<leaf>& out) {
  switch (v.what) {
    case value::kind::scalar:
      out.push_back(at);
      return;
    case value::kind::pointer:
      if (!v.at.index.empty() && v.at.path.empty()) {
        at.what = leaf::kind::pointer;
        out.push_back(at);
      }
      return;
    case value::kind::aggregate:
      for (std::size_t i = 0; i < v.children.size(); ++i) {
        leaf child = at;
        child.path.push_back(static_cast<int>(i));
        collect(v.children[i], child, out);
      }
      return;
    default:
      return;
  }
}

const value* find(const memory& m, const leaf& l) {
  const auto it = m.cells.find(l.object);
  if (it == m.cells.end()) return nullptr;
  const value* v = &it->second;
  for (int i : l.path) {
    if (static_cast<std::size_t>(i) >= v->children.size()) return nullptr;
    v = &v->children[static_cast<std::size_t>(i)];
  }
  return v;
}

}  // namespace

memory merge(term c, const memory& then, const memory& otherwise, const std::map<int, array_info>& infos) {
  memory r;
  for (const auto& [id, v] : then.cells)
    if (auto o = otherwise.cells.find(id); o != otherwise.cells.end()) r.cells.emplace(id, merge_values(c, v, o->second));
  for (const auto& [id, v] : then.arrays)
    if (auto o = otherwise.arrays.find(id); o != otherwise.arrays.end())
      r.arrays.emplace(id, merge_contents(c, v, o->second, infos.at(id)));
  return r;
}

bool operator<(const leaf& a, const leaf& b) {
  return std::tie(a.object, a.what, a.path, a.index) < std::tie(b.object, b.what, b.path, b.index);
}

std::vector<leaf> leaves(const memory& m) {
  std::vector<leaf> out;
  for (const auto& [id, v] : m.cells) collect(v, leaf{.object = id}, out);
  for (const auto& [id, a] : m.arrays) {
    out.push_back(leaf{.what = leaf::kind::base, .object = id});
    for (const auto& e : a.entries) {
      leaf l{.what = leaf::kind::entry, .object = id, .index = e.index};
      if (std::find(out.begin(), out.end(), l) == out.end()) out.push_back(l);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const leaf& a, const leaf& b) { return a.object < b.object; });
  return out;
}

term get(const memory& m, const leaf& l) {
  if (l.what != leaf::kind::scalar && l.what != leaf::kind::pointer) {
    const auto it = m.arrays.find(l.object);
    if (it == m.arrays.end()) return {};
    if (l.what == leaf::kind::base) return it->second.base;
    for (auto e = it->second.entries.rbegin(); e != it->second.entries.rend(); ++e)
      if (e->index == l.index) return e->value;
    return {};
  }
  const value* v = find(m, l);
  if (!v) return {};
  if (l.what == leaf::kind::pointer) return v->at.index.empty() ? term{} : v->at.index.back();
  return v->scalar;
}

void set(memory& m, const leaf& l, term t) {
  if (l.what == leaf::kind::base) {
    m.arrays[l.object].base = t;
    return;
  }
  if (l.what == leaf::kind::entry || l.what == leaf::kind::lag) {
    auto& entries = m.arrays[l.object].entries;
    std::erase_if(entries, [&](const auto& e) { return e.index == l.index; });
    entries.push_back({l.index, t});
    return;
  }
  value* v = const_cast<value*>(find(m, l));
  if (!v) return;
  (l.what == leaf::kind::pointer ? v->at.index.back() : v->scalar) = t;
}

analyser::type type_of(const memory& m, const leaf& l, const std::map<int, array_info>& infos) {
  if (l.what != leaf::kind::scalar && l.what != leaf::kind::pointer) return infos.at(l.object).element;
  if (l.what == leaf::kind::pointer) return long_type;
  const value* v = find(m, l);
  return v ? v->type : long_type;
}

}  // namespace twofold::analyser::frontend
