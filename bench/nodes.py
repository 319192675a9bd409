"""400 naps of 50 ms on two slots of each of four nodes of a rig (tests/cluster/rig.py), by one tool.

usage: nodes.py TOOL NAPS TIMES FOLDER RIVALS PYTHON
TOOL: tasks (calls of a program of ours by srun), trials (a sweep of ours by srun; the whole command is timed), or a rival
of RIVALS/nodes_*.py: dask, ray, optuna-postgresql, optuna-journal. FOLDER has our programs, PYTHON the rivals' packages.
Prints {"seconds": [...]}; rivals time their calls or trials alone, after their cluster is up. Exit status 77 where there can
be no rig.
"""
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/cluster"))

from rig import SKIP, Missing, Rig  # noqa: E402

NAP = 0.05
SLOTS_OF_A_NODE = 2
HEAD = "10.77.0.1"
STUDY = """\
name: naps
command: [sh, -c, "sleep {nap}; echo value=1 # $x"]
metric: {{name: value, goal: maximize, regex: 'value=(\\S+)'}}
method: random
early_stop: none
report: off
parameters: {{x: {{min: 0.0, max: 1.0}}}}
resources: {{cpus: 1}}
limits: {{trials: {naps}}}
"""


def must(done):
    if done.returncode != 0:
        raise SystemExit(f"exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def tasks(rig, options):
    slots = SLOTS_OF_A_NODE * rig.count
    words = [options.folder / "trellis-bench-naps", slots, options.naps, options.times]
    printed = must(rig.slurm("srun", "-N", rig.count, "-c", SLOTS_OF_A_NODE, "--no-kill", *words, timeout=600))
    return [float(word) for word in printed.split()]


def trials(rig, options):
    found = []
    for number in range(options.times):
        study = rig.shared / f"naps{number}"
        study.mkdir()
        (study / "naps.yaml").write_text(STUDY.format(nap=NAP, naps=options.naps))
        sweep = [options.folder / "trellis", "sweep", f"/srv/{study.name}/naps.yaml", "--workers", SLOTS_OF_A_NODE, "--quiet"]
        begun = time.monotonic()
        must(rig.slurm("srun", "-N", rig.count, "-c", SLOTS_OF_A_NODE, "--no-kill", "--chdir", f"/srv/{study.name}", *sweep,
                       timeout=600))
        found.append(time.monotonic() - begun)
    return found


def rival(rig, options, tool, *kind):
    """Starts its cluster on head and nodes, then its search on head; the nodes' processes end with the rig."""
    script = [options.python, "-B", options.rivals / f"nodes_{tool}.py"]
    started = [rig.popen("head", *script, "head", HEAD, *kind)]
    while line := started[0].stdout.readline():
        if line.strip() == "ready":
            break
    else:
        raise SystemExit(f"{tool}: head ended: {started[0].stderr.read()}")
    words = [HEAD, SLOTS_OF_A_NODE, options.naps, NAP, options.times, *kind]
    started += [rig.popen(node, *script, "node", *words) for node in rig.nodes]
    try:
        return json.loads(must(rig.run("head", *script, "search", *words, timeout=1800)).splitlines()[-1])["seconds"]
    finally:
        for process in started:
            process.kill()


class Options:
    def __init__(self, naps, times, folder, rivals, python):
        self.naps, self.times = int(naps), int(times)
        self.folder, self.rivals, self.python = pathlib.Path(folder), pathlib.Path(rivals), python


def main():
    if len(sys.argv) != 7:
        raise SystemExit(__doc__)
    tool, options = sys.argv[1], Options(*sys.argv[2:])
    try:
        with Rig(4) as rig:
            if tool in ("tasks", "trials"):
                seconds = {"tasks": tasks, "trials": trials}[tool](rig, options)
            else:
                seconds = rival(rig, options, *tool.split("-"))
    except Missing as missing:
        print(f"nodes: {missing}", file=sys.stderr)
        return SKIP
    print(json.dumps({"seconds": seconds}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
