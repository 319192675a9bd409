"""One cell: a study file, the program's run of it, and the result, which is kept in a file of its own."""
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time

import files
import methods

RIVALS = pathlib.Path(__file__).resolve().parent / "rivals.py"
PROGRAMS = ("trellis", "trellis-engine")  # what decides about a policy's result


class Failed(Exception):
    """The program ended with an error; its message is this one's text."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """`kind` is fixed, sweep or a method's name; `size` the width and depth it has or begins with, none for a sweep."""
    task: object
    kind: str
    size: tuple
    seed: int
    study: str

    @property
    def name(self):
        size = "-" + "x".join(map(str, self.size)) if self.size else ""
        return f"{self.kind.replace('/', '_')}{size}-{self.seed}"


class Player:
    """Runs cells, several at once if asked from several threads, and remembers them in `cache`."""

    def __init__(self, trellis, cache):
        self.trellis, self.cache = os.path.abspath(trellis), pathlib.Path(cache)
        self.version = subprocess.run([self.trellis, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        self.program = digest_of_programs(pathlib.Path(self.trellis))
        self.locks, self.lock = {}, threading.Lock()

    def folder(self, task):
        return self.cache / f"{task.name}-{task.fingerprint}"

    def path(self, cell):
        """Where the result lies. Fixed networks and sweeps depend on no policy, so that they outlive a build of the program."""
        who = self.version if cell.kind in ("fixed", "sweep") else self.rival if cell.kind in methods.RIVALS else self.program
        digest = hashlib.sha256(f"{who}\n{cell.study}".encode()).hexdigest()[:16]
        return self.folder(cell.task) / f"{cell.name}-{digest}.json"

    def known(self, cell):
        path = self.path(cell)
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def data(self, task, seed):
        """The data files of a seed, made where they are missing."""
        with self.lock:
            lock = self.locks.setdefault(task.name, threading.Lock())
        paths = []
        with lock:
            for name, make in task.files(seed).items():
                paths.append(self.folder(task) / name)
                if not paths[-1].exists():
                    files.put(paths[-1], make())
        return paths

    def play(self, cell):
        """The result of a cell, from the cache or by a run."""
        result = self.known(cell)
        if result is None:
            result = self.run(cell)
            files.put(self.path(cell), (json.dumps(result) + "\n").encode())
        return result

    def run(self, cell):
        how = self.swept if cell.kind == "sweep" else self.rivaled if cell.kind in methods.RIVALS else self.trained
        return self.within(cell, lambda folder: how(cell, folder))

    def within(self, cell, work):
        """What `work` does in a folder that has the study and its data."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="trellis-adapt-"))
        try:
            for path in self.data(cell.task, cell.seed):
                os.symlink(path.resolve(), folder / path.name)
            (folder / "cell.yaml").write_text(cell.study, encoding="utf-8")
            return work(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def check(self, cell):
        """Throws Failed where the program would not take the study."""
        if cell.kind not in methods.RIVALS:
            self.within(cell, lambda folder: self.call(folder, self.trellis, "check", "cell.yaml"))
        elif not self.rival:
            raise Failed("the rival has no version")

    @functools.cached_property
    def rival(self):
        """The version of the library that a rival is made of, and of what is done with it."""
        python = os.environ.get("TRELLIS_RIVALS_PYTHON", "")
        if not python:
            raise Failed("a rival needs TRELLIS_RIVALS_PYTHON, a Python that has GroMo: pip install gromo==0.1.0")
        return self.call(None, python, "-B", str(RIVALS), "--version") + hashlib.sha256(RIVALS.read_bytes()).hexdigest()

    def rivaled(self, cell, folder):
        begun = time.monotonic()
        data = self.data(cell.task, cell.seed)[0].resolve()
        result = json.loads(self.call(folder, os.environ["TRELLIS_RIVALS_PYTHON"], "-B", str(RIVALS), str(data), cell.study))
        return {**result, "seconds": round(time.monotonic() - begun, 3)}

    def call(self, folder, *words):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            told = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise Failed(told[-1])
        return done.stdout

    def trained(self, cell, folder):
        result = json.loads(self.call(folder, self.trellis, "train", "cell.yaml", "--workers", "1", "--json", "--quiet"))
        if result["state"] != "complete":
            raise Failed(f"the training ended as {result['state']}: {result['cause']}")
        return {"score": score(cell.task, result["metrics"]), "valid": valid(cell.task, result["metrics"]),
                "train": result["flops"]["train"], "row": result["flops"]["inference"], "shape": result["shape"],
                "seconds": round(result["seconds"], 3)}

    def swept(self, cell, folder):
        self.call(folder, self.trellis, "sweep", "cell.yaml", "--workers", "1", "--quiet")
        best = json.loads(self.call(folder, self.trellis, "best", "cell", "--json"))
        # The FLOPs of every trial, also of those that were stopped, stand in the study's database alone.
        base = sqlite3.connect(f"file:{folder}/runs/cell/study.db?mode=ro", uri=True)
        flops, seconds = base.execute("SELECT sum(train_flops), sum(seconds) FROM trials").fetchone()
        base.close()
        return {"score": score(cell.task, best["metrics"]), "valid": valid(cell.task, best["metrics"]), "train": flops,
                "row": best["flops"]["inference"], "shape": " ".join(f"{k}={v}" for k, v in best["params"].items()),
                "seconds": round(seconds, 3)}


def score(task, metrics):
    """Test points: percent of the rows, or of the variance."""
    return 100 * number(metrics[f"test.{task.metric}"])


def valid(task, metrics):
    return 100 * number(metrics[f"valid.{task.metric}"])


def number(value):
    """NaN and infinities are texts in the program's JSON; a network that gives them is worth nothing."""
    return value if isinstance(value, (int, float)) else 0.0


def digest_of_programs(trellis):
    digest = hashlib.sha256()
    for name in PROGRAMS:
        path = trellis.parent / name
        if path.exists():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
