// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Matching inputs with parameters. Lengths follow from shapes: an extent that is one unknown symbol takes the shape's value, one
//! that is known must agree, and so on until nothing new is learnt.
#include "bind.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "failure.hpp"
#include "ir/evaluate.hpp"
#include "scalar_text.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

[[noreturn]] void refuse(const char* code, const std::string& what, const std::string& why, const std::string& fix) {
  throw failure(exit_code::bad_input, code, what, why, fix);
}

bool is_given_array(const parameter& p) { return p.role == parameter_role::input_array || p.role == parameter_role::invariant_array; }

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

term without_casts(term t) {
  while (t->is(op::cast)) t = t->args[0];
  return t;
}

class binder {
 public:
  binder(const spec& s, const given& g) : s_(s), g_(g) {}

  binding run() {
    check_given(s_, g_);
    for (const parameter& p : s_.parameters) b_.parameters.push_back(value_of(p));
    learn_sizes();
    fill_lengths();
    range();
    sizes_of_outputs();
    allocate_outputs();
    check_reads();
    return std::move(b_);
  }

 private:
  bound value_of(const parameter& p) {
    bound v{p.name, {dtype_of(p.element), {}, {}}, p.role == parameter_role::output_array};
    if (is_given_array(p) || (is_array(p) && g_.arrays.contains(p.name))) {
      v.value = input(p);
    } else if (!is_array(p) && g_.scalars.contains(p.name)) {
      if (!parse_scalar(g_.scalars.at(p.name), v.value.dtype, v.value))
        refuse("TF2115", fmt::format("--set {}={} is not a value of type {}", p.name, g_.scalars.at(p.name), p.cpp_type),
               "the text is not a number of that type, or does not fit it", fmt::format("give a {} value", dtype_name(v.value.dtype)));
      if (p.element.kind == sort::integer) b_.sizes[symbol_of(p)] = static_cast<std::int64_t>(element_value(v.value, 0));
    } else if (p.role == parameter_role::scalar && is_only_written(p)) {
      v.is_written = true;
      v.value.data.resize(dtype_bytes(v.value.dtype));
    } else if (p.role == parameter_role::scalar) {
      refuse("TF2114", fmt::format("no value for the parameter {}", p.name), "every scalar of the loop needs one",
             fmt::format("--set {}=…", p.name));
    }
    return v;
  }

  //! An answer's place (double* mean) whose value before the loop nobody reads.
  bool is_only_written(const parameter& p) const {
    if (std::none_of(s_.outputs.begin(), s_.outputs.end(), [&](const output& o) { return o.name == p.name; })) return false;
    const term value = symbol_of(p);
    const auto reads = [&](term t) { return t && contains(t, [&](const node& n) { return term(&n) == value; }); };
    for (const pass& each : s_.passes) {
      if (reads(each.begin) || reads(each.end)) return false;
      for (const state_variable& v : each.state)
        if (reads(v.init) || reads(v.step) || reads(v.extent)) return false;
      for (const element_output& o : each.outputs)
        if (reads(o.value)) return false;
    }
    return std::none_of(s_.outputs.begin(), s_.outputs.end(), [&](const output& o) { return reads(o.value) || reads(o.extent); });
  }

  static term symbol_of(const parameter& p) { return symbol(symbol_kind::parameter, p.name, p.element); }

  npy_array input(const parameter& p) {
    const auto it = g_.arrays.find(p.name);
    if (it == g_.arrays.end())
      refuse("TF2114", fmt::format("no input for the array {}", p.name), "the loop reads it", fmt::format("--input {}=file.npy", p.name));
    npy_array a = read_npy(it->second);
    const std::string wanted = dtype_of(p.element);
    if (a.dtype != wanted)
      refuse("TF2112",
             fmt::format("\"{}\" holds {}, but {} is an array of {}", it->second, dtype_name(a.dtype), p.name, dtype_name(wanted)),
             "values are handed to the loop as they are, never converted",
             fmt::format("numpy.save(path, array.astype(numpy.{}))", dtype_name(wanted)));
    if (a.shape.empty() || a.shape.size() > 2)
      refuse("TF2113", fmt::format("\"{}\" has shape {}", it->second, shape_text(a.shape)),
             fmt::format("{} takes a vector or a matrix", p.name), "reshape it: array.reshape(rows, -1)");
    return a;
  }

  std::optional<std::int64_t> known(term t) const {
    exact_environment env;
    for (const auto& [s, v] : b_.sizes) env[s].value = mpq_class(static_cast<signed long>(v));
    const auto v = evaluate(t, env);
    if (!v || v->kind != exact::kind::finite || v->value.get_den() != 1 || !v->value.get_num().fits_slong_p()) return std::nullopt;
    return v->value.get_num().get_si();
  }

