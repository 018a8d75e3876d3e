#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of the scan benchmarks become a result file, and the result file becomes docs/performance/scans.md.

    scripts/gpu_scans.py collect DATE LOG…    bench/results/h200_scans.json from lines of JSON (other lines are left out)
    scripts/gpu_scans.py merge LOG…           lines of a later run take the place of those that measure the same; the others stay
    scripts/gpu_scans.py tables               docs/performance/scans.md and scans.svg from the result file
    scripts/gpu_scans.py --check              1 if page and plot are not what the result file says
"""
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT, PAGE, PLOT = ROOT / "bench/results/h200_scans.json", ROOT / "docs/performance/scans.md", ROOT / "docs/performance/scans.svg"


def lines_of(logs):
    for log in logs:
        for line in Path(log).read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # what a tool printed between the lines
            if isinstance(row, dict):
                yield row


def write(result):
    RESULT.write_text(json.dumps(result).replace("}, {", "},\n{") + "\n", encoding="utf-8")


def collect(date, logs):
    write({"schema": 1, "what": "scans", "date": date, "device": "NVIDIA H200", "cuda": "13.0",
           "program": "bench/cuda/scan.cu, scan_check.cu, run_loops.cpp, arrays.cu", "rows": list(lines_of(logs))})


def merge(logs):
    def what(row):
        return tuple(str(row.get(k)) for k in ("what", "checked", "by", "n", "shape", "op"))
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    new = {what(r): r for r in lines_of(logs)}  # of two logs the later one counts
    result["rows"] = [new.pop(what(r), {**r, "run": "earlier"}) for r in result["rows"]] + list(new.values())
    write(result)


def elements(n):
    power = n.bit_length() - 1
    return f"2^{power}" if n == 1 << power and n >= 4096 else str(n)


def of_memory(r, rows):
    """The share of what memory allows: of a copy of the same bytes; of reductions, of the best read, which the same program times."""
    read = next((x for x in rows if x.get("what") == r["what"] and x.get("n") == r["n"] and str(x.get("by", "")).startswith("read")), None)
    return r["gbs"] / (4 * read["n"] / read["ms"] / 1e6) if read else r["fraction_of_copy"]


def large(rows):
    return [r for r in rows if r.get("by") == "twofold" and r["n"] >= 1 << 24]


def loops_of(rows):
    return [r for r in rows if "load_s" in r and "fraction" in r]


def name_of(r):
    return r["what"] + (f" of {r['shape']}" if "shape" in r else "")


def page(result):
    rows = result["rows"]
    ours = [r for r in rows if r.get("by") == "twofold"]
    cub = {(r["what"], r["n"]): r for r in rows if r.get("by") == "cub"}
    checks = [r for r in rows if r.get("what") in ("scan_check", "run_loops")]
    out = ["# Scans on the GPU", "", f"<!-- figures from {RESULT.relative_to(ROOT)} -->",
           f"Made by `scripts/gpu_scans.py tables` from `{RESULT.relative_to(ROOT)}`: {result['device']}, {result['date']}, CUDA {result['cuda']}; medians, random data, cold L2,",
           "interleaved with a copy of the same number of bytes and with CUB in one program. Bytes are inputs and outputs (and offsets), each once;",
           "\"of memory\" is against the copy, for segmented reductions against a plain read.", "", "![Share of what memory allows](scans.svg)", "",
           "| what | elements | GB/s | least, most | of memory | times CUB |", "|---|---|---|---|---|---|"]
    for r in large(rows):
        peer = cub.get((r["what"], r["n"]))
        spread = f"{r['gbs'] * r['ms'] / r['ms_high']:.0f}, {r['gbs'] * r['ms'] / r['ms_low']:.0f}"
        times = f"{r['gbs'] / peer['gbs']:.2f} " if peer else ""
        out.append(f"| {name_of(r)} | {elements(r['n'])} | {r['gbs']} | {spread} | {of_memory(r, rows):.2f} | {times}|")
    out += ["", "Short arrays: microseconds a call in a replayed graph of twenty, and from a cold L2 by events.", "",
            "| what | elements | in a graph | CUB | cold | CUB |", "|---|---|---|---|---|---|"]
    for r in ours:
        peer = cub.get((r["what"], r["n"]))
        if "replay_us" in r and peer:
            out.append(f"| {r['what']} | {elements(r['n'])} | {r['replay_us']:.2f} | {r.get('cub_replay_us', float('nan')):.2f} | {1e3 * r['ms']:.1f} | {1e3 * peer['ms']:.1f} |")
    arrays = [r for r in rows if r.get("what") == "array"]
    if arrays:
        out += ["", "Whole arrays of fp32 reduced by `reduce` beside CUB: microseconds by events from a cold L2, and a call in a replayed graph of twenty.", "",
                "| operator | elements | cold | CUB | times CUB | in a graph | CUB | plan |", "|---|---|---|---|---|---|---|---|"]
        for r in arrays:
            graph = f"{r['replay_us']:.2f} | {r['cub_replay_us']:.2f}" if r["replay_us"] else " | "
            out.append(f"| {r['op']} | {elements(r['n'])} | {r['us']:.1f} | {r['cub_us']:.1f} | {r['times_cub']:.2f} | {graph} | {r['plan']} |")
    loops = loops_of(rows)
    if loops:
        earlier = " Of an earlier run." if any("run" in r for r in loops) else ""
        out += ["", "Loops of `examples/loops` through `run --device cuda`: kernels compiled from text, time of the kernels alone, against a plain read of the same",
                f"bytes, or a copy of as many bytes as are read and written (a map reads its input twice). Neither time includes starting the device.{earlier}", "",
                "| loop | elements | GB/s | of memory | first compilation | loading |", "|---|---|---|---|---|---|"]
        out += [f"| {r['what'].split('.')[-1]} | {elements(r['n'])} | {r['gbs']} | {r['fraction']:.2f} | {r['compile_s']:.2f} s | {1e3 * r['load_s']:.1f} ms |"
                for r in loops]
    for r in checks:
        out += ["", f"`{r['what']}`: {r['checks']} comparisons with the host, {r['failures']} failures."]
    return "\n".join(out) + "\n"


def plot(result):
    """Bars of the share of memory's speed; the line is where the whole of it would be."""
    rows = result["rows"]
    bars = [(f"{name_of(r)}, {elements(r['n'])}", of_memory(r, rows), "#356") for r in large(rows)]
    bars += [(f"loop {r['what'].split('.')[-1]}, {elements(r['n'])}", r["fraction"], "#a63") for r in loops_of(rows)]
    height, left, width = 18 * len(bars) + 30, 400, 400
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 80} {height}" font-family="sans-serif" font-size="12">']
    for k, (name, share, colour) in enumerate(bars):
        y = 4 + 18 * k
        out.append(f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{name}</text>'
                   f'<rect x="{left}" y="{y}" width="{width * share:.0f}" height="14" fill="{colour}"/>'
                   f'<text x="{left + width * share + 4:.0f}" y="{y + 11}">{share:.2f}</text>')
    out.append(f'<line x1="{left + width}" x2="{left + width}" y1="0" y2="{height - 20}" stroke="#333"/>'
               f'<text x="{left + width}" y="{height - 6}" text-anchor="middle">memory</text></svg>')
    return "\n".join(out) + "\n"


def main(words):
    if words[:1] == ["collect"] and len(words) > 2:
        collect(words[1], words[2:])
    elif words[:1] == ["merge"] and len(words) > 1:
        merge(words[1:])
    elif words in (["tables"], ["--check"]):
        result = json.loads(RESULT.read_text(encoding="utf-8"))
        for path, text in ((PAGE, page(result)), (PLOT, plot(result))):
            if words == ["--check"] and path.read_text(encoding="utf-8") != text:
                return 1
            if words == ["tables"]:
                path.write_text(text, encoding="utf-8")
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
