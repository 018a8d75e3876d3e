// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The memory of the symbolic executor: objects, places and values. Knows nothing of Clang.
//!
//! A variable is an object. Scalars hold a term; structs and small fixed arrays hold one value per field or entry; everything
//! longer is an *array object*, whose contents are one term over the generic position (`position()`) plus the entries that were
//! written at known places since. Branches run on copies of the memory and are merged by select.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/spec.hpp"

namespace twofold::analyser::frontend {

//! One step from an object to a part of it: field or entry `at`, or the entry at a position known only as a term.
struct step {
  int at = 0;
  term dynamic;
  friend bool operator==(const step&, const step&) = default;
};

//! Where something lies: an object and, inside it, fields and fixed entries; in array objects one term per dimension comes first.
struct place {
  int object = -1;
  std::vector<term> index;
  std::vector<step> path;
  [[nodiscard]] bool valid() const { return object >= 0; }
  friend bool operator==(const place&, const place&) = default;
};

struct value {
  enum class kind { none, scalar, aggregate, pointer, view, closure };
  kind what = kind::none;
  term scalar;                     // null: indeterminate (declared, never assigned)
  analyser::type type;             // of scalars
  std::vector<value> children;     // aggregate: fields or entries; closure: captures
  place at;                        // pointer: the object pointed to; view: its first entry
  term extent;                     // view: number of entries
  bool owner = false;              // view: the entries belong to this variable (std::vector, a long array), copies are deep
  const void* code = nullptr;      // closure: the lambda expression
  const void* function = nullptr;  // closure: a plain function
  std::string name;                // closure: a function object of the standard library ("plus")

  static value of(term t) {
    value v;
    v.what = kind::scalar, v.scalar = t, v.type = t->type;
    return v;
  }
  static value indeterminate(analyser::type t) {
    value v;
    v.what = kind::scalar, v.type = t;
    return v;
  }
  static value aggregate(std::vector<value> c) {
    value v;
    v.what = kind::aggregate, v.children = std::move(c);
    return v;
  }
  static value pointer(place p) {
    value v;
    v.what = kind::pointer, v.at = std::move(p);
    return v;
  }
  static value view(place first, term extent, bool owner) {
    value v;
    v.what = kind::view, v.at = std::move(first), v.extent = extent, v.owner = owner;
    return v;
  }
  friend bool operator==(const value&, const value&) = default;
};

//! What an array object is; does not change while the function runs.
struct array_info {
  std::string name{};
  analyser::type element{};     // of scalar entries
  std::vector<term> extents{};  // one per dimension, null where unknown (a bare pointer)
  bool external = false;        // contents come from the caller
  bool read_only = false;
  bool parameter = false;
  bool restrict_qualified = false;
  bool of_structs = false;  // one number of each entry of an array of structs
  std::string cpp_type{};
  location where{};
  std::vector<std::pair<std::vector<int>, int>> fields{};  // of struct entries: the path of each number in one → the array of all of them
  [[nodiscard]] std::size_t rank() const { return extents.size(); }
};

//! What an array object holds now.
struct contents {
  term base;  // over position(); null: as the caller left it, or indeterminate
  struct entry {
    std::vector<term> index;
    term value;
    friend bool operator==(const entry&, const entry&) = default;
  };
  std::vector<entry> entries;  // written since, latest last
  friend bool operator==(const contents&, const contents&) = default;
};

struct memory {
  std::map<int, value> cells;
  std::map<int, contents> arrays;
  friend bool operator==(const memory&, const memory&) = default;
};

//! The generic position in an array: the bound symbol of `contents::base`, and of vector-valued state.
[[nodiscard]] term position();

//! Thrown where two branches leave pointers or views that cannot be merged.
struct merge_error {
  std::string what;
};

//! The memory after `if (c) then else otherwise`; objects made in one branch only are gone. `external(object)` gives the
//! contents that the caller left, as a term over position(), or null.
[[nodiscard]] memory merge(term c, const memory& then, const memory& otherwise, const std::map<int, array_info>& infos);

//! select that lets an indeterminate side take the other's value: reading it would be undefined behaviour.
[[nodiscard]] term choose(term c, term then, term otherwise);

//! Contents as the caller left them, at `index`: read(array, index…); null for local arrays.
[[nodiscard]] term original(const array_info& a, const std::vector<term>& index);

//! One scalar that a loop may carry.
struct leaf {
  enum class kind { scalar, pointer, base, entry, lag };  // lag: the entry that the iteration before wrote
  kind what = kind::scalar;
  int object = -1;
  std::vector<int> path{};    // in a cell
  std::vector<term> index{};  // entry of an array object
  friend bool operator<(const leaf& a, const leaf& b);
  friend bool operator==(const leaf& a, const leaf& b) = default;
};
//! All leaves, in order of objects (that is, of declaration).
[[nodiscard]] std::vector<leaf> leaves(const memory& m);
//! Value of a leaf; for pointers the last index. Null: indeterminate, or the leaf is not there.
[[nodiscard]] term get(const memory& m, const leaf& l);
void set(memory& m, const leaf& l, term t);
[[nodiscard]] analyser::type type_of(const memory& m, const leaf& l, const std::map<int, array_info>& infos);

}  // namespace twofold::analyser::frontend
