// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How programs that analyse hold their memory.
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace twofold::analyser {

//! Keeps freed memory instead of giving it back to the system. Derivation and refutation fill large tables and drop them again, many
//! times a second; a fifth of their time went into pages that the kernel cleared anew. For the whole process: called by programs, from
//! main.
inline void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc accepts
#endif
}

}  // namespace twofold::analyser
