// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One array, or several walked together, reduced to one answer by any operator: sums, log-sum-exp, moments, dot products.
#pragma once

#include "twofold/cuda/array_reduce.cuh"
#include "twofold/cuda/fold_strided.cuh"
#include "twofold/cuda/rows.cuh"
#include "twofold/cuda/scan.cuh"

namespace twofold::cuda {

enum class reduce_kernel : unsigned char {
  held,      //!< one array, all of it in registers of one wave of blocks; one launch
  walked,    //!< one array not much larger than the cache, for operators that commute; one launch
  streamed,  //!< one array of any length, for operators that commute: the row kernel, and a second one that merges its pieces
  strided,   //!< several arrays, for operators that commute; a second kernel merges the blocks
  runs,      //!< any arrays, order kept: every lane has a run of neighbouring elements; a second kernel merges the parts
};

//! How a reduction of arrays will run: chosen by plan_reduce, printable, and the caller's to change before launching.
struct reduce_plan {
  reduce_kernel kernel = reduce_kernel::runs;
  int vectors = 0;            //!< held: 4 or 8 vectors of 16 bytes a thread
  int warps = 0;              //!< held: of a block, 1 to 16
  int blocks = 0;             //!< any number from 1; of `held` enough for all elements
  index depth = 0;            //!< runs: rows of a lane's run, of which 32 are a part: the bracketing
  int shared = 0;             //!< bytes of shared memory a block
  std::size_t workspace = 0;  //!< bytes of device memory, aligned to 16; any contents
  friend bool operator==(const reduce_plan&, const reduce_plan&) = default;
};
//! "held(vectors=4, warps=4, blocks=32)"
inline std::string to_string(const reduce_plan& p) {
  const std::string blocks = "blocks=" + std::to_string(p.blocks) + ")";
  switch (p.kernel) {
    case reduce_kernel::held:
      return "held(vectors=" + std::to_string(p.vectors) + ", warps=" + std::to_string(p.warps) + ", " + blocks;
    case reduce_kernel::walked:
      return "walked(" + blocks;
    case reduce_kernel::streamed:
      return "streamed(" + blocks;
    case reduce_kernel::strided:
      return "strided(" + blocks;
    case reduce_kernel::runs:
      break;
  }
  return "runs(depth=" + std::to_string(p.depth) + ", " + blocks;
}

namespace kernels {
template <class R, class In>
__global__ void __launch_bounds__(fold_shape<R, In>::threads, fold_shape<R, In>::resident)
    fold_arrays(const __grid_constant__ fold_job<R, In> job) {
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  fold_runs(job);
}
template <class R, class In>
__global__ void __launch_bounds__(strided_shape<R, In>::threads, 2) fold_arrays_strided(const __grid_constant__ fold_job<R, In> job) {
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  fold_strided(job);
}
template <class R, class Out>
__global__ void __launch_bounds__(1024, 1) fold_all(const R r, const state_of<R>* states, index count, state_of<R>* whole, Out* out) {
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  fold_states(r, states, count, whole);
  if (threadIdx.x == 31) *out = narrowed<Out>(r.finalize(*whole));
}
}  // namespace kernels

namespace detail {
[[noreturn]] inline void refuse_reduce(const std::string& limit, const std::string& works) {
  throw error("TF3213", "a reduction of arrays on the device", limit, works);
}

//! The one answer, narrowed.
template <class Out>
struct to_answer {
  Out* out;
  template <class Answer>
  __device__ __forceinline__ void operator()(index, const Answer& a) const {
    *out = narrowed<Out>(a);
  }
};

template <class R, class In>
struct reducing;
template <class R, class... X>
struct reducing<R, arrays<const X...>> {
  using In = arrays<const X...>;
  static constexpr bool one = is_one_array<R, X...>, commutes = is_commutative<R>, strided = !one && commutes && strided_shape<R, In>::fits;

