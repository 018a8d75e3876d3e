// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A-priori bounds on rounding errors, as functions of the operator, the shape of the merge tree (shape.hpp), the
//! number of elements and the arithmetic. Worst case, over all inputs in the stated domain (domains.hpp: no overflow, no
//! underflow). `…_terms` gives the first-order terms by name (breakdown.hpp: the largest one, the total over all
//! orders); the plain name gives the total. u is the unit roundoff of the state's format (formats.hpp). Derivations, and
//! the test that checks each: docs/design/numerics.md.
#pragma once

#include "twofold/numerics/bounds/affine.hpp"
#include "twofold/numerics/bounds/attention.hpp"
#include "twofold/numerics/bounds/backward.hpp"
#include "twofold/numerics/bounds/softmax.hpp"
#include "twofold/numerics/bounds/sums.hpp"
#include "twofold/numerics/bounds/variance.hpp"
