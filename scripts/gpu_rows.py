#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The row benchmark's lines become a result file, and a result file becomes the tables of docs/performance/rows.md.

    scripts/gpu_rows.py collect LINES… [--date D] [--device NAME]   bench/results/h200_rows.json (and _sweep.json)
    scripts/gpu_rows.py tables                                      docs/performance/rows.md from the result file
    scripts/gpu_rows.py --check                                     1 if the page is not what the result file says
"""
import argparse
import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT, PAGE = ROOT / "bench/results/h200_rows.json", ROOT / "docs/performance/rows.md"
SWEEP = ROOT / "bench/results/h200_rows_sweep.json"
REDUCING = ("sum", "max", "argmax", "logsumexp", "var_mean", "cross_entropy")
MAPPING = ("softmax", "log_softmax", "layer_norm", "rms_norm")
TYPES = ("fp32", "bf16", "fp16")


def collect(paths, date, device):
    rows = []
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue  # what a tool printed between the lines
    sweeps = [d for d in rows if d["what"] == "sweep"]
    rows = [d for d in rows if d["what"] != "sweep"]
    head = {"schema": 1, "date": date, "device": device, "cuda": "13.0"}
    write(SWEEP, {**head, "what": "rows_sweep", "program": "bench/cuda/rows_main.cu sweep", "rows": sweeps})
    write(RESULT, {**head, "what": "rows", "program": "bench/cuda/rows*.cu, columns.cu, rows_peers.py", "rows": rows})


def write(path, result):
    path.write_text(json.dumps(result, separators=(", ", ": ")).replace("}, {", "},\n{") + "\n", encoding="utf-8")


def shape_name(rows, columns):
    def one(n):
        return f"2^{n.bit_length() - 1}" if n >= 4096 and n & (n - 1) == 0 else str(n)
    return f"{one(rows)}×{one(columns)}"


def peers_of(lines):
    best = {}
    for d in lines:
        if d["what"] == "peer" and "gbs" in d:
            key = (d["op"], d["type"], d["rows"], d["columns"])
            best[key] = max(best.get(key, 0), d["gbs"])
    return best


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def tables(result):
    lines = result["rows"]
    timed = {(d["op"], d["type"], d["rows"], d["columns"]): d for d in lines if d["what"] == "time"}
    shapes = list(dict.fromkeys(k[2:] for k in timed))
    best = peers_of(lines)
    out = ["# Rows on the GPU", "",
           f"<!-- figures from {RESULT.relative_to(ROOT)} -->",
           f"Made by `scripts/gpu_rows.py tables` from `{RESULT.relative_to(ROOT)}`: {result['device']}, {result['date']}, CUDA {result['cuda']}; medians, random data, cold L2.",
           "A figure is the share of the ceiling: the best copy (operators that map every element) or the best read (reductions) of the same number of",
           "bytes in the same run. In brackets: how many times as fast as PyTorch's best in the same run.", ""]
    for title, ops in (("Reductions, of read", REDUCING), ("Reduce, then map, of copy", MAPPING)):
        for kind in TYPES:
            if not any(k[1] == kind and k[0] in ops for k in timed):
                continue
            out += [f"## {title}, {kind}", "", "| | " + " | ".join(shape_name(*s) for s in shapes) + " |", "|---" * (len(shapes) + 1) + "|"]
            for op in ops:
                cells = []
                for s in shapes:
                    d = timed.get((op, kind, *s))
                    peer = best.get((op, kind, *s))
                    cells.append("–" if d is None else f"{d['fraction']:.2f}" + (f" ({d['gbs'] / peer:.1f}×)" if peer else ""))
                out.append(f"| {op} | " + " | ".join(cells) + " |")
            out.append("")
    ratios = {}
    for key, d in timed.items():
        if key in best:
            ratios.setdefault(key[0], []).append(d["gbs"] / best[key])
    if ratios:
        every = [r for v in ratios.values() for r in v]
        out += [f"Against PyTorch, geometric mean over all {len(every)} cells: {geometric_mean(every):.1f}×; lowest cell {min(every):.2f}×. By operator: "
                + ", ".join(f"{op} {geometric_mean(v):.1f}×" for op, v in ratios.items()) + ".", ""]
    columns = [d for d in lines if d["what"] == "columns"]
    if columns:
        out += ["## Another axis, of copy", "", "| | " + " | ".join(dict.fromkeys(f"{d['axis'].replace(' ', '×')} {d['type']}" for d in columns)) + " |"]
        names = list(dict.fromkeys((d["axis"], d["type"]) for d in columns))
        out.append("|---" * (len(names) + 1) + "|")
        for op in dict.fromkeys(d["op"] for d in columns):
            first = {}
            for d in columns:  # the first plan of a cell is the one the cost model chose
                if d["op"] == op:
                    first.setdefault((d["axis"], d["type"]), d["of_copy"])
            out.append(f"| {op} | " + " | ".join(f"{first[n]:.2f}" if n in first else "–" for n in names) + " |")
        out.append("")
    checks = [d for d in lines if d["what"] == "check"]
    if checks:
        out += [f"Checked against float64 in the same run: {sum(d['runs'] for d in checks)} runs of all plans on hard shapes and values, "
                f"{sum(d['failures'] for d in checks)} failures; the worst error was {max(d['worst_over_bound'] for d in checks):.2f} of its bound.", ""]
    return "\n".join(out).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="?", choices=("collect", "tables"), default="tables")
    parser.add_argument("lines", nargs="*")
    parser.add_argument("--date", default="")
    parser.add_argument("--device", default="NVIDIA H200")
    parser.add_argument("--check", action="store_true")
    a = parser.parse_args()
    if a.what == "collect":
        collect(a.lines, a.date, a.device)
    page = tables(json.loads(RESULT.read_text(encoding="utf-8")))
    if a.check:
        return 0 if PAGE.read_text(encoding="utf-8") == page else 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
