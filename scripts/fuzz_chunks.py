# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the two fuzzers' scripts share: chunks of seeds, several at a time, and the commit that they ran."""
import concurrent.futures
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def commit():
    """Of the sources that were built: TWOFOLD_COMMIT where the programs run away from their repository."""
    if os.environ.get("TWOFOLD_COMMIT"):
        return os.environ["TWOFOLD_COMMIT"]
    text = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    changed = subprocess.run(["git", "-C", str(ROOT), "status", "--porcelain", "-uno", "src", "tests"], capture_output=True, text=True, check=False)
    return text.stdout.strip() + (" and changes" if changed.stdout.strip() else "")


def run(chunk, wanted, left, next_seed, size, jobs, hours):
    """Yields (level, first seed, count, chunk(level, first, count)) as they end, the levels in proportion to what is wanted; next_seed and
    left, by level, are kept up to date. No chunk begins after `hours`."""
    end, running = time.monotonic() + hours * 3600, {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while True:
            while len(running) < jobs and time.monotonic() < end and max(left.values()) > 0:
                level = max(left, key=lambda k: left[k] / max(1, wanted[k]))
                count = min(size[level], left[level])
                running[pool.submit(chunk, level, next_seed[level], count)] = level, next_seed[level], count
                next_seed[level] += count
                left[level] -= count
            if not running:
                return
            for done in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                yield *running.pop(done), done.result()
