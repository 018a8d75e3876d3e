# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks kernels on purpose, one line at a time, and asks whether the programs that check them notice. Run on a machine with nvcc and a GPU, in the
project's root: bench/cuda/mutants.py [JOBS]. One JSON object a line; exit status 1 if a mutant survives."""
import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

CUDA = "include/twofold/cuda/"
ROWS, TOP = ["tests/cuda/rows_test.cu"], ["tests/cuda/top_k_test.cu"]
PLAIN = ["bench/cuda/rows_plain.cu", "bench/cuda/rows_main.cu", "bench/cuda/rows_only.cu"]
NORMS = ["bench/cuda/rows_norms.cu", "bench/cuda/rows_main.cu", "bench/cuda/rows_only.cu"]
FEW = ["bench/cuda/attention_few.cu", "tests/cuda/attention/attention_test.cu"]
MUTANTS = [  # what, file, text, instead, sources, arguments
    ("states of neighbouring warps overlap in shared memory", "block.cuh", "room.put(t + (t >> shift), s);", "room.put(t, s);", ROWS, []),
    ("lanes exchange left and right", "warp.cuh", "!Op::symmetric && upper ? other : mine;", "!Op::symmetric && upper ? mine : other;", ROWS, []),
    ("ragged ends are not gathered", "thread.cuh", "  if (!cut) return;\n", "  return;\n", ROWS, []),
    ("one part too few in the merge of pieces", "row_kernels.cuh", "const index begin = threadIdx.x * each, end = begin + each < parts ? begin + each : parts;",
     "const index begin = threadIdx.x * each, end = begin + each < parts - 1 ? begin + each : parts - 1;", ROWS, []),
    ("blocks of a cluster in the wrong order", "cluster.cuh", "room.get((threadIdx.x & 31) & (blocks - 1))", "room.get(((threadIdx.x & 31) & (blocks - 1)) ^ 1)", ROWS, []),
    ("a tile of a long row is left out", "row_kernels.cuh", "for (index k = begin; k < end; ++k) {\n    const auto piece", "for (index k = begin; k + 1 < end; ++k) {\n    const auto piece", ROWS, []),
    ("columns begin one row late", "column_kernels.cuh", "for (; l + U <= end; l += U) {", "for (l += 1, from += in.pitch; l + U <= end; l += U) {", ROWS, []),
    ("equal elements in any order", "top_k_kernels.cuh", "return static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint32_t>(~position);",
     "return static_cast<std::uint64_t>(key) << 32 | position;", TOP, []),
    ("the threshold is one too high", "top_k_tile.cuh", "  return least_of_eights(a);", "  return least_of_eights(a) + 1;", TOP, []),
    ("ties beyond the room are dropped", "top_k_kernels.cuh", "found = gather_first(tile, mask & ~better, more, k - more);",
     "found = more;", TOP, []),
    ("the gradient forgets the sum", "backward.cuh", "return y * (dy - dot);", "return y * dy;", TOP, []),
    ("a guess that misses is kept", "team.cuh", "if (again) g = h, v = w;", "(void)w;", NORMS, ["quick", "var_mean,layer_norm"]),
    ("the last of equal maxima", "thread.cuh", "min(even ? 2 * even - 2 : 64, odd ? 2 * odd - 1 : 64)", "max(even ? 2 * even - 2 : 0, odd ? 2 * odd - 1 : 0)", PLAIN, ["quick", "argmax"]),
    ("the part so far keeps its old reference", "attention/softmax.cuh", "      l[r] *= factor[r];\n", "", FEW, ["few"]),
    ("outputs keep their old reference", "attention/softmax.cuh", "    if (!moved) return;\n#pragma", "    return;\n#pragma", FEW, ["few"]),
    ("references never move", "attention/softmax.cuh", "> at[0] + Slack ||", "> at[0] + 300 ||", FEW, ["few"]),
    ("integer maxima of negative scores", "attention/softmax.cuh", "if (__any_sync(~0u, !(of_row[0] > 0 && of_row[1] > 0))) largest(s, m);", "", FEW, ["few"]),
    ("far references are rounded", "attention/softmax.cuh", "fabsf(at) < to.far ? to.c : to.c_far", "to.c", FEW, ["few"]),
    ("a far bias overflows", "attention/score.cuh", "!(fabsf(bias) < INFINITY && fabsf(s) < INFINITY)", "true", FEW, ["few"]),
    ("ALiBi from the next key", "attention/score.cuh", "(i / 4) * 8 + (i & 1)), line[(i / 2) & 1]));", "(i / 4) * 8 + 1), line[(i / 2) & 1]));", FEW, ["few"]),
    ("an odd column too few is visible", "attention/mask.cuh", "min(columns % 8, 2)", "min(columns % 8, 1)", FEW, ["few"]),
    ("the diagonal is masked", "attention/mask.cuh", "shift + rule.right + 1", "shift + rule.right", FEW, ["few"]),
    ("a window is one key too wide", "attention/mask.cuh", "shift - rule.left;", "shift - rule.left - 1;", FEW, ["few"]),
    ("boundary tiles are taken for inner ones", "attention/scheduler.cuh", "min(max(behind, 0), 15)", "min(max(behind - 1, 0), 15)", FEW, ["few"]),
    ("the first tile that is dealt is left out", "attention/scheduler.cuh", "gridDim.x + atomicInc(", "gridDim.x + 1 + atomicInc(", FEW, ["few"]),
    ("masked NaN is not folded again", "attention/consumer.cuh", "  if (spoilt.tile >= 0) repair", "  if (spoilt.tile >= 1 << 30) repair", FEW, ["few"]),
    ("halves of a sector change places", "attention/epilogue.cuh", "return odd ? uint2{other, second}", "return odd ? uint2{second, other}", FEW, ["few"]),
    ("a sink does not move the outputs", "attention/epilogue.cuh", "  return share;\n", "  return 1.0f;\n", FEW, ["few"]),
    ("tiles of keys overlap", "attention/producer.cuh", "key -= Shape.keys;", "key -= Shape.keys - 16;", FEW, ["few"]),
    ("queries are never given back", "attention/consumer.cuh", "if (n == now.first) done_with_q();", "", FEW, ["few"]),
    ("a row in words is not shifted", "row_packed.cuh", "const int shift = at % per * 8 * static_cast<int>(sizeof(In));", "const int shift = 0;", PLAIN, ["quick", "max"]),
    ("answers of a piece instead of the row", "row_spread.cuh", "      all = merge_states(r, team{32, 1, 1}, all, nullptr);\n", "", ROWS, []),
]
GPU = Lock()


