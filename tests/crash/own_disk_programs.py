"""Programs on agents that do not see the study's folder: their reports, logs, checkpoints and files come to the driver.

usage: own_disk_programs.py PROGRAMS [--losses N] [--drivers N] [--seed N]
"""

import argparse
import csv
import io
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import agents
import own_disks
import small_study as small

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from processes import children_of

STUDY = """\
name: small
seed: 3
command: [python3, %s/steps.py, $lr]
parameters: {lr: {min: 0.0, max: 1.0}}
metric: {name: valid.accuracy, goal: maximize}
method: tpe
early_stop: {type: asha, min: 1, eta: 2, max: 4}
limits: {trials: 8, grace: 1s}
order: virtual
parallel: 4
"""
LONG = """\
name: small
seed: 3
command: [python3, %s/steps.py, $lr, 12]
parameters: {lr: {min: 0.0, max: 1.0}}
metric: {name: valid.accuracy, goal: maximize}
limits: {trials: 1, grace: 1s}
"""
STEPS = """\
import json, os, sys, time

lr = float(sys.argv[1])
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 4
mark = os.path.join(os.environ["TRELLIS_CHECKPOINT_DIR"], "state", "step")
os.makedirs(os.path.dirname(mark), exist_ok=True)
begin = int(open(mark).read().split()[0]) if os.path.exists(mark) else 0
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "begun"), "a") as begun:
    begun.write(f"{begin}\\n")
for step in range(begin + 1, steps + 1):
    time.sleep(0.03 if steps == 4 else 0.3)
    print("step", step, flush=True)
    with open(os.environ["TRELLIS_METRICS"], "a") as metrics:
        metrics.write(json.dumps({"step": step, "valid.accuracy": 1 - (lr - 0.3) ** 2 - 0.5 / step}) + "\\n")
    with open(mark + ".new", "w") as new:
        new.write(f"{step} " + "x" * 300_000)
    os.replace(mark + ".new", mark)
    with open(os.path.join(os.environ["TRELLIS_TRIAL_DIR"], "model.bin"), "wb") as model:
        model.write(bytes([step]) * 100_000)
"""


def content(runs):
    """What programs left behind, by trial."""
    found = {}
    for folder in sorted((runs / "small" / "trials").iterdir()):
        files = [path for path in folder.rglob("*") if path.is_file()]
        found[folder.name] = {str(path.relative_to(folder)): path.read_bytes() for path in files if path.name != "log.before"}
    return found


def outcome(place, runs, done):
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return {"export": place.export(runs), "events": small.events(runs)}


class Study:
    """A study whose agents are elsewhere."""

    def __init__(self, programs, text):
        self.tools = tempfile.TemporaryDirectory()
        (Path(self.tools.name) / "steps.py").write_text(STEPS)
        self.place = small.Place(programs, study=text % self.tools.name)

    def __enter__(self):
        self.place.__enter__()
        self.environment = own_disks.apart(self.place, self.tools.name)
        return self

    def __exit__(self, *what):
        self.place.__exit__(*what)
        self.tools.cleanup()

    def start(self, runs):
        return subprocess.Popen(self.place.command(runs, "--hosts", ",".join(own_disks.HOSTS)), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.environment)

    def ended(self, driver):
        out, errors = driver.communicate(timeout=120)
        return subprocess.CompletedProcess([], driver.returncode, out, errors)


def check_equal(study, options):
    reference = study.place.folder / "reference"
    expected = outcome(study.place, reference, study.place.sweep(reference))
    runs = study.place.folder / "apart"
    wrong = small.differences(expected, outcome(study.place, runs, study.ended(study.start(runs))))
    assert not wrong, f"differs in {wrong}"
    there, here = content(reference), content(runs)
    rows = list(csv.DictReader(io.StringIO(expected["export"])))
    completed = [f"{int(row['trial']):04}" for row in rows if row["state"] == "complete"]
    assert completed, rows
    for trial in completed:
        assert here[trial].keys() == there[trial].keys(), f"{trial}: {here[trial].keys()}, not {there[trial].keys()}"
        wrong = small.differences(there[trial], here[trial])
        assert not wrong, f"{trial}: differs in {wrong}"
    for trial, files in there.items():
        # A program that was stopped had gone further or less far.
        for name in ("log", "metrics.jsonl"):
            both = sorted([files[name], here[trial][name]], key=len)
            assert both[1].startswith(both[0]), f"{trial}/{name} differs"
    print(f"equal, with {sum(len(here[trial]) for trial in completed)} files of {len(completed)} trials")
    chance = random.Random(options.seed)
    for number in range(options.losses + options.drivers):
        runs = study.place.folder / f"loss-{number}"
        driver = study.start(runs)
        time.sleep(chance.uniform(0.5, 2.5))
        if number < options.losses:
            for victim in agents.agents_of(runs)[:1]:
                agents.signal_to(victim, [signal.SIGKILL, signal.SIGTERM][number % 2])
        else:
            driver.kill()
            driver.communicate()
            driver = study.start(runs)
        found = outcome(study.place, runs, study.ended(driver))
        wrong = small.differences({"export": expected["export"]}, {"export": found["export"]})
        assert not wrong, f"loss {number}: differs in {wrong}"
    print(f"{options.losses} agents and {options.drivers} drivers lost")


def check_checkpoints(study, name, lose):
    """The agent or the driver of a long program dies: it goes on from the copy of the checkpoints."""
    runs = study.place.folder / name
    begun = Path(study.tools.name) / "begun"
    begun.unlink(missing_ok=True)
    driver = study.start(runs)
    mark = runs / "small" / "trials" / "0000" / "checkpoint" / "state" / "step"
    until = time.monotonic() + 60
    while not (mark.exists() and int(mark.read_text().split()[0]) >= 2):
        assert driver.poll() is None and time.monotonic() < until, f"no copy came: {study.ended(driver)}"
        time.sleep(0.02)
    done = study.ended(lose(study, driver, runs))
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    reports = sorted(epochs for trial, epochs in small.logged_reports(runs))
    assert reports == list(range(1, 13)), reports
    steps = [int(line) for line in begun.read_text().split()]
    assert steps[0] == 0 and steps[-1] >= 2, f"began at {steps}"
    print(f"{name} lost: began at the steps {steps}")
    return steps


def lose_agent(study, driver, runs):
    for agent in agents.agents_of(runs):
        if children_of(agent):
            agents.signal_to(agent, signal.SIGKILL)
    return driver


def leave(study, driver, runs):
    for agent in agents.agents_of(runs):
        if children_of(agent):
            agents.signal_to(agent, signal.SIGTERM)
    return driver


def lose_driver(study, driver, runs):
    driver.kill()
    driver.communicate()
    return study.start(runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--losses", type=int, default=0)
    parser.add_argument("--drivers", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    agents.require_network(options.programs)
    own_disks.require_mounts()
    with Study(options.programs, STUDY) as study:
        check_equal(study, options)
    with Study(options.programs, LONG) as study:
        check_checkpoints(study, "agent", lose_agent)
        steps = check_checkpoints(study, "leaving agent", leave)
        assert len(steps) == 2, f"a program that was asked to leave began at the steps {steps}"
        check_checkpoints(study, "driver", lose_driver)


if __name__ == "__main__":
    sys.exit(main())
