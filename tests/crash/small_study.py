"""A small study, runs of it that die in many ways, and what must hold afterwards."""

import contextlib
import json
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
STUDY = """\
name: small
seed: 3
data: {csv: blobs.csv, target: label, split: {valid: 0.25, test: 0.25}}
network:
  - dense: {units: $width, activation: relu}
train: {loss: cross_entropy, optimizer: {type: sgd, lr: $lr}, batch: 16, epochs: 9}
checkpoint: {overhead: 100%}
metric: {name: valid.accuracy, goal: maximize}
method: random
parameters:
  lr: {min: 1e-3, max: 1.0, scale: log}
  width: {type: int, min: 4, max: WIDEST, scale: log}
early_stop: {type: asha, min: 1, eta: 3}
parallel: 4
limits: {trials: 10}
"""
# The same as a population whose members take over each other's networks and reshape them.
RESHAPE = "[{widen: {layer: fc1, by: 8}}, {shrink: {layer: fc1, by: 3}}]"
POPULATION = {
    "  - dense: {units: $width": "  - dense: {name: fc1, units: $width",
    "method: random": f"method: {{type: pbt, members: 6, every: 2, reshape: {RESHAPE}}}",
    "early_stop: {type: asha, min: 1, eta: 3}\n": "",
    "limits: {trials: 10}\n": "",
}


def population():
    """STUDY as a population."""
    text = STUDY
    for line, other in POPULATION.items():
        assert text.count(line) == 1, line
        text = text.replace(line, other)
    return text


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def require_strace():
    if shutil.which("strace") is None:
        skip("strace is not installed")
    probe = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True)
    if probe.returncode != 0:
        skip("strace may not trace here")


CONTAINER = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]


def require_containers():
    if shutil.which("unshare") is None or subprocess.run([*CONTAINER, "true"], capture_output=True).returncode != 0:
        skip("may not make namespaces of processes")


def write_blobs(folder):
    """Three kinds of points that overlap, in three dimensions."""
    chance = random.Random(1)
    rows = ["a,b,c,label"]
    for i in range(240):
        kind = i % 3
        rows.append(",".join(f"{chance.gauss(kind * shift, 1.0):.5f}" for shift in (1, -1, 0.5)) + f",k{kind}")
    (folder / "blobs.csv").write_text("\n".join(rows) + "\n")


class Place:
    """A folder with the study file and its data, removed at the end. `contained`: each run has a container of its own, in
    which its processes have the numbers that those of every other run have. `environment`: of the programs, if not ours."""

    def __init__(self, programs, widest=32, study=STUDY, contained=False, environment=None):
        self.contained = contained
        self.environment = environment
        self.trellis = str(Path(programs) / "trellis")
        self.folder = Path(tempfile.mkdtemp(prefix="trellis-crash-"))
        self.study = self.folder / "small.yaml"
        self.study.write_text(study.replace("WIDEST", str(widest)))
        write_blobs(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, runs, *more):
        return [self.trellis, "sweep", str(self.study), "--dir", str(runs), *more]

    def sweep(self, runs, *more, before=(), timeout=120, **options):
        """Runs the sweep to its end, in whatever way; `before` is put before the command."""
        command = [*before, *self.command(runs, *more)]
        if self.contained and not before:
            command = ["sh", "-c", '"$@"; exit $?', "sh", *command]  # somebody has the first number, as with `before`
        if self.contained:
            command = [*CONTAINER, *command]
        options.setdefault("env", self.environment)
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)

    def read(self, runs, verb, *more):
        return subprocess.run([self.trellis, verb, "small", "--dir", str(runs), *more], capture_output=True, text=True,
                              timeout=60, env=self.environment)

    def export(self, runs, *more):
        done = self.read(runs, "export", "--format", "csv", *more)
        assert done.returncode == 0, f"export failed: {done.stderr}"
        return done.stdout

    def reference(self):
        """The export of a run that nobody disturbs."""
        done = self.sweep(self.folder / "reference")
        assert done.returncode == 0, f"the undisturbed run failed: {done.stdout}{done.stderr}"
        return self.export(self.folder / "reference")


