#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`twofold check --json` of every example loop against expected.json: check_loops.py TWOFOLD LOOPS_FOLDER [NAME...]."""
import json
import pathlib
import subprocess
import sys
import time


def differences(expected, code, answer):
    """What the answer says otherwise than expected, in words."""
    if code != expected["exit"]:
        yield f"exit {code}, expected {expected['exit']}"
    if answer.get("schema") != 1:
        yield f"schema {answer.get('schema')}"
    if answer.get("verdict") != expected["verdict"]:
        yield f"verdict {answer.get('verdict')}, expected {expected['verdict']}"
    if expected["verdict"] == "associative":
        names = {role: [v["name"] for v in answer.get("state", []) if v["role"] == role] for role in ("carried", "added")}
        if sorted(names["carried"]) != sorted(expected["carried"]):
            yield f"carried {names['carried']}, expected {expected['carried']}"
        if sorted(names["added"]) != sorted(expected["added"]):
            yield f"added {names['added']}, expected {expected['added']}"
        if (answer.get("proof") or {}).get("status") != "proved":
            yield f"proof {answer.get('proof')}"
        missing = [v["name"] for v in answer.get("state", []) if v["name"] not in answer.get("combine", {})]
        if missing:
            yield f"no merge given for {missing}"
    if expected["verdict"] == "not_associative":
        if answer.get("scope") != expected["scope"]:
            yield f"scope {answer.get('scope')}, expected {expected['scope']}"
        witness = answer.get("counterexample") or {}
        if not witness or witness.get("result") == witness.get("result2"):
            yield f"no witness: {witness}"


def check(twofold, folder, name):
    started = time.monotonic()
    done = subprocess.run([twofold, "check", f"{folder}/{name}", "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    seconds = time.monotonic() - started
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return seconds, {}, [f"exit {done.returncode}, no JSON: {done.stdout[:200]!r} {done.stderr[:300]!r}"]
    return seconds, answer, list(differences(EXPECTED[name], done.returncode, answer))


if __name__ == "__main__":
    program, loops, *names = sys.argv[1:]
    EXPECTED = json.loads((pathlib.Path(loops) / "expected.json").read_text())["loops"]
    failed = 0
    for loop in names or EXPECTED:
        seconds, answer, wrong = check(program, loops, loop)
        state = " ".join(v["name"] + ("+" if v["role"] == "added" else "") for v in answer.get("state", []))
        print(f"{'ok   ' if not wrong else 'WRONG'} {loop:40} {seconds:5.2f} s  {answer.get('verdict')}  {state}")
        for message in wrong:
            print(f"        {message}")
        failed += bool(wrong)
    print(f"{len(names or EXPECTED)} loops, {failed} otherwise than expected")
    sys.exit(1 if failed else 0)
