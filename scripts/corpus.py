#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decides the corpus of loops (tests/loops), each loop read by itself as `twofold check FILE:FUNCTION` does, and writes bench/results/corpus.json.

    scripts/corpus.py [--build build/release] [--copies] [--jobs N] [--keep FOLDER] [--json FILE]

--copies decides the metamorphic copies too (tests/loops/copies.py): thousands of loops, half an hour of one core.
--keep: what has been decided is kept there, file by file, and is not decided again: a long run may be stopped and taken up.
Prints the table by class, the times, and beside them what other systems have published about themselves: on other loops, on other machines.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOOPS = ROOT / "tests" / "loops"
CLASSES = {"H": "merges as it is", "A": "with added state", "M": "by a summary", "N": "does not merge", "R": "refused"}
GRADES = ("right", "heavier", "wrong", "unknown", "unsound")
# system, tasks, solved, seconds mean / median / largest: counted from the artifacts' own result files, or as their papers say
PUBLISHED = (
    ("AutoLifter (TOPLAS 2024)", 96, 82, 20.2, 2.2, 288),
    ("ParSynt 2017, on 20 of the same", 20, 19, 19.2, None, None),
    ("ParSynt 2021, on 36 of the same", 36, 24, 6.7, None, None),
    ("SuFu (PLDI 2024)", 290, 264, 24.4, 8.8, None),
    ("Synduce, on SuFu's", 178, 125, 1.6, None, None),
    ("Grisette, on SuFu's", 307, 86, 33, None, None),
    ("Ink (OOPSLA 2025), merged or refuted", 50, 48, 5.7, 0.8, None),
)


def decide(program, file, extra, kept=None):
    """The outcomes of one file's loops, in a process of its own; from `kept` where they are there already."""
    if kept and kept.exists():
        return json.loads(kept.read_text())
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program, "--json", out.name, *extra, str(file)], stdout=subprocess.DEVNULL, check=False)
        results = json.loads(pathlib.Path(out.name).read_text() or "[]")
    if kept and results:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(results))
    return results


def decide_all(program, files, extra, jobs, keep=None):
    """{file: outcomes}; the longest files first."""
    ordered = sorted(files, key=lambda f: -f.stat().st_size)
    place = lambda f: keep / f.parent.name / (f.stem + ".json") if keep else None
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(ordered, pool.map(lambda f: decide(program, f, extra, place(f)), ordered)))


def processor():
    """The processor's own name, where the system tells it."""
    try:
        names = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def percentile(values, p):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(p * len(ordered)))]


def by_class(results):
    table = {}
    for kind in CLASSES:
        own = [r for r in results if r["class"] == kind]
        table[kind] = {"loops": len(own)} | {g: sum(r["grade"] == g for r in own) for g in GRADES}
    return table


def times(results):
    analysed = [r["decide_ms"] / 1e3 for r in results if r["decide_ms"] > 0]
    whole = [(r["read_ms"] + r["decide_ms"]) / 1e3 for r in results]
    return {
        "analysis_s": {"median": statistics.median(analysed), "p99": percentile(analysed, 0.99), "max": max(analysed), "mean": statistics.mean(analysed)},
        "with_reading_s": {"median": statistics.median(whole), "p99": percentile(whole, 0.99), "max": max(whole)},
    }


def show(report):
    print(f"{'class':<24}{'loops':>7}" + "".join(f"{g:>9}" for g in GRADES))
    for kind, words in CLASSES.items():
        row = report["by_class"][kind]
        print(f"{kind + '  ' + words:<24}{row['loops']:>7}" + "".join(f"{row[g]:>9}" for g in GRADES))
    t = report["times"]
    print("\nseconds on one core of this machine: analysis alone median {median:.3f}, 99 % {p99:.2f}, max {max:.2f}".format(**t["analysis_s"])
          + "; with reading median {median:.3f}, 99 % {p99:.2f}, max {max:.2f}".format(**t["with_reading_s"]))
    decided = [r for row in report["by_class"].values() for r in [row]]
    right = sum(r["right"] + r["heavier"] for r in decided)
    number = sum(r["loops"] for r in decided)
    print(f"\n{'system':<40}{'tasks':>7}{'solved':>8}{'mean s':>9}{'median s':>10}{'max s':>8}")
    own = t["analysis_s"]
    print(f"{'Twofold, this corpus, this machine':<40}{number:>7}{right:>8}{own['mean']:>9.3f}{own['median']:>10.3f}{own['max']:>8.2f}")
    for name, tasks, solved, mean, median, largest in PUBLISHED:
        cells = "".join(f"{'' if v is None else v:>{w}}" for v, w in ((mean, 9), (median, 10), (largest, 8)))
        print(f"{name:<40}{tasks:>7}{solved:>8}{cells}")
    print("(others: as published, on their own loops and machines)")
    if "copies" in report:
        c = report["copies"]
        print(f"\ncopies: {c['copies']} of {c['loops']} loops, {c['right']} decided as the original should be, {c['unsound']} unsound")
        for name, row in c["by_transformation"].items():
            print(f"  {name:<36}{row['copies']:>6}{row['right']:>6}")


def copies(program, jobs, keep):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, LOOPS / "copies.py", folder], stdout=subprocess.DEVNULL, check=True)
        found = decide_all(program, sorted(pathlib.Path(folder).glob("*/*.cpp")), [], jobs, keep)
        per = {}
        loops = set()
        unsound = []
        for name in sorted({f.parent.name for f in found}):
            results = [r for f in sorted(found) if f.parent.name == name for r in found[f]]
            per[name] = {"copies": len(results), "right": sum(r["grade"] in ("right", "heavier") for r in results),
                         "wrong": sorted(r["file"] + ":" + r["function"] for r in results if r["grade"] not in ("right", "heavier"))}
            loops |= {(r["file"], r["function"]) for r in results}
            unsound += [f"{name}: {r['file']}:{r['function']}" for r in results if r["grade"] == "unsound"]
    return {"copies": sum(p["copies"] for p in per.values()), "loops": len(loops), "right": sum(p["right"] for p in per.values()),
            "unsound": len(unsound), "which_unsound": unsound, "by_transformation": per}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--copies", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "bench" / "results" / "corpus.json")
    a = parser.parse_args()
    program = ROOT / a.build / "bin" / "twofold_loops"
    found = decide_all(program, sorted((LOOPS / "inputs").glob("*.cpp")), ["--alone", "--seconds", "20"], a.jobs, a.keep)
    results = [r for f in sorted(found) for r in found[f]]
    report = {
        "date": datetime.date.today().isoformat(),
        "machine": {"cpu": processor(), "load_average": os.getloadavg(), "jobs": a.jobs},
        "by_class": by_class(results),
        "times": times(results),
        "published": [dict(zip(("system", "tasks", "solved", "mean_s", "median_s", "max_s"), p)) for p in PUBLISHED],
        "not_right": sorted(f"{r['file']}:{r['function']} {r['grade']}" for r in results if r["grade"] != "right"),
    }
    if a.copies:
        report["copies"] = copies(program, a.jobs, a.keep)
    report["loops"] = [{k: (round(v, 1) if isinstance(v, float) else v) for k, v in r.items()} for r in results]
    show(report)
    a.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
