"""Trials that train bad networks, beside good ones, while the driver is killed now and then.

usage: networks.py PROGRAMS [--kills N]
"""

import argparse
import contextlib
import csv
import io
import json
import random
import resource
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

# What there is for one process, so that a network of 48 GB asks for more on every machine.
MEMORY = 24 << 30
STUDY = """\
name: study
data: {csv: rows.csv, target: kind}
network: [dense: {units: $width}, dense: {units: $width}]
train: {optimizer: {sgd: {lr: $lr}}, epochs: 6}
adapt: {policy: command, command: [sh, decide.sh], every: 2}
method: grid
early_stop: none
parallel: 3
parameters:
  width: {values: WIDTHS}
  lr: {values: RATES}
retry: {max: 1, on: [out_of_memory]}
"""
GOOD = {"WIDTHS": "[8, 16]", "RATES": "[0.01, 0.02]"}
ALL = {"WIDTHS": "[8, 12, 110000, 16]", "RATES": "[0.01, 1.0e30, 0.02]"}
# A network of this width gets an answer that is none: its task throws.
DECIDE = """case $(cat) in *-12-*) echo nonsense;; *) echo null;; esac"""


def expected(params):
    """State, cause and attempts of the trial with these parameters."""
    if params["width"] == 110000:
        return "failed", "out_of_memory", 2
    if params["lr"] > 1:
        return "failed", "diverged", 1
    if params["width"] == 12:
        return "failed", "error", 1
    return "complete", None, 1


class Place:
    def __init__(self, programs, folder):
        self.trellis = str(Path(programs).resolve() / "trellis")
        self.folder = Path(folder)
        chance = random.Random(4)
        rows = ["a,b,c,kind"]
        for _ in range(240):
            a, b, c = (round(chance.uniform(-1, 1), 4) for _ in range(3))
            rows.append(f"{a},{b},{c},{'yes' if a + b > c else 'no'}")
        (self.folder / "rows.csv").write_text("\n".join(rows) + "\n")
        (self.folder / "decide.sh").write_text(DECIDE)

    def start(self, values, runs):
        text = STUDY
        for word, value in values.items():
            text = text.replace(word, value)
        (self.folder / f"{runs}.yaml").write_text(text)
        return subprocess.Popen([self.trellis, "sweep", f"{runs}.yaml", "--dir", runs], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))

    def finish(self, values, runs):
        driver = self.start(values, runs)
        output, progress = driver.communicate(timeout=120)
        assert driver.returncode == 0, f"exit code {driver.returncode}: {output}{progress}"

    def read(self, runs, *words):
        done = subprocess.run([self.trellis, words[0], "study", "--dir", runs, *words[1:]], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def results(self, runs):
        """The exported line of each complete trial, by its parameters, without its number."""
        lines = {}
        for row in csv.DictReader(io.StringIO(self.read(runs, "export", "--format", "csv"))):
            if row["state"] == "complete":
                lines[row["params.width"], row["params.lr"]] = {key: value for key, value in row.items() if key != "trial"}
        return lines

    def networks(self, runs):
        """The names of the networks that the complete trials reported: equal names are equal bytes."""
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/{runs}/study/study.db?mode=ro", uri=True)) as log:
            found = {}
            for trial in json.loads(self.read(runs, "trials", "--json")):
                rows = log.execute("select payload from events where trial = ? and kind = 'reported' order by seq",
                                   (trial["trial"],))
                if trial["state"] == "complete":
                    params = trial["params"]
                    found[params["width"], params["lr"]] = [json.loads(payload)["checkpoint"] for payload, in rows]
            return found


def check(place, runs):
    rows = json.loads(place.read(runs, "trials", "--json"))
    assert len(rows) == 12, f"{len(rows)} trials"
    for row in rows:
        found = (row["state"], row["cause"], row["attempts"])
        wanted = expected(row["params"])
        assert found == wanted, f"trial {row['trial']} {row['params']}: {found}, expected {wanted}"
    assert place.results(runs) == place.results("good"), "a complete trial has another result than without the bad ones"
    assert place.networks(runs) == place.networks("good"), "a complete trial has another network than without the bad ones"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(options.programs, folder)
        place.finish(GOOD, "good")
        place.finish(ALL, "all")
        check(place, "all")
        kills = 0
        while kills < options.kills:
            driver = place.start(ALL, "killed")
            time.sleep(chance.uniform(0.02, 0.5))
            driver.send_signal(signal.SIGKILL)
            kills += 1
            driver.communicate(timeout=60)
        place.finish(ALL, "killed")
        check(place, "killed")
        assert place.read("killed", "export") == place.read("all", "export")
    print(f"8 bad networks ended as they should beside 4 good ones, {kills} kills of the driver")


if __name__ == "__main__":
    main()
