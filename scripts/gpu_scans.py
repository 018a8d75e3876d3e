#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of the scan benchmarks become a result file, and the result file becomes docs/performance/scans.md.

    scripts/gpu_scans.py collect DATE LOG…    bench/results/h200_scans.json from lines of JSON (other lines are left out)
    scripts/gpu_scans.py merge LOG…           lines of a later run take the place of those that measure the same; the others stay
    scripts/gpu_scans.py tables               docs/performance/scans.md from the result file
    scripts/gpu_scans.py --check              1 if the page is not what the result file says
"""
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT, PAGE = ROOT / "bench/results/h200_scans.json", ROOT / "docs/performance/scans.md"


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
           "program": "bench/cuda/scan.cu, scan_check.cu, run_loops.cpp", "rows": list(lines_of(logs))})


def merge(logs):
    def what(row):
        return tuple(str(row.get(k)) for k in ("what", "checked", "by", "n", "shape"))
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    new = {what(r): r for r in lines_of(logs)}  # of two logs the later one counts
    result["rows"] = [new.pop(what(r), {**r, "run": "earlier"}) for r in result["rows"]] + list(new.values())
    write(result)


def elements(n):
    power = n.bit_length() - 1
    return f"2^{power}" if n == 1 << power and n >= 4096 else str(n)


def page(result):
    rows = result["rows"]
    ours = [r for r in rows if r.get("by") == "twofold"]
    cub = {(r["what"], r["n"]): r for r in rows if r.get("by") == "cub"}
    checks = [r for r in rows if r.get("what") in ("scan_check", "run_loops")]
    out = ["# Scans on the GPU", "", f"<!-- figures from {RESULT.relative_to(ROOT)} -->",
           f"Made by `scripts/gpu_scans.py tables` from `{RESULT.relative_to(ROOT)}`: {result['device']}, {result['date']}, CUDA {result['cuda']}; medians, random data, cold L2,",
           "interleaved with a copy of the same number of bytes and with CUB in one program. Bytes are inputs and outputs (and offsets), each once.", "",
           "| what | elements | GB/s | of copy | times CUB |", "|---|---|---|---|---|"]
    for r in ours:
        if r["n"] < 1 << 24:
            continue
        peer = cub.get((r["what"], r["n"]))
        shape = f" of {r['shape']}" if "shape" in r else ""
        out.append(f"| {r['what']}{shape} | {elements(r['n'])} | {r['gbs']} | {r['fraction_of_copy']:.2f} | {r['gbs'] / peer['gbs']:.2f} |" if peer
                   else f"| {r['what']}{shape} | {elements(r['n'])} | {r['gbs']} | {r['fraction_of_copy']:.2f} | |")
    out += ["", "Short arrays: microseconds a call in a replayed graph of twenty, and from a cold L2 by events.", "",
            "| what | elements | in a graph | CUB | cold | CUB |", "|---|---|---|---|---|---|"]
    for r in ours:
        peer = cub.get((r["what"], r["n"]))
        if "replay_us" in r and peer:
            out.append(f"| {r['what']} | {elements(r['n'])} | {r['replay_us']:.2f} | {r.get('cub_replay_us', float('nan')):.2f} | {1e3 * r['ms']:.1f} | {1e3 * peer['ms']:.1f} |")
    loops = [r for r in rows if "load_s" in r]
    if loops:
        earlier = " Of an earlier run." if any("run" in r for r in loops) else ""
        out += ["", f"Loops of `examples/loops` through `run --device cuda`: kernels compiled from text, time of the kernels alone.{earlier}", "",
                "| loop | elements | GB/s | loading |", "|---|---|---|---|"]
        out += [f"| {r['what'].split('.')[-1]} | {elements(r['n'])} | {r['gbs']} | {1e3 * r['load_s']:.1f} ms |" for r in loops]
    for r in checks:
        out += ["", f"`{r['what']}`: {r['checks']} comparisons with the host, {r['failures']} failures."]
    return "\n".join(out) + "\n"


def main(words):
    if words[:1] == ["collect"] and len(words) > 2:
        collect(words[1], words[2:])
    elif words[:1] == ["merge"] and len(words) > 1:
        merge(words[1:])
    elif words in (["tables"], ["--check"]):
        text = page(json.loads(RESULT.read_text(encoding="utf-8")))
        if words == ["--check"]:
            return int(PAGE.read_text(encoding="utf-8") != text)
        PAGE.write_text(text, encoding="utf-8")
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