def events(runs):
    """The log without its sessions and without real time."""
    with contextlib.closing(sqlite3.connect(f"file:{runs}/small/study.db?mode=ro", uri=True)) as db:
        return db.execute("SELECT vtime, trial, kind, payload FROM events WHERE kind <> 'opened' ORDER BY seq").fetchall()


ACKNOWLEDGED = re.compile(r"^trial (\d+): (\S+) (\S+) after (\d+) epochs")


def acknowledged(progress):
    """What a run announced: (trial, epochs, metric, value as it was printed)."""
    matches = (ACKNOWLEDGED.match(line) for line in progress.splitlines())
    return [(int(m[1]), int(m[4]), m[2], m[3]) for m in matches if m]


def as_printed(value):
    """A value as progress shows it."""
    return f"{value:.4g}"


def logged_reports(runs):
    """{(trial, epochs): value} of every report in the log."""
    with contextlib.closing(sqlite3.connect(f"file:{runs}/small/study.db?mode=ro", uri=True)) as db:
        rows = db.execute("SELECT trial, payload FROM events WHERE kind = 'reported'").fetchall()
    payloads = [(trial, json.loads(payload)) for trial, payload in rows]
    return {(trial, payload["epochs"]): payload["value"] for trial, payload in payloads}


def check_wreck(place, runs, progress):
    """After a death, before anybody repairs anything: what was announced can be read, number and value."""
    told = acknowledged(progress)
    listed = place.read(runs, "trials", "--json")
    if listed.returncode != 0:
        assert not told, f"announced trials cannot be read: {listed.stderr}"
        return
    trials = {t["trial"]: t for t in json.loads(listed.stdout)}
    reports = logged_reports(runs) if told else {}
    for trial, epochs, metric, value in told:
        assert trial in trials, f"trial {trial} was announced and is lost"
        row = trials[trial]
        assert row["epochs"] >= epochs, f"trial {trial} was announced with {epochs} epochs: {row}"
        kept = reports.get((trial, epochs))
        assert kept is not None, f"trial {trial} was announced after {epochs} epochs, and the log has no such report"
        assert as_printed(kept) == value, f"trial {trial} was announced with {metric} {value}, the log has {kept}"
        if row["epochs"] == epochs:
            assert as_printed(row["value"]) == value, f"trial {trial} was announced with {metric} {value}: {row}"
    running = [t for t in trials.values() if t["state"] == "running"]
    assert not running, f"nobody runs, but {running}"


def check_repaired(place, runs, expected):
    """The same command again ends the study as if nothing had happened."""
    done = place.sweep(runs)
    assert done.returncode == 0, f"the next run failed with {done.returncode}: {done.stdout}{done.stderr}"
    assert place.export(runs) == expected, "the export differs from the undisturbed run's"
    status = json.loads(place.read(runs, "status", "--json").stdout)
    assert status["state"] == "finished" and status["trials"]["running"] == status["trials"]["waiting"] == 0, status
    assert (Path(runs) / "small" / "best.safetensors").stat().st_size > 0


def killed(process):
    return process.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)


class Sweep:
    """A run that is a search, and all that must be equal in equal runs of it."""

    def __init__(self, programs, study=STUDY):
        self.place = Place(programs, study=study)

    def command(self, runs, *more):
        return self.place.command(runs, *more)

    def outcome(self, runs, printed):
        del printed
        return {"export": self.place.export(runs), "events": events(runs)}

    def check_wreck(self, runs, progress):
        check_wreck(self.place, runs, progress)


def differences(expected, found):
    """The names of what is not equal."""
    return ", ".join(name for name in expected if found[name] != expected[name])
