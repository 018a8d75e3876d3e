#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes and checks examples/data/nist: the nine univariate data sets of NIST's Statistical Reference Datasets (public domain).

    scripts/make_nist.py             checks what is stored: counts, and mean and deviation against the certified digits
    scripts/make_nist.py FOLDER      first rewrites it: observed sets from NIST's own .dat files in FOLDER, constructed sets by rule

Each set is stored twice: NAME.csv, the decimal text as published (what the certified values speak of), and NAME.npy, the same
numbers rounded once to double (what a program can at best be given).
"""
import ast
import decimal
import json
import pathlib
import struct
import sys
from decimal import Decimal

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples" / "data" / "nist"
OBSERVED = ("Michelso", "Mavro", "Lottery", "Lew")
decimal.getcontext().prec = 60


def alternating(centre, unit):
    """Simon and Lesage: the centre, then 500 pairs one unit below and one above it."""
    c, u = Decimal(centre), Decimal(unit)
    return [str(c)] + [str(c - u), str(c + u)] * 500


def pi_digits(count):
    """Machin: pi = 16 atan(1/5) - 4 atan(1/239), in integers."""
    sys.set_int_max_str_digits(count + 100)
    one = 10 ** (count + 10)

    def arctan_of_inverse(x):
        term, total, k = one // x, one // x, 1
        while term:
            term //= x * x
            k += 2
            total += -(term // k) if k % 4 == 3 else term // k
        return total

    return list(str(16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239))[:count])


def published_pi_digits():
    """NIST's file has a 3 where pi has its 957th digit, 8; the certified values are those of the file."""
    digits = pi_digits(5000)
    digits[956] = "3"
    return digits


def constructed():
    return {
        "PiDigits": published_pi_digits(),
        "NumAcc1": ["10000001", "10000003", "10000002"],
        "NumAcc2": alternating("1.2", "0.1"),
        "NumAcc3": alternating("1000000.2", "0.1"),
        "NumAcc4": alternating("10000000.2", "0.1"),
    }


def observed(path):
    """The numbers after the last ruled line of one of NIST's files."""
    lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    last_rule = max(i for i, line in enumerate(lines) if line.strip().startswith("---"))
    return [line.strip() for line in lines[last_rule + 1 :] if line.strip()]


def write(name, values):
    (FOLDER / f"{name}.csv").write_text("\n".join(values) + "\n")
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    body = struct.pack(f"<{len(values)}d", *map(float, values))
    (FOLDER / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body)


def read_npy(path):
    blob = path.read_bytes()
    (size,) = struct.unpack("<H", blob[8:10])
    (count,) = ast.literal_eval(blob[10 : 10 + size].decode())["shape"]
    return struct.unpack(f"<{count}d", blob[10 + size :])


def moments(values):
    n = len(values)
    mean = sum(values) / n
    return mean, (sum((v - mean) ** 2 for v in values) / (n - 1)).sqrt()


def agrees(computed, certified):
    """Equal to the digits that are certified: within one unit of the last one printed."""
    reference = Decimal(certified)
    return abs(computed - reference) <= Decimal(1).scaleb(reference.as_tuple().exponent)


def check():
    certified = json.loads((FOLDER / "certified.json").read_text())["sets"]
    wrong = 0
    for name, expected in certified.items():
        values = [Decimal(line) for line in (FOLDER / f"{name}.csv").read_text().split()]
        mean, deviation = moments(values)
        good = len(values) == expected["n"] and agrees(mean, expected["mean"]) and agrees(deviation, expected["deviation"])
        good = good and tuple(map(float, values)) == read_npy(FOLDER / f"{name}.npy")
        print(f"{'ok   ' if good else 'WRONG'} {name:9} n={len(values):5} mean={mean:.15g} deviation={deviation:.15g}")
        wrong += not good
    return wrong


if __name__ == "__main__":
    if len(sys.argv) == 2:
        sets = constructed() | {name: observed(pathlib.Path(sys.argv[1]) / f"{name}.dat") for name in OBSERVED}
        for name, values in sets.items():
            write(name, values)
    sys.exit(1 if check() else 0)
