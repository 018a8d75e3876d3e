#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Twelve loops × what decides about loops elsewhere: the vectorisers of GCC and Clang, numba's prange, and Twofold.

    scripts/vectorisers.py [--program build/dev/bin/twofold] [--python a/venv/with/numba/bin/python] [--output bench/results/vectorisers.json]
    scripts/vectorisers.py --table        writes docs/performance/vectorisers.md from the results

yes       the compiler's own remarks say that the loop of the function was vectorised
refused   numba: the parallel form does not compile
wrong     numba: it compiles and gives another result than the loop itself on one of twenty inputs of 1000 elements
Every compiler gets -O3 -march=native; a second run adds -ffast-math. What is not installed is left out, and said.
"""
import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "bench/vectorisers/loops.cpp"
LOOPS = ["sum", "maximum", "last_positive", "argmax", "words", "smoothed", "best_segment", "hash", "softmax_denominator", "variance", "second_largest", "lowest_depth"]
COMPILERS = ["g++-12", "clang++-14", "clang++-19"]

# The same loops for numba: sequential as they stand, parallel with prange for range. T is the data.
NUMBA = r'''
import json, sys, warnings
import numpy as np, numba
from numba import njit, prange
warnings.simplefilter("always")
BODIES = {
 "sum": ("f", "s = np.float32(0)", ["s += x[i]"], "s"),
 "maximum": ("f", "m = np.float32(-np.inf)", ["m = max(m, x[i])"], "m"),
 "last_positive": ("f", "where = -1", ["if x[i] > 0:", "  where = i"], "where"),
 "argmax": ("f", "best = np.float32(-np.inf); where = 0", ["if x[i] > best:", "  best = x[i]", "  where = i"], "where"),
 "words": ("b", "count = 0; inside = False", ["letter = x[i] != 32", "if letter and not inside:", "  count += 1", "inside = letter"], "count"),
 "smoothed": ("f", "y = np.float32(0)", ["y = np.float32(0.5) * y + x[i]"], "y"),
 "best_segment": ("i", "here = 0; best = 0", ["here = max(here + x[i], 0)", "best = max(best, here)"], "best"),
 "hash": ("i", "h = 7", ["h = h * 31 + x[i]"], "h"),
 "softmax_denominator": ("f", "m = np.float32(-np.inf); l = np.float32(0)", ["n = max(m, x[i])", "l = l * np.exp(m - n) + np.exp(x[i] - n)", "m = n"], "l"),
 "variance": ("d", "count = 0.0; mean = 0.0; m2 = 0.0", ["count += 1", "d = x[i] - mean", "mean += d / count", "m2 += d * (x[i] - mean)"], "m2 / count"),
 "second_largest": ("i", "first = -2**31; second = -2**31", ["if x[i] > first:", "  second = first", "  first = x[i]", "elif x[i] > second:", "  second = x[i]"], "second"),
 "lowest_depth": ("i", "depth = 0; lowest = 0", ["depth += x[i]", "lowest = min(lowest, depth)"], "lowest"),
}
N, INPUTS = 1000, 20
def data(kind, seed):
    g = np.random.default_rng(seed)
    if kind == "i": return g.integers(-9, 10, N)
    if kind == "b": return np.where(g.integers(0, 4, N) == 0, 32, 97).astype(np.int8)
    x = g.standard_normal(N)
    x[N - 40:] = -np.abs(x[N - 40:])
    return x.astype(np.float32 if kind == "f" else np.float64)
out = {}
for name, (kind, start, body, answer) in BODIES.items():
    text = lambda rng: "def f(x):\n  " + start + "\n  for i in " + rng + "(x.shape[0]):\n" + "".join("    " + l + "\n" for l in body) + "  return " + answer + "\n"
    space = {"np": np, "prange": prange}
    exec(text("range"), space); plain = njit(space["f"])
    exec(text("prange"), space); parallel = njit(parallel=True)(space["f"])
    def compared(x):
        want, got = float(plain(x)), float(parallel(x))
        close = want == got or (kind in "fd" and abs(want - got) <= 1e-4 * max(1, abs(want)))
        return {"answer": "right" if close else "wrong", "sequential": want, "parallel": got}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            all_of_them = [compared(data(kind, seed)) for seed in range(INPUTS)]
        except Exception as e:
            out[name] = {"answer": "refused", "why": str(e).strip().splitlines()[0][:160]}
            continue
    wrong = [r for r in all_of_them if r["answer"] == "wrong"]
    out[name] = {**(wrong or all_of_them)[0], "inputs": INPUTS, "wrong_on": len(wrong), "warnings": [str(w.message)[:120] for w in said]}
json.dump({"version": numba.__version__, "threads": numba.get_num_threads(), "loops": out}, sys.stdout)
'''


def lines_of_functions():
    """First and last line of each function."""
    where, name = {}, None
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        head = re.match(r"\w[\w ]* (\w+)\(const", line)
        if head:
            name = head.group(1)
            where[name] = [number, number]
        if name:
            where[name][1] = number
    return where


def vectorised(compiler, fast):
    """Function → whether some loop of it was vectorised, by the compiler's remarks."""
    remarks = ["-fopt-info-vec-optimized"] if "g++" in compiler and "clang" not in compiler else ["-Rpass=loop-vectorize"]
    command = [compiler, "-std=c++20", "-O3", "-march=native", *(["-ffast-math"] if fast else []), *remarks, "-c", str(SOURCE), "-o", "/dev/null"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    hit = {int(m.group(1)) for m in re.finditer(r"loops\.cpp:(\d+):\d+: (?:optimized: loop vectorized|remark: vectorized loop)", done.stdout)}
    return {name: any(first <= line <= last for line in hit) for name, (first, last) in lines_of_functions().items()}


def version_of(compiler):
    return subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]


