"""Agents that see neither the study's folder nor its data: each gets keys and study from the driver, and the data set once.

usage: own_disks.py PROGRAMS [--megabytes N] [--losses N]
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import agents
import small_study as small

FEATURES = 2000
STUDY = """\
name: small
seed: 3
data: {npy: {x: x.npy, y: y.npy}, split: {valid: 0.2, test: 0.1}}
network:
  - dense: {units: $width, activation: relu}
train: {loss: cross_entropy, optimizer: {type: sgd, lr: $lr}, batch: 64, epochs: 9}
metric: {name: valid.loss, goal: minimize}
method: random
parameters:
  lr: {min: 1e-4, max: 1e-2, scale: log}
  width: {type: int, min: 2, max: 4}
early_stop: {type: asha, min: 1, eta: 3}
parallel: 4
limits: {trials: 12}
"""
# What is called as ssh is: the command runs where $HIDDEN is an empty folder.
SSH = """\
#!/bin/sh
shift 5
exec unshare --mount sh -c 'mount -t tmpfs none "$HIDDEN" && exec sh -c "$0"' "$1"
"""
HOSTS = ["127.0.0.2", "127.0.0.3"]


def require_mounts():
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        small.skip("may not make namespaces of mounts")


def write_npy(path, kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)


def write_data(folder, megabytes):
    """Returns the bytes of both files."""
    chance = random.Random(5)
    rows = megabytes * 1_000_000 // FEATURES
    write_npy(folder / "x.npy", "|u1", (rows, FEATURES), chance.randbytes(rows * FEATURES))
    write_npy(folder / "y.npy", "|u1", (rows,), bytes(chance.randrange(3) for _ in range(rows)))
    return sum((folder / name).stat().st_size for name in ("x.npy", "y.npy"))


def apart(place, tools):
    """The environment of a driver whose agents start elsewhere."""
    ssh = Path(tools) / "ssh"
    ssh.write_text(SSH)
    ssh.chmod(0o755)
    rooms = Path(tools) / "rooms"
    rooms.mkdir()
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HIDDEN": str(place.folder), "TMPDIR": str(rooms)}


def check_nodes(place, runs, size):
    nodes = json.loads(place.read(runs, "status", "--json").stdout)["nodes"]
    assert sorted(node["node"] for node in nodes) == HOSTS, nodes
    for node in nodes:
        assert node["done"] > 0, f"idle: {node}"
        assert size <= node["bytes_out"] < 1.2 * size + 2_000_000, f"the data of {size} bytes travels once: {node}"


def lose_agents(place, expected, options, environment):
    chance = random.Random(7)
    for number in range(options.losses):
        runs = place.folder / f"loss-{number}"
        driver = subprocess.Popen(place.command(runs, "--hosts", ",".join(HOSTS)), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env=environment)
        time.sleep(chance.uniform(0.5, 3))
        there = agents.agents_of(runs)
        if there:
            agents.signal_to(chance.choice(there), signal.SIGKILL)
        out, errors = driver.communicate(timeout=120)
        assert driver.returncode == 0, f"{out}{errors}"
        assert place.export(runs) == expected, f"loss {number}: the export differs"
    print(f"{options.losses} agents lost")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--megabytes", type=int, default=6)
    parser.add_argument("--losses", type=int, default=0)
    options = parser.parse_args()
    agents.require_network(options.programs)
    require_mounts()
    with small.Place(options.programs, study=STUDY) as place, tempfile.TemporaryDirectory() as tools:
        size = write_data(place.folder, options.megabytes)
        expected = place.reference()
        environment = apart(place, tools)
        runs = place.folder / "apart"
        done = place.sweep(runs, "--hosts", ",".join(HOSTS), env=environment)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        assert place.export(runs) == expected, "the export differs"
        check_nodes(place, runs, size)
        print(f"equal; {size} bytes of data travelled once to each agent")
        lose_agents(place, expected, options, environment)
        left = os.listdir(Path(tools) / "rooms")
        assert options.losses or not left, f"left behind: {left}"


if __name__ == "__main__":
    sys.exit(main())
