#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The main job from a fresh clone: install what is missing, build, and show loops decided, merged, proved, refuted and run on
# real data under several schedules. demo.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
started=$SECONDS
if [[ -t 1 ]]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' dim='' plain=''; fi

title() { printf '\n%s== %s%s\n' "$bold" "$1" "$plain"; }
show() {  # prints the command as a user would type it, runs it, and insists on the exit code given first
  local expected=$1 code=0
  shift
  printf '\n%s$ %s%s\n' "$dim" "${*/$twofold/twofold}" "$plain"
  "$@" || code=$?
  if ((code != expected)); then
    echo "demo: that ended with exit code $code, expected $expected" >&2
    exit 1
  fi
}

title "1. Packages and build (most of the time goes here)"
scripts/install.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset release -DTWOFOLD_CUDA_KERNELS=OFF >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
grep -- '--   off:' "$log" || true
NINJA_STATUS="[%f/%t, %es] " cmake --build --preset release -j "$jobs"
built=$((SECONDS - started))
echo "built in $built s"

twofold=$PWD/build/release/bin/twofold
loops=examples/loops
data=examples/data

title "2. Loops that merge as they are"
show 0 "$twofold" check $loops/softmax_online.cpp:denominator
show 0 "$twofold" check $loops/attention_naive.cpp:attention

title "3. A loop that needs more state"
show 0 "$twofold" check $loops/streaks.cpp:longest_run

title "4. Loops that do not merge, with a witness"
show 1 "$twofold" check $loops/vote.cpp:majority
show 1 "$twofold" check $loops/running_quantizer.cpp:quantized_dot

title "5. All example loops"
python3 tests/project/check_loops.py "$twofold" $loops

title "6. Attention of a real model on a real text, in parallel, against the loop itself"
show 0 "$twofold" run $loops/attention_naive.cpp:attention --input q=$data/attention/q.npy --input k=$data/attention/k.npy \
  --input v=$data/attention/v.npy --set scale=0.17677669 --schedule tiles=128,tree
python3 tests/project/run_attention.py "$twofold" examples

title "7. Mean and standard deviation of NIST's certified data sets under every schedule"
build/release/bin/example_nist $data/nist

title "8. How wrong can it be?"
show 0 "$twofold" numerics attention --state f32 --p bf16 --exp ex2.approx --n 131072 --b 128 --schedule tiles,split=64 --vmax 8

title "Shown in $((SECONDS - started)) s, $built s of it building"
cat <<END
  decided    every loop in $loops: those that merge with a proof, those that do not with a witness
  run        naive attention on a model's q, k, v: the same result under every schedule, within float rounding of float64
  measured   NIST's nine sets: within the proved bound under every schedule
  next       $PWD/build/release/bin/twofold check YOUR_FILE.cpp:YOUR_FUNCTION
END