def with_numba(python):
    done = subprocess.run([python, "-c", NUMBA], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def with_twofold(program):
    answer = {}
    for name in LOOPS:
        r = json.loads(subprocess.run([program, "check", f"{SOURCE}:{name}", "--json"], stdout=subprocess.PIPE, text=True, check=False).stdout)
        answer[name] = {"verdict": r.get("verdict"), "proof": (r.get("proof") or {}).get("status"), "added": [v["name"] for v in r.get("state", []) if v["role"] == "added"],
                        "order": (r.get("order") or {}).get("atomics"), "time_ms": round(r.get("time_ms", 0), 1)}
    return answer


def table(results):
    columns = list(results["compilers"])
    out = ["# What else decides about loops", "", "<!-- written by scripts/vectorisers.py --table from bench/results/vectorisers.json -->", "",
           "Twelve loops ([source](../../bench/vectorisers/loops.cpp)). *yes*: the vectoriser says that it vectorised the loop (numba: the parallel form gives the loop's own",
           "result). No tool but Twofold shows the merge, and only numba makes a threaded version.", "",
           "| loop | " + " | ".join(columns) + (" | numba " + results["numba"]["version"] if results.get("numba") else "") + " | Twofold |",
           "| --- |" + " --- |" * (len(columns) + (1 if results.get("numba") else 0) + 1)]
    for name in LOOPS:
        row = [f"`{name}`"] + ["yes" if results["compilers"][c]["vectorised"][name] else "no" for c in columns]
        if results.get("numba"):
            n = results["numba"]["loops"][name]
            wrong = lambda: f"**wrong** on {n['wrong_on']} of {n['inputs']} inputs: {n['parallel']:.6g} for {n['sequential']:.6g}" + ("" if n["warnings"] else ", no warning")
            row.append({"right": "yes", "refused": "refused"}.get(n["answer"]) or wrong())
        t = results["twofold"][name]
        row.append(f"{t['verdict']}, {t['proof']}" + (f", with {', '.join(t['added'])}" if t["added"] else ""))
        out.append("| " + " | ".join(row) + " |")
    out += ["", "Versions: " + "; ".join(results["compilers"][c]["version"] for c in columns if not c.endswith("fast-math")) + ". Flags: `-O3 -march=native`; *fast-math* adds `-ffast-math`, which also breaks NaN and infinities."]
    return "\n".join(out) + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default=str(ROOT / "build/dev/bin/twofold"))
    arguments.add_argument("--python", default="", help="a Python that has numba")
    arguments.add_argument("--output", type=Path, default=ROOT / "bench/results/vectorisers.json")
    arguments.add_argument("--table", action="store_true")
    a = arguments.parse_args()
    if a.table:
        (ROOT / "docs/performance/vectorisers.md").write_text(table(json.loads(a.output.read_text())))
        return 0
    results = {"schema": 1, "machine": platform.machine(), "compilers": {}}
    for compiler in COMPILERS:
        if not shutil.which(compiler):
            print(f"{compiler}: not installed, left out", file=sys.stderr)
            continue
        for fast in (False, True):
            results["compilers"][compiler + (" fast-math" if fast else "")] = {"version": version_of(compiler), "vectorised": vectorised(compiler, fast)}
    if a.python:
        results["numba"] = with_numba(a.python)
    results["twofold"] = with_twofold(a.program)
    a.output.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    print(table(results))
    return 0


sys.exit(main())
