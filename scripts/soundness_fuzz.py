#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The soundness fuzzer for as long as wanted: loops with a known answer, in chunks of their own processes, summed up in one file.

    scripts/soundness_fuzz.py [--program build/dev/bin/fuzz_soundness] [--from 1] [--loops 100000] [--source 2000] [--hours 1]

Every wrong verdict, crash and time-out is printed with its seeds; `fuzz_soundness --show SEED` makes the loop again. Runs add up in
bench/results/soundness_fuzz.json as long as they continue the seeds of the last one; --fresh begins anew. Exit 1 if anything was wrong.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import fuzz_chunks

ROOT = fuzz_chunks.ROOT
COUNTS = ("associative", "with_added_state", "not_associative", "unknown", "refused")
SUMS = ("loops", "wrong", "splits_agreeing", "colliding_pairs_tried", "witnesses_confirmed")


def chunk(program, level, first, count, per_loop):
    """The summary of one process; what it printed where something was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "summary.json"
        command = [program, "--from", str(first), "--count", str(count), "--per-loop", str(per_loop), "--json", str(file)] + (["--source"] if level == "source" else [])
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)
        if not file.is_file():
            return None, f"CRASH {level} seeds {first} … {first + count - 1}, exit {done.returncode}\n{done.stdout[-2000:]}"
        return json.loads(file.read_text()), done.stdout if done.returncode else ""


def add(total, part):
    for key in SUMS:
        total[key] = total.get(key, 0) + part[key]
    total.setdefault("wrong_seeds", []).extend(part["wrong_seeds"])
    total["wall_s"] = round(total.get("wall_s", 0) + part["wall_s"], 1)
    total.setdefault("chunk_median_ms", []).append(round(part["analysis_ms"]["median"], 1))
    for family, counts in part["families"].items():
        own = total.setdefault("families", {}).setdefault(family, dict.fromkeys(COUNTS, 0))
        for key in COUNTS:
            own[key] += counts[key]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default=str(ROOT / "build/dev/bin/fuzz_soundness"))
    arguments.add_argument("--from", type=int, default=1, dest="first")
    arguments.add_argument("--loops", type=int, default=100_000)
    arguments.add_argument("--source", type=int, default=2000, help="further loops that go through the front end as source text")
    arguments.add_argument("--hours", type=float, default=24)
    arguments.add_argument("--per-loop", type=float, default=0.5, help="seconds that a decision may take")
    arguments.add_argument("--chunk", type=int, default=500)
    arguments.add_argument("--jobs", type=int, default=1, help="chunks at a time")
    arguments.add_argument("--fresh", action="store_true")
    arguments.add_argument("--output", type=Path, default=ROOT / "bench/results/soundness_fuzz.json")
    a = arguments.parse_args()

    out = {"schema": 1, "first_seed": a.first, "seconds_per_loop": a.per_loop, "ir": {}, "source": {}, "crashes": []}
    if a.output.is_file() and not a.fresh:
        before = json.loads(a.output.read_text())
        if before["first_seed"] == a.first:
            out = before
    wanted = {"ir": a.loops, "source": a.source}
    next_seed = {level: out[level].get("next_seed", a.first + (10_000_000 if level == "source" else 0)) for level in wanted}
    left = {level: wanted[level] - out[level].get("loops", 0) for level in wanted}
    faults, now = 0, fuzz_chunks.commit()

    def one(level, first, count):
        return chunk(a.program, level, first, count, a.per_loop)

    for level, first, count, (part, said) in fuzz_chunks.run(one, wanted, left, next_seed, dict.fromkeys(wanted, a.chunk), a.jobs, a.hours):
        total = out[level]
        if said:
            faults += 1
            print(said, flush=True)
        if part is None:
            out["crashes"].append([level, first, count])
        else:
            add(total, part)
            runs = total.setdefault("commits", {})
            runs[now] = runs.get(now, 0) + part["loops"]
        total["next_seed"] = next_seed[level]
        a.output.write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n")
        print(f"{level}: {total.get('loops', 0)} loops, {total.get('wrong', 0)} wrong, {total.get('wall_s', 0):.0f} s", file=sys.stderr, flush=True)
    return 1 if faults else 0


sys.exit(main())
