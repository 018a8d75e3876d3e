// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reading and writing memory.
#include <algorithm>

#include "frontend/executor.hpp"
#include "frontend/polynomial.hpp"

namespace twofold::analyser::frontend {
namespace {

//! Equal, different for sure, or unknown.
enum class relation { same, different, unknown };
//! Is p positive for every iteration (iteration numbers are not negative)?
bool always_positive(const polynomial& p) {
  bool constant = false;
  for (const auto& [monomial, c] : p.terms) {
    if (c < 0) return false;
    if (monomial.empty()) constant = true;
    for (term t : monomial)
      if (!t->is_symbol(symbol_kind::index)) return false;
  }
  return constant;
}

relation relate(const std::vector<term>& a, const std::vector<term>& b) {
  if (a.size() != b.size()) return relation::unknown;
  relation r = relation::same;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const polynomial d = to_polynomial(a[i]) - to_polynomial(b[i]);
    if (d.is_zero()) continue;
    if (d.constant() || always_positive(d) || always_positive(polynomial{} - d)) return relation::different;
    r = relation::unknown;
  }
  return r;
}

bool depends_on_data(term index) {
  return contains(index, [](const node& n) { return n.is(op::read) || n.is_symbol(symbol_kind::state); });
}

}  // namespace

int executor::new_cell(value v, std::string name, source at) {
  const int id = next_object_++;
  memory_.cells.emplace(id, std::move(v));
  objects_[id] = {std::move(name), where(at), {}};
  return id;
}

int executor::new_array(array_info info) {
  const int id = next_object_++;
  objects_[id] = {info.name, info.where, {}};
  memory_.arrays[id];
  arrays_.emplace(id, std::move(info));
  return id;
}

place executor::temporary(value v, source at) { return {new_cell(std::move(v), "", at), {}, {}}; }

void executor::join(term c, const memory& then, const memory& otherwise, source at) {
  try {
    memory_ = merge(c, then, otherwise, arrays_);
  } catch (const merge_error& e) {
    refuse("TF4010", at, e.what, "what it points to must not depend on the data", "use one array and an index, or a number chosen by ?:");
  }
}

void executor::conditionally(term c, source at, const std::function<void()>& then, const std::function<void()>& otherwise) {
  if (c->is(op::number)) return is_number(c, 0) ? otherwise() : then();
  const memory before = memory_;
  then();
  const memory after_then = std::move(memory_);
  memory_ = before;
  otherwise();
  const memory after_otherwise = std::move(memory_);
  join(c, after_then, after_otherwise, at);
}

namespace {

//! The part of v that `path` names; an entry chosen by a term becomes a chain of selects.
value part(const value& v, const std::vector<step>& path, std::size_t from) {
  if (from == path.size()) return v;
  const step& s = path[from];
  if (!s.dynamic) {
    if (s.at < 0 || static_cast<std::size_t>(s.at) >= v.children.size()) throw merge_error{"an entry outside of its array"};
    return part(v.children[static_cast<std::size_t>(s.at)], path, from + 1);
  }
  if (v.children.empty()) throw merge_error{"an entry outside of its array"};
  value r = part(v.children.back(), path, from + 1);
  for (std::size_t i = v.children.size() - 1; i-- > 0;) {
    const value other = part(v.children[i], path, from + 1);
    if (other.what != value::kind::scalar) throw merge_error{"an entry chosen by the data that is not a number"};
    r.scalar = choose(equal(s.dynamic, number(static_cast<long>(i), s.dynamic->type)), other.scalar, r.scalar);
  }
  return r;
}

void replace(value& v, const std::vector<step>& path, std::size_t from, const value& with, term guard) {
  if (from == path.size()) {
    if (!guard) {
      v = with;
      return;
    }
    if (with.what != value::kind::scalar) throw merge_error{"an entry chosen by the data that is not a number"};
    v.scalar = choose(guard, with.scalar, v.scalar);
    return;
  }
  const step& s = path[from];
  if (!s.dynamic) {
    if (s.at < 0 || static_cast<std::size_t>(s.at) >= v.children.size()) throw merge_error{"an entry outside of its array"};
    return replace(v.children[static_cast<std::size_t>(s.at)], path, from + 1, with, guard);
  }
  for (std::size_t i = 0; i < v.children.size(); ++i) {
    const term here = equal(s.dynamic, number(static_cast<long>(i), s.dynamic->type));
    if (!is_number(here, 0)) replace(v.children[i], path, from + 1, with, guard ? logical_and(guard, here) : here);
  }
}

}  // namespace

value executor::load(const place& p, clang::QualType t, source at) {
  if (!p.valid()) refuse("TF4003", at, "this object", "it has no reading as numbers", "use numbers and arrays of numbers");
  if (auto s = stand_ins_.find(p.object); s != stand_ins_.end() && memory_.cells.contains(p.object))
    return load_choice(stand_in(s->second), p, t, at);
  if (auto a = arrays_.find(p.object); a != arrays_.end()) {
    if (!a->second.fields.empty()) return load_struct(p, t, at);
    if (p.index.size() == a->second.rank()) return value::of(read_entry(p.object, p.index, at));
    place row = p;
    row.index.push_back(number(0L, long_type));
    if (t.getNonReferenceType()->isPointerType()) return value::pointer(row);
    return value::view(row, a->second.extents[p.index.size()], false);
  }
  const auto cell = memory_.cells.find(p.object);
  if (cell == memory_.cells.end())
    refuse("TF4003", at, "an object that is gone", "a reference or pointer outlived what it refers to", "keep the object alive");
  try {
    value v = part(cell->second, p.path, 0);
    if (v.what == value::kind::scalar && !v.scalar) {
      if (!exploring_)
        refuse("TF4005", at, "a variable that is read before it has a value", "its value would be indeterminate", "initialise it");
      v.scalar = symbol(symbol_kind::opaque, "?", v.type);
    }
    return v;
  } catch (const merge_error& e) {
    refuse("TF4006", at, e.what, "every access must be understood", "use an index inside of the array");
  }
}

