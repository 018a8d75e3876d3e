#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long `twofold check` takes: every loop of examples/loops, start of the process and reading of the source included.

    scripts/bench_check.py [--program build/release/bin/twofold] [--repeat 5] [--output bench/results/check_time.json]

wall      from starting the process to its end, in milliseconds
analysis  time_ms of the report: deciding alone
goals     median wall < 600 ms, median analysis < 100 ms
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOALS = {"wall_ms": 600, "analysis_ms": 100}


def timed(command):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - start) * 1000, done


def loops_of(program, source):
    """Names of the loop functions of a file that are understood."""
    _, done = timed([program, "check", str(source), "--json"])
    return [r["function"] for r in json.loads(done.stdout).get("results", []) if "function" in r]


def measure(program, source, function, repeat):
    walls, analyses = [], []
    for _ in range(repeat):
        wall, done = timed([program, "check", f"{source}:{function}", "--json"])
        result = json.loads(done.stdout)
        walls.append(wall)
        analyses.append(result.get("time_ms", 0))
    return {"loop": f"{source.name}:{function}", "verdict": result.get("verdict", "error " + result.get("error", {}).get("code", "")), "wall_ms": round(statistics.median(walls), 1),
            "analysis_ms": round(statistics.median(analyses), 1)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default=str(ROOT / "build/release/bin/twofold"))
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--output", default=str(ROOT / "bench/results/check_time.json"))
    a = arguments.parse_args()

    start = statistics.median(timed([a.program, "--version"])[0] for _ in range(a.repeat))
    rows = []
    for source in sorted((ROOT / "examples/loops").glob("*.cpp")):
        for function in loops_of(a.program, source):
            rows.append(measure(a.program, source, function, a.repeat))
            print("{loop:45} {verdict:16} {wall_ms:8.1f} ms  analysis {analysis_ms:7.1f} ms".format(**rows[-1]), file=sys.stderr)
    median = {key: round(statistics.median(r[key] for r in rows), 1) for key in GOALS}
    version = subprocess.run([a.program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    result = {"schema": 1, "program": version, "machine": platform.processor() or platform.machine(), "processors": os.cpu_count(),
              "load_1min": round(os.getloadavg()[0], 1), "repeat": a.repeat, "start_ms": round(start, 1), "median": median, "goals": GOALS, "loops": rows}
    Path(a.output).parent.mkdir(parents=True, exist_ok=True)
    Path(a.output).write_text(json.dumps(result, indent=1) + "\n")
    print(f"median: {median['wall_ms']} ms, analysis {median['analysis_ms']} ms; the process starts in {start:.1f} ms")
    return 0 if all(median[key] < goal for key, goal in GOALS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
