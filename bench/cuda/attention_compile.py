# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiling attention costs and what the assembler says: each unit of the library alone, without a cache and without a device.

    bench/cuda/attention_compile.py FOLDER RESULT     objects go to FOLDER, the result file to RESULT

Seconds are the processor's (user and system, all of nvcc's processes), so that other work on the machine does not count; peak: the largest of its
processes. spilling: kernels with spilled registers; serialised: messages C75xx (products that wait for each other).
"""
import datetime
import json
import re
import resource
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from attention_checks import FLAGS, KERNELS  # noqa: E402


def unit(name, source, target, definitions):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["/usr/bin/env", "time", "-f", "peak %M", "nvcc", *FLAGS, "-O3", "-Xptxas", "-v", *definitions, "-c", source, "-o", str(target)],
                          capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError(said)
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill stores", said)]
    return {"what": "unit", "name": name, "seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
            "peak_mb": round(int(re.search(r"peak (\d+)", said).group(1)) / 1024), "kernels": len(spills), "spilling": sum(n > 0 for n in spills),
            "serialised": len(re.findall(r"C75\d\d", said))}


def main():
    folder, result = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for head, element, plain in KERNELS:
        name = f"{head}_{element}_{'plain' if plain == 'true' else 'changed'}"
        definitions = [f"-DTWOFOLD_HEAD={head}", f"-DTWOFOLD_ELEMENT={element}", f"-DTWOFOLD_PLAIN={plain}"]
        rows.append(unit(name, "src/library/cuda/attention_kernels.cu", folder / f"kernels_{name}.o", definitions))
        print(json.dumps(rows[-1]), flush=True)
    rows.append(unit("merge", "src/library/cuda/attention_merge.cu", folder / "kernels_merge.o", []))
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    version = re.search(r"release ([\d.]+)", subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout)
    text = {"schema": 1, "what": "attention_compile", "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), "machine": model.group(1) if model else "",
            "cuda": version.group(1), "program": "bench/cuda/attention_compile.py", "rows": rows}
    result.write_text(json.dumps(text, separators=(", ", ": ")).replace("}, {", "},\n{") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
