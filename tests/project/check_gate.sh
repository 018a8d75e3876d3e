#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# twofold_check() as a build gate: check_gate.sh PROGRAM SOURCE. Loops that merge let a build pass, one that does not stops it with a
# line that editors read, a changed file is decided again, and an unchanged one is not.
set -euo pipefail
program=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache

mkdir "$work/app"
cat >"$work/app/sum.cpp" <<'EOF'
#include "scale.hpp"
double sum(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += scale * x[i];
  return s;
}
int main() {}
EOF
mkdir "$work/app/include"
echo "constexpr double scale = 2;" >"$work/app/include/scale.hpp"
cp "$source/examples/loops/vote.cpp" "$work/app/vote.cpp"

build() {  # build LOOP [VERDICT …]
  cat >"$work/app/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
include($source/cmake/twofoldCheck.cmake)
add_executable(app sum.cpp)
target_include_directories(app PRIVATE include)
twofold_check(app LOOPS $*)
EOF
  cmake -S "$work/app" -B "$work/b" -G Ninja -DTWOFOLD_EXECUTABLE="$program" >"$work/log" 2>&1 || { cat "$work/log"; return 2; }
  cmake --build "$work/b" >"$work/out" 2>&1
}
fail() { echo "check_gate: $1"; cat "$work/out"; exit 1; }

build sum.cpp:sum || fail "a loop that merges stops the build"
build sum.cpp:sum && ! grep -q "twofold check" "$work/out" || fail "an unchanged loop was decided again"
build vote.cpp:majority VERDICT not_associative || fail "the verdict that was asked for stops the build"
if build sum.cpp:sum vote.cpp:majority; then fail "a loop that does not merge passes"; fi
grep -Eq "vote\.cpp:[0-9]+:[0-9]+: warning: majority: not associative.* \[TF4112\]" "$work/out" || fail "no line that editors read"
sed -i 's/s += scale \* x\[i\]/s = s * s + x[i]/' "$work/app/sum.cpp"
if build sum.cpp:sum; then fail "a changed loop was not decided again"; fi
if build sum.cpp:none; then fail "a loop that is not there passes"; fi
grep -q "TF2104" "$work/out" || fail "the missing loop is not named"
echo "twofold_check: passes, stops, and decides again"