  //! extent = size: learns a symbol, or checks. The outermost length of an array may be more than what a loop over a part of it reads:
  //! where the extent is n − 1, an array of n entries is what one has; where a length was set, more than that many.
  void equate(term extent, std::int64_t size, const std::string& where, bool outermost = false) {
    extent = without_casts(extent);
    const auto part = outermost ? as_shifted(extent) : std::nullopt;
    if (const auto v = known(extent)) {
      const bool longer = size > *v && part && (g_.scalars.contains(part->symbol->name) || size <= *v - part->shift);
      if (*v == size || longer) return;
      refuse("TF2116", fmt::format("{} is {}, not {}", where, size, *v), fmt::format("{} = {} elsewhere", to_text(extent), *v),
             "give arrays whose lengths agree, and --set lengths that they have");
    }
    if (extent->is(op::symbol)) {
      b_.sizes[extent] = size;
      learnt_ = true;
    } else if (part && guessing_) {
      b_.sizes[part->symbol] = part->shift < 0 ? size : size - part->shift;
      learnt_ = true;
      guessing_ = false;
    }
  }

  //! symbol + shift.
  struct shifted {
    term symbol;
    std::int64_t shift = 0;
  };
  static std::optional<shifted> as_shifted(term t) {
    t = without_casts(t);
    if (t->is(op::symbol)) return shifted{t, 0};
    if (!t->is(op::add)) return std::nullopt;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const term number = without_casts(t->args[1 - i]);
      const auto rest = as_shifted(t->args[i]);
      const bool negated = number->is(op::neg) && number->args[0]->is(op::number);
      if (!rest || !(number->is(op::number) || negated)) continue;
      const mpq_class v = negated ? mpq_class(-number->args[0]->value) : number->value;
      if (v.get_den() == 1 && v.get_num().fits_sint_p()) return shifted{rest->symbol, rest->shift + v.get_num().get_si()};
    }
    return std::nullopt;
  }

  void learn_from(const parameter& p, const npy_array& a) {
    const std::vector<term>& e = p.extents;
    if (e.empty() || !e[0]) return;
    const std::string what = "the length of " + p.name;
    if (e.size() == a.shape.size()) {
      for (std::size_t k = 0; k < e.size(); ++k)
        if (e[k]) equate(e[k], a.shape[k], k == 0 ? what : "the length of a row of " + p.name, k == 0);
    } else if (e.size() == 1) {
      const term flat = without_casts(e[0]);
      if (a.shape.size() == 2 && flat->is(op::mul)) {  // [n * d] given as a matrix
        equate(flat->args[0], a.shape[0], "the number of rows of " + p.name);
        equate(flat->args[1], a.shape[1], "the length of a row of " + p.name);
      } else {
        equate(flat, a.count(), what, true);
      }
    } else if (e[1]) {  // rows given flat: the length of a row must come from elsewhere
      if (const auto row = known(e[1])) {
        if (*row <= 0 || a.count() % *row != 0)
          refuse("TF2116", fmt::format("{} has {} elements, not a multiple of {}", p.name, a.count(), *row),
                 fmt::format("a row of it has {} = {} elements", to_text(e[1]), *row), "give a matrix, or the right length of a row");
        equate(e[0], a.count() / *row, "the number of rows of " + p.name, true);
      }
    }
  }

  void learn_sizes() {
    do {
      learnt_ = false;
      for (const bool guess : {false, true}) {  // n from an array of n − 1 entries only where nothing says n
        if (learnt_) continue;
        guessing_ = guess;
        for (std::size_t i = 0; i < s_.parameters.size(); ++i)
          if (!b_.parameters[i].value.shape.empty()) learn_from(s_.parameters[i], b_.parameters[i].value);
      }
    } while (learnt_);
    guessing_ = false;
  }

  void fill_lengths() {
    for (std::size_t i = 0; i < s_.parameters.size(); ++i) {
      const parameter& p = s_.parameters[i];
      if (p.role != parameter_role::length || g_.scalars.contains(p.name)) continue;
      const auto v = known(symbol_of(p));
      if (!v)
        refuse("TF2114", fmt::format("no value for the length {}", p.name), "it does not follow from the shapes of the arrays",
               fmt::format("--set {}=…", p.name));
      if (!parse_scalar(std::to_string(*v), b_.parameters[i].value.dtype, b_.parameters[i].value))
        refuse("TF2115", fmt::format("the length {} = {} does not fit its type {}", p.name, *v, p.cpp_type),
               "the array is longer than the loop can count", "give a shorter array");
    }
  }

  void allocate_outputs() {
    for (std::size_t i = 0; i < s_.parameters.size(); ++i) {
      const parameter& p = s_.parameters[i];
      bound& v = b_.parameters[i];
      if (!is_array(p) || !v.value.data.empty() || !v.value.shape.empty()) continue;
      std::int64_t count = 1;
      for (const term e : p.extents) {
        if (!e)
          refuse("TF2116", fmt::format("the size of the output {} is not known", p.name), "the loop does not say how long it is",
                 fmt::format("give one of the right shape: --input {}=zeros.npy", p.name));
        if (!known(e))
          refuse("TF2116", fmt::format("the size {} of the output {} is not known", to_text(e), p.name),
                 "it does not follow from the inputs", fmt::format("give one of the right shape: --input {}=zeros.npy", p.name));
        const std::int64_t n = size_of(e, b_, p.name);
        if (n < 0 || __builtin_mul_overflow(count, n, &count) || count > (std::int64_t{1} << 40))
          refuse("TF2116", fmt::format("the output {} would have {} entries", p.name, n), "that is no size",
                 "check the lengths that were set");
        v.value.shape.push_back(n);
      }
      constexpr std::uint64_t copies = 3;  // one to bind, one for each of the two calls
      expect_memory(copies * static_cast<std::uint64_t>(count) * dtype_bytes(v.value.dtype), "the output " + p.name);
      v.value.data.resize(static_cast<std::size_t>(count) * dtype_bytes(v.value.dtype));
    }
  }

  void range() {
    const pass& p = s_.passes.front();
    b_.first = size_of(p.begin, b_, "the loop's begin");
    b_.last = std::max(b_.first, size_of(p.end, b_, "the loop's end"));
  }

  //! A container that the loop writes entry by entry is as long as the loop runs, where nothing else says so.
  void sizes_of_outputs() {
    for (const pass& each : s_.passes)
      for (const element_output& o : each.outputs)
        for (const parameter& p : s_.parameters) {
          if (p.name != o.array || p.extents.empty() || !p.extents[0]) continue;
          const term extent = without_casts(p.extents[0]);
          if (extent->is(op::symbol) && !known(extent)) b_.sizes[extent] = b_.last;
        }
  }

  //! No read of the loop leaves an array.
  void check_reads() {
    for (const pass& each : s_.passes)
      for (const element& e : each.elements) {
        const auto a = std::find_if(b_.parameters.begin(), b_.parameters.end(), [&](const bound& v) { return v.name == e.array; });
        if (a == b_.parameters.end() || b_.last == b_.first) continue;
        std::int64_t entries = a->value.shape.empty() ? 0 : a->value.shape[0];
        if (!e.row_extent) entries = a->value.count();
        else if (a->value.shape.size() == 1)
          entries = a->value.count() / std::max<std::int64_t>(1, size_of(e.row_extent, b_, "a row of " + e.array));
        if (b_.first + e.offset < 0 || b_.last + e.offset > entries)
          refuse("TF2116",
                 fmt::format("the loop reads {} at positions {} to {}, it has {}", e.array, b_.first + e.offset, b_.last + e.offset - 1,
                             entries),
                 "reading past the end is undefined", "give a longer array, or --set a shorter length");
      }
  }

  const spec& s_;
  const given& g_;
  binding b_;
  bool learnt_ = false, guessing_ = false;
};

}  // namespace

std::string dtype_of(type t) {
  if (t.kind == sort::boolean) return "|b1";
  if (t.kind == sort::real) return t.bits == 32 ? "<f4" : "<f8";
  return std::string(t.bits == 8 ? "|" : "<") + (t.is_signed ? "i" : "u") + std::to_string(t.bits / 8);
}

std::int64_t size_of(term extent, const binding& b, const std::string& what) {
  exact_environment env;
  for (const auto& [s, v] : b.sizes) env[s].value = mpq_class(static_cast<signed long>(v));
  const auto v = evaluate(extent, env);
  if (!v || v->kind != exact::kind::finite || v->value.get_den() != 1 || !v->value.get_num().fits_slong_p())
    refuse("TF2116", fmt::format("{} = {} is not known", what, to_text(extent)), "it does not follow from the inputs",
           "--set the lengths it depends on");
  return v->value.get_num().get_si();
}

binding bind(const spec& s, const given& g) {
  try {
    return binder(s, g).run();
  } catch (failure& f) {
    const bool is_about_a_file = f.code == "TF2110" || f.code == "TF2111" || f.code == "TF2125";
    if (f.where.file.empty() && !is_about_a_file) f.where = s.where;
    throw;
  }
}

}  // namespace twofold::cli
