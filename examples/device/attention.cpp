// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention of a real head on the device, against the operator on the CPU: the stored matrices of one head of a language model
//! (examples/data), with and without a causal mask, whole and in two pieces of the keys whose states are merged.
//! usage: attention FOLDER (examples/data/attention); exits 77 without a device of compute capability 9.0.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "twofold/cuda/attention/forward.hpp"
#include "twofold/cuda/attention/merge.hpp"
#include "twofold/ops/attention.hpp"

namespace tf = twofold;

namespace {

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(e));
  std::exit(1);
}

//! A matrix of float32 in numpy's format, rounded to bf16, which is what both sides then work on.
struct matrix {
  std::vector<float> value;
  std::vector<std::uint16_t> bits;
  explicit matrix(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    char head[10];
    if (!file.read(head, 10)) std::printf("cannot read %s\n", path.c_str()), std::exit(2);
    file.ignore(static_cast<unsigned char>(head[8]) + 256 * static_cast<unsigned char>(head[9]));
    for (float x; file.read(reinterpret_cast<char*>(&x), 4);) {
      std::uint32_t word;
      static_assert(sizeof word == sizeof x);
      __builtin_memcpy(&word, &x, 4);
      word = (word + 0x7fff + (word >> 16 & 1)) & 0xffff0000u;
      __builtin_memcpy(&x, &word, 4);
      value.push_back(x), bits.push_back(static_cast<std::uint16_t>(word >> 16));
    }
  }
};

template <class T>
T* upload(const std::vector<T>& x) {
  void* p = nullptr;
  check(cudaMalloc(&p, x.size() * sizeof(T)));
  check(cudaMemcpy(p, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(p);
}
template <class T>
std::vector<T> download(const T* p, std::size_t n) {
  std::vector<T> x(n);
  check(cudaMemcpy(x.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0, major = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major != 9) return 77;
  const std::string folder = argc > 1 ? argv[1] : "examples/data/attention";
  constexpr std::int64_t d = 32;
  const matrix q(folder + "/queries.npy"), k(folder + "/k.npy"), v(folder + "/v.npy");
  const auto n = static_cast<std::int64_t>(q.value.size()) / d;

  tf::cuda::attention_problem p;
  p.queries = p.keys = n, p.head_size = p.value_size = d;
  p.q = upload(q.bits), p.k = upload(k.bits), p.v = upload(v.bits);
  auto* out = upload(std::vector<std::uint16_t>(n * d));
  auto* lse = upload(std::vector<float>(n));
  p.out = out, p.lse_ln = lse;
  p.q_stride.row = p.k_stride.row = p.v_stride.row = p.out_stride.row = d;
  const tf::cuda::workspace workspace{upload(std::vector<std::uint64_t>(32)), 256};
  if (const auto yes = can_run(p); !yes) return std::puts(yes.reason()), 1;
  std::printf("%ld queries and keys of %ld elements; %s\n", long(n), long(d), plan_of(p).text().c_str());

  // The same from two pieces of the keys: what each leaves is a state, and the library merges states. Row i stands at key i of all, which
  // is its own place in the first piece and the last but so many in the second.
  const std::int64_t cut = n / 3;
  const auto floats = [](std::size_t count) { return upload(std::vector<float>(count)); };
  tf::cuda::attention_merge pieces;
  auto *at = floats(2 * n), *l = floats(2 * n), *o = floats(2 * n * d);
  pieces.at = at, pieces.l = l, pieces.o = o, pieces.parts = 2, pieces.rows = n, pieces.value_size = pieces.out_row = d;
  auto* merged = upload(std::vector<std::uint16_t>(n * d));
  pieces.out = merged, pieces.lse_ln = floats(n);
  const auto in_pieces = [&] {
    for (const int piece : {0, 1}) {
      auto part = p;
      part.keys = piece == 0 ? cut : n - cut;
      part.alignment = piece == 0 ? tf::cuda::attention_alignment::top_left : tf::cuda::attention_alignment::bottom_right;
      part.k = static_cast<const std::uint16_t*>(p.k) + piece * cut * d, part.v = static_cast<const std::uint16_t*>(p.v) + piece * cut * d;
      part.out = nullptr, part.lse_ln = nullptr;
      part.state_at = at + piece * n, part.state_l = l + piece * n, part.state_o = o + piece * n * d;
      attention_forward(part, workspace);
    }
    merge_attention_states(pieces);
  };

  const tf::attention<double> op(d);
  bool good = true;
  for (const bool causal : {false, true}) {
    p.right = causal ? 0 : -1;
    attention_forward(p, workspace);
    in_pieces();
    const std::vector<std::uint16_t> got[] = {download(out, n * d), download(merged, n * d)};
    const std::vector<float> got_lse[] = {download(lse, n), download(pieces.lse_ln, n)};
    for (const int way : {0, 1}) {
      double worst = 0, worst_lse = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        auto state = op.identity();
        for (std::int64_t j = 0; j < (causal ? i + 1 : n); ++j) {
          double dot = 0;
          for (std::int64_t e = 0; e < d; ++e) dot += double(q.value[i * d + e]) * double(k.value[j * d + e]);
          op.push_into(state, dot, v.value.data() + j * d);
        }
        const auto want = op.finalize(state);
        worst_lse = std::max(worst_lse, std::abs(got_lse[way][i] - want.lse_ln));
        double size = 0;
        for (std::int64_t e = 0; e < d; ++e) size = std::max(size, std::abs(want.output[e]));
        for (std::int64_t e = 0; e < d; ++e) {
          const std::uint32_t word = std::uint32_t(got[way][i * d + e]) << 16;
          float x;
          __builtin_memcpy(&x, &word, 4);
          worst = std::max(worst, std::abs(x - want.output[e]) / size);
        }
      }
      std::printf("%-10s %-13s against the operator on the CPU: outputs %.1e of the row's largest, log-sum-exp %.1e\n",
                  causal ? "causal" : "every key", way == 0 ? "whole" : "in two pieces", worst, worst_lse);
      good = good && worst < 0x1p-7 && worst_lse < 1e-5;
    }
  }
  std::puts(good ? "within two roundings to bf16" : "TOO FAR APART");
  return good ? 0 : 1;
}
