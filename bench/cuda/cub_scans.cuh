// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file CUB as a peer, behind plain functions, so that its headers are compiled once. temp null: bytes are asked for.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

enum class cub_scan_kind { sum_f32, sum_f64, sum_i32, affine, matrix };
void cub_scan(cub_scan_kind kind, void* temp, std::size_t& bytes, const void* in, void* out, std::size_t n, cudaStream_t stream);
enum class cub_reduce_kind { sum_f32, softmax_f32, welford_f32 };
void cub_reduce(cub_reduce_kind kind, void* temp, std::size_t& bytes, const void* in, void* out, std::size_t n, cudaStream_t stream);
