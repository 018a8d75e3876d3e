#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every public header alone, included twice, with one compiler: headers_alone.py ROOT gcc|clang|nvcc COMPILER [JOBS].

nvcc takes the headers that are for it (*.cuh, cuda/*) one by one, and all others that device code includes in one file: that each of those stands
alone is what the other compilers see."""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

FLAGS = {
    "gcc": ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"],
    "clang": ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"],
    "nvcc": ["-std=c++20", "-x", "cu", "-c", "-o", "/dev/null", "-arch=sm_80", "--expt-relaxed-constexpr", "-fdevice-syntax-only"],
}


def compile_alone(headers, root, kind, compiler, folder):
    names = [h.relative_to(root / "include").as_posix() for h in headers]
    name = names[0] + (f" and {len(names) - 1} others" if len(names) > 1 else "")
    source = folder / (names[0].replace("/", "_") + (".cu" if kind == "nvcc" else ".cpp"))
    source.write_text("".join(f"#include <{n}>\n" for n in 2 * names) + "int main() {}\n")
    command = [compiler, *FLAGS[kind], f"-I{root / 'include'}", str(source)]
    result = subprocess.run(command, capture_output=True, text=True)
    return name, result.returncode, result.stdout + result.stderr


def main(root, kind, compiler, jobs=2):
    root = pathlib.Path(root)
    headers = sorted((root / "include" / "twofold").rglob("*.hpp"))
    if kind == "nvcc":
        headers += sorted((root / "include" / "twofold").rglob("*.cuh"))
        device = ("algebra", "ops", "cuda")  # what device code includes; the rest comes with twofold.hpp, once
        headers = [h for h in headers if h.parent.name == "twofold" or h.relative_to(root / "include" / "twofold").parts[0] in device]
    else:  # what lies under cuda/ needs the toolkit's own headers
        headers = [h for h in headers if "cuda" not in h.relative_to(root / "include" / "twofold").parts]
    own = [h for h in headers if kind != "nvcc" or "cuda" in h.relative_to(root / "include" / "twofold").parts]
    files = [[h] for h in own] + ([sorted(set(headers) - set(own))] if len(own) < len(headers) else [])
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        tasks = [pool.submit(compile_alone, h, root, kind, compiler, pathlib.Path(folder)) for h in files]
        for name, code, text in (task.result() for task in tasks):
            if code != 0:
                failed += 1
                print(f"{name}: does not compile alone with {compiler}\n{text}")
    print(f"{len(headers)} headers alone and twice with {compiler}: {failed} fail")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
