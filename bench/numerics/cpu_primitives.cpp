// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Errors of the C library's float exp, exp2 and logarithms on every 32-bit input, against float64 and, at the worst input,
//! 200-bit MPFR: the CPU's half of the error table (include/twofold/numerics/primitives.hpp). Writes one JSON object.
//!     g++ -std=c++20 -O2 cpu_primitives.cpp -lmpfr -lgmp -o cpu_primitives && ./cpu_primitives > cpu_primitives.json
#include <gnu/libc-version.h>
#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace {

struct function {
  const char* name;
  float (*f)(float);
  double (*wide)(double);
  int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  bool (*in_domain)(float);
};

float from_bits(std::uint32_t b) {
  float x;
  std::memcpy(&x, &b, 4);
  return x;
}

//! The relative error of f at x in units of 2^-24, in 200 bits.
double error_in_200_bits(const function& p, float x) {
  mpfr_t a, y;
  mpfr_inits2(200, a, y, nullptr);
  mpfr_set_flt(a, x, MPFR_RNDN);
  p.exact(y, a, MPFR_RNDN);
  mpfr_set_flt(a, p.f(x), MPFR_RNDN);
  mpfr_sub(a, a, y, MPFR_RNDN);
  mpfr_div(a, a, y, MPFR_RNDN);
  const double e = std::fabs(mpfr_get_d(a, MPFR_RNDU)) * 0x1p24;
  mpfr_clears(a, y, nullptr);
  return e;
}

void measure(const function& p, bool last) {
  double worst = 0, worst_nonpositive = 0, sum = 0, absolute = 0;
  unsigned long long count = 0, flushed = 0, backwards = 0;
  float at = 0;
  for (int sign = 1; sign >= 0; --sign) {  // from −max up to +max, so that a function that falls is seen to
    float before = -INFINITY;
    for (std::uint64_t i = 0; i <= 0x7f7fffffu; ++i) {
      const float x = from_bits(static_cast<std::uint32_t>(sign ? 0xff7fffffu - i : i));
      if (!p.in_domain(x)) continue;
      const float y = p.f(x);
      const double exact = p.wide(static_cast<double>(x)), size = std::fabs(exact);
      if (y < before) ++backwards;
      before = y;
      if (std::fabs(exact) > 0x1.fffffep127 || exact == 0) continue;
      if (size < 0x1p-126) {
        if (y == 0) ++flushed;
        continue;
      }
      const double off = (static_cast<double>(y) - exact) / exact * 0x1p24;
      sum += off, ++count;
      if (size <= 1) absolute = std::fmax(absolute, std::fabs(static_cast<double>(y) - exact));
      if (x <= 0) worst_nonpositive = std::fmax(worst_nonpositive, std::fabs(off));
      if (std::fabs(off) > worst) worst = std::fabs(off), at = x;
    }
  }
  std::printf(
      "{\"primitive\": \"%s\", \"inputs\": %llu, \"worst_u\": %.6f, \"worst_u_in_200_bits\": %.6f, \"worst_u_nonpositive\": %.6f, \"at\": "
      "%.9g, "
      "\"mean_u\": %.4g, \"worst_absolute_where_small\": %.5g, \"flushed\": %llu, \"backwards\": %llu}%s\n",
      p.name, count, worst, error_in_200_bits(p, at), worst_nonpositive, static_cast<double>(at), sum / static_cast<double>(count),
      absolute, flushed, backwards, last ? "" : ",");
  std::fflush(stdout);
}

}  // namespace

int main() {
  const function all[] = {
      {"exp2f", exp2f, exp2, mpfr_exp2, [](float x) { return x >= -150 && x < 128; }},
      {"expf", expf, exp, mpfr_exp, [](float x) { return x >= -104 && x < 88.73f; }},
      {"log2f", log2f, log2, mpfr_log2, [](float x) { return x > 0; }},
      {"logf", logf, log, mpfr_log, [](float x) { return x > 0; }},
  };
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  char cpu[128] = "unknown";
  if (std::FILE* f = std::fopen("/proc/cpuinfo", "r")) {
    for (char line[256]; std::fgets(line, sizeof line, f);)
      if (std::sscanf(line, "model name : %127[^\n]", cpu) == 1) break;
    std::fclose(f);
  }
  std::printf(
      "{\"schema\": 1, \"date\": \"%s\", \"cpu\": \"%s\", \"libc\": \"glibc %s\", \"what\": \"cpu_primitives\", "
      "\"program\": \"bench/numerics/cpu_primitives.cpp\", \"rows\": [\n",
      date, cpu, gnu_get_libc_version());
  constexpr int n = sizeof all / sizeof *all;
  for (int i = 0; i < n; ++i) measure(all[i], i + 1 == n);
  std::printf("]}\n");
}
