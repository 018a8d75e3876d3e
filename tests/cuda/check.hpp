// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What tests on a device need: expectations that print, checked calls, and a way out where there is no device.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "twofold/algebra/error.hpp"

inline int failures = 0;

inline void expect(bool right, const char* what, const std::string& where = {}) {
  if (right) return;
  if (++failures <= 20) std::printf("FAILED: %s %s\n", what, where.c_str());
}
inline void cuda(cudaError_t e, const std::string& where = {}) {
  if (e == cudaSuccess) return;
  std::printf("FAILED: %s %s\n", cudaGetErrorString(e), where.c_str());
  std::exit(1);
}
//! f throws a twofold::error of this code.
template <class F>
void expect_error(const char* code, const F& f) {
  try {
    f();
    expect(false, "no error, but expected", code);
  } catch (const twofold::error& e) {
    expect(e.code() == code, e.what(), std::string("instead of ") + code);
  }
}

//! Leaves with 77 (skipped) and the reason where kernels of these tests cannot run.
inline void need_device() {
  int devices = 0, major = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("%d failures before the device; the rest is skipped: no CUDA device here\n", failures);
    std::exit(failures ? 1 : 77);
  }
  cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major != 9) {
    std::printf("%d failures before the device; the rest is skipped: compiled for compute capability 9.0, this device has %d\n", failures,
                major);
    std::exit(failures ? 1 : 77);
  }
}

//! An array on the device.
template <class T>
struct device_array {
  T* data = nullptr;
  std::size_t size;
  explicit device_array(std::size_t n) : size(n) { cuda(cudaMalloc(&data, n * sizeof(T) + 16)); }
  explicit device_array(const std::vector<T>& x) : device_array(x.size()) {
    cuda(cudaMemcpy(data, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data); }
  void poison() const { cuda(cudaMemset(data, 0xff, size * sizeof(T))); }
  std::vector<T> host() const {
    std::vector<T> x(size);
    cuda(cudaMemcpy(x.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return x;
  }
};
