#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Untrusted inputs for as long as wanted, under the sanitizers: sources and loops of the IR, in chunks, summed up in one file.

    cmake --preset asan && ninja -C build/asan fuzz_inputs
    scripts/input_fuzz.py [--program build/asan/bin/fuzz_inputs] [--ir 1000000] [--source 100000] [--hours 1]

Every crash, hang and wrong answer is printed with its seed; `fuzz_inputs --level LEVEL --show SEED` (and the same --corpus) makes it again.
Runs add up in bench/results/input_fuzz.json, each chunk with the commit that it ran; --fresh begins anew. Exit 1 if there was a fault.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import fuzz_chunks

ROOT = fuzz_chunks.ROOT
CORPUS = ("tests/loops/inputs", "examples/loops", "tests/analyser/frontend/loops", "tests/analyser/frontend/golden", "tests/analyser/frontend/refused")
SUMS = ("inputs", "loops", "decided", "read_twice", "limits")


def chunk(program, level, first, count):
    """The summary of one process, and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "summary.json"
        command = [program, "--level", level, "--from", str(first), "--count", str(count), "--json", str(file)]
        if level == "source":
            for f in CORPUS:
                command += ["--corpus", str(ROOT / f)]
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1", UBSAN_OPTIONS="print_stacktrace=1")
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL, env=environment)
        return json.loads(file.read_text()) if file.is_file() else None, done.stdout


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default=str(ROOT / "build/asan/bin/fuzz_inputs"))
    arguments.add_argument("--ir", type=int, default=1_000_000)
    arguments.add_argument("--source", type=int, default=100_000)
    arguments.add_argument("--from", type=int, default=1, dest="first")
    arguments.add_argument("--hours", type=float, default=24)
    arguments.add_argument("--jobs", type=int, default=1, help="chunks at a time")
    arguments.add_argument("--fresh", action="store_true")
    arguments.add_argument("--output", type=Path, default=ROOT / "bench/results/input_fuzz.json")
    a = arguments.parse_args()
    wanted = {"ir": a.ir, "source": a.source}
    size = {"ir": 10_000 if a.jobs == 1 else 2000, "source": 2000 if a.jobs == 1 else 500}  # a chunk compiles its own headers

    out = {"schema": 1, "first_seed": a.first, "built": "address and undefined-behaviour sanitizers (preset asan)", "ir": {}, "source": {}}
    if a.output.is_file() and not a.fresh:
        before = json.loads(a.output.read_text())
        if before["first_seed"] == a.first:
            out = before
    next_seed = {level: out[level].get("next_seed", a.first) for level in wanted}
    left = {level: wanted[level] - out[level].get("inputs", 0) for level in wanted}
    found, now = False, fuzz_chunks.commit()

    def one(level, first, count):
        return chunk(a.program, level, first, count)

    for level, first, _, (part, said) in fuzz_chunks.run(one, wanted, left, next_seed, size, a.jobs, a.hours):
        total = out[level]
        if part is None or part["faults"]:
            found = True
            print(said, flush=True)
        if part is None:
            total.setdefault("faults", []).append({"seed": first, "how": "the program ended"})
        else:
            for key in SUMS:
                total[key] = total.get(key, 0) + part[key]
            total.setdefault("faults", []).extend(dict(f, commit=now) for f in part["faults"])
            for code, n in part["refused"].items():
                total.setdefault("refused", {})[code] = total.get("refused", {}).get(code, 0) + n
            total["wall_s"] = round(total.get("wall_s", 0) + part["wall_s"], 1)
            runs = total.setdefault("commits", {})
            runs[now] = runs.get(now, 0) + part["inputs"]
        total["next_seed"] = next_seed[level]
        a.output.write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n")
        print(f"{level}: {total.get('inputs', 0)} inputs, {len(total.get('faults', []))} faults, {total.get('wall_s', 0):.0f} s", file=sys.stderr, flush=True)
    return 1 if found else 0


sys.exit(main())
