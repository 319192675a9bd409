#!/usr/bin/env python3
"""The calibration error of networks on rows that their studies never saw, without their temperature and with it.

usage: calibration.py PROGRAMS TABLES [NAME]...
TABLES is the folder of rivals/tables_fetch.py. Of each table of classes three of ten rows are held out and one search is made
on the rest. Prints a line for each: rows, temperature, error before and after, and twice the standard error of their
difference over 500 resamples of the rows."""
import csv
import json
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = {"letters": "lettr", "shuttle": "Class", "spam": "type", "credit": "class", "segment": "class", "soybean": "Class",
           "votes": "Class"}
MOST_BINS = 100
DRAWS = 500


def error_of(rows):
    """As nn::calibration_error() has it; rows are pairs of confidence and whether it was right."""
    rows, n = sorted(rows), len(rows)
    confident, right = [0.0], [0]
    for share, good in rows:
        confident.append(confident[-1] + share)
        right.append(right[-1] + good)
    found = None
    for bins in range(1, min(n, MOST_BINS) + 1):
        cuts = [b * n // bins for b in range(bins + 1)]
        shares = [(right[b] - right[a]) / (b - a) for a, b in zip(cuts, cuts[1:])]
        if any(x > y for x, y in zip(shares, shares[1:])):
            break
        found = sum(abs(confident[b] - confident[a] - right[b] + right[a]) for a, b in zip(cuts, cuts[1:])) / n
    return found


def temperature_of(model):
    content = model.read_bytes()
    length, = struct.unpack("<Q", content[:8])
    return json.loads(json.loads(content[8:8 + length])["__metadata__"]["calibration"])["temperature"]


def without(shares, temperature):
    """The probabilities before the logits were divided."""
    logs = [temperature * math.log(max(share, 1e-45)) for share in shares]
    powers = [math.exp(log - max(logs)) for log in logs]
    return [power / sum(powers) for power in powers]


def judged(trellis, folder, table, target):
    """Pairs of every new row before and after, and the temperature."""
    chance = random.Random(1)
    with open(table, encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    chance.shuffle(rows)
    held_out = len(rows) * 3 // 10
    for name, part in (("new.csv", rows[:held_out]), ("known.csv", rows[held_out:])):
        with open(folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *part])
    (folder / "study.yaml").write_text(f"data: {{csv: known.csv, target: {target}, task: classification}}\n")

    def run(*words):
        return subprocess.run([trellis, *words], cwd=folder, capture_output=True, text=True, check=True, timeout=3600).stdout

    run("sweep", "study.yaml", "--quiet")
    temperature = temperature_of(folder / "runs/study/best.safetensors")
    before, after = [], []
    for line in csv.DictReader(run("predict", "study", "new.csv", "--proba", "--keep", target, "--quiet").splitlines()):
        names = [name[len("proba."):] for name in line if name.startswith("proba.")]
        shares = [float(line["proba." + name]) for name in names]
        right = names[shares.index(max(shares))] == line[target]
        after.append((max(shares), right))
        before.append((max(without(shares, temperature)), right))
    return before, after, temperature


def main():
    trellis, tables = Path(sys.argv[1]).resolve() / "trellis", Path(sys.argv[2])
    print("table rows temperature before after after-before 2se")
    for name in sys.argv[3:] or TARGETS:
        with tempfile.TemporaryDirectory() as folder:
            before, after, temperature = judged(trellis, Path(folder), tables / f"{name}.csv", TARGETS[name])
        chance, draws = random.Random(2), []
        for _ in range(DRAWS):
            drawn = chance.choices(range(len(after)), k=len(after))
            draws.append(error_of([after[i] for i in drawn]) - error_of([before[i] for i in drawn]))
        mean = sum(draws) / DRAWS
        error = math.sqrt(sum((draw - mean) ** 2 for draw in draws) / (DRAWS - 1))
        first, second = error_of(before), error_of(after)
        print(f"{name} {len(after)} {temperature} {first:.4f} {second:.4f} {second - first:+.4f} {2 * error:.4f}", flush=True)


if __name__ == "__main__":
    main()
