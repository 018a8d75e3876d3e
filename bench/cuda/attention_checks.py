# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on a device, checked: every kernel is built, then the correctness matrix, merging, the operator's own states, the C interface, the PTX layer,
late arrivals at barriers, compute-sanitizer, and kernels broken on purpose. Run in the project's root on a machine with nvcc and a device:

    bench/cuda/attention_checks.py FOLDER [--library SO] [--skip PART,…]    PARTS: matrix ptx delays sanitizers mutants

FOLDER: for objects and programs. --library: also a shared library with the C interface, for attention_peers.py. One JSON object a line, which
scripts/gpu_attention.py collects; exit status 1 if anything fails.
"""
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FLAGS = ["-std=c++20", "-gencode=arch=compute_90a,code=sm_90a", "-Xcompiler=-fPIC", "-Iinclude", "-Itests", "-I."]
KERNELS = [(head, element, plain) for head in (64, 128, 192, 256) for element in ("bf16", "fp16") for plain in ("true", "false")]
PTX = ("products", "copies", "order", "math")
TESTS = ("attention", "merge", "places", "features", "algebra", "c_api", "example")
failed = False


def say(**line):
    global failed
    failed |= bool(line.get("failures") or line.get("errors") or line.get("result", "caught") != "caught")
    print(json.dumps(line), flush=True)


def nvcc(*arguments):
    done = subprocess.run(["nvcc", *FLAGS, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout + done.stderr


def build(folder, parts):
    """Objects of every kernel, then the programs; what the assembler says of registers is returned by kernel."""
    jobs, said = {}, {}
    with ThreadPoolExecutor(16) as pool:
        def start(name, *arguments):
            jobs[name] = pool.submit(nvcc, *arguments)

        for head, element, plain in KERNELS:
            start(f"{head}_{element}_{plain}", "-O3", "-Xptxas", "-v", f"-DTWOFOLD_HEAD={head}", f"-DTWOFOLD_ELEMENT={element}", f"-DTWOFOLD_PLAIN={plain}", "-c",
                  "src/library/cuda/attention_kernels.cu", "-o", folder / f"kernels_{head}_{element}_{plain}.o")
        start("merge", "-O3", "-c", "src/library/cuda/attention_merge.cu", "-o", folder / "kernels_merge.o")
        start("c", "-O2", "-c", "src/library/cuda/attention_c.cpp", "-o", folder / "kernels_c.o")
        for name in ("attention", "merge", "places", "features"):
            start(f"{name}_test", "-O2", "-c", f"tests/cuda/attention/{name}_test.cu", "-o", folder / f"{name}_test.o")
        start("algebra_test", "-O2", "-c", "tests/cuda/attention/algebra_test.cpp", "-o", folder / "algebra_test.o")
        start("c_api_test", "-O2", "-c", "tests/cuda/attention/c_api_test.c", "-o", folder / "c_api_test.o")
        start("example", "-O2", "-c", "examples/device/attention.cpp", "-o", folder / "example_test.o")
        if "delays" in parts:
            start("delays", "-O1", "-DTWOFOLD_DELAYS", "bench/cuda/attention_few.cu", "tests/cuda/attention/attention_test.cu", "-o", folder / "delays")
        for name in PTX if "ptx" in parts else ():
            start(f"ptx_{name}", "-O2", f"tests/cuda/ptx_{name}_test.cu", "-o", folder / f"ptx_{name}")
        for name, job in jobs.items():
            said[name] = job.result()
    objects = sorted(folder.glob("kernels_*.o"))
    for name in TESTS:
        nvcc("-cudart", "static", folder / f"{name}_test.o", *objects, "-o", folder / f"{name}_test")
    return objects, said


def registers(said):
    """Kernels, those that spill, and messages of the assembler about products that wait for each other."""
    text = "".join(said[f"{h}_{e}_{p}"] for h, e, p in KERNELS)
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill stores", text)]
    plain = [int(n) for h, e, p in KERNELS if p == "true" for n in re.findall(r"(\d+) bytes spill stores", said[f"{h}_{e}_{p}"])]
    say(what="assembler", kernels=len(spills), spilling=sum(n > 0 for n in spills), plain=len(plain), plain_spilling=sum(n > 0 for n in plain),
        serialised=len(re.findall(r"C75\d\d", text)))


def program(name, *arguments, timeout=300):
    """Runs a program of tests; its lines of JSON, or the number of failures that it ends with."""
    done = subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    for line in done.stdout.splitlines():
        if line.startswith("FAILED"):
            print(line, file=sys.stderr)
    found = [json.loads(line) for line in lines]
    if not found:
        end = re.search(r"^(\d+) failures$", done.stdout, re.MULTILINE)
        found = [{"failures": int(end.group(1)) if end else 0 if done.returncode == 0 else -1}]
    for row in found:
        say(what="check", program=name, **row)
    if done.returncode:
        say(what="check", program=name, failures=max(1, done.returncode))


def sanitizers(folder):
    """Four tools side by side; each has its own process, and the device takes turns."""
    def one(tool):
        done = subprocess.run(["compute-sanitizer", "--tool", tool, str(folder / "attention_test"), "smoke"], capture_output=True, text=True, timeout=400, check=False)
        (folder / f"{tool}.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
        found, cases = re.search(r"SUMMARY: (\d+) (?:error|hazard)", done.stdout), re.search(r'"part":"smoke","cases":(\d+)', done.stdout)
        return dict(what="sanitizer", tool=tool, cases=int(cases.group(1)) if cases else 0, errors=int(found.group(1)) if found else -1)

    with ThreadPoolExecutor(4) as pool:
        for line in pool.map(one, ("memcheck", "racecheck", "synccheck", "initcheck")):
            say(**line)


def mutants():
    for names in ("attention/", "ptx/", "tensor_map"):
        done = subprocess.run([sys.executable, "bench/cuda/mutants.py", "16", names], capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            say(**json.loads(line))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    skipped = sys.argv[sys.argv.index("--skip") + 1].split(",") if "--skip" in sys.argv else []
    parts = [p for p in ("matrix", "ptx", "delays", "sanitizers", "mutants") if p not in skipped]
    objects, said = build(folder, parts)
    registers(said)
    if "--library" in sys.argv:
        nvcc("-shared", "-cudart", "static", *objects, "-o", sys.argv[sys.argv.index("--library") + 1])
    if "matrix" in parts:
        for name in TESTS:
            program(f"{name}_test", folder / f"{name}_test")
    if "ptx" in parts:
        for name in PTX:
            program(f"ptx_{name}_test", folder / f"ptx_{name}", timeout=30)
    if "delays" in parts:
        program("late arrivals at barriers", folder / "delays", "few")
    if "sanitizers" in parts:
        sanitizers(folder)
    if "mutants" in parts:
        mutants()
    return failed


if __name__ == "__main__":
    sys.exit(main())