void executor::store(const place& p, const value& v, source at) {
  if (!p.valid()) refuse("TF4003", at, "this object", "it has no reading as numbers", "use numbers and arrays of numbers");
  if (auto s = stand_ins_.find(p.object); s != stand_ins_.end() && memory_.cells.contains(p.object))
    return store_choice(stand_in(s->second), p, v, at);
  if (arrays_.contains(p.object)) {
    if (!arrays_[p.object].fields.empty())
      refuse("TF4008", at, "a write to '" + arrays_[p.object].name + "'", "arrays of structs are inputs here",
             "write to one array per field");
    if (p.index.size() != arrays_[p.object].rank() || v.what != value::kind::scalar)
      refuse("TF4006", at, "a write of a whole row", "entries are written one by one", "loop over the entries of the row");
    return write_entry(p.object, p.index, v.scalar, at);
  }
  const auto cell = memory_.cells.find(p.object);
  if (cell == memory_.cells.end())
    refuse("TF4003", at, "an object that is gone", "a reference or pointer outlived what it refers to", "keep the object alive");
  try {
    replace(cell->second, p.path, 0, v, {});
  } catch (const merge_error& e) {
    refuse("TF4006", at, e.what, "every access must be understood", "use an index inside of the array");
  }
}

term executor::read_entry(int object, std::vector<term> index, source at) {
  for (term& i : index) i = to_term(to_polynomial(i));
  const array_info& info = arrays_.at(object);
  const contents& now = memory_.arrays[object];
  if (exploring_) index_terms_.insert(index_terms_.end(), index.begin(), index.end());
  for (auto e = now.entries.rbegin(); e != now.entries.rend(); ++e) {
    const relation r = relate(e->index, index);
    if (r == relation::same && e->value) return e->value;
    if (r == relation::unknown) {
      if (exploring_) {
        old_reads_.push_back({object, index, at});
        return symbol(symbol_kind::opaque, "?", info.element);
      }
      refuse("TF4007", at, "a read of '" + info.name + "' at a position that may or may not have just been written",
             "whether the two positions are the same depends on the data", "read and write at the loop index");
    }
  }
  old_reads_.push_back({object, index, at});
  if (now.base && index.size() == 1) return substitute(now.base, {{position(), index[0]}});
  if (!now.base)
    if (term t = original(info, index)) {
      recording_.sites.try_emplace(t, where(at));
      return t;
    }
  if (exploring_) return symbol(symbol_kind::opaque, "?", info.element);
  refuse("TF4005", at, "a read of '" + info.name + "' before it is written", "its value would be indeterminate", "write the entry first");
}

void executor::write_entry(int object, std::vector<term> index, term v, source at) {
  const array_info& info = arrays_.at(object);
  if (info.read_only)
    refuse("TF4008", at, "a write to '" + info.name + "'", "it is an input, or a copy of one",
           "write to an output parameter or a local array");
  if (exploring_) index_terms_.insert(index_terms_.end(), index.begin(), index.end());
  v = convert_to(v, info.element, at);
  for (term& i : index) i = to_term(to_polynomial(i));
  contents& now = memory_.arrays[object];
  if (index.size() == 1 && settled_ && depends_on_data(index[0])) return scatter(object, index[0], v, at);
  for (const auto& e : now.entries)
    if (relate(e.index, index) == relation::unknown && !exploring_)
      refuse("TF4007", at, "two writes to '" + info.name + "' at positions that may be the same", "which value stays depends on the data",
             "write at the loop index only");
  std::erase_if(now.entries, [&](const auto& e) { return relate(e.index, index) == relation::same; });
  now.entries.push_back({std::move(index), v});
}

//! array[index] = v where the position depends on the data (a histogram): every entry j becomes select(j == index, v, itself),
//! v speaking of the old entry j where it reads array[index].
void executor::scatter(int object, term index, term v, source at) {
  const array_info& info = arrays_.at(object);
  contents& now = memory_.arrays[object];
  if (!now.entries.empty() || (!now.base && !info.external))
    refuse("TF4007", at, "a write to '" + info.name + "' at a position that depends on the data",
           "the other entries have no known value here", "initialise the whole array before the loop");
  const term base = now.base ? now.base : original(info, {position()});
  const term old = substitute(base, {{position(), index}});
  const term here = equal(cast(position(), index->type), index);
  now.base = select(here, substitute(v, {{old, base}}), base);
}

value executor::copy(const value& v, source at) {
  value r = v;
  for (value& c : r.children) c = copy(c, at);
  if (v.what == value::kind::view && v.owner) {
    const array_info& from = arrays_.at(v.at.object);
    array_info info{
        .name = name_hint_.empty() ? from.name : name_hint_, .element = from.element, .extents = {v.extent}, .where = where(at)};
    const bool whole = v.at.index.size() == 1 && is_number(v.at.index[0], 0) && from.rank() == 1;
    const contents held = memory_.arrays[v.at.object];
    if (!whole) refuse("TF4006", at, "a copy of part of an array", "only whole arrays are copied", "copy entry by entry");
    const term base = held.base ? held.base : original(from, {position()});
    r.at.object = new_array(info);
    memory_.arrays[r.at.object] = {base, held.entries};
  }
  return r;
}

}  // namespace twofold::analyser::frontend
