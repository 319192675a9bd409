"""Slow links between the nodes make a study slower, and nothing else: no node is taken for lost.

usage: slow.py PROGRAMS [--trials N] [--full]
"""

import sys
import time

import study as studies

NODES = 3
LINKS = [(5, "100mbit"), (50, "20mbit")]  # ms each way, for every node
WORST = [(100, "5mbit")]


def on_hosts(rig, study, runs):
    """The driver is on head and has no agent beside it, which would do everything; returns what it said."""
    done = rig.run("head", *study.command(runs, "--hosts", ",".join(rig.nodes)), timeout=150)
    assert done.returncode == 0, f"{runs}: {done.returncode}: {done.stdout}{done.stderr}"
    study.check(runs)
    return done.stderr


def row(rig, options):
    study = studies.Study(rig, options.programs, "asha", trials=options.trials * (3 if options.full else 1))
    study.reference()
    begun = time.monotonic()
    on_hosts(rig, study, "usual")
    study.usual = time.monotonic() - begun
    for milliseconds, rate in LINKS + WORST if options.full else LINKS:
        for node in rig.nodes:
            rig.slow(node, milliseconds, rate)
        runs = f"slow-{milliseconds}"
        begun = time.monotonic()
        errors = on_hosts(rig, study, runs)
        took = time.monotonic() - begun
        assert "was lost" not in errors, f"{runs}: a node is lost that was only slow: {errors}"
        nodes = study.status(runs)["nodes"]
        moved = sum(node["bytes_in"] + node["bytes_out"] for node in nodes) / 1e6
        print(f"{milliseconds} ms each way and {rate}: {took:.1f} s (without: {study.usual:.1f}), {moved:.1f} MB moved, tasks "
              f"{ {node['node']: node['done'] for node in nodes} }; equal, none lost", flush=True)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, lambda parser: parser.add_argument("--trials", type=int, default=24), count=NODES))
