// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The loops that compiled.hpp lists, for the instructions that the including file is compiled for, in a namespace of their own: else
//! the linker could give such code to a program that is to run without these instructions.
#include <cstring>

#include "twofold/algebra/config.hpp"
//
#undef TWOFOLD_BEGIN_NAMESPACE
#undef TWOFOLD_END_NAMESPACE
#define TWOFOLD_BEGIN_NAMESPACE \
  namespace twofold {           \
  inline namespace v0 {         \
  inline namespace TWOFOLD_TARGET {
#define TWOFOLD_END_NAMESPACE \
  }                           \
  }                           \
  }

#include "twofold/cpu/row_map.hpp"
#include "twofold/cpu/scan_block.hpp"

#if defined(TWOFOLD_HIGHWAY)
TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {
namespace {

//! An object of the caller's type of the same name: its bytes mean the same here.
template <class T>
T same_bytes(const void* from) {
  static_assert(std::is_trivially_copyable_v<T>);
  T x;
  std::memcpy(static_cast<void*>(&x), from, sizeof x);
  return x;
}

template <class Job>
struct loop;
template <class Op, class X>
struct loop<job<Op, X>> {
  static void leaf(const void* op, const void* source, void* to) {
    const state_of<Op> s = in_lanes<Op>(same_bytes<Op>(op)).leaf(same_bytes<X>(source));
    static_assert(std::is_trivially_copyable_v<state_of<Op>>);
    std::memcpy(to, &s, sizeof s);
  }
  static void map(const void* op, const void* x, std::ptrdiff_t n, void* y, void* scratch, bool streamed) {
    map_row(same_bytes<Op>(op), static_cast<const X*>(x), n, static_cast<X*>(y), static_cast<X*>(scratch),
            streamed ? store_how::streamed : store_how::cached);
  }
  static void apply(const void* answer, const void* x, std::ptrdiff_t n, void* y, bool streamed) {
    apply_answer(same_bytes<Op>(answer), static_cast<const X*>(x), n, static_cast<X*>(y),
                 streamed ? store_how::streamed : store_how::cached);
  }
  static void scan(const void* op, const void* source, const void* out, const void* before, bool inclusive, bool streamed) {
    const auto r = same_bytes<Op>(op);
    const auto src = same_bytes<array_source<X>>(source);
    const auto to = same_bytes<array_output<X>>(out);
    const auto s = same_bytes<state_of<Op>>(before);
    if (inclusive) scan_block<true>(r, src, to, s, streamed);
    else scan_block<false>(r, src, to, s, streamed);
  }
};
template <class E>
void widen_all(const void* x, std::ptrdiff_t n, void* to) {
  widen_here(static_cast<const E*>(x), 1, n, static_cast<working<E>*>(to));
}
template <class E>
void narrow_all(const void* x, std::ptrdiff_t n, void* to) {
  narrow_here(static_cast<const working<E>*>(x), n, static_cast<E*>(to), 1);
}

template <class... Jobs>
const auto* leaves_of(types<Jobs...>) {
  static constexpr void (*all[])(const void*, const void*, void*) = {loop<Jobs>::leaf...};
  return all;
}
template <class... Jobs>
const auto* maps_in(types<Jobs...>) {
  static constexpr void (*all[])(const void*, const void*, std::ptrdiff_t, void*, void*, bool) = {loop<Jobs>::map...};
  return all;
}
template <class... Jobs>
const auto* answers_in(types<Jobs...>) {
  static constexpr void (*all[])(const void*, const void*, std::ptrdiff_t, void*, bool) = {loop<Jobs>::apply...};
  return all;
}
template <class... Jobs>
const auto* scans_in(types<Jobs...>) {
  static constexpr void (*all[])(const void*, const void*, const void*, const void*, bool, bool) = {loop<Jobs>::scan...};
  return all;
}
template <class... E>
compiled::calls calls_with(const char* instructions, types<E...>) {
  static constexpr void (*widen[])(const void*, std::ptrdiff_t, void*) = {widen_all<E>...};
  static constexpr void (*narrow[])(const void*, std::ptrdiff_t, void*) = {narrow_all<E>...};
  return {instructions,
          simd::register_bytes,
          leaves_of(compiled_leaves{}),
          maps_in(compiled_maps{}),
          answers_in(compiled_answers{}),
          scans_in(compiled_scans{}),
          widen,
          narrow};
}

}  // namespace
}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
#endif
