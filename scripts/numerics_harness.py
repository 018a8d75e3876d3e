#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the results of several shards of the numerics harness, or results put together before, into one: draws add up, of every ratio the worst stays.

    numerics_harness --draws 1.2e7 --seed 20261130 --shard 0/2 --json a.json              # and 1/2 into b.json
    numerics_harness --draws 0 --seed 5 --climbs 40 --steps 20000 --json c.json           # hill climbing
    scripts/numerics_harness.py a.json b.json c.json --output bench/results/numerics_harness.json
"""
import argparse
import datetime
import json
import platform
from pathlib import Path


RUN = ("seed", "shard", "draws", "climbs", "steps", "comparisons", "violations", "seconds")


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def merge_bound(into, other):
    into["comparisons"] += other["comparisons"]
    if other["worst"] > into["worst"]:
        for key in ("worst", "family", "way", "n", "seed"):
            into[key] = other[key]
    for group in ("by_way", "by_family"):
        for name, ratio in other[group].items():
            into[group][name] = max(ratio, into[group].get(name, 0))


def merge_suite(into, other):
    into["draws"] += other["draws"]
    into["violations"] += other["violations"]
    for family, count in other.get("drawn", {}).items():
        into.setdefault("drawn", {})[family] = into.get("drawn", {}).get(family, 0) + count
    into["climbed_to"] = max(into["climbed_to"], other["climbed_to"])
    mine = {bound["bound"]: bound for bound in into["bounds"]}
    for bound in other["bounds"]:
        if bound["bound"] in mine:
            merge_bound(mine[bound["bound"]], bound)
        else:
            into["bounds"].append(bound)


def expect_apart(runs):
    """Shards of one seed share it out; a shard that comes twice, or other shards of the same seed, would count draws twice."""
    seen = {}
    for run in runs:
        if run["draws"] == 0 or not run.get("shard"):
            continue
        shard, shards = run["shard"].split("/")
        mine = seen.setdefault(run["seed"], (shards, set()))
        if shards != mine[0] or shard in mine[1]:
            raise SystemExit(f"seed {run['seed']}, shard {run['shard']}: these draws are counted already")
        mine[1].add(shard)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shards", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    results = [json.loads(path.read_text(encoding="utf-8")) for path in args.shards]
    runs = [run for result in results for run in result.get("runs", [result])]
    expect_apart(runs)
    suites = {}
    for result in results:
        for suite in result["suites"]:
            if suite["suite"] in suites:
                merge_suite(suites[suite["suite"]], suite)
            else:
                suites[suite["suite"]] = suite
    whole = {"schema": 1, "date": datetime.date.today().isoformat(), "what": "numerics_harness", "program": results[0]["program"],
             "cpu": cpu_name(), "runs": [{key: run.get(key) for key in RUN} for run in runs], "ways": results[0]["ways"]}
    for key in ("draws", "comparisons", "violations"):
        whole[key] = sum(run[key] for run in runs)
    whole["evaluations"] = whole["draws"] * len(whole["ways"])
    whole["controls"] = next((result["controls"] for result in results if result["controls"]), [])
    whole["suites"] = list(suites.values())
    args.output.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{whole['draws']} draws, {whole['comparisons']} comparisons, {whole['violations']} violations, {len(suites)} suites")


if __name__ == "__main__":
    main()