  //! Blocks of `runs` and `strided` that have something to do.
  static index blocks_of(const reduce_plan& p, index n) {
    index most = 1;
    if (p.kernel == reduce_kernel::strided) most = rounded_up_division(n, strided_shape<R, In>::tile);
    else if (p.kernel == reduce_kernel::runs)
      most = rounded_up_division(fold_parts(n, fold_shape<R, In>::row, commutes ? 1 : p.depth).all, fold_shape<R, In>::warps);
    return p.blocks < most ? p.blocks : most;
  }
  //! States that the first of two kernels leaves.
  static index states_of(const reduce_plan& p, index n) {
    if (n == 0) return 0;
    if (p.kernel == reduce_kernel::streamed) return p.blocks;
    return commutes ? blocks_of(p, n) : fold_parts(n, fold_shape<R, In>::row, p.depth).all;
  }
  static std::size_t workspace(const reduce_plan& p, index n) {
    if (p.kernel <= reduce_kernel::walked)
      return 256 + static_cast<std::size_t>(p.blocks) * static_cast<std::size_t>(packets<state_of<R>>::count) * sizeof(packet);
    return static_cast<std::size_t>(1 + states_of(p, n)) * sizeof(state_of<R>);
  }
};

//! Few threads where there is little to read: fewer merges; later as many bytes a thread as registers hold.
inline void hold(reduce_plan& p, index vectors) {
  p.kernel = reduce_kernel::held;
  p.vectors = vectors <= 16384 ? 4 : 8;
  p.warps = vectors <= 1024     ? static_cast<int>(power_of_two_from(rounded_up_division(vectors, 32 * p.vectors)))
            : vectors <= 16384  ? 4
            : vectors <= 262144 ? 8
                                : 16;
  p.blocks = static_cast<int>(rounded_up_division(vectors, index{32} * p.vectors * p.warps));
}
//! Vectors of 16 bytes that hold all of an array.
template <class T>
index vectors_of(const T* data, index n) {
  const index E = 16 / static_cast<index>(sizeof(T));
  return rounded_up_division(n + static_cast<index>(reinterpret_cast<std::uintptr_t>(data) % 16 / sizeof(T)), E);
}
}  // namespace detail

//! @brief  What reduce needs for n elements of these arrays, at these addresses.
//! @errors TF3213 a negative length, a device without the shared memory · TF3207 CUDA's own
template <reduction R, class... X>
reduce_plan plan_reduce(const R&, [[maybe_unused]] const arrays<const X...>& in, index n) {
  using In = arrays<const X...>;
  using how = detail::reducing<R, In>;
  using shape = fold_shape<R, In>;
  if (n < 0) detail::refuse_reduce("its length is " + std::to_string(n), "a length of 0 or more");
  reduce_plan p{};
  p.blocks = 1, p.depth = 1;
  if (n > 0) {
    const detail::device_limits d = detail::limits_of_device();
    if constexpr (how::one) {
      const index vectors = detail::vectors_of(in.data, n);
      if (vectors <= index{d.sms} * 8192) detail::hold(p, vectors);
      else if (how::commutes && vectors * 16 <= (index{128} << 20)) p.kernel = reduce_kernel::walked, p.blocks = 2 * d.sms;
      else if (how::commutes) p.kernel = reduce_kernel::streamed, p.blocks = 8 * d.sms;
    } else if constexpr (how::strided) {
      p.kernel = reduce_kernel::strided, p.blocks = d.sms * strided_shape<R, In>::blocks;
    }
    if (p.kernel == reduce_kernel::runs) {
      static_assert(shape::shared_bytes + shape::warps * sizeof(state_of<R>) <= (227 << 10), "the elements are too large");
      p.shared = shape::shared_bytes, p.depth = fold_parts::depth_of(n, shape::row), p.blocks = d.sms * shape::blocks;
      if (p.shared > d.shared)
        detail::refuse_reduce(
            "it needs " + std::to_string(p.shared) + " bytes of shared memory a block, this device has " + std::to_string(d.shared),
            "a device of compute capability 8.0 or 9.0");
    }
    if (p.kernel >= reduce_kernel::strided) p.blocks = static_cast<int>(how::blocks_of(p, n));
  }
  p.workspace = how::workspace(p, n);
  return p;
}

//! @brief  *out = finalize of the state of all elements; of the identity where n is 0.
//! @math   held, walked: threads, then blocks in order. strided: threads go on from tile to tile; then warps, blocks. runs: a lane folds a
//!         run of neighbouring elements, a warp merges its lanes, one block the parts that warps leave. Tiles by the operator's leaf where
//!         it has one
//! @shape  one element of every array a position; arrays aligned to 16 bytes are moved by vectors, others by elements; out: one answer in
//!         device memory
//! @order  the operator's order is kept unless it says that it commutes. Equal plans give equal bits in every run; of operators that do not
//!         commute `runs` gives the same bits for any number of blocks
//! @errors TF3213 null arrays, a workspace or plan that does not fit: before anything is launched · TF3207 CUDA's own
//! @cost   one read of the arrays. Asynchronous on the stream; nothing is allocated; can be captured in a graph. The workspace is used by
//! one
//!         launch at a time
template <reduction R, class... X, class Out>
void reduce(const R& r, const arrays<const X...>& in, index n, Out* out, const reduce_plan& plan, void* workspace,
            cudaStream_t stream = nullptr) {
  using In = arrays<const X...>;
  using how = detail::reducing<R, In>;
  using shape = fold_shape<R, In>;
  if (n < 0) detail::refuse_reduce("its length is " + std::to_string(n), "a length of 0 or more");
  if ((n > 0 && detail::any_null(in)) || out == nullptr)
    detail::refuse_reduce("an array is a null pointer", "device memory for every array");
  const auto refuse_plan = [&](const std::string& works) {
    detail::refuse_reduce(to_string(plan) + " is not a plan of this problem", works);
  };
  const auto power = [](int k) { return k > 0 && (k & (k - 1)) == 0; };
  if (plan.blocks < 1 || plan.blocks > (1 << 20)) refuse_plan("plan_reduce for the same operator and arrays, with 1 to 2^20 blocks");
  if (plan.kernel == reduce_kernel::held) {
    bool fits = how::one && (plan.vectors == 4 || plan.vectors == 8) && power(plan.warps) && plan.warps <= 16 && plan.blocks <= 4096;
    if constexpr (how::one) fits = fits && index{32} * plan.vectors * plan.warps * plan.blocks >= detail::vectors_of(in.data, n);
    if (!fits) refuse_plan("one array of elements that fill 16 bytes, and threads for all of its vectors");
  } else if ((plan.kernel != reduce_kernel::runs && plan.kernel != reduce_kernel::strided && !(how::one && how::commutes)) ||
             (plan.kernel == reduce_kernel::strided && !how::strided)) {
    refuse_plan("plan_reduce for the same operator and arrays");
  } else if (plan.kernel == reduce_kernel::runs &&
             (n > 0 && (plan.depth < 1 || plan.depth > fold_parts::most || plan.shared != shape::shared_bytes))) {
    refuse_plan("plan_reduce for the same operator and arrays, runs of 1 to " + std::to_string(fold_parts::most) + " rows");
  }
  const std::size_t need = how::workspace(plan, n);
  if (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0 || plan.workspace < need)
    detail::refuse_reduce("the workspace is null, not aligned to 16 bytes, or too small for so many blocks",
                          std::to_string(need) + " bytes of device memory");
  const bool early = detail::current_card_has_clusters();  // each kernel is brought to the processors while the one before ends
  if constexpr (how::one) {
    using T = std::remove_cvref_t<decltype(*in.data)>;
    const kernels::meeting where{static_cast<unsigned char*>(workspace)};
    const auto held = [&](auto v) {
      using tile = anchored_tile<R, T, decltype(v)::value, absence::none>;
      detail::launch_after(early, kernels::array_held<decltype(v)::value, R, T, Out>, plan.blocks, 32 * plan.warps, 1,
                           4 * (row_room<R, tile>(plan.warps, 1) + states_room<R>(plan.warps)), stream, r, in.data, static_cast<int>(n),
                           out, where);
    };
    if (plan.kernel == reduce_kernel::held && plan.vectors == 4) return held(std::integral_constant<int, 4>{});
    if (plan.kernel == reduce_kernel::held) return held(std::integral_constant<int, 8>{});
    if constexpr (how::commutes) {
      if (plan.kernel == reduce_kernel::walked)
        return detail::launch_after(early, kernels::array_walked<R, T, Out>, plan.blocks, 256, 1, 8 * states_room<R>(8), stream, r, in.data,
                                    n, out, where);
      if (plan.kernel == reduce_kernel::streamed) {
        row_plan rows;
        rows.kernel = row_kernel::streamed, rows.vectors = detail::held_vectors<T>, rows.warps = 8, rows.parts = plan.blocks;
        const auto sink = kernels::keep_answer<detail::to_answer<Out>>{{out}};
        return detail::launch_reduction(r, row_source<T>{in.data, 1, n, n}, rows, static_cast<state_of<R>*>(workspace), sink, stream);
      }
    }
  }
  auto* const whole = static_cast<state_of<R>*>(workspace);
  const fold_job<R, In> job{r, in, n, plan.depth, whole + 1};
  const index blocks = how::blocks_of(plan, n);
  if constexpr (how::strided)
    if (n > 0 && plan.kernel == reduce_kernel::strided)
      detail::launch_after(early, kernels::fold_arrays_strided<R, In>, blocks, strided_shape<R, In>::threads, 1, 0, stream, job);
  if (n > 0 && plan.kernel == reduce_kernel::runs)
    detail::launch_after(early, kernels::fold_arrays<R, In>, blocks, shape::threads, 1, shape::shared_bytes, stream, job);
  detail::launch_after(early, kernels::fold_all<R, Out>, 1, 1024, 1, 0, stream, r, static_cast<const state_of<R>*>(whole + 1),
                       how::states_of(plan, n), whole, out);
}

}  // namespace twofold::cuda
