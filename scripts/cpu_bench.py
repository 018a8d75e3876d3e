#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU benchmark: runs it, keeps its figures, and makes docs/performance/cpu.md and its plot from them.

    scripts/cpu_bench.py run BUILD [--rounds N]        bench/results/cpu.json: medians and bests of interleaved repetitions, and the goals
    scripts/cpu_bench.py page                          docs/performance/cpu.md and cpu.svg from the result file
    scripts/cpu_bench.py --check                       1 if page or plot are not what the result file says

A round is REPETITIONS of every contender of bench_cpu, in random order, and then of NumPy and PyTorch (cpu_peers.py) where the Python that runs this
script can import them. A ratio is taken between medians of one run. Load averages before and after are kept: above 1.5 the figures say little.
"""
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from bench import wait_until_quiet

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPETITIONS = 3  # a round
RESULT, PAGE, PLOT = ROOT / "bench/results/cpu.json", ROOT / "docs/performance/cpu.md", ROOT / "docs/performance/cpu.svg"

# (what, the contender, what it is measured by, at least so many times as fast)
MEMORY = "256MiB"
GOALS = [(f"{job} of 256 MiB against the read ceiling", f"{job}/{MEMORY}/twofold", f"read/{MEMORY}/ceiling", 0.9) for job in ("sum", "max", "variance", "log_sum_exp")]
GOALS += [
    ("sum in the second-level cache against its ceiling", "sum/256KiB/twofold", "add/256KiB/ceiling", 0.8),
    ("max in the second-level cache against its ceiling", "max/256KiB/twofold", "add/256KiB/ceiling", 0.8),
    ("variance in the second-level cache against its ceiling", "variance/256KiB/twofold", "moments/256KiB/ceiling", 0.8),
    ("log-sum-exp in the second-level cache against its ceiling", "log_sum_exp/256KiB/twofold", "exp/256KiB/ceiling", 0.8),
    ("sum in the first-level cache against its ceiling", "sum/16KiB/twofold", "add/16KiB/ceiling", 0.8),
    ("max in the first-level cache against its ceiling", "max/16KiB/twofold", "add/16KiB/ceiling", 0.8),
    ("variance in the first-level cache against its ceiling", "variance/16KiB/twofold", "moments/16KiB/ceiling", 0.8),
    ("log-sum-exp in the first-level cache against its ceiling", "log_sum_exp/16KiB/twofold", "exp/16KiB/ceiling", 0.8),
    ("reproducible sum of 256 MiB against the plain one", f"reproducible_sum/{MEMORY}/twofold", f"sum/{MEMORY}/twofold", 0.83),
    ("reproducible sum in the second-level cache against the plain one", "reproducible_sum/256KiB/twofold", "sum/256KiB/twofold", 0.25),
    ("variance against OpenMP declare reduction", f"variance/{MEMORY}/twofold", f"variance/{MEMORY}/openmp_declare_reduction", 20),
    ("variance against Boost.Accumulators (one thread)", f"variance/{MEMORY}/twofold", f"variance/{MEMORY}/boost_accumulators_1_thread", 20),
    ("a user's scalar monoid against TBB with the same body", f"user/{MEMORY}/scalar_twofold", f"user/{MEMORY}/tbb_scalar", 2.5),
    ("the same monoid, generic, against TBB with a scalar body", f"user/{MEMORY}/twofold", f"user/{MEMORY}/tbb_scalar", 2.5),
    ("inclusive scan against std::inclusive_scan(par)", f"inclusive_scan/{MEMORY}/twofold", f"inclusive_scan/{MEMORY}/std_par", 1.8),
    ("softmax of rows of 4096 against oneDNN", "softmax/16384x4096/twofold", "softmax/16384x4096/onednn", 1.5),
    ("softmax of rows of 32768 against oneDNN", "softmax/2048x32768/twofold", "softmax/2048x32768/onednn", 1.5),
    ("softmax of rows of 128 against oneDNN", "softmax/524288x128/twofold", "softmax/524288x128/onednn", 1.5),
    ("softmax of rows of 4096 against PyTorch", "softmax/16384x4096/twofold", "softmax/16384x4096/pytorch", 1.2),
    ("softmax of rows of 32768 against PyTorch", "softmax/2048x32768/twofold", "softmax/2048x32768/pytorch", 1.2),
    ("softmax of rows of 128 against PyTorch", "softmax/524288x128/twofold", "softmax/524288x128/pytorch", 1.2),
    ("layer norm of rows of 4096 against oneDNN", "layer_norm/16384x4096/twofold", "layer_norm/16384x4096/onednn", 1.0),
    ("layer norm of rows of 32768 against oneDNN", "layer_norm/2048x32768/twofold", "layer_norm/2048x32768/onednn", 1.0),
    ("layer norm of rows of 128 against oneDNN", "layer_norm/524288x128/twofold", "layer_norm/524288x128/onednn", 1.0),
]


# What a job cannot be faster than, by its name: memory read, memory read and written, or the loop that does nothing else.
READERS = {"sum": "add", "max": "add", "variance": "moments", "log_sum_exp": "exp", "reproducible_sum": "add", "user": "add", "moments": "moments"}
WRITERS = ("inclusive_scan", "running_max", "softmax", "log_softmax", "layer_norm", "rms_norm")


def floor_ms(name, ms):
    """The time of the job's floor; None where the run has none. Rows from memory move as many bytes as the copy of 256 MiB."""
    job, size, _ = name.split("/")
    if job in WRITERS:
        return ms.get(f"copy/{MEMORY}/ceiling") if size == MEMORY or size not in ("16KiB", "256KiB", "16x4096") else None
    if job in READERS:
        return ms.get(f"read/{MEMORY}/ceiling" if size == MEMORY else f"{READERS[job]}/{size}/ceiling")
    return None


