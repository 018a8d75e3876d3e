// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Who runs the pieces of a threaded schedule. A schedule has decided every piece before; an executor only runs
//! them. This header knows no threads: the default runs in the calling thread until a backend (cpu/threads.hpp)
//! offers itself.
#pragma once

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! A function of a piece's number, without its type: so that an engine is compiled once whatever runs it. It does not
//! own.
class task {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, task>) explicit task(F& f)
      : self_(const_cast<void*>(static_cast<const void*>(&f))), call_([](void* self, index i) { (*static_cast<F*>(self))(i); }) {}
  void operator()(index i) const { call_(self_, i); }

 private:
  void* self_;
  void (*call_)(void*, index);
};

//! @brief  Calls t(i) once for every i in [0, n), in any order, on at most `limit` threads (0: all there are), and
//!         returns when all have ended. What a call throws is thrown again in the caller; the remaining calls may
//!         then not be made.
struct executor {
  void* self = nullptr;                                                    //!< handed back to `run`
  void (*run)(void* self, index n, index limit, const task& t) = nullptr;  //!< null: in the calling thread

  void operator()(index n, index limit, const task& t) const {
    if (run != nullptr && n > 1 && limit != 1) return run(self, n, limit, t);
    for (index i = 0; i < n; ++i) t(i);
  }
};

//! Runs everything in the calling thread.
inline constexpr executor serial{};

namespace detail {
inline executor offered{};  // written before main, by a backend that the program links
}

//! The executor used where none is given: the one that a linked backend offers, else `serial`.
inline executor default_executor() { return detail::offered; }

TWOFOLD_END_NAMESPACE
