# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks kernels on purpose, one line at a time, and asks whether the programs that check them notice. Run on a machine with nvcc and a GPU, in the
project's root: bench/cuda/mutants.py [JOBS [FILES]]; FILES: only where one of these, separated by commas, stands in the name of the broken file. One JSON object a line; exit status 1
if a mutant survives."""
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
SCANS = ["tests/cuda/scan_test.cu"]
SOFTMAX = ["bench/cuda/rows_softmax.cu", "bench/cuda/rows_main.cu", "bench/cuda/rows_only.cu"]
NORMS = ["bench/cuda/rows_norms.cu", "bench/cuda/rows_main.cu", "bench/cuda/rows_only.cu"]
FEW = ["bench/cuda/attention_few.cu", "tests/cuda/attention/attention_test.cu"]
PLACES = ["bench/cuda/attention_few.cu", "tests/cuda/attention/places_test.cu"]
PRODUCTS, COPIES, ORDER, MATH = (["tests/cuda/ptx_%s_test.cu" % what] for what in ("products", "copies", "order", "math"))
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
    ("the part so far keeps its old reference", "attention/softmax.cuh", "l[r] = fmaf(l[r], factor[r], sum0 + sum1);", "l[r] += sum0 + sum1;", FEW, ["few"]),
    ("outputs keep their old reference", "attention/softmax.cuh", "if (!moved[r]) continue;", "continue;", FEW, ["few"]),
    ("outputs between exponentials keep their old reference", "attention/softmax.cuh", "o[4 * i + 2 * r] *= factor[r], o[4 * i + 2 * r + 1] *= factor[r];", ";", FEW, ["few"]),
    ("references never move", "attention/softmax.cuh", "next[r] = fmaxf(at[r], m[r] * factor_of(near, to));", "next[r] = at[r] > -INFINITY ? at[r] : m[r] * factor_of(near, to);", FEW, ["few"]),
    ("references lag", "attention/softmax.cuh", "> at[0] || m[1] * factor_of(at[1], to) > at[1]", "> at[0] + 4 || m[1] * factor_of(at[1], to) > at[1] + 4", FEW, ["few"]),
    ("references move to nowhere in particular", "attention/softmax.cuh", "next[r] = fmaxf(at[r], m[r] * factor_of(near, to));", "next[r] = fmaxf(at[r], m[r] * factor_of(near, to) + (at[r] > -INFINITY ? 0.4f : 0.0f));", FEW, ["few"]),
    ("integer maxima of negative scores", "attention/softmax.cuh", "      if (!high) largest(s, m);\n", "", FEW, ["few"]),
    ("far references are rounded", "attention/softmax.cuh", "fabsf(at) < Traits::far ? to.c : to.c_far", "to.c", FEW, ["few"]),
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
    ("outputs of a sequence in 32 bits", "attention/scheduler.cuh", "work.out_at = work.batch * a.out_stride.batch +", "work.out_at = static_cast<int>(work.batch * a.out_stride.batch) +", PLACES, ["few"]),
    ("rows of outputs in 32 bits", "attention/epilogue.cuh", "(row + 8 * r) * a.out_stride.row + column", "static_cast<int>((row + 8 * r) * a.out_stride.row) + column", PLACES, ["few"]),
    ("queries are never given back", "attention/consumer.cuh", "if (n == now.first) done_with_q();", "", FEW, ["few"]),
    ("steps of a descriptor are too long", "ptx/wgmma.cuh", "(tile + (distance >> 4) +", "(tile + (distance >> 3) +", PRODUCTS, []),
    ("a tile is not swizzled", "ptx/wgmma.cuh", "static_cast<std::uint64_t>(stride >> 4) << 32 | std::uint64_t(1) << 62;", "static_cast<std::uint64_t>(stride >> 4) << 32;", PRODUCTS, []),
    ("an address of another tile", "ptx/wgmma.cuh", "{ return (address & 0x3ffff) >> 4; }", "{ return (address & 0x1fc00) >> 3; }", PRODUCTS, []),
    ("A in shared memory is read by columns", "ptx/wgmma.cuh", "p, 1, 1, 0, %43;", "p, 1, 1, 1, %43;", PRODUCTS, []),
    ("A in registers is subtracted", "ptx/wgmma_half.cuh", "%132, p, 1, 1, %134;", "%132, p, -1, 1, %134;", PRODUCTS, []),
    ("eight bytes of sixteen", "ptx/async.cuh", "cg.shared.global [%0], [%1], 16;", "cg.shared.global [%0], [%1], 16, 8;", COPIES, []),
    ("eight bytes of sixteen of many", "ptx/async.cuh", "L2::256B [%0], [%1], 16;", "L2::256B [%0], [%1], 16, 8;", COPIES, []),
    ("four bytes of eight or of none", "ptx/async.cuh", "[%0], [%1], %2;", "[%0], [%1], %2, 4;", COPIES, []),
    ("a linear load begins late", "ptx/copy.cuh", '"l"(global), "r"(bytes), "r"(shared_address(barrier))', '"l"(static_cast<const char*>(global) + 16), "r"(bytes), "r"(shared_address(barrier))', COPIES, []),
    ("a linear store is cut", "ptx/copy.cuh", '"r"(shared_address(shared)), "r"(bytes)', '"r"(shared_address(shared)), "r"(bytes - 16)', COPIES, []),
    ("rows for columns", "ptx/copy.cuh", '"l"(m), "r"(column), "r"(row), "r"(plane), "r"(shared_address(barrier))', '"l"(m), "r"(row), "r"(column), "r"(plane), "r"(shared_address(barrier))', COPIES, []),
    ("blocks for planes", "ptx/copy.cuh", '"r"(plane), "r"(block), "r"(shared_address(barrier))', '"r"(block), "r"(plane), "r"(shared_address(barrier))', COPIES, []),
    ("a box is stored a row further", "ptx/copy.cuh", '"l"(m), "r"(column), "r"(row),\n', '"l"(m), "r"(column), "r"(row + 1),\n', COPIES, []),
    ("NaN beyond a tensor", "tensor_map.hpp", "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE", "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA", COPIES, []),
    ("a barrier for one arrival less", "ptx/mbarrier.cuh", '"r"(shared_address(b)), "r"(arrivals)', '"r"(shared_address(b)), "r"(arrivals > 1 ? arrivals - 1 : arrivals)', ORDER, []),
    ("an arrival that does not count", "ptx/mbarrier.cuh", 'asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");', "", ORDER, []),
    ("bytes are not announced", "ptx/mbarrier.cuh", '"r"(shared_address(b)), "r"(bytes)', '"r"(shared_address(b)), "r"(0)', ORDER, []),
    ("a barrier is always open", "ptx/mbarrier.cuh", "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\\n selp.u32 %0, 1, 0, p;", "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\\n selp.u32 %0, 1, 1, p;", ORDER, []),
    ("a named barrier that does not wait", "ptx/sync.cuh", 'asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");', "(void)id, (void)threads;", ORDER, []),
    ("a named barrier that nobody arrives at", "ptx/sync.cuh", 'asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");', "(void)id, (void)threads;", ORDER, []),
    ("any for all", "ptx/sync.cuh", "barrier.cta.red.and.pred", "barrier.cta.red.or.pred", ORDER, []),
    ("every lane is elected", "ptx/sync.cuh", "elect.sync _|p, 0xffffffff;\\n selp.u32 %0, 1, 0, p;", "elect.sync _|p, 0xffffffff;\\n selp.u32 %0, 1, 1, p;", ORDER, []),
    ("the next kernel is not let begin", "ptx/sync.cuh", 'asm volatile("griddepcontrol.launch_dependents;" ::: "memory");', "", ORDER, []),
    ("the next kernel does not wait", "ptx/sync.cuh", 'asm volatile("griddepcontrol.wait;" ::: "memory");', "", ORDER, []),
    ("registers are kept", "ptx/sync.cuh", 'asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));', "", ORDER, []),
    ("registers are not asked for", "ptx/sync.cuh", 'asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));', "", ORDER, []),
    ("a flag is another word", "ptx/sync.cuh", 'asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"', 'asm volatile("ld.acquire.gpu.global.u32 %0, [%1+4];"', ORDER, []),
    ("a flag is never raised", "ptx/sync.cuh", 'asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");', "(void)p, (void)v;", ORDER, []),
    ("half of a word is read", "ptx/sync.cuh", "  return v;\n}\n__device__ __forceinline__ void store_relaxed", "  return v & 0xffffffff;\n}\n__device__ __forceinline__ void store_relaxed", ORDER, []),
    ("another word is written", "ptx/sync.cuh", 'asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v)', 'asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v + 1)', ORDER, []),
    ("small powers are not 0", "ptx/math.cuh", "ex2.approx.ftz.f32", "ex2.approx.f32", MATH, []),
    ("a square root for a reciprocal", "ptx/math.cuh", "rcp.approx.ftz.f32", "rsqrt.approx.ftz.f32", MATH, []),
    ("a matrix on its side", "ptx/matrix.cuh", "m8n8.x1.shared", "m8n8.x1.trans.shared", MATH, []),
    ("two matrices change places", "ptx/matrix.cuh", "[%0], {%1, %2};", "[%0], {%2, %1};", MATH, []),
    ("two of four matrices change places", "ptx/matrix.cuh", "{%1, %2, %3, %4};", "{%1, %3, %2, %4};", MATH, []),
    ("a row in words is not shifted", "row_packed.cuh", "const int shift = at % per * 8 * static_cast<int>(sizeof(In));", "const int shift = 0;", PLAIN, ["quick", "max"]),
    ("answers of a piece instead of the row", "row_spread.cuh", "    all = merge_states(r, team{32, 1, 1}, all, nullptr);\n", "", ROWS, ["few"]),
    ("a piece that flows is taken before it has come", "row_flow.cuh", "    ptx::mbarrier_wait(&room.full[reduced.at], reduced.parity);\n    const row_piece p", "    const row_piece p", ROWS, ["few"]),
    ("a stage is fetched over before it is mapped", "row_flow.cuh", "        if (again) ptx::mbarrier_wait(&room.emptied[at.at], at.parity ^ 1);\n", "", ROWS, ["few"]),
    ("states of a flowing row's pieces in the wrong order", "row_flow.cuh", "else combine_into(r, all, s);", "else all = r.combine(s, all);", ROWS, ["few"]),
    ("a row goes on from the row before", "row_flow.cuh", "      s = r.identity();\n    }\n    if (ends)", "      if (!ends) s = r.identity();\n    }\n    if (ends)", SOFTMAX, ["quick", "softmax"]),
    ("states of different references are added", "team.cuh", "if (__all_sync(~0u, none || s.at == g))", "if (__all_sync(~0u, true))", NORMS, ["quick", "layer_norm"]),
    ("ragged ends of a piece are not filled", "row_piece.cuh", "  if (p.head == 0 && (p.count + p.head) % E == 0) return;\n", "  return;\n", SOFTMAX, ["quick", "softmax"]),
    ("all lanes but the first are too early", "row_spread.cuh", "          while (!states[i].arrived(key)) states[i].fetch(", "          while (lane == 0 && !states[i].arrived(key)) states[i].fetch(", ROWS, ["few"]),
    ("a tile at the end is looked at twice", "top_k_kernels.cuh", "      if (next == early) next += warps_each;\n", "", TOP, []),
    ("of equal elements those at the end stay", "top_k_kernels.cuh", "least == 0 || origin > last ? least + 1 : least", "least + 1", TOP, []),
    ("three of four groups of a lane", "top_k_tile.cuh", "sorted_in_eights(keys[2 * i + 1]), 7)", "sorted_in_eights(keys[2 * i]), 7)", TOP, []),
    ("the carry of a wave is lost", "scan_exchange.cuh", "      carry = m.combine(carry, shuffle_from(inclusive, 31));\n", "      carry = shuffle_from(inclusive, 31);\n", SCANS, []),
    ("what lies before a block comes behind the carry", "scan_exchange.cuh", "own = m.combine(carry, lane > 0 ? m.combine(left, before) : before);", "own = m.combine(lane > 0 ? m.combine(left, before) : before, carry);", SCANS, []),
    ("a block's own aggregate comes before it", "scan_exchange.cuh", "        if (k < each && j == b) before = v;\n        if (k < each && j < blocks) v = m.combine(v, aggregate(j));\n", "        if (k < each && j < blocks) v = m.combine(v, aggregate(j));\n        if (k < each && j == b) before = v;\n", SCANS, []),
    ("the launch has no number of its own", "scan_exchange.cuh", "    if (w == 0 && b == 0 && lane == 0) *job.launch = launch + 1;\n", "", SCANS, []),
    ("elements behind the end are folded", "scan_row.cuh", "    if (position + at < n) push_slot<Shape>(r, s.s, slot, row_lane * E + at, position + at);\n  }\n  if constexpr (Shape::marked) s.head = bits != 0;\n  return s;\n}\n\n//! All", "    push_slot<Shape>(r, s.s, slot, row_lane * E + at, position + at);\n  }\n  if constexpr (Shape::marked) s.head = bits != 0;\n  return s;\n}\n\n//! All", SCANS, []),
    ("lanes of a tile without those before", "scan_waves.cuh", "        if (lane > 0) into = m.combine(into, exclusive[s * threads + t]);\n", "", SCANS, []),
    ("warps of a tile in the wrong order", "scan_waves.cuh", "        if (warp > 0) into = m.combine(into, warp_before[s * warps + warp]);\n", "        if (warp > 0) into = m.combine(warp_before[s * warps + warp], into);\n", SCANS, []),
    ("a small scan forgets the blocks before", "scan_small.cuh", "      before = m.combine(before, detail::blocks_before(m, none, job.waves, rank, key, lane));\n", "      before = rank % 2 ? m.combine(before, detail::blocks_before(m, none, job.waves, rank, key, lane)) : before;\n", SCANS, []),
    ("a scan begins with nothing instead of init", "scan_exchange.cuh", "  carry.s = job.init;\n", "  carry.s = r.identity();\n", SCANS, []),
    ("a new reference is not carried", "scan_exchange.cuh", "  const auto whole = r.at_reference(carry, k).amount;", "  const auto whole = carry.amount;", SCANS, []),
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
                status = subprocess.run(["./mutant", *arguments], cwd=root, capture_output=True, timeout=5 if name.startswith("ptx/") else 15 if arguments == ["few"] or sources is SCANS else 40, check=False).returncode
            except subprocess.TimeoutExpired:
                status = "no end"
        return {"what": "mutant", "change": what, "file": name, "result": "survives" if status == 0 else "caught"}


def main():
    survivors = 0
    with ThreadPoolExecutor(int(sys.argv[1]) if len(sys.argv) > 1 else 2) as pool:
        for answer in pool.map(run, [m for m in MUTANTS if len(sys.argv) < 3 or any(part in m[1] for part in sys.argv[2].split(","))]):
            survivors += answer["result"] != "caught"
            print(json.dumps(answer), flush=True)
    return survivors != 0


if __name__ == "__main__":
    sys.exit(main())
