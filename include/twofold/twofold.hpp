// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Everything for hosts: the algebra, the operators, the schedules and, where twofold::twofold is linked, its
//! threads. Every header also stands alone.
#pragma once

#include "twofold/algebra/error.hpp"
#include "twofold/algebra/reduction.hpp"
#include "twofold/algebra/tile.hpp"
#include "twofold/ops/ops.hpp"
#include "twofold/schedule/can_run.hpp"
#include "twofold/schedule/reduce.hpp"
#include "twofold/schedule/rows.hpp"
#include "twofold/schedule/scan.hpp"
#include "twofold/schedule/schedule.hpp"
#include "twofold/schedule/segmented.hpp"
#include "twofold/schedule/stream.hpp"
#include "twofold/schedule/text.hpp"
#include "twofold/schedule/window.hpp"

// twofold::twofold (CMake) and twofold.pc (pkg-config) define this. With the headers alone, threaded schedules run in
// the calling thread, with the same bits.
#if defined(TWOFOLD_LIBRARY)
#include "twofold/cpu/reproducible.hpp"
#include "twofold/cpu/threads.hpp"
#endif