def run(mutant):
    what, name, old, new, sources, arguments = mutant
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for part in ("include", "tests/cuda", "bench/cuda", "bench/prototypes"):
            shutil.copytree(part, root / part)
        path = root / CUDA / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            return {"what": "mutant", "change": what, "file": name, "result": f"found {text.count(old)} times"}
        path.write_text(text.replace(old, new), encoding="utf-8")
        (root / "bench/cuda/rows_only.cu").write_text('#include "bench/cuda/rows.hpp"\nnamespace bench {\nvoid add_exponential(cases&) {}\n'
                                                      "void add_softmax(cases&) {}\nvoid add_gradient(cases&) {}\n"
                                                      + ("void add_norms(cases&) {}\n}\n" if sources is PLAIN else "void add_plain(cases&) {}\n}\n"), encoding="utf-8")
        built = subprocess.run(["nvcc", "-std=c++20", "-O1", "-gencode=arch=compute_90a,code=sm_90a", "-cudart", "static", "-Iinclude", "-Itests", "-I.",
                                "-DBENCH_TWO_TYPES", *sources, "-o", "mutant"], cwd=root, capture_output=True, text=True, check=False)
        if built.returncode != 0:
            return {"what": "mutant", "change": what, "file": name, "result": "does not compile: " + built.stdout[-200:] + built.stderr[-200:]}
        with GPU:
            try:
                status = subprocess.run(["./mutant", *arguments], cwd=root, capture_output=True, timeout=40, check=False).returncode
            except subprocess.TimeoutExpired:
                status = "no end"
        return {"what": "mutant", "change": what, "file": name, "result": "survives" if status == 0 else "caught"}


def main():
    survivors = 0
    with ThreadPoolExecutor(int(sys.argv[1]) if len(sys.argv) > 1 else 2) as pool:
        for answer in pool.map(run, MUTANTS):
            survivors += answer["result"] != "caught"
            print(json.dumps(answer), flush=True)
    return survivors != 0


if __name__ == "__main__":
    sys.exit(main())
