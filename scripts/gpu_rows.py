#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The row benchmark's lines become a result file, and a result file becomes the tables of docs/performance/rows.md.

    scripts/gpu_rows.py collect LINES… [--date D] [--device NAME]   bench/results/h200_rows.json (and _sweep.json)
    scripts/gpu_rows.py merge LINES… --note TEXT                    lines of a later run take the place of those of the same cell; the page says TEXT
    scripts/gpu_rows.py tables                                      docs/performance/rows.md from the result file
    scripts/gpu_rows.py --check                                     1 if the page is not what the result file says
"""
import argparse
import json
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT, PAGE = ROOT / "bench/results/h200_rows.json", ROOT / "docs/performance/rows.md"
PLOT = ROOT / "docs/performance/rows.svg"
SWEEP = ROOT / "bench/results/h200_rows_sweep.json"
REDUCING = ("sum", "max", "argmax", "logsumexp", "var_mean", "cross_entropy")
MAPPING = ("softmax", "log_softmax", "layer_norm", "rms_norm", "cross_entropy_backward")
TYPES = ("fp32", "bf16", "fp16")


def collect(paths, date, device):
    rows = list(lines_of(paths))
    if not any(d["what"] == "peer" and d.get("mode") == "compile" for d in rows):  # compiled peers take minutes: those of the run before stay
        before = json.loads(RESULT.read_text(encoding="utf-8"))["rows"]
        rows += [{**d, "run": "earlier"} for d in before if d["what"] == "peer" and d.get("mode") == "compile"]
    sweeps = [d for d in rows if d["what"] == "sweep"]
    rows = [d for d in rows if d["what"] != "sweep"]
    head = {"schema": 1, "date": date, "device": device, "cuda": "13.0"}
    if sweeps:
        write(SWEEP, {**head, "what": "rows_sweep", "program": "bench/cuda/rows_main.cu sweep", "rows": sweeps})
    write(RESULT, {**head, "what": "rows", "program": "bench/cuda/rows*.cu, columns.cu, top_k.cu, backward.cu, arrays.cu, huge.cu, mutants.py, rows_peers.py", "rows": rows})


def lines_of(paths):
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def cell(d):
    return tuple(d.get(k) for k in ("what", "mode", "op", "type", "rows", "columns", "axis", "data", "n", "bytes", "name", "change"))


def merge(paths, note, date):
    """Cells that were measured again; all others stay as they are. Of whole arrays only the chosen plans are kept."""
    new = [{**d, "run": "later"} for d in lines_of(paths) if d.get("chosen", True) and d["what"] != "sweep"]
    found = {cell(d) for d in new}
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    result["rows"] = [d for d in result["rows"] if cell(d) not in found] + new
    result["note"] = note
    if date:
        result["date"] = date
    write(RESULT, result)


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
           "bytes in the same run. In brackets: how many times as fast as PyTorch's best: eager in the same run, and twenty compiled cells of the run before.", "",
           *([result["note"], ""] if "note" in result else []), "![every cell as a colour](rows.svg)", ""]
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
                    cells.append("–" if d is None else f"{d['fraction']:.2f}" + (f" of {bound(d):.2f}" if bound(d) < 1 else "") + (f" ({d['gbs'] / peer:.1f}×)" if peer else ""))
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
    out += short_of_goals(timed.values())
    out += top_k_table(lines) + backward_table(lines) + array_table(lines)
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
        out += [f"Checked against float64 or a sort in the same runs: {sum(d['runs'] for d in checks)} runs of all plans on hard shapes and values, "
                f"{sum(d['failures'] for d in checks)} failures; the worst error was {max(d['worst_over_bound'] for d in checks):.2f} of its bound.", ""]
    return "\n".join(out + mutant_table(lines)).rstrip() + "\n"


def mutant_table(lines):
    """Lines of the kernels that were broken on purpose, and whether a test noticed."""
    found = [d for d in lines if d["what"] == "mutant"]
    if not found:
        return []
    caught = sum(d["result"] == "caught" for d in found)
    return ["## Broken on purpose", "", f"`bench/cuda/mutants.py` breaks one line of a kernel of rows or scans at a time; the tests noticed {caught} of {len(found)}.", "",
            "| what | in | |", "|---|---|---|", *(f"| {d['change']} | `{d['file']}` | {d['result']} |" for d in found)]


def bound(d):
    """What reading twice leaves of copy: 2/(3 − f), where the plan keeps a share f of a row on the chip."""
    kept = re.search(r"(\d+)% of a row", d["plan"])
    return 2 / (3 - int(kept.group(1)) / 100) if d["op"] in MAPPING and kept else 1


def short_of_goals(timed):
    """Cells below 0.90 of their bound (0.80 for rows of 17); of less than 512 MiB a fixed 4 µs are subtracted first."""
    short, all_of = {}, 0
    for d in timed:
        all_of += 1
        large = d["rows"] * d["columns"] * (4 if d["type"] == "fp32" else 2) >= 1 << 29
        share = d["fraction"] if large else d["fraction_less_4us"]
        if share < (0.80 if d["columns"] == 17 else 0.90) * bound(d):
            short.setdefault((d["type"], d["rows"], d["columns"]), []).append(f"{d['op']} {share:.2f}")
    found = sum(map(len, short.values()))
    out = [f"Below 0.90 of the bound (0.80 for rows of 17; of less than 512 MiB, a fixed 4 µs subtracted first) are {found} of {all_of} cells:", ""]
    return out + [f"- {kind} {shape_name(rows, columns)}: {', '.join(ops)}" for (kind, rows, columns), ops in short.items()] + [""]


def top_k_table(lines):
    """The 8 largest: share of the time that reading the rows and writing the lists takes at the ceilings of the same run."""
    found = [d for d in lines if d["what"] == "top_k"]
    if not found:
        return []
    ceilings = {d["bytes"]: d for d in lines if d["what"] == "ceiling"}
    torch = {(d["type"], d["rows"], d["columns"]): d["ms"] for d in lines if d["what"] == "peer" and d["op"] == "topk8" and "ms" in d}
    shapes = list(dict.fromkeys((d["rows"], d["columns"]) for d in found))
    out = ["## The 8 largest and their positions, of reading (and of copying, as far as lists are written)", "",
           "| | " + " | ".join(shape_name(*s) for s in shapes) + " |", "|---" * (len(shapes) + 1) + "|"]
    for kind in TYPES:
        for data in ("random", "ascending", "constant"):
            cells = []
            for s in shapes:
                d = next((d for d in found if (d["type"], d["data"], d["rows"], d["columns"]) == (kind, data, *s)), None)
                top = ceilings.get(d["in_bytes"]) if d else None
                if top is None:
                    cells.append("–")
                    continue
                more, less = max(d["in_bytes"] - d["out_bytes"], 0), min(d["in_bytes"], d["out_bytes"])
                ideal = (more / top["read"] + 2 * less / top["copy"] + max(d["out_bytes"] - d["in_bytes"], 0) / top["copy"]) / 1e6
                peer = torch.get((kind, *s)) if data == "random" else None
                cells.append(f"{ideal / d['ms']:.2f}" + (f" ({peer / d['ms']:.1f}×)" if peer else ""))
            if any(c != "–" for c in cells):
                out.append(f"| {kind}, {data} | " + " | ".join(cells) + " |")
    return out + [""]


def backward_table(lines):
    found = [d for d in lines if d["what"] == "backward"]
    if not found:
        return []
    shapes = list(dict.fromkeys((d["rows"], d["columns"]) for d in found))
    out = ["## Backward rows, of copy", "", "| | " + " | ".join(shape_name(*s) for s in shapes) + " |", "|---" * (len(shapes) + 1) + "|"]
    for op, kind in dict.fromkeys((d["op"], d["type"]) for d in found):
        by = {(d["rows"], d["columns"]): d for d in found if (d["op"], d["type"]) == (op, kind)}
        out.append(f"| {op} {kind} | " + " | ".join(f"{by[s]['of_copy']:.2f}" if s in by else "–" for s in shapes) + " |")
    return out + [""]


def array_table(lines):
    found = [d for d in lines if d["what"] == "array" and d["chosen"]]
    if not found:
        return []
    out = ["## Whole arrays of fp32 beside CUB, microseconds", "", "From a cold L2 by events, and a call in a replayed graph of twenty.", "",
           "| | elements | cold | CUB | times CUB | in a graph | CUB | plan |", "|---|---|---|---|---|---|---|---|"]
    for d in found:
        again = f"{d['replay_us']:.2f} | {d['cub_replay_us']:.2f}" if d["replay_us"] > 0 else "– | –"
        out.append(f"| {d['op']} | 2^{d['n'].bit_length() - 1} | {d['us']:.1f} | {d['cub_us']:.1f} | {d['times_cub']:.2f} | {again} | {d['plan'].split(':')[0]} |")
    return out + [""]


def picture(result):
    """Every cell of the tables as a coloured square: what is done and what is open, at one look."""
    timed = [d for d in result["rows"] if d["what"] == "time"]
    shapes = list(dict.fromkeys((d["rows"], d["columns"]) for d in timed))
    lines = [(op, kind) for op in (*REDUCING, *MAPPING) for kind in TYPES if any((d["op"], d["type"]) == (op, kind) for d in timed)]
    by = {(d["op"], d["type"], d["rows"], d["columns"]): d["fraction"] for d in timed}
    left, top, wide, high = 190, 60, 66, 18
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide * len(shapes) + 10}" height="{top + high * len(lines) + 30}" '
           'font-family="sans-serif" font-size="11">',
           f'<text x="10" y="18" font-size="13">Share of the memory\'s speed (copy for maps, read for reductions), {result["device"]}</text>']
    for i, s in enumerate(shapes):
        out.append(f'<text x="{left + wide * i + wide / 2}" y="{top - 8}" text-anchor="middle">{shape_name(*s)}</text>')
    for j, (op, kind) in enumerate(lines):
        y = top + high * j
        out.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{op} {kind}</text>')
        for i, s in enumerate(shapes):
            f = by.get((op, kind, *s))
            if f is None:
                continue
            warm = max(0.0, min(1.0, (f - 0.4) / 0.6))  # 0.4 and less red, 1 green
            fill = f"hsl({round(120 * warm)},55%,{round(62 + 10 * warm)}%)"
            out.append(f'<rect x="{left + wide * i}" y="{y}" width="{wide - 2}" height="{high - 2}" fill="{fill}"/>')
            out.append(f'<text x="{left + wide * i + wide / 2 - 1}" y="{y + 12}" text-anchor="middle">{f:.2f}</text>')
    out.append(f'<text x="10" y="{top + high * len(lines) + 18}">Made by scripts/gpu_rows.py from {RESULT.relative_to(ROOT)}. A map of rows that no cluster holds can reach 0.67: it reads twice.</text>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="?", choices=("collect", "merge", "tables"), default="tables")
    parser.add_argument("lines", nargs="*")
    parser.add_argument("--date", default="")
    parser.add_argument("--device", default="NVIDIA H200")
    parser.add_argument("--note", default="")
    parser.add_argument("--check", action="store_true")
    a = parser.parse_args()
    if a.what == "collect":
        collect(a.lines, a.date, a.device)
    elif a.what == "merge":
        merge(a.lines, a.note, a.date)
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    page, plot = tables(result), picture(result)
    if a.check:
        return 0 if PAGE.read_text(encoding="utf-8") == page and PLOT.read_text(encoding="utf-8") == plot else 1
    PAGE.write_text(page, encoding="utf-8")
    PLOT.write_text(plot, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
