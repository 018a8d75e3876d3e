#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The evidence of every proved loop, replayed by two solvers as processes: cvc5 and Z3 answer `unsat` to every claim, or this fails.

    scripts/replay_evidence.py [--program build/dev/bin/twofold] [--seconds 20] [--output FILE.json] FILE_OR_FOLDER…
    scripts/replay_evidence.py --corpus build/dev/bin/twofold_evidence [--mutants 200] [--output bench/results/evidence_corpus.json] tests/loops/inputs

--corpus: the loops are those of the corpus that are expected to merge, and mutants of their merges are tried as well. --known lists the
loops whose claims one of the solvers leaves open within its time; each may be open, no other one.

Exit 1 where a claim is not discharged by both, 77 where neither solver is installed. One that is missing is said and left out.
"""
import argparse
import concurrent.futures
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOLVERS = {"cvc5": ["cvc5", "--incremental", "--lang=smt2"], "z3": ["z3", "-smt2"]}


def spent(pid):
    """Processor time of a running process in seconds; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0


def replay(command, file, claims, seconds):
    """"unsat" where every claim is discharged, else why not; and the processor time in milliseconds: machines are shared."""
    limit = math.ceil(seconds)
    bound = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    child = subprocess.Popen([*command, str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, preexec_fn=bound)
    done, end = threading.Event(), time.monotonic() + 60 * seconds

    def watch():  # a solver that catches the signal of its limit may go on for ever
        while not done.wait(1):
            if spent(child.pid) > limit + 2 or time.monotonic() > end:
                return child.kill()

    threading.Thread(target=watch, daemon=True).start()
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    done.set()
    child.returncode = os.waitstatus_to_exitcode(status)
    took = round((used.ru_utime + used.ru_stime) * 1000, 1)
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "no answer in time", took
    answers = said.split("\n")
    others = [a for a in answers if a.strip() and a.strip() != "unsat"]
    if others or child.returncode != 0:
        return f"answered {(others or ['nothing'])[0][:120]!r}, exit {child.returncode}", took
    given = sum(a.strip() == "unsat" for a in answers)
    return ("unsat" if given == claims and claims > 0 else f"{given} of {claims} answers"), took


def replay_each(command, file, claims, seconds):
    """As replay; where the script as a whole is not discharged, each claim by itself has that time. Then also the claims left open."""
    answer, took = replay(command, file, claims, seconds)
    if answer == "unsat":
        return answer, took, []
    head, *parts = file.read_text().split("(reset)\n")
    name, left = head.strip().split("\n")[-1], []
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder) / "claim.smt2"
        for number, part in enumerate(parts):
            one.write_text(part)
            said, more = replay(command, one, 1, seconds)
            took += more
            if said != "unsat":
                left.append(f"{number} {name}: {said}")
            said_of_next = [line for line in part.split("(check-sat)")[-1].split("\n") if line.startswith("; ")]
            name = (said_of_next or [name])[-1]
    if len(parts) != claims:
        left.append(f"{len(parts)} of {claims} claims")
    return ("unsat" if not left else f"{len(left)} of {claims} claims open, the first {left[0]}"), round(took, 1), left


