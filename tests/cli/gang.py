#!/usr/bin/env python3
"""`train FILE --execution E`: a network that several processes train has the bits of one that a process trains alone, and the
same keys. A member that is killed ends the training at once, and the same command finishes it.

usage: gang.py BUILD_CLI_FOLDER"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "trellis")
STUDY = """
name: {name}
data: {{csv: rows.csv, target: kind}}
network:
  - dense: {{units: 48}}
  - batch_norm
  - dropout: {{rate: 0.3}}
  - dense: {{units: 24}}
train: {{optimizer: {{adam: {{lr: 0.01}}}}, epochs: {epochs}, batch: 64, shards: 8}}
seed: 3
{more}
"""


class Folder:
    def __init__(self, name):
        self.path = pathlib.Path(name)
        draw = random.Random(1)
        rows = ["a,b,c,d,kind"]
        for _ in range(1200):
            values = [draw.uniform(-1, 1) for _ in range(4)]
            kind = "xyz"[int(3 * abs(values[0] * values[1] + values[2]) / 2) % 3]
            rows.append(",".join(f"{value:.4f}" for value in values) + f",{kind}")
        (self.path / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")

    def write(self, name, epochs=6, more=""):
        file = f"{name}.yaml"
        (self.path / file).write_text(STUDY.format(name=name, epochs=epochs, more=more), encoding="utf-8")
        return file

    def words(self, file, runs, *more):
        return [PROGRAM, "train", file, "--dir", runs, "--quiet", *more]

    def train(self, file, runs, *more, code=0):
        ran = subprocess.run(self.words(file, runs, *more), cwd=self.path, capture_output=True, text=True, timeout=120,
                             check=False)
        assert ran.returncode == code, (more, ran.returncode, ran.stdout, ran.stderr)
        return ran

    def network(self, name, runs):
        return (self.path / runs / name / "model.safetensors").read_bytes()


def others_of(process):
    """The processes that a training has started."""
    return [int(pid) for task in pathlib.Path(f"/proc/{process}/task").iterdir()
            for pid in (task / "children").read_text().split()]


def same_bits(folder):
    file = folder.write("same")
    folder.train(file, "alone", "--execution", "serial")
    expected = folder.network("same", "alone")
    for execution in ("shards", "auto", "gang:2", "gang:3", "gang:5", "gang:9"):
        runs = execution.replace(":", "-")
        said = json.loads(folder.train(file, runs, "--json", "--execution", execution).stdout)
        assert folder.network("same", runs) == expected, f"{execution} has other bits than serial"
        members = said.get("members", [])
        assert len(members) == (int(execution[5:]) if "gang" in execution else 0), said
        for number, member in enumerate(members):
            assert member["bytes"] > 0 and member["busy_seconds"] > 0 and member["waiting_seconds"] > 0, (number, member)


def same_keys(folder):
    """What a gang has trained answers a training by one process, and the other way round."""
    file, longer = folder.write("keys"), folder.write("keys", epochs=8)
    folder.train(file, "runs", "--execution", "gang:2")
    before = folder.network("keys", "runs")
    assert " train" not in folder.train(file, "runs").stderr
    said = json.loads(folder.train(file, "runs", "--json", "--execution", "gang:3").stdout)
    assert all(member["bytes"] == 0 for member in said["members"]), "a training that the store has was trained again"
    assert folder.network("keys", "runs") == before
    folder.train(longer, "runs", "--execution", "gang:2")
    folder.train(longer, "fresh")
    assert folder.network("keys", "runs") == folder.network("keys", "fresh"), "going on as a gang"


def killed(folder, number):
    file = folder.write(f"killed-{number}", epochs=600)
    runs = f"killed-{number}"
    words = folder.words(file, runs, "--execution", "gang:3")
    with subprocess.Popen(words, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
        while training.poll() is None and len(others_of(training.pid)) < 2:
            time.sleep(0.01)
        time.sleep(random.Random(number).uniform(0.2, 1.5))
        assert training.poll() is None, (training.returncode, training.communicate())
        os.kill(others_of(training.pid)[number % 2], signal.SIGKILL)
        begun = time.monotonic()
        _, errors = training.communicate(timeout=60)
        took = time.monotonic() - begun
    assert training.returncode == 75, (training.returncode, errors)
    assert f"member {number % 2 + 1} of the gang of 3 is lost: its process was ended by signal 9" in errors, errors
    assert "to continue: " in errors, errors
    assert took < 4, f"a training noticed after {took:.1f} s that a member was killed"
    folder.train(file, runs, "--execution", "gang:2")
    folder.train(file, f"whole-{number}")
    assert folder.network(f"killed-{number}", runs) == folder.network(f"killed-{number}", f"whole-{number}")


def ends_with_the_first(folder):
    """Nothing is left of a gang whose first process is killed, and Ctrl-C ends all of it in good order."""
    for signal_, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 75)):
        file = folder.write(f"ended-{signal_.name.lower()}", epochs=2000)
        words = folder.words(file, "ended", "--execution", "gang:3")
        with subprocess.Popen(words, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
            while training.poll() is None and len(others_of(training.pid)) < 2:
                time.sleep(0.01)
            time.sleep(1)
            others = others_of(training.pid)
            training.send_signal(signal_)
            _, errors = training.communicate(timeout=60)
        assert training.returncode == code, (training.returncode, errors)
        limit = time.monotonic() + 4
        while any(os.path.exists(f"/proc/{pid}") for pid in others):
            assert time.monotonic() < limit, f"members go on without the first one after {signal_.name}"
            time.sleep(0.01)


def refused(folder):
    def says(code, text, execution, file):
        ran = folder.train(file, "refused", "--execution", execution, code=code)
        assert text in ran.stderr and len(ran.stderr.splitlines()) == 1, ran.stderr

    file = folder.write("refused")
    says(2, "trellis: --execution: 'serail', expected serial, shards, gang:N or auto; did you mean 'serial'?", "serail", file)
    for word in ("gang:0", "gang:", "gang:x", "gang:257"):
        says(2, f"--execution: '{word}', expected gang: and a number from 1 to 256", word, file)
    says(2, "--execution: gang:2: `adapt` trains several networks", "gang:2", folder.write("adapts", more="adapt: auto"))
    folds = folder.write("folds")
    text = (folder.path / folds).read_text(encoding="utf-8").replace("target: kind}", "target: kind, folds: 3}")
    (folder.path / folds).write_text(text, encoding="utf-8")
    says(2, "--execution: gang:2: `data.folds` trains several networks", "gang:2", folds)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        same_bits(folder)
        same_keys(folder)
        for number in range(2):
            killed(folder, number)
        ends_with_the_first(folder)
        refused(folder)


if __name__ == "__main__":
    main()
