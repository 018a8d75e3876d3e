#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attention benchmark's lines become a result file, and a result file becomes docs/performance/attention.md.

    scripts/gpu_attention.py collect LINES… [--date D] [--device NAME]   bench/results/h200_attention.json from lines of attention_peers.py,
                                                                         h200_attention_checks.json from those of attention_checks.py
    scripts/gpu_attention.py tables                                      docs/performance/attention.md from the result files, and two parts of docs/design/attention_gpu.md
    scripts/gpu_attention.py --check                                     1 if the pages are not what the result files say
"""
import argparse
import json
import math
import sys
from pathlib import Path

import attention_analysis

ROOT = Path(__file__).resolve().parent.parent
RESULT, PAGE = ROOT / "bench/results/h200_attention.json", ROOT / "docs/performance/attention.md"
DESIGN = ROOT / "docs/design/attention_gpu.md"
CHECKS = ROOT / "bench/results/h200_attention_checks.json"
FLASH3 = ROOT / "bench/results/h200_flash3.json"  # figures of another day: FlashAttention-3 is not on the machine of the run
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)
TILE_KEYS = {64: 128, 128: 128}  # keys of a tile by size of the heads, where windows and causal documents run (shapes.hpp)


MEASURED = ("environment", "gemm_bf16_8192", "attention_forward", "attention_masked", "attention_error", "shared_rounding_cost")
CHECKED = ("check", "sanitizer", "mutant", "assembler")


def collect(paths, date, device):
    rows = []
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue  # what a tool printed between the lines
    for file, kinds, what, program in ((RESULT, MEASURED, "attention", "bench/cuda/attention_peers.py"),
                                       (CHECKS, CHECKED, "attention_checks", "bench/cuda/attention_checks.py")):
        mine = [row for row in rows if row.get("what") in kinds]
        if mine:
            result = {"schema": 1, "what": what, "date": date, "device": device, "cuda": "13.0", "program": program, "rows": mine}
            file.write_text(json.dumps(result, separators=(", ", ": ")).replace("}, {", "},\n{") + "\n", encoding="utf-8")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def geometric_bound(name, d, s):
    """The share of visible pairs in what tiles touch: 64 rows of a warpgroup, whole tiles of keys."""
    n = TILE_KEYS[d]
    left, length = {"window_1024": (1024, s), "documents_2048": (s, 2048), "causal": (s, s), "prefix_1024": (s, s)}.get(name, (s, 0))
    if not length:
        return 1.0
    prefix = 1024 if name == "prefix_1024" else 0
    visible = touched = 0
    for row in range(0, length, 64):
        rows = range(row, min(row + 64, length))
        visible += sum(max(prefix, r + 1) - max(0, r - left) for r in rows)
        first, last = max(0, row - left) // n, -(-max(prefix, rows[-1] + 1) // n)
        touched += 64 * n * (last - first)
    return visible / touched


def tables(result):
    rows = result["rows"]
    cells = {(r["d"], r["causal"], r["s"]): r for r in rows if r["what"] == "attention_forward" and r["dtype"] == "bfloat16"}
    gemm = [r["tflops"] for r in rows if r["what"] == "gemm_bf16_8192"]
    ratios = [c["twofold"] / c["cudnn"] for c in cells.values()]
    flash3 = {(r["d"], r["causal"], r["s"]): r["tflops"] for r in json.loads(FLASH3.read_text(encoding="utf-8"))["rows"]}
    out = ["# Attention on the GPU", "", f"<!-- figures from {RESULT.relative_to(ROOT)} -->",
           f"Made by `scripts/gpu_attention.py tables` from `{RESULT.relative_to(ROOT)}`: {result['device']}, {result['date']}, CUDA {result['cuda']}; "
           + (result["note"] + " " if "note" in result else "") +
           "one process, launches in turn, medians, random data, cold L2. How the kernel works: [design](../design/attention_gpu.md).", "",
           "## Forward, bf16, 16384 tokens, heads·d = 2048", "",
           "TFLOP/s (4·S²·D, half of it if causal): Twofold / cuDNN, and their ratio. The same run's matrix product of 8192³: "
           + ", ".join(f"{g:.0f}" for g in gemm) + ".", "",
           "| d, mask | " + " | ".join(f"S = {s}" for s in LENGTHS) + " |", "|---|" + "---|" * len(LENGTHS)]
    for d in (64, 128, 256):
        for causal in (False, True):
            line = []
            for s in LENGTHS:
                c = cells.get((d, causal, s))
                line.append(f"{c['twofold']:.0f} / {c['cudnn']:.0f}, {c['twofold'] / c['cudnn']:.2f}" if c else "–")
            out.append(f"| {d} {'causal' if causal else 'full'} | " + " | ".join(line) + " |")
    out += ["", f"Geometric mean of the {len(ratios)} ratios: {geometric_mean(ratios):.3f}; least {min(ratios):.3f}; "
            f"{sum(r >= 0.98 for r in ratios)} of {len(ratios)} are at least 0.98.", ""]
    best = {k: c["twofold"] / max(c["cudnn"], flash3[k]) for k, c in cells.items() if k in flash3}
    short = [f"{d} {'causal' if causal else 'full'} {s}: {r:.2f}" for (d, causal, s), r in sorted(best.items()) if r < 0.98]
    out += [f"Against the better of cuDNN in this run and FlashAttention-3's figures (`{FLASH3.relative_to(ROOT)}`, another day, the same kind of machine): geometric mean "
            f"{geometric_mean(best.values()):.3f}, least {min(best.values()):.3f}; below 0.98: {', '.join(short) if short else 'none'}.", ""]
    flash = [(k, c["twofold"] / c["flash2"]) for k, c in cells.items() if "flash2" in c]
    if flash:
        out += [f"Against FlashAttention-2 at S = 2048 and 8192: {min(r for _, r in flash):.2f} to {max(r for _, r in flash):.2f} times as fast.", ""]
    masked = [r for r in rows if r["what"] == "attention_masked"]
    if masked:
        full = {r["d"]: r["twofold"] for r in masked if r["name"] == "full"}
        out += ["## Masks and changed scores, bf16, S = 8192, B = 2, heads·d = 2048", "",
                "TFLOP/s counting visible pairs only. Bound: the rate of the full mask, times the share of visible pairs in what whole tiles touch (64 rows of a "
                "warpgroup, tiles of keys).", "",
                "| what | d | Twofold | of the bound | FlexAttention | ratio |", "|---|---|---|---|---|---|"]
        for r in masked:
            bound = full[r["d"]] * geometric_bound(r["name"], r["d"], r["s"]) if r["name"] in ("causal", "window_1024", "documents_2048", "prefix_1024") else None
            share, ratio = f"{r['twofold'] / bound:.2f}" if bound else "–", f"{r['twofold'] / r['flex']:.2f}" if "flex" in r else "–"
            out.append(f"| {r['name'].replace('_', ' ')} | {r['d']} | {r['twofold']:.0f} | {share} | {format(r['flex'], '.0f') if 'flex' in r else '–'} | {ratio} |")
        out += ["", *attention_analysis.short_of_goals(cells, flash3, masked)]
    errors = [r for r in rows if r["what"] == "attention_error"]
    if errors:
        out += error_tables(errors)
    costs = [r for r in rows if r["what"] == "shared_rounding_cost"]
    if costs:
        out += ["`shared_rounding` costs, TFLOP/s without and with it at S = 8192: " +
                "; ".join(f"{r['d']} {'causal' if r['causal'] else 'full'} {r['plain']:.0f}, {r['shared']:.0f}" for r in costs) + ".", ""]
    found = checks()
    return "\n".join(out + found) if found else "\n".join(out)


def error_tables(errors):
    def above(r, label):
        return ", ".join(f"{r[f'{label}_over_{other}'][0]:+.2f} ± {r[f'{label}_over_{other}'][1]:.2f}" for other in ("cudnn", "flash2"))

    if "seeds" not in errors[0]:  # of one draw
        out = ["## Errors against float64", "",
               "Relative, Frobenius norm, bf16, S = 2048; `rounding`: the exact answer rounded to bf16; `shared`: with `shared_rounding`.", "",
               "| inputs | d, mask | Twofold | shared | cuDNN | FlashAttention-2 | rounding |", "|---|---|---|---|---|---|---|"]
        return out + [f"| {r['name']} | {r['d']} {'causal' if r['causal'] else 'full'} | {r['twofold']:.2e} | {r['twofold_shared']:.2e} | {r['cudnn']:.2e} | {r['flash2']:.2e} "
                      f"| {r['rounding_alone']:.2e} |" for r in errors] + [""]
    out = ["## Errors against float64", "",
           f"bf16; relative, Frobenius norm, mean over {errors[0]['seeds']} seeds (fewer at S = 8192) of the same inputs for all; `rounding`: the exact answer rounded "
           "to bf16; `shared`: with `shared_rounding`; 16384 rows of queries, so that FlashAttention-2 does not split keys. Then how far the errors lie above cuDNN's and FlashAttention-2's, in percent: mean and standard error over "
           "the seeds. Last the largest error of an element, in units of the outputs' root mean square.", "",
           "| inputs, S | d, mask | Twofold | shared | cuDNN | FlashAttention-2 | rounding | above cuDNN's, FlashAttention-2's, % | shared | largest: Twofold, cuDNN, "
           "FlashAttention-2 |", "|---|---|---|---|---|---|---|---|---|---|"]
    for r in errors:
        values = " | ".join(f"{r[k]:.3e}" for k in ("twofold", "twofold_shared", "cudnn", "flash2", "rounding_alone"))
        largest = ", ".join(f"{r[k + '_largest']:.3f}" for k in ("twofold", "cudnn", "flash2"))
        out.append(f"| {r['name']}, {r['s']} | {r['d']} {'causal' if r['causal'] else 'full'} | {values} | {above(r, 'twofold')} | {above(r, 'twofold_shared')} | {largest} |")
    ends = []
    for other, name in (("cudnn", "cuDNN's"), ("flash2", "FlashAttention-2's")):
        found = [r["twofold_over_" + other] for r in errors]
        above, below = [m for m, e in found if m > 2 * e], [m for m, e in found if m < -2 * e]
        ends.append(f"Of {len(found)} cells {len(above)} lie above {name} by more than two standard errors" +
                    (f", by {min(above):.2f} to {max(above):.2f} %, half of them by less than {sorted(above)[len(above) // 2]:.2f} %" if above else "") +
                    (f"; {len(below)} below by more than two, by up to {-min(below):.2f} %." if below else "."))
    return out + ["", *ends, ""]


NAMES = {"shapes": "head sizes 8 to 256, other value sizes, heads per kv head, long sequences, 80000 heads", "unaligned": "strides, starts and sizes that are multiples of nothing",
         "values": "scores of every size, NaN, ±inf, values far from 0", "far": "scores and biases to the end of fp32", "rounding": "`shared_rounding`", "largest": "the largest weight is not rounded, whatever the reference was before",
         "lengths": "key lengths, left padding, packed sequences", "scores": "softcap, ALiBi, biases", "sinks": "sinks: NaN, ±inf, beyond log2 units; rows without a key",
         "sizes": "every pair of lengths around tile edges, ten masks", "features": "every feature around the edges of its own tiles, special values and masks in turn", "few": "a short selection"}


def checks():
    if not CHECKS.exists():
        return []
    result = json.loads(CHECKS.read_text(encoding="utf-8"))
    rows = result["rows"]
    out = ["## What was checked", "", f"<!-- figures from {CHECKS.relative_to(ROOT)} -->",
           f"Made by `bench/cuda/attention_checks.py` on {result['device']}, {result['date']}, with the kernels of this page.", "", "| program | what | cases | failures |", "|---|---|---|---|"]
    cases = failures = 0
    for r in (r for r in rows if r["what"] == "check"):
        if "part" not in r and "worst_out_over_bound" in r:
            continue  # the sum of the parts
        out.append(f"| {r['program'].replace('_', ' ')} | {NAMES.get(r.get('part'), '')} | {r.get('cases', '–')} | {r['failures']} |")
        cases, failures = cases + r.get("cases", 0), failures + r["failures"]
    out += ["", f"Together {cases} cases, {failures} failures.", ""]
    for r in (r for r in rows if r["what"] == "sanitizer"):
        out.append(f"- compute-sanitizer, {r['tool']}: every kernel in {r['cases']} small cases, {r['errors']} reports.")
    mutants = [r for r in rows if r["what"] == "mutant"]
    for folder, what in (("attention/", "kernels of attention"), ("ptx/", "wrappers of PTX"), ("tensor_map", "tensor maps")):
        mine = [r for r in mutants if folder in r["file"]]
        if mine:
            caught = sum(r["result"] == "caught" for r in mine)
            out.append(f"- {what} broken on purpose, one line each: {caught} of {len(mine)} noticed" + ("" if caught == len(mine) else
                       "; not: " + ", ".join(r["change"] for r in mine if r["result"] != "caught")) + ".")
    for r in (r for r in rows if r["what"] == "assembler"):
        out.append(f"- the assembler: {r['kernels']} kernels, {r['spilling']} that spill registers; of the {r['plain']} plain ones {r['plain_spilling']}; products that wait for each other "
                   f"(C75xx): {r['serialised']}.")
    return out + attention_analysis.compiling() + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("collect", "tables"))
    parser.add_argument("lines", nargs="*")
    parser.add_argument("--date", default="")
    parser.add_argument("--device", default="NVIDIA H200")
    parser.add_argument("--check", action="store_true")
    a = parser.parse_args()
    if a.what == "collect":
        collect(a.lines, a.date, a.device)
        return 0
    pages = {PAGE: tables(json.loads(RESULT.read_text(encoding="utf-8"))), DESIGN: attention_analysis.with_parts(DESIGN.read_text(encoding="utf-8"))}
    if a.check:
        return int(any(page.read_text(encoding="utf-8") != text for page, text in pages.items()))
    for page, text in pages.items():
        page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