def run_round(build, environment, times, rates):
    done = subprocess.run([build / "bin" / "bench_cpu", "--benchmark_format=json", f"--benchmark_repetitions={REPETITIONS}", "--benchmark_min_time=0.05",
                           "--benchmark_enable_random_interleaving=true"], stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        sys.exit("cpu_bench: a contender is wrong; nothing was written")
    for b in json.loads(done.stdout)["benchmarks"]:
        if b.get("run_type") != "iteration":
            continue
        name = b["run_name"].removesuffix("/real_time")
        seconds = b["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[b["time_unit"]]
        times.setdefault(name, []).append(seconds)
        rates[name] = (b["items"] * seconds, b["bytes"] * seconds)  # per run
    threads = len(os.sched_getaffinity(0))
    done = subprocess.run([sys.executable, ROOT / "scripts/cpu_peers.py", str(REPETITIONS), str(threads)], stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        print("cpu_bench: NumPy and PyTorch are skipped: cpu_peers.py failed")
        return {"numpy": "failed", "pytorch": "failed"}
    peers = json.loads(done.stdout)
    for name in peers["wrong"]:
        print(f"cpu_bench: wrong, and left out: {name}")
    for name in peers["missing"]:
        print(f"cpu_bench: {name} is skipped: not installed for {sys.executable} (pip install {name}, and run this script by that Python)")
    for name, seconds in peers["seconds"].items():
        times.setdefault(name, []).extend(seconds)
        alike = next(n for n in rates if n.rsplit("/", 1)[0] == name.rsplit("/", 1)[0])
        rates[name] = rates[alike]
    return peers["versions"]


def run(build, rounds):
    environment = dict(os.environ, OMP_WAIT_POLICY="passive")  # OpenMP's threads would spin beside the next contender
    wait_until_quiet()
    before = os.getloadavg()
    times, rates, versions = {}, {}, {}
    for _ in range(rounds):
        versions = run_round(build, environment, times, rates)
    after = os.getloadavg()
    rows = []
    medians = {name: statistics.median(t) * 1e3 for name, t in times.items()}
    for name, t in times.items():
        items, moved = rates[name]
        median, best, floor = statistics.median(t), min(t), floor_ms(name, medians)
        rows.append({"name": name, "median_ms": round(median * 1e3, 6), "best_ms": round(best * 1e3, 6), "spread": round(max(t) / best, 3),
                     "giga_elements_per_s": round(items / median / 1e9, 3), "gigabytes_per_s": round(moved / median / 1e9, 2),
                     "of_floor": round(floor / (median * 1e3), 3) if floor else None})
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", text)
    machine = {"cpu": model.group(1) if model else "", "threads": text.count("processor\t:"), "avx512": "avx512f" in text}
    body = {"schema": 1, "what": "cpu", "date": datetime.date.today().isoformat(), "machine": machine, "flags": "-O3 -march=native",
            "repetitions": rounds * REPETITIONS, "peers": versions, "load_before": [round(x, 2) for x in before],
            "load_after": [round(x, 2) for x in after], "rows": rows}
    RESULT.write_text(json.dumps(body, indent=1) + "\n")
    print_goals(body)


def ratios(body):
    ms = {r["name"]: r["median_ms"] for r in body["rows"]}
    for what, mine, other, goal in GOALS:
        if mine in ms and other in ms:
            yield what, ms[other] / ms[mine], goal


def print_goals(body):
    print(f"load average {body['load_before'][0]} before, {body['load_after'][0]} after")
    for what, ratio, goal in ratios(body):
        print(f"{'met   ' if ratio >= goal else 'MISSED'} {ratio:7.2f} (goal {goal:4}) {what}")


def table(body):
    jobs = {}
    for r in body["rows"]:
        job, size, who = r["name"].split("/")
        jobs.setdefault(f"{job} {size}", []).append((who, r))
    lines = ["| job | who | G elements/s | GB/s | of its floor | median ms | slowest/fastest |", "|---|---|---|---|---|---|---|"]
    for job, rows in jobs.items():
        for who, r in sorted(rows, key=lambda x: x[1]["median_ms"]):
            name = f"**{who}**" if who == "twofold" else who
            floor = f"{r['of_floor']:.2f}" if r.get("of_floor") else "–"
            lines.append(f"| {job} | {name} | {r['giga_elements_per_s']:.2f} | {r['gigabytes_per_s']:.1f} | {floor} | {r['median_ms']:.4g} | {r['spread']:.2f} |")
    return lines


def describe(body):
    m = body["machine"]
    return (f"{m['cpu']}, {'AVX-512' if m['avx512'] else 'AVX2'}, {body['date']}, load {body['load_before'][0]} before and {body['load_after'][0]} after")


def page(body):
    m = body["machine"]
    lines = ["# Twofold on the CPU", "",
             f"Made by `scripts/cpu_bench.py` from `bench/results/cpu.json`: {body['date']}, {m['cpu']}, {m['threads']} threads, {body['flags']}, medians of "
             f"{body['repetitions']} repetitions that were interleaved at random. Load average {body['load_before'][0]} before and {body['load_after'][0]} after; "
             "above 1.5 other work was running, and the figures say little.", "",
             f"Python peers: {', '.join(f'{k} {v}' for k, v in body.get('peers', {}).items()) or 'none'}. "
             "Every contender's answer is checked against a wider one before anything is timed. Bytes count every input and output once. The floor of a job "
             "from memory is reading it, or copying it where it writes as much; in a cache it is a loop that only adds, takes exponentials, or adds up "
             "two moments.", "",
             "![Times faster than the peer](cpu.svg)", "", "| what | times | goal |", "|---|---|---|"]
    lines += [f"| {what} | {ratio:.2f} | {goal} |" for what, ratio, goal in ratios(body)]
    others = {path.name: json.loads(path.read_text()) for path in sorted(RESULT.parent.glob("cpu_*.json"))}
    others = {name: b for name, b in others.items() if b.get("what") == "cpu"}
    if others:
        lines += ["", "The same goals on other machines, each by the program of its day, from " + ", ".join(f"`{name}` ({describe(b)})" for name, b in others.items()) + ":", "",
                  "| what | " + " | ".join(f"`{name}`" for name in others) + " | goal |", "|---|" + "---|" * (len(others) + 1)]
        table_of = {name: {what: ratio for what, ratio, _ in ratios(b)} for name, b in others.items()}
        lines += [f"| {what} | " + " | ".join(f"{table_of[name][what]:.2f}" if what in table_of[name] else "–" for name in others) + f" | {goal} |"
                  for what, _, goal in ratios(body)]
    return "\n".join(lines + [""] + table(body)) + "\n"


def plot(body):
    bars = list(ratios(body))
    height = 24 * len(bars) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" font-family="sans-serif" font-size="12">']
    for k, (what, ratio, goal) in enumerate(bars):
        y, length = 10 + 24 * k, min(2.0, ratio / goal) * 180
        colour = "#2a7f62" if ratio >= goal else "#c0563b"
        out.append(f'<text x="415" y="{y + 13}" text-anchor="end">{what}</text><rect x="425" y="{y}" width="{length:.1f}" height="18" fill="{colour}"/>'
                   f'<text x="{430 + length:.1f}" y="{y + 13}">{ratio:.2f}</text>')
    out.append(f'<line x1="605" x2="605" y1="4" y2="{height - 20}" stroke="#333"/><text x="605" y="{height - 6}" text-anchor="middle">goal</text></svg>')
    return "\n".join(out) + "\n"


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["run"] and len(arguments) >= 2:
        rounds = int(arguments[arguments.index("--rounds") + 1]) if "--rounds" in arguments else 3
        run(pathlib.Path(arguments[1]).resolve(), rounds)
    elif arguments == ["page"] or arguments == ["--check"]:
        if not RESULT.exists():
            return 0
        body = json.loads(RESULT.read_text())
        stale = False
        for path, text in ((PAGE, page(body)), (PLOT, plot(body))):
            if arguments == ["page"]:
                path.write_text(text)
            elif not path.exists() or path.read_text() != text:
                print(f"{path.relative_to(ROOT)} is not what {RESULT.relative_to(ROOT)} says: scripts/cpu_bench.py page")
                stale = True
        return 1 if stale else 0
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
