// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Errors of the functions that weights are computed with. Measured: exhaustively, over every input of the format,
//! and a test compares this table with the result files. Documented: what the vendor promises. A bound may use either; the
//! documented one survives the next version of a library.
#pragma once

#include "twofold/numerics/formats.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

struct primitive {
  const char* name;      //!< as the user writes it
  const char* device;    //!< "cpu" or "cuda"
  const format* result;  //!< its u is the unit of the errors
  double measured;       //!< largest relative error over normal results, in u; infinite where only an absolute error exists
  double nonpositive;    //!< the same over arguments ≤ 0: all that a reference at or above the maximum meets; 0 where meaningless
  double bias;           //!< mean of the signed relative errors, in u
  double absolute;       //!< largest absolute error where |result| ≤ 1
  double documented;     //!< promised relative error, in u; 0 where none is (see `source`)
  bool flushes;          //!< subnormal results become 0
  const char* source;    //!< of `documented`
  const char* file;      //!< of the measured figures, in bench/results …
  const char* row;       //!< … and the row there
  //! What a guarantee should use: the documented error where there is one, else the measured.
  [[nodiscard]] constexpr double guaranteed() const { return documented > 0 ? documented : measured; }
};

namespace detail {
inline constexpr const char* h200 = "h200_gpu_primitives.json";
inline constexpr const char* cpu = "cpu_primitives.json";
inline constexpr const char* ptx = "PTX ISA: ex2, lg2, rcp, rsqrt, sqrt, tanh";
inline constexpr const char* guide = "CUDA C++ Programming Guide, mathematical functions appendix";
inline constexpr double no_relative = math::infinity<double>;
}  // namespace detail

//! In units of the result's u: a documented "n ulp" counts 2n, and one more where it is against the rounded result.
inline constexpr primitive primitives[] = {
    {"exp2f", "cpu", &fp32, 1.000000, 0.999756, -0.001779, 2.99e-08, 0, false, "", detail::cpu, "exp2f"},
    {"expf", "cpu", &fp32, 1.000000, 0.999907, -0.001787, 2.99e-08, 0, false, "", detail::cpu, "expf"},
    {"log2f", "cpu", &fp32, 1.398245, 0, -7.166e-06, 3.159e-08, 0, false, "", detail::cpu, "log2f"},
    {"logf", "cpu", &fp32, 1.318479, 0, 1.222e-05, 3.2063e-08, 0, false, "", detail::cpu, "logf"},
    {"ex2.approx", "cuda", &fp32, 2.446822, 2.415274, -0.0111, 1.2249e-07, 4, false, detail::ptx, detail::h200, "ex2_approx"},
    {"ex2.approx.ftz", "cuda", &fp32, 2.446822, 2.415274, -0.0111, 1.2249e-07, 4, true, detail::ptx, detail::h200, "ex2_approx_ftz"},
    {"cuda exp2f", "cuda", &fp32, 2.446822, 2.415274, -0.0111, 1.2249e-07, 5, false, detail::guide, detail::h200, "exp2f_"},
    {"cuda expf", "cuda", &fp32, 2.557808, 2.557808, 0.02565, 1.021e-07, 5, false, detail::guide, detail::h200, "expf_"},
    {"__expf", "cuda", &fp32, 64.572456, 64.237509, -0.01337, 1.2327e-07, 0, false, detail::guide, detail::h200, "fast_expf"},
    {"lg2.approx", "cuda", &fp32, detail::no_relative, 0, -0.7246, 2.1523e-07, 0, false, detail::ptx, detail::h200, "lg2_approx"},
    {"cuda log2f", "cuda", &fp32, 1.814354, 0, -0.0004667, 5.4761e-08, 3, false, detail::guide, detail::h200, "log2f_"},
    {"cuda logf", "cuda", &fp32, 1.346115, 0, 0.04595, 5.1388e-08, 3, false, detail::guide, detail::h200, "logf_"},
    {"__logf", "cuda", &fp32, detail::no_relative, 0, -0.6785, 1.9934e-07, 0, false, detail::guide, detail::h200, "fast_logf"},
    {"cuda log1pf", "cuda", &fp32, 1.410111, 1.410111, 0.01716, 5.2681e-08, 3, false, detail::guide, detail::h200, "log1pf_"},
    {"rcp.approx", "cuda", &fp32, 1.649061, 1.649061, 0.07001, 5.8107e-08, 2, false, detail::ptx, detail::h200, "rcp_approx"},
    {"rsqrt.approx", "cuda", &fp32, 2.09159, 0, -0.0842, 9.027e-08, 4, false, detail::ptx, detail::h200, "rsqrt_approx"},
    {"sqrt.approx", "cuda", &fp32, 1.677849, 0, -0.2007, 5.6255e-08, 4, false, detail::ptx, detail::h200, "sqrt_approx"},
    {"tanh.approx", "cuda", &fp32, 186.665122, 186.665122, 0.5057, 7.9842e-06, 8192, false, detail::ptx, detail::h200, "tanh_approx"},
    {"ex2.approx.f16", "cuda", &fp16, 1.997239, 0, -0.6888, 0, 2.15, false, detail::ptx, detail::h200, "ex2_approx_f16"},
    {"ex2.approx.ftz.bf16", "cuda", &bf16, 1.974315, 0, -0.1273, 0, 2, true, detail::ptx, detail::h200, "ex2_approx_ftz_bf16"},
    {"tanh.approx.f16", "cuda", &fp16, 1.973926, 0, -0.3027, 0, 0, false, "", detail::h200, "tanh_approx_f16"},
};

//! The primitive of that name, or null.
constexpr const primitive* primitive_named(const char* name) {
  for (const primitive& p : primitives) {
    const char *a = p.name, *b = name;
    while (*a && *a == *b) ++a, ++b;
    if (*a == *b) return &p;
  }
  return nullptr;
}

//! @brief  How a Hopper tensor core (wgmma, bf16 into fp32) adds: a model that reproduces every row of the probe.
//! @math   the products of one instruction (16 terms) and the accumulator are cut at 2^−25 of the largest of them, added exactly, and the
//!         sum is cut to 24 bits: all toward zero
//! @error  one instruction: below (17/2 + 2)·2^−24 of the largest magnitude, always downward in size
struct tensor_core {
  static constexpr int products = 16;
  static constexpr double roundoff_per_instruction = ((products + 1) / 2.0 + 2) * 0x1p-24;
  //! To stand where u stands for additions of a long dot product, in units of its largest partial sum.
  static constexpr double roundoff_per_product = roundoff_per_instruction / products;
};

}  // namespace numerics
TWOFOLD_END_NAMESPACE