def loops_of(program, source):
    done = subprocess.run([program, "check", str(source), "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [r["function"] for r in json.loads(done.stdout).get("results", []) if r.get("verdict") == "associative"]


def write_corpus(a, sources, folder):
    """The evidence of the corpus in `folder`, FILE.FUNCTION.smt2 each; what became of the mutants, loop by loop."""
    def attack(source):
        table = folder / (source.stem + ".json")
        subprocess.run([a.corpus, "--every", str(a.every), "--mutants", str(a.mutants), "--evidence", str(folder), "--json", str(table), str(source)], stdout=subprocess.DEVNULL, check=False)
        return json.loads(table.read_text()) if table.is_file() else []

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        return [row for rows in pool.map(attack, sources) for row in rows]


def corpus(a, solvers, sources):
    """1 where a mutant is unsound or a claim open that is not known to be."""
    known = {line.split()[0] for line in a.known.read_text().splitlines() if line and not line.startswith("#")} if a.known else set()
    with tempfile.TemporaryDirectory() as folder:
        rows = write_corpus(a, sources, Path(folder))

        def by_both(row):
            file = Path(folder) / (row["loop"].replace(":", ".") + ".smt2")
            row["laws_not_claimed"] = file.read_text().count("not claimed here")
            left = set()
            for name, command in solvers.items():
                row[name], row[name + "_ms"], open_claims = replay_each(command, file, row["claims"], a.seconds) if row["claims"] else ("nothing to claim", 0, [])
                left |= {claim.split()[0] for claim in open_claims}
            row["claims_open"] = len(left)

        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            list(pool.map(by_both, rows))
    good = lambda row: all(row[n] in ("unsat", "nothing to claim") for n in solvers)
    answered = [row for row in rows if good(row)]
    bad = [row["loop"] for row in rows if not good(row) and row["loop"] not in known]
    unsound = [row["loop"] for row in rows if row["unsound"]]
    summary = {"schema": 1, "every": a.every, "mutants_of_a_merge": a.mutants, "loops": len(rows), "claims": sum(r["claims"] for r in rows), "claims_discharged_by_both": sum(r["claims"] - r["claims_open"] for r in rows), "laws_not_claimed": sum(r["laws_not_claimed"] for r in rows), "obligations_left_out": sum(r["obligations_left_out"] for r in rows), "discharged_by_both": len(answered), "discharged_by": {n: sum(r[n] in ("unsat", "nothing to claim") for r in rows) for n in solvers}, "contradicted": [r["loop"] for r in rows if any("'sat'" in r[n] for n in solvers)], "mutants": sum(r["mutants"] for r in rows), "mutants_wrong_on_words": sum(r["wrong_on_words"] for r in rows), "mutants_refuted": sum(r["refuted"] for r in rows), "mutants_proved_equal": sum(r["proved_equal"] for r in rows), "mutants_open": sum(len(r["open"]) for r in rows), "unsound": unsound, "seconds": a.seconds, "solvers": list(solvers), "rows": rows}
    if a.output:
        a.output.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    for row in rows:
        if not good(row):
            print("OPEN ", row["loop"], {n: row[n] for n in solvers})
    print({k: v for k, v in summary.items() if k != "rows"})
    return 1 if bad or unsound or not rows else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default=str(ROOT / "build/dev/bin/twofold"))
    arguments.add_argument("--seconds", type=float, default=20, help="for each solver and loop, and again for each claim of a loop that is not discharged as a whole")
    arguments.add_argument("--every", type=int, default=1, help="take every Nth loop of each file")
    arguments.add_argument("--output", type=Path)
    arguments.add_argument("--corpus", help="the program twofold_evidence: loops of the corpus, and mutants")
    arguments.add_argument("--mutants", type=int, default=200, help="of one loop's merge, at most")
    arguments.add_argument("--jobs", type=int, default=1, help="of the corpus: files, and loops to replay, at once")
    arguments.add_argument("--known", type=Path, help="loops whose claims a solver may leave open")
    arguments.add_argument("sources", nargs="+", type=Path)
    a = arguments.parse_args()
    solvers = {name: command for name, command in SOLVERS.items() if shutil.which(command[0])}
    for name in set(SOLVERS) - set(solvers):
        print(f"{name} is not installed: left out", file=sys.stderr)
    if not solvers:
        return 77
    sources = [f for s in a.sources for f in (sorted(s.rglob("*.cpp")) if s.is_dir() else [s])]
    if a.corpus:
        return corpus(a, solvers, sources)
    rows, bad = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            for function in loops_of(a.program, source)[:: a.every]:
                place = Path(folder) / str(len(rows))
                subprocess.run([a.program, "check", f"{source}:{function}", "--proof", str(place)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                files = list(place.glob("*.smt2"))
                row = {"loop": f"{source.name}:{function}", "claims": 0}
                if not files or not (place / "README.txt").is_file():
                    row["evidence"] = "none written"
                    bad += 1
                else:
                    row["claims"] = files[0].read_text().count("(check-sat)")
                    for name, command in solvers.items():
                        row[name], row[name + "_ms"] = replay(command, files[0], row["claims"], a.seconds)
                    bad += any(row[name] != "unsat" for name in solvers)
                rows.append(row)
                print("ok   " if all(row.get(n) == "unsat" for n in solvers) else "OPEN ", row, flush=True)
    summary = {"schema": 1, "loops": len(rows), "claims": sum(r["claims"] for r in rows), "not_discharged_by_both": bad, "solvers": list(solvers), "rows": rows}
    if a.output:
        a.output.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(rows)} loops, {summary['claims']} claims, {bad} not discharged by {' and '.join(solvers)}")
    return 1 if bad or not rows else 0


sys.exit(main())
