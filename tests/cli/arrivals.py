#!/usr/bin/env python3
"""`train FILE` with `staleness: {order: arrival}`: the training writes down in which order its replicas finished, and
`--replay` repeats it bit for bit. A stopped one goes on from its own file.

usage: arrivals.py BUILD_CLI_FOLDER"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from tables import write_kinds

PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "trellis")
STUDY = """
name: {name}
data: {{csv: rows.csv, target: kind}}
network:
  - dense: {{units: 96}}
  - batch_norm
  - dropout: {{rate: 0.3}}
  - dense: {{units: 64}}
train:
  optimizer: {{sgd: {{lr: 0.02}}}}
  epochs: {epochs}
  batch: 16
  shards: 2
  staleness: {{bound: 2, replicas: 3{more}}}
seed: 3
"""


class Folder:
    def __init__(self, name):
        self.path = pathlib.Path(name)
        write_kinds(self.path / "rows.csv", 1200, random.Random(1))

    def write(self, name, epochs=4, more=", order: arrival"):
        file = f"{name}.yaml"
        (self.path / file).write_text(STUDY.format(name=name, epochs=epochs, more=more), encoding="utf-8")
        return file

    def words(self, verb, file, runs, *more):
        return [PROGRAM, verb, file, "--dir", runs, "--quiet", *more]

    def run(self, verb, file, runs, *more, code=0):
        ran = subprocess.run(self.words(verb, file, runs, *more), cwd=self.path, capture_output=True, text=True, timeout=120,
                             check=False)
        assert ran.returncode == code, (more, ran.returncode, ran.stdout, ran.stderr)
        return ran

    def network(self, name, runs):
        return (self.path / runs / name / "model.safetensors").read_bytes()

    def arrivals(self, name, runs):
        return self.path / runs / name / "model-arrivals.txt"


def repeats(folder):
    file = folder.write("twice")
    said = json.loads(folder.run("train", file, "first", "--json").stdout)
    written = folder.arrivals("twice", "first")
    assert (folder.path / said["arrivals"]).samefile(written), said["arrivals"]
    lines = written.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 5 and lines[0].startswith("trellis arrivals 1 "), lines[0]
    for number, line in enumerate(lines[1:]):
        words = line.split()
        assert words[0] == str(number) and len(words) > 50, line
        assert sum(word[0] == "+" for word in words[1:]) == sum(word[0] == "-" for word in words[1:]), line
    for workers in ("1", "2"):
        again = json.loads(folder.run("train", file, f"again-{workers}", "--json", "--replay", str(written), "--workers",
                                      workers).stdout)
        assert folder.network("twice", f"again-{workers}") == folder.network("twice", "first"), workers
        assert again["metrics"] == said["metrics"], (again["metrics"], said["metrics"])
    # The same command repeats what its own folder has.
    folder.run("train", file, "first")
    assert written.read_text(encoding="utf-8").splitlines() == lines


def goes_on(folder):
    file = folder.write("stopped", epochs=400)
    with subprocess.Popen(folder.words("train", file, "stopped"), cwd=folder.path, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as training:
        written = folder.arrivals("stopped", "stopped")
        limit = time.monotonic() + 60
        while not written.exists() or written.read_text(encoding="utf-8").count("\n") < 4:
            assert training.poll() is None and time.monotonic() < limit, training.communicate()
            time.sleep(0.01)
        training.send_signal(signal.SIGINT)
        _, errors = training.communicate(timeout=60)
    assert training.returncode == 75, (training.returncode, errors)
    before = written.read_text(encoding="utf-8").splitlines()
    with written.open("a", encoding="utf-8") as half:
        half.write("399 +0 +1 -")
    folder.run("train", file, "stopped")
    lines = written.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 401 and lines[:len(before)] == before, "a training that goes on changes what was written"
    folder.run("train", file, "fresh", "--replay", str(written))
    assert folder.network("stopped", "fresh") == folder.network("stopped", "stopped")


def refused(folder):
    def says(text, verb, file, *more, code):
        ran = folder.run(verb, file, "refused", *more, code=code)
        assert text in ran.stderr and len(ran.stderr.splitlines()) == 1, ran.stderr

    file, virtual = folder.write("refused"), folder.write("virtual", more="")
    says("with train.staleness.order: arrival no training repeats", "sweep", file, code=3)
    says("--replay: only a training with", "train", virtual, "--replay", "rows.csv", code=2)
    says("rows.csv:1: no arrivals of a training", "train", file, "--replay", "rows.csv", code=3)
    written = str(folder.arrivals("twice", "first"))
    other = folder.write("twice")
    text = (folder.path / other).read_text(encoding="utf-8").replace("lr: 0.02", "lr: 0.03")
    (folder.path / other).write_text(text, encoding="utf-8")
    says("the arrivals of another training", "train", other, "--replay", written, code=3)
    says("epoch 4 is missing, expected 9 epochs", "train", folder.write("twice", epochs=9), "--replay", written, code=3)
    says("train.staleness.jitter delays batches in virtual time", "train",
         folder.write("jitter", more=", order: arrival, jitter: {factor: 2, probability: 0.5}"), code=3)
    says('did you mean "arrival"?', "train", folder.write("word", more=", order: arival"), code=3)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        repeats(folder)
        goes_on(folder)
        refused(folder)


if __name__ == "__main__":
    main()
