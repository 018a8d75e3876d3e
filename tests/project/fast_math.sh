#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Flags that delete the guards for infinities and NaN must be refused by name: fast_math.sh INCLUDE_DIR COMPILER...
set -u
include=$1
shift
failures=0
for compiler in "$@"; do
  for flag in -ffast-math -Ofast -ffinite-math-only; do
    if output=$(echo '#include <twofold/algebra/reduction.hpp>' | "$compiler" -std=c++20 $flag -fsyntax-only "-I$include" -x c++ - 2>&1); then
      echo "$compiler $flag: compiled, but must be refused"
      failures=$((failures + 1))
    elif ! grep -q 'error: .*TF1001' <<<"$output"; then
      echo "$compiler $flag: refused without TF1001:"
      echo "$output"
      failures=$((failures + 1))
    else
      echo "$compiler $flag: refused with TF1001"
    fi
  done
  if ! echo '#include <twofold/algebra/reduction.hpp>' | "$compiler" -std=c++20 -O2 -fsyntax-only "-I$include" -x c++ -; then
    echo "$compiler -O2: must compile"
    failures=$((failures + 1))
  fi
done
exit $((failures > 0))
