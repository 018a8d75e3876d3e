// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact sums in vectors: which instructions this machine has, and the flag "inexact" that vouches for them.
#include "twofold/cpu/reproducible.hpp"

#include <atomic>

#include "cpu/machine.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {
namespace {

constexpr const char* headers = "the loop of the headers";
void add_floats_by_headers(exact_sum_state<float>& s, const float* x, index n) { exact::add_floats(s, array_source<float>{x, n, 1}); }
void add_doubles_by_headers(exact_sum_state<double>& s, const double* x, index n) {
  exact::add_tile<53>(s, array_source<double>{x, n, 1}, [](const double& e) { return exact::term_of(e); });
}
void add_products_by_headers(exact_product_state<float>& s, const float* x, const float* y, index n) {
  const zip_source<array_source<float>, array_source<float>> pairs{{x, n, 1}, {{y, n, 1}}};
  exact::add_tile<48>(s, pairs, [](const float& a, const float& b) { return exact::product_of(a, b); });
}

}  // namespace
}  // namespace cpu
TWOFOLD_END_NAMESPACE

#if defined(TWOFOLD_WITH_HIGHWAY) && defined(__x86_64__)
#include <immintrin.h>

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {
namespace {

//! From here to seen(): default modes (nearest, no flushing, no traps), and the flag "inexact" clear. The caller's modes and flags return.
class watch {
 public:
  watch() : before_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~watch() { _mm_setcsr(before_); }
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  [[nodiscard]] bool seen() const { return (_mm_getcsr() & 0x20) != 0; }

 private:
  unsigned before_;
};

constexpr int infinite = 5000;  //!< the exponent of what is not finite

//! ⌊log2 x⌋ of a positive number.
int exponent_of(double x) {
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, x);
  return bits >> 52 != 0 ? static_cast<int>(bits >> 52) - 1023 : -1011 - exact::leading_zeros(bits);
}
double power_of_two(int e) { return __builtin_bit_cast(double, static_cast<std::uint64_t>(e + 1023) << 52); }

}  // namespace
}  // namespace cpu
TWOFOLD_END_NAMESPACE

// AVX-512 as of Skylake, and AVX2; machines with neither take the loop of the headers.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reproducible_kernels.hpp"
#include <hwy/foreach_target.h>
#include "reproducible_kernels.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {
namespace {

//! The kernels for one set of instructions.
struct kernels {
  const char* name;
  void (*add_floats)(exact_sum_state<float>&, const float*, index);
  void (*add_doubles)(exact_sum_state<double>&, const double*, index);
  void (*add_products)(exact_product_state<float>&, const float*, const float*, index);
};
constexpr kernels none{headers, add_floats_by_headers, add_doubles_by_headers, add_products_by_headers};
#if HWY_TARGETS & HWY_AVX2
constexpr kernels avx2{"AVX2", N_AVX2::add_floats, N_AVX2::add_doubles, N_AVX2::add_products};
#else
constexpr kernels avx2 = none;  // compiled for more than that
#endif
#if HWY_TARGETS & HWY_AVX3
constexpr kernels avx512{"AVX-512", N_AVX3::add_floats, N_AVX3::add_doubles, N_AVX3::add_products};
#else
constexpr kernels avx512 = avx2;
#endif

//! Does the flag tell the truth here? Some emulators (Valgrind) do not keep it.
bool flag_works() {
  const watch inexact;
  double one = 1, tiny = 0x1p-60;
  asm volatile("" : "+x"(one), "+x"(tiny));
  double sum = one + tiny;
  asm volatile("" : "+x"(sum));
  return inexact.seen();
}
const kernels* best(int most) {
  if (most >= 2 && detail::runs_avx512()) return &avx512;
  if (most >= 1 && detail::runs_avx2()) return &avx2;
  return &none;
}
std::atomic<const kernels*>& chosen() {
  static std::atomic<const kernels*> k{best(flag_works() ? 2 : 0)};
  return k;
}
const kernels& use() { return *chosen().load(std::memory_order_relaxed); }

}  // namespace

void limit_exact_vectors(int most) { chosen() = best(flag_works() ? most : 0); }
const char* exact_vectors() { return use().name; }
void add_exactly(exact_sum_state<float>& s, const float* x, index n) { use().add_floats(s, x, n); }
void add_exactly(exact_sum_state<double>& s, const double* x, index n) { use().add_doubles(s, x, n); }
void add_products_exactly(exact_product_state<float>& s, const float* x, const float* y, index n) { use().add_products(s, x, y, n); }

}  // namespace cpu
TWOFOLD_END_NAMESPACE

#else

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

void limit_exact_vectors(int) {}
const char* exact_vectors() { return headers; }
void add_exactly(exact_sum_state<float>& s, const float* x, index n) { add_floats_by_headers(s, x, n); }
void add_exactly(exact_sum_state<double>& s, const double* x, index n) { add_doubles_by_headers(s, x, n); }
void add_products_exactly(exact_product_state<float>& s, const float* x, const float* y, index n) { add_products_by_headers(s, x, y, n); }

}  // namespace cpu
TWOFOLD_END_NAMESPACE

#endif
