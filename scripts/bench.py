#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures, and writes bench/results/MACHINE_WHAT.json with the machine beside the figures: bench.py BUILD [WHAT...]  (see also bench_check.py, cpu_bench.py)

    compile   CPU time that including the umbrella header costs, above an empty file
    table     prints the results there are as the tables that documents show, and measures nothing
"""
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    cores = text.count("processor\t:")
    model = re.search(r"model name\s*: (.*)", text)
    name = model.group(1) if model else platform.machine()
    return {"cpu": name, "cores": cores, "system": platform.platform(), "label": f"cpu{cores}"}


def wait_until_quiet(most=180):
    """Until the load average is below 1, `most` seconds at the longest: compiling the benchmarks raised it."""
    end = time.monotonic() + most
    while os.getloadavg()[0] >= 1 and time.monotonic() < end:
        print(f"load average {os.getloadavg()[0]:.1f}: waiting for it to fall", file=sys.stderr)
        time.sleep(15)


def write(what, body):
    here = machine()
    entry = {"schema": 1, "what": what, "date": datetime.date.today().isoformat(), "machine": here, **body}
    path = RESULTS / f"{here['label']}_{what}.json"
    RESULTS.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry, indent=1) + "\n")
    print(f"wrote {path.relative_to(ROOT)}")


def measure_compile(_build):
    rows = []
    for compiler in ("g++", "clang++-19"):
        done = subprocess.run([sys.executable, ROOT / "tests/project/compile_cost.py", ROOT / "include", compiler], capture_output=True, text=True)
        for header, seconds in re.findall(r"(\S+): ([\d.]+) CPU s", done.stdout):
            rows.append({"compiler": compiler, "header": header, "cpu_seconds": float(seconds)})
    write("compile", {"rows": rows})


def print_tables():
    for path in sorted(RESULTS.glob("cpu*_compile.json")):
        entry = json.loads(path.read_text())
        keys = list(entry["rows"][0])
        print(f"\n{path.relative_to(ROOT)}: {entry['machine']['cpu']}, {entry['machine']['cores']} cores, {entry['date']}\n")
        print("| " + " | ".join(keys) + " |\n|" + " --- |" * len(keys))
        for row in entry["rows"]:
            print("| " + " | ".join(str(row[k]) for k in keys) + " |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    for what in sys.argv[2:] or ("compile",):
        {"compile": measure_compile, "table": lambda _: print_tables()}[what](folder)
